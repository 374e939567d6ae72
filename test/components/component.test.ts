/** Components over REST (docs/interface.md 4.7, without templates) and over GraphQL. */
import { describe, expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { type Branch, createBranches, treeTransaction } from "../../src/domain/components/tree.js";
import { type Caller, type RestResponse, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const anId = expect.any(String);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const times = { createdAt: aTime, updatedAt: aTime };

/** P-1 at North/Hall has Gearbox[Shaft[Bearing Seal] Housing] and Motor; P-2 has Drive; Spare has no asset. */
async function plant() {
  const tenant = await gateway.newTenant();
  const { id: asset } = await tenant.createAsset({ name: "P-1", site: "North", area: "Hall" });
  const { id: other } = await tenant.createAsset({ name: "P-2" });
  const make = async (name: string, place = {}) =>
    (await tenant.createComponent({ name, type: name.toLowerCase(), ...place })).id as string;
  const gearbox = await make("Gearbox", { assetId: asset });
  const shaft = await make("Shaft", { parentId: gearbox });
  const bearing = await make("Bearing", { parentId: shaft });
  const seal = await make("Seal", { parentId: shaft });
  const housing = await make("Housing", { parentId: gearbox });
  const motor = await make("Motor", { assetId: asset });
  const drive = await make("Drive", { assetId: other });
  const spare = await make("Spare");
  return { tenant, asset, other, gearbox, shaft, bearing, seal, housing, motor, drive, spare };
}
type Plant = Awaited<ReturnType<typeof plant>>;
type Name = Exclude<keyof Plant, "tenant">;

const planted = "Gearbox[Shaft[Bearing Seal] Housing] Motor | Drive | Spare";

/** The live trees by asset: P-1, P-2, then components without an asset. Siblings are in order. */
async function outline({ tenant, asset, other }: Plant) {
  const { components } = await tenant.ask("{ components(first: 500) { nodes { id name assetId parentId position } } }");
  const below = (parentId: string | null, assetId: string | null): string =>
    components.nodes
      .filter((node: any) => node.parentId === parentId && node.assetId === assetId)
      .sort((a: any, b: any) => a.position - b.position)
      .map((node: any) => (below(node.id, assetId) ? `${node.name}[${below(node.id, assetId)}]` : node.name))
      .join(" ");
  return [asset, other, null].map((assetId) => below(null, assetId)).join(" | ");
}

const noAsset = "names no asset; use the id of an existing one";
const noComponent = "names no component; use the id of an existing one";
const differs = "differs from the parent's asset; leave it out to take the parent's";
const differsFromNew = "differs from the new parent's asset; leave it out to take the parent's";
const noStatus = "must be one of operational, maintenance, faulty, failed, replaced, decommissioned";
const noTime = "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z";

const codes: Record<number, string> = { 400: "BAD_USER_INPUT", 404: "NOT_FOUND", 409: "CONFLICT" };

/** Expects this status and body, and no change. */
async function expectRejected(tenant: Caller, status: number, body: object, call: () => Promise<RestResponse>) {
  const before = await tenant.snapshot();
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, code: codes[status], requestId: anId } });
  expect(await tenant.snapshot()).toEqual(before);
}
const invalid = (details: object) => ({ error: "Invalid input", details });

/** Expects this GraphQL error, and no change. */
async function expectGraphqlError(tenant: Caller, query: string, variables: object, message: string, extensions: object) {
  const before = await tenant.snapshot();
  const { errors } = await tenant.graphql(query, variables as Record<string, unknown>);
  expect(errors?.map((error) => ({ message: error.message, extensions: error.extensions }))).toEqual([{ message, extensions }]);
  expect(await tenant.snapshot()).toEqual(before);
}

const get = async (tenant: Caller, path: string) => {
  const { status, body } = await tenant.rest("GET", path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const put = async (tenant: Caller, path: string, fields: object) => {
  const { status, body } = await tenant.rest("PUT", path, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const optional = {
  description: "Drives the pump",
  serialNumber: "SN-1",
  manufacturer: "ACME",
  model: "M-100",
  installDate: "2024-01-15T00:00:00.000Z",
  specifications: { power: "5 kW", rpm: 1450, ratings: [1, { ip: 54 }], sealed: true },
  maintenanceInterval: "monthly",
  maintenanceRequirements: "Grease the bearings",
  criticality: "high",
  lastMaintenanceDate: "2024-05-01T08:00:00.000Z",
  nextMaintenanceDate: "2024-06-01T08:00:00.000Z",
  notes: "Runs hot",
};

describe("GET /components", () => {
  test("returns a plain array, oldest first, with componentId, parentComponentId and the asset", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ name: "P-1", site: "North", area: "Hall" });
    const root = await tenant.createComponent({ name: "Motor", type: "motor", assetId: asset.id, ...optional });
    const child = await tenant.createComponent({ name: "Rotor", type: "rotor", parentId: root.id });
    const loose = await tenant.createComponent({ name: "Spare", type: "belt" });
    const common = { tenantId: tenant.tenantId, status: "operational", specifications: {}, ...times };
    const owner = { assetId: asset.id, asset: { assetId: asset.id, name: "P-1", site: "North", area: "Hall" } };
    expect(await get(tenant, "/components")).toEqual([
      { ...common, ...owner, ...optional, componentId: root.id, name: "Motor", type: "motor", level: 0 },
      { ...common, ...owner, componentId: child.id, parentComponentId: root.id, name: "Rotor", type: "rotor", level: 1 },
      { ...common, componentId: loose.id, name: "Spare", type: "belt", level: 0 },
    ]);
  });

  test("filters combine with AND", async () => {
    const all = await plant();
    const { tenant, asset, gearbox, shaft } = all;
    await put(tenant, `/components/${all.seal}`, {
      serialNumber: "100%_X",
      manufacturer: "Öl AG",
      model: "ZQ",
      description: "keeps oil in",
    });
    const cases: [string, string[]][] = [
      ["", ["Gearbox", "Shaft", "Bearing", "Seal", "Housing", "Motor", "Drive", "Spare"]],
      ["search=EAR", ["Gearbox", "Bearing"]],
      ["search=100%25_x", ["Seal"]],
      ["search=%25", ["Seal"]],
      ["search=_", ["Seal"]],
      ["search=zq", ["Seal"]],
      ["search=Oil%20in", ["Seal"]],
      ["search=nothing", []],
      ["type=motor", ["Motor"]],
      ["type=mot", []],
      [`assetId=${asset}`, ["Gearbox", "Shaft", "Bearing", "Seal", "Housing", "Motor"]],
      [`parentId=${gearbox}`, ["Shaft", "Housing"]],
      [`parentId=${shaft}&search=sea`, ["Seal"]],
      [`parentId=${shaft}&type=motor`, []],
      ["assetId=unknown", []],
      ["parentId=unknown", []],
      ["limit=2", ["Gearbox", "Shaft"]],
      ["limit=2&offset=3", ["Seal", "Housing"]],
      ["offset=7", ["Spare"]],
      ["offset=8", []],
      [`assetId=${asset}&limit=1&offset=1`, ["Shaft"]],
      ["limit=1000&offset=0&search=&type=", ["Gearbox", "Shaft", "Bearing", "Seal", "Housing", "Motor", "Drive", "Spare"]],
    ];
    for (const [query, names] of cases) {
      expect(
        (await get(tenant, `/components?${query}`)).map(({ name }: any) => name),
        query,
      ).toEqual(names);
    }
  });

  test("search ignores case, also for letters beyond ASCII", async () => {
    const tenant = await gateway.newTenant();
    for (const name of ["Ölpumpe", "НАСОС", "ÉTAU"]) await tenant.createComponent({ name, manufacturer: name });
    for (const search of ["ÖLPUMPE", "ölpumpe", "насос", "Étau"]) {
      expect(await get(tenant, `/components?search=${encodeURIComponent(search)}`), search).toHaveLength(1);
    }
  });

  test("the default limit is 100", async () => {
    const tenant = await gateway.newTenant();
    const branches = Array.from({ length: 101 }, (_, i): Branch => ({ fields: { name: `C-${i}`, type: "bolt" } }));
    await treeTransaction(forTenant(gateway.database, tenant.tenantId), (tx) => createBranches(tx, tenant.actor(), {}, branches));
    expect(await get(tenant, "/components")).toHaveLength(100);
    expect(await get(tenant, "/components?limit=101")).toHaveLength(101);
  });

  const range = { limit: "must be an integer from 1 to 1000" };
  test.each([
    ["limit=0", range],
    ["limit=-1", range],
    ["limit=1001", range],
    ["limit=1.5", { limit: "must be an integer" }],
    ["limit=ten", { limit: "must be an integer" }],
    ["offset=-1", { offset: "must not be negative" }],
    ["offset=x", { offset: "must be an integer" }],
    ["limit=0&offset=-1", { ...range, offset: "must not be negative" }],
    ["type=a&type=b", { type: "must be given once" }],
  ])("?%s is 400 naming the parameter", async (query, details) => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, 400, invalid(details), () => tenant.rest("GET", `/components?${query}`));
  });
});

describe("POST /components", () => {
  test("name and type are enough: an operational root without an asset, last among its siblings", async () => {
    const tenant = await gateway.newTenant();
    for (const position of [0, 1]) {
      const { status, body } = await tenant.rest("POST", "/components", { name: "Motor", type: "motor" });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: anId,
        tenantId: tenant.tenantId,
        name: "Motor",
        type: "motor",
        level: 0,
        position,
        status: "operational",
        specifications: {},
        children: [],
        workOrders: [],
        ...times,
      });
      expect(body.updatedAt).toBe(body.createdAt);
    }
  });

  test("every field is stored, and a child gets level and asset from its parent", async () => {
    const { tenant, asset, shaft } = await plant();
    const common = { tenantId: tenant.tenantId, children: [], workOrders: [], ...times };
    const full = await tenant.createComponent({ name: "Impeller", type: "impeller", status: "faulty", assetId: asset, ...optional });
    expect(full).toEqual({
      id: anId,
      ...common,
      name: "Impeller",
      type: "impeller",
      status: "faulty",
      assetId: asset,
      level: 0,
      position: 2,
      ...optional,
    });
    expect(await get(tenant, `/components/${full.id}`)).toEqual(full);
    for (const [place, position] of [
      [{ parentId: shaft }, 2],
      [{ parentComponentId: shaft, assetId: asset }, 3],
    ] as const) {
      const child = await tenant.createComponent({ name: "Key", type: "key", ...place });
      const inherited = { parentId: shaft, assetId: asset, level: 2, position };
      expect(child).toEqual({ id: anId, ...common, name: "Key", type: "key", status: "operational", specifications: {}, ...inherited });
    }
  });

  test.each(["operational", "maintenance", "faulty", "failed", "replaced", "decommissioned"])("status %s is accepted", async (status) => {
    const tenant = await gateway.newTenant();
    expect((await tenant.createComponent({ status })).status).toBe(status);
  });

  test("specifications are returned as sent, including null values", async () => {
    const tenant = await gateway.newTenant();
    const specifications = { bore: null, nested: { depth: null, list: [null, 1] }, "": "", ключ: "✓" };
    const { id } = await tenant.createComponent({ specifications });
    expect((await get(tenant, `/components/${id}`)).specifications).toEqual(specifications);
  });

  test("unknown fields are ignored and named in a Warning header", async () => {
    const tenant = await gateway.newTenant();
    const { status, headers, body } = await tenant.rest("POST", "/components", {
      name: "Motor",
      type: "motor",
      colour: "red",
      id: "mine",
      level: 7,
    });
    expect([status, headers.get("warning"), body.level]).toEqual([201, '299 - "Unknown fields ignored: colour"', 0]);
    expect(body.id).not.toBe("mine");
  });

  const good = { name: "Motor", type: "motor" };
  const refusals: [string, (names: Plant) => unknown, object][] = [
    ["an empty object", () => ({}), { name: "is required", type: "is required" }],
    ["no name", () => ({ type: "motor" }), { name: "is required" }],
    ["no type", () => ({ name: "Motor" }), { type: "is required" }],
    ["null name, blank type", () => ({ name: null, type: "  " }), { name: "is required", type: "must not be empty" }],
    ["numbers for texts", () => ({ ...good, name: 5, model: 5 }), { name: "must be a string", model: "must be a string" }],
    ["256 characters", () => ({ ...good, name: "n".repeat(256) }), { name: "must have at most 255 characters" }],
    ["unknown status", () => ({ ...good, status: "broken" }), { status: noStatus }],
    ["30 February", () => ({ ...good, installDate: "2024-02-30" }), { installDate: noTime }],
    ["array for specifications", () => ({ ...good, specifications: [1] }), { specifications: "must be an object" }],
    ["unknown assetId", () => ({ ...good, assetId: "unknown" }), { assetId: noAsset }],
    ["empty assetId", () => ({ ...good, assetId: "" }), { assetId: noAsset }],
    ["a component as assetId", ({ motor }) => ({ ...good, assetId: motor }), { assetId: noAsset }],
    ["unknown parentId", () => ({ ...good, parentId: "unknown" }), { parentId: noComponent }],
    ["unknown parentComponentId", () => ({ ...good, parentComponentId: "unknown" }), { parentComponentId: noComponent }],
    ["empty parentId", () => ({ ...good, parentId: "" }), { parentId: noComponent }],
    ["an asset other than the parent's", ({ shaft, other }) => ({ ...good, parentId: shaft, assetId: other }), { assetId: differs }],
    [
      "an asset for a child of a parent without one",
      ({ spare, asset }) => ({ ...good, parentId: spare, assetId: asset }),
      { assetId: differs },
    ],
    ["an array as body", () => [good], { body: "must be a JSON object" }],
    ["no body", () => undefined, { body: "is required" }],
  ];
  test.each(refusals)("%s is 400 naming the field", async (_, body, details) => {
    const all = await plant();
    await expectRejected(all.tenant, 400, invalid(details), () => all.tenant.rest("POST", "/components", body(all)));
  });

  test("a deleted or another tenant's asset or parent is unknown", async () => {
    const { tenant, asset, gearbox, other, shaft } = await plant();
    const stranger = await plant();
    await tenant.rest("DELETE", `/assets/${other}`);
    await tenant.rest("DELETE", `/components/${gearbox}`);
    for (const assetId of [other, stranger.asset]) {
      await expectRejected(tenant, 400, invalid({ assetId: noAsset }), () => tenant.rest("POST", "/components", { ...good, assetId }));
    }
    for (const parentId of [gearbox, shaft, stranger.shaft]) {
      await expectRejected(tenant, 400, invalid({ parentId: noComponent }), () =>
        tenant.rest("POST", "/components", { ...good, parentId, assetId: asset }),
      );
    }
  });
});

describe("an unknown component is 404 with its componentId", () => {
  const endpoints: [string, string, object?][] = [
    ["GET", "/components/:id"],
    ["PUT", "/components/:id", { status: "failed" }],
    ["PUT", "/components/:id", { parentId: null }],
    ["DELETE", "/components/:id"],
    ["GET", "/components/tree/:id"],
    ["GET", "/components/:id/children"],
    ["POST", "/components/:id/children", { name: "Motor", type: "motor" }],
    ["GET", "/components/:id/descendants"],
    ["GET", "/components/:id/ancestors"],
    ["PUT", "/components/:id/move", { newParentId: null, position: 0 }],
  ];
  test.each(endpoints)("%s %s", async (method, path, body) => {
    const { tenant, asset, gearbox, bearing } = await plant();
    const stranger = await plant();
    await tenant.rest("DELETE", `/components/${gearbox}`);
    for (const componentId of ["unknown", asset, gearbox, bearing, stranger.motor, "ä/%"]) {
      const error = { error: "Component not found", componentId };
      await expectRejected(tenant, 404, error, () => tenant.rest(method, path.replace(":id", encodeURIComponent(componentId)), body));
    }
    expect(await outline(stranger)).toEqual(planted);
  });

  test.each([
    ["component", "query ($id: ID!) { component(id: $id) { id } }"],
    ["updateComponent", 'mutation ($id: ID!) { updateComponent(id: $id, input: { name: "X" }) { id } }'],
    ["moveComponent", "mutation ($id: ID!) { moveComponent(id: $id) { id } }"],
    ["createChildComponent", 'mutation ($id: ID!) { createChildComponent(parentId: $id, input: { name: "X", type: "x" }) { id } }'],
    ["deleteComponent", "mutation ($id: ID!) { deleteComponent(id: $id) { id } }"],
    ["restoreComponent", "mutation ($id: ID!) { restoreComponent(id: $id) { id } }"],
  ])("GraphQL %s", async (_, query) => {
    const { tenant } = await plant();
    const stranger = await plant();
    for (const id of ["unknown", stranger.motor]) {
      await expectGraphqlError(tenant, query, { id }, "Component not found", { code: "NOT_FOUND", componentId: id });
    }
    expect(await outline(stranger)).toEqual(planted);
  });
});

describe("GET /components/{componentId}", () => {
  test("returns the ids of the children, in order, and of the work orders", async () => {
    const { tenant, asset, gearbox, shaft, housing, bearing } = await plant();
    const common = { tenantId: tenant.tenantId, assetId: asset, status: "operational", specifications: {}, workOrders: [], ...times };
    const expected = { ...common, id: gearbox, name: "Gearbox", type: "gearbox", level: 0, position: 0 };
    expect(await get(tenant, `/components/${gearbox}`)).toEqual({ ...expected, children: [shaft, housing] });
    await put(tenant, `/components/${housing}/move`, { newParentId: gearbox, position: 0 });
    expect(await get(tenant, `/components/${gearbox}`)).toEqual({ ...expected, children: [housing, shaft] });
    expect(await get(tenant, `/components/${bearing}`)).toEqual({
      ...common,
      id: bearing,
      parentId: shaft,
      name: "Bearing",
      type: "bearing",
      level: 2,
      position: 0,
      children: [],
    });
  });
});

describe("PUT /components/{componentId}", () => {
  test("changes only the fields sent, and returns the full record", async () => {
    const { tenant, motor } = await plant();
    let expected = await get(tenant, `/components/${motor}`);
    const documented = {
      status: "maintenance",
      lastMaintenanceDate: "2024-05-01T08:00:00.000Z",
      nextMaintenanceDate: "2024-06-01T08:00:00.000Z",
      notes: "Oiled",
    };
    for (const fields of [
      documented,
      { name: "Motor 2", type: "drive" },
      optional,
      { specifications: { only: "this" } },
      { installDate: "2023-12-31T00:00:00.000Z" },
    ]) {
      const { updatedAt } = expected;
      expected = { ...expected, ...fields, updatedAt: aTime };
      const body = await put(tenant, `/components/${motor}`, fields);
      expect(body).toEqual(expected);
      expect(await get(tenant, `/components/${motor}`)).toEqual(body);
      expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
      expected = body;
    }
  });

  test("times are accepted in any time zone and returned in UTC", async () => {
    const { tenant, motor } = await plant();
    const body = await put(tenant, `/components/${motor}`, {
      installDate: "2024-01-15",
      lastMaintenanceDate: "2024-05-01T10:00:00+02:00",
      nextMaintenanceDate: "2024-05-01T10:00",
    });
    expect([body.installDate, body.lastMaintenanceDate, body.nextMaintenanceDate]).toEqual([
      "2024-01-15T00:00:00.000Z",
      "2024-05-01T08:00:00.000Z",
      "2024-05-01T10:00:00.000Z",
    ]);
  });

  test("null clears an optional field", async () => {
    const tenant = await gateway.newTenant();
    const full = await tenant.createComponent(optional);
    for (const field of Object.keys(optional)) {
      const { [field]: _, ...rest } = await get(tenant, `/components/${full.id}`);
      const cleared = { ...rest, ...(field === "specifications" && { specifications: {} }), updatedAt: aTime };
      expect(await put(tenant, `/components/${full.id}`, { [field]: null }), field).toEqual(cleared);
    }
  });

  test("a GET or list response can be PUT back: only updatedAt changes", async () => {
    const { tenant, asset, gearbox, shaft, motor, spare, housing } = await plant();
    await put(tenant, `/components/${shaft}`, { ...optional, specifications: { bore: null } });
    const withoutTimes = async () => (await tenant.snapshot("Component")).Component!.map(({ updatedAt, version, ...row }) => row);
    const before = await withoutTimes();
    const listed = await get(tenant, "/components");
    for (const id of [gearbox, shaft, motor, spare, housing]) {
      const { updatedAt, ...got } = await get(tenant, `/components/${id}`);
      const shapes = [{ ...got, updatedAt }, listed.find(({ componentId }: any) => componentId === id)];
      for (const shape of shapes) {
        const { headers, body } = await tenant.rest("PUT", `/components/${id}`, shape);
        expect(body).toEqual({ ...got, updatedAt: aTime });
        expect(headers.get("warning")).toBeNull();
        expect(await withoutTimes()).toEqual(before);
      }
    }
    expect((await get(tenant, `/components/${shaft}`)).assetId).toBe(asset);
  });

  const moves: [string, (names: Plant) => object, Name, string][] = [
    ["another parent", ({ motor }) => ({ parentId: motor }), "shaft", "Gearbox[Housing] Motor[Shaft[Bearing Seal]] | Drive | Spare"],
    [
      "another parent as parentComponentId",
      ({ motor }) => ({ parentComponentId: motor }),
      "shaft",
      "Gearbox[Housing] Motor[Shaft[Bearing Seal]] | Drive | Spare",
    ],
    ["a null parent", () => ({ parentId: null }), "shaft", "Gearbox[Housing] Motor Shaft[Bearing Seal] | Drive | Spare"],
    [
      "a parent on another asset",
      ({ drive }) => ({ parentId: drive }),
      "shaft",
      "Gearbox[Housing] Motor | Drive[Shaft[Bearing Seal]] | Spare",
    ],
    [
      "a parent without an asset",
      ({ spare }) => ({ parentId: spare }),
      "shaft",
      "Gearbox[Housing] Motor | Drive | Spare[Shaft[Bearing Seal]]",
    ],
    [
      "another asset for a root",
      ({ other }) => ({ assetId: other }),
      "gearbox",
      "Motor | Drive Gearbox[Shaft[Bearing Seal] Housing] | Spare",
    ],
    ["a null asset for a root", () => ({ assetId: null }), "gearbox", "Motor | Drive | Spare Gearbox[Shaft[Bearing Seal] Housing]"],
    [
      "a null parent and another asset",
      ({ other }) => ({ parentId: null, assetId: other }),
      "shaft",
      "Gearbox[Housing] Motor | Drive Shaft[Bearing Seal] | Spare",
    ],
    [
      "another parent and its asset",
      ({ drive, other }) => ({ parentId: drive, assetId: other }),
      "seal",
      "Gearbox[Shaft[Bearing] Housing] Motor | Drive[Seal] | Spare",
    ],
    ["the current parent", ({ gearbox }) => ({ parentId: gearbox }), "shaft", planted],
    ["the current asset", ({ asset }) => ({ assetId: asset }), "shaft", planted],
  ];
  test.each(moves)("%s moves the subtree to the last position, along with other changes", async (_, fields, moved, trees) => {
    const all = await plant();
    const body = await put(all.tenant, `/components/${all[moved]}`, { ...fields(all), notes: "moved" });
    expect(await outline(all)).toEqual(trees);
    expect(body).toEqual(await get(all.tenant, `/components/${all[moved]}`));
    expect(body.notes).toBe("moved");
  });

  test("a null asset does not move a child: its asset is the parent's", async () => {
    const all = await plant();
    await all.tenant.rest("PUT", `/components/${all.shaft}`, { assetId: null });
    expect(await outline(all)).toEqual(planted);
  });

  const self = "A component cannot be its own parent";
  const below = "The new parent is below the component; move it elsewhere first";
  test.each([
    ["the component itself as parent", "shaft", "shaft", self],
    ["its child as parent", "bearing", "shaft", below],
    ["its grandchild as parent", "bearing", "gearbox", below],
  ] as const)("%s is 409 with details", async (_, parent, moved, details) => {
    const all = await plant();
    const error = { error: "Circular reference in component hierarchy", details };
    await expectRejected(all.tenant, 409, error, () =>
      all.tenant.rest("PUT", `/components/${all[moved]}`, { parentId: all[parent], notes: "x" }),
    );
    const update = "mutation ($id: ID!, $input: UpdateComponentInput!) { updateComponent(id: $id, input: $input) { id } }";
    await expectGraphqlError(all.tenant, update, { id: all[moved], input: { parentId: all[parent] } }, error.error, {
      code: "CONFLICT",
      details,
    });
  });

  const noNull = "must not be null";
  const refusals: [string, (names: Plant) => object, object][] = [
    ["null for required fields", () => ({ name: null, type: null, status: null }), { name: noNull, type: noNull, status: noNull }],
    ["blank name", () => ({ name: " " }), { name: "must not be empty" }],
    ["unknown status", () => ({ status: "broken" }), { status: noStatus }],
    [
      "invalid dates",
      () => ({ lastMaintenanceDate: "soon", nextMaintenanceDate: 5 }),
      { lastMaintenanceDate: noTime, nextMaintenanceDate: noTime },
    ],
    ["unknown parentId", () => ({ parentId: "unknown", notes: "x" }), { parentId: noComponent }],
    ["unknown parentComponentId", () => ({ parentComponentId: "unknown" }), { parentComponentId: noComponent }],
    ["empty parentId", () => ({ parentId: "" }), { parentId: noComponent }],
    ["unknown assetId of a root", () => ({ parentId: null, assetId: "unknown" }), { assetId: noAsset }],
    ["empty assetId of a root", () => ({ parentId: null, assetId: "" }), { assetId: noAsset }],
    ["an asset other than the parent's", ({ other }) => ({ assetId: other }), { assetId: differsFromNew }],
    ["an asset other than the new parent's", ({ drive, asset }) => ({ parentId: drive, assetId: asset }), { assetId: differsFromNew }],
  ];
  test.each(refusals)("%s is 400 naming the field", async (_, fields, details) => {
    const all = await plant();
    await expectRejected(all.tenant, 400, invalid(details), () => all.tenant.rest("PUT", `/components/${all.shaft}`, fields(all)));
  });
});

describe("DELETE /components/{componentId} and restoreComponent", () => {
  const restore = "mutation ($id: ID!) { restoreComponent(id: $id) { id level position childIds } }";

  test.each([
    ["bearing", "Component deleted", "Gearbox[Shaft[Seal] Housing] Motor | Drive | Spare"],
    ["shaft", "Component deleted with 2 below it", "Gearbox[Housing] Motor | Drive | Spare"],
    ["gearbox", "Component deleted with 4 below it", "Motor | Drive | Spare"],
    ["spare", "Component deleted", "Gearbox[Shaft[Bearing Seal] Housing] Motor | Drive | "],
  ] as const)("deleting %s deletes its subtree and returns the count: %s", async (name, message, trees) => {
    const all = await plant();
    const { status, body } = await all.tenant.rest("DELETE", `/components/${all[name]}`);
    expect([status, body]).toEqual([200, { message, deletedAt: aTime }]);
    expect(await outline(all)).toEqual(trees);
    const rows = (await all.tenant.snapshot("Component")).Component!;
    expect(rows).toHaveLength(8);
    for (const { deletedAt } of rows) if (deletedAt) expect(deletedAt.toISOString()).toBe(body.deletedAt);
    const again = { error: "Component not found", componentId: all[name] };
    await expectRejected(all.tenant, 404, again, () => all.tenant.rest("DELETE", `/components/${all[name]}`));
  });

  test("GraphQL returns the id and the count, including the component itself", async () => {
    const { tenant, shaft } = await plant();
    const { deleteComponent } = await tenant.ask(
      "mutation ($id: ID!) { deleteComponent(id: $id) { id message deletedAt componentCount } }",
      { id: shaft },
    );
    expect(deleteComponent).toEqual({ id: shaft, message: "Component deleted with 2 below it", deletedAt: aTime, componentCount: 3 });
  });

  test("a restored component comes back with its subtree, last among its siblings", async () => {
    const all = await plant();
    const { tenant, shaft, bearing, seal } = all;
    await tenant.rest("DELETE", `/components/${shaft}`);
    const { restoreComponent } = await tenant.ask(restore, { id: shaft });
    expect(restoreComponent).toEqual({ id: shaft, level: 1, position: 1, childIds: [bearing, seal] });
    expect(await outline(all)).toEqual("Gearbox[Housing Shaft[Bearing Seal]] Motor | Drive | Spare");
  });

  test("a component deleted before its parent stays deleted until it is restored itself", async () => {
    const all = await plant();
    const { tenant, gearbox, bearing } = all;
    await tenant.rest("DELETE", `/components/${bearing}`);
    await tenant.rest("DELETE", `/components/${gearbox}`);
    await tenant.ask(restore, { id: gearbox });
    expect(await outline(all)).toEqual("Motor Gearbox[Shaft[Seal] Housing] | Drive | Spare");
    await tenant.ask(restore, { id: bearing });
    expect(await outline(all)).toEqual("Motor Gearbox[Shaft[Seal Bearing] Housing] | Drive | Spare");
  });

  test("a restored component follows its parent, which moved in the meantime", async () => {
    const all = await plant();
    const { tenant, shaft, bearing, drive } = all;
    await tenant.rest("DELETE", `/components/${bearing}`);
    await put(tenant, `/components/${shaft}/move`, { newParentId: drive });
    await tenant.ask(restore, { id: bearing });
    expect(await outline(all)).toEqual("Gearbox[Housing] Motor | Drive[Shaft[Seal Bearing]] | Spare");
    expect((await get(tenant, `/components/${bearing}/ancestors`)).ancestors.map(({ name }: any) => name)).toEqual(["Drive", "Shaft"]);
  });

  test("restoring below a deleted parent is a conflict", async () => {
    const { tenant, shaft, bearing } = await plant();
    await tenant.rest("DELETE", `/components/${bearing}`);
    await tenant.rest("DELETE", `/components/${shaft}`);
    const extensions = { code: "CONFLICT", reason: "Restore the parent first", parentId: shaft };
    await expectGraphqlError(tenant, restore, { id: bearing }, "The component's parent is deleted", extensions);
  });

  test("restoring on a deleted asset is a conflict; restoring the asset restores what was deleted with it", async () => {
    const all = await plant();
    const { tenant, asset, motor, gearbox } = all;
    await tenant.rest("DELETE", `/components/${motor}`);
    await tenant.rest("DELETE", `/assets/${asset}`);
    const extensions = { code: "CONFLICT", reason: "Restore the asset first", assetId: asset };
    for (const id of [motor, gearbox]) await expectGraphqlError(tenant, restore, { id }, "The component's asset is deleted", extensions);
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id: asset });
    expect(await outline(all)).toEqual("Gearbox[Shaft[Bearing Seal] Housing] | Drive | Spare");
    await tenant.ask(restore, { id: motor });
    expect(await outline(all)).toEqual(planted);
  });

  test("restoring a live component is NOT_FOUND", async () => {
    const { tenant, motor } = await plant();
    await expectGraphqlError(tenant, restore, { id: motor }, "Component not found", { code: "NOT_FOUND", componentId: motor });
  });
});

describe("POST /components/bulk", () => {
  const failed = (id: string) => ({ id, status: "failed", error: "Component not found" });
  const success = (id: string) => ({ id, status: "success" });

  test("update changes each component, in the order sent; unknown ids fail, the others succeed", async () => {
    const all = await plant();
    const { tenant, motor, seal, gearbox } = all;
    const stranger = await plant();
    await tenant.rest("DELETE", `/components/${gearbox}`);
    const componentIds = [motor, "unknown", stranger.motor, seal, all.spare];
    const { status, body } = await tenant.rest("POST", "/components/bulk", {
      operation: "update",
      componentIds,
      data: { status: "maintenance", notes: "Oiled", lastMaintenanceDate: "2024-05-01" },
    });
    expect([status, body]).toEqual([
      200,
      { processed: 2, failed: 3, results: [success(motor), failed("unknown"), failed(stranger.motor), failed(seal), success(all.spare)] },
    ]);
    const listed = await get(tenant, "/components");
    const changed = { status: "maintenance", notes: "Oiled", lastMaintenanceDate: "2024-05-01T00:00:00.000Z" };
    for (const name of ["Motor", "Spare"]) expect(listed.find((component: any) => component.name === name)).toMatchObject(changed);
    expect(listed.find(({ name }: any) => name === "Drive")).not.toMatchObject(changed);
    expect((await get(stranger.tenant, `/components/${stranger.motor}`)).status).toBe("operational");
  });

  test("delete includes subtrees and closes gaps in positions; ids may be nested", async () => {
    const all = await plant();
    const { tenant, bearing, shaft, motor, drive } = all;
    const componentIds = [bearing, shaft, "unknown", drive];
    const { status, body } = await tenant.rest("POST", "/components/bulk", { operation: "delete", componentIds });
    expect([status, body]).toEqual([
      200,
      { processed: 3, failed: 1, results: [success(bearing), success(shaft), failed("unknown"), success(drive)] },
    ]);
    expect(await outline(all)).toEqual("Gearbox[Housing] Motor |  | Spare");
    const positions = (await tenant.ask("{ components { nodes { name position } } }")).components.nodes;
    expect(positions).toEqual([
      { name: "Gearbox", position: 0 },
      { name: "Housing", position: 0 },
      { name: "Motor", position: 1 },
      { name: "Spare", position: 0 },
    ]);
    await tenant.ask("mutation ($id: ID!) { restoreComponent(id: $id) { id } }", { id: shaft });
    expect(await outline(all)).toEqual("Gearbox[Housing Shaft[Bearing Seal]] Motor |  | Spare");
    expect((await get(tenant, `/components/${motor}`)).position).toBe(1);
  });

  test.each(["update", "delete"])("%s returns a result for every id sent, also for duplicates", async (operation) => {
    const { tenant, motor, seal } = await plant();
    const componentIds = [motor, seal, motor, "unknown", "unknown"];
    const { body } = await tenant.rest("POST", "/components/bulk", {
      operation,
      componentIds,
      ...(operation === "update" && { data: { notes: "x" } }),
    });
    expect(body).toEqual({
      processed: 3,
      failed: 2,
      results: [success(motor), success(seal), success(motor), failed("unknown"), failed("unknown")],
    });
  });

  test("1,000 ids are accepted", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createComponent();
    const componentIds = [id, ...Array.from({ length: 999 }, (_, i) => `unknown-${i}`)];
    const { body } = await tenant.rest("POST", "/components/bulk", { operation: "update", componentIds, data: { status: "failed" } });
    expect(body).toEqual({ processed: 1, failed: 999, results: [success(id), ...componentIds.slice(1).map(failed)] });
  });

  const many = Array.from({ length: 1001 }, (_, i) => `id-${i}`);
  const ids = { componentIds: "must hold 1 to 1000 ids" };
  const needsData = { data: "is required for update; name the fields to set" };
  const inBulk = "cannot be set in bulk; move components one by one";
  const refusals: [string, (names: Plant) => object, object][] = [
    ["0 ids", () => ({ operation: "delete", componentIds: [] }), ids],
    ["1,001 ids", () => ({ operation: "update", componentIds: many, data: { notes: "x" } }), ids],
    ["an empty object", () => ({}), { operation: "is required", componentIds: "is required" }],
    [
      "unknown operation",
      ({ motor }) => ({ operation: "paint", componentIds: [motor], data: { notes: "x" } }),
      { operation: "must be one of update, delete" },
    ],
    [
      "an id that is not a string",
      ({ motor }) => ({ operation: "delete", componentIds: [motor, null, {}] }),
      { "componentIds.1": "is required", "componentIds.2": "must be a string" },
    ],
    ["ids that are not an array", ({ motor }) => ({ operation: "delete", componentIds: motor }), { componentIds: "must be an array" }],
    ["update without data", ({ motor }) => ({ operation: "update", componentIds: [motor] }), needsData],
    ["update with empty data", ({ motor }) => ({ operation: "update", componentIds: [motor], data: {} }), needsData],
    ["update with null data", ({ motor }) => ({ operation: "update", componentIds: [motor], data: null }), needsData],
    [
      "data that is not an object",
      ({ motor }) => ({ operation: "update", componentIds: [motor], data: "x" }),
      { data: "must be an object" },
    ],
    [
      "an invalid status",
      ({ motor }) => ({ operation: "update", componentIds: [motor], data: { status: "broken" } }),
      { "data.status": noStatus },
    ],
    [
      "a null status",
      ({ motor }) => ({ operation: "update", componentIds: [motor], data: { status: null } }),
      { "data.status": "must not be null" },
    ],
    [
      "a change of parent or asset",
      ({ motor, spare, other }) => ({ operation: "update", componentIds: [motor], data: { parentId: spare, assetId: other } }),
      { "data.parentId": inBulk, "data.assetId": inBulk },
    ],
  ];
  test.each(refusals)("%s is 400 naming the field", async (_, body, details) => {
    const all = await plant();
    await expectRejected(all.tenant, 400, invalid(details), () => all.tenant.rest("POST", "/components/bulk", body(all)));
  });
});

describe("reading the tree", () => {
  const node = (id: string, name: string, level: number) => ({ id, name, type: name.toLowerCase(), level });

  test("GET /components/tree/{rootId} returns the nested subtree; leaves have an empty array", async () => {
    const { tenant, gearbox, shaft, bearing, seal, housing, spare } = await plant();
    const leaf = (...of: Parameters<typeof node>) => ({ ...node(...of), children: [] });
    const shaftTree = { ...node(shaft, "Shaft", 1), children: [leaf(bearing, "Bearing", 2), leaf(seal, "Seal", 2)] };
    expect(await get(tenant, `/components/tree/${gearbox}`)).toEqual({
      ...node(gearbox, "Gearbox", 0),
      children: [shaftTree, leaf(housing, "Housing", 1)],
    });
    expect(await get(tenant, `/components/tree/${shaft}`)).toEqual(shaftTree);
    expect(await get(tenant, `/components/tree/${spare}`)).toEqual(leaf(spare, "Spare", 0));
  });

  test("GET …/children returns the direct children, in order", async () => {
    const { tenant, gearbox, shaft, housing, motor } = await plant();
    await put(tenant, `/components/${housing}/move`, { newParentId: gearbox, position: 0 });
    await put(tenant, `/components/${shaft}`, { status: "faulty" });
    expect(await get(tenant, `/components/${gearbox}/children`)).toEqual({
      children: [
        { ...node(housing, "Housing", 1), parentId: gearbox, status: "operational" },
        { ...node(shaft, "Shaft", 1), parentId: gearbox, status: "faulty" },
      ],
    });
    expect(await get(tenant, `/components/${motor}/children`)).toEqual({ children: [] });
  });

  test("GET …/descendants returns one level after the other, with each path from the requested component", async () => {
    const { tenant, gearbox, shaft, bearing, seal, housing } = await plant();
    expect(await get(tenant, `/components/${gearbox}/descendants`)).toEqual({
      descendants: [
        { ...node(shaft, "Shaft", 1), path: [gearbox, shaft] },
        { ...node(housing, "Housing", 1), path: [gearbox, housing] },
        { ...node(bearing, "Bearing", 2), path: [gearbox, shaft, bearing] },
        { ...node(seal, "Seal", 2), path: [gearbox, shaft, seal] },
      ],
    });
    const below = [
      { ...node(bearing, "Bearing", 2), path: [shaft, bearing] },
      { ...node(seal, "Seal", 2), path: [shaft, seal] },
    ];
    expect(await get(tenant, `/components/${shaft}/descendants`)).toEqual({ descendants: below });
    expect(await get(tenant, `/components/${seal}/descendants`)).toEqual({ descendants: [] });
  });

  test("descendants of one level are sorted by their parents' order, then by their own", async () => {
    const { tenant, gearbox, shaft, housing } = await plant();
    for (const name of ["Bolt", "Nut", "Washer"]) await tenant.createComponent({ name, parentId: housing });
    const names = async () => (await get(tenant, `/components/${gearbox}/descendants`)).descendants.map(({ name }: any) => name);
    expect(await names()).toEqual(["Shaft", "Housing", "Bearing", "Seal", "Bolt", "Nut", "Washer"]);
    await put(tenant, `/components/${shaft}/move`, { newParentId: gearbox, position: 1 });
    expect(await names()).toEqual(["Housing", "Shaft", "Bolt", "Nut", "Washer", "Bearing", "Seal"]);
  });

  test("GET …/ancestors returns the ancestors from the root to the parent", async () => {
    const { tenant, gearbox, shaft, bearing } = await plant();
    expect(await get(tenant, `/components/${bearing}/ancestors`)).toEqual({
      ancestors: [node(gearbox, "Gearbox", 0), node(shaft, "Shaft", 1)],
    });
    expect(await get(tenant, `/components/${gearbox}/ancestors`)).toEqual({ ancestors: [] });
  });
});

describe("POST /components/{componentId}/children", () => {
  test("creates the last child, and ignores a parent in the body", async () => {
    const all = await plant();
    const { tenant, asset, shaft, motor } = all;
    const sent = { name: "Key", type: "key", serialNumber: "K-1", manufacturer: "ACME", model: "K" };
    const { status, body, headers } = await tenant.rest("POST", `/components/${shaft}/children`, { ...sent, parentId: motor });
    expect(status).toBe(201);
    expect(headers.get("warning")).toBeNull();
    expect(body).toEqual({
      ...sent,
      id: anId,
      tenantId: tenant.tenantId,
      assetId: asset,
      parentId: shaft,
      level: 2,
      position: 2,
      status: "operational",
      specifications: {},
      children: [],
      workOrders: [],
      ...times,
    });
    expect(await outline(all)).toEqual("Gearbox[Shaft[Bearing Seal Key] Housing] Motor | Drive | Spare");
  });

  const refusals: [string, (names: Plant) => object, object][] = [
    ["an empty object", () => ({}), { name: "is required", type: "is required" }],
    ["no name", () => ({ type: "key" }), { name: "is required" }],
    ["an asset other than the parent's", ({ other }) => ({ name: "Key", type: "key", assetId: other }), { assetId: differs }],
  ];
  test.each(refusals)("%s is 400 naming the field", async (_, body, details) => {
    const all = await plant();
    await expectRejected(all.tenant, 400, invalid(details), () => all.tenant.rest("POST", `/components/${all.shaft}/children`, body(all)));
  });
});

describe("PUT /components/{componentId}/move", () => {
  const places: [string, Name, Name | null, number | null | undefined, string][] = [
    ["to another parent, first", "seal", "gearbox", 0, "Gearbox[Seal Shaft[Bearing] Housing] Motor | Drive | Spare"],
    ["to another parent, in the middle", "seal", "gearbox", 1, "Gearbox[Shaft[Bearing] Seal Housing] Motor | Drive | Spare"],
    ["to another parent, last", "seal", "gearbox", 2, "Gearbox[Shaft[Bearing] Housing Seal] Motor | Drive | Spare"],
    ["a position past the end", "seal", "gearbox", 2_147_483_647, "Gearbox[Shaft[Bearing] Housing Seal] Motor | Drive | Spare"],
    ["a negative position", "seal", "gearbox", -5, "Gearbox[Seal Shaft[Bearing] Housing] Motor | Drive | Spare"],
    ["the smallest integer", "seal", "gearbox", -2_147_483_648, "Gearbox[Seal Shaft[Bearing] Housing] Motor | Drive | Spare"],
    ["no position: last", "seal", "gearbox", undefined, "Gearbox[Shaft[Bearing] Housing Seal] Motor | Drive | Spare"],
    ["a null position: last", "seal", "gearbox", null, "Gearbox[Shaft[Bearing] Housing Seal] Motor | Drive | Spare"],
    ["forward among its siblings", "bearing", "shaft", 1, "Gearbox[Shaft[Seal Bearing] Housing] Motor | Drive | Spare"],
    ["back among its siblings", "seal", "shaft", 0, "Gearbox[Shaft[Seal Bearing] Housing] Motor | Drive | Spare"],
    ["to its current position", "bearing", "shaft", 0, planted],
    ["last to past the end", "seal", "shaft", 99, planted],
    ["to a root of its asset", "shaft", null, 1, "Gearbox[Housing] Shaft[Bearing Seal] Motor | Drive | Spare"],
    ["among the roots", "motor", null, 0, "Motor Gearbox[Shaft[Bearing Seal] Housing] | Drive | Spare"],
    ["a root below another component", "motor", "shaft", 1, "Gearbox[Shaft[Bearing Motor Seal] Housing] | Drive | Spare"],
    ["to another asset's tree", "gearbox", "drive", 0, "Motor | Drive[Gearbox[Shaft[Bearing Seal] Housing]] | Spare"],
    ["to a tree without an asset", "shaft", "spare", 0, "Gearbox[Housing] Motor | Drive | Spare[Shaft[Bearing Seal]]"],
    ["from a tree without an asset to an asset", "spare", "bearing", 0, "Gearbox[Shaft[Bearing[Spare] Seal] Housing] Motor | Drive | "],
  ];
  test.each(places)("%s", async (_, moved, parent, position, trees) => {
    const all = await plant();
    const { tenant } = all;
    const before = await get(tenant, `/components/${all[moved]}`);
    const body = await put(tenant, `/components/${all[moved]}/move`, { newParentId: parent && all[parent], position });
    expect(await outline(all)).toEqual(trees);
    expect(body).toEqual(await get(tenant, `/components/${all[moved]}`));
    const { parentId: _parent, ...rest } = before;
    const now = parent ? await get(tenant, `/components/${all[parent]}`) : undefined;
    const placed = now && {
      parentId: all[parent!],
      level: now.level + 1,
      position: now.children.indexOf(all[moved]),
      assetId: now.assetId,
    };
    expect(body).toEqual({ ...rest, level: 0, position: body.position, ...placed, updatedAt: aTime });
  });

  test("moving a subtree changes level, asset and path of everything in it", async () => {
    const { tenant, other, drive, shaft, seal } = await plant();
    await put(tenant, `/components/${shaft}/move`, { newParentId: drive });
    const moved = { id: seal, parentId: shaft, assetId: other, level: 2, position: 1 };
    expect(await get(tenant, `/components/${seal}`)).toMatchObject(moved);
    expect((await get(tenant, `/components/${drive}/descendants`)).descendants.map(({ path }: any) => path)).toContainEqual([
      drive,
      shaft,
      seal,
    ]);
    expect((await get(tenant, `/components?assetId=${other}`)).map(({ name }: any) => name)).toEqual(["Shaft", "Bearing", "Seal", "Drive"]);
  });

  test("a move changes updatedAt", async () => {
    const { tenant, shaft, drive } = await plant();
    const { updatedAt } = await get(tenant, `/components/${shaft}`);
    const moved = await put(tenant, `/components/${shaft}/move`, { newParentId: drive });
    expect(Date.parse(moved.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
  });

  test.each([
    ["itself", "shaft", "shaft", "A component cannot be its own parent"],
    ["its child", "shaft", "bearing", "The new parent is below the component; move it elsewhere first"],
    ["a descendant", "gearbox", "seal", "The new parent is below the component; move it elsewhere first"],
  ] as const)("moving below %s is 409 with details", async (_, moved, parent, details) => {
    const all = await plant();
    const error = { error: "Circular reference in component hierarchy", details };
    await expectRejected(all.tenant, 409, error, () =>
      all.tenant.rest("PUT", `/components/${all[moved]}/move`, { newParentId: all[parent], position: 0 }),
    );
    const move = "mutation ($id: ID!, $to: ID) { moveComponent(id: $id, newParentId: $to) { id } }";
    await expectGraphqlError(all.tenant, move, { id: all[moved], to: all[parent] }, error.error, { code: "CONFLICT", details });
  });

  const refusals: [string, (names: Plant) => unknown, object][] = [
    ["unknown newParentId", () => ({ newParentId: "unknown" }), { newParentId: noComponent }],
    ["empty newParentId", () => ({ newParentId: "" }), { newParentId: noComponent }],
    ["an asset as newParentId", ({ other }) => ({ newParentId: other }), { newParentId: noComponent }],
    ["a position that is not an integer", ({ gearbox }) => ({ newParentId: gearbox, position: 1.5 }), { position: "must be an integer" }],
    ["a position as a string", ({ gearbox }) => ({ newParentId: gearbox, position: "1" }), { position: "must be an integer" }],
    ["no body", () => undefined, { body: "is required" }],
    ["an object as newParentId", () => ({ newParentId: {} }), { newParentId: "must be a string" }],
  ];
  test.each(refusals)("%s is 400 naming the field", async (_, body, details) => {
    const all = await plant();
    await expectRejected(all.tenant, 400, invalid(details), () => all.tenant.rest("PUT", `/components/${all.shaft}/move`, body(all)));
  });

  test("a deleted or another tenant's component cannot be the parent", async () => {
    const { tenant, motor, shaft } = await plant();
    const stranger = await plant();
    await tenant.rest("DELETE", `/components/${motor}`);
    for (const newParentId of [motor, stranger.motor]) {
      await expectRejected(tenant, 400, invalid({ newParentId: noComponent }), () =>
        tenant.rest("PUT", `/components/${shaft}/move`, { newParentId }),
      );
    }
  });

  test("GraphQL can move it to a root of another asset", async () => {
    const all = await plant();
    const move =
      "mutation ($id: ID!, $assetId: ID, $position: Int) { moveComponent(id: $id, assetId: $assetId, position: $position) { assetId level position } }";
    const { moveComponent } = await all.tenant.ask(move, { id: all.shaft, assetId: all.other, position: 0 });
    expect(moveComponent).toEqual({ assetId: all.other, level: 0, position: 0 });
    expect(await outline(all)).toEqual("Gearbox[Housing] Motor | Shaft[Bearing Seal] Drive | Spare");
    const details = { assetId: noAsset };
    for (const assetId of ["unknown", ""])
      await expectGraphqlError(all.tenant, move, { id: all.shaft, assetId }, "Invalid input", { code: "BAD_USER_INPUT", details });
  });
});

describe("GraphQL", () => {
  const notOfThisList = {
    code: "BAD_USER_INPUT",
    details: { after: "is not a cursor of this list; use the endCursor of its page before" },
  };

  /** Reads a connection page by page. `at` selects it in the response data. */
  async function allPages(tenant: Caller, query: string, variables: object, at: (data: any) => any) {
    const pages: string[][] = [];
    let after: string | null = null;
    do {
      const { nodes, edges, pageInfo, totalCount } = at(await tenant.ask(query, { ...variables, after }));
      expect(edges.map(({ node }: any) => node)).toEqual(nodes);
      expect(pageInfo).toMatchObject({
        hasPreviousPage: after !== null,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      });
      pages.push([...nodes.map(({ name }: any) => name), `of ${totalCount}`]);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    return pages;
  }
  const connection =
    "{ nodes { name } edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }";

  test("cursors page through a connection, each row once", async () => {
    const { tenant, asset, gearbox } = await plant();
    await tenant.createComponent({ name: "Cover", parentId: gearbox });
    const of = (field: string) => (data: any) => field.split(".").reduce((value, name) => value[name], data);
    expect(
      await allPages(tenant, `query ($after: String) { components(first: 4, after: $after) ${connection} }`, {}, of("components")),
    ).toEqual([
      ["Gearbox", "Shaft", "Bearing", "Seal", "of 9"],
      ["Housing", "Motor", "Drive", "Spare", "of 9"],
      ["Cover", "of 9"],
    ]);
    const byName = `query ($after: String) { components(first: 3, after: $after, filter: { search: "s" }, orderBy: { field: NAME, direction: DESC }) ${connection} }`;
    expect(await allPages(tenant, byName, {}, of("components"))).toEqual([
      ["Spare", "Shaft", "Seal", "of 4"],
      ["Housing", "of 4"],
    ]);
    expect(
      await allPages(
        tenant,
        `query ($id: ID!, $after: String) { component(id: $id) { children(first: 2, after: $after) ${connection} } }`,
        { id: gearbox },
        of("component.children"),
      ),
    ).toEqual([
      ["Shaft", "Housing", "of 3"],
      ["Cover", "of 3"],
    ]);
    const scoped = (scope: string) =>
      `query ($id: ID!, $after: String) { asset(id: $id) { components(scope: ${scope}, first: 3, after: $after) ${connection} } }`;
    expect(await allPages(tenant, scoped("ROOTS"), { id: asset }, of("asset.components"))).toEqual([["Gearbox", "Motor", "of 2"]]);
    const [one, two, three, ...rest] = await allPages(tenant, scoped("ALL"), { id: asset }, of("asset.components"));
    expect([one, two, three, rest]).toEqual([
      ["Gearbox", "Motor", "Shaft", "of 7"],
      ["Housing", "Cover", "Bearing", "of 7"],
      ["Seal", "of 7"],
      [],
    ]);
  });

  test("a cursor keeps its position when earlier rows are removed", async () => {
    const { tenant, gearbox } = await plant();
    const query = "query ($after: String) { components(first: 2, after: $after) { nodes { name } pageInfo { endCursor } } }";
    const { components } = await tenant.ask(query);
    await tenant.rest("DELETE", `/components/${gearbox}`);
    const next = await tenant.ask(query, { after: components.pageInfo.endCursor });
    expect(next.components.nodes).toEqual([{ name: "Motor" }, { name: "Drive" }]);
  });

  test("a cursor is rejected for another parent, asset, filter, order or tenant", async () => {
    const { tenant, gearbox, shaft, asset, other } = await plant();
    const stranger = await plant();
    const children =
      "query ($id: ID!, $after: String) { component(id: $id) { children(first: 1, after: $after) { nodes { name } pageInfo { endCursor } } } }";
    const ofGearbox = (await tenant.ask(children, { id: gearbox })).component.children.pageInfo.endCursor;
    expect((await tenant.ask(children, { id: gearbox, after: ofGearbox })).component.children.nodes).toEqual([{ name: "Housing" }]);
    const components =
      "query ($after: String, $filter: ComponentFilter, $orderBy: ComponentOrder) { components(first: 1, after: $after, filter: $filter, orderBy: $orderBy) { pageInfo { endCursor } } }";
    const ofAll = (await tenant.ask(components)).components.pageInfo.endCursor;
    const scoped =
      "query ($id: ID!, $scope: ComponentScope!, $after: String) { asset(id: $id) { components(scope: $scope, first: 1, after: $after) { pageInfo { endCursor } } } }";
    const ofRoots = (await tenant.ask(scoped, { id: asset, scope: "ROOTS" })).asset.components.pageInfo.endCursor;
    const forged = (cursor: string, ...values: unknown[]) =>
      Buffer.from(JSON.stringify([JSON.parse(Buffer.from(cursor, "base64url").toString())[0], ...values])).toString("base64url");
    const cases: [string, object][] = [
      [children, { id: shaft, after: ofGearbox }],
      [children, { id: gearbox, after: ofAll }],
      [children, { id: gearbox, after: "nonsense" }],
      [children, { id: gearbox, after: Buffer.from("[1,2,3]").toString("base64url") }],
      [children, { id: gearbox, after: forged(ofGearbox, 1) }],
      [components, { after: ofGearbox }],
      [components, { after: ofAll, filter: { type: "motor" } }],
      [components, { after: ofAll, orderBy: { field: "NAME", direction: "ASC" } }],
      [components, { after: ofAll, orderBy: { field: "CREATED_AT", direction: "DESC" } }],
      [components, { after: (await stranger.tenant.ask(components)).components.pageInfo.endCursor }],
      [scoped, { id: other, scope: "ROOTS", after: ofRoots }],
      [scoped, { id: asset, scope: "ALL", after: ofRoots }],
    ];
    for (const [query, variables] of cases) await expectGraphqlError(tenant, query, variables, "Invalid input", notOfThisList);
    // In a nested query the cursor works only for its own parent.
    const nested =
      "query ($after: String) { components(first: 2) { nodes { name children(first: 1, after: $after) { nodes { name } } } } }";
    const { errors } = await tenant.graphql(nested, { after: ofGearbox });
    expect(errors?.map(({ path, extensions }) => ({ path, extensions }))).toEqual([
      { path: ["components", "nodes", 1, "children"], extensions: notOfThisList },
    ]);
  });

  test("a cursor with modified values is rejected", async () => {
    const { tenant } = await plant();
    const query = "query ($after: String) { components(first: 1, after: $after) { nodes { name } pageInfo { endCursor } } }";
    const [print] = JSON.parse(Buffer.from((await tenant.ask(query)).components.pageInfo.endCursor, "base64url").toString());
    for (const values of [
      ["no time", "id"],
      [null, null],
      [{}, []],
      [5, "id"],
      ["2024-01-01", "a\0b"],
    ]) {
      const after = Buffer.from(JSON.stringify([print, ...values])).toString("base64url");
      await expectGraphqlError(tenant, query, { after }, "Invalid input", notOfThisList);
    }
  });

  test("orderBy may have only a field or only a direction, in the query and in a variable", async () => {
    const { tenant } = await plant();
    const query = "query ($orderBy: ComponentOrder) { components(first: 2, orderBy: $orderBy) { nodes { name } } }";
    const cases: [object | undefined, string, string[]][] = [
      [{ field: "NAME", direction: "DESC" }, "{ field: NAME, direction: DESC }", ["Spare", "Shaft"]],
      [{ field: "NAME" }, "{ field: NAME }", ["Bearing", "Drive"]],
      [{ direction: "DESC" }, "{ direction: DESC }", ["Spare", "Drive"]],
      [{}, "{}", ["Gearbox", "Shaft"]],
    ];
    for (const [orderBy, literal, names] of cases) {
      const inQuery = await tenant.ask(`{ components(first: 2, orderBy: ${literal}) { nodes { name } } }`);
      expect(
        inQuery.components.nodes.map(({ name }: any) => name),
        literal,
      ).toEqual(names);
      const inVariable = await tenant.ask(query, { orderBy });
      expect(
        inVariable.components.nodes.map(({ name }: any) => name),
        literal,
      ).toEqual(names);
    }
  });

  test("a component has its ancestors, descendants and asset", async () => {
    const { tenant, gearbox, shaft, bearing, seal, housing, spare, asset } = await plant();
    const query = `query ($id: ID!) { component(id: $id) { parent { id parent { id } } asset { id name } ancestors { id level childIds } childIds workOrderIds
      children { totalCount nodes { id parent { id } } } descendants { id parentId parent { name } asset { id } children { totalCount } }
    } }`;
    const inAsset = { asset: { id: asset } };
    expect((await tenant.ask(query, { id: shaft })).component).toEqual({
      parent: { id: gearbox, parent: null },
      asset: { id: asset, name: "P-1" },
      ancestors: [{ id: gearbox, level: 0, childIds: [shaft, housing] }],
      childIds: [bearing, seal],
      workOrderIds: [],
      children: {
        totalCount: 2,
        nodes: [
          { id: bearing, parent: { id: shaft } },
          { id: seal, parent: { id: shaft } },
        ],
      },
      descendants: [bearing, seal].map((id) => ({
        id,
        parentId: shaft,
        parent: { name: "Shaft" },
        ...inAsset,
        children: { totalCount: 0 },
      })),
    });
    const alone = {
      parent: null,
      asset: null,
      ancestors: [],
      childIds: [],
      workOrderIds: [],
      children: { totalCount: 0, nodes: [] },
      descendants: [],
    };
    expect((await tenant.ask(query, { id: spare })).component).toEqual(alone);
  });

  test("descendants are a connection too, with the filters and orders of components", async () => {
    const { tenant, gearbox, shaft, bearing, seal, housing, spare } = await plant();
    const list = async (id: string, args = "") =>
      (
        await tenant.ask(
          `query ($id: ID!) { component(id: $id) { list: descendantComponents${args} { totalCount nodes { id level } } } }`,
          { id },
        )
      ).component.list;
    const all = [
      { id: shaft, level: 1 },
      { id: housing, level: 1 },
      { id: bearing, level: 2 },
      { id: seal, level: 2 },
    ];
    expect(await list(gearbox)).toEqual({ totalCount: 4, nodes: all });
    expect(await list(shaft)).toEqual({ totalCount: 2, nodes: all.slice(2) });
    for (const leaf of [seal, spare]) expect(await list(leaf)).toEqual({ totalCount: 0, nodes: [] });
    expect(await list(gearbox, "(filter: { level: { max: 1 } })")).toEqual({ totalCount: 2, nodes: all.slice(0, 2) });
    expect(await list(gearbox, "(first: 2, orderBy: { field: NAME, direction: DESC })")).toEqual({
      totalCount: 4,
      nodes: [all[0], all[3]],
    });
    // After a mutation, and below a list that asks for few columns.
    const { updateComponent } = await tenant.ask(
      'mutation ($id: ID!) { updateComponent(id: $id, input: { notes: "n" }) { descendantComponents { totalCount } } }',
      { id: gearbox },
    );
    expect(updateComponent.descendantComponents.totalCount).toBe(4);
    const { component } = await tenant.ask(
      "query ($id: ID!) { component(id: $id) { descendants { descendantComponents { nodes { id } } } ancestors { descendantComponents { totalCount } } } }",
      { id: gearbox },
    );
    expect(component).toEqual({
      descendants: [[bearing, seal], [], [], []].map((ids) => ({ descendantComponents: { nodes: ids.map((id) => ({ id })) } })),
      ancestors: [],
    });
    // Both deleted and moved components are gone.
    await tenant.rest("DELETE", `/components/${seal}`);
    await tenant.rest("PUT", `/components/${bearing}/move`, { newParentId: spare });
    expect(await list(gearbox)).toEqual({ totalCount: 2, nodes: all.slice(0, 2) });
    expect(await list(spare)).toEqual({ totalCount: 1, nodes: [{ id: bearing, level: 1 }] });
  });

  test("maxDepth limits the descendants", async () => {
    const { tenant, gearbox } = await plant();
    const query = "query ($id: ID!, $maxDepth: Int) { component(id: $id) { descendants(maxDepth: $maxDepth) { name } } }";
    const names = async (maxDepth?: number | null) =>
      (await tenant.ask(query, { id: gearbox, maxDepth })).component.descendants.map(({ name }: any) => name);
    expect(await names(1)).toEqual(["Shaft", "Housing"]);
    for (const all of [2, 2_147_483_647, null, undefined]) expect(await names(all)).toEqual(["Shaft", "Housing", "Bearing", "Seal"]);
    for (const maxDepth of [0, -1]) {
      await expectGraphqlError(tenant, query, { id: gearbox, maxDepth }, "Invalid input", {
        code: "BAD_USER_INPUT",
        details: { maxDepth: "must be at least 1" },
      });
    }
  });

  test("maxDepth counts from each component of a list, even if some are below others", async () => {
    const { tenant } = await plant();
    const query = '{ components(filter: { search: "a" }) { nodes { name descendants(maxDepth: 1) { name } } } }';
    const { nodes } = (await tenant.ask(query)).components;
    expect(Object.fromEntries(nodes.map(({ name, descendants }: any) => [name, descendants.map((below: any) => below.name)]))).toEqual({
      Gearbox: ["Shaft", "Housing"],
      Shaft: ["Bearing", "Seal"],
      Bearing: [],
      Seal: [],
      Spare: [],
    });
  });

  test("each component of a list has its own relations", async () => {
    const { tenant } = await plant();
    const query =
      '{ components(filter: { search: "a" }) { nodes { name parent { name } ancestors { name } descendants { name } children { totalCount } asset { name } } } }';
    const named = (...names: string[]) => names.map((name) => ({ name }));
    const row = (name: string, up: string[], down: string[], children: number, asset: string | null) => ({
      name,
      parent: up.length ? { name: up.at(-1) } : null,
      ancestors: named(...up),
      descendants: named(...down),
      children: { totalCount: children },
      asset: asset && { name: asset },
    });
    expect((await tenant.ask(query)).components.nodes).toEqual([
      row("Gearbox", [], ["Shaft", "Housing", "Bearing", "Seal"], 2, "P-1"),
      row("Shaft", ["Gearbox"], ["Bearing", "Seal"], 2, "P-1"),
      row("Bearing", ["Gearbox", "Shaft"], [], 0, "P-1"),
      row("Seal", ["Gearbox", "Shaft"], [], 0, "P-1"),
      row("Spare", [], [], 0, null),
    ]);
  });

  test("scope and totalCount apply to every asset of a nested query", async () => {
    const { tenant } = await plant();
    const query =
      "{ sites { name areas { name assets { nodes { name roots: components { totalCount nodes { name } } all: components(scope: ALL, first: 1) { totalCount nodes { name } } } } } } }";
    const { sites } = await tenant.ask(query);
    const names = ({ nodes }: any) => nodes.map(({ name }: any) => name);
    const counted = ({ name, roots, all }: any) => ({ name, roots: [roots.totalCount, names(roots)], all: [all.totalCount, names(all)] });
    const rows = sites.flatMap((site: any) =>
      site.areas.flatMap((area: any) => area.assets.nodes.map((asset: any) => ({ at: [site.name, area.name], ...counted(asset) }))),
    );
    expect(rows).toEqual([
      { at: ["", ""], name: "P-2", roots: [1, ["Drive"]], all: [1, ["Drive"]] },
      { at: ["North", "Hall"], name: "P-1", roots: [2, ["Gearbox", "Motor"]], all: [6, ["Gearbox"]] },
    ]);
  });

  test("mutations have the same effects as REST", async () => {
    const all = await plant();
    const { tenant, asset, shaft, motor } = all;
    const create =
      "mutation ($input: CreateComponentInput!) { createComponent(input: $input) { name status level position assetId parentId installDate specifications } }";
    const input = {
      name: "Key",
      type: "key",
      parentId: shaft,
      status: "FAULTY",
      installDate: "2024-01-15",
      specifications: { bore: null },
    };
    const placed = { level: 2, position: 2, assetId: asset, parentId: shaft };
    expect((await tenant.ask(create, { input })).createComponent).toEqual({
      name: "Key",
      status: "FAULTY",
      ...placed,
      installDate: "2024-01-15T00:00:00.000Z",
      specifications: { bore: null },
    });
    const details = { parentId: noComponent };
    await expectGraphqlError(tenant, create, { input: { ...input, parentId: "unknown" } }, "Invalid input", {
      code: "BAD_USER_INPUT",
      details,
    });
    const child =
      "mutation ($id: ID!, $input: CreateComponentInput!) { createChildComponent(parentId: $id, input: $input) { parentId level } }";
    expect((await tenant.ask(child, { id: motor, input })).createChildComponent).toEqual({ parentId: motor, level: 1 });
    const bulk =
      "mutation ($ids: [ID!]!, $data: UpdateComponentInput) { bulkComponents(operation: UPDATE, componentIds: $ids, data: $data) { processed failed results { id status error } } }";
    const results = [
      { id: motor, status: "SUCCESS", error: null },
      { id: "unknown", status: "FAILED", error: "Component not found" },
    ];
    expect((await tenant.ask(bulk, { ids: [motor, "unknown"], data: { status: "FAILED" } })).bulkComponents).toEqual({
      processed: 1,
      failed: 1,
      results,
    });
    await expectGraphqlError(tenant, bulk, { ids: [], data: { notes: "x" } }, "Invalid input", {
      code: "BAD_USER_INPUT",
      details: { componentIds: "must hold 1 to 1000 ids" },
    });
  });
});
