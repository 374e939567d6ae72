/**
 * A storekeeper's month from shortage to closing: the value of each step, and a value report that accounts for every cent (docs/stock.md).
 */
import { expect, test } from "vitest";

import { sharedGateway } from "../world.js";
import { monthsAgo } from "./stock/stock.js";

const gateway = await sharedGateway();

test("shortage, proposal, receipt, work, count, closed month: the value report explains every cent", async () => {
  const tenant = await gateway.newTenant();
  const [storekeeper, technician, manager] = [await tenant.as("manager"), await tenant.as("technician"), await tenant.as("manager")];
  const { part, idle } = await tenant.ask(`mutation {
    part: createPart(input: { partNumber: "6204", name: "Bearing", site: "main", unitCost: 12.5, reorderPoint: 4, maximumStock: 10 }) { id }
    idle: createPart(input: { partNumber: "V-1", name: "Belt", site: "main" }) { id }
  }`);
  // Stock of another part was received a month ago, at a cost known to the cent.
  const { month, at } = monthsAgo(1);
  await storekeeper.ask(
    "mutation ($id: ID!, $at: DateTime!) { receiveStock(partId: $id, input: { quantity: 3, unitCost: 3.3333, performedAt: $at }) { id } }",
    {
      id: idle.id,
      at: at(10),
    },
  );
  const asset = await tenant.createAsset();
  const { body: procedure } = await tenant.rest("POST", "/pms", {
    name: "Change bearings",
    assetId: asset.id,
    frequency: "monthly",
    parts: [{ partId: part.id, quantity: 3 }],
  });
  const { createWorkOrder: order } = await tenant.ask(
    "mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id requiredParts { reserved } } }",
    { id: procedure.id },
  );
  expect(order.requiredParts).toEqual([{ reserved: 3 }]);

  const short = await storekeeper.ask(
    "query ($id: ID!) { shortages(filter: { partId: $id }) { site onHand demand missing } reorderProposals { part { id } quantity estimatedCost } }",
    { id: part.id },
  );
  expect(short.shortages).toMatchObject([{ site: "main", onHand: 0, demand: 3, missing: 3 }]);
  // Fills up to the maximum of 10, plus the 3 that the order needs.
  expect(short.reorderProposals).toEqual([{ part: { id: part.id }, quantity: 13, estimatedCost: 162.5 }]);

  const receive = (quantity: number, unitCost: number) =>
    storekeeper.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { valueExact } }", {
      id: part.id,
      input: { quantity, unitCost },
    });
  expect((await receive(6, 12.5)).receiveStock).toEqual({ valueExact: "75" });
  expect((await receive(7, 13.1)).receiveStock).toEqual({ valueExact: "91.7" });
  expect(
    (
      await storekeeper.ask("query ($id: ID!) { shortages(filter: { partId: $id }) { missing } reorderProposals { quantity } }", {
        id: part.id,
      })
    ).shortages,
  ).toEqual([]);

  const issued = await technician.ask(
    `mutation ($order: ID!, $part: ID!) {
       startWorkOrder(id: $order) { id }
       issueToWorkOrder(id: $order, input: { partId: $part, quantity: 3 }) { valueExact }
       returnFromWorkOrder(id: $order, input: { partId: $part, quantity: 1 }) { valueExact }
       completeWorkOrder(id: $order, input: { laborCost: 40 }) { status partsCostExact materialCost requiredParts { usedQuantity reserved } }
     }`,
    { order: order.id, part: part.id },
  );
  // 166.7 ÷ 13 × 3 = 38.46923…, and a third of it is returned.
  expect(issued.issueToWorkOrder).toEqual({ valueExact: "-38.4692" });
  expect(issued.returnFromWorkOrder).toEqual([{ valueExact: "12.8231" }]);
  expect(issued.completeWorkOrder).toEqual({
    status: "COMPLETED",
    partsCostExact: "25.6461",
    materialCost: 25.6461,
    requiredParts: [{ usedQuantity: 2, reserved: 0 }],
  });

  const { createStockCount: count } = await storekeeper.ask(
    'mutation ($part: ID!) { createStockCount(input: { site: "main", partIds: [$part], blind: true }) { id } }',
    { part: part.id },
  );
  const posted = await storekeeper.ask(
    `mutation ($id: ID!, $part: ID!) {
       recordCount(id: $id, lines: [{ partId: $part, counted: 10 }]) { id }
       postStockCount(id: $id) { status differingLines valueDifferenceExact }
     }`,
    { id: count.id, part: part.id },
  );
  // One of 11 is missing: 141.0539 ÷ 11.
  expect(posted.postStockCount).toEqual({ status: "POSTED", differingLines: 1, valueDifferenceExact: "-12.8231" });
  expect(
    (await manager.ask('mutation ($id: ID!) { approveStockCount(id: $id, reason: "Seen") { approvedAt } }', { id: count.id }))
      .approveStockCount.approvedAt,
  ).not.toBeNull();

  const { closeStockPeriod } = await storekeeper.ask(
    "mutation ($month: String!) { closeStockPeriod(month: $month) { month quantity valueExact } }",
    { month },
  );
  expect(closeStockPeriod).toEqual({ month, quantity: 3, valueExact: "9.9999" });

  const { inventoryReport, inventoryTotals, verifyLedger } = await storekeeper.ask(
    `query ($start: DateTime!) {
       inventoryReport(reportType: MOVEMENTS, filter: { startDate: $start }) { content }
       inventoryTotals { quantityExact totalValueExact reserved }
       verifyLedger { balanced faults { problem } totalQuantity totalValue }
     }`,
    { start: monthsAgo(0).at(1, 0) },
  );
  const { opening, movements, closing } = inventoryReport.content;
  expect(opening).toEqual({ quantity: 3, value: 9.9999 });
  expect(movements.map(({ type, count: number, in: more, out, value }: any) => [type, number, more, out, value])).toEqual([
    ["cycle_count", 1, 0, 1, -12.8231],
    ["issue", 1, 0, 3, -38.4692],
    ["receipt", 2, 13, 0, 166.7],
    ["return", 1, 1, 0, 12.8231],
  ]);
  // 9.9999 + 166.7 − 38.4692 + 12.8231 − 12.8231
  expect(closing).toEqual({ quantity: 13, value: 138.2307 });
  expect(inventoryTotals).toEqual({ quantityExact: "13", totalValueExact: "138.2307", reserved: 0 });
  expect(verifyLedger).toEqual({ balanced: true, faults: [], totalQuantity: 13, totalValue: 138.2307 });
});
