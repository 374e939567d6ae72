/** The inventory endpoints (docs/interface.md 4.3, without reports) and stock operations over GraphQL. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, type RestResponse, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const requestId = expect.any(String);

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
});
const unknown = (partId: string) => ({ error: "Part not found", partId, code: "NOT_FOUND" });
const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };
const short = (available: number, requested: number) => ({ error: "Insufficient stock", available, requested, code: "CONFLICT" });

async function part(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: `N-${randomUUID()}`, name: "Bearing", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

async function rows(tenant: Caller) {
  const tables = ["Part", "StockLevel", "StockMovement", "StockAdjustment"];
  const found = tables.map((table) =>
    gateway.database.query<{ row: any }>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** Expects exactly this error, and no change. */
async function expectRejected(tenant: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await rows(tenant);
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, requestId } });
  expect(await rows(tenant)).toEqual(before);
}

async function failed(tenant: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await rows(tenant);
  const { errors } = await call();
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await rows(tenant)).toEqual(before);
}

type Verb = "receive" | "issue" | "return" | "reserve" | "unreserve";
const movementFields = "type site quantity previousBalance newBalance unitCost totalValue reason reference notes";
const mutation = (verb: Verb) =>
  `mutation ($partId: ID!, $input: MoveStockInput!) { ${verb}Stock(partId: $partId, input: $input) { ${movementFields} } }`;
const attempt = (caller: Caller, verb: Verb, partId: string, input: object) => caller.graphql(mutation(verb), { partId, input });
const move = async (caller: Caller, verb: Verb, partId: string, input: object) =>
  (await caller.ask(mutation(verb), { partId, input }))[`${verb}Stock`];
const transferring = `mutation ($partId: ID!, $input: TransferStockInput!) { transferStock(partId: $partId, input: $input) { ${movementFields} } }`;

const adjust = (caller: Caller, partId: string, body: object, query = "") =>
  caller.rest("POST", `/inventory/${partId}/adjustments${query}`, body);
const put = (caller: Caller, partId: string, body: object, query = "") => caller.rest("PUT", `/inventory/${partId}${query}`, body);

async function movements(tenant: Caller, partId: string, query = ""): Promise<any[]> {
  const { status, body } = await tenant.rest("GET", `/inventory/${partId}/history${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.movements;
}
const chain = async (tenant: Caller, partId: string, query = "") =>
  (await movements(tenant, partId, query)).map((m) => [m.type, m.quantity, m.previousBalance, m.newBalance]);

const balanced = async (tenant: Caller) =>
  expect((await tenant.ask("{ verifyLedger { balanced faults { problem } } }")).verifyLedger).toEqual({ balanced: true, faults: [] });

const levelOf = async (tenant: Caller, partId: string, site: string) =>
  (
    await tenant.ask(
      `query ($id: ID!, $site: String) { part(id: $id) { stockAt(site: $site) { quantity reservedStock availableStock unitCost totalValue stockStatus exists } } }`,
      { id: partId, site },
    )
  ).part.stockAt;

describe("GET /inventory", () => {
  test("returns a record per part and site; thresholds default to those of the part", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, {
      partNumber: "B-1",
      unit: "each",
      cost: 2.5,
      minimumStock: 1,
      maximumStock: 9,
      site: "North",
      stockLevel: 4,
    });
    await move(tenant, "receive", partId, { site: "South", quantity: 1.5 });
    const record = { partId, tenantId: tenant.tenantId, minStockLevel: 1, maxStockLevel: 9, createdAt: time, updatedAt: time };
    const partDetails = { partNumber: "B-1", name: "Bearing", unit: "each", cost: 2.5 };
    const { status, body } = await tenant.rest("GET", "/inventory");
    expect({ status, body }).toEqual({
      status: 200,
      body: [
        { ...record, site: "North", quantity: 4, partDetails },
        { ...record, site: "South", quantity: 1.5, partDetails },
      ],
    });
  });

  test("filters by search, location, category, lowStock and outOfStock; limit and offset", async () => {
    const tenant = await gateway.newTenant();
    const make = async (name: string, fields: object, stock: object) => {
      const partId = await part(tenant, { name, partNumber: name, ...fields });
      expect((await put(tenant, partId, stock)).status).toBe(200);
    };
    await make("A 50%", { category: "Seals", site: "North" }, { currentStock: 5, reorderPoint: 6, location: "A-1" });
    await make("B_x", { category: "Seals", site: "South" }, { currentStock: 0, minimumStock: 1 });
    await make("C", { category: "Belts", site: "A-1", description: "a SEAL" }, { currentStock: 8 });
    const found = async (query: string) => {
      const { status, body } = await tenant.rest("GET", `/inventory?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.map((record: any) => record.partDetails.name).join();
    };
    expect(await found("")).toBe("A 50%,B_x,C");
    expect(await found("search=seal")).toBe("A 50%,B_x,C");
    expect(await found("search=%25")).toBe("A 50%");
    expect(await found("search=_")).toBe("B_x");
    expect(await found("location=A-1")).toBe("A 50%,C");
    expect(await found("location=South")).toBe("B_x");
    expect(await found("category=Seals")).toBe("A 50%,B_x");
    expect(await found("lowStock=true")).toBe("A 50%,B_x");
    expect(await found("lowStock=false")).toBe("C");
    expect(await found("outOfStock=true")).toBe("B_x");
    expect(await found("outOfStock=false&category=Seals")).toBe("A 50%");
    expect(await found("limit=2")).toBe("A 50%,B_x");
    expect(await found("limit=2&offset=2")).toBe("C");
    expect(await found("site=North")).toBe("A 50%");
  });

  test.each(["limit=0", "limit=1001", "limit=x", "offset=-1", "lowStock=1", "outOfStock=no"])("%s is 400 naming it", async (query) => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, () => tenant.rest("GET", `/inventory?${query}`), 400, naming(query.split("=")[0]!));
  });

  test("a list response can be PUT back: no movement, and the part's thresholds are not copied to the record", async () => {
    const tenant = await gateway.newTenant();
    await part(tenant, { cost: 2, minimumStock: 1, maximumStock: 9, reorderPoint: 3, location: "A", site: "North", stockLevel: 4 });
    const [item] = (await tenant.rest("GET", "/inventory")).body;
    const undated = async () => (await rows(tenant)).map((list) => list.map(({ updatedAt: _at, ...row }) => row));
    const before = await undated();
    const first = await put(tenant, item.partId, item);
    expect([first.status, first.headers.get("warning")]).toEqual([200, null]);
    expect(await undated()).toEqual(before);
    const second = await put(tenant, item.partId, first.body);
    expect([second.status, second.headers.get("warning")]).toEqual([200, null]);
    expect(second.body).toEqual({ ...first.body, updatedAt: time });
    expect(await undated()).toEqual(before);
  });
});

describe("GET /inventory/{partId}", () => {
  test("without site: the part and its records; with site: one record, with exists false if there is none", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { partNumber: "B-1", unit: "box", cost: 3, site: "South", stockLevel: 2 });
    await move(tenant, "receive", partId, { site: "North", quantity: 1 });
    const record = { partId, tenantId: tenant.tenantId, createdAt: time, updatedAt: time };
    expect((await tenant.rest("GET", `/inventory/${partId}`)).body).toEqual({
      part: { partId, partNumber: "B-1", name: "Bearing", unit: "box", cost: 3 },
      inventory: [
        { ...record, site: "North", quantity: 1 },
        { ...record, site: "South", quantity: 2 },
      ],
    });
    expect((await tenant.rest("GET", `/inventory/${partId}?site=North`)).body).toEqual({
      ...record,
      site: "North",
      quantity: 1,
      exists: true,
    });
    const nowhere = { partId, tenantId: tenant.tenantId, site: "West", quantity: 0, exists: false };
    const { status, body } = await tenant.rest("GET", `/inventory/${partId}?site=West`);
    expect({ status, body }).toEqual({ status: 200, body: nowhere });
  });

  test("a part without stock has no records", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { partNumber: "B-1" });
    expect((await tenant.rest("GET", `/inventory/${partId}`)).body).toEqual({
      part: { partId, partNumber: "B-1", name: "Bearing" },
      inventory: [],
    });
  });
});

describe("PUT /inventory/{partId}", () => {
  test("returns the updated record; a changed quantity is recorded as one cycle_count", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { partNumber: "B-1", cost: 2, site: "North", stockLevel: 10 });
    const sent = {
      currentStock: 7.5,
      minimumStock: 1,
      maximumStock: 20,
      reorderPoint: 5,
      location: "A-1",
      unitCost: 2.5,
      reason: "Count",
      notes: "n",
    };
    const { status, body } = await put(tenant, partId, sent);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        partId,
        partNumber: "B-1",
        partName: "Bearing",
        currentStock: 7.5,
        availableStock: 7.5,
        reservedStock: 0,
        minimumStock: 1,
        maximumStock: 20,
        reorderPoint: 5,
        unitCost: 2.5,
        totalValue: 18.75,
        location: "A-1",
        stockStatus: "adequate",
        adjustmentReason: "Count",
        updatedAt: time,
      },
    });
    const recorded = await movements(tenant, partId);
    expect(recorded).toHaveLength(2);
    expect(recorded[1]).toEqual({
      id: uuid,
      type: "cycle_count",
      quantity: -2.5,
      previousBalance: 10,
      newBalance: 7.5,
      unitCost: 2,
      totalValue: -5,
      reason: "Count",
      notes: "n",
      performedBy: expect.any(String),
      performedByName: "admin",
      performedAt: time,
    });
    await balanced(tenant);
  });

  test("a currentStock that is missing or equal to the balance makes no movement", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "North", stockLevel: 10 });
    expect((await put(tenant, partId, { currentStock: 10, minimumStock: 3 })).body).toMatchObject({ currentStock: 10, minimumStock: 3 });
    expect((await put(tenant, partId, { minimumStock: null, location: "B" })).body).toMatchObject({ currentStock: 10, location: "B" });
    expect(await chain(tenant, partId)).toEqual([["receipt", 10, 0, 10]]);
  });

  test("both names of a field are accepted", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant);
    const { body } = await put(tenant, partId, { quantity: 4, minStockLevel: 2, maxStockLevel: 6 });
    expect(body).toMatchObject({ currentStock: 4, minimumStock: 2, maximumStock: 6, stockStatus: "adequate" });
    expect((await tenant.rest("GET", `/inventory/${partId}?site=main`)).body).toMatchObject({
      quantity: 4,
      minStockLevel: 2,
      maxStockLevel: 6,
    });
  });

  test("site comes from the query, the body, the part, or is main; with several records it is required", async () => {
    const tenant = await gateway.newTenant();
    const withoutSite = await part(tenant);
    await put(tenant, withoutSite, { currentStock: 1 });
    expect((await tenant.rest("GET", `/inventory/${withoutSite}?site=main`)).body.exists).toBe(true);
    const partId = await part(tenant, { site: "North" });
    await put(tenant, partId, { currentStock: 1 });
    await put(tenant, partId, { currentStock: 2 }, "?site=South");
    await put(tenant, partId, { currentStock: 3, site: "East" });
    await put(tenant, partId, { currentStock: 4, site: "West" }, "?site=South");
    const { inventory } = (await tenant.rest("GET", `/inventory/${partId}`)).body;
    expect(inventory.map((record: any) => [record.site, record.quantity])).toEqual([
      ["East", 3],
      ["North", 1],
      ["South", 2],
      ["West", 4],
    ]);
    const several = { ...naming(), details: { site: expect.stringContaining("East, North, South, West") } };
    await expectRejected(tenant, () => put(tenant, partId, { currentStock: 9 }), 400, several);
    await expectRejected(tenant, () => adjust(tenant, partId, { adjustmentType: "count", quantity: 1 }), 400, several);
  });

  test("without site, a part's only record is updated, even if the part has another site", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "North" });
    await put(tenant, partId, { currentStock: 2, site: "South" });
    await put(tenant, partId, { currentStock: 5 });
    expect((await tenant.rest("GET", `/inventory/${partId}`)).body.inventory).toMatchObject([{ site: "South", quantity: 5 }]);
  });

  test("a wrong expectedBalance is 409, and nothing is set", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const wrong = { error: expect.any(String), expectedBalance: 9, currentBalance: 10, code: "CONFLICT" };
    await expectRejected(tenant, () => put(tenant, partId, { currentStock: 3, minimumStock: 1, expectedBalance: 9 }), 409, wrong);
    await expectRejected(tenant, () => put(tenant, partId, { minimumStock: 1, expectedBalance: 9 }), 409, wrong);
    await expectRejected(tenant, () => adjust(tenant, partId, { adjustmentType: "count", quantity: 1, expectedBalance: 9 }), 409, wrong);
    expect((await put(tenant, partId, { currentStock: 3, expectedBalance: 10 })).body.currentStock).toBe(3);
    expect((await adjust(tenant, partId, { adjustmentType: "count", quantity: 1, expectedBalance: 3 })).body.newBalance).toBe(4);
  });

  test.each([
    ["currentStock", -1],
    ["currentStock", "5"],
    ["currentStock", 0.00001],
    ["quantity", -1],
    ["minimumStock", -1],
    ["maxStockLevel", "many"],
    ["reorderPoint", -0.1],
    ["unitCost", 0],
    ["unitCost", -2],
    ["location", 7],
    ["reason", "x".repeat(256)],
    ["site", "x".repeat(151)],
    ["expectedBalance", -1],
  ])("%s %j is 400 naming it", async (field, value) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 5 });
    await expectRejected(tenant, () => put(tenant, partId, { [field]: value }), 400, naming(field));
  });

  test.each([
    ["out", 0],
    ["critical", 4],
    ["low", 5],
    ["low", 9],
    ["adequate", 10],
    ["adequate", 20],
    ["excess", 20.0001],
  ])("stockStatus is %s at %d of minimum 5, reorder point 10, maximum 20", async (stockStatus, currentStock) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { minimumStock: 5, reorderPoint: 10, maximumStock: 20 });
    expect((await put(tenant, partId, { currentStock })).body.stockStatus).toBe(stockStatus);
  });
});

describe("a minimum above the maximum", () => {
  const least = { error: "Invalid input", details: { minimumStock: "must not be above maximumStock" }, code: "BAD_USER_INPUT" };
  const most = { error: "Invalid input", details: { maximumStock: "must not be below minimumStock" }, code: "BAD_USER_INPUT" };

  test("is rejected if the change results in it, together with a new quantity in the same request", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { minimumStock: 5, maximumStock: 20, stockLevel: 7 });
    await expectRejected(tenant, () => put(tenant, partId, { currentStock: 9, minimumStock: 30, maximumStock: 29 }), 400, most);
    // The part's threshold applies if the level has none.
    await expectRejected(tenant, () => put(tenant, partId, { currentStock: 9, minimumStock: 20.0001 }), 400, least);
    await expectRejected(tenant, () => put(tenant, partId, { maximumStock: 4 }), 400, most);
    await expectRejected(tenant, () => put(tenant, partId, { minStockLevel: 21 }), 400, {
      ...least,
      details: { minStockLevel: "must not be above maximumStock" },
    });
    expect((await put(tenant, partId, { minimumStock: 20 })).body).toMatchObject({ minimumStock: 20, maximumStock: 20 });
    await expectRejected(tenant, () => put(tenant, partId, { maximumStock: 19 }), 400, most);
    expect((await put(tenant, partId, { minimumStock: 40, maximumStock: 50 })).body).toMatchObject({ minimumStock: 40, maximumStock: 50 });
    // Without its own maximum, the part's 20 would apply.
    await expectRejected(tenant, () => put(tenant, partId, { maximumStock: null }), 400, least);
    expect((await put(tenant, partId, { minimumStock: null, maximumStock: null })).body).toMatchObject({
      minimumStock: 5,
      maximumStock: 20,
    });
  });

  test("that results from a change of the part does not block stock changes", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { minimumStock: 1, maximumStock: 20, stockLevel: 7 });
    await put(tenant, partId, { minimumStock: 10 });
    expect((await tenant.rest("PUT", `/parts/${partId}`, { maximumStock: 8 })).status).toBe(200);
    expect((await adjust(tenant, partId, { adjustmentType: "count", quantity: 1 })).status).toBe(201);
    expect((await put(tenant, partId, { currentStock: 9, location: "B" })).body).toMatchObject({
      currentStock: 9,
      stockStatus: "critical",
    });
  });
});

describe("an empty site", () => {
  test("is rejected in every write, and ignored as a query parameter", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N", stockLevel: 7 });
    const wrong = { ...naming("site"), details: { site: "must not be empty" } };
    await expectRejected(tenant, () => put(tenant, partId, { currentStock: 1, site: "" }), 400, wrong);
    await expectRejected(tenant, () => adjust(tenant, partId, { adjustmentType: "count", quantity: 1, site: " " }), 400, wrong);
    await expectRejected(tenant, () => tenant.rest("PUT", `/parts/${partId}`, { site: "" }), 400, wrong);
    await expectRejected(tenant, () => tenant.rest("POST", "/parts", { partNumber: "X", name: "X", site: "" }), 400, wrong);
    await failed(tenant, () => attempt(tenant, "receive", partId, { quantity: 1, site: "" }), { code: "BAD_USER_INPUT" });
    await failed(tenant, () => tenant.graphql(transferring, { partId, input: { fromSite: "N", toSite: "", quantity: 1 } }), {
      code: "BAD_USER_INPUT",
    });
    const removing = `mutation ($id: ID!, $site: StockSite) { deleteInventory(partId: $id, site: $site) { finalStock } }`;
    await failed(tenant, () => tenant.graphql(removing, { id: partId, site: "" }), { code: "BAD_USER_INPUT" });
    expect((await put(tenant, partId, { currentStock: 8 }, "?site=")).body.currentStock).toBe(8);
    expect((await tenant.rest("GET", `/inventory/${partId}`)).body.inventory).toHaveLength(1);
  });
});

describe("DELETE /inventory/{partId}", () => {
  test("writes off one site or all; the record is gone until the next receipt", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "North", stockLevel: 10, cost: 2 });
    await move(tenant, "receive", partId, { site: "South", quantity: 4 });
    await move(tenant, "receive", partId, { site: "East", quantity: 1 });
    const gone = { message: expect.any(String), finalStock: 0, deletedAt: time };
    const one = await tenant.rest("DELETE", `/inventory/${partId}?site=South`);
    expect({ status: one.status, body: one.body }).toEqual({ status: 200, body: gone });
    expect(await chain(tenant, partId, "?site=South")).toEqual([
      ["receipt", 4, 0, 4],
      ["write_off", -4, 4, 0],
    ]);
    expect((await tenant.rest("GET", `/inventory/${partId}?site=South`)).body).toMatchObject({ exists: false, quantity: 0 });
    await expectRejected(tenant, () => tenant.rest("DELETE", `/inventory/${partId}?site=South`), 404, {
      error: "Inventory record not found",
      partId,
      code: "NOT_FOUND",
    });
    expect((await tenant.rest("DELETE", `/inventory/${partId}`)).body).toEqual(gone);
    expect((await tenant.rest("GET", `/inventory/${partId}`)).body.inventory).toEqual([]);
    expect((await tenant.rest("GET", "/inventory")).body).toEqual([]);
    expect((await tenant.rest("GET", `/parts/${partId}`)).body.stockLevel).toBe(0);
    await expectRejected(tenant, () => tenant.rest("DELETE", `/inventory/${partId}`), 404, {
      error: "Inventory record not found",
      partId,
      code: "NOT_FOUND",
    });
    await move(tenant, "receive", partId, { site: "South", quantity: 3 });
    expect((await tenant.rest("GET", `/inventory/${partId}?site=South`)).body).toMatchObject({ exists: true, quantity: 3 });
    expect(await chain(tenant, partId, "?site=South")).toEqual([
      ["receipt", 4, 0, 4],
      ["write_off", -4, 4, 0],
      ["receipt", 3, 0, 3],
    ]);
    await balanced(tenant);
  });

  test("keeps reservations, because the parts are still needed", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N", stockLevel: 5 });
    await move(tenant, "reserve", partId, { quantity: 3 });
    expect((await tenant.rest("DELETE", `/inventory/${partId}`)).status).toBe(200);
    expect((await tenant.rest("GET", "/inventory")).body).toEqual([]);
    const { part: shown } = await tenant.ask("query ($id: ID!) { part(id: $id) { stockLevel reservedStock } }", { id: partId });
    expect(shown).toEqual({ stockLevel: 0, reservedStock: 3 });
    await move(tenant, "receive", partId, { site: "N", quantity: 4 });
    expect(await levelOf(tenant, partId, "N")).toMatchObject({ quantity: 4, reservedStock: 3, availableStock: 1 });
    await failed(tenant, () => attempt(tenant, "issue", partId, { quantity: 2 }), { code: "CONFLICT", available: 1, requested: 2 });
    await move(tenant, "unreserve", partId, { quantity: 3 });
    await balanced(tenant);
  });

  test("deletes an empty record without a movement", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant);
    await put(tenant, partId, { minimumStock: 1 });
    expect((await tenant.rest("DELETE", `/inventory/${partId}`)).status).toBe(200);
    expect(await movements(tenant, partId)).toEqual([]);
  });
});

describe("GET /inventory/{partId}/history", () => {
  test("an endDate before startDate is 400 naming endDate, also in GraphQL", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 1 });
    const path = `/inventory/${partId}/history?startDate=2025-02-02&endDate=2025-02-01`;
    const details = { endDate: "must not be before startDate" };
    await expectRejected(tenant, () => tenant.rest("GET", path), 400, { error: "Invalid input", details, code: "BAD_USER_INPUT" });
    const filter = { startDate: "2025-02-02", endDate: "2025-02-01" };
    for (const query of [
      "query ($filter: MovementFilter) { stockMovements(filter: $filter) { totalCount } }",
      "query ($filter: MovementFilter) { inventory { nodes { movements(filter: $filter) { totalCount } } } }",
    ])
      await failed(tenant, () => tenant.graphql(query, { filter }), { code: "BAD_USER_INPUT", details });
    const { status, body } = await tenant.rest("GET", `/inventory/${partId}/history?startDate=2025-02-01&endDate=2025-02-01`);
    expect([status, body.movements]).toEqual([200, []]);
  });

  const filled = async (tenant: Caller) => {
    const partId = await part(tenant, { partNumber: "B-1", stockLevel: 10 });
    for (const quantity of [1, 2, 3]) {
      await move(tenant, "issue", partId, { quantity, reference: `WO-${quantity}` });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return partId;
  };

  test("returns all movements, the part and the page", async () => {
    const tenant = await gateway.newTenant();
    const partId = await filled(tenant);
    const { body } = await tenant.rest("GET", `/inventory/${partId}/history`);
    expect(body).toMatchObject({
      partId,
      partNumber: "B-1",
      partName: "Bearing",
      pagination: { total: 4, limit: 100, offset: 0, hasMore: false },
    });
    expect(Object.keys(body).sort()).toEqual(["movements", "pagination", "partId", "partName", "partNumber"].sort());
    expect(body.movements.map((m: any) => [m.type, m.quantity, m.previousBalance, m.newBalance, m.reference])).toEqual([
      ["receipt", 10, 0, 10, undefined],
      ["issue", -1, 10, 9, "WO-1"],
      ["issue", -2, 9, 7, "WO-2"],
      ["issue", -3, 7, 4, "WO-3"],
    ]);
  });

  test("pages and filters", async () => {
    const tenant = await gateway.newTenant();
    const partId = await filled(tenant);
    const all = await movements(tenant, partId);
    const page = async (query: string) => {
      const { status, body } = await tenant.rest("GET", `/inventory/${partId}/history?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return [body.movements.map((m: any) => all.findIndex(({ id }) => id === m.id)), body.pagination];
    };
    expect(await page("limit=3")).toEqual([[0, 1, 2], { total: 4, limit: 3, offset: 0, hasMore: true }]);
    expect(await page("limit=3&offset=3")).toEqual([[3], { total: 4, limit: 3, offset: 3, hasMore: false }]);
    expect(await page("limit=4")).toEqual([[0, 1, 2, 3], { total: 4, limit: 4, offset: 0, hasMore: false }]);
    expect(await page("offset=4")).toEqual([[], { total: 4, limit: 100, offset: 4, hasMore: false }]);
    expect(await page("movementType=issue&limit=2")).toEqual([[1, 2], { total: 3, limit: 2, offset: 0, hasMore: true }]);
    expect(await page("movementType=transfer")).toEqual([[], { total: 0, limit: 100, offset: 0, hasMore: false }]);
    const [, , from, to] = all.map(({ performedAt }) => performedAt);
    expect((await page(`startDate=${from}`))[0]).toEqual([2, 3]);
    expect((await page(`endDate=${from}`))[0]).toEqual([0, 1, 2]);
    expect(await page(`startDate=${from}&endDate=${to}&movementType=issue`)).toEqual([
      [2, 3],
      { total: 2, limit: 100, offset: 0, hasMore: false },
    ]);
    expect((await page("startDate=2999-01-01"))[0]).toEqual([]);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "offset=-1", "startDate=yesterday", "endDate=2024-02-30", "movementType=theft"])(
    "%s is 400 naming it",
    async (query) => {
      const tenant = await gateway.newTenant();
      const partId = await part(tenant);
      await expectRejected(tenant, () => tenant.rest("GET", `/inventory/${partId}/history?${query}`), 400, naming(query.split("=")[0]!));
    },
  );
});

describe("POST /inventory/{partId}/adjustments", () => {
  test.each([
    ["count", "cycle_count"],
    ["damage", "write_off"],
    ["loss", "write_off"],
    ["expiry", "write_off"],
    ["correction", "adjustment"],
    ["quality", "adjustment"],
  ])("%s returns the adjustment and records a %s", async (adjustmentType, type) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10, cost: 2.5 });
    const sent = { adjustmentType, quantity: -3, reason: "r", notes: "n", location: "A-1" };
    const { status, body } = await adjust(tenant, partId, sent);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        ...sent,
        adjustmentId: uuid,
        partId,
        previousBalance: 10,
        newBalance: 7,
        unitCost: 2.5,
        totalValue: -7.5,
        performedBy: expect.any(String),
        performedAt: time,
        approved: false,
        approvedBy: null,
        approvedAt: null,
      },
    });
    expect(await chain(tenant, partId)).toEqual([
      ["receipt", 10, 0, 10],
      [type, -3, 10, 7],
    ]);
    await balanced(tenant);
  });

  test("an increase with a unit cost changes the average cost", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N" });
    await move(tenant, "receive", partId, { quantity: 10, unitCost: 2 });
    const { body } = await adjust(tenant, partId, { adjustmentType: "correction", quantity: 5, unitCost: 3.5 });
    expect(body).toMatchObject({ previousBalance: 10, newBalance: 15, unitCost: 3.5, totalValue: 17.5 });
    // (10 × 2 + 5 × 3.5) / 15 = 37.5 / 15 = 2.5
    expect(await levelOf(tenant, partId, "N")).toMatchObject({ quantity: 15, unitCost: 2.5, totalValue: 37.5 });
  });

  test("removing more than is available is 409 with available and requested", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 7 });
    await expectRejected(tenant, () => adjust(tenant, partId, { adjustmentType: "loss", quantity: -8 }), 409, short(7, 8));
    await expectRejected(
      tenant,
      () => adjust(tenant, partId, { adjustmentType: "loss", quantity: -0.5 }, "?site=Nowhere"),
      409,
      short(0, 0.5),
    );
    expect((await adjust(tenant, partId, { adjustmentType: "loss", quantity: -7 })).body.newBalance).toBe(0);
  });

  test.each([
    ["adjustmentType", { adjustmentType: "theft" }],
    ["adjustmentType", { adjustmentType: undefined }],
    ["adjustmentType", { adjustmentType: 5 }],
    ["quantity", { quantity: "5" }],
    ["quantity", { quantity: undefined }],
    ["quantity", { quantity: null }],
    ["quantity", { quantity: 0 }],
    ["quantity", { quantity: 1.00001 }],
    ["unitCost", { unitCost: -1 }],
    ["reason", { reason: {} }],
    ["location", { location: "x".repeat(256) }],
  ])("an invalid %s is 400 naming it: %j", async (field, fields) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 7 });
    await expectRejected(tenant, () => adjust(tenant, partId, { adjustmentType: "count", quantity: 1, ...fields }), 400, naming(field));
  });

  test("several invalid fields are reported together", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant);
    await expectRejected(
      tenant,
      () => adjust(tenant, partId, { quantity: "x", unitCost: 0 }),
      400,
      naming("adjustmentType", "quantity", "unitCost"),
    );
  });

  test("60 concurrent adjustments of -1 on a stock of 40: exactly 40 succeed", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 40 });
    const responses = await Promise.all(Array.from({ length: 60 }, () => adjust(tenant, partId, { adjustmentType: "loss", quantity: -1 })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(40);
    const refusals = responses.filter(({ status }) => status === 409);
    expect(refusals.map(({ body }) => [body.available, body.requested])).toEqual(Array(20).fill([0, 1]));
    const { verifyLedger } = await tenant.ask("{ verifyLedger { balanced movements totalQuantity } }");
    expect(verifyLedger).toEqual({ balanced: true, movements: 41, totalQuantity: 0 });
  });
});

describe("approval", () => {
  const decide = (decision: "approve" | "reject") =>
    `mutation ($id: ID!) { ${decision}Adjustment(id: $id) { id approved approvedBy approvedAt rejectedBy rejectedAt } }`;

  test("another key must approve, and only once", async () => {
    const creator = await gateway.newTenant();
    const manager = await creator.as("manager");
    const partId = await part(creator, { stockLevel: 10 });
    const { adjustmentId } = (await adjust(creator, partId, { adjustmentType: "damage", quantity: -2 })).body;
    for (const decision of ["approve", "reject"] as const)
      await failed(creator, () => creator.graphql(decide(decision), { id: adjustmentId }), { code: "FORBIDDEN" });
    const { approveAdjustment } = await manager.ask(decide("approve"), { id: adjustmentId });
    const name = expect.any(String);
    expect(approveAdjustment).toEqual({
      id: adjustmentId,
      approved: true,
      approvedBy: name,
      approvedAt: time,
      rejectedBy: null,
      rejectedAt: null,
    });
    for (const decision of ["approve", "reject"] as const)
      await failed(creator, () => manager.graphql(decide(decision), { id: adjustmentId }), { code: "CONFLICT", reason: "approved" });
    expect(await chain(creator, partId)).toHaveLength(2);
    const { stockAdjustments } = await creator.ask("{ stockAdjustments(filter: { pending: true }) { nodes { id } } }");
    expect(stockAdjustments.nodes).toEqual([]);
  });

  test("a rejection reverses the adjustment", async () => {
    const creator = await gateway.newTenant();
    const manager = await creator.as("manager");
    const partId = await part(creator, { stockLevel: 10, cost: 2 });
    const { adjustmentId } = (await adjust(creator, partId, { adjustmentType: "damage", quantity: -4 })).body;
    const { rejectAdjustment } = await manager.ask(decide("reject"), { id: adjustmentId });
    expect(rejectAdjustment).toMatchObject({ approved: false, approvedBy: null, rejectedBy: expect.any(String), rejectedAt: time });
    expect(await chain(creator, partId)).toEqual([
      ["receipt", 10, 0, 10],
      ["write_off", -4, 10, 6],
      ["adjustment", 4, 6, 10],
    ]);
    expect((await movements(creator, partId))[2]).toMatchObject({ reference: adjustmentId, totalValue: 8 });
    await failed(creator, () => manager.graphql(decide("reject"), { id: adjustmentId }), { code: "CONFLICT", reason: "rejected" });
    await balanced(creator);
  });

  test("a gain cannot be issued before it is approved, and its rejection fails if it was lost since", async () => {
    const creator = await gateway.newTenant();
    const manager = await creator.as("manager");
    const partId = await part(creator);
    const { adjustmentId } = (await adjust(creator, partId, { adjustmentType: "count", quantity: 5 })).body;
    const issue = `mutation ($id: ID!) { issueStock(partId: $id, input: { quantity: 2 }) { id } }`;
    await failed(creator, () => creator.graphql(issue, { id: partId }), { code: "CONFLICT", available: 0, requested: 2 });
    expect((await adjust(creator, partId, { adjustmentType: "damage", quantity: -2 })).status).toBe(201);
    const extensions = { code: "CONFLICT", available: 3, requested: 5 };
    await failed(creator, () => manager.graphql(decide("reject"), { id: adjustmentId }), extensions);
    await manager.ask(decide("approve"), { id: adjustmentId });
    expect(await move(creator, "issue", partId, { quantity: 2 })).toMatchObject({ newBalance: 1 });
  });

  test("only managers can approve or reject; an unknown or another tenant's adjustment is NOT_FOUND", async () => {
    const creator = await gateway.newTenant();
    const partId = await part(creator, { stockLevel: 10 });
    const { adjustmentId } = (await adjust(creator, partId, { adjustmentType: "damage", quantity: -2 })).body;
    const technician = await creator.as("technician");
    await failed(creator, () => technician.graphql(decide("approve"), { id: adjustmentId }), { code: "FORBIDDEN" });
    const stranger = await gateway.newTenant();
    await failed(creator, () => stranger.graphql(decide("approve"), { id: adjustmentId }), { code: "NOT_FOUND", adjustmentId });
    const elsewhere = await creator.as("manager", ["South"]);
    await failed(creator, () => elsewhere.graphql(decide("approve"), { id: adjustmentId }), { code: "FORBIDDEN" });
  });
});

describe("stock operations over GraphQL", () => {
  test("receipts change the average cost; issues and returns use it", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N", cost: 9 });
    const at = async () => {
      const { quantity, unitCost, totalValue } = await levelOf(tenant, partId, "N");
      return [quantity, unitCost, totalValue];
    };
    const first = await move(tenant, "receive", partId, { quantity: 10, unitCost: 2, reason: "r", reference: "PO-1", notes: "n" });
    expect(first).toEqual({
      type: "RECEIPT",
      site: "N",
      quantity: 10,
      previousBalance: 0,
      newBalance: 10,
      unitCost: 2,
      totalValue: 20,
      reason: "r",
      reference: "PO-1",
      notes: "n",
    });
    expect(await at()).toEqual([10, 2, 20]);
    await move(tenant, "receive", partId, { quantity: 30, unitCost: 4 });
    // (10 × 2 + 30 × 4) / 40 = 140 / 40 = 3.5
    expect(await at()).toEqual([40, 3.5, 140]);
    // 16 × 3.5 = 56, so 140 − 56 = 84 remains.
    expect(await move(tenant, "issue", partId, { quantity: 16 })).toMatchObject({
      quantity: -16,
      newBalance: 24,
      unitCost: 3.5,
      totalValue: -56,
    });
    expect(await at()).toEqual([24, 3.5, 84]);
    // 6 × 3.5 = 21 more, so 105.
    expect(await move(tenant, "return", partId, { quantity: 6 })).toMatchObject({
      type: "RETURN",
      quantity: 6,
      unitCost: 3.5,
      totalValue: 21,
    });
    expect(await at()).toEqual([30, 3.5, 105]);
    // (30 × 3.5 + 3 × 1) / 33 = 108 / 33 = 3.2727 to four places. The value is the sum of the receipts.
    await move(tenant, "receive", partId, { quantity: 3, unitCost: 1 });
    expect(await at()).toEqual([33, 3.2727, 108]);
    await balanced(tenant);
  });

  test("a reservation reduces what can be issued, reserved and transferred", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N", stockLevel: 10 });
    expect(await move(tenant, "reserve", partId, { quantity: 6 })).toMatchObject({
      type: "RESERVE",
      quantity: 6,
      previousBalance: 10,
      newBalance: 10,
      totalValue: 0,
    });
    expect(await levelOf(tenant, partId, "N")).toMatchObject({ quantity: 10, reservedStock: 6, availableStock: 4 });
    const over = { code: "CONFLICT", available: 4, requested: 5 };
    await failed(tenant, () => attempt(tenant, "issue", partId, { quantity: 5 }), over);
    await failed(tenant, () => attempt(tenant, "reserve", partId, { quantity: 5 }), over);
    const input = { fromSite: "N", toSite: "S", quantity: 5 };
    await failed(tenant, () => tenant.graphql(transferring, { partId, input }), over);
    await failed(tenant, () => attempt(tenant, "unreserve", partId, { quantity: 7 }), { code: "CONFLICT", available: 6, requested: 7 });
    expect(await move(tenant, "unreserve", partId, { quantity: 2 })).toMatchObject({ type: "UNRESERVE", quantity: -2, newBalance: 10 });
    expect(await move(tenant, "issue", partId, { quantity: 6 })).toMatchObject({ newBalance: 4 });
    expect(await levelOf(tenant, partId, "N")).toMatchObject({ quantity: 4, reservedStock: 4, availableStock: 0 });
    expect((await adjust(tenant, partId, { adjustmentType: "loss", quantity: -1 })).body.newBalance).toBe(3);
    expect(await levelOf(tenant, partId, "N")).toMatchObject({ availableStock: -1 });
    await failed(tenant, () => attempt(tenant, "issue", partId, { quantity: 1 }), { code: "CONFLICT", available: 0, requested: 1 });
    await balanced(tenant);
  });

  test("a transfer changes both sites or neither, at the average cost of the first", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N" });
    await move(tenant, "receive", partId, { site: "N", quantity: 10, unitCost: 2 });
    await move(tenant, "receive", partId, { site: "S", quantity: 10, unitCost: 5 });
    const input = { fromSite: "N", toSite: "S", quantity: 5, reason: "r", reference: "T-1", notes: "n" };
    const { transferStock } = await tenant.ask(transferring, { partId, input });
    const both = { type: "TRANSFER", unitCost: 2, reason: "r", reference: "T-1", notes: "n" };
    expect(transferStock).toEqual([
      { ...both, site: "N", quantity: -5, previousBalance: 10, newBalance: 5, totalValue: -10 },
      { ...both, site: "S", quantity: 5, previousBalance: 10, newBalance: 15, totalValue: 10 },
    ]);
    // S: (10 × 5 + 5 × 2) / 15 = 60 / 15 = 4
    expect(await levelOf(tenant, partId, "S")).toMatchObject({ quantity: 15, unitCost: 4, totalValue: 60 });
    const extensions = { code: "CONFLICT", available: 5, requested: 6 };
    await failed(tenant, () => tenant.graphql(transferring, { partId, input: { ...input, quantity: 6 } }), extensions);
    await failed(tenant, () => tenant.graphql(transferring, { partId, input: { ...input, toSite: "N" } }), {
      code: "BAD_USER_INPUT",
      details: { toSite: "must be another site than fromSite" },
    });
    await failed(tenant, () => tenant.graphql(transferring, { partId: randomUUID(), input }), { code: "NOT_FOUND" });
    await tenant.ask(transferring, { partId, input: { fromSite: "S", toSite: "New", quantity: 1 } });
    expect(await levelOf(tenant, partId, "New")).toMatchObject({ exists: true, quantity: 1, unitCost: 4 });
    await balanced(tenant);
  });

  test.each(["receive", "issue", "return", "reserve", "unreserve"] as const)(
    "%s rejects 0, negative numbers and too many decimals",
    async (verb) => {
      const tenant = await gateway.newTenant();
      const partId = await part(tenant, { stockLevel: 5 });
      for (const quantity of [0, -1, 0.00001])
        await failed(tenant, () => attempt(tenant, verb, partId, { quantity }), { code: "BAD_USER_INPUT" });
      await failed(tenant, () => attempt(tenant, verb, randomUUID(), { quantity: 1 }), { code: "NOT_FOUND" });
      const unexpected = { code: "CONFLICT", expectedBalance: 4, currentBalance: 5 };
      await failed(tenant, () => attempt(tenant, verb, partId, { quantity: 1, expectedBalance: 4 }), unexpected);
    },
  );

  test("a rejected operation creates no record at a new site", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { site: "N", stockLevel: 5 });
    const before = await rows(tenant);
    expect((await adjust(tenant, partId, { adjustmentType: "count", quantity: 1, expectedBalance: 4, site: "S" })).status).toBe(409);
    expect((await attempt(tenant, "reserve", partId, { quantity: 1, site: "W" })).errors).toHaveLength(1);
    expect(await rows(tenant)).toEqual(before);
  });
});

describe("permissions", () => {
  test("an unknown or another tenant's part is 404 everywhere", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const foreign = await part(stranger, { stockLevel: 3 });
    for (const partId of [foreign, randomUUID(), "x"]) {
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["GET", "?site=main", undefined],
        ["PUT", "", { currentStock: 1 }],
        ["GET", "/history", undefined],
        ["POST", "/adjustments", { adjustmentType: "count", quantity: 1 }],
        ["POST", "/adjustments?site=A", { adjustmentType: "count", quantity: 1 }],
      ] as const)
        await expectRejected(stranger, () => tenant.rest(method, `/inventory/${partId}${path}`, body), 404, unknown(partId));
      const none = { error: "Inventory record not found", partId, code: "NOT_FOUND" };
      await expectRejected(stranger, () => tenant.rest("DELETE", `/inventory/${partId}`), 404, none);
    }
    expect((await tenant.rest("GET", "/inventory")).body).toEqual([]);
  });

  test("viewers can read, technicians can adjust and move stock, managers can set and delete it", async () => {
    const admin = await gateway.newTenant();
    const partId = await part(admin, { stockLevel: 5 });
    const [viewer, technician, manager] = [await admin.as("viewer"), await admin.as("technician"), await admin.as("manager")];
    for (const path of ["", `/${partId}`, `/${partId}/history`, "/reports?reportType=summary"])
      expect((await viewer.rest("GET", `/inventory${path}`)).status).toBe(200);
    await expectRejected(admin, () => adjust(viewer, partId, { adjustmentType: "count", quantity: 1 }), 403, forbidden);
    await failed(admin, () => attempt(viewer, "receive", partId, { quantity: 1 }), { code: "FORBIDDEN" });
    expect((await adjust(technician, partId, { adjustmentType: "count", quantity: 1 })).status).toBe(201);
    await expectRejected(admin, () => put(technician, partId, { currentStock: 1 }), 403, forbidden);
    await expectRejected(admin, () => technician.rest("DELETE", `/inventory/${partId}`), 403, forbidden);
    expect((await put(manager, partId, { currentStock: 1 })).status).toBe(200);
    expect((await manager.rest("DELETE", `/inventory/${partId}`)).status).toBe(200);
  });

  test("a key limited to sites can read everything and change stock only at its sites", async () => {
    const admin = await gateway.newTenant();
    const north = await admin.as("manager", ["North"]);
    const partId = await part(admin, { site: "South", stockLevel: 5 });
    await move(admin, "receive", partId, { site: "North", quantity: 5 });
    expect((await north.rest("GET", "/inventory")).body).toHaveLength(2);
    const count = { adjustmentType: "count", quantity: 1 };
    await expectRejected(admin, () => adjust(north, partId, { ...count, site: "South" }), 403, forbidden);
    await expectRejected(admin, () => put(north, partId, { currentStock: 1, site: "South" }), 403, forbidden);
    await expectRejected(admin, () => put(north, partId, { minimumStock: 1 }, "?site=West"), 403, forbidden);
    await expectRejected(admin, () => north.rest("DELETE", `/inventory/${partId}?site=South`), 403, forbidden);
    await expectRejected(admin, () => north.rest("DELETE", `/inventory/${partId}`), 403, forbidden);
    for (const verb of ["receive", "issue", "return", "reserve", "unreserve"] as const)
      await failed(admin, () => attempt(north, verb, partId, { site: "South", quantity: 1 }), { code: "FORBIDDEN" });
    for (const [fromSite, toSite] of [
      ["North", "South"],
      ["South", "North"],
    ])
      await failed(admin, () => north.graphql(transferring, { partId, input: { fromSite, toSite, quantity: 1 } }), { code: "FORBIDDEN" });
    expect((await adjust(north, partId, { ...count, site: "North" })).status).toBe(201);
    expect((await put(north, partId, { currentStock: 1, site: "North" })).status).toBe(200);
    expect((await north.rest("DELETE", `/inventory/${partId}?site=North`)).status).toBe(200);
    await expectRejected(admin, () => adjust(north, partId, count), 403, forbidden);
  });
});
