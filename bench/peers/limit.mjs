// The upper limit: the fastest server that one could reasonably write by hand. A bare HTTP server with keys in memory, a pool of ten
// connections and one prepared statement per path, whose JSON PostgreSQL builds. No schema, limits, logs, metrics or cancellation.
import { hash } from "node:crypto";
import http from "node:http";
import pg from "pg";

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  idleTimeoutMillis: 0,
  options: [
    // The plan of a statement is made once.
    "-c plan_cache_mode=force_generic_plan",
    // Without triggers, and so without the change log, versions and search text: what a write costs at least.
    ...(process.env.LIMIT_TRIGGERS === "off" ? ["-c session_replication_role=replica"] : []),
  ].join(" "),
});

/** Tenants by hash of the secret part of a key. */
const tenants = new Map();
for (const { secret, tenantId } of (await pool.query(`select encode("secretHash", 'hex') as secret, "tenantId" from "ApiKey"`)).rows)
  tenants.set(secret, tenantId);
const tenantOf = ({ authorization = "" }) => tenants.get(hash("sha256", authorization.slice(authorization.lastIndexOf("_") + 1)));

const iso = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** A JSON object of columns of `row` and then of expressions by name; those in `first` precede the columns. */
const object = (row, names, expressions = {}, first = {}) => {
  const of = (entries) => Object.entries(entries).map(([name, expression]) => `'${name}', ${expression}`);
  return `json_build_object(${[...of(first), ...names.map((name) => `'${name}', ${row}."${name}"`), ...of(expressions)].join(", ")})`;
};
/** A JSON array of one object per row of a statement. */
const list = (names, select) => `coalesce((select json_agg(${object("r", names)}) from (${select}) r), '[]')`;

/** Columns of a table by its alias. Statements sort and materialize only these, because wide rows cost more than their JSON. */
const columns = (alias, names) => names.map((name) => `${alias}."${name}"`).join(", ");

const assetColumns = [
  "tenantId",
  "name",
  "type",
  "description",
  "criticality",
  "status",
  "manufacturer",
  "model",
  "serialNumber",
  "site",
  "area",
  "customFields",
];
const asset = object("a", assetColumns, { createdAt: iso('a."createdAt"'), updatedAt: iso('a."updatedAt"') }, { assetId: "a.id" });
const live = `a."tenantId" = $1 and a."deletedAt" is null`;
/**
 * A page of assets by site and area. JSON is built only of the page's rows. Aggregating the levels in PostgreSQL would cost twice as much.
 */
const grouped = (page) => ({
  text: `with page as materialized (select ${columns("a", ["id", ...assetColumns, "createdAt", "updatedAt"])} from "Asset" a where ${live} ${page})
    select a.site, a.area, ${asset}::text as json from page a`,
  body: (rows) => {
    const sites = [];
    for (const { site, area, json } of rows) {
      if (sites.at(-1)?.site !== site) sites.push({ site, areas: [] });
      const { areas } = sites.at(-1);
      if (areas.at(-1)?.area !== area) areas.push({ area, assets: [] });
      areas.at(-1).assets.push(json);
    }
    const areaOf = ({ area, assets }) => `{"name":${JSON.stringify(area)},"assets":[${assets.join()}]}`;
    return `[${sites.map(({ site, areas }) => `{"site":${JSON.stringify(site)},"areas":[${areas.map(areaOf).join()}]}`).join()}]`;
  },
});

const start = "now() - interval '8760 hours'";
const moved = `m."tenantId" = $1 and m.type not in ('reserve', 'unreserve') and m."performedAt" <= now()`;
const percent = (part, whole) => `coalesce(round(100 * ${part} / nullif(${whole}, 0), 2), 0)`;
// The value used, and the sum of value × seconds from the start of the period to each movement. Before the movement, its value was not in
// stock. Average value = current value − second sum / length of the period.
const flow = `coalesce(-sum(m.value) filter (where m.type in ('issue', 'return')), 0) as used, coalesce(sum(m.value * extract(epoch from m."performedAt" - (${start}))), 0) as missed`;
const seconds = 31536000;
const turnover = `used as "issuedValue", round((worth * ${seconds} - missed) / ${seconds}, 4) as "averageStockValue", round(${seconds} / 86400.0, 2) as "basisDays", round(used * ${seconds} / nullif(worth * ${seconds} - missed, 0), 4) as turnover,
  case when used > 0 then round((worth * ${seconds} - missed) / 86400 / used, 2) end as "daysOnHand"`;
const onHand = `select sum(quantity) as quantity, sum(value) as value from "StockLevel" where "tenantId" = $1`;

/** The components below the one with the id t. */
const below = `select ${columns("c", ["id", "name", "type", "level", "parentId", "path"])} from "Component" r join "Component" c on c."tenantId" = r."tenantId" and c."assetId" = r."assetId"
    and starts_with(c.path, r.path) and c.id <> r.id and c."deletedAt" is null where r."tenantId" = $1 and r.id = 't'`;

const listed = ["id", "name", "type", "site", "area", "status", "manufacturer", "serialNumber"];

/**
 * By path: the statement, its values after the tenant, from the rest of the path and the body, and the response's body from the rows, by
 * default the only row's `json`.
 */
const statements = {
  nested: {
    text: `select ${list(
      ["id", "name", "components"],
      `select a.id, a.name, ${list(
        ["id", "name", "children"],
        `select c.id, c.name, ${list(["id", "name"], `select d.id, d.name from "Component" d where d."tenantId" = $1 and d."deletedAt" is null and d."parentId" = c.id order by d.position, d.id limit 20`)} as children
        from "Component" c where c."tenantId" = $1 and c."deletedAt" is null and c."assetId" = a.id and c.level = 0 order by c.level, c.position, c.id limit 20`,
      )} as components from "Asset" a where ${live} order by a."createdAt", a.id limit 50`,
    )}::text as json`,
  },
  byId: {
    text: `select ${object("a", ["id", "name", "type", "site", "area", "status", "serialNumber"], { createdAt: iso('"createdAt"') })}::text as json from "Asset" a where ${live} and id = $2`,
    values: (id) => [id],
  },
  list: {
    text: `select ${list(listed, `select ${columns("a", listed)} from "Asset" a where ${live} order by a."createdAt", a.id limit 100`)}::text as json`,
  },
  parts: {
    text: `select ${list(
      ["id", "name", "stockLevels"],
      `select p.id, p.name, ${list(
        ["site", "quantity", "movements"],
        `select s.site, s.quantity::float8 as quantity, ${list(
          ["id", "quantity", "newBalance", "performedAt"],
          `select m.id, m.quantity::float8 as quantity, m."newBalance"::float8 as "newBalance", ${iso('m."performedAt"')} as "performedAt"
          from "StockMovement" m where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site order by m."performedAt", m.id limit 5`,
        )} as movements
        from "StockLevel" s where s."tenantId" = $1 and s."deletedAt" is null and s."partId" = p.id order by s.site`,
      )} as "stockLevels" from "Part" p where p."tenantId" = $1 order by p."createdAt", p.id limit 20`,
    )}::text as json`,
  },
  restById: { text: `select ${asset}::text as json from "Asset" a where ${live} and a.id = $2`, values: (id) => [id] },
  restList: grouped("order by a.site, a.area, a.name, a.id limit 100"),
  restPage: { ...grouped("order by a.site, a.area, a.name, a.id limit 100 offset $2::int"), values: (offset) => [offset] },
  search: {
    ...grouped(`and a."searchText" like '%' || lower($2) || '%' order by a.site, a.area, a.name, a.id limit 100`),
    values: (text) => [decodeURIComponent(text)],
  },
  history: {
    text: `select ${object("p", [], {
      partId: "p.id",
      partNumber: 'p."partNumber"',
      partName: "p.name",
      movements: list(
        [
          "id",
          "type",
          "quantity",
          "previousBalance",
          "newBalance",
          "unitCost",
          "totalValue",
          "performedBy",
          "performedByName",
          "performedAt",
        ],
        `select m.id, m.type, m.quantity::float8 as quantity, m."previousBalance"::float8 as "previousBalance", m."newBalance"::float8 as "newBalance",
        m."unitCost"::float8 as "unitCost", m."totalValue"::float8 as "totalValue", m."performedBy", m."performedByName", ${iso('m."performedAt"')} as "performedAt"
        from "StockMovement" m where m."tenantId" = $1 and m."partId" = p.id order by m."performedAt", m.id limit 100`,
      ),
      total: `(select sum(sequence)::int from "StockLevel" s where s."tenantId" = $1 and s."partId" = p.id)`,
    })}::text as json from "Part" p where p."tenantId" = $1 and p.id = $2`,
    values: (id) => [id],
  },
  summary: {
    text: `with flow as (select ${flow}, count(*) filter (where quantity <> 0) as movements from "StockMovement" m where ${moved} and m."performedAt" >= ${start}),
    level as (select s."partId", coalesce(p.category, '') as category, s.quantity, s.value,
      coalesce(s."minimumStock", p."minimumStock") as minimum, coalesce(s."reorderPoint", p."reorderPoint") as reorder, coalesce(s."maximumStock", p."maximumStock") as maximum
      from "StockLevel" s join "Part" p on p."tenantId" = s."tenantId" and p.id = s."partId" where s."tenantId" = $1 and s."deletedAt" is null),
    category as (select category, count(distinct "partId") as "partCount", sum(value) as "totalValue" from level group by category),
    total as (select coalesce(sum("partCount"), 0) as parts, coalesce(sum("totalValue"), 0) as value from category)
    select json_build_object(
      'summary', (select json_build_object('totalParts', parts, 'totalValue', value, 'totalMovements', movements,
        'averageTurnover', coalesce(round(used * ${seconds} / nullif(value * ${seconds} - missed, 0), 4), 0)) from flow, total),
      'stockStatus', (select json_build_object('outOfStock', count(*) filter (where quantity = 0), 'lowStock', count(*) filter (where quantity > 0 and (quantity < minimum or quantity < reorder)),
        'excessStock', count(*) filter (where quantity > 0 and quantity > maximum and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0)),
        'adequate', count(*) filter (where quantity > 0 and quantity >= coalesce(minimum, 0) and quantity >= coalesce(reorder, 0) and quantity <= coalesce(maximum, quantity))) from level),
      'categoryBreakdown', ${list(["category", "partCount", "totalValue", "percentage"], `select category.*, ${percent('"totalValue"', "total.value")} as percentage from category, total order by "totalValue" desc, category`)})::text as json`,
  },
  movements: {
    text: `with kind as (select m.type, count(*) as count, coalesce(sum(m.quantity) filter (where m.quantity > 0), 0) as "in", coalesce(-sum(m.quantity) filter (where m.quantity < 0), 0) as "out",
      sum(m.value) as value from "StockMovement" m where ${moved} and m."performedAt" >= ${start} group by m.type), closing as (${onHand})
    select json_build_object(
      'opening', (select json_build_object('quantity', closing.quantity - coalesce(sum("in" - "out"), 0), 'value', closing.value - coalesce(sum(kind.value), 0)) from closing left join kind on true group by closing.quantity, closing.value),
      'movements', ${list(["type", "count", "in", "out", "value"], 'select type, count, "in", "out", value from kind order by type')},
      'closing', (select row_to_json(closing) from closing))::text as json`,
  },
  abc_analysis: {
    text: `with usage as (select m."partId", -sum(m.value) as value from "StockMovement" m where ${moved} and m.type in ('issue', 'return') and m."performedAt" >= ${start} group by m."partId"),
    part as (select p.id as "partId", p."partNumber", coalesce(round(u.value, 4), 0) as value from "Part" p left join usage u on u."partId" = p.id
      where p."tenantId" = $1 and exists (select from "StockLevel" s where s."tenantId" = $1 and s."partId" = p.id and s."deletedAt" is null)),
    ranked as (select *, sum(value) over () as total, sum(value) over (order by value desc, "partNumber" rows unbounded preceding) - value as before from part),
    classed as (select *, case when value > 0 and before < total * 0.8 then 'A' when value > 0 and before < total * 0.95 then 'B' else 'C' end as class, ${percent("value", "total")} as percentage from ranked)
    select json_build_object(
      'analysis', (select json_object_agg('class' || c.class, json_build_object('partCount', count, 'valuePercentage', ${percent("coalesce(value, 0)", "total")}, 'totalValue', coalesce(value, 0)))
        from (values ('A'), ('B'), ('C')) c(class), lateral (select count(*), sum(value) as value, max(total) as total from classed where classed.class = c.class) of),
      'parts', ${list(["partId", "partNumber", "class", "annualUsageValue", "percentage"], `select "partId", "partNumber", class, value as "annualUsageValue", percentage from classed order by value desc, "partNumber"`)})::text as json`,
  },
  turnover: {
    text: `with flow as (select m."partId", ${flow} from "StockMovement" m where ${moved} and m."performedAt" >= ${start} group by m."partId"),
    part as (select l."partId", p."partNumber", coalesce(used, 0) as used, coalesce(missed, 0) as missed, worth from (select "partId", sum(value) as worth from "StockLevel" where "tenantId" = $1 group by "partId") l
      join "Part" p on p."tenantId" = $1 and p.id = l."partId" left join flow on flow."partId" = l."partId")
    select json_build_object(
      'turnover', (select row_to_json(r) from (select ${turnover} from (select coalesce(sum(used), 0) as used, coalesce(sum(missed), 0) as missed, coalesce(sum(worth), 0) as worth from part) total) r),
      'parts', ${list(["partId", "partNumber", "issuedValue", "averageStockValue", "basisDays", "turnover", "daysOnHand"], `select "partId", "partNumber", ${turnover} from part order by "partNumber"`)})::text as json`,
  },
  // First in, first out: stock on hand comes from the newest arrivals, counted back until the level's quantity is reached. An arrival's
  // value is its share of the level's value; the newest arrival takes the rounding difference.
  aging: {
    text: `with layer as (select r.* from "StockLevel" l cross join lateral (
        select "performedAt", remaining, case when remaining < l.quantity and newer = 0 then l.value - sum(round(l.value * remaining / l.quantity, 4)) over () + round(l.value * remaining / l.quantity, 4)
          else round(l.value * remaining / l.quantity, 4) end as value from (
          select "performedAt", newer, least(quantity, l.quantity - newer) as remaining from (
            select m.quantity, m."performedAt", sum(m.quantity) over (order by m.sequence desc rows unbounded preceding) - m.quantity as newer
            from "StockMovement" m where m."partId" = l."partId" and m.site = l.site and ${moved} and m.quantity > 0) arrival where newer < l.quantity) s) r where l."tenantId" = $1 and l.quantity > 0),
    total as (select width_bucket("performedAt", array(select now() - d * interval '24 hours' from unnest(array[365, 180, 90, 60, 30]) d)) as at, sum(remaining) as quantity, sum(value) as value
      from layer group by 1)
    select json_build_object('aging', ${list(
      ["days", "quantity", "value"],
      `select days, coalesce(quantity, 0) as quantity, coalesce(value, 0) as value
      from unnest(array['0-30', '31-60', '61-90', '91-180', '181-365', '>365']) with ordinality g(days, n) left join total on at = 6 - n order by n`,
    )})::text as json`,
  },
  // JSON.stringify of 10,000 rows is faster than PostgreSQL. Paths consist of positions, which have one digit in this tree.
  tree: {
    text: `${below} order by c.level, c.path`,
    body: (rows) => JSON.stringify(rows.map(({ id, name, type, level, parentId }) => ({ id, name, type, level, parentId }))),
  },
  restTree: {
    text: `${below} order by c.level, c.path`,
    body: (rows) => {
      const paths = new Map([["t", ["t"]]]);
      const descendants = rows.map(({ id, name, type, level, parentId }) => {
        const path = [...paths.get(parentId), id];
        paths.set(id, path);
        return { id, name, type, level, path };
      });
      return JSON.stringify({ descendants });
    },
  },
  adjust: {
    text: `with moved as (update "StockLevel" set "previousQuantity" = quantity, quantity = quantity + $4, "previousValue" = value, value = value + round(value / quantity * $4, 4),
      sequence = sequence + 1, "valuedSequence" = sequence + 1, "movedAt" = now(), "updatedAt" = now() where "tenantId" = $1 and "partId" = $2 and site = $3 and quantity + $4 >= 0 returning *),
    movement as (insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue", value, "valueBalance", reason, "performedBy", "performedByName")
      select "tenantId", gen_random_uuid()::text, "partId", site, sequence, 'adjustment', $4, "previousQuantity", quantity, reserved, "unitCost", $4 * "unitCost", value - "previousValue", value, $6, 'bench', 'bench' from moved returning *)
    insert into "StockAdjustment" as a ("tenantId", id, "movementId", "partId", site, "adjustmentType", quantity, "previousBalance", "newBalance", "unitCost", "totalValue", reason, "performedBy", "performedAt")
      select "tenantId", gen_random_uuid()::text, id, "partId", site, $5, quantity, "previousBalance", "newBalance", "unitCost", "totalValue", reason, 'bench', "performedAt" from movement
      returning ${object("a", [], {
        adjustmentId: "a.id",
        partId: 'a."partId"',
        adjustmentType: 'a."adjustmentType"',
        quantity: "a.quantity::float8",
        previousBalance: 'a."previousBalance"::float8',
        newBalance: 'a."newBalance"::float8',
        unitCost: 'a."unitCost"::float8',
        totalValue: 'a."totalValue"::float8',
        reason: "a.reason",
        performedBy: 'a."performedBy"',
        performedAt: iso('a."performedAt"'),
        approved: "false",
        approvedBy: "null",
        approvedAt: "null",
      })}::text as json`,
    values: (id, { site, quantity, adjustmentType, reason }) => [id, site, quantity, adjustmentType, reason],
  },
  createAsset: {
    text: `insert into "Asset" as a ("tenantId", id, name, type, site, area) values ($1, gen_random_uuid()::text, $2, $3, $4, $5)
      returning ${object("a", ["id", "tenantId", "name", "type", "status", "site", "area"], { specifications: "json_build_object()", createdAt: iso('a."createdAt"'), updatedAt: iso('a."updatedAt"') })}::text as json`,
    values: (_, { name, type, site, area }) => [name, type, site, area],
  },
  updateComponent: {
    text: `update "Component" a set name = $3, "updatedAt" = now(), version = version + 1, "updatedBy" = 'bench' where "tenantId" = $1 and id = $2 and "deletedAt" is null
      returning ${object("a", ["id", "tenantId", "level", "position", "name", "type", "assetId", "status", "specifications"], {
        createdAt: iso('a."createdAt"'),
        updatedAt: iso('a."updatedAt"'),
        children: `array(select c.id from "Component" c where c."tenantId" = $1 and c."parentId" = a.id and c."deletedAt" is null order by c.position, c.id)`,
        workOrders: `array(select w.id from "WorkOrder" w where w."tenantId" = $1 and w."componentId" = a.id)`,
      })}::text as json`,
    values: (id, { name }) => [id, name],
  },
};

function answer({ url, headers }, response, body) {
  const tenant = tenantOf(headers);
  if (tenant === undefined) return void response.writeHead(401).end();
  const [, name, value] = url.split("/");
  const { text, values, body: bodyOf = ([row]) => row.json } = statements[name];
  pool.query({ name, text, values: values ? [tenant, ...values(value, body)] : [tenant] }, (error, result) => {
    if (error) response.writeHead(500).end(error.message);
    else if (!result.rows.length) response.writeHead(404).end();
    else response.setHeader("content-type", "application/json").end(bodyOf(result.rows));
  });
}

const service = http.createServer((request, response) => {
  if (request.method === "GET") return answer(request, response);
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  request.on("end", () => answer(request, response, JSON.parse(text)));
});
// The clients keep their connections while another peer is measured. Node closes idle ones after 5 seconds.
service.keepAliveTimeout = 600_000;
service.listen(0, "127.0.0.1", () => console.error(`http://127.0.0.1:${service.address().port}`));
