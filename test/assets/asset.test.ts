/** The five asset endpoints (docs/interface.md 4.1): request and response bodies, status history, delete and restore. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Caller, type RestResponse, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const requestId = expect.any(String);

/** Every writable field, with the names used in the create response. */
const everything = {
  name: "Pumpe Ä-7",
  type: "pump",
  description: "Feeds the boiler",
  location: "Hall 2, row 3",
  category: "rotating",
  criticality: "high",
  status: "maintenance",
  manufacturer: "KSB",
  model: "Etanorm 80",
  serialNumber: "SN-1",
  site: "North",
  area: "Hall 2",
  installDate: "2024-05-01T08:00:00.000Z",
  specifications: { power: "11 kW", "flow rate": "90 m³/h" },
  lastMaintenanceDate: "2025-01-31T00:00:00.000Z",
  nextMaintenanceDate: "2025-07-31T23:59:59.999Z",
};
const minimal = { status: "operational", site: "", area: "" };

/** The same asset as GET returns it. */
const asRead = ({ id: assetId, installDate, specifications, ...rest }: any) => ({
  assetId,
  ...rest,
  ...(installDate && { installationDate: installDate }),
  customFields: specifications,
});

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
});
const unknown = (assetId: string) => ({ error: "Asset not found", assetId, code: "NOT_FOUND" });
const duplicate = (serialNumber: string) => ({ error: "An asset with this serial number already exists", serialNumber, code: "CONFLICT" });

/** Expects exactly this error, and no change. */
async function expectRejected(tenant: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await tenant.snapshot();
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, requestId } });
  expect(await tenant.snapshot()).toEqual(before);
}

describe("response bodies", () => {
  test("create returns every field under the name used on create", async () => {
    const tenant = await gateway.newTenant();
    const { status, headers, body } = await tenant.rest("POST", "/assets", everything);
    expect(body).toEqual({ ...everything, id, tenantId: tenant.tenantId, createdAt: time, updatedAt: time });
    expect(status).toBe(201);
    expect(headers.get("warning")).toBeNull();
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("name and type are enough to create an operational asset; empty fields are left out", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await tenant.rest("POST", "/assets", { name: "P", type: "pump" });
    expect(body).toEqual({
      ...minimal,
      name: "P",
      type: "pump",
      specifications: {},
      id,
      tenantId: tenant.tenantId,
      createdAt: time,
      updatedAt: time,
    });
    expect((await tenant.rest("GET", `/assets/${body.id}`)).body).toEqual(asRead(body));
  });

  test("get and list return the same fields", async () => {
    const tenant = await gateway.newTenant();
    const created = await tenant.createAsset(everything);
    const { id: assetId, installDate, specifications, ...rest } = created;
    const read = { assetId, ...rest, installationDate: installDate, customFields: specifications };
    const { status, body } = await tenant.rest("GET", `/assets/${assetId}`);
    expect({ status, body }).toEqual({ status: 200, body: read });
    const list = await tenant.rest("GET", "/assets");
    expect(list.body).toEqual({
      items: [{ site: "North", areas: [{ name: "Hall 2", assets: [read], nextToken: null }], nextToken: null }],
      nextToken: null,
    });
  });

  test("update changes only the fields sent and returns the whole asset with the maintenance dates", async () => {
    const tenant = await gateway.newTenant();
    const created = await tenant.createAsset({ ...everything, lastMaintenanceDate: undefined, nextMaintenanceDate: undefined });
    const change = {
      name: "P-2",
      status: "offline",
      lastMaintenanceDate: "2026-01-02T03:04:05.678Z",
      nextMaintenanceDate: "2026-06-01T00:00:00.000Z",
      description: "Moved",
    };
    const { status, body } = await tenant.rest("PUT", `/assets/${created.id}`, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...created, ...change, updatedAt: time } });
    expect(body.updatedAt > created.updatedAt).toBe(true);
    expect((await tenant.rest("GET", `/assets/${created.id}`)).body).toEqual(asRead(body));
  });

  test.each(["operational", "maintenance", "offline", "decommissioned", "pending"])(
    "create, update and get accept and return the status %s",
    async (status) => {
      const tenant = await gateway.newTenant();
      const created = await tenant.createAsset({ status });
      expect(created.status).toBe(status);
      const other = await tenant.createAsset();
      expect((await tenant.rest("PUT", `/assets/${other.id}`, { status })).body.status).toBe(status);
    },
  );

  test("delete returns a message and deletedAt", async () => {
    const tenant = await gateway.newTenant();
    const { id: bare } = await tenant.createAsset();
    expect(await tenant.rest("DELETE", `/assets/${bare}`)).toMatchObject({
      status: 200,
      body: { message: "Asset deleted", deletedAt: time },
    });
    for (const [components, message] of [
      [1, "Asset deleted with 1 component"],
      [2, "Asset deleted with 2 components"],
    ] as const) {
      const { id: assetId } = await tenant.createAsset();
      for (let i = 0; i < components; i++) await tenant.createComponent({ assetId });
      expect((await tenant.rest("DELETE", `/assets/${assetId}`)).body).toEqual({ message, deletedAt: time });
    }
  });
});

describe("request bodies", () => {
  test.each([
    ["installDate", "specifications"],
    ["installationDate", "customFields"],
  ])("create and update accept the names %s and %s", async (date, fields) => {
    const tenant = await gateway.newTenant();
    const created = await tenant.createAsset({ [date]: "2024-05-01", [fields]: { a: "1" } });
    expect(created).toMatchObject({ installDate: "2024-05-01T00:00:00.000Z", specifications: { a: "1" } });
    const { body, headers } = await tenant.rest("PUT", `/assets/${created.id}`, {
      [date]: "2025-06-02T10:00:00+02:00",
      [fields]: { b: "2" },
    });
    expect(body).toMatchObject({ installDate: "2025-06-02T08:00:00.000Z", specifications: { b: "2" } });
    expect(body.specifications).toEqual({ b: "2" });
    expect(headers.get("warning")).toBeNull();
  });

  test.each([
    [{ installDate: "2024-01-01", installationDate: "2020-01-01", specifications: { a: "1" }, customFields: { z: "9" } }],
    [{ installationDate: "2020-01-01", installDate: "2024-01-01", customFields: { z: "9" }, specifications: { a: "1" } }],
  ])("if both names of a field are sent, the documented one wins, in any order", async (body) => {
    const tenant = await gateway.newTenant();
    expect(await tenant.createAsset(body)).toMatchObject({ installDate: "2024-01-01T00:00:00.000Z", specifications: { a: "1" } });
  });

  test.each([
    ["full", everything],
    ["minimal", {}],
  ])("a GET response can be PUT back: only updatedAt changes (%s)", async (_, fields) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset(fields);
    const path = `/assets/${assetId}`;
    const before = (await tenant.rest("GET", path)).body;
    const { status, headers, body } = await tenant.rest("PUT", path, before);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(headers.get("warning")).toBeNull();
    expect((await tenant.rest("GET", path)).body).toEqual({ ...before, updatedAt: time });
    // The response of PUT can be PUT back too.
    expect((await tenant.rest("PUT", path, body)).body).toEqual({ ...body, updatedAt: time });
    expect(await tenant.snapshot("AssetStatusChange")).toMatchObject({ AssetStatusChange: [{ assetId }] });
  });

  test("read-only fields in the body are ignored", async () => {
    const tenant = await gateway.newTenant();
    const readOnly = {
      id: "mine",
      assetId: "mine",
      tenantId: "elsewhere",
      createdAt: "1999-01-01T00:00:00Z",
      updatedAt: "1999-01-01T00:00:00Z",
    };
    const { headers, body } = await tenant.rest("POST", "/assets", { name: "P", type: "pump", ...readOnly });
    expect(body).toEqual({
      ...minimal,
      name: "P",
      type: "pump",
      specifications: {},
      id,
      tenantId: tenant.tenantId,
      createdAt: time,
      updatedAt: time,
    });
    expect(body.createdAt > "2020").toBe(true);
    const updated = await tenant.rest("PUT", `/assets/${body.id}`, readOnly);
    expect(updated.body).toEqual({ ...body, updatedAt: time });
    expect([headers.get("warning"), updated.headers.get("warning")]).toEqual([null, null]);
  });

  test("unknown fields are ignored and named in a Warning header", async () => {
    const tenant = await gateway.newTenant();
    const created = await tenant.rest("POST", "/assets", {
      name: "P",
      type: "pump",
      colour: "red",
      deletedAt: "2024-01-01",
      __typename: "Asset",
      'o"dd\r\nname': 1,
    });
    expect(created.status).toBe(201);
    expect(created.headers.get("warning")).toMatch(/^299 - "[^"]*"$/);
    expect(created.headers.get("warning")).toContain("colour, deletedAt, __typename, ");
    expect(created.body).not.toHaveProperty("colour");
    const updated = await tenant.rest("PUT", `/assets/${created.body.id}`, { searchText: "x", name: "Q" });
    expect(updated.headers.get("warning")).toBe('299 - "Unknown fields ignored: searchText"');
    expect(updated.body.name).toBe("Q");
  });

  test("the status Active is accepted as operational and never returned", async () => {
    const tenant = await gateway.newTenant();
    expect((await tenant.createAsset({ status: "Active" })).status).toBe("operational");
    const { id: assetId } = await tenant.createAsset({ status: "offline" });
    const { status, body } = await tenant.rest("PUT", `/assets/${assetId}`, { status: "Active" });
    expect([status, body.status]).toEqual([200, "operational"]);
    const { asset } = await tenant.ask("query ($id: ID!) { asset(id: $id) { status } }", { id: assetId });
    expect(asset.status).toBe("OPERATIONAL");
  });

  test("null clears each optional field", async () => {
    const tenant = await gateway.newTenant();
    const { name, type, status, ...optional } = everything;
    const created = await tenant.createAsset(everything);
    const nulls = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
    const { status: code, body } = await tenant.rest("PUT", `/assets/${created.id}`, nulls);
    const { tenantId, createdAt } = created;
    const cleared = { id: created.id, tenantId, name, type, status, site: "", area: "", specifications: {}, createdAt, updatedAt: time };
    expect({ code, body }).toEqual({ code: 200, body: cleared });
    expect((await tenant.rest("GET", `/assets/${created.id}`)).body).toEqual(asRead(cleared));
  });

  test("null on create means the field is not set", async () => {
    const tenant = await gateway.newTenant();
    const nulls = Object.fromEntries(Object.keys(everything).map((field) => [field, null]));
    const created = await tenant.createAsset({ ...nulls, name: "P", type: "pump" });
    expect(created).toEqual({
      ...minimal,
      name: "P",
      type: "pump",
      specifications: {},
      id,
      tenantId: tenant.tenantId,
      createdAt: time,
      updatedAt: time,
    });
  });

  test("a blank serial number counts as none, so several assets can have one", async () => {
    const tenant = await gateway.newTenant();
    for (const serialNumber of ["", "", "  "]) expect(await tenant.createAsset({ serialNumber })).not.toHaveProperty("serialNumber");
  });
});

describe("400 names each invalid field as the client wrote it", () => {
  const long = (length: number) => "x".repeat(length);
  const onBoth: [string, Record<string, unknown>, string[]][] = [
    ["blank name and type", { name: "", type: " \t" }, ["name", "type"]],
    ["null name and type", { name: null, type: null }, ["name", "type"]],
    ["name and type that are not strings", { name: 7, type: ["pump"] }, ["name", "type"]],
    [
      "strings that are too long",
      { name: long(256), type: long(256), location: long(256), site: long(151), area: long(151), description: long(10_001) },
      ["name", "type", "location", "site", "area", "description"],
    ],
    [
      "text fields that are not strings",
      {
        description: 1,
        location: {},
        category: [],
        criticality: true,
        manufacturer: 1.5,
        model: [1],
        serialNumber: 12345,
        site: 1,
        area: false,
      },
      ["description", "location", "category", "criticality", "manufacturer", "model", "serialNumber", "site", "area"],
    ],
    ["an unknown status", { status: "broken" }, ["status"]],
    ["a status in upper case", { status: "active" }, ["status"]],
    ["a status that is not a string", { status: 1 }, ["status"]],
    [
      "dates under the names of the request",
      { installDate: "yesterday", lastMaintenanceDate: "2024-02-30", nextMaintenanceDate: 1714550400 },
      ["installDate", "lastMaintenanceDate", "nextMaintenanceDate"],
    ],
    ["a date under the name of the response", { installationDate: "2024-13-01T00:00:00Z" }, ["installationDate"]],
    ["an empty date", { installDate: "" }, ["installDate"]],
    ["specifications that are not strings", { specifications: { power: 11 } }, ["specifications"]],
    ["custom fields that are not an object", { customFields: ["a"] }, ["customFields"]],
    ["custom fields with a null value", { customFields: { a: null } }, ["customFields"]],
    [
      "several invalid fields",
      { name: "", type: 1, status: "?", installationDate: "?", customFields: "?", serialNumber: 1 },
      ["name", "type", "status", "installationDate", "customFields", "serialNumber"],
    ],
    ["characters that cannot be stored", { description: "a\0b" }, ["description"]],
    ["an unpaired surrogate", { model: "\ud800" }, ["model"]],
  ];

  test.each(onBoth)("%s", async (_, fields, bad) => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, () => tenant.rest("POST", "/assets", { name: "P", type: "pump", ...fields }), 400, naming(...bad));
    const { id: assetId } = await tenant.createAsset(everything);
    await expectRejected(tenant, () => tenant.rest("PUT", `/assets/${assetId}`, fields), 400, naming(...bad));
  });

  test.each([
    [{}, { name: "is required", type: "is required" }],
    [{ name: "P" }, { type: "is required" }],
    [{ type: "pump" }, { name: "is required" }],
    [undefined, { body: "is required" }],
  ])("create without name or type: %j", async (body, details) => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, () => tenant.rest("POST", "/assets", body), 400, {
      error: "Invalid input",
      details,
      code: "BAD_USER_INPUT",
    });
  });

  test("update with a null status", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    await expectRejected(tenant, () => tenant.rest("PUT", `/assets/${assetId}`, { status: null }), 400, naming("status"));
  });

  test.each([
    ["[]", "Invalid input"],
    ['"text"', "Invalid input"],
    ["7", "Invalid input"],
    ['{"name":', "Invalid JSON"],
    ["", "Invalid input"],
    ["name=P", "Invalid JSON"],
  ])("a body that is not a JSON object: %s", async (body, error) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    for (const [method, path] of [
      ["POST", "/assets"],
      ["PUT", `/assets/${assetId}`],
    ] as const) {
      await expectRejected(tenant, () => tenant.rest(method, path, body), 400, { ...naming("body"), error });
    }
  });
});

test.each([
  ["no value", undefined],
  ["null", null],
  ["a list", []],
  ["no name", { type: "pump" }],
  ["a blank name", { name: " ", type: "pump" }],
  ["an unknown field", { name: "P", type: "pump", colour: "red" }],
  ["a REST enum value", { name: "P", type: "pump", status: "offline" }],
  ["a bad date", { name: "P", type: "pump", installationDate: "yesterday" }],
  ["a bad map", { name: "P", type: "pump", customFields: { a: 1 } }],
])("GraphQL is strict: input of %s is BAD_USER_INPUT and changes nothing", async (_, input) => {
  const tenant = await gateway.newTenant();
  const { data, errors } = await tenant.graphql("mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }", { input });
  expect(data ?? null).toBeNull();
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["BAD_USER_INPUT"]);
  expect(errors![0]!.message).toMatch(/input/);
  expect(await tenant.snapshot()).toEqual({ Asset: [], Component: [], AssetStatusChange: [] });
});

describe("404 and 409", () => {
  test.each([randomUUID(), "1", "a b", "ä/ö", '\'; drop table "Asset"', "x".repeat(1000)])(
    "an unknown id is 404 naming it: %s",
    async (assetId) => {
      const tenant = await gateway.newTenant();
      await tenant.createAsset();
      const path = `/assets/${encodeURIComponent(assetId)}`;
      await expectRejected(tenant, () => tenant.rest("GET", path), 404, unknown(assetId));
      await expectRejected(tenant, () => tenant.rest("PUT", path, { name: "Q" }), 404, unknown(assetId));
      await expectRejected(tenant, () => tenant.rest("DELETE", path), 404, unknown(assetId));
    },
  );

  test("a serial number in use is 409 naming it, on create and update", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset(everything);
    const { id: other } = await tenant.createAsset({ serialNumber: "SN-2" });
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/assets", { name: "P", type: "pump", serialNumber: "SN-1" }),
      409,
      duplicate("SN-1"),
    );
    await expectRejected(tenant, () => tenant.rest("PUT", `/assets/${other}`, { serialNumber: "SN-1", name: "Q" }), 409, duplicate("SN-1"));
    expect((await tenant.rest("PUT", `/assets/${other}`, { serialNumber: "SN-2" })).status).toBe(200);
  });

  test("concurrent creates with one serial number: one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => tenant.rest("POST", "/assets", { name: "P", type: "pump", serialNumber: "SN" })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
  });

  test("a serial number can be used again in another tenant", async () => {
    const [one, other] = [await gateway.newTenant(), await gateway.newTenant()];
    await one.createAsset(everything);
    expect((await other.createAsset(everything)).serialNumber).toBe("SN-1");
  });
});

describe("status history", () => {
  const historyOf = async (tenant: Caller, assetId: string) =>
    (await tenant.ask("query ($id: ID!) { asset(id: $id) { statusHistory { changedBy fromStatus toStatus changedAt } } }", { id: assetId }))
      .asset.statusHistory;
  const pageOf = async (tenant: Caller, assetId: string, args: string) =>
    (
      await tenant.ask(
        `query ($id: ID!) { asset(id: $id) { page: statusChanges(${args}) { totalCount nodes { fromStatus toStatus } } } }`,
        { id: assetId },
      )
    ).asset.page;
  const keyOf = async (caller: Caller) => (await caller.ask("{ viewer { keyId } }")).viewer.keyId;

  test("each change records who, when, and the old and new status; an update without a new status adds none", async () => {
    const admin = await gateway.newTenant();
    const manager = await admin.as("manager");
    const [adminKey, managerKey] = [await keyOf(admin), await keyOf(manager)];
    const created = await admin.createAsset();
    const path = `/assets/${created.id}`;
    const offline = (await manager.rest("PUT", path, { status: "offline" })).body;
    await admin.rest("PUT", path, { status: "offline", name: "Q" });
    await manager.rest("PUT", path, { description: "no status" });
    const { updateAsset } = await admin.ask(
      "mutation ($id: ID!) { updateAsset(id: $id, input: { status: DECOMMISSIONED }) { updatedAt } }",
      { id: created.id },
    );
    const active = (await manager.rest("PUT", path, { status: "Active" })).body;
    expect(await historyOf(admin, created.id)).toEqual([
      { changedBy: adminKey, fromStatus: null, toStatus: "OPERATIONAL", changedAt: created.createdAt },
      { changedBy: managerKey, fromStatus: "OPERATIONAL", toStatus: "OFFLINE", changedAt: offline.updatedAt },
      { changedBy: adminKey, fromStatus: "OFFLINE", toStatus: "DECOMMISSIONED", changedAt: updateAsset.updatedAt },
      { changedBy: managerKey, fromStatus: "DECOMMISSIONED", toStatus: "OPERATIONAL", changedAt: active.updatedAt },
    ]);
    expect(await pageOf(admin, created.id, "first: 2")).toEqual({
      totalCount: 4,
      nodes: [
        { fromStatus: null, toStatus: "OPERATIONAL" },
        { fromStatus: "OPERATIONAL", toStatus: "OFFLINE" },
      ],
    });
    expect(await pageOf(admin, created.id, `filter: { changedBy: "${managerKey}", fromStatus: OPERATIONAL }`)).toEqual({
      totalCount: 1,
      nodes: [{ fromStatus: "OPERATIONAL", toStatus: "OFFLINE" }],
    });
    expect(await pageOf(admin, created.id, "first: 1, orderBy: { direction: DESC }, filter: { not: { isNull: [FROM_STATUS] } }")).toEqual({
      totalCount: 3,
      nodes: [{ fromStatus: "DECOMMISSIONED", toStatus: "OPERATIONAL" }],
    });
  });

  test("a status can change to any other", async () => {
    const tenant = await gateway.newTenant();
    const statuses = ["operational", "maintenance", "offline", "decommissioned", "pending"];
    const { id: assetId } = await tenant.createAsset();
    const changes = statuses.flatMap((from) => statuses.filter((to) => to !== from).flatMap((to) => [from, to]));
    for (const status of changes) expect((await tenant.rest("PUT", `/assets/${assetId}`, { status })).body.status).toBe(status);
    const steps = (await historyOf(tenant, assetId)).slice(1).map((entry: any) => `${entry.fromStatus} ${entry.toStatus}`.toLowerCase());
    expect(new Set(steps).size).toBe(20);
  });

  test("delete and restore keep the history and add no entry", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset({ status: "pending" });
    const before = await historyOf(tenant, assetId);
    await tenant.rest("DELETE", `/assets/${assetId}`);
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id: assetId });
    expect(await historyOf(tenant, assetId)).toEqual(before);
  });
});

describe("delete and restore", () => {
  const restore = "mutation ($id: ID!) { restoreAsset(id: $id) { id } }";

  /** An asset with root → child, a component deleted earlier, and another asset that must not change. */
  async function plant() {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ ...everything });
    const root = await tenant.createComponent({ assetId: asset.id, name: "root" });
    const child = await tenant.createComponent({ parentId: root.id, name: "child" });
    const earlier = await tenant.createComponent({ assetId: asset.id, name: "earlier" });
    await tenant.rest("DELETE", `/components/${earlier.id}`);
    const neighbour = await tenant.createAsset({ name: "Neighbour", site: "South" });
    const component = await tenant.createComponent({ assetId: neighbour.id, name: "neighbour's" });
    return { tenant, asset, root, child, earlier, neighbour, component };
  }

  test("a deleted asset and its components are unknown everywhere", async () => {
    const { tenant, asset, root, child, neighbour, component } = await plant();
    expect((await tenant.rest("DELETE", `/assets/${asset.id}`)).body.message).toBe("Asset deleted with 2 components");
    const noComponent = (componentId: string) => ({ error: "Component not found", componentId, code: "NOT_FOUND" });
    const calls: [string, string, unknown, number, object][] = [
      ["GET", `/assets/${asset.id}`, undefined, 404, unknown(asset.id)],
      ["PUT", `/assets/${asset.id}`, { name: "Q" }, 404, unknown(asset.id)],
      ["DELETE", `/assets/${asset.id}`, undefined, 404, unknown(asset.id)],
      ...[root, child].flatMap(({ id: gone }): [string, string, unknown, number, object][] => [
        ["GET", `/components/${gone}`, undefined, 404, noComponent(gone)],
        ["PUT", `/components/${gone}`, { status: "faulty" }, 404, noComponent(gone)],
        ["DELETE", `/components/${gone}`, undefined, 404, noComponent(gone)],
        ["GET", `/components/tree/${gone}`, undefined, 404, noComponent(gone)],
        ["GET", `/components/${gone}/children`, undefined, 404, noComponent(gone)],
        ["POST", `/components/${gone}/children`, { name: "c", type: "t" }, 404, noComponent(gone)],
        ["GET", `/components/${gone}/descendants`, undefined, 404, noComponent(gone)],
        ["GET", `/components/${gone}/ancestors`, undefined, 404, noComponent(gone)],
        ["PUT", `/components/${gone}/move`, { newParentId: component.id }, 404, noComponent(gone)],
        ["PUT", `/components/${component.id}/move`, { newParentId: gone }, 400, naming("newParentId")],
        ["POST", "/components", { name: "c", type: "t", parentId: gone }, 400, naming("parentId")],
      ]),
      ["POST", "/components", { name: "c", type: "t", assetId: asset.id }, 400, naming("assetId")],
      ["PUT", `/components/${component.id}`, { assetId: asset.id }, 400, naming("assetId")],
    ];
    for (const [method, path, body, status, expected] of calls)
      await expectRejected(tenant, () => tenant.rest(method, path, body), status, expected);

    const bulk = await tenant.rest("POST", "/components/bulk", { operation: "update", componentIds: [root.id], data: { notes: "x" } });
    expect(bulk.body).toEqual({ processed: 0, failed: 1, results: [{ id: root.id, status: "failed", error: "Component not found" }] });
    expect((await tenant.rest("GET", `/components?assetId=${asset.id}`)).body).toEqual([]);
    expect((await tenant.rest("GET", `/components?parentId=${root.id}`)).body).toEqual([]);
    expect((await tenant.rest("GET", "/components?search=child")).body).toEqual([]);
    expect((await tenant.rest("GET", "/assets?search=Etanorm")).body).toEqual({ items: [], nextToken: null });
    expect((await tenant.rest("GET", "/assets")).body.items.map(({ site }: any) => site)).toEqual(["South"]);

    const { data, errors } = await tenant.graphql(
      'query ($asset: ID!, $root: ID!) { asset(id: $asset) { id } component(id: $root) { id } assets { nodes { id } totalCount } components { nodes { id } totalCount } sites { name assetCount } site(name: "North") { name } }',
      { asset: asset.id, root: root.id },
    );
    const one = (node: { id: string }) => ({ nodes: [{ id: node.id }], totalCount: 1 });
    expect(data).toEqual({
      asset: null,
      component: null,
      assets: one(neighbour),
      components: one(component),
      sites: [{ name: "South", assetCount: 1 }],
      site: null,
    });
    expect(errors?.map(({ path, extensions }) => [path, extensions]).sort()).toEqual([
      [["asset"], { code: "NOT_FOUND", assetId: asset.id }],
      [["component"], { code: "NOT_FOUND", componentId: root.id }],
      [["site"], { code: "NOT_FOUND", site: "North" }],
    ]);
  });

  test("the serial number of a deleted asset can be used again", async () => {
    const { tenant, asset } = await plant();
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    expect((await tenant.createAsset({ serialNumber: "SN-1" })).serialNumber).toBe("SN-1");
  });

  test("restore brings back the asset and the components deleted with it, unchanged, and no others", async () => {
    const { tenant, asset, root, child, earlier } = await plant();
    const paths = [`/assets/${asset.id}`, `/components/tree/${root.id}`, `/components/${child.id}`, `/components/${root.id}`];
    const read = async () => Promise.all(paths.map(async (path) => ({ ...(await tenant.rest("GET", path)).body, updatedAt: null })));
    const before = await read();
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    expect(await tenant.ask(restore, { id: asset.id })).toEqual({ restoreAsset: { id: asset.id } });
    expect(await read()).toEqual(before);
    expect((await tenant.rest("GET", `/components/${earlier.id}`)).status).toBe(404);
    expect((await tenant.rest("GET", `/components?assetId=${asset.id}`)).body).toHaveLength(2);
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/assets", { name: "P", type: "pump", serialNumber: "SN-1" }),
      409,
      duplicate("SN-1"),
    );
  });

  test("restore of a live or unknown asset is NOT_FOUND", async () => {
    const { tenant, asset } = await plant();
    for (const missing of [asset.id, randomUUID()]) {
      const before = await tenant.snapshot();
      const { data, errors } = await tenant.graphql(restore, { id: missing });
      expect({ data, extensions: errors?.[0]?.extensions }).toEqual({
        data: { restoreAsset: null },
        extensions: { code: "NOT_FOUND", assetId: missing },
      });
      expect(await tenant.snapshot()).toEqual(before);
    }
  });

  test("restore is a CONFLICT naming the serial number if a live asset uses it", async () => {
    const { tenant, asset } = await plant();
    await tenant.rest("DELETE", `/assets/${asset.id}`);
    const successor = await tenant.createAsset({ serialNumber: "SN-1" });
    const before = await tenant.snapshot();
    const { data, errors } = await tenant.graphql(restore, { id: asset.id });
    expect({ data, extensions: errors?.[0]?.extensions }).toEqual({
      data: { restoreAsset: null },
      extensions: { code: "CONFLICT", serialNumber: "SN-1" },
    });
    expect(await tenant.snapshot()).toEqual(before);
    await tenant.rest("DELETE", `/assets/${successor.id}`);
    expect(await tenant.ask(restore, { id: asset.id })).toEqual({ restoreAsset: { id: asset.id } });
  });
});
