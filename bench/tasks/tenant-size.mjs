// Lists, counts and reports of a tenant with 800 assets and 8,000 movements, compared with 200,000 and 2,000,000: ms, and PostgreSQL blocks
// of 8 KB. Expected: pages take the same time; a report over all movements grows with them.
import pg from "pg";
import { loadTenant } from "../data.mjs";
import { newKey, onServer, urlOf } from "../database.mjs";
import { spawnGateway } from "../gateway.mjs";
import { closeConnections, median, send } from "../requests.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const movements = { components: 2, sites: 4, movements: 50 };
const sizes = {
  "800 assets": { assets: 800, parts: 40, ...movements },
  "200,000 assets": { assets: 200_000, parts: 10_000, ...movements },
};

const report = (type, filter = "") => `{ inventoryReport(reportType: ${type}${filter}) { content } }`;
const page = "totalCount pageInfo { endCursor } nodes";
const requests = {
  "a page of assets": "{ assets(first: 50) { nodes { id name } } }",
  "number of assets": "{ assets(first: 1) { totalCount } }",
  "an offset of 10,000": "{ assets(first: 50, offset: 10000) { nodes { id } } }",
  "sites with their numbers of assets": "{ sites { name assetCount } }",
  "stock that is low, none": "{ inventory(first: 50, filter: { lowStock: true }) { nodes { id } } }",
  "report movements": report("MOVEMENTS"),
  "report summary": report("SUMMARY"),
  "report abc_analysis": report("ABC_ANALYSIS"),
  "report turnover": report("TURNOVER"),
  "report aging": report("AGING"),
  "50 parts of abcAnalysis": `{ abcAnalysis { ${page} { partNumber class annualUsageValue percentage } } }`,
  "50 parts of stockTurnover": `{ stockTurnover { ${page} { partNumber issuedValue averageStockValue basisDays turnover daysOnHand } } }`,
};

/** Blocks that the database has read from memory and disk so far. A process reports its counters after a second of idle time. */
async function blocksOf(client) {
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { rows } = await client.query(
    `select pg_stat_clear_snapshot(), (select blks_hit + blks_read from pg_stat_database where datname = current_database())::float8 as blocks`,
  );
  return rows[0].blocks;
}

async function measure(size) {
  const name = `gateway_bench_${process.pid}_size`;
  await onServer(`create database ${name}`);
  const key = newKey(urlOf(name), "big");
  await loadTenant(urlOf(name), "big", size, { tree: false });
  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  const gateway = await spawnGateway(urlOf(name), { SCHEDULER: "false", DATABASE_CONNECTIONS: "1" });
  const found = {};
  try {
    for (const [request, query] of Object.entries(requests)) {
      const ask = () =>
        send(gateway.address, { method: "POST", path: "/graphql", headers: { authorization: `Bearer ${key}` }, body: { query } });
      const { length } = await ask();
      const before = await blocksOf(client);
      const took = [];
      for (let round = 0; round < rounds; round++) {
        const begun = performance.now();
        await ask();
        took.push(performance.now() - begun);
      }
      const blocks = ((await blocksOf(client)) - before) / rounds;
      found[request] = { ms: +median(took).toFixed(1), blocks: Math.round(blocks), KB: +(length / 1000).toFixed(1) };
    }
  } finally {
    closeConnections();
    await gateway.stop();
    await client.end();
    await onServer(`drop database ${name} with (force)`);
  }
  return found;
}

export default async function tenantSize() {
  const rows = {};
  for (const [label, size] of Object.entries(sizes))
    for (const [request, figures] of Object.entries(await measure(size)))
      rows[request] = {
        ...rows[request],
        ...Object.fromEntries(Object.entries(figures).map(([figure, value]) => [`${figure}, ${label}`, value])),
      };
  return rows;
}
