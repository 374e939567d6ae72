// Measures the cost of requests, the scheduler and the outbox beside 10, 100 and 1,000 tenants. Writes the section "Tenants" of
// docs/performance.md.
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { createDueWorkOrders } from "../dist/background/scheduler.js";
import { readConfig } from "../dist/config.js";
import { openDatabase } from "../dist/database/connection/open.js";
import { queueEvents } from "../dist/domain/alerts/webhook-events.js";
import { newKey, onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";
import { rounded } from "./report.mjs";
import { closeConnections, load, median, send } from "./requests.mjs";

const steps = [10, 100, 1_000];

/** Tenants from $1 to $2, each with assets, components, procedures that are not due, readings and a webhook. */
const neighbours = [
  `insert into "Tenant" ("tenantId") select 'n' || t from generate_series($1::int, $2::int) t`,
  `insert into "Asset" ("tenantId", id, name, type, site, area) select 'n' || t, 'a' || n, 'Asset ' || n, 'pump', 'Site ' || n % 2, 'Area ' || n % 4
   from generate_series($1::int, $2::int) t, generate_series(1, 20) n`,
  `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type) select 'n' || t, 'c' || n, 'a' || 1 + n % 20, n, 0, n || '.', 'Motor', 'motor'
   from generate_series($1::int, $2::int) t, generate_series(1, 40) n`,
  `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue")
   select 'n' || t, 'p' || n, 'Lubricate', 'a' || n, 'monthly', now() - interval '1 year', 0, now() + n * interval '20 days' from generate_series($1::int, $2::int) t, generate_series(1, 5) n`,
  `insert into "Reading" ("tenantId", "assetId", parameter, value, "recordedAt", "recordedBy")
   select 'n' || t, 'a' || 1 + n % 20, 'heat', n, now() - n * interval '1 minute', 'x' from generate_series($1::int, $2::int) t, generate_series(1, 50) n`,
  `insert into "Webhook" ("tenantId", id, url, events, secret, "createdBy")
   select 'n' || t, 'h', 'https://example.org', array['work_order.created'], 'x', 'x' from generate_series($1::int, $2::int) t`,
];

/** CPU nanoseconds used by all threads of each process. Linux only. */
function usedBy(pids) {
  const used = new Map();
  for (const pid of pids)
    try {
      const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
      used.set(
        pid,
        threads.reduce((sum, line) => sum + Number(line.split(" ")[0]), 0),
      );
    } catch {
      // The thread exited in the meantime.
    }
  return used;
}

/** Requests of one client of one tenant, as [name, request of the i-th iteration]. */
async function requestsOf(address, headers) {
  const post = async (path, body) => JSON.parse(await send(address, { method: "POST", path, body, headers }));
  const assets = await Promise.all(
    Array.from({ length: 120 }, (_, i) => post("/assets", { name: `Asset ${i}`, type: "pump", site: "North" })),
  );
  const { partId } = await post("/parts", { partNumber: "P", name: "P", stockLevel: 1_000_000 });
  const body = { adjustmentType: "loss", quantity: -1 };
  return {
    "an asset by id": (i) => ({ path: `/assets/${assets[i % assets.length].id}`, headers }),
    "a list of 100": () => ({ path: "/assets?limit=100", headers }),
    "a stock adjustment": () => ({ method: "POST", path: `/inventory/${partId}/adjustments`, body, headers }),
  };
}

/** Milliseconds by activity, for each step. */
export async function tenants({ rounds, seconds }) {
  const name = `gateway_bench_${process.pid}_tenants`;
  const opened = [];
  try {
    await onServer(`create database ${name}`);
    const headers = { authorization: `Bearer ${newKey(urlOf(name), "big")}` };
    const gateway = await spawnGateway(urlOf(name), { WEBHOOK_POLL_MS: "3600000" });
    opened.unshift(() => gateway.stop());
    const client = new pg.Client({ connectionString: urlOf(name) });
    await client.connect();
    opened.unshift(() => client.end());
    const database = await openDatabase(readConfig({ DATABASE_URL: urlOf(name), LOG_LEVEL: "silent" }), () => {});
    opened.unshift(() => database.close());
    const requests = await requestsOf(gateway.address, headers);
    const fail = (error) => {
      throw error;
    };
    const schedule = () => createDueWorkOrders(database, new Date(), fail);

    /** CPU milliseconds, including PostgreSQL's, while `work` runs. */
    const cost = async (pid, work) => {
      const pids = async () => {
        const { rows } = await client.query(
          "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
        return [pid, ...rows.map((row) => row.pid)];
      };
      const before = usedBy(await pids());
      await work();
      let sum = 0;
      for (const [id, used] of usedBy(await pids())) sum += used - (before.get(id) ?? 0);
      return sum / 1e6;
    };
    const costOfTurns = async (turns, work) => {
      // The first iteration plans and compiles.
      await work();
      const run = async () => {
        for (let i = 0; i < turns; i++) await work();
      };
      return (await cost(process.pid, run)) / turns;
    };

    const measure = async (step, count) => {
      const row = {};
      for (const [what, requestOf] of Object.entries(requests)) {
        const ask = async () => (await load(gateway.address, requestOf, { clients: 1, seconds: rounds * seconds, least: 200 })).took.length;
        await ask();
        let asked = 0;
        const used = await cost(gateway.pid, async () => {
          asked = await ask();
        });
        row[what] = used / asked;
      }
      row["a run of the scheduler, nothing due"] = await costOfTurns(20 * rounds, schedule);
      const orders = [];
      // Each iteration makes a procedure of another tenant due. Each step uses its own procedures.
      for (let i = 0; i < 10; i++) {
        await client.query(`update "Procedure" set "nextDue" = now() - interval '1 hour' where "tenantId" = $1 and id = $2`, [
          `n${1 + i}`,
          `p${1 + step}`,
        ]);
        let made;
        orders.push(
          await cost(process.pid, async () => {
            made = await schedule();
          }),
        );
        if (made !== 1) throw new Error(`${made} work orders were made, and one was due`);
        await client.query(`update "WorkOrder" set status = 'completed', "endedAt" = now(), "completedAt" = now() where "endedAt" is null`);
        await client.query(`update "Procedure" set "nextDue" = now() + interval '30 days' where "nextDue" < now()`);
      }
      row["the same, one due"] = median(orders);
      row["the outbox of three tenants that wrote"] = await costOfTurns(10 * rounds, () => queueEvents(database, ["n1", "n2", "n3"]));
      row["the outbox, of all, for each tenant"] = (await costOfTurns(rounds, () => queueEvents(database))) / count;
      return row;
    };
    const figures = [];
    for (const [step, count] of steps.entries()) {
      for (const sql of neighbours) await client.query(sql, [1 + (steps[step - 1] ?? 0), count]);
      await client.query("vacuum analyze");
      await queueEvents(database);
      figures.push(await measure(step, count));
    }
    return figures;
  } finally {
    closeConnections();
    for (const close of opened) await close();
    await onServer(`drop database if exists ${name} with (force)`);
  }
}

/** The section of docs/performance.md. */
export function tenantsReport(figures) {
  const [few] = figures;
  const rows = Object.keys(few).map(
    (what) => `| ${what} | ${figures.map((row) => rounded(row[what])).join(" | ")} | ${rounded(figures.at(-1)[what] / few[what])} |`,
  );
  return `## Tenants

One tenant with 120 assets shares the database with others, each with 20 assets, 40 components, 5 procedures, 50 readings and a webhook.
Times are milliseconds of CPU time per request of one client or run of a job, for Node and PostgreSQL together.
Other work on the machine changes CPU time little.

| | ${steps.map((count) => `${count.toLocaleString("en")} tenants`).join(" | ")} | ratio |
|---|${steps.map(() => "---|").join("")}---|
${rows.join("\n")}
`;
}
