/**
 * Each index of `WorkOrder` has a query that uses it, or a write that it refuses. Every write of an order updates most of them.
 * `WORK_ORDERS=200000` sets the number of orders, and prints the blocks that each query reads with and without its index.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { recordStatements, type Sent } from "./explained.js";

const record = recordStatements(() => gateway.config.DATABASE_URL!);
const gateway = await startGateway();
const isPostgresql = gateway.database.kind === "postgresql";
const count = Number(process.env.WORK_ORDERS ?? 20_000);

const client = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
let big: Caller;

/** Queries by index: a GraphQL document, or the SQL of a trigger. */
const queries: Record<string, string | { sql: string }> = {
  WorkOrder_pkey: '{ workOrder(id: "w77") { title } }',
  WorkOrder_tenantId_createdAt_id_idx: "{ workOrders(first: 20) { nodes { title } } }",
  WorkOrder_tenantId_status_createdAt_id_idx: "{ workOrders(first: 20, filter: { status: [CLOSED] }) { nodes { title } } }",
  WorkOrder_pending_idx: "{ workOrders(first: 20, filter: { pending: true }, orderBy: { field: SCHEDULED_DATE }) { nodes { title } } }",
  WorkOrder_tenantId_scheduledDate_id_idx: `{ workOrders(first: 20, filter: { scheduledFrom: "2026-03-01T00:00:00Z", scheduledUntil: "2026-03-08T00:00:00Z" }, orderBy: { field: SCHEDULED_DATE }) { nodes { title } } }`,
  WorkOrder_tenantId_assetId_createdAt_id_idx: '{ asset(id: "a77") { workOrders(first: 20) { nodes { title } } } }',
  WorkOrder_tenantId_assigneeId_createdAt_id_idx: '{ workOrders(first: 20, filter: { assigneeId: "rare" }) { nodes { title } } }',
  WorkOrder_tenantId_completedAt_idx: `{ workOrders(first: 20, filter: { completedAt: { from: "2026-03-01T00:00:00Z", until: "2026-03-02T00:00:00Z" } }, orderBy: { field: COMPLETED_AT }) { nodes { title } } }`,
  WorkOrder_tenantId_componentId_idx: '{ component(id: "c77") { workOrderIds } }',
  WorkOrder_tenantId_notificationId_idx: '{ notification(id: "n77") { workOrders { title } } }',
  WorkOrder_occurrence_key: '{ procedure(id: "p78") { history { executedDate } performance { averageDuration } } }',
  WorkOrder_pending_plan_key: `{ previewSchedule(procedureId: "p77", from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z") { dueAt } }`,
  WorkOrder_tenantId_followUpOfId_idx: '{ workOrder(id: "w500") { followUps { title } } }',
  WorkOrder_externalId_key: '{ workOrders(filter: { externalId: "ext 77" }) { nodes { title } } }',
  WorkOrder_tenantId_searchText_idx: '{ search(text: "gearbox 4177") { title } }',
  // The guard of isolated assets (migration "steps").
  WorkOrder_isolated_idx: {
    sql: `select w.id from "WorkOrder" w where w."tenantId" = $1 and w."assetId" = 'a103' and w."isolatedBy" is not null order by w.id limit 1`,
  },
};

/** Indexes that no query needs, by the columns of two pending orders that they refuse. */
const guards: Record<string, Record<string, unknown>> = {
  WorkOrder_alertId_key: { notificationId: "n1", alertId: "n1" },
  WorkOrder_pending_followUp_key: { followUpOfId: "w1", followUpOfStep: 1 },
};

const perTenant = (sql: string) => `select t.id as "tenantId", n from (values ($1::text, ${count})) t(id, size), ${sql}`;

const rows = [
  `insert into "Asset" ("tenantId", id, name, type) select "tenantId", 'a' || n, 'Asset ' || n, 'pump' from (${perTenant("generate_series(0, 1999) n")}) r`,
  `insert into "Component" ("tenantId", id, "assetId", name, type, position, level, path) select "tenantId", 'c' || n, 'a' || n, 'Component', 'x', 0, 0, 'c' || n from (${perTenant("generate_series(0, 1999) n")}) r`,
  `insert into "Part" ("tenantId", id, "partNumber", name) select "tenantId", 'part', 'N', 'Part' from (${perTenant("generate_series(0, 0) n")}) r`,
  `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue", occurrence) select "tenantId", 'p' || n, 'Procedure', 'a' || n, 'monthly', now() - interval '1 year', 12, now() + n % 400 * interval '1 day', 1000
   from (${perTenant("generate_series(0, 1999) n")}) r`,
  `insert into "ProcedurePart" ("tenantId", "procedureId", "partId", quantity, position) select "tenantId", 'p' || n, 'part', 1, 0 from (${perTenant("generate_series(0, 1999) n")}) r`,
  `insert into "Notification" ("tenantId", id, "companyName", "assetId", "timestamp", type, severity, title, message, "createdBy")
   select "tenantId", 'n' || n, 'x', 'a' || n, now(), 'threshold', 'warning', 'Hot', 'Hot', 'x' from (${perTenant("generate_series(0, 1999) n")}) r`,
  // Half of the latest orders are pending, and some of these isolate their asset. One in a hundred is a follow-up.
  `insert into "WorkOrder" ("tenantId", id, "procedureId", "planAssetId", occurrence, "assetId", "componentId", "notificationId", origin, type, title, "searchText", status, priority, "scheduledDate",
     "startedAt", "completedAt", "endedAt", duration, "assigneeId", "followUpOfId", "followUpOfStep", "isolatedBy", "externalId", "createdBy", "createdAt")
   select tenant, 'w' || n, case when n % 2 = 0 then 'p' || n % 2000 end, '', case when n % 2 = 0 then n / 2000 end, 'a' || n % 2000, case when n % 5 = 0 then 'c' || n % 2000 end,
     case when n % 10 = 7 then 'n' || n % 2000 end, 'manual', 'corrective', 'Gearbox ' || n, 'gearbox ' || n,
     case when n % 2 = 0 or n >= size / 50 then case when n < size / 20 then 'closed' else 'completed' end when n % 4 = 1 then 'scheduled' else 'on_hold' end, 'medium', at, at, case when n % 2 = 0 or n >= size / 50 then at + interval '1 day' end,
     case when n % 2 = 0 or n >= size / 50 then at + interval '1 day' end, 30, case when n % 4 = 0 then case when n % 5000 = 4 then 'rare' else 'person' || n % 40 end end,
     case when n % 100 = 50 then 'w' || n - n % 1000 end, case when n % 100 = 50 then n end, case when n % 100 = 3 and n < size / 50 then 'x' end, case when n % 3 = 0 then 'ext ' || n end, 'x', at
   from (select tenant, size, n, now() - n * interval '20 minutes' as at
     from (select $1::text as tenant, ${count} as size union all select 'other ' || i, ${Math.ceil(count / 40)} from generate_series(1, 20) i) t, generate_series(0, size - 1) n) o`,
];

beforeAll(async () => {
  if (!isPostgresql) return;
  big = await gateway.newTenant();
  await client.connect();
  await client.query("set session_replication_role = replica");
  for (const sql of rows) await client.query(sql, [big.tenantId]);
  await client.query("vacuum analyze");
}, 600_000);

afterAll(() => client.end());

/** The indexes in a plan of the statement for its values, and the blocks that it reads. */
async function planOf({ text, values }: Sent): Promise<{ indexes: Set<string>; blocks: number }> {
  const literals = values.map((value) => {
    const sent = (pg as any).utils.prepareValue(value);
    return sent === null ? "null" : pg.escapeLiteral(String(sent));
  });
  await client.query(`prepare shown as ${text}`);
  const call = literals.length ? `shown(${literals.join(", ")})` : "shown";
  const explained = await client
    .query(`explain (analyze, buffers, format json) execute ${call}`)
    .finally(() => client.query("deallocate shown"));
  const [{ Plan: plan }] = explained.rows[0]["QUERY PLAN"];
  const indexes = new Set<string>();
  const visit = (node: any) => {
    if (node["Index Name"] && node["Actual Loops"]) indexes.add(node["Index Name"]);
    for (const child of node.Plans ?? []) visit(child);
  };
  visit(plan);
  return { indexes, blocks: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] };
}

const statementsOf = async (query: string | { sql: string }): Promise<Sent[]> =>
  typeof query === "string"
    ? (await record(() => big.ask(query))).filter(({ text }) => /"WorkOrder"/.test(text) && /^\s*(select|with|\/\*)/i.test(text))
    : [{ text: query.sql, values: [big.tenantId] }];

describe.runIf(isPostgresql)("every index of work orders is needed", () => {
  test("each has a query or guards a rule", async () => {
    const { rows: found } = await client.query(`select indexname from pg_indexes where tablename = 'WorkOrder' order by 1`);
    expect(found.map(({ indexname }) => indexname)).toEqual([...Object.keys(queries), ...Object.keys(guards)].sort());
  });

  test.each(Object.entries(queries))("%s is used by %j", async (index, query) => {
    const sent = await statementsOf(query);
    const used = new Set<string>();
    let blocks = 0;
    for (const one of sent) {
      const plan = await planOf(one);
      for (const name of plan.indexes) used.add(name);
      blocks += plan.blocks;
    }
    if (process.env.WORK_ORDERS) {
      await client.query(`begin; alter table "WorkOrder" drop constraint if exists "${index}" cascade; drop index if exists "${index}"`);
      let without = 0;
      for (const one of sent) without += (await planOf(one)).blocks;
      await client.query("rollback");
      console.log(`| ${index} | ${blocks} | ${without} |`);
    }
    expect([...used].sort()).toContain(index);
  });

  // Half of the latest 400 orders of 20,000. Oldest first, all older orders would be read in vain.
  test.each(["[ON_HOLD]", "[SCHEDULED, IN_PROGRESS, ON_HOLD]"])(
    "pending orders with status %s are found among the pending ones",
    async (status) => {
      const [sent] = await statementsOf(`{ workOrders(first: 20, filter: { status: ${status} }) { nodes { title } } }`);
      const { indexes, blocks } = await planOf(sent!);
      expect([...indexes]).not.toContain("WorkOrder_tenantId_createdAt_id_idx");
      expect(blocks).toBeLessThan(300);
    },
  );

  test.each(Object.entries(guards))("%s refuses a second pending order", async (index, columns) => {
    const insert = (id: string) =>
      client.query(
        `insert into "WorkOrder" select (jsonb_populate_record(w, $2::jsonb)).* from "WorkOrder" w where "tenantId" = $1 and id = 'w1'`,
        [big.tenantId, JSON.stringify({ ...columns, id, externalId: null, procedureId: null, occurrence: null })],
      );
    await insert(`first of ${index}`);
    await expect(insert(`second of ${index}`)).rejects.toMatchObject({ code: "23505", constraint: index });
  });
});
