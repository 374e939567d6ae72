// The limit: a bare HTTP server that sends one hand-written statement's JSON for each path, without keys, checks or logs.
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
// Once for the statement and not for each row; a condition in where has the expression itself, which the planner can judge.
const inPeriod = `m."performedAt" >= (select ${start})`;
const percent = (part, whole) => `coalesce(round(100 * ${part} / nullif(${whole}, 0), 2), 0)`;
const issuedAndAverage = `coalesce(-sum(m."totalValue") filter (where m.type = 'issue' and ${inPeriod}), 0) as issued,
  (coalesce(sum(m."totalValue") filter (where not ${inPeriod}), 0) + coalesce(sum(m."totalValue"), 0)) / 2 as average`;
const turnover = `issued as "issuedValue", average as "averageStockValue", round(issued / nullif(average, 0), 4) as turnover, round(365 * average / nullif(issued, 0), 2) as "daysOnHand"`;

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
    `with flow as (select ${issuedAndAverage}, count(*) filter (where ${inPeriod}) as movements from "StockMovement" m where ${moved}),
    level as (select s."partId", coalesce(p.category, '') as category, s.quantity, s.quantity * coalesce(s."unitCost", p."unitCost", 0) as value,
      coalesce(s."minimumStock", p."minimumStock") as minimum, coalesce(s."reorderPoint", p."reorderPoint") as reorder, coalesce(s."maximumStock", p."maximumStock") as maximum
      from "StockLevel" s join "Part" p on p."tenantId" = s."tenantId" and p.id = s."partId" where s."tenantId" = 'big' and s."deletedAt" is null),
    category as (select category, count(distinct "partId") as "partCount", round(sum(value), 4) as "totalValue" from level group by category),
    total as (select coalesce(sum("partCount"), 0) as parts, coalesce(sum("totalValue"), 0) as value from category)
    select json_build_object(
      'summary', (select json_build_object('totalParts', parts, 'totalValue', value, 'totalMovements', movements, 'averageTurnover', coalesce(round(issued / nullif(average, 0), 4), 0)) from flow, total),
      'stockStatus', (select json_build_object('outOfStock', count(*) filter (where quantity = 0), 'lowStock', count(*) filter (where quantity > 0 and (quantity < minimum or quantity < reorder)),
        'excessStock', count(*) filter (where quantity > 0 and quantity > maximum and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0)),
        'adequate', count(*) filter (where quantity > 0 and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0) and quantity <= coalesce(maximum, quantity))) from level),
      'categoryBreakdown', ${array(`select category.*, ${percent('"totalValue"', "total.value")} as percentage from category, total order by "totalValue" desc, category`)})::text as json`,
  ],
  movements: [
    `with kind as (select m.type, count(*) filter (where ${inPeriod}) as count, sum(m.quantity) filter (where ${inPeriod} and m.quantity > 0) as "in", -sum(m.quantity) filter (where ${inPeriod} and m.quantity < 0) as "out",
      sum(m."totalValue") filter (where ${inPeriod}) as value, sum(m.quantity) as quantity, sum(m."totalValue") as "totalValue" from "StockMovement" m where ${moved} group by m.type)
    select json_build_object(
      'opening', json_build_object('quantity', coalesce(sum(quantity - coalesce("in", 0) + coalesce("out", 0)), 0), 'value', coalesce(sum("totalValue" - coalesce(value, 0)), 0)),
      'movements', (select ${array(`select type, count, coalesce("in", 0) as "in", coalesce("out", 0) as "out", coalesce(value, 0) as value from kind where count > 0 order by type`)}),
      'closing', json_build_object('quantity', coalesce(sum(quantity), 0), 'value', coalesce(sum("totalValue"), 0)))::text as json from kind`,
  ],
  abc_analysis: [
    `with usage as (select m."partId", -sum(m."totalValue") as value from "StockMovement" m where ${moved} and m.type = 'issue' and m."performedAt" >= ${start} group by m."partId"),
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
    `with flow as (select m."partId", ${issuedAndAverage} from "StockMovement" m where ${moved} group by m."partId")
    select json_build_object(
      'turnover', (select row_to_json(r) from (select ${turnover} from (select coalesce(sum(issued), 0) as issued, coalesce(sum(average), 0) as average from flow) total) r),
      'parts', ${array(`select "partId", p."partNumber", ${turnover} from flow join "Part" p on p."tenantId" = 'big' and p.id = "partId" order by p."partNumber"`)})::text as json`,
  ],
  // What is on hand is what arrived last: from the newest arrival back, until the level's quantity is reached.
  aging: [
    `with arrival as (select r.* from "StockLevel" l cross join lateral (select m.quantity, coalesce(m."unitCost", 0) as cost, m."performedAt", l.quantity + m.quantity - sum(m.quantity) over (order by m.sequence desc) as remaining
      from "StockMovement" m where m."partId" = l."partId" and m.site = l.site and ${moved} and m.quantity > 0) r where l."tenantId" = 'big'),
    total as (select width_bucket("performedAt", array(select now() - d * interval '24 hours' from unnest(array[365, 180, 90, 60, 30]) d)) as at, sum(least(quantity, remaining)) as quantity, round(sum(least(quantity, remaining) * cost), 4) as value
      from arrival where remaining > 0 group by 1)
    select json_build_object('aging', ${array(`select days, coalesce(quantity, 0) as quantity, coalesce(value, 0) as value
      from unnest(array['0-30', '31-60', '61-90', '91-180', '181-365', '>365']) with ordinality g(days, n) left join total on at = 6 - n order by n`)})::text as json`,
  ],
  tree: [
    `with recursive t as (select id, name, type, level, "parentId", position from "Component" where "tenantId" = 'big' and id = 't' union all
    select c.id, c.name, c.type, c.level, c."parentId", c.position from t join "Component" c on c."tenantId" = 'big' and c."parentId" = t.id and c."deletedAt" is null)
    select ${array("select id, name, type, level, \"parentId\" from t where id <> 't'")}::text as json`,
  ],
  adjust: [
    `with moved as (update "StockLevel" set "previousQuantity" = quantity, quantity = quantity + 1, sequence = sequence + 1, "updatedAt" = now()
      where "tenantId" = 'big' and "partId" = $1 and site = 'Site 0' and quantity + 1 >= 0 returning *),
    movement as (insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "performedBy", "performedByName")
      select "tenantId", gen_random_uuid()::text, "partId", site, sequence, 'adjustment', 1, "previousQuantity", quantity, reserved, 'bench', 'bench' from moved returning *)
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
