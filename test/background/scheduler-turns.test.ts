/** Sharing of scheduler time between tenants, and of tenants between processes (docs/operations/scale.md, "Several processes"). */
import { expect, test } from "vitest";
import { createDueWorkOrders, turnSize } from "../../src/background/scheduler.js";
import { recordStatements } from "../database/explained.js";
import { type Caller, onPostgresql, startGateway } from "../world.js";

const record = recordStatements(() => gateway.config.DATABASE_URL!);
const gateway = await startGateway();
const { database } = gateway;

const now = new Date("2031-05-01T12:00:00Z");
const run = (at = now) =>
  createDueWorkOrders(database, at, (error) => {
    throw error;
  });

/** A tenant with daily plans that have been due since 8:00, each with its own asset. */
async function tenantWith(plans: number): Promise<Caller> {
  const tenant = await gateway.newTenant();
  await database.query(
    `insert into "Asset" ("tenantId", id, name, type) select $1, 'a' || n, 'Asset ' || n, 'pump' from generate_series(1, $2::int) n`,
    [tenant.tenantId, plans],
  );
  await database.query(
    `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue")
     select $1, 'p' || n, 'Check ' || n, 'a' || n, 'daily', $3, 0, $3 from generate_series(1, $2::int) n`,
    [tenant.tenantId, plans, new Date("2031-05-01T08:00:00Z")],
  );
  return tenant;
}

const ordersOf = async ({ tenantId }: Caller) =>
  (await database.query<{ id: string }>(`select id from "WorkOrder" where "tenantId" = $1 order by id`, [tenantId])).map(({ id }) => id);
const plansInIndex = async ({ tenantId }: Caller) =>
  (await database.query(`select id from "Procedure" where "tenantId" = $1 and "dueFrom" is not null`, [tenantId])).length;
const lease = async ({ tenantId }: Caller, seconds: number) =>
  void (await database.query(
    `insert into "SchedulerLease" ("tenantId", holder, "leasedUntil") values ($1, 'another process', clock_timestamp() + $2 * interval '1 second')
     on conflict ("tenantId") do update set holder = excluded.holder, "leasedUntil" = excluded."leasedUntil"`,
    [tenantId, seconds],
  ));

test("a tenant with many overdue plans waits after each turn until all others had theirs", async () => {
  const large = await tenantWith(2 * turnSize + 1);
  const small = await Promise.all(Array.from({ length: 5 }, () => tenantWith(1)));
  // Marks the small tenants as just served, so the large tenant comes first.
  for (const { tenantId } of small)
    await database.query(`insert into "SchedulerLease" ("tenantId", "servedAt") values ($1, clock_timestamp())`, [tenantId]);
  expect(await run()).toBe(2 * turnSize + 6);
  const made = await ordersOf(large);
  expect(made).toHaveLength(2 * turnSize + 1);
  for (const tenant of small) {
    const [order, ...others] = await ordersOf(tenant);
    expect(others).toEqual([]);
    // Ids sort by creation.
    expect(order! > made[turnSize - 1]! && order! < made[turnSize]!).toBe(true);
  }
});

test("a tenant that another process serves is left to it until the lease ends, also after a kill", async () => {
  const [held, free] = [await tenantWith(1), await tenantWith(1)];
  // A longer lease would date from before the database's clock was set back.
  await lease(held, 55);
  expect(await run()).toBe(1);
  expect([await ordersOf(held), await ordersOf(free)]).toEqual([[], [expect.any(String)]]);
  await lease(held, -1);
  expect(await run()).toBe(1);
  expect(await ordersOf(held)).toHaveLength(1);
  const [{ holder, ended }] = (await database.query(
    `select holder, "leasedUntil" <= clock_timestamp() as ended from "SchedulerLease" where "tenantId" = $1`,
    [held.tenantId],
  )) as [{ holder: string; ended: boolean }];
  expect([holder === "another process", ended]).toEqual([false, true]);
});

test("a tenant that is suspended gets no turn", async () => {
  const tenant = await tenantWith(1);
  const set = (state: string) =>
    database.query(`update "Tenant" set state = $2 where "tenantId" = $1 returning state`, [tenant.tenantId, state]);
  await set("suspended");
  expect(await run()).toBe(0);
  await set("active");
  expect(await run()).toBe(1);
});

test("plans with a pending order are in the scheduler's index no more, and return with its end", async () => {
  const tenant = await tenantWith(3);
  expect(await plansInIndex(tenant)).toBe(3);
  await run();
  expect(await plansInIndex(tenant)).toBe(0);
  const [first, second] = await ordersOf(tenant);
  await tenant.ask(
    `mutation { cancelWorkOrder(id: "${first}") { id } startWorkOrder(id: "${second}") { id } completeWorkOrder(id: "${second}", input: { duration: 5 }) { id } }`,
  );
  expect(await plansInIndex(tenant)).toBe(2);
  // The index takes the lead time into account and excludes inactive plans.
  await tenant.rest("PUT", "/pms/p1", { status: "inactive" });
  await tenant.rest("PUT", "/pms/p2", { status: "inactive" });
  expect(await plansInIndex(tenant)).toBe(0);
  await tenant.rest("PUT", "/pms/p1", { status: "active", schedulingRules: { leadTime: 2 } });
  const [plan] = await database.query<{ lead: string }>(
    `select ("nextDue" - "dueFrom")::text as lead from "Procedure" where "tenantId" = $1 and "dueFrom" is not null`,
    [tenant.tenantId],
  );
  expect(plan).toEqual({ lead: "2 days" });
});

test("further assets leave the index only with their own order", async () => {
  const tenant = await tenantWith(2);
  await tenant.ask(
    `mutation { addProcedureAssets(procedureId: "p1", assets: [{ assetId: "a2", anchor: "2031-05-01T08:00:00Z" }]) { id } }`,
  );
  const due = async () =>
    (await database.query(`select 1 from "ProcedureAsset" where "tenantId" = $1 and "dueFrom" is not null`, [tenant.tenantId])).length;
  expect(await due()).toBe(1);
  await tenant.ask(`mutation { createWorkOrder(procedureId: "p1", input: { assetId: "a1" }) { id } }`);
  expect([await plansInIndex(tenant), await due()]).toEqual([1, 1]);
  const { createWorkOrder: order } = await tenant.ask(`mutation { createWorkOrder(procedureId: "p1", input: { assetId: "a2" }) { id } }`);
  expect(await due()).toBe(0);
  await tenant.ask(`mutation { cancelWorkOrder(id: "${order.id}") { id } }`);
  expect(await due()).toBe(1);
});

test.skipIf(!onPostgresql)("concurrent processes lock each plan once, and none in vain", async () => {
  await run();
  const tenants = await Promise.all([3 * turnSize, 1, 1].map(tenantWith));
  const sent = await record(async () => {
    const made = await Promise.all([run(), run(), run(), run()]);
    expect(made.reduce((sum, count) => sum + count)).toBe(3 * turnSize + 2);
  });
  const locks = sent.filter(({ text }) => /from "Procedure" .* for update skip locked/.test(text));
  expect(locks).toHaveLength(3 * turnSize + 2);
  for (const tenant of tenants) expect(new Set(await ordersOf(tenant)).size).toBe(tenant === tenants[0] ? 3 * turnSize : 1);
});
