// Five tenants with one due plan each beside a tenant with a BACKLOG of 3,000 overdue plans. Measures when each tenant gets its order with
// 1 and with 4 processes, and how many procedures the processes lock for it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { readConfig } from "../../dist/config.js";
import { openDatabase } from "../../dist/database/connection/open.js";
import { ensureTenant } from "../../dist/database/records/directory.js";

const self = fileURLToPath(import.meta.url);
const backlog = Number(process.env.BACKLOG ?? 3_000);
const small = ["s1", "s2", "s3", "s4", "s5"];
const tenants = ["large", ...small];

/** Child process: runs the scheduler once per received time and reports how many procedures it tried to lock. */
async function schedule() {
  const { createDueWorkOrders } = await import(process.env.SCHEDULER_MODULE ?? "../../dist/background/scheduler.js");
  let locks = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (...args) {
    if (/"Procedure" .*for update skip locked/.test(args[0]?.text ?? args[0])) locks++;
    return query.apply(this, args);
  };
  const database = await openDatabase(readConfig(process.env), () => {});
  process.send("ready");
  const [now] = await once(process, "message");
  await createDueWorkOrders(database, new Date(now), (error) => console.error(error));
  process.send({ locks });
  await database.close();
  process.disconnect();
}

async function measure(databaseUrl, client, processes) {
  const now = new Date();
  await client.query(`truncate "SchedulerLease", "WorkOrder", "Procedure", "Asset" cascade`);
  for (const tenant of tenants) {
    const count = tenant === "large" ? backlog : 1;
    await client.query(
      `insert into "Asset" ("tenantId", id, name, type) select $1, 'a' || n, 'Asset ' || n, 'pump' from generate_series(1, $2::int) n`,
      [tenant, count],
    );
    // The large tenant's procedures have been due for longer.
    await client.query(
      `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue")
       select $1, 'p' || n, 'Lubricate ' || n, 'a' || n, 'monthly', $3, 0, $3 from generate_series(1, $2::int) n`,
      [tenant, count, new Date(now.getTime() - (tenant === "large" ? 2 : 1) * 3_600_000)],
    );
  }
  await client.query("vacuum analyze");
  const children = Array.from({ length: processes }, () =>
    fork(self, ["schedule"], { env: { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" } }),
  );
  await Promise.all(children.map((child) => once(child, "message")));
  const done = children.map((child) => once(child, "message"));
  for (const child of children) child.send(now.toISOString());
  const locks = (await Promise.all(done)).reduce((sum, [message]) => sum + message.locks, 0);
  const { rows } = await client.query(
    `select extract(epoch from max(w."createdAt") - (select min("createdAt") from "WorkOrder"))::float8 as seconds,
       (select count(*)::int from "WorkOrder" l where l."tenantId" = 'large' and l."createdAt" < max(w."createdAt")) as before from "WorkOrder" w where w."tenantId" = any($1)
     group by w."tenantId" order by seconds`,
    [small],
  );
  const made = await client.query(
    `select count(*)::int as made, count(distinct ("tenantId", "procedureId"))::int as plans from "WorkOrder"`,
  );
  return {
    "seconds to each order": rows.map(({ seconds }) => +seconds.toFixed(1)).join(", "),
    "of the large tenant before": rows.map(({ before }) => before).join(", "),
    ...made.rows[0],
    locks,
  };
}

export default async function schedulerTurns({ databaseUrl }) {
  const database = await openDatabase(readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" }), () => {});
  for (const tenant of tenants) await ensureTenant(database, tenant);
  await database.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return { "1 process": await measure(databaseUrl, client, 1), "4 processes": await measure(databaseUrl, client, 4) };
  } finally {
    await client.end();
  }
}

if (process.argv[2] === "schedule") await schedule();
