// Adjustments by 16 clients, compared with a bare Node server that runs the same statement. Then history pages and reports by ledger size.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import pg from "pg";
import { forTenant } from "../../dist/database/database.js";
import { inventoryReport } from "../../dist/domain/inventory/reports/reports.js";

const clients = 16;
const perRound = 480;

/** Starts a child process that sends requests from concurrent clients on keep-alive connections. */
function startLoad() {
  const child = fork(new URL("../load.mjs", import.meta.url));
  const run = async (load) => {
    child.send(load);
    const [{ error }] = await once(child, "message");
    if (error) throw new Error(error);
  };
  return { run, end: () => child.disconnect() };
}

/** Captures the statement that the gateway runs for one adjustment. */
async function statementOf(tenant, partId) {
  const query = pg.Client.prototype.query;
  let captured;
  pg.Client.prototype.query = function (config, ...rest) {
    if (/"StockMovement"/.test(config?.text ?? "")) captured = { text: config.text, values: config.values };
    return query.call(this, config, ...rest);
  };
  try {
    const body = JSON.stringify({ adjustmentType: "correction", quantity: 1, reason: "counted" });
    const response = await fetch(`${tenant.address}/inventory/${partId}/adjustments`, { method: "POST", headers: tenant.headers, body });
    if (!response.ok) throw new Error(await response.text());
  } finally {
    pg.Client.prototype.query = query;
  }
  return captured;
}

async function bareServer(databaseUrl, statement, connections) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  let number = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", async () => {
      try {
        const { quantity, reason } = JSON.parse(body);
        const partId = request.url.split("/")[2];
        const [entry] = JSON.parse(statement.values[1]);
        const id = `bare-${++number}`;
        const values = [...statement.values];
        values[1] = JSON.stringify([{ ...entry, id, adjustmentId: id, partId, quantity, reason }]);
        const { rows } = await pool.query({ name: "post", text: statement.text, values });
        response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(rows[0].adjustment));
      } catch (error) {
        response.writeHead(500).end(error.message);
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    end: async () => {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}

/** Inserts 100 parts with alternating receipts and issues over two years. */
const generate = (database, tenantId, movements) =>
  database
    .query(
      `insert into "Part" ("tenantId", id, "partNumber", name, category, "unitCost")
       select $1, 'p' || n, 'P-' || n, 'Part ' || n, 'C' || n % 10, 2 from generate_series(1, 100) n`,
      [tenantId],
    )
    .then(() =>
      database.query(
        `insert into "StockLevel" ("tenantId", "partId", site, quantity, value, sequence, "valuedSequence", "unitCost")
         select $1, 'p' || n, 'main', 10, 20, $2::int / 100, $2::int / 100, 2 from generate_series(1, 100) n`,
        [tenantId, movements],
      ),
    )
    .then(() =>
      database.query(
        `insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue",
           value, "valueBalance", "performedBy", "performedByName", "performedAt")
         select $1, 'm' || n, 'p' || 1 + n % 100, 'main', 1 + n / 100, case when n / 100 % 2 = 0 then 'receipt' else 'issue' end, q, b - q, b, 0, 2, 2 * q, 2 * q, 2 * b, 'bench', 'bench', now() - interval '730 days' * (1 - n::float / $2)
         from generate_series(0, $2::int - 1) n, lateral (select case when n < 100 then 15 when n / 100 % 2 = 0 then 5 else -5 end as q, case when n / 100 % 2 = 0 then 15 else 10 end as b) s
         order by n`,
        [tenantId, movements],
      ),
    );

export default async function ledger({ database, newTenant, compare, databaseUrl }) {
  const rows = {};
  const tenant = await newTenant("ledger");
  await database.query(
    `insert into "Part" ("tenantId", id, "partNumber", name) select 'ledger', 'p' || n, 'P-' || n, 'Part ' || n from generate_series(1, 100) n`,
  );
  await database.query(
    `insert into "StockLevel" ("tenantId", "partId", site) select 'ledger', 'p' || n, 'main' from generate_series(1, 100) n`,
  );
  const statement = await statementOf(tenant, "p1");
  const bare = await bareServer(databaseUrl, statement, Number(process.env.DATABASE_CONNECTIONS ?? 10));
  const loads = startLoad();
  const paths = Array.from({ length: 100 }, (_, n) => `/inventory/p${1 + n}/adjustments`);
  const body = JSON.stringify({ adjustmentType: "correction", quantity: 1, reason: "counted" });
  const loadOn = (address) => () => loads.run({ address, paths, headers: tenant.headers, body, status: 201, count: perRound, clients });
  // A ratio below 2 means more than half the rate of the bare server.
  const rates = await compare(
    { [`${perRound} adjustments`]: loadOn(tenant.address), [`${perRound} by a bare server`]: loadOn(bare.address) },
    15,
  );
  loads.end();
  await bare.end();
  for (const [name, { ms, ratio }] of Object.entries(rates)) rows[name] = { ms, ratio, perSecond: Math.round((perRound / ms) * 1000) };

  const [few, many] = [await newTenant("few"), await newTenant("many")];
  // A separate connection, because the pool has a statement timeout.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await generate(client, "few", 1_000);
  await generate(client, "many", 1_000_000);
  await database.query("vacuum analyze");
  const middleCursor = async ({ graphql }) => {
    const query = `query ($n: Int) { stockMovements(first: 1, offset: $n) { pageInfo { endCursor } } }`;
    return JSON.parse(await graphql(query, { n: 500 })).data.stockMovements.pageInfo.endCursor;
  };
  const page =
    ({ graphql }, cursor) =>
    () =>
      graphql(
        "query ($c: String) { stockMovements(first: 100, after: $c) { nodes { id quantity newBalance performedAt } pageInfo { endCursor } } }",
        {
          c: cursor,
        },
      );
  const [inFew, inMany] = [await middleCursor(few), await middleCursor(many)];
  const pages = await compare({ "page after 500 of 1,000,000": page(many, inMany), "page after 500 of 1,000": page(few, inFew) });
  const history =
    ({ get }, id) =>
    () =>
      get(`/inventory/${id}/history?limit=10`);
  const histories = await compare({ "REST history of 10,000": history(many, "p1"), "REST history of 10": history(few, "p1") });
  Object.assign(rows, pages, histories);

  const lastYear = new Date(Date.now() - 365 * 86_400_000);
  const reports = ["summary", "movements", "abc_analysis", "turnover", "aging"].map((type) => [type, {}, ""]);
  reports.push(["summary", { endDate: lastYear }, `&endDate=${lastYear.toISOString()}`]);
  for (const [type, filter, query] of reports) {
    let captured;
    const recorder = {
      query: async (text, ...values) => {
        captured = { text, values: ["many", ...values] };
        return [{ content: {} }];
      },
    };
    await inventoryReport({ ...forTenant(database, "many"), ...recorder }, type, filter);
    const title = query ? `${type} of a year ago` : type;
    const [service, hand] = [`report ${title}`, `${title} by hand`];
    Object.assign(
      rows,
      await compare(
        {
          [service]: () => many.get(`/inventory/reports?reportType=${type}${query}`),
          [hand]: () => client.query({ name: title, ...captured }),
        },
        5,
        1,
      ),
    );
  }
  await client.end();
  return rows;
}
