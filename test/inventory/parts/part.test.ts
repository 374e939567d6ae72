/** The five part endpoints (docs/interface.md 4.2), and the fields of a part that come from the stock ledger. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Caller, type RestResponse, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const requestId = expect.any(String);

const contact = { email: "sales@skf.example", phone: "+46 31 337" };
const supplier = { id: "S-1", name: "SKF", partNumber: "6204-S" };

/** Every simple field of the request body that has the same name in responses. */
const plain = {
  partNumber: "BRG-6204",
  name: "Rillenkugellager Ø 20",
  description: "Deep groove",
  category: "Bearings",
  manufacturer: "SKF",
  manufacturerPartNumber: "6204-2RS",
  currency: "EUR",
  weight: 0.106,
  weightUnit: "kg",
  dimensions: { length: 47, width: 14.5, height: 47.0001 },
  specifications: { sealed: true, rating: null, bore: 20, tags: ["a", null], nested: { empty: null } },
  minimumStock: 2,
  maximumStock: 40,
  reorderPoint: 5,
  leadTime: 14,
  averageUsage: 3.5,
  usageUnit: "month",
  lastOrderDate: "2024-05-01T08:00:00.000Z",
  lastOrderQuantity: 20,
  isCritical: true,
  location: "A-01-03",
  qrCode: "QR-1",
  barcode: "4006381333931",
};

const bare = {
  specifications: {},
  isCritical: false,
  isActive: true,
  stockLevel: 0,
  alternativeParts: [],
  compatibleAssets: [],
  componentIds: [],
};

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
});
const unknown = (partId: string) => ({ error: "Part not found", partId, code: "NOT_FOUND" });
const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };

async function create(tenant: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: `N-${randomUUID()}`, name: "Part", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** The tenant's rows of all part and stock tables. */
async function rows(tenant: Caller) {
  const tables = ["Part", "PartAsset", "PartAlternative", "PartComponent", "StockLevel", "StockMovement"];
  const found = tables.map((table) =>
    gateway.database.query<{ row: any }>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return Object.fromEntries((await Promise.all(found)).map((list, i) => [tables[i], list.map(({ row }) => row)]));
}

const undated = (snapshot: Record<string, any[]>) => ({
  ...snapshot,
  Part: snapshot.Part!.map(({ updatedAt: _at, updatedBy: _by, version: _version, ...row }) => row).sort((a, b) => (a.id < b.id ? -1 : 1)),
});

/** Expects exactly this error, and no change. */
async function expectRejected(tenant: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await rows(tenant);
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, requestId } });
  expect(await rows(tenant)).toEqual(before);
}

/** Creates a part with every field and every reference set. */
async function full(tenant: Caller) {
  const first = await tenant.createAsset({ name: "Pump", type: "pump" });
  const second = await tenant.createAsset({ name: "Fan", type: "fan" });
  const component = await tenant.createComponent({ name: "Motor", description: "Drives" });
  const other = await create(tenant, { partNumber: "ALT-1", manufacturer: "FAG" });
  const sent = {
    ...plain,
    site: "North",
    alternativeParts: [{ id: other.partId }],
    compatibleAssets: [{ id: second.id }, { id: first.id }],
    componentIds: [component.id],
  };
  const referred = {
    alternativeParts: [{ id: other.partId, partNumber: "ALT-1", manufacturer: "FAG" }],
    compatibleAssets: [
      { id: second.id, name: "Fan", type: "fan" },
      { id: first.id, name: "Pump", type: "pump" },
    ],
  };
  const body = await create(tenant, { ...sent, unit: "each", cost: 12.3456, supplier: { ...supplier, contact } });
  return { sent, referred, component, other, body };
}

const read = (created: any) => {
  const { partId, tenantId: _tenant, site: _site, unit, cost, componentIds: _components, ...rest } = created;
  return { id: partId, ...rest, ...(unit && { unitOfMeasure: unit }), ...(cost && { unitCost: cost }) };
};

describe("response bodies", () => {
  test("create returns every field, as in the list", async () => {
    const tenant = await gateway.newTenant();
    const { referred, component, body } = await full(tenant);
    expect(body).toEqual({
      ...plain,
      ...referred,
      partId: id,
      tenantId: tenant.tenantId,
      site: "North",
      unit: "each",
      cost: 12.3456,
      supplier,
      componentIds: [component.id],
      stockLevel: 0,
      isActive: true,
      createdAt: time,
      updatedAt: time,
    });
  });

  test("list also returns componentDetails", async () => {
    const tenant = await gateway.newTenant();
    const { component, body } = await full(tenant);
    const list = await tenant.rest("GET", "/parts");
    expect(list.status).toBe(200);
    expect(list.body).toHaveLength(2);
    expect(list.body[1]).toEqual({ ...body, componentDetails: [{ componentId: component.id, name: "Motor", description: "Drives" }] });
  });

  test("get and update return the supplier with its contact", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await full(tenant);
    const expected = { ...read(body), supplier: { ...supplier, contact } };
    expect(await tenant.rest("GET", `/parts/${body.partId}`)).toMatchObject({ status: 200, body: expected });
    expect((await tenant.rest("GET", `/parts/${body.partId}`)).body).toEqual(expected);
    const put = await tenant.rest("PUT", `/parts/${body.partId}`, { name: "Lager" });
    expect({ status: put.status, body: put.body }).toEqual({ status: 200, body: { ...expected, name: "Lager", updatedAt: time } });
    expect(put.body.updatedAt > body.updatedAt).toBe(true);
  });

  test("partNumber and name are enough; empty fields are left out", async () => {
    const tenant = await gateway.newTenant();
    const { status, body } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P" });
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...bare, partId: id, tenantId: tenant.tenantId, partNumber: "P", name: "P", createdAt: time, updatedAt: time },
    });
  });

  test.each(["each", "meter", "kilogram", "liter", "box", "roll", "set", "pair"])("the unit %s is stored and returned", async (unit) => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { unit });
    expect((await tenant.rest("GET", `/parts/${partId}`)).body.unitOfMeasure).toBe(unit);
  });

  test("costs with up to four decimals, and the largest, are stored exactly", async () => {
    const tenant = await gateway.newTenant();
    for (const cost of [0.0001, 19.99, 12345678.9999, 999999999999]) expect((await create(tenant, { cost })).cost).toBe(cost);
  });
});

describe("request bodies", () => {
  test("the unit of the dimensions is separate from the part's unit", async () => {
    const tenant = await gateway.newTenant();
    const dimensions = { length: 4, unit: "mm" };
    expect((await create(tenant, { dimensions, unit: "box" })).dimensions).toEqual(dimensions);
  });

  test.each([
    ["unit", "cost"],
    ["unitOfMeasure", "unitCost"],
  ])("create and update accept the names %s and %s", async (unit, cost) => {
    const tenant = await gateway.newTenant();
    const created = await create(tenant, { [unit]: "box", [cost]: 1.5 });
    expect(created).toMatchObject({ unit: "box", cost: 1.5 });
    const put = await tenant.rest("PUT", `/parts/${created.partId}`, { [unit]: "pair", [cost]: 2.5 });
    expect(put.body).toMatchObject({ unitOfMeasure: "pair", unitCost: 2.5 });
    expect(put.headers.get("warning")).toBeNull();
  });

  test("an update can change every field, and clear it with null", async () => {
    const tenant = await gateway.newTenant();
    const { sent, referred, component, body } = await full(tenant);
    const { partId } = await create(tenant);
    const { partNumber: _number, ...fields } = sent;
    const put = await tenant.rest("PUT", `/parts/${partId}`, {
      ...fields,
      unitOfMeasure: "set",
      unitCost: 7,
      supplier: { ...supplier, contact },
    });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    const { partNumber: _same, ...values } = plain;
    expect(put.body).toMatchObject({ ...values, ...referred, unitOfMeasure: "set", unitCost: 7, supplier: { ...supplier, contact } });
    const listed = (await tenant.rest("GET", "/parts")).body.find((part: any) => part.partId === partId);
    expect(listed).toMatchObject({ site: "North", componentIds: [component.id] });
    const nulls = Object.fromEntries([...Object.keys(fields), "unitOfMeasure", "unitCost", "supplier"].map((name) => [name, null]));
    const cleared = await tenant.rest("PUT", `/parts/${partId}`, { ...nulls, name: "P" });
    expect(cleared.status, JSON.stringify(cleared.body)).toBe(200);
    const { componentIds: _ids, ...empty } = bare;
    expect(cleared.body).toEqual({ ...empty, id: partId, partNumber: expect.any(String), name: "P", createdAt: time, updatedAt: time });
    expect((await tenant.rest("GET", `/parts/${body.partId}`)).body.compatibleAssets).toHaveLength(2);
  });

  test("a GET response can be PUT back: only updatedAt changes", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await full(tenant);
    const { body: got } = await tenant.rest("GET", `/parts/${body.partId}`);
    const before = undated(await rows(tenant));
    const put = await tenant.rest("PUT", `/parts/${body.partId}`, got);
    expect(put.headers.get("warning")).toBeNull();
    expect(put.body).toEqual({ ...got, updatedAt: time });
    expect(undated(await rows(tenant))).toEqual(before);
  });

  test("a list response can be PUT back: the supplier's contact, which it omits, is kept", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await full(tenant);
    const { body: got } = await tenant.rest("GET", `/parts/${body.partId}`);
    const item = (await tenant.rest("GET", "/parts?search=6204")).body[0];
    const before = undated(await rows(tenant));
    const put = await tenant.rest("PUT", `/parts/${body.partId}`, item);
    expect(put.headers.get("warning")).toBeNull();
    expect(put.body).toEqual({ ...got, updatedAt: time });
    expect(undated(await rows(tenant))).toEqual(before);
    const renamed = await tenant.rest("PUT", `/parts/${body.partId}`, { supplier: { name: "NSK", contact: { phone: "1" } } });
    expect(renamed.body.supplier).toEqual({ name: "NSK", contact: { phone: "1" } });
  });

  test("fields that come from the ledger are ignored in a request", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, {
      averageUsage: 9,
      usageUnit: "week",
      lastOrderDate: "2024-01-01",
      lastOrderQuantity: 4,
      stockLevel: 30,
      site: "N",
    });
    await tenant.ask(`mutation ($id: ID!) { issueStock(partId: $id, input: { quantity: 6 }) { id } }`, { id: partId });
    const { body: got } = await tenant.rest("GET", `/parts/${partId}`);
    expect(got).toMatchObject({ stockLevel: 24, averageUsage: 0.5, usageUnit: "month", lastOrderDate: time, lastOrderQuantity: 30 });
    const before = undated(await rows(tenant));
    expect((await tenant.rest("PUT", `/parts/${partId}`, got)).body).toEqual({ ...got, updatedAt: time });
    expect(undated(await rows(tenant))).toEqual(before);
  });

  test("references to deleted records are hidden, survive a PUT of the response, and come back on restore", async () => {
    const tenant = await gateway.newTenant();
    const { body, other, component } = await full(tenant);
    const [hidden] = body.compatibleAssets;
    await tenant.rest("DELETE", `/assets/${hidden.id}`);
    await tenant.rest("DELETE", `/parts/${other.partId}`);
    await tenant.rest("DELETE", `/components/${component.id}`);
    const { body: got } = await tenant.rest("GET", `/parts/${body.partId}`);
    expect([got.alternativeParts, got.compatibleAssets]).toEqual([[], [body.compatibleAssets[1]]]);
    expect((await tenant.rest("PUT", `/parts/${body.partId}`, got)).status).toBe(200);
    await tenant.ask(`mutation ($a: ID!, $p: ID!) { restoreAsset(id: $a) { id } reactivatePart(id: $p) { id } }`, {
      a: hidden.id,
      p: other.partId,
    });
    const { body: back } = await tenant.rest("GET", `/parts/${body.partId}`);
    expect(back.alternativeParts).toEqual(body.alternativeParts);
    expect(new Set(back.compatibleAssets.map((asset: any) => asset.id))).toEqual(
      new Set(body.compatibleAssets.map((asset: any) => asset.id)),
    );
  });

  test("duplicate references are stored once, and a new list replaces the old one", async () => {
    const tenant = await gateway.newTenant();
    const [a, b] = [await create(tenant), await create(tenant)];
    const part = await create(tenant, { alternativeParts: [{ id: a.partId }, { id: a.partId }] });
    expect(part.alternativeParts).toHaveLength(1);
    const put = await tenant.rest("PUT", `/parts/${part.partId}`, { alternativeParts: [{ id: b.partId }, { id: a.partId }] });
    expect(put.body.alternativeParts.map((other: any) => other.id)).toEqual([b.partId, a.partId]);
    expect((await tenant.rest("PUT", `/parts/${part.partId}`, { alternativeParts: [] })).body.alternativeParts).toEqual([]);
  });

  test("unknown parts come back as supplied, in their position, over REST and GraphQL", async () => {
    const tenant = await gateway.newTenant();
    const known = await create(tenant, { partNumber: "ALT-1", manufacturer: "FAG" });
    const asset = await tenant.createAsset({ name: "Pump", type: "pump" });
    const given = {
      alternativeParts: [
        { id: "part-456", partNumber: "SKF-6205", manufacturer: "SKF" },
        { partNumber: "NSK 6205" },
        { id: known.partId, partNumber: "ALT-1", manufacturer: "FAG" },
        { id: "part-457" },
      ],
      compatibleAssets: [{ id: asset.id, name: "Pump", type: "pump" }, { id: "asset-9", name: "Fan Ø 2", type: "fan" }, { name: "Mill" }],
    };
    const [first] = given.alternativeParts;
    const sent = {
      ...given,
      alternativeParts: [...given.alternativeParts.with(2, { partNumber: "ALT-1" }), { ...first, manufacturer: "Other" }],
    };
    const part = await create(tenant, sent);
    expect(part).toMatchObject(given);
    const { body: got } = await tenant.rest("GET", `/parts/${part.partId}`);
    expect(got).toMatchObject(given);
    const asked = `query ($id: ID!) { part(id: $id) { alternativeParts { id } compatibleAssets { id } alternatives { id part { name } } compatibleWith { name asset { id } } } }`;
    const answer = async () => (await tenant.ask(asked, { id: part.partId })).part;
    expect(await answer()).toEqual({
      alternativeParts: [{ id: known.partId }],
      compatibleAssets: [{ id: asset.id }],
      alternatives: [
        { id: "part-456", part: null },
        { id: null, part: null },
        { id: known.partId, part: { name: "Part" } },
        { id: "part-457", part: null },
      ],
      compatibleWith: [
        { name: "Pump", asset: { id: asset.id } },
        { name: "Fan Ø 2", asset: null },
        { name: "Mill", asset: null },
      ],
    });
    const before = undated(await rows(tenant));
    const { status, headers, body } = await tenant.rest("PUT", `/parts/${part.partId}`, got);
    expect([status, headers.get("warning"), body]).toEqual([200, null, { ...got, updatedAt: time }]);
    expect(undated(await rows(tenant))).toEqual(before);
    // Known parts show current values. Other references are unchanged when another field changes.
    await tenant.rest("PUT", `/parts/${known.partId}`, { manufacturer: "INA" });
    const { body: put } = await tenant.rest("PUT", `/parts/${part.partId}`, { compatibleAssets: [{ name: "Mill" }] });
    expect(put.alternativeParts).toEqual(given.alternativeParts.with(2, { id: known.partId, partNumber: "ALT-1", manufacturer: "INA" }));
    expect(put.compatibleAssets).toEqual([{ name: "Mill" }]);
    // A deactivated part is kept as supplied, and resolves again after its restoration.
    await tenant.rest("DELETE", `/parts/${known.partId}`);
    const old = { id: known.partId, partNumber: "OLD" };
    expect((await tenant.rest("PUT", `/parts/${part.partId}`, { alternativeParts: [old] })).body.alternativeParts).toEqual([old]);
    await tenant.ask(`mutation ($id: ID!) { reactivatePart(id: $id) { id } }`, { id: known.partId });
    expect((await tenant.rest("GET", `/parts/${part.partId}`)).body.alternativeParts).toEqual([
      { id: known.partId, partNumber: "ALT-1", manufacturer: "INA" },
    ]);
  });

  test("unknown fields are ignored and named in a Warning header", async () => {
    const tenant = await gateway.newTenant();
    const { status, headers } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", colour: "red" });
    expect(status).toBe(201);
    expect(headers.get("warning")).toContain("colour");
  });

  test("PUT does not change stock", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { stockLevel: 7 });
    expect((await tenant.rest("PUT", `/parts/${partId}`, { stockLevel: 99 })).body.stockLevel).toBe(7);
  });
});

describe("errors", () => {
  const bad: [string, Record<string, unknown>, string][] = [
    ["unitCost 0", { unitCost: 0 }, "unitCost"],
    ["unitCost -1", { unitCost: -1 }, "unitCost"],
    ["cost 0", { cost: 0 }, "cost"],
    ["unitCost as text", { unitCost: "12" }, "unitCost"],
    ["five decimals", { unitCost: 1.00001 }, "unitCost"],
    ["a cost that is too large", { unitCost: 1e12 }, "unitCost"],
    ["unknown unit", { unit: "bushel" }, "unit"],
    ["unknown unitOfMeasure", { unitOfMeasure: "Each" }, "unitOfMeasure"],
    ["empty partNumber", { partNumber: " " }, "partNumber"],
    ["empty name", { name: "" }, "name"],
    ["name as number", { name: 5 }, "name"],
    ["negative minimum", { minimumStock: -1 }, "minimumStock"],
    ["negative maximum", { maximumStock: -0.5 }, "maximumStock"],
    ["negative reorder point", { reorderPoint: -1 }, "reorderPoint"],
    ["negative lead time", { leadTime: -1 }, "leadTime"],
    ["negative weight", { weight: -1 }, "weight"],
    ["an invalid timestamp", { lastOrderDate: "2024-02-30" }, "lastOrderDate"],
    ["isCritical as text", { isCritical: "yes" }, "isCritical"],
    ["specifications as list", { specifications: [1] }, "specifications"],
    ["dimensions as text", { dimensions: "47 mm" }, "dimensions"],
    ["negative length", { dimensions: { length: -1 } }, "dimensions.length"],
    ["supplier as text", { supplier: "SKF" }, "supplier"],
    ["contact as text", { supplier: { contact: "x" } }, "supplier.contact"],
    ["unknown component", { componentIds: [randomUUID()] }, "componentIds"],
    ["an asset without anything", { compatibleAssets: [{}] }, "compatibleAssets.0"],
    ["an alternative with a name alone", { alternativeParts: [{ name: "Bearing" }] }, "alternativeParts.0"],
    ["an id that is too long", { alternativeParts: [{ id: "x".repeat(256) }] }, "alternativeParts.0.id"],
    ["a maker that is too long", { alternativeParts: [{ id: "x", manufacturer: "x".repeat(256) }] }, "alternativeParts.0.manufacturer"],
    [
      "too many that are not in the catalogue",
      { compatibleAssets: Array.from({ length: 1001 }, (_, i) => ({ id: `a${i}` })) },
      "compatibleAssets",
    ],
    ["componentIds as text", { componentIds: "c" }, "componentIds"],
    ["a site that is too long", { site: "x".repeat(151) }, "site"],
  ];

  test.each(bad)("%s is rejected by create and update", async (_what, fields, field) => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant);
    await expectRejected(tenant, () => tenant.rest("POST", "/parts", { partNumber: "P", name: "P", ...fields }), 400, naming(field));
    await expectRejected(tenant, () => tenant.rest("PUT", `/parts/${partId}`, fields), 400, naming(field));
  });

  test.each(["partNumber", "name"])("create without %s, or an update with null, is 400 naming it", async (field) => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant);
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/parts", { partNumber: "P", name: "P", [field]: undefined }),
      400,
      naming(field),
    );
    await expectRejected(tenant, () => tenant.rest("PUT", `/parts/${partId}`, { [field]: null }), 400, naming(field));
  });

  test("several invalid fields are reported together", async () => {
    const tenant = await gateway.newTenant();
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/parts", { cost: -1, unit: "x", leadTime: "soon", dimensions: { width: "w" } }),
      400,
      naming("partNumber", "name", "cost", "unit", "leadTime", "dimensions.width"),
    );
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/parts", { partNumber: "P", name: "P", alternativeParts: [{}], compatibleAssets: [{ name: "" }] }),
      400,
      naming("alternativeParts.0", "compatibleAssets.0"),
    );
  });

  test("a part cannot be its own alternative", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant);
    await expectRejected(
      tenant,
      () => tenant.rest("PUT", `/parts/${partId}`, { alternativeParts: [{ id: partId }] }),
      400,
      naming("alternativeParts"),
    );
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/parts", { partNumber: "P", name: "P", alternativeParts: [{ partNumber: "P" }] }),
      400,
      naming("alternativeParts"),
    );
  });

  test("a part number in use is 409 on create and 400 on update, but can be used in another tenant", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant, { partNumber: "P-1" });
    const { partId } = await create(tenant, { partNumber: "P-2" });
    const numberInUse = { error: "A part with this part number already exists", partNumber: "P-1", code: "CONFLICT" };
    await expectRejected(tenant, () => tenant.rest("POST", "/parts", { partNumber: "P-1", name: "P", stockLevel: 5 }), 409, numberInUse);
    await expectRejected(tenant, () => tenant.rest("PUT", `/parts/${partId}`, { partNumber: "P-1" }), 400, naming("partNumber"));
    expect((await tenant.rest("PUT", `/parts/${partId}`, { partNumber: "P-2" })).status).toBe(200);
    await create(await gateway.newTenant(), { partNumber: "P-1" });
  });

  test("concurrent creates with one part number: exactly one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const responses = await Promise.all(Array.from({ length: 8 }, () => tenant.rest("POST", "/parts", { partNumber: "P", name: "P" })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test.each(["GET", "PUT", "DELETE"])("%s of an unknown part is 404 with partId", async (method) => {
    const tenant = await gateway.newTenant();
    for (const partId of [randomUUID(), "x"]) {
      const call = () => tenant.rest(method, `/parts/${partId}`, method === "PUT" ? { name: "P" } : undefined);
      await expectRejected(tenant, call, 404, unknown(partId));
    }
  });

  test("another tenant's ids get the same response as unknown ones", async () => {
    const tenant = await gateway.newTenant();
    const other = await gateway.newTenant();
    const { body, component } = await full(other);
    const { partId } = await create(tenant);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const call = () => tenant.rest(method, `/parts/${body.partId}`, method === "PUT" ? { name: "P" } : undefined);
      await expectRejected(other, call, 404, unknown(body.partId));
    }
    const fields = {
      alternativeParts: [{ id: body.partId }],
      compatibleAssets: [{ id: body.compatibleAssets[0].id }],
      componentIds: [component.id],
    };
    await expectRejected(tenant, () => tenant.rest("PUT", `/parts/${partId}`, fields), 400, naming("componentIds"));
    const { componentIds: _components, ...given } = fields;
    expect((await tenant.rest("PUT", `/parts/${partId}`, given)).body).toMatchObject(given);
    expect((await tenant.rest("GET", "/parts")).body).toHaveLength(1);
    const { errors } = await tenant.graphql(`{ partByNumber(by: { partNumber: "BRG-6204" }) { id } }`);
    expect(errors![0]!.extensions.code).toBe("NOT_FOUND");
  });

  test("viewers and technicians can only read; managers can write", async () => {
    const admin = await gateway.newTenant();
    const { partId } = await create(admin);
    for (const role of ["viewer", "technician"] as const) {
      const caller = await admin.as(role);
      expect((await caller.rest("GET", `/parts/${partId}`)).status).toBe(200);
      expect((await caller.rest("GET", "/parts")).body).toHaveLength(1);
      await expectRejected(admin, () => caller.rest("POST", "/parts", { partNumber: "P", name: "P" }), 403, forbidden);
      await expectRejected(admin, () => caller.rest("PUT", `/parts/${partId}`, { name: "Q" }), 403, forbidden);
      await expectRejected(admin, () => caller.rest("DELETE", `/parts/${partId}`), 403, forbidden);
    }
    const manager = await admin.as("manager");
    expect((await manager.rest("PUT", `/parts/${partId}`, { name: "Q" })).status).toBe(200);
    expect((await manager.rest("DELETE", `/parts/${partId}`)).status).toBe(200);
  });
});

describe("lists", () => {
  const numbers = async (tenant: Caller, query: string) => {
    const { status, body } = await tenant.rest("GET", `/parts?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.map((part: any) => part.partNumber);
  };

  test("filters by search, category, manufacturer, inStock and critical", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant, {
      partNumber: "A",
      name: "Ball BEARING",
      category: "Bearings",
      manufacturer: "SKF",
      stockLevel: 3,
      isCritical: true,
    });
    await create(tenant, { partNumber: "B", name: "Seal 50%", category: "Seals", manufacturer: "SKF", manufacturerPartNumber: "x_y" });
    await create(tenant, {
      partNumber: "C",
      name: "Seal",
      description: "fits the bearing",
      category: "Seals",
      manufacturer: "FAG",
      stockLevel: 1,
    });
    expect(await numbers(tenant, "")).toEqual(["A", "B", "C"]);
    expect(await numbers(tenant, "search=bearing")).toEqual(["A", "C"]);
    expect(await numbers(tenant, "search=skf")).toEqual(["A", "B"]);
    expect(await numbers(tenant, "search=%25")).toEqual(["B"]);
    expect(await numbers(tenant, "search=_")).toEqual(["B"]);
    expect(await numbers(tenant, "search=%5C")).toEqual([]);
    expect(await numbers(tenant, "category=Seals")).toEqual(["B", "C"]);
    expect(await numbers(tenant, "manufacturer=SKF&category=Seals")).toEqual(["B"]);
    expect(await numbers(tenant, "inStock=true")).toEqual(["A", "C"]);
    expect(await numbers(tenant, "inStock=false")).toEqual(["B"]);
    expect(await numbers(tenant, "critical=true")).toEqual(["A"]);
    expect(await numbers(tenant, "critical=false&inStock=true")).toEqual(["C"]);
    expect(await numbers(tenant, "limit=2")).toEqual(["A", "B"]);
    expect(await numbers(tenant, "limit=2&offset=2")).toEqual(["C"]);
    expect(await numbers(tenant, "offset=9")).toEqual([]);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "limit=1.5", "offset=-1", "inStock=maybe", "critical=1", "active=no"])(
    "%s is 400 naming the parameter",
    async (query) => {
      const tenant = await gateway.newTenant();
      await expectRejected(tenant, () => tenant.rest("GET", `/parts?${query}`), 400, naming(query.split("=")[0]!));
    },
  );

  test("a deleted part is inactive: not in lists, readable by id, keeps its number, can be reactivated", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { partNumber: "P", stockLevel: 4 });
    const { partNumber: kept } = await create(tenant);
    const deleted = await tenant.rest("DELETE", `/parts/${partId}`);
    expect({ status: deleted.status, body: deleted.body }).toEqual({
      status: 200,
      body: { message: expect.any(String), deactivatedAt: time },
    });
    expect(await numbers(tenant, "")).toEqual([kept]);
    expect(await numbers(tenant, "active=true")).toEqual([kept]);
    expect(await numbers(tenant, "active=false")).toEqual(["P"]);
    expect((await tenant.rest("GET", `/parts/${partId}`)).body).toMatchObject({ id: partId, isActive: false, stockLevel: 4 });
    const { part } = await tenant.ask("query ($id: ID!) { part(id: $id) { isActive deactivatedAt } }", { id: partId });
    expect(part).toEqual({ isActive: false, deactivatedAt: deleted.body.deactivatedAt });
    await expectRejected(tenant, () => tenant.rest("DELETE", `/parts/${partId}`), 404, unknown(partId));
    expect((await tenant.rest("POST", "/parts", { partNumber: "P", name: "P" })).status).toBe(409);
    const reactivate = "mutation ($id: ID!) { reactivatePart(id: $id) { isActive deactivatedAt stockLevel } }";
    expect((await tenant.ask(reactivate, { id: partId })).reactivatePart).toEqual({ isActive: true, deactivatedAt: null, stockLevel: 4 });
    expect(await numbers(tenant, "active=false")).toEqual([]);
    expect(await numbers(tenant, "")).toEqual(["P", kept]);
    expect((await tenant.graphql(reactivate, { id: partId })).errors![0]!.extensions).toMatchObject({ code: "NOT_FOUND", partId });
  });

  test("GraphQL lists active parts, inactive parts, or all", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { partNumber: "A", name: "z" });
    await create(tenant, { partNumber: "B", name: "y" });
    await tenant.rest("DELETE", `/parts/${partId}`);
    const list = async (rest: string) =>
      (await tenant.ask(`{ parts${rest} { nodes { partNumber } totalCount } }`)).parts.nodes.map((part: any) => part.partNumber);
    expect(await list("")).toEqual(["B"]);
    expect(await list("(filter: { active: false })")).toEqual(["A"]);
    expect(await list("(filter: { active: null }, orderBy: { field: NAME, direction: DESC })")).toEqual(["A", "B"]);
    expect(await list("(filter: { active: null }, orderBy: { field: NAME })")).toEqual(["B", "A"]);
  });
});

describe("fields from the ledger", () => {
  const statuses: [string, Record<string, unknown>][] = [
    ["OUT_OF_STOCK", { reorderPoint: 5, lastOrderDate: "2999-01-01" }],
    ["LOW_STOCK", { stockLevel: 5, reorderPoint: 5, maximumStock: 4, lastOrderDate: "2999-01-01" }],
    ["EXCESS_STOCK", { stockLevel: 11, reorderPoint: 5, maximumStock: 10, lastOrderDate: "2999-01-01" }],
    ["ON_ORDER", { stockLevel: 10, reorderPoint: 5, maximumStock: 10, lastOrderDate: "2999-01-01" }],
    ["IN_STOCK", { stockLevel: 10, reorderPoint: 5, maximumStock: 10, lastOrderDate: "2020-01-01" }],
    ["IN_STOCK", { stockLevel: 0.0001 }],
  ];
  test.each(statuses)("stockStatus is %s for %j", async (stockStatus, fields) => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, fields);
    const { part } = await tenant.ask("query ($id: ID!) { part(id: $id) { stockStatus } }", { id: partId });
    expect(part).toEqual({ stockStatus });
  });

  test("stockLevel is the sum over sites, averageUsage the monthly issues of a year, lastOrderDate the last receipt", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { site: "North", stockLevel: 10, averageUsage: 2, usageUnit: "week" });
    const see = async () => (await tenant.rest("GET", `/parts/${partId}`)).body;
    expect(await see()).toMatchObject({ stockLevel: 10, averageUsage: 2, usageUnit: "week", lastOrderQuantity: 10, lastOrderDate: time });
    const { receiveStock } = await tenant.ask(
      `mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "South", quantity: 2.5 }) { performedAt } }`,
      { id: partId },
    );
    expect(await see()).toMatchObject({ stockLevel: 12.5, lastOrderDate: receiveStock.performedAt, lastOrderQuantity: 2.5 });
    await tenant.ask(`mutation ($id: ID!) { issueStock(partId: $id, input: { site: "North", quantity: 4 }) { id } }`, { id: partId });
    // 4 in a year / 12 months = 0.3333
    expect(await see()).toMatchObject({ stockLevel: 8.5, averageUsage: 0.3333, usageUnit: "month" });
    const put = await tenant.rest("PUT", `/parts/${partId}`, { lastOrderDate: "2999-01-01", lastOrderQuantity: 50 });
    expect(put.body).toMatchObject({ lastOrderDate: "2999-01-01T00:00:00.000Z", lastOrderQuantity: 50 });
  });

  test("a part can be found by its number, QR code or barcode", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await create(tenant, { partNumber: "P", qrCode: "Q", barcode: "B" });
    await create(tenant, { partNumber: "Q", barcode: "P" });
    for (const by of [{ partNumber: "P" }, { qrCode: "Q" }, { barcode: "B" }])
      expect((await tenant.ask("query ($by: PartNumberInput!) { partByNumber(by: $by) { id } }", { by })).partByNumber.id).toBe(partId);
    for (const [by, code] of [
      [{ qrCode: "B" }, "NOT_FOUND"],
      [{}, "BAD_USER_INPUT"],
      [{ qrCode: "Q", barcode: "B" }, "BAD_USER_INPUT"],
    ] as const) {
      const { errors } = await tenant.graphql("query ($by: PartNumberInput!) { partByNumber(by: $by) { id } }", { by });
      expect(errors![0]!.extensions.code).toBe(code);
    }
  });

  test("of parts with the same QR code, the one with the lowest id is found, also after an update", async () => {
    const tenant = await gateway.newTenant();
    const ids: string[] = [];
    for (const partNumber of ["A", "B", "C"]) ids.push((await create(tenant, { partNumber, qrCode: "Q" })).partId);
    const [lowest] = ids.sort();
    const find = async () => (await tenant.ask(`{ partByNumber(by: { qrCode: "Q" }) { id } }`)).partByNumber.id;
    expect(await find()).toBe(lowest);
    for (const qrCode of ["other", "Q"]) await tenant.rest("PUT", `/parts/${lowest}`, { qrCode });
    expect(await find()).toBe(lowest);
  });

  test("GraphQL links asset, component, part, stock, movement and site", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ site: "North" });
    const component = await tenant.createComponent({ assetId: asset.id });
    const { partId } = await create(tenant, {
      site: "North",
      stockLevel: 3,
      compatibleAssets: [{ id: asset.id }],
      componentIds: [component.id],
    });
    const data = await tenant.ask(
      `query ($a: ID!, $c: ID!, $p: ID!) {
        asset(id: $a) { parts { id stockLevels { site quantity movements { nodes { quantity part { id } stock { quantity } } } } } }
        component(id: $c) { parts { id } }
        part(id: $p) { compatibleAssets { id } componentDetails { id } movements { nodes { newBalance } } stockAt(site: "North") { quantity part { id } } }
      }`,
      { a: asset.id, c: component.id, p: partId },
    );
    expect(data).toEqual({
      asset: {
        parts: [
          {
            id: partId,
            stockLevels: [
              { site: "North", quantity: 3, movements: { nodes: [{ quantity: 3, part: { id: partId }, stock: { quantity: 3 } }] } },
            ],
          },
        ],
      },
      component: { parts: [{ id: partId }] },
      part: {
        compatibleAssets: [{ id: asset.id }],
        componentDetails: [{ id: component.id }],
        movements: { nodes: [{ newBalance: 3 }] },
        stockAt: { quantity: 3, part: { id: partId } },
      },
    });
  });
});

describe("a minimum above the maximum", () => {
  const wrong = (field: string, message: string) => ({
    error: "Invalid input",
    details: { [field]: message },
    code: "BAD_USER_INPUT",
    requestId,
  });
  const least = wrong("minimumStock", "must not be above maximumStock");
  const most = wrong("maximumStock", "must not be below minimumStock");

  test("is rejected if the change results in it", async () => {
    const tenant = await gateway.newTenant();
    const post = await tenant.rest("POST", "/parts", { partNumber: "X", name: "X", stockLevel: 3, minimumStock: 3, maximumStock: 2 });
    expect([post.status, post.body]).toEqual([400, most]);
    expect(await tenant.snapshot("Part", "StockMovement")).toEqual({ Part: [], StockMovement: [] });
    const { body } = await tenant.rest("POST", "/parts", { partNumber: "X", name: "X", minimumStock: 3, maximumStock: 9 });
    const before = await tenant.snapshot("Part");
    const put = (fields: object) => tenant.rest("PUT", `/parts/${body.partId}`, { name: "Y", ...fields });
    expect(await put({ minimumStock: 10 })).toMatchObject({ status: 400, body: least });
    expect(await put({ maximumStock: 2 })).toMatchObject({ status: 400, body: most });
    expect(await tenant.snapshot("Part")).toEqual(before);
    expect((await put({ minimumStock: 9 })).status).toBe(200);
    expect((await put({ minimumStock: 12, maximumStock: null })).status).toBe(200);
    expect(await put({ maximumStock: 11 })).toMatchObject({ status: 400, body: most });
  });
});

test("all=true lists active and deactivated parts, active=false only deactivated ones", async () => {
  const tenant = await gateway.newTenant();
  for (const partNumber of ["A", "B"]) await tenant.rest("POST", "/parts", { partNumber, name: partNumber });
  const numbers = async (query: string) => (await tenant.rest("GET", `/parts${query}`)).body.map((part: any) => part.partNumber);
  const { partByNumber } = await tenant.ask(`{ partByNumber(by: { partNumber: "A" }) { id } }`);
  expect((await tenant.rest("DELETE", `/parts/${partByNumber.id}`)).status).toBe(200);
  expect(await Promise.all(["", "?active=false", "?all=true", "?all=true&active=false"].map(numbers))).toEqual([
    ["B"],
    ["A"],
    ["A", "B"],
    ["A", "B"],
  ]);
});

test("a key limited to sites can change parts of its sites and parts without a site", async () => {
  const admin = await gateway.newTenant();
  const north = await admin.as("manager", ["North"]);
  const make = async (partNumber: string, site?: string) =>
    (await admin.rest("POST", "/parts", { partNumber, name: partNumber, site })).body.partId as string;
  const [own, other, none] = [await make("N", "North"), await make("S", "South"), await make("-")];
  const before = await admin.snapshot("Part", "StockMovement");
  const change = (partId: string, fields: object) => north.rest("PUT", `/parts/${partId}`, fields);
  for (const call of [
    () => north.rest("POST", "/parts", { partNumber: "X", name: "X", site: "South" }),
    () => change(other, { name: "mine" }),
    () => change(other, { site: "North" }),
    () => change(own, { site: "South" }),
    () => change(none, { site: "South" }),
    () => north.rest("DELETE", `/parts/${other}`),
  ]) {
    const { status, body } = await call();
    expect({ status, body }).toEqual({ status: 403, body: { ...forbidden, requestId } });
  }
  const { errors } = await north.graphql(`mutation ($id: ID!) { reactivatePart(id: $id) { id } }`, { id: other });
  expect(errors![0]!.extensions.code).toBe("FORBIDDEN");
  expect(await admin.snapshot("Part", "StockMovement")).toEqual(before);
  expect((await north.rest("POST", "/parts", { partNumber: "X", name: "X", site: "North", stockLevel: 2 })).status).toBe(201);
  expect((await change(own, { name: "changed" })).status).toBe(200);
  expect((await change(none, { site: "North" })).body).toMatchObject({ partNumber: "-" });
  expect((await north.rest("DELETE", `/parts/${own}`)).status).toBe(200);
  expect((await north.rest("GET", `/parts/${other}`)).status).toBe(200);
  expect((await change("unknown", { name: "x" })).status).toBe(404);
});
