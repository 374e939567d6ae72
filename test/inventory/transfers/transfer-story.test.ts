/** Stock on its way between two sites, through both APIs (docs/stock.md, "Transfers"). */
import { expect, test } from "vitest";
import { sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

test("stock is shipped to another site and received in part", async () => {
  const tenant = await gateway.newTenant();
  const { body: part } = await tenant.rest("POST", "/parts", {
    partNumber: "6205",
    name: "Bearing",
    unitCost: 2.5,
    stockLevel: 10,
    site: "N",
  });
  const quantityAt = async (site: string) => (await tenant.rest("GET", `/inventory/${part.partId}?site=${site}`)).body.quantity;
  const { startTransfer: transfer } = await tenant.ask(
    `mutation ($id: ID!) { startTransfer(partId: $id, input: { fromSite: "N", toSite: "S", quantity: 4 }) { id status } }`,
    { id: part.partId },
  );
  expect(transfer.status).toBe("RESERVED");
  expect(await quantityAt("N")).toBe(10);

  const after = await tenant.ask(
    `mutation ($id: ID!) {
      shipTransfer(id: $id) { status inTransitValueExact }
      receiveTransfer(id: $id, quantity: 3) { status inTransitExact }
    }`,
    { id: transfer.id },
  );
  expect(after).toEqual({
    shipTransfer: { status: "SHIPPED", inTransitValueExact: "10" },
    receiveTransfer: { status: "SHIPPED", inTransitExact: "1" },
  });
  expect([await quantityAt("N"), await quantityAt("S")]).toEqual([6, 3]);
  const { body: history } = await tenant.rest("GET", `/inventory/${part.partId}/history?movementType=transfer`);
  expect(history.movements.map(({ quantity, newBalance }: any) => [quantity, newBalance])).toEqual([
    [-4, 6],
    [3, 3],
  ]);
  expect((await tenant.ask("{ verifyLedger { balanced } }")).verifyLedger.balanced).toBe(true);
});
