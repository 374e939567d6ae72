// GET /components/tree/{id} of 10,000 nodes against a bare http server that sends the same rows with one statement. Expected: ratio at most 2.
import http from "node:http";
import pg from "pg";
import { forTenant } from "../../dist/database/database.js";
import { createBranches, treeTransaction } from "../../dist/domain/components/tree.js";

const branch = (depth) => ({
  fields: { name: `Component ${depth}`, type: "part" },
  children: depth ? Array.from({ length: 10 }, () => branch(depth - 1)) : [],
});

export default async function tree({ database, newTenant, compare, databaseUrl }) {
  const tenant = await newTenant("tree");
  const [root] = await treeTransaction(forTenant(database, "tree"), (tx) => createBranches(tx, { keyId: "bench" }, {}, [branch(4)]));
  await database.query("vacuum analyze");
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const bare = http
    .createServer(async (_request, response) => {
      const { rows } = await pool.query({
        name: "tree",
        text: `with recursive t as (select id, name, type, level, "parentId" from "Component" where "tenantId" = $1 and id = $2
          union all select c.id, c.name, c.type, c.level, c."parentId" from t join "Component" c on c."tenantId" = $1 and c."parentId" = t.id and c."deletedAt" is null)
          select * from t`,
        values: ["tree", root.id],
      });
      response.setHeader("content-type", "application/json").end(JSON.stringify(rows));
    })
    .listen(0, "127.0.0.1");
  const prefix = http
    .createServer(async (_request, response) => {
      const { rows } = await pool.query({
        name: "prefix",
        text: `select c.id, c.name, c.type, c.level, c."parentId" from "Component" r join "Component" c on c."tenantId" = $1
          and left(c.path, 1000) between left(r.path, 1000) and left(r.path, 1000) || '~' and c."deletedAt" is null where r."tenantId" = $1 and r.id = $2`,
        values: ["tree", root.id],
      });
      response.setHeader("content-type", "application/json").end(JSON.stringify(rows));
    })
    .listen(0, "127.0.0.1");
  const get = (server) => async () => (await fetch(`http://127.0.0.1:${server.address().port}/`)).text();
  try {
    return await compare({
      gateway: () => tenant.get(`/components/tree/${root.id}`),
      "bare, recursive": get(bare),
      "bare, path range": get(prefix),
    });
  } finally {
    bare.close().closeAllConnections();
    prefix.close().closeAllConnections();
    await pool.end();
  }
}
