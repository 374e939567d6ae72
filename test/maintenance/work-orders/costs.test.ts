/** Every cost figure includes parts, labor and other costs (docs/work.md, "Costs"). */
import { expect, test } from "vitest";
import { sharedGateway } from "../../world.js";
import { part, procedure, workOrder } from "./orders.js";

const gateway = await sharedGateway();

test("every cost figure has parts, labor, contractors and the rest", async () => {
  const tenant = await gateway.newTenant();
  const partId = await part(tenant, { stockLevel: 9, unitCost: 7.5 });
  const { id: pmId, assetId } = await procedure(tenant);
  const { body: strategy } = await tenant.rest("POST", "/strategies", { name: "S", type: "preventive" });
  await tenant.ask(`mutation ($id: ID!, $assets: [ID!]!) { assignAssets(strategyId: $id, assetIds: $assets) { id } }`, {
    id: strategy.id,
    assets: [assetId],
  });
  const order = await workOrder(tenant, pmId);
  const cost = `mutation ($id: ID!, $input: WorkOrderCostInput!) { addWorkOrderCost(id: $id, input: $input) { id } }`;
  await tenant.ask(cost, { id: order, input: { kind: "CONTRACTOR", description: "Crane", amount: 1200.25 } });
  await tenant.ask(cost, { id: order, input: { kind: "OTHER", description: "Permit", amount: 30 } });
  await tenant.ask(`mutation ($id: ID!, $part: ID!) { issueToWorkOrder(id: $id, input: { partId: $part, quantity: 2 }) { id } }`, {
    id: order,
    part: partId,
  });
  const groups = async () =>
    (await tenant.ask(`{ workOrderGroups(by: [STATUS]) { status count laborCost materialCost otherCost totalCost totalCostExact } }`))
      .workOrderGroups;
  // While the order is open: 2 × 7.5 of material, 1,200.25 + 30 of other costs.
  const open = { count: 1, laborCost: 0, materialCost: 15, otherCost: 1230.25, totalCost: 1245.25, totalCostExact: "1245.25" };
  expect(await groups()).toEqual([{ status: "SCHEDULED", ...open }]);
  const { completeWorkOrder } = await tenant.ask(
    `mutation ($id: ID!) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id, input: { laborCost: 40 }) { totalCost } }`,
    { id: order },
  );
  // 15 + 40 + 1,230.25.
  expect(completeWorkOrder).toEqual({ totalCost: 1285.25 });
  // A bill that arrives after the completion.
  await tenant.ask(cost, { id: order, input: { kind: "CONTRACTOR", description: "Crane, second hour", amount: 100 } });
  expect(await groups()).toEqual([
    { ...open, status: "COMPLETED", laborCost: 40, otherCost: 1330.25, totalCost: 1385.25, totalCostExact: "1385.25" },
  ]);
  // A history of less than a month counts as one month.
  expect((await tenant.rest("GET", `/strategies/${strategy.id}`)).body.performance).toMatchObject({ costPerMonth: 1385.25 });
  const { strategy: shown } = await tenant.ask(`query ($id: ID!) { strategy(id: $id) { performance { costPerMonth } } }`, {
    id: strategy.id,
  });
  expect(shown).toEqual({ performance: { costPerMonth: 1385.25 } });
  expect((await tenant.rest("GET", `/pms/${pmId}`)).body.performance).toMatchObject({ averageCost: 1385.25 });
});
