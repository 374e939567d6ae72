// A scheduler run with 100 of 100,000 procedures due, compared with 100 of 1,000; half of them are for further assets. The time must depend
// on the due procedures only. Expected: ratio below 1.3.
import pg from "pg";
import { createDueWorkOrders, dueAssets } from "../../dist/background/scheduler.js";
import { readConfig } from "../../dist/config.js";
import { openDatabase } from "../../dist/database/connection/open.js";
import { ensureTenant } from "../../dist/database/records/directory.js";
import { onServer } from "../database.mjs";
import { median } from "../requests.mjs";

const due = 100;
const rounds = Number(process.env.ROUNDS ?? 15);
const now = new Date();

/**
 * One procedure per asset, and half as many covered assets. One procedure in ten has a completed order, one in 500 a pending overdue order.
 */
async function load(client, count) {
  const run = async (text, ...values) => {
    await client.query(text, values);
    await client.query("analyze");
  };
  await run(
    `insert into "Asset" ("tenantId", id, name, type, site) select 'scheduler', 'a' || n, 'Asset ' || n, 'pump', 'site ' || n % 10 from generate_series(1, $1::int) n`,
    count,
  );
  const at = `case when n <= ${due / 2} then $2::timestamptz - interval '1 hour' when n % 500 = 0 then $2::timestamptz - interval '1 day' else $2::timestamptz + interval '10 days' + n % 700 * interval '1 hour' end`;
  await run(
    `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue", "schedulingRules")
     select 'scheduler', 'p' || n, 'Lubricate ' || n, 'a' || n, 'monthly', ${at}, 0, ${at}, case when n % 3 = 0 then '{"leadTime": 7}'::jsonb end from generate_series(1, $1::int) n`,
    count,
    now,
  );
  await run(
    `insert into "ProcedureAsset" ("tenantId", "procedureId", "assetId", anchor, "anchorSteps", "nextDue")
     select 'scheduler', 'p' || n, 'a' || n % $1::int + 1, ${at}, 0, ${at} from generate_series(1, $1::int / 2) n`,
    count,
    now,
  );
  await run(
    `insert into "WorkOrder" ("tenantId", id, "procedureId", "planAssetId", occurrence, "assetId", origin, title, status, priority, "scheduledDate", "completedAt", "endedAt", "createdBy")
     select 'scheduler', 'w' || n || '-' || plan, 'p' || n, plan, case when n % 500 = 0 then 1 end, 'a' || n, 'scheduler', 'Lubricate', case when n % 500 = 0 then 'scheduled' else 'completed' end, 'medium', $2, ended, ended, 'bench'
     from generate_series(10, $1::int, 10) n, lateral (select case when n % 500 <> 0 then $2::timestamptz end as ended) e,
       lateral (select '' as plan union all select 'a' || n % $1::int + 1 where n % 500 = 0 and n <= $1::int / 2) l where n > ${due / 2}`,
    count,
    now,
  );
  await client.query("vacuum");
}

/** Undoes a run, so that the same procedures are due again. */
const undo = (client) =>
  client.query(
    `update "WorkOrder" set status = 'cancelled', "endedAt" = now(), occurrence = null where "endedAt" is null and "createdBy" <> 'bench'`,
  );

async function subject(databaseUrl, count) {
  const database = await openDatabase(readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" }), () => {});
  await ensureTenant(database, "scheduler");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await load(client, count);
  const run = async () => {
    const begun = performance.now();
    const made = await createDueWorkOrders(database, now, (error) => {
      throw error;
    });
    const ms = performance.now() - begun;
    if (made !== due) throw new Error(`${made} of ${due} work orders`);
    await undo(client);
    return ms;
  };
  const explain = async () => {
    const { rows } = await client.query(`explain (analyze, buffers, costs off, timing off) ${dueAssets}`, [
      "scheduler",
      now,
      "-infinity",
      "",
      "",
      25,
    ]);
    return rows.map((row) => row["QUERY PLAN"]);
  };
  return { run, explain, close: () => Promise.all([client.end(), database.close()]) };
}

export default async function scheduler({ databaseUrl }) {
  const other = new URL(databaseUrl);
  other.pathname += "_small";
  await onServer(`create database ${other.pathname.slice(1)}`);
  const subjects = [];
  try {
    for (const [url, count] of [
      [databaseUrl, 100_000],
      [other.href, 1_000],
    ])
      subjects.push(await subject(url, count));
    const [large, small] = subjects;
    const times = { large: [], small: [] };
    for (let round = -2; round < rounds; round++) {
      const [one, two] = [await large.run(), await small.run()];
      if (round < 0) continue;
      times.large.push(one);
      times.small.push(two);
    }
    console.log((await large.explain()).join("\n"));
    const row = (list) => ({ ms: +median(list).toFixed(1), ratio: +median(list.map((time, i) => time / times.small[i])).toFixed(2) });
    return { "100 due of 100,000 and 50,000": row(times.large), "100 due of 1,000 and 500": row(times.small) };
  } finally {
    await Promise.all(subjects.map(({ close }) => close()));
    await onServer(`drop database ${other.pathname.slice(1)} with (force)`);
  }
}
