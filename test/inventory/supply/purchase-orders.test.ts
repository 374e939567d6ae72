/** Purchase orders over GraphQL: numbers, lines, states, cancellation and sites (docs/supply.md). */
import { describe, expect, test } from "vitest";
import { sharedGateway } from "../../world.js";
import { createOrder, orderOk, refuses, step, stepOk, supplied, updateOrder } from "./purchases.js";

const gateway = await sharedGateway();

const year = new Date().getUTCFullYear();
const numbered = (place: number) => `PO-${year}-${String(place).padStart(5, "0")}`;

const plant = async () => {
  const tenant = await gateway.newTenant();
  return { tenant, ...(await supplied(tenant)) };
};

const listed = async (caller: any, filter: object = {}) =>
  (
    await caller.ask(`query ($filter: PurchaseOrderFilter) { purchaseOrders(filter: $filter) { nodes { number } } }`, { filter })
  ).purchaseOrders.nodes.map(({ number }: any) => number);

describe("a draft", () => {
  test("takes units and prices of the supplier part, rounds each line and sums them", async () => {
    const { tenant, supplierId, partId } = await plant();
    const asset = await tenant.createAsset({ site: "North" });
    const { createWorkOrder } = await tenant.ask(
      `mutation ($id: ID!) { createWorkOrder(input: { title: "Crane", assetId: $id, type: PREVENTIVE }) { id } }`,
      { id: asset.id },
    );
    const order = await orderOk(tenant, {
      supplierId,
      site: "North",
      notes: "Ring first",
      externalId: "ERP-1",
      lines: [
        { partId, quantity: 5, promisedAt: "2031-03-01" },
        { partId, quantity: 10, site: "South" },
        { partId, quantity: 7, unit: "each", price: 2.675 },
        { description: "Crane", quantity: 1.5, price: 99.99, workOrderId: createWorkOrder.id },
      ],
    });
    const line = {
      part: { partNumber: "6204" },
      description: null,
      accepted: 0,
      cancelled: 0,
      promisedAt: null,
      repromisedAt: null,
      site: "North",
      workOrderId: null,
    };
    const ids = order.lines.map(({ id }: any) => ({ id }));
    // 5 × 30; 10 × 28.5; 7 × 2.675 = 18.725; 1.5 × 99.99 = 149.985.
    expect(order).toEqual({
      id: order.id,
      number: numbered(1),
      status: "DRAFT",
      site: "North",
      currency: "EUR",
      total: 603.72,
      approvalRule: null,
      approverId: null,
      approvedBy: null,
      approvedFor: null,
      submittedBy: null,
      sentBy: null,
      decisionReason: null,
      cancellationReason: null,
      version: 1,
      lines: [
        {
          ...line,
          ...ids[0],
          position: 1,
          quantity: 5,
          unit: "box",
          unitFactor: 12,
          price: 30,
          amount: 150,
          openQuantity: 60,
          promisedAt: "2031-03-01T00:00:00.000Z",
        },
        {
          ...line,
          ...ids[1],
          position: 2,
          quantity: 10,
          unit: "box",
          unitFactor: 12,
          price: 28.5,
          amount: 285,
          openQuantity: 120,
          site: "South",
        },
        { ...line, ...ids[2], position: 3, quantity: 7, unit: "each", unitFactor: 1, price: 2.675, amount: 18.73, openQuantity: 7 },
        {
          ...line,
          ...ids[3],
          position: 4,
          part: null,
          description: "Crane",
          quantity: 1.5,
          unit: null,
          unitFactor: 1,
          price: 99.99,
          amount: 149.99,
          openQuantity: 1.5,
          workOrderId: createWorkOrder.id,
        },
      ],
    });
    const { part } = await tenant.ask(
      `query ($id: ID!) { part(id: $id) { onOrder purchaseOrderLines(filter: { site: "South" }) { nodes { order { number } openQuantity } } } }`,
      { id: partId },
    );
    expect(part).toEqual({ onOrder: 0, purchaseOrderLines: { nodes: [{ order: { number: numbered(1) }, openQuantity: 120 }] } });
    const yen = await orderOk(tenant, {
      supplierId,
      site: "North",
      currency: "JPY",
      exchangeRate: 0.0061,
      lines: [{ partId, quantity: 3, price: 0.5 }],
    });
    expect([yen.total, yen.lines[0].amount]).toEqual([2, 2]);
    const dinar = await orderOk(tenant, { supplierId, site: "North", currency: "KWD", lines: [{ partId, quantity: 3, price: 0.3335 }] });
    expect(dinar.total).toBe(1.001);
  });

  test("changes as a whole, with its version, and its lines are replaced", async () => {
    const { tenant, supplierId, partId } = await plant();
    const { id } = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 5 }] });
    const { data } = await updateOrder(tenant, id, {
      notes: "n",
      lines: [
        { description: "Crane", quantity: 2, price: 10 },
        { partId, quantity: 1 },
      ],
    });
    expect(data.updatePurchaseOrder).toMatchObject({ version: 2, total: 50, lines: [{ description: "Crane" }, { unit: "box" }] });
    expect((await updateOrder(tenant, id, { lines: null })).data.updatePurchaseOrder).toMatchObject({ total: 0, lines: [] });
    await refuses(tenant, () => step(tenant, "submit", id), "CONFLICT", { purchaseOrderId: id });
    await refuses(tenant, () => step(tenant, "cancel", id, { reason: "r", expectedVersion: 2 }), "CONFLICT", { version: 3 });
  });

  test("is refused for unknown, foreign and inactive records, without a price, and for too many lines", async () => {
    const { tenant, supplierId, partId } = await plant();
    const other = await plant();
    const draft = await orderOk(tenant, { supplierId, site: "North" });
    const refused = async (lines: object[], details: object) => {
      await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", lines }), "BAD_USER_INPUT", { details });
      await refuses(tenant, () => updateOrder(tenant, draft.id, { lines }), "BAD_USER_INPUT", { details });
    };
    const noPrice = "is required, because the supplier part has no price in EUR for this quantity and unit";
    await refused([{ partId: other.partId, quantity: 1, price: 1 }], { "lines.0.partId": "names no part; use the id of an existing one" });
    await refused([{ description: "x", quantity: 1, price: 1, workOrderId: "x" }], {
      "lines.0.workOrderId": "names no work order; use the id of an existing one",
    });
    await refused(
      [
        { partId, quantity: 1 },
        { quantity: 1, price: 1 },
      ],
      { "lines.1.description": "is required, or partId" },
    );
    await refused(
      [
        { partId, quantity: 0.5 },
        { partId, quantity: 1, unit: "each" },
      ],
      {
        "lines.0.price": noPrice,
        "lines.0.quantity": "must be a multiple of 1, the pack size of the supplier part",
        "lines.1.price": noPrice,
      },
    );
    await refused(Array(201).fill({ description: "x", quantity: 1, price: 1 }), { lines: "must have at most 200 lines" });
    await refuses(tenant, () => createOrder(tenant, { supplierId: other.supplierId, site: "North" }), "BAD_USER_INPUT", {
      details: { supplierId: "names no supplier; use the id of an existing one" },
    });
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North", exchangeRate: 1.1 }), "BAD_USER_INPUT");
    await tenant.ask(`mutation ($id: ID!) { updateSupplier(id: $id, input: { isActive: false }) { id } }`, { id: supplierId });
    await refuses(tenant, () => createOrder(tenant, { supplierId, site: "North" }), "CONFLICT", { supplierId });
    await refuses(other.tenant, () => step(other.tenant, "cancel", draft.id, { reason: "r" }), "NOT_FOUND", { purchaseOrderId: draft.id });
  });
});

describe("numbers", () => {
  test("have no gaps and no duplicates, whatever is refused and whoever orders at once", async () => {
    const { tenant, supplierId, partId } = await plant();
    const other = await plant();
    await orderOk(other.tenant, { supplierId: other.supplierId, site: "North" });
    const clients = [tenant, await tenant.as("manager"), await tenant.as("manager"), await tenant.as("manager")];
    // Every third order fails after it took its number: in its lines, or by its external id.
    const calls = Array.from({ length: 48 }, (_, i) =>
      createOrder(clients[i % clients.length]!, {
        supplierId,
        site: "North",
        externalId: i % 3 === 1 ? "same" : undefined,
        lines: i % 3 === 2 ? [{ partId: "x", quantity: 1, price: 1 }] : [{ partId, quantity: 1 }],
      }),
    );
    const answers = await Promise.all(calls);
    const created = answers.flatMap(({ data }) => data?.createPurchaseOrder?.number ?? []);
    expect(created.sort()).toEqual(Array.from({ length: 17 }, (_, i) => numbered(i + 1)));
    expect(await listed(other.tenant)).toEqual([numbered(1)]);
    const [last] = await gateway.database.query<any>(`select year, last from "PurchaseOrderNumber" where "tenantId" = $1`, [
      tenant.tenantId,
    ]);
    expect(last).toEqual({ year, last: 17 });
  });
});

describe("an order", () => {
  test("is submitted and sent once, and then no longer changes", async () => {
    const { tenant, supplierId, partId } = await plant();
    const clients = await Promise.all(Array.from({ length: 4 }, () => tenant.as("manager")));
    const { id } = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 5 }] });
    await refuses(tenant, () => step(tenant, "send", id), "CONFLICT", { status: "DRAFT" });
    const submitted = await Promise.all(clients.map((client) => step(client, "submit", id)));
    expect(submitted.map(({ errors }) => errors?.[0]?.extensions ?? "done").sort()).toEqual([
      ...Array(3).fill({ code: "CONFLICT", status: "APPROVED" }),
      "done",
    ]);
    await refuses(tenant, () => updateOrder(tenant, id, { notes: "n" }), "CONFLICT", { status: "APPROVED" });
    await refuses(tenant, () => step(tenant, "approve", id), "CONFLICT", { status: "APPROVED" });
    const sent = await Promise.all(clients.map((client) => step(client, "send", id)));
    expect(sent.map(({ errors }) => errors?.[0]?.extensions ?? "done").sort()).toEqual([
      ...Array(3).fill({ code: "CONFLICT", status: "SENT" }),
      "done",
    ]);
    await refuses(tenant, () => step(tenant, "submit", id), "CONFLICT", { status: "SENT" });
    const { purchaseOrder } = await tenant.ask(
      `query ($id: ID!) { purchaseOrder(id: $id) { changes { nodes { kind operation fields { field after } } } } }`,
      {
        id,
      },
    );
    expect(purchaseOrder.changes.nodes.map(({ kind, operation }: any) => [kind, operation])).toEqual([
      ["UPDATED", "sendPurchaseOrder"],
      ["UPDATED", "submitPurchaseOrder"],
      ["UPDATED", "createPurchaseOrder"],
      ["CREATED", "createPurchaseOrder"],
    ]);
    expect(purchaseOrder.changes.nodes[0].fields).toContainEqual({ field: "status", after: "sent" });
  });

  test("is cancelled by lines or as a whole, only what is open", async () => {
    const { tenant, supplierId, partId } = await plant();
    const lines = [
      { partId, quantity: 5 },
      { description: "Crane", quantity: 2, price: 10 },
    ];
    const { id } = await orderOk(tenant, { supplierId, site: "North", lines });
    const [bearing, crane] = (await orderOk(tenant, { supplierId, site: "North", lines })).lines;
    await refuses(tenant, () => step(tenant, "cancelLine", crane.id, { reason: "late" }), "CONFLICT", { status: "DRAFT" });
    const second = (
      await tenant.ask(`query ($id: ID!) { purchaseOrderLines(filter: { partId: $id }) { nodes { orderId } } }`, { id: partId })
    ).purchaseOrderLines.nodes[1].orderId;
    await stepOk(tenant, "submit", second);
    await stepOk(tenant, "send", second);
    const partly = await stepOk(tenant, "cancelLine", crane.id, { reason: "late" });
    expect(partly).toMatchObject({ status: "SENT", total: 150, lines: [{ cancelled: 0 }, { cancelled: 2, openQuantity: 0, amount: 0 }] });
    await refuses(tenant, () => step(tenant, "cancelLine", crane.id, { reason: "late" }), "CONFLICT", {
      purchaseOrderLineId: crane.id,
      open: 0,
    });
    const both = await Promise.all([1, 2].map(() => step(tenant, "cancelLine", bearing.id, { reason: "late" })));
    expect(both.map(({ errors }) => errors?.[0]?.extensions.code ?? "done").sort()).toEqual(["CONFLICT", "done"]);
    expect(await listed(tenant, { status: "CANCELLED" })).toEqual([numbered(2)]);
    const whole = await stepOk(tenant, "cancel", id, { reason: "twice" });
    expect(whole).toMatchObject({
      status: "CANCELLED",
      total: 0,
      cancellationReason: "twice",
      lines: [{ cancelled: 60, openQuantity: 0 }, { cancelled: 2 }],
    });
    await refuses(tenant, () => step(tenant, "cancel", id, { reason: "again" }), "CONFLICT", { status: "CANCELLED" });
  });

  test("keeps the first and the last promised date, and late lines are listed", async () => {
    const { tenant, supplierId, partId } = await plant();
    const lines = [
      { partId, quantity: 5, promisedAt: "2026-01-01" },
      { partId, quantity: 1, promisedAt: "2041-01-01" },
    ];
    const order = await orderOk(tenant, { supplierId, site: "North", lines });
    const [first] = order.lines;
    const repromise = () =>
      tenant.graphql(
        `mutation ($id: ID!) { repromisePurchaseOrderLine(id: $id, repromisedAt: "2041-02-01") { lines { promisedAt repromisedAt } } }`,
        {
          id: first.id,
        },
      );
    const late = async (filter: object) =>
      (
        await tenant.ask(`query ($filter: PurchaseOrderLineFilter) { purchaseOrderLines(filter: $filter) { nodes { position } } }`, {
          filter,
        })
      ).purchaseOrderLines.nodes.map(({ position }: any) => position);
    await refuses(tenant, repromise, "CONFLICT", { status: "DRAFT" });
    expect(await late({ late: true })).toEqual([]);
    await stepOk(tenant, "submit", order.id);
    await stepOk(tenant, "send", order.id);
    expect([await late({ late: true }), await late({ late: false }), await late({ open: true })]).toEqual([[1], [2], [1, 2]]);
    expect((await repromise()).data.repromisePurchaseOrderLine.lines[0]).toEqual({
      promisedAt: "2026-01-01T00:00:00.000Z",
      repromisedAt: "2041-02-01T00:00:00.000Z",
    });
    expect(await late({ late: true })).toEqual([]);
  });

  test("belongs to its site and the sites of its lines, for keys limited to sites", async () => {
    const { tenant, supplierId, partId } = await plant();
    const both = await orderOk(tenant, {
      supplierId,
      site: "North",
      lines: [
        { partId, quantity: 1 },
        { partId, quantity: 2, site: "South" },
      ],
    });
    await orderOk(tenant, { supplierId, site: "West", lines: [{ partId, quantity: 1 }] });
    const south = await tenant.as("manager", ["South"], false);
    expect(await listed(south)).toEqual([numbered(1)]);
    const { purchaseOrder } = await south.ask(`query ($id: ID!) { purchaseOrder(id: $id) { total lines { position } } }`, { id: both.id });
    expect(purchaseOrder).toEqual({ total: 90, lines: [{ position: 2 }] });
    for (const input of [{ site: "North" }, { site: "South", lines: [{ partId, quantity: 1, site: "North" }] }])
      await refuses(tenant, () => createOrder(south, { supplierId, ...input }), "FORBIDDEN");
    for (const name of ["submit", "cancel"])
      await refuses(tenant, () => step(south, name, both.id, name === "cancel" ? { reason: "r" } : {}), "FORBIDDEN");
    const own = await orderOk(south, { supplierId, site: "South", lines: [{ partId, quantity: 1 }] });
    expect(await stepOk(south, "submit", own.id)).toMatchObject({ number: numbered(3), status: "APPROVED" });
  });
});
