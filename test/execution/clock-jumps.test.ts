/** Jumps of the clocks of a gateway and of the database. test/database/clock.unit.test.ts covers the process's estimate of the time. */
import { afterEach, expect, test, vi } from "vitest";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { leasePoints } from "../../src/database/records/budgets.js";
import { LocalAccounts } from "../../src/execution/admission/budget.js";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const hourMs = 3_600_000;
/** 100 points, of which 10 a second come back. */
const policy = { capacity: 100, perSecond: 10 };

afterEach(() => void vi.useRealTimers());

/** Moves only the clock of this process. */
const jump = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

test.each([-24 * hourMs, -hourMs, hourMs, 24 * hourMs])(
  "a jump of the gateway's clock by %i ms neither takes nor gives points",
  async (ms) => {
    const accounts = new LocalAccounts();
    const scope = { tenantId: "t", scope: "s" };
    const first = await accounts.lease(scope, policy, 60);
    expect(first).toEqual({ granted: 60, left: 40 });
    jump(ms);
    const { granted, left } = await accounts.lease(scope, policy, 30);
    expect(granted).toBe(30);
    // 40 − 30, and what a test's pause gives back.
    expect(left).toBeGreaterThanOrEqual(10);
    expect(left).toBeLessThan(40);
  },
);

test.each(["1 hour", "1 day"])("the database's clock goes back by %s: an account keeps its points", async (time) => {
  const { tenantId } = await gateway.newTenant();
  const scope = { tenantId, scope: "s" };
  expect(await leasePoints(gateway.database, scope, policy, 60)).toEqual({ granted: 60, left: 40 });
  // As seen after the jump, the account was counted in the future.
  await gateway.database.query(`update "Budget" set "countedAt" = "countedAt" + $2::interval where "tenantId" = $1 and scope = 's'`, [
    tenantId,
    time,
  ]);
  expect(await leasePoints(gateway.database, scope, policy, 30)).toEqual({ granted: 30, left: 10 });
});

const createOrders = () =>
  createDueWorkOrders(gateway.database, new Date(), (error) => {
    throw error;
  });

test.each(["1 hour", "1 day"])(
  "the database's clock goes back by %s: the lease of a crashed scheduler does not last as long",
  async (time) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const anchor = new Date(Date.now() - hourMs).toISOString();
    await tenant.rest("POST", "/pms", { name: "Oil change", assetId, frequency: "monthly", anchor });
    const lease = (until: string) =>
      gateway.database.query(
        `insert into "SchedulerLease" ("tenantId", holder, "leasedUntil") values ($1, 'crashed', clock_timestamp() + $2::interval)
       on conflict ("tenantId") do update set holder = 'crashed', "leasedUntil" = excluded."leasedUntil"`,
        [tenant.tenantId, until],
      );
    const orders = async () => (await tenant.ask("{ workOrders { nodes { id } } }")).workOrders.nodes.length;
    await lease("55 seconds");
    await createOrders();
    expect(await orders()).toBe(0);
    await lease(time);
    await createOrders();
    expect(await orders()).toBe(1);
  },
);
