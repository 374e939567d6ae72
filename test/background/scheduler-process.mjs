/** A process of scheduler.process.test.ts. Runs the built scheduler and processes work orders, at the time sent with each task. */

import { createDueWorkOrders } from "../../dist/background/scheduler.js";
import { readConfig } from "../../dist/config.js";
import { openDatabase } from "../../dist/database/connection/open.js";
import { forTenant } from "../../dist/database/database.js";
import { cancelWorkOrder, completeWorkOrder, startWorkOrder } from "../../dist/domain/maintenance/work-orders/work-orders.js";

const database = await openDatabase(readConfig(process.env), () => {});

/** Completes pending work orders, and cancels every seventh occurrence, which skips it. Ignores conflicts with another process. */
async function work(now) {
  const pending = await database.query(`select "tenantId", id, status, occurrence from "WorkOrder" where "endedAt" is null order by id`);
  for (const { tenantId, id, status, occurrence } of pending) {
    const db = forTenant(database, tenantId);
    const actor = { tenantId, principalId: "worker", principalName: "worker", role: "admin", sites: [], expiresAt: Infinity };
    try {
      if (occurrence % 7 === 3) await cancelWorkOrder(db, actor, id, "Skipped", undefined, now);
      else {
        if (status === "scheduled") await startWorkOrder(db, actor, id);
        await completeWorkOrder(db, actor, id, { duration: 10 }, undefined, now);
      }
    } catch (error) {
      if (error.code !== "CONFLICT") throw error;
    }
  }
  return pending.length;
}

const tasks = {
  create: (now) =>
    createDueWorkOrders(database, now, (error) => {
      throw error;
    }),
  work,
  stop: () => database.close(),
};

process.on("message", async ({ task, now }) => {
  try {
    process.send({ count: await tasks[task](new Date(now)) });
  } catch (error) {
    process.send({ error: error.stack });
  }
  if (task === "stop") process.exit();
});
// The test process has ended.
process.on("disconnect", () => process.exit());
// A killed process's leases end after 30 seconds, which a test does not wait for.
await database.query(`update "SchedulerLease" set "leasedUntil" = now() where "leasedUntil" > now()`);
process.send({ count: 0 });
