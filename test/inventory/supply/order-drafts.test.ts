/** Offers of order proposals, and drafts made of them (docs/supply.md, "Reorder"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { kept, proposal, proposals, setSupplier, sourceOf } from "../parts/proposals.js";
import { move } from "../stock/stock.js";
import { refuses, step, stepOk } from "./purchases.js";

const gateway = await sharedGateway();

describe("the offer", () => {
  test("is rounded up to whole packs", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 50, { reorderPoint: 100 });
    await setSupplier(tenant, partId, {
      orderUnit: "box",
      unitFactor: 12,
      packSize: 2,
      minimumQuantity: 4,
      priceBreaks: [{ quantity: 0, price: 30 }],
    });
    // 50 pieces are 4.17 boxes, and boxes come in pairs.
    const offer = {
      supplier: { name: "SKF" },
      quantity: 6,
      unit: "box",
      unitFactor: 12,
      price: 30,
      currency: "EUR",
      cost: 180,
      nextBreak: null,
    };
    expect(await proposal(tenant)).toMatchObject({ quantity: 50, offer });
  });

  test("is at least the minimum, in whole packs", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 3, { reorderPoint: 5, leadTime: 8 });
    await setSupplier(tenant, partId, { packSize: 4, minimumQuantity: 10, leadTime: 3 });
    const found = await proposal(tenant);
    // 2 are missing. Without a price, the cost is unknown. The supplier's lead time precedes that of the part.
    expect(found).toMatchObject({ quantity: 2, leadTime: 3, offer: { quantity: 12, unit: null, unitFactor: 1, price: null, cost: null } });
    expect(sourceOf(found, "LEAD_TIME")).toBe("SUPPLIER_PART");
  });

  test("has the price of its quantity, and names the next price break if that costs less", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 0.5, { reorderPoint: 45.5 });
    const priceBreaks = (second: number) => [
      { quantity: 0, price: 3 },
      { quantity: 20, price: 2 },
      { quantity: 49, price: second },
    ];
    const supplierId = await setSupplier(tenant, partId, { packSize: 5, priceBreaks: priceBreaks(1.5) });
    // 45 × 2 = 90. From 49 on, in packs of 5: 50 × 1.5 = 75.
    const offer = { quantity: 45, price: 2, cost: 90, nextBreak: { quantity: 50, price: 1.5, cost: 75 } };
    expect(await proposal(tenant)).toMatchObject({ offer });
    await tenant.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
      input: { supplierId, partId, priceBreaks: priceBreaks(1.8) },
    });
    // 50 × 1.8 is no less than 90.
    expect(await proposal(tenant)).toMatchObject({ offer: { ...offer, nextBreak: null } });
  });

  test("is in the currency of the supplier, rounded to its digits", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 2, { reorderPoint: 5 });
    await setSupplier(tenant, partId, { priceBreaks: [{ quantity: 0, price: 12.5 }] }, { currency: "JPY" });
    // 3 × 12.5 = 37.5, and the yen has no decimals.
    expect(await proposal(tenant)).toMatchObject({ offer: { quantity: 3, price: 12.5, currency: "JPY", cost: 38 } });
  });

  test("is that of the preferred supplier, or of the only active one", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 2, { reorderPoint: 5 });
    await setSupplier(tenant, partId);
    const other = await setSupplier(tenant, partId, {}, { name: "FAG" });
    expect((await proposal(tenant)).offer).toBeNull();
    await tenant.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
      input: { supplierId: other, partId, isPreferred: true },
    });
    expect((await proposal(tenant)).offer.supplier).toEqual({ name: "FAG" });
    await tenant.ask("mutation ($id: ID!) { updateSupplier(id: $id, input: { isActive: false }) { id } }", { id: other });
    expect((await proposal(tenant)).offer.supplier).toEqual({ name: "SKF" });
  });
});

describe("drafts", () => {
  const mutation = `mutation ($input: DraftPurchaseOrdersInput!) { draftPurchaseOrders(input: $input) { number status site currency total supplier { name }
    lines { position part { partNumber } quantity unit unitFactor price amount openQuantity site } } }`;
  const draft = (caller: Caller, listed: object[]) => caller.graphql(mutation, { input: { proposals: listed } });

  /** The response to a request with an idempotency key. */
  async function draftWithKey(caller: Caller, listed: object[], key: string): Promise<any> {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${caller.key}`, "idempotency-key": key },
      body: JSON.stringify({ query: mutation, variables: { input: { proposals: listed } } }),
    });
    const { data, errors } = (await response.json()) as any;
    return { data, errors };
  }

  async function draftOk(caller: Caller, listed: object[]): Promise<any[]> {
    const { data, errors } = await draft(caller, listed);
    expect(errors, JSON.stringify(errors)).toBeUndefined();
    return data.draftPurchaseOrders;
  }

  /** A part with 2 at N, of which 3 are missing, at a price of 10. */
  async function short(tenant: Caller, partNumber = "A", supplier: object = {}) {
    const partId = await kept(tenant, 2, { partNumber, reorderPoint: 5 });
    const supplierId = await setSupplier(tenant, partId, { priceBreaks: [{ quantity: 0, price: 10 }] }, supplier);
    return { partId, supplierId };
  }

  const year = new Date().getUTCFullYear();

  test("are one per supplier, site and currency, and count until they are sent", async () => {
    const tenant = await gateway.newTenant();
    const { partId: a, supplierId } = await short(tenant);
    const b = await kept(tenant, 2, { partNumber: "B", reorderPoint: 26 });
    await tenant.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
      input: { supplierId, partId: b, orderUnit: "box", unitFactor: 12, priceBreaks: [{ quantity: 0, price: 30 }] },
    });
    const { partId: c } = await short(tenant, "C", { name: "FAG", currency: "USD" });
    await move(tenant, "receiveStock", a, { quantity: 1, site: "S" });
    const order = { status: "DRAFT", currency: "EUR", supplier: { name: "SKF" } };
    const line = { unit: null, unitFactor: 1, price: 10, position: 1 };
    // 24 of B are missing: 2 boxes of 12.
    const boxes = {
      part: { partNumber: "B" },
      position: 2,
      quantity: 2,
      unit: "box",
      unitFactor: 12,
      price: 30,
      amount: 60,
      openQuantity: 24,
    };
    const places = [
      { partId: a, site: "N" },
      { partId: c, site: "N" },
      { partId: b, site: "N" },
      { partId: a, site: "S" },
    ];
    expect(await draftOk(tenant, places)).toEqual([
      {
        ...order,
        number: `PO-${year}-00001`,
        site: "N",
        total: 90,
        lines: [
          { ...line, part: { partNumber: "A" }, quantity: 3, amount: 30, openQuantity: 3, site: "N" },
          { ...boxes, site: "N" },
        ],
      },
      {
        ...order,
        number: `PO-${year}-00002`,
        site: "N",
        currency: "USD",
        supplier: { name: "FAG" },
        total: 30,
        lines: [{ ...line, part: { partNumber: "C" }, quantity: 3, amount: 30, openQuantity: 3, site: "N" }],
      },
      {
        ...order,
        number: `PO-${year}-00003`,
        site: "S",
        total: 40,
        lines: [{ ...line, part: { partNumber: "A" }, quantity: 4, amount: 40, openQuantity: 4, site: "S" }],
      },
    ]);
    // 2 + 3 in a draft is at the reorder point of 5, so one more is proposed. B has 26 of 26, and S has 5 of 5.
    expect((await proposals(tenant)).map((one) => [one.part.partNumber, one.site, one.inDrafts, one.quantity])).toEqual([
      ["A", "N", 3, 1],
      ["A", "S", 4, 1],
      ["B", "N", 24, 1],
      ["C", "N", 3, 1],
    ]);
  });

  test("count while they are submitted and approved, and no longer once they are cancelled", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await short(tenant);
    const place = { partId, site: "N" };
    await draftOk(tenant, [{ ...place, quantity: 4, price: 9.5 }]);
    // 2 + 4 exceeds the reorder point of 5.
    expect(await proposals(tenant)).toEqual([]);
    const { purchaseOrders } = await tenant.ask("{ purchaseOrders { nodes { id total } } }");
    const [{ id, total }] = purchaseOrders.nodes;
    expect(total).toBe(38);
    await stepOk(tenant, "submit", id);
    expect(await proposals(tenant)).toEqual([]);
    await step(tenant, "cancel", id, { reason: "Not needed" });
    expect(await proposal(tenant)).toMatchObject({ inDrafts: 0, quantity: 3 });
  });

  test("of requests at once, or repeated with their key, order nothing twice", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await short(tenant);
    const listed = [{ partId, site: "N", quantity: 6 }];
    const responses = await Promise.all(Array.from({ length: 4 }, () => draft(tenant, listed)));
    const refused = responses.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions);
    expect(refused).toHaveLength(3);
    for (const extensions of refused) expect(extensions).toMatchObject({ code: "CONFLICT", partId, site: "N" });
    const { partId: other } = await short(tenant, "B", { name: "FAG" });
    const again = [{ partId: other, site: "N", quantity: 6 }];
    const first = await draftWithKey(tenant, again, "k-1");
    expect(first.errors).toBeUndefined();
    expect(await draftWithKey(tenant, again, "k-1")).toEqual(first);
    const { purchaseOrders } = await tenant.ask("{ purchaseOrders { nodes { number lines { quantity } } } }");
    expect(purchaseOrders.nodes).toEqual([
      { number: `PO-${year}-00001`, lines: [{ quantity: 6 }] },
      { number: `PO-${year}-00002`, lines: [{ quantity: 6 }] },
    ]);
  });

  test("are refused as a whole for what cannot be ordered, and take no number", async () => {
    const tenant = await gateway.newTenant();
    const { partId, supplierId } = await short(tenant);
    const good = { partId, site: "N" };
    const lonely = await kept(tenant, 1, { reorderPoint: 5 });
    const plenty = await kept(tenant, 9, { reorderPoint: 5 });
    const { partId: priceless, supplierId: other } = await short(tenant, "P", { name: "FAG" });
    await tenant.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
      input: { supplierId: other, partId: priceless, priceBreaks: [], packSize: 3 },
    });
    const invalid = (listed: object[], details: object) => refuses(tenant, () => draft(tenant, listed), "BAD_USER_INPUT", { details });
    await invalid([], { proposals: "must have 1 to 200 entries" });
    await invalid(Array(201).fill(good), { proposals: "must have 1 to 200 entries" });
    await invalid([good, good], { "proposals.1": "is duplicated; name each part and site once" });
    await invalid([good, { partId: "x", site: "N" }], { "proposals.1.partId": "names no part; use the id of an existing one" });
    await invalid([good, { partId: lonely, site: "N" }], {
      "proposals.1.partId": "has no supplier to order from; set its supplier part, and prefer one of several",
    });
    await invalid([good, { partId: priceless, site: "N" }], {
      "proposals.1.price": "is required, because the supplier part has no price in EUR for this quantity and unit",
    });
    await invalid([good, { partId: priceless, site: "N", price: 1, quantity: 4 }], {
      "proposals.1.quantity": "must be a multiple of 3, the pack size of the supplier part",
    });
    await refuses(tenant, () => draft(tenant, [good, { partId: plenty, site: "N" }]), "CONFLICT", { partId: plenty, site: "N" });
    const ofSite = await tenant.as("manager", ["S"], false);
    await refuses(ofSite, () => draft(ofSite, [good]), "FORBIDDEN");
    await tenant.ask("mutation ($id: ID!) { updateSupplier(id: $id, input: { currency: null }) { id } }", { id: supplierId });
    await invalid([good], { "proposals.0.partId": "has a supplier without a currency; set that of the supplier or of the stock" });
    // The first draft has the first number.
    await tenant.ask('mutation ($id: ID!) { updateSupplier(id: $id, input: { currency: "EUR" }) { id } }', { id: supplierId });
    expect(await draftOk(tenant, [good])).toMatchObject([{ number: `PO-${year}-00001`, total: 30 }]);
  });
});
