// 50 assets with root components and their children, 550 objects: the gateway against one JSON statement behind bare http.
import http from "node:http";
import pg from "pg";

export default async function nested({ database, newTenant, compare, databaseUrl }) {
  const tenant = await newTenant("nested");
  await database.query(
    `insert into "Asset" ("tenantId", id, name, type) select 'nested', 'a' || n, 'Asset ' || n, 'pump' from generate_series(1, 50) n`,
  );
  await database.query(`insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type)
    select 'nested', 'c' || a || '-' || n, 'a' || a, n, 0, to_hex(a * 100 + n) || '.', 'Root ' || n, 'drive' from generate_series(1, 50) a, generate_series(0, 1) n`);
  await database.query(`insert into "Component" ("tenantId", id, "assetId", "parentId", position, level, path, name, type)
    select 'nested', r.id || '-' || n, r."assetId", r.id, n, 1, r.path || n || '.', 'Child ' || n, 'part' from "Component" r, generate_series(0, 3) n where r."tenantId" = 'nested'`);
  await database.query("vacuum analyze");
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const bare = http
    .createServer(async (_request, response) => {
      const { rows } = await pool.query({
        name: "nested",
        text: `select json_agg(json_build_object('id', a.id, 'name', a.name, 'components', (select json_agg(json_build_object('id', c.id, 'name', c.name,
            'children', (select json_agg(json_build_object('id', d.id, 'name', d.name)) from "Component" d where d."tenantId" = $1 and d."parentId" = c.id)))
          from "Component" c where c."tenantId" = $1 and c."assetId" = a.id and c.level = 0)))::text as json from "Asset" a where a."tenantId" = $1`,
        values: ["nested"],
      });
      response.setHeader("content-type", "application/json").end(rows[0].json);
    })
    .listen(0, "127.0.0.1");
  const query = "{ assets(first: 50) { nodes { id name components { nodes { id name children { nodes { id name } } } } } } }";
  try {
    return await compare(
      {
        gateway: () => tenant.graphql(query),
        "bare, one statement": async () => (await fetch(`http://127.0.0.1:${bare.address().port}/`)).text(),
      },
      200,
    );
  } finally {
    bare.close().closeAllConnections();
    await pool.end();
  }
}
