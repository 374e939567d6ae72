// The upper limit: a bare HTTP server that sends the JSON of one hand-written statement per path, without keys, checks or logs.
import http from "node:http";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const iso = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const array = (select) => `array_to_json(array(select row_to_json(r) from (${select}) r))`;
const asset = `a.id as "assetId", a."tenantId", a.name, a.type, a.description, a.criticality, a.status, a.manufacturer, a.model, a."serialNumber", a.site, a.area,
  a."customFields", ${iso('a."createdAt"')} as "createdAt", ${iso('a."updatedAt"')} as "updatedAt"`;
const live = `a."tenantId" = 'big' and a."deletedAt" is null`;
const grouped = (page) =>
  `select ${array(`select site, ${array(`select area as name, array_to_json(array_agg(asset order by name, id)) as assets from page p2 where p2.site = p.site group by area order by area`)} as areas from page p group by site order by site`)}::text as json
  from (select 1) one`.replace(
    /^/,
    `with page as materialized (select a.site, a.area, a.name, a.id, row_to_json(f) as asset from (select * from "Asset" a where ${live} ${page}) a cross join lateral (select ${asset}) f) `,
  );

const start = "now() - interval '8760 hours'";
const moved = `m."tenantId" = 'big' and m.type not in ('reserve', 'unreserve') and m."performedAt" <= now()`;
const percent = (part, whole) => `coalesce(round(100 * ${part} / nullif(${whole}, 0), 2), 0)`;
// The value used, and the sum of value × seconds from the start of the period to each movement. Before the movement, its value was not in
// stock. Average value = current value − second sum / length of the period.
const flow = `coalesce(-sum(m.value) filter (where m.type in ('issue', 'return')), 0) as used, coalesce(sum(m.value * extract(epoch from m."performedAt" - (${start}))), 0) as missed`;
const seconds = 31536000;
const turnover = `used as "issuedValue", round((worth * ${seconds} - missed) / ${seconds}, 4) as "averageStockValue", round(${seconds} / 86400.0, 2) as "basisDays", round(used * ${seconds} / nullif(worth * ${seconds} - missed, 0), 4) as turnover,
  case when used > 0 then round((worth * ${seconds} - missed) / 86400 / used, 2) end as "daysOnHand"`;
const onHand = `select sum(quantity) as quantity, sum(value) as value from "StockLevel" where "tenantId" = 'big'`;

/** By path: the statement, and its values from the rest of the path. */
const statements = {
  nested: [
    `select ${array(
      `select a.id, a.name, ${array(`select c.id, c.name, ${array(`select d.id, d.name from "Component" d where d."tenantId" = 'big' and d."deletedAt" is null and d."parentId" = c.id order by d.position, d.id limit 20`)} as children
    from "Component" c where c."tenantId" = 'big' and c."deletedAt" is null and c."assetId" = a.id and c.level = 0 order by c.level, c.position, c.id limit 20`)} as components from "Asset" a where ${live} order by a."createdAt", a.id limit 50`,
    )}::text as json`,
  ],
  byId: [
    `select row_to_json(r)::text as json from (select id, name, type, site, area, status, "serialNumber", ${iso('"createdAt"')} as "createdAt" from "Asset" a where ${live} and id = $1) r`,
    1,
  ],
  list: [
    `select ${array(`select a.id, a.name, a.type, a.site, a.area, a.status, a.manufacturer, a."serialNumber" from "Asset" a where ${live} order by a."createdAt", a.id limit 100`)}::text as json`,
  ],
  parts: [
    `select ${array(
      `select p.id, p.name, ${array(`select s.site, s.quantity::float8 as quantity, ${array(`select m.id, m.quantity::float8 as quantity, m."newBalance"::float8 as "newBalance", ${iso('m."performedAt"')} as "performedAt"
    from "StockMovement" m where m."tenantId" = 'big' and m."partId" = s."partId" and m.site = s.site order by m."performedAt", m.id limit 5`)} as movements
    from "StockLevel" s where s."tenantId" = 'big' and s."deletedAt" is null and s."partId" = p.id order by s.site`)} as "stockLevels" from "Part" p where p."tenantId" = 'big' order by p."createdAt", p.id limit 20`,
    )}::text as json`,
  ],
  restById: [`select row_to_json(r)::text as json from (select ${asset} from "Asset" a where ${live} and a.id = $1) r`, 1],
  restList: [grouped("order by a.site, a.area, a.name, a.id limit 100")],
  restPage: [grouped("order by a.site, a.area, a.name, a.id limit 100 offset $1::int"), 1],
  search: [grouped(`and a."searchText" like '%' || lower($1) || '%' order by a.site, a.area, a.name, a.id limit 100`), 1],
  history: [
    `select row_to_json(r)::text as json from (select p.id as "partId", p."partNumber", p.name as "partName", ${array(`select m.id, m.type, m.quantity::float8 as quantity, m."previousBalance"::float8 as "previousBalance", m."newBalance"::float8 as "newBalance",
    m."unitCost"::float8 as "unitCost", m."totalValue"::float8 as "totalValue", m."performedBy", m."performedByName", ${iso('m."performedAt"')} as "performedAt" from "StockMovement" m where m."tenantId" = 'big' and m."partId" = p.id order by m."performedAt", m.id limit 100`)} as movements,
    (select sum(sequence)::int from "StockLevel" s where s."tenantId" = 'big' and s."partId" = p.id) as total from "Part" p where p."tenantId" = 'big' and p.id = $1) r`,
    1,
  ],
  summary: [
    `with flow as (select ${flow}, count(*) filter (where quantity <> 0) as movements from "StockMovement" m where ${moved} and m."performedAt" >= ${start}),
    level as (select s."partId", coalesce(p.category, '') as category, s.quantity, s.value,
      coalesce(s."minimumStock", p."minimumStock") as minimum, coalesce(s."reorderPoint", p."reorderPoint") as reorder, coalesce(s."maximumStock", p."maximumStock") as maximum
      from "StockLevel" s join "Part" p on p."tenantId" = s."tenantId" and p.id = s."partId" where s."tenantId" = 'big' and s."deletedAt" is null),
    category as (select category, count(distinct "partId") as "partCount", sum(value) as "totalValue" from level group by category),
    total as (select coalesce(sum("partCount"), 0) as parts, coalesce(sum("totalValue"), 0) as value from category)
    select json_build_object(
      'summary', (select json_build_object('totalParts', parts, 'totalValue', value, 'totalMovements', movements,
        'averageTurnover', coalesce(round(used * ${seconds} / nullif(value * ${seconds} - missed, 0), 4), 0)) from flow, total),
      'stockStatus', (select json_build_object('outOfStock', count(*) filter (where quantity = 0), 'lowStock', count(*) filter (where quantity > 0 and (quantity < minimum or quantity < reorder)),
        'excessStock', count(*) filter (where quantity > 0 and quantity > maximum and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0)),
        'adequate', count(*) filter (where quantity > 0 and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0) and quantity <= coalesce(maximum, quantity))) from level),
      'categoryBreakdown', ${array(`select category.*, ${percent('"totalValue"', "total.value")} as percentage from category, total order by "totalValue" desc, category`)})::text as json`,
  ],
  movements: [
    `with kind as (select m.type, count(*) as count, coalesce(sum(m.quantity) filter (where m.quantity > 0), 0) as "in", coalesce(-sum(m.quantity) filter (where m.quantity < 0), 0) as "out",
      sum(m.value) as value from "StockMovement" m where ${moved} and m."performedAt" >= ${start} group by m.type), closing as (${onHand})
    select json_build_object(
      'opening', (select json_build_object('quantity', closing.quantity - coalesce(sum("in" - "out"), 0), 'value', closing.value - coalesce(sum(kind.value), 0)) from closing left join kind on true group by closing.quantity, closing.value),
      'movements', (select ${array('select type, count, "in", "out", value from kind order by type')}),
      'closing', (select row_to_json(closing) from closing))::text as json`,
  ],
  abc_analysis: [
    `with usage as (select m."partId", -sum(m.value) as value from "StockMovement" m where ${moved} and m.type in ('issue', 'return') and m."performedAt" >= ${start} group by m."partId"),
    part as (select p.id as "partId", p."partNumber", coalesce(round(u.value, 4), 0) as value from "Part" p left join usage u on u."partId" = p.id
      where p."tenantId" = 'big' and exists (select from "StockLevel" s where s."tenantId" = 'big' and s."partId" = p.id and s."deletedAt" is null)),
    ranked as (select *, sum(value) over () as total, sum(value) over (order by value desc, "partNumber" rows unbounded preceding) - value as before from part),
    classed as (select *, case when value > 0 and before < total * 0.8 then 'A' when value > 0 and before < total * 0.95 then 'B' else 'C' end as class, ${percent("value", "total")} as percentage from ranked)
    select json_build_object(
      'analysis', (select json_object_agg('class' || c.class, json_build_object('partCount', count, 'valuePercentage', ${percent("coalesce(value, 0)", "total")}, 'totalValue', coalesce(value, 0)))
        from (values ('A'), ('B'), ('C')) c(class), lateral (select count(*), sum(value) as value, max(total) as total from classed where classed.class = c.class) of),
      'parts', ${array(`select "partId", "partNumber", class, value as "annualUsageValue", percentage from classed order by value desc, "partNumber"`)})::text as json`,
  ],
  turnover: [
    `with flow as (select m."partId", ${flow} from "StockMovement" m where ${moved} and m."performedAt" >= ${start} group by m."partId"),
    part as (select l."partId", p."partNumber", coalesce(used, 0) as used, coalesce(missed, 0) as missed, worth from (select "partId", sum(value) as worth from "StockLevel" where "tenantId" = 'big' group by "partId") l
      join "Part" p on p."tenantId" = 'big' and p.id = l."partId" left join flow on flow."partId" = l."partId")
    select json_build_object(
      'turnover', (select row_to_json(r) from (select ${turnover} from (select coalesce(sum(used), 0) as used, coalesce(sum(missed), 0) as missed, coalesce(sum(worth), 0) as worth from part) total) r),
      'parts', ${array(`select "partId", "partNumber", ${turnover} from part order by "partNumber"`)})::text as json`,
  ],
  // First in, first out: stock on hand comes from the newest arrivals, counted back until the level's quantity is reached. An arrival's
  // value is its share of the level's value; the newest arrival takes the rounding difference.
  aging: [
    `with layer as (select r.* from "StockLevel" l cross join lateral (
        select "performedAt", remaining, case when remaining < l.quantity and newer = 0 then l.value - sum(round(l.value * remaining / l.quantity, 4)) over () + round(l.value * remaining / l.quantity, 4)
          else round(l.value * remaining / l.quantity, 4) end as value from (
          select "performedAt", newer, least(quantity, l.quantity - newer) as remaining from (
            select m.quantity, m."performedAt", sum(m.quantity) over (order by m.sequence desc rows unbounded preceding) - m.quantity as newer
            from "StockMovement" m where m."partId" = l."partId" and m.site = l.site and ${moved} and m.quantity > 0) arrival where newer < l.quantity) s) r where l."tenantId" = 'big' and l.quantity > 0),
    total as (select width_bucket("performedAt", array(select now() - d * interval '24 hours' from unnest(array[365, 180, 90, 60, 30]) d)) as at, sum(remaining) as quantity, sum(value) as value
      from layer group by 1)
    select json_build_object('aging', ${array(`select days, coalesce(quantity, 0) as quantity, coalesce(value, 0) as value
      from unnest(array['0-30', '31-60', '61-90', '91-180', '181-365', '>365']) with ordinality g(days, n) left join total on at = 6 - n order by n`)})::text as json`,
  ],
  tree: [
    `with recursive t as (select id, name, type, level, "parentId", position from "Component" where "tenantId" = 'big' and id = 't' union all
    select c.id, c.name, c.type, c.level, c."parentId", c.position from t join "Component" c on c."tenantId" = 'big' and c."parentId" = t.id and c."deletedAt" is null)
    select ${array("select id, name, type, level, \"parentId\" from t where id <> 't'")}::text as json`,
  ],
  adjust: [
    `with moved as (update "StockLevel" set "previousQuantity" = quantity, quantity = quantity + 1, "previousValue" = value, value = value + round(value / quantity, 4),
      sequence = sequence + 1, "valuedSequence" = sequence + 1, "movedAt" = now(), "updatedAt" = now() where "tenantId" = 'big' and "partId" = $1 and site = 'Site 0' and quantity + 1 >= 0 returning *),
    movement as (insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", value, "valueBalance", "performedBy", "performedByName")
      select "tenantId", gen_random_uuid()::text, "partId", site, sequence, 'adjustment', 1, "previousQuantity", quantity, reserved, value - "previousValue", value, 'bench', 'bench' from moved returning *)
    insert into "StockAdjustment" ("tenantId", id, "movementId", "partId", site, "adjustmentType", quantity, "previousBalance", "newBalance", "performedBy", "performedAt")
      select "tenantId", gen_random_uuid()::text, id, "partId", site, 'correction', 1, "previousBalance", "newBalance", 'bench', "performedAt" from movement returning row_to_json("StockAdjustment")::text as json`,
    1,
  ],
  createAsset: [
    `insert into "Asset" ("tenantId", id, name, type, site, area) values ('big', gen_random_uuid()::text, 'New', 'pump', 'Site 1', 'Area 1') returning row_to_json("Asset")::text as json`,
  ],
  updateComponent: [
    `update "Component" set name = 'Renamed', "updatedAt" = now(), version = version + 1, "updatedBy" = 'bench' where "tenantId" = 'big' and id = $1 and "deletedAt" is null returning row_to_json("Component")::text as json`,
    1,
  ],
};

http
  .createServer(async (request, response) => {
    request.resume();
    const [, name, value] = request.url.split("/");
    try {
      const [text, parameters] = statements[name];
      const { rows } = await pool.query({ name, text, values: parameters ? [decodeURIComponent(value)] : [] });
      response.setHeader("content-type", "application/json").end(rows[0].json);
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  })
  .listen(0, "127.0.0.1", function () {
    console.error(`http://127.0.0.1:${this.address().port}`);
  });
