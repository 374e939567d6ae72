/** Lines of purchase orders against the parts and supplier parts that they name (docs/supply.md). */
import { describe, expect, test } from "vitest";
import { fieldCodeOf } from "../../../src/execution/field-codes.js";
import { sharedGateway } from "../../world.js";
import { createOrder, orderOk, refuses, step, stepOk, supplied, updateOrder } from "./purchases.js";

const gateway = await sharedGateway();

const plant = async () => {
  const tenant = await gateway.newTenant();
  return { tenant, ...(await supplied(tenant)) };
};

describe("a line in the order unit of a supplier part", () => {
  const sell = (tenant: any, input: object) =>
    tenant.ask(`mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }`, { input });
  const newPart = async (tenant: any, partNumber: string, unitOfMeasure = "EACH") =>
    (
      await tenant.ask(
        `mutation ($number: Name!, $unit: UnitOfMeasure!) { createPart(input: { partNumber: $number, name: "x", category: "x", site: "North", unitOfMeasure: $unit }) { id } }`,
        { number: partNumber, unit: unitOfMeasure },
      )
    ).createPart.id;

  test("is a multiple of the pack and at least the minimum, with codes and parameters", async () => {
    const { tenant, supplierId, partId } = await plant();
    await sell(tenant, { supplierId, partId, packSize: 0.3, minimumQuantity: 0.9 });
    const draft = await orderOk(tenant, { supplierId, site: "North" });
    const few = "must be at least 0.9, the minimum quantity of the supplier part";
    const unpacked = "must be a multiple of 0.3, the pack size of the supplier part";
    const lines = [
      { partId, quantity: 0.9, price: 1 },
      { partId, quantity: 0.6, price: 1 },
      { partId, quantity: 1, price: 1 },
      { partId, quantity: 1, unit: "box", unitFactor: 12, price: 1 },
    ];
    const details = { "lines.1.quantity": few, "lines.2.quantity": unpacked, "lines.3.quantity": unpacked };
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "BAD_USER_INPUT", { details });
    await refuses(tenant, () => updateOrder(tenant, draft.id, { lines }), "BAD_USER_INPUT", { details });
    expect(Object.values(details).map((message) => fieldCodeOf("BAD_USER_INPUT", message))).toEqual([
      { code: "OUT_OF_RANGE", params: { min: 0.9 } },
      { code: "OUT_OF_RANGE", params: { multipleOf: 0.3 } },
      { code: "OUT_OF_RANGE", params: { multipleOf: 0.3 } },
    ]);
    // 2.1 is 7 packs of 0.3, although 2.1 % 0.3 is not 0 in binary. Another unit is not that of the packs.
    const accepted = [lines[0], { partId, quantity: 2.1, price: 1 }, { partId, quantity: 0.5, unit: "each", price: 1 }];
    const { data } = await updateOrder(tenant, draft.id, { lines: accepted });
    expect(data.updatePurchaseOrder.lines).toMatchObject([{ quantity: 0.9 }, { quantity: 2.1 }, { quantity: 0.5, unit: "each" }]);
  });

  test("may be a fraction of a measured part without a pack, and of a part that the supplier does not list", async () => {
    const { tenant, supplierId } = await plant();
    const [hose, reel, seal, other] = await Promise.all([
      newPart(tenant, "hose", "METER"),
      newPart(tenant, "reel", "METER"),
      newPart(tenant, "seal"),
      newPart(tenant, "other"),
    ]);
    await sell(tenant, { supplierId, partId: hose });
    await sell(tenant, { supplierId, partId: reel, orderUnit: "reel", unitFactor: 50 });
    await sell(tenant, { supplierId, partId: seal });
    const lines = [hose, other, reel, seal].map((partId) => ({ partId, quantity: 1.5, price: 1 }));
    await orderOk(tenant, { supplierId, site: "North", lines: lines.slice(0, 2) });
    const whole = "must be a multiple of 1, the pack size of the supplier part";
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "BAD_USER_INPUT", {
      details: { "lines.2.quantity": whole, "lines.3.quantity": whole },
    });
  });

  test("is not nothing in the unit of the part", async () => {
    const { tenant, supplierId, partId } = await plant();
    const lines = [{ partId, quantity: 0.0001, unit: "p", unitFactor: 0.4, price: 9 }];
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "BAD_USER_INPUT", {
      details: { "lines.0.quantity": "must be at least 0.0001 in the unit of the part" },
    });
  });

  test("comes to a quantity and an amount that can be kept", async () => {
    const { tenant, supplierId, partId } = await plant();
    const line = { partId, unit: "p", unitFactor: 1, quantity: 1e7, price: 1 };
    const lines = [{ ...line, unitFactor: 1e7 }, { ...line, price: 1e7 }, line];
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "BAD_USER_INPUT", {
      details: {
        "lines.0.quantity": "must come to less than 100,000,000,000,000 in the unit of the part",
        "lines.1.price": "must come to less than 100,000,000,000,000, times the quantity",
      },
    });
    const dear = Array(11).fill({ ...line, price: 999_999 });
    await orderOk(tenant, { supplierId, site: "North", lines: dear.slice(0, 10) });
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines: dear }), "BAD_USER_INPUT", {
      details: { lines: "must come to less than 100,000,000,000,000 in total" },
    });
  });

  test("has a rate that can be kept, also when it is changed", async () => {
    const { tenant, supplierId } = await plant();
    const lines = [{ description: "Advice", quantity: 1, price: 1 }];
    const { id } = await orderOk(tenant, { supplierId, site: "North", currency: "USD", exchangeRate: 0.9, lines });
    const details = { exchangeRate: "must be at least 0.00000001 and below 1,000,000,000" };
    for (const exchangeRate of [0, -1, 1e-9, 1e300])
      await refuses(tenant, () => updateOrder(tenant, id, { exchangeRate }), "BAD_USER_INPUT", { details });
  });

  test("names no inactive part", async () => {
    const { tenant, supplierId, partId } = await plant();
    const lines = [{ partId, quantity: 1 }];
    const draft = await orderOk(tenant, { supplierId, site: "North", lines });
    await tenant.ask(`mutation ($id: ID!) { deactivatePart(id: $id) { id } }`, { id: partId });
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "CONFLICT", { partId });
    await refuses(tenant, () => updateOrder(tenant, draft.id, { lines }), "CONFLICT", { partId });
    const { data } = await updateOrder(tenant, draft.id, { notes: "n" });
    expect(data.updatePurchaseOrder).toMatchObject({ total: 30, lines: [{ quantity: 1 }] });
  });

  test("is checked again at submission, against what the supplier sells then", async () => {
    const { tenant, supplierId, partId } = await plant();
    const lines = [
      { description: "Crane", quantity: 1, price: 1 },
      { partId, quantity: 3 },
      { partId, quantity: 3, unit: "each", price: 1 },
    ];
    const draft = await orderOk(tenant, { supplierId, site: "North", lines });
    await sell(tenant, { supplierId, partId, packSize: 2 });
    const details = { "lines.1.quantity": "must be a multiple of 2, the pack size of the supplier part" };
    await refuses(tenant, () => step(tenant, "submit", draft.id), "BAD_USER_INPUT", { details });
    await sell(tenant, { supplierId, partId, packSize: 1 });
    await tenant.ask(`mutation ($id: ID!) { deactivatePart(id: $id) { id } }`, { id: partId });
    await refuses(tenant, () => step(tenant, "submit", draft.id), "CONFLICT", { partId, position: 2 });
    await updateOrder(tenant, draft.id, { lines: [lines[0]] });
    expect(await stepOk(tenant, "submit", draft.id)).toMatchObject({ status: "APPROVED" });
  });
});
