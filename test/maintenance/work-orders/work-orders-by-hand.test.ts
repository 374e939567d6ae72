/** Manual work orders: none for an archived procedure or a decommissioned asset (docs/decisions.md, "work orders made by hand"). */
import { expect, test } from "vitest";
import { sharedGateway } from "../../world.js";
import { create, expectRejected, failed, procedure, workOrder } from "./orders.js";

const gateway = await sharedGateway();

const error = "Work order cannot be created";
const archived = { error, reason: "The procedure is archived; change its status first", code: "CONFLICT" };
const decommissioned = { error, reason: "The asset is decommissioned; change its status first", code: "CONFLICT" };
const ofCode = ({ reason }: { reason: string }) => ({ code: "CONFLICT", reason });

test("none is created for an archived procedure; a draft may be tried", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await procedure(tenant);
  expect((await tenant.rest("PUT", `/pms/${id}`, { status: "archived" })).status).toBe(200);
  await expectRejected(tenant, () => create(tenant, id), 409, archived);
  const made = `mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }`;
  await failed(tenant, () => tenant.graphql(made, { id }), ofCode(archived));
  await tenant.rest("PUT", `/pms/${id}`, { status: "draft" });
  await workOrder(tenant, id);
});

test("none is created for a decommissioned asset, with or without a procedure, from a notification or a fault", async () => {
  const tenant = await gateway.newTenant();
  const { id, assetId } = await procedure(tenant);
  const raise = `mutation ($id: ID!) { raiseNotification(input: { type: SYSTEM, severity: INFO, title: "T", message: "M", assetId: $id }) { id } }`;
  const { raiseNotification } = await tenant.ask(raise, { id: assetId });
  const report = `mutation ($id: ID!) { reportFault(input: { assetId: $id, description: "Leaks" }) { id } }`;
  const { reportFault } = await tenant.ask(report, { id: assetId });
  await tenant.rest("PUT", `/assets/${assetId}`, { status: "decommissioned" });
  await expectRejected(tenant, () => create(tenant, id), 409, decommissioned);
  const asked: [string, Record<string, unknown>][] = [
    [`mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }`, { id }],
    [`mutation ($id: ID!) { createWorkOrder(input: { assetId: $id, title: "T" }) { id } }`, { id: assetId }],
    [`mutation ($id: ID!) { createWorkOrderFromNotification(notificationId: $id) { id } }`, { id: raiseNotification.id }],
    [`mutation ($id: ID!) { acceptWorkRequest(id: $id) { id } }`, { id: reportFault.id }],
  ];
  for (const [document, variables] of asked) await failed(tenant, () => tenant.graphql(document, variables), ofCode(decommissioned));
  await tenant.rest("PUT", `/assets/${assetId}`, { status: "offline" });
  await workOrder(tenant, id);
});

test("none is created for a deleted asset", async () => {
  const tenant = await gateway.newTenant();
  const { id, assetId } = await procedure(tenant);
  await tenant.rest("DELETE", `/assets/${assetId}`);
  await expectRejected(tenant, () => create(tenant, id), 409, {
    error,
    reason: "The procedure's asset is deleted; restore it first",
    code: "CONFLICT",
  });
});
