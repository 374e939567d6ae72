/** Serial and batch numbers on movements (docs/stock.md, "Serial and batch numbers"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const move = (name: string) =>
  `mutation ($p: ID!, $input: MoveStockInput!) { moved: ${name}(partId: $p, input: $input) { id newBalance serialNumbers batchNumber } }`;
const where = `query ($p: ID!, $n: String!) { serialNumber(partId: $p, number: $n) { serialNumber site batchNumber expiryDate lastMovement { type } movements { type quantity site } workOrders { id } } }`;
const onHand = `query ($p: ID!, $site: StockSite) { batches(partId: $p, site: $site) { site batchNumber quantity quantityExact expiryDate } }`;

async function newPart(tenant: Caller, fields: object = {}): Promise<string> {
  const { createPart } = await tenant.ask(`mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }`, {
    input: { partNumber: "P-1", name: "Bearing", unitCost: 10, site: "North", ...fields },
  });
  return createPart.id;
}

/** The rows that movements write. */
const state = (tenant: Caller) =>
  Promise.all(
    ["StockLevel", "StockMovement", "StockSerial", "StockBatch", "StockAdjustment"].map((table) =>
      gateway.database.query<any>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
        tenant.tenantId,
      ]),
    ),
  );

async function refused(tenant: Caller, document: string, variables: object): Promise<any> {
  const before = await state(tenant);
  const { errors } = await tenant.graphql(document, variables as Record<string, unknown>);
  expect(await state(tenant)).toEqual(before);
  const { code, details, serialNumbers, batchNumber, requested } = errors![0]!.extensions;
  return JSON.parse(JSON.stringify({ code, details, serialNumbers, batchNumber, requested }));
}

const site = async (tenant: Caller, p: string, n: string) => (await tenant.ask(where, { p, n })).serialNumber.site;

test("a part that tracks serial numbers requires as many as the quantity, and refusals change nothing", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true, tracksBatches: true });
  const receive = (input: object) => refused(tenant, move("receiveStock"), { p, input });
  const bad = (details: object) => ({ code: "BAD_USER_INPUT", details });
  expect(await receive({ quantity: 1.5 })).toEqual(
    bad({
      quantity: "must be whole, because the part tracks serial numbers",
      serialNumbers: "is required, because the part tracks serial numbers",
      batchNumber: "is required, because the part tracks batches",
    }),
  );
  expect(await receive({ quantity: 2, serialNumbers: ["A"], batchNumber: "B" })).toEqual(
    bad({ serialNumbers: "must be as many as the quantity, 2" }),
  );
  expect(await receive({ quantity: 2, serialNumbers: ["A", "A"] })).toEqual(bad({ serialNumbers: "must not name one twice" }));
  expect(await receive({ quantity: 1, serialNumbers: ["A"] })).toEqual(
    bad({ batchNumber: "is required, because the part tracks batches" }),
  );
  const adjust = `mutation ($p: ID!, $input: AdjustStockInput!) { adjustStock(partId: $p, input: $input) { id } }`;
  expect((await refused(tenant, adjust, { p, input: { adjustmentType: "COUNT", quantity: 1 } })).code).toBe("BAD_USER_INPUT");
  const created = `mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }`;
  expect((await refused(tenant, created, { input: { partNumber: "P-2", name: "B", tracksSerials: true, stockLevel: 1 } })).details).toEqual(
    {
      stockLevel: "must be received separately, because the part tracks serial numbers or batches",
    },
  );
  const plain = await newPart(tenant, { partNumber: "P-3" });
  expect(await refused(tenant, move("receiveStock"), { p: plain, input: { quantity: 1, expiryDate: "2030-01-01" } })).toEqual(
    bad({ expiryDate: "needs a batch number or serial numbers" }),
  );
  await tenant.ask(move("receiveStock"), { p: plain, input: { quantity: 2.5 } });
});

test("a movement names up to 1,000 pieces", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true });
  const input = (quantity: number) => ({ quantity, serialNumbers: Array.from({ length: quantity }, (_, i) => `S-${i}`) });
  expect((await refused(tenant, move("receiveStock"), { p, input: input(1001) })).code).toBe("BAD_USER_INPUT");
  expect((await tenant.ask(move("receiveStock"), { p, input: input(1000) })).moved).toMatchObject({ newBalance: 1000 });
  expect(await site(tenant, p, "S-999")).toBe("North");
});

test("locations of a piece over time: received, transferred, issued, reversed", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true });
  const { moved } = await tenant.ask(move("receiveStock"), {
    p,
    input: { quantity: 3, serialNumbers: ["S-1", "S-2", "S-3"], batchNumber: "L-1", expiryDate: "2031-05-01" },
  });
  expect(moved).toEqual({ id: moved.id, newBalance: 3, serialNumbers: ["S-1", "S-2", "S-3"], batchNumber: "L-1" });
  expect(await refused(tenant, move("receiveStock"), { p, input: { quantity: 2, serialNumbers: ["S-4", "S-2"] } })).toEqual({
    code: "CONFLICT",
    serialNumbers: ["S-2"],
  });
  await tenant.ask(
    `mutation ($p: ID!) { transferStock(partId: $p, input: { fromSite: "North", toSite: "South", quantity: 1, serialNumbers: ["S-2"] }) { id } }`,
    { p },
  );
  expect(await refused(tenant, move("issueStock"), { p, input: { site: "North", quantity: 2, serialNumbers: ["S-1", "S-2"] } })).toEqual({
    code: "CONFLICT",
    serialNumbers: ["S-2"],
  });
  expect((await tenant.ask(onHand, { p })).batches).toEqual([
    { site: "North", batchNumber: "L-1", quantity: 2, quantityExact: "2", expiryDate: "2031-05-01T00:00:00.000Z" },
    { site: "South", batchNumber: "L-1", quantity: 1, quantityExact: "1", expiryDate: "2031-05-01T00:00:00.000Z" },
  ]);
  await tenant.ask(move("issueStock"), { p, input: { site: "South", quantity: 1, serialNumbers: ["S-2"] } });
  expect((await tenant.ask(where, { p, n: "S-2" })).serialNumber).toEqual({
    serialNumber: "S-2",
    site: null,
    batchNumber: "L-1",
    expiryDate: "2031-05-01T00:00:00.000Z",
    lastMovement: { type: "ISSUE" },
    movements: [
      { type: "RECEIPT", quantity: 3, site: "North" },
      { type: "TRANSFER", quantity: -1, site: "North" },
      { type: "TRANSFER", quantity: 1, site: "South" },
      { type: "ISSUE", quantity: -1, site: "South" },
    ],
    workOrders: [],
  });
  expect((await tenant.ask(onHand, { p, site: "South" })).batches).toEqual([]);
  await tenant.ask(move("returnStock"), { p, input: { site: "South", quantity: 1, serialNumbers: ["S-2"] } });
  expect(await site(tenant, p, "S-2")).toBe("South");
  // A rejected adjustment is reversed, including its pieces.
  const { adjustStock } = await tenant.ask(
    `mutation ($p: ID!) { adjustStock(partId: $p, input: { site: "South", adjustmentType: LOSS, quantity: -1, serialNumbers: ["S-2"] }) { id } }`,
    { p },
  );
  expect(await site(tenant, p, "S-2")).toBeNull();
  const manager = await tenant.as("manager");
  await manager.ask(`mutation ($id: ID!) { rejectAdjustment(id: $id) { id } }`, { id: adjustStock.id });
  expect(await site(tenant, p, "S-2")).toBe("South");
  const { errors } = await tenant.graphql(where, { p, n: "S-9" });
  expect(errors![0]!.extensions).toMatchObject({ code: "NOT_FOUND", partId: p, number: "S-9" });
  // Writing the stock off removes all pieces.
  await tenant.ask(`mutation ($p: ID!) { deleteInventory(partId: $p) { finalStock } }`, { p });
  expect([await site(tenant, p, "S-1"), await site(tenant, p, "S-2")]).toEqual([null, null]);
  expect((await tenant.ask(onHand, { p })).batches).toEqual([]);
});

test("if two clients issue one piece concurrently, one succeeds", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant);
  await tenant.ask(move("receiveStock"), { p, input: { quantity: 4, serialNumbers: ["A", "B", "C", "D"] } });
  const answers = await Promise.all(
    [1, 2].map(() => tenant.graphql(move("issueStock"), { p, input: { quantity: 1, serialNumbers: ["A"] } })),
  );
  expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? "issued").sort()).toEqual(["CONFLICT", "issued"]);
  const { part } = await tenant.ask(`query ($p: ID!) { part(id: $p) { stockLevel movements { totalCount } } }`, { p });
  expect(part).toEqual({ stockLevel: 3, movements: { totalCount: 2 } });
});

test("batches: first expired first, no more than they hold, and expiring ones can be found", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksBatches: true });
  const receive = (batchNumber: string, expiryDate?: string) =>
    tenant.ask(move("receiveStock"), { p, input: { quantity: 2.5, batchNumber, expiryDate } });
  await receive("NONE");
  await receive("LATE", "2032-01-01");
  await receive("SOON", "2030-01-01");
  const input = { quantity: 1, batchNumber: "LATE", expiryDate: "2033-01-01" };
  expect(await refused(tenant, move("receiveStock"), { p, input })).toEqual({ code: "CONFLICT", batchNumber: "LATE" });
  expect(await refused(tenant, move("issueStock"), { p, input: { quantity: 3, batchNumber: "SOON" } })).toEqual({
    code: "CONFLICT",
    batchNumber: "SOON",
    requested: 3,
  });
  expect((await refused(tenant, move("issueStock"), { p, input: { quantity: 1, batchNumber: "OTHER" } })).code).toBe("CONFLICT");
  await tenant.ask(move("issueStock"), { p, input: { quantity: 0.5, batchNumber: "SOON" } });
  expect((await tenant.ask(onHand, { p })).batches.map((batch: any) => [batch.batchNumber, batch.quantityExact])).toEqual([
    ["SOON", "2"],
    ["LATE", "2.5"],
    ["NONE", "2.5"],
  ]);
  const expiring = async (at: string) =>
    (await tenant.ask(`query ($at: DateTime) { inventory(filter: { expiresBefore: $at }) { totalCount } }`, { at })).inventory.totalCount;
  expect([await expiring("2030-01-01"), await expiring("2030-01-02")]).toEqual([0, 1]);
  await tenant.ask(move("issueStock"), { p, input: { quantity: 2, batchNumber: "SOON" } });
  expect(await expiring("2030-01-02")).toBe(0);
});
