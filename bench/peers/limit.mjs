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
