/** Supplier invoices over GraphQL: drafts, the match with receipts, and its corrections of the stock's value (docs/supply.md). */
import { describe, expect, test } from "vitest";
import { Caller, sharedGateway } from "../../world.js";
import {
  act,
  actOk,
  correctionsOf,
  createInvoice,
  invoiced,
  invoiceOk,
  lineOf,
  receiveOk,
  refused,
  stockOf,
  updateInvoice,
  verified,
  worthOf,
} from "./invoices.js";
import { orderOk, stepOk } from "./purchases.js";

const gateway = await sharedGateway();

const each =
  (price: number, quantity = 10) =>
  (plant: { partId: string }) => [{ partId: plant.partId, quantity, unit: "each", price }];

const tolerate = (tenant: Caller, invoiceTolerance: number) =>
  tenant.ask("mutation ($t: NonNegative) { updateStockSettings(input: { invoiceTolerance: $t }) { invoiceTolerance } }", {
    t: invoiceTolerance,
  });

const issue = (tenant: Caller, id: string, quantity: number) =>
  tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { issueStock(partId: $id, input: $input) { id } }", {
    id,
    input: { site: "North", quantity },
  });

const reverse = (caller: Caller, id: string) =>
  caller.graphql(`mutation ($id: ID!) { reverseMovement(id: $id, reason: "Wrong part") { value expensed } }`, { id });

describe("posting", () => {
  test("an invoice at the ordered price matches and corrects nothing", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await receiveOk(clerk, line, { accepted: 10 });
    const draft = await newInvoice("R-1", 10, 50, { notes: "Net" });
    expect(draft).toEqual({
      id: draft.id,
      number: "R-1",
      status: "DRAFT",
      site: "North",
      currency: "EUR",
      exchangeRate: null,
      total: 50,
      postedBy: null,
      cancellationReason: null,
      version: 1,
      lines: [
        {
          id: draft.lines[0].id,
          position: 1,
          orderLineId: line,
          site: "North",
          quantity: 10,
          amount: 50,
          orderedAmount: 50,
          status: "DRAFT",
          matchedQuantity: 0,
          acceptedBy: null,
          acceptanceReason: null,
        },
      ],
    });
    expect(await lineOf(tenant, line)).toMatchObject({ accepted: 10, invoicedQuantity: 0 });
    expect(await actOk(tenant, "post", draft.id)).toMatchObject({
      status: "POSTED",
      version: 2,
      lines: [{ status: "MATCHED", matchedQuantity: 10 }],
    });
    expect(await correctionsOf(tenant, partId)).toEqual([]);
    expect(await lineOf(tenant, line)).toEqual({
      accepted: 10,
      invoicedQuantity: 10,
      matchedQuantity: 10,
      quantityDifference: 0,
      invoicedAmount: 50,
      priceDifference: 0,
      invoicesOnHold: 0,
    });
    await refused(tenant, () => act(tenant, "post", draft.id), "CONFLICT", { status: "POSTED" });
    await refused(tenant, () => updateInvoice(tenant, draft.id, { notes: "x" }), "CONFLICT", { status: "POSTED" });
    await verified(tenant);
  });

  test("a higher price adds the share on hand to the stock, and expenses the rest", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    await receiveOk(clerk, line, { accepted: 10 });
    await issue(tenant, partId, 4);
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 6, totalValue: 30 });
    const { id } = await newInvoice("R-1", 10, 52);
    await actOk(tenant, "post", id);
    // 2.00 for ten: six are on hand.
    expect(await correctionsOf(tenant, partId)).toEqual([{ value: "1.2", expensed: "0.8", reference: "R-1", reversal: false }]);
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 6, totalValue: 31.2 });
    expect(await lineOf(tenant, line)).toMatchObject({ invoicedAmount: 52, priceDifference: 2, quantityDifference: 0, invoicesOnHold: 0 });
    expect(await worthOf(tenant, partId)).toBe("52");
    await verified(tenant);
  });

  test("the rate of the invoice replaces that of the receipt, rounded to the currency of the stock", async () => {
    const order = { currency: "USD", exchangeRate: 0.92 };
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(2, 30), order);
    await receiveOk(clerk, line, { accepted: 10 });
    await receiveOk(clerk, line, { accepted: 10, exchangeRate: 0.9 });
    await receiveOk(clerk, line, { accepted: 10 });
    expect(await worthOf(tenant, partId)).toBe("54.8");
    // 20 USD at 0.9333 are 18.666, which is 18.67 and not the 18.40 of the receipt.
    const first = await newInvoice("R-1", 10, 20, { exchangeRate: 0.9333 });
    await actOk(tenant, "post", first.id);
    expect(await correctionsOf(tenant, partId)).toMatchObject([{ value: "0.27", expensed: "0" }]);
    // Without a rate, both receipts keep their own.
    const second = await newInvoice("R-2", 20, 40);
    expect(await actOk(tenant, "post", second.id)).toMatchObject({ exchangeRate: null, lines: [{ status: "MATCHED" }] });
    expect(await correctionsOf(tenant, partId)).toHaveLength(1);
    expect(await worthOf(tenant, partId)).toBe("55.07");
    await verified(tenant);
  });

  test("a box of 12: quantities are pieces, and two receipts share the difference", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, ({ partId }) => [{ partId, quantity: 5 }]);
    await tolerate(tenant, 2);
    await receiveOk(clerk, line, { accepted: 24 });
    await receiveOk(clerk, line, { accepted: 36 });
    const { id, lines } = await newInvoice("R-1", 60, 153);
    expect(lines).toMatchObject([{ orderedAmount: 150 }]);
    await actOk(tenant, "post", id);
    // 61.20 for 24 instead of 60.00, and 91.80 for 36 instead of 90.00.
    expect(await correctionsOf(tenant, partId)).toMatchObject([{ value: "1.2" }, { value: "1.8" }]);
    expect(await worthOf(tenant, partId)).toBe("153");
    await verified(tenant);
  });

  test("partial invoices cover the receipts in order, across their borders", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    await receiveOk(clerk, line, { accepted: 6 });
    await receiveOk(clerk, line, { accepted: 4 });
    await actOk(tenant, "post", (await newInvoice("R-1", 4, 20.8)).id);
    await actOk(tenant, "post", (await newInvoice("R-2", 6, 30.6)).id);
    // 4 of the first receipt, 20.80 for 20.00. R-2: 2 of the first, 10.20 for 10.00, and 4 of the second, 20.40 for 20.00.
    const corrections = await correctionsOf(tenant, partId);
    expect(corrections.map(({ value, reference }) => [value, reference])).toEqual([
      ["0.8", "R-1"],
      ["0.2", "R-2"],
      ["0.4", "R-2"],
    ]);
    expect(await worthOf(tenant, partId)).toBe("51.4");
    expect(await lineOf(tenant, line)).toMatchObject({
      invoicedQuantity: 10,
      matchedQuantity: 10,
      invoicedAmount: 51.4,
      priceDifference: 1.4,
    });
    await verified(tenant);
  });

  test("thirds of a price: what rounding leaves goes to the last receipt, and a cent is no difference", async () => {
    const third = ({ partId }: { partId: string }) => [{ partId, quantity: 1, unit: "set", unitFactor: 3, price: 10 }];
    const receiveAll = async ({ clerk, line }: Awaited<ReturnType<typeof invoiced>>) => {
      for (const accepted of [1, 1, 1]) await receiveOk(clerk, line, { accepted });
    };
    const same = await invoiced(gateway, third);
    await receiveAll(same);
    await actOk(same.tenant, "post", (await same.newInvoice("R-1", 3, 10)).id);
    expect(await correctionsOf(same.tenant, same.partId)).toEqual([]);

    const dearer = await invoiced(gateway, third);
    await tolerate(dearer.tenant, 1);
    await receiveAll(dearer);
    await actOk(dearer.tenant, "post", (await dearer.newInvoice("R-1", 3, 10.01)).id);
    // 3.3367, 3.3366 and 3.3367 instead of 3.3333, 3.3334 and 3.3333.
    expect((await correctionsOf(dearer.tenant, dearer.partId)).map(({ value }) => value)).toEqual(["0.0034", "0.0032", "0.0034"]);
    expect(await worthOf(dearer.tenant, dearer.partId)).toBe("10.01");

    const single = await invoiced(gateway, third);
    await receiveAll(single);
    for (const [number, amount] of [3.33, 3.34, 3.33].entries()) {
      const { id } = await single.newInvoice(`R-${number}`, 1, amount);
      expect(await actOk(single.tenant, "post", id)).toMatchObject({ lines: [{ status: "MATCHED" }] });
    }
    expect((await correctionsOf(single.tenant, single.partId)).map(({ value }) => value)).toEqual(["-0.0033", "0.0066", "-0.0033"]);
    expect(await worthOf(single.tenant, single.partId)).toBe("10");
    await verified(single.tenant);
  });

  test("two invoices for the same quantity at once: one matches, the other is on hold", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    await receiveOk(clerk, line, { accepted: 10 });
    const drafts = [];
    for (const number of ["A", "B", "C", "D"]) drafts.push(await newInvoice(number, 10, 52));
    const posted = await Promise.all(drafts.map(({ id }) => actOk(tenant, "post", id)));
    const lines = posted.flatMap((invoice) => invoice.lines).map(({ status, matchedQuantity }) => [status, matchedQuantity]);
    expect(lines.sort()).toEqual([
      ["MATCHED", 10],
      ["ON_HOLD", 0],
      ["ON_HOLD", 0],
      ["ON_HOLD", 0],
    ]);
    expect(await lineOf(tenant, line)).toMatchObject({
      accepted: 10,
      invoicedQuantity: 40,
      matchedQuantity: 10,
      quantityDifference: 30,
      invoicesOnHold: 3,
    });
    const { purchaseOrderLines, supplierInvoiceLines } = await tenant.ask(
      `query { purchaseOrderLines(filter: { unmatched: true }) { nodes { id } } supplierInvoiceLines(filter: { status: ON_HOLD }) { nodes { quantity } } }`,
    );
    expect(purchaseOrderLines.nodes).toEqual([{ id: line }]);
    expect(supplierInvoiceLines.nodes).toHaveLength(3);
    expect(await worthOf(tenant, partId)).toBe("52");
    await verified(tenant);
  });

  test("two invoices for the same service at once: one matches", async () => {
    const { clerk, tenant, line, newInvoice } = await invoiced(gateway, () => [{ description: "Crane", quantity: 10, price: 5 }]);
    await receiveOk(clerk, line, { accepted: 10 });
    const drafts = [];
    for (const number of ["A", "B", "C", "D"]) drafts.push(await newInvoice(number, 10, 50));
    const posted = await Promise.all(drafts.map(({ id }) => actOk(tenant, "post", id)));
    expect(posted.map((invoice) => invoice.lines[0].status).sort()).toEqual(["MATCHED", "ON_HOLD", "ON_HOLD", "ON_HOLD"]);
    expect(await lineOf(tenant, line)).toMatchObject({ accepted: 10, matchedQuantity: 10, quantityDifference: 30 });
  });

  test("an invoice before the receipt is on hold, and matches what arrives", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    const { id } = await newInvoice("R-1", 10, 52);
    expect(await actOk(tenant, "post", id)).toMatchObject({ lines: [{ status: "ON_HOLD", matchedQuantity: 0 }] });
    await receiveOk(clerk, line, { accepted: 4 });
    expect(await actOk(tenant, "match", id)).toMatchObject({ version: 3, lines: [{ status: "ON_HOLD", matchedQuantity: 4 }] });
    await receiveOk(clerk, line, { accepted: 6 });
    expect(await actOk(tenant, "match", id)).toMatchObject({ lines: [{ status: "MATCHED", matchedQuantity: 10 }] });
    expect((await correctionsOf(tenant, partId)).map(({ value }) => value)).toEqual(["0.8", "1.2"]);
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 10, totalValue: 52 });
    await actOk(tenant, "match", id);
    expect(await correctionsOf(tenant, partId)).toHaveLength(2);
    await verified(tenant);
  });

  test("a service and a fixed asset match without a correction", async () => {
    const { clerk, tenant, order, supplierId, partId } = await invoiced(gateway, ({ partId }) => [
      { description: "Crane", quantity: 1, price: 100 },
      { partId, quantity: 1, unit: "each", price: 50 },
    ]);
    await tolerate(tenant, 20);
    await tenant.ask("mutation ($id: ID!) { updatePart(id: $id, input: { isCapital: true }) { id } }", { id: partId });
    await receiveOk(clerk, order.lines[0].id, { accepted: 1 });
    await receiveOk(clerk, order.lines[1].id, { accepted: 1, serialNumbers: ["A"] });
    const lines = order.lines.map(({ id }: any, i: number) => ({ orderLineId: id, quantity: 1, amount: [110, 60][i] }));
    const { id } = await invoiceOk(tenant, { supplierId, number: "R-1", lines });
    expect(await actOk(tenant, "post", id)).toMatchObject({ total: 170, lines: [{ status: "MATCHED" }, { status: "MATCHED" }] });
    expect(await lineOf(tenant, order.lines[0].id)).toMatchObject({ matchedQuantity: 1, priceDifference: 10 });
    expect(await correctionsOf(tenant, partId)).toEqual([]);
    expect(await actOk(tenant, "cancel", id)).toMatchObject({ lines: [{ status: "CANCELLED" }, { status: "CANCELLED" }] });
    await verified(tenant);
  });
});

describe("a difference beyond the tolerance", () => {
  test("is on hold until another manager accepts it", async () => {
    const { clerk, tenant, manager, managerId, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await receiveOk(clerk, line, { accepted: 10 });
    const { id, lines } = await newInvoice("R-1", 10, 52);
    const [{ id: lineId }] = lines;
    await refused(manager, () => act(manager, "accept", lineId), "CONFLICT", { status: "DRAFT" });
    expect(await actOk(tenant, "post", id)).toMatchObject({ status: "POSTED", lines: [{ status: "ON_HOLD", matchedQuantity: 0 }] });
    expect(await correctionsOf(tenant, partId)).toEqual([]);
    expect(await lineOf(tenant, line)).toMatchObject({ quantityDifference: 10, priceDifference: 2, invoicesOnHold: 1 });
    await refused(tenant, () => act(tenant, "accept", lineId), "FORBIDDEN");
    expect(await actOk(manager, "accept", lineId)).toMatchObject({
      version: 3,
      lines: [{ status: "ACCEPTED", matchedQuantity: 10, acceptedBy: managerId, acceptanceReason: "Agreed" }],
    });
    expect(await correctionsOf(tenant, partId)).toMatchObject([{ value: "2", expensed: "0" }]);
    expect(await lineOf(tenant, line)).toMatchObject({ quantityDifference: 0, priceDifference: 2, invoicesOnHold: 0 });
    await refused(manager, () => act(manager, "accept", lineId), "CONFLICT", { status: "ACCEPTED" });
    await refused(manager, () => act(manager, "accept", "x"), "NOT_FOUND");
    await verified(tenant);
  });

  test("below and above: 4 % of 50.00 are 2.00", async () => {
    const { clerk, tenant, line, newInvoice } = await invoiced(gateway, each(5, 40));
    await receiveOk(clerk, line, { accepted: 40 });
    await tolerate(tenant, 4);
    const amounts = [52, 48, 52.01, 47.99];
    const statuses = [];
    for (const [number, amount] of amounts.entries()) {
      const { lines } = await actOk(tenant, "post", (await newInvoice(`R-${number}`, 10, amount)).id);
      statuses.push(lines[0].status);
    }
    expect(statuses).toEqual(["MATCHED", "MATCHED", "ON_HOLD", "ON_HOLD"]);
  });

  test("of quantity is accepted without a receipt, and matches a later one", async () => {
    const { clerk, tenant, manager, line, newInvoice } = await invoiced(gateway, each(5));
    await receiveOk(clerk, line, { accepted: 8 });
    const { id, lines } = await newInvoice("R-1", 10, 50);
    expect(await actOk(tenant, "post", id)).toMatchObject({ lines: [{ status: "ON_HOLD", matchedQuantity: 8 }] });
    expect(await actOk(manager, "accept", lines[0].id)).toMatchObject({ lines: [{ status: "ACCEPTED", matchedQuantity: 8 }] });
    expect(await lineOf(tenant, line)).toMatchObject({ quantityDifference: 2, invoicesOnHold: 0 });
    await receiveOk(clerk, line, { accepted: 2 });
    expect(await actOk(tenant, "match", id)).toMatchObject({ lines: [{ status: "ACCEPTED", matchedQuantity: 10 }] });
    expect(await lineOf(tenant, line)).toMatchObject({ quantityDifference: 0 });
  });
});

describe("a reversal", () => {
  test("of a receipt follows that of its correction, and the match lists the invoice", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    const { movement } = await receiveOk(clerk, line, { accepted: 10 });
    const { id } = await newInvoice("R-1", 10, 52);
    await actOk(tenant, "post", id);
    const { errors } = await reverse(tenant, movement.id);
    const { code, followedBy } = errors![0]!.extensions as any;
    expect({ code, count: followedBy.length }).toEqual({ code: "CONFLICT", count: 1 });
    expect((await reverse(tenant, followedBy[0])).data?.reverseMovement).toEqual({ value: -2, expensed: null });
    expect(await lineOf(tenant, line)).toMatchObject({ accepted: 10, matchedQuantity: 0, quantityDifference: 10, invoicesOnHold: 1 });
    expect((await reverse(tenant, movement.id)).data?.reverseMovement).toMatchObject({ value: -50 });
    expect(await lineOf(tenant, line)).toMatchObject({ accepted: 0, matchedQuantity: 0, invoicedQuantity: 10, invoicesOnHold: 1 });
    await receiveOk(clerk, line, { accepted: 10 });
    expect(await actOk(tenant, "match", id)).toMatchObject({ lines: [{ status: "MATCHED", matchedQuantity: 10 }] });
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 10, totalValue: 52 });
    await verified(tenant);
  });

  test("of a receipt without a correction puts its invoice on hold", async () => {
    const { clerk, tenant, manager, line, newInvoice } = await invoiced(gateway, each(5));
    const { movement } = await receiveOk(clerk, line, { accepted: 6 });
    const { id, lines } = await newInvoice("R-1", 10, 50);
    await actOk(tenant, "post", id);
    await actOk(manager, "accept", lines[0].id);
    expect((await reverse(tenant, movement.id)).errors).toBeUndefined();
    const { supplierInvoice } = await tenant.ask(
      `query ($id: ID!) { supplierInvoice(id: $id) { lines { status matchedQuantity acceptedBy acceptanceReason } } }`,
      { id },
    );
    expect(supplierInvoice.lines).toEqual([{ status: "ON_HOLD", matchedQuantity: 0, acceptedBy: null, acceptanceReason: null }]);
  });
});

describe("a cancellation", () => {
  test("reverses the corrections, and frees the number and the receipts", async () => {
    const { clerk, tenant, line, partId, supplierId, newInvoice } = await invoiced(gateway, each(5));
    await tolerate(tenant, 5);
    await receiveOk(clerk, line, { accepted: 6 });
    await receiveOk(clerk, line, { accepted: 4 });
    await issue(tenant, partId, 4);
    const first = await newInvoice("R-1", 10, 52);
    await actOk(tenant, "post", first.id);
    // 1.20 of the first receipt, of which two of six are on hand, and 0.80 of the second.
    expect(await correctionsOf(tenant, partId)).toMatchObject([
      { value: "0.4", expensed: "0.8" },
      { value: "0.8", expensed: "0" },
    ]);
    await refused(tenant, () => createInvoice(tenant, invoiceInput(first.number, line, supplierId)), "CONFLICT");
    expect(await actOk(tenant, "cancel", first.id)).toMatchObject({
      status: "CANCELLED",
      cancellationReason: "Agreed",
      lines: [{ status: "CANCELLED", matchedQuantity: 0 }],
    });
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 6, totalValue: 30 });
    expect(await worthOf(tenant, partId)).toBe("50");
    expect(await lineOf(tenant, line)).toMatchObject({ invoicedQuantity: 0, matchedQuantity: 0, invoicedAmount: 0, invoicesOnHold: 0 });
    await refused(tenant, () => act(tenant, "cancel", first.id), "CONFLICT", { status: "CANCELLED" });
    const second = await newInvoice("R-1", 10, 51);
    expect(await actOk(tenant, "post", second.id)).toMatchObject({ lines: [{ status: "MATCHED" }] });
    expect(await worthOf(tenant, partId)).toBe("51");
    const draft = await newInvoice("R-2", 1, 5);
    expect(await actOk(tenant, "cancel", draft.id)).toMatchObject({ status: "CANCELLED", postedBy: null });
    await verified(tenant);
  });

  test("of units corrects their values again", async () => {
    const { clerk, tenant, line, partId, newInvoice } = await invoiced(gateway, each(5, 2));
    await tolerate(tenant, 50);
    await tenant.ask("mutation ($id: ID!) { updatePart(id: $id, input: { tracksSerials: true, isRepairable: true }) { id } }", {
      id: partId,
    });
    await receiveOk(clerk, line, { accepted: 2, serialNumbers: ["A", "B"] });
    const { id } = await newInvoice("R-1", 2, 13);
    await actOk(tenant, "post", id);
    const unitValues = () =>
      gateway.database.query(
        `select trim_scale(value)::text as value from "Unit" where "tenantId" = $1 and "partId" = $2 order by "serialNumber"`,
        [tenant.tenantId, partId],
      );
    expect(await unitValues()).toEqual([{ value: "6.5" }, { value: "6.5" }]);
    expect(await stockOf(tenant, partId)).toEqual({ quantity: 2, totalValue: 13 });
    await actOk(tenant, "cancel", id);
    expect(await unitValues()).toEqual([{ value: "5" }, { value: "5" }]);
    expect(await correctionsOf(tenant, partId)).toMatchObject([{ value: "3" }, { value: "-3" }]);
    await verified(tenant);
  });
});

const invoiceInput = (number: string, orderLineId: string, supplierId: string) => ({
  supplierId,
  number,
  lines: [{ orderLineId, quantity: 1, amount: 5 }],
});

describe("a draft", () => {
  test("is refused with fields that do not fit", async () => {
    const { tenant, line, supplierId, partId, order } = await invoiced(gateway, ({ partId }) => [
      { partId, quantity: 10, unit: "each", price: 5 },
      { partId, quantity: 1, unit: "each", price: 5 },
    ]);
    const { createSupplier } = await tenant.ask(`mutation { createSupplier(input: { name: "FAG" }) { id } }`);
    const unsent = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 1 }] });
    const dollars = await orderOk(tenant, {
      supplierId,
      site: "North",
      currency: "USD",
      lines: [{ partId, quantity: 1, unit: "each", price: 1 }],
    });
    for (const step of ["submit", "send"]) await stepOk(tenant, step, dollars.id);
    const input = (lines: object[], more: object = {}) => ({ supplierId, number: "R-1", lines, ...more });
    const one = { orderLineId: line, quantity: 1, amount: 5 };
    const bad = (details: object) => ({ details });
    for (const [given, details] of [
      [input([]), { lines: "must have from 1 to 200 lines" }],
      [input([{ ...one, orderLineId: "x" }]), { "lines.0.orderLineId": "names no order line; use the id of an existing one" }],
      [input([one, { ...one, orderLineId: "x" }]), { "lines.1.orderLineId": "names no order line; use the id of an existing one" }],
      [input([one, one]), { "lines.1.orderLineId": "is duplicated; add up the quantities and amounts of the order line" }],
      [input([{ ...one, amount: 5.001 }]), { "lines.0.amount": "must be rounded to the digits of EUR" }],
      [input([one], { supplierId: "x" }), { supplierId: "names no supplier; use the id of an existing one" }],
      [input([one], { supplierId: createSupplier.id }), { "lines.0.orderLineId": "names a line of another supplier's order" }],
      [input([one], { currency: "USD" }), { "lines.0.orderLineId": "names a line in EUR; the invoice is in USD" }],
      [input([one, { ...one, orderLineId: dollars.lines[0].id }]), { "lines.1.orderLineId": "names a line in USD; the invoice is in EUR" }],
      [input([one], { exchangeRate: 2 }), { exchangeRate: "must be left out, because the invoice is in the currency of the stock" }],
    ] as const)
      await refused(tenant, () => createInvoice(tenant, given), "BAD_USER_INPUT", bad(details));
    await refused(tenant, () => createInvoice(tenant, input([{ ...one, orderLineId: unsent.lines[0].id }])), "CONFLICT", {
      status: "DRAFT",
    });
    const draft = await invoiceOk(tenant, input([one], { externalId: "ERP-1" }));
    await refused(tenant, () => createInvoice(tenant, input([one])), "CONFLICT");
    await refused(tenant, () => createInvoice(tenant, input([one], { number: "R-2", externalId: "ERP-1" })), "CONFLICT", {
      externalId: "ERP-1",
    });
    const { data } = await updateInvoice(tenant, draft.id, {
      number: "R-9",
      lines: [
        { ...one, amount: 6 },
        { orderLineId: order.lines[1].id, quantity: 1, amount: 5.5 },
      ],
    });
    expect(data.updateSupplierInvoice).toMatchObject({ number: "R-9", total: 11.5, lines: [{ amount: 6 }, { amount: 5.5, position: 2 }] });
    for (const lines of [[], null]) await refused(tenant, () => updateInvoice(tenant, draft.id, { lines }), "BAD_USER_INPUT");
    await refused(tenant, () => updateInvoice(tenant, draft.id, { number: null }), "BAD_USER_INPUT");
  });

  test("belongs to its site and the sites of its lines", async () => {
    const { tenant, clerk, order, supplierId } = await invoiced(gateway, ({ partId }) => [
      { partId, quantity: 1, unit: "each", price: 5 },
      { partId, quantity: 1, unit: "each", price: 5, site: "South" },
    ]);
    const { createApiKey } = await tenant.ask(
      `mutation { createApiKey(input: { name: "South", role: MANAGER, sites: ["South"] }) { key } }`,
    );
    const south = new Caller(tenant.gateway, tenant.tenantId, createApiKey.key);
    const line = (i: number) => ({ orderLineId: order.lines[i].id, quantity: 1, amount: 5 });
    await refused(south, () => createInvoice(south, { supplierId, number: "S", site: "North", lines: [line(1)] }), "FORBIDDEN");
    const both = await invoiceOk(tenant, { supplierId, number: "B", lines: [line(0), line(1)] });
    for (const name of ["post", "cancel"] as const) await refused(south, () => act(south, name, both.id), "FORBIDDEN");
    await refused(south, () => createInvoice(south, { supplierId, number: "S", site: "South", lines: [line(0)] }), "FORBIDDEN");
    const mixed = await invoiceOk(tenant, { supplierId, number: "M", site: "South", lines: [line(0)] });
    await refused(south, () => act(south, "post", mixed.id), "FORBIDDEN");
    const own = await invoiceOk(south, { supplierId, number: "S", site: "South", lines: [line(1)] });
    await receiveOk(clerk, order.lines[1].id, { accepted: 1 });
    expect(await actOk(south, "post", own.id)).toMatchObject({ lines: [{ status: "MATCHED" }] });
    const { supplierInvoices } = await south.ask("{ supplierInvoices { nodes { number lines { site } } } }");
    expect(supplierInvoices.nodes).toEqual([
      { number: "B", lines: [{ site: "South" }] },
      { number: "M", lines: [] },
      { number: "S", lines: [{ site: "South" }] },
    ]);
    await actOk(south, "cancel", own.id);
  });
});
