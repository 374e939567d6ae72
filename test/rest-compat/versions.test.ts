/** Versions of records: ETag, If-Match and If-None-Match in REST, `version` and `expectedVersion` in GraphQL. */
import { beforeEach, describe, expect, it, test } from "vitest";
import { type Table, tables } from "../../src/database/rows/catalogue.js";
import { type Caller, type RestResponse, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

let ann: Caller;
let ben: Caller;
beforeEach(async () => {
  ann = await gateway.newTenant();
  ben = await ann.as("manager");
});

const tagOf = ({ headers }: RestResponse) => headers.get("etag")!;
const ifMatch = (tag: string) => ({ "if-match": tag });
const get = async (path: string, headers: Record<string, string> = {}) => ann.rest("GET", path, undefined, headers);
const bodyOf = ({ body: { requestId, ...body } }: RestResponse) => body;

const precondition = (message: string, more: object = {}) => ({
  error: "Precondition failed",
  details: { "If-Match": message },
  ...more,
  code: "PRECONDITION_FAILED",
});
const stale = (noun: string, version: number | string, expected: number | string, changedFields: string[]) =>
  precondition(`The ${noun} is at version ${version} now, not at ${expected}; read it again and send its new ETag`, {
    version,
    changedFields,
  });
/** A record of each kind that REST writes, with its path and a field to change. */
const kinds: Record<string, (caller: Caller) => Promise<{ path: string; change: object; field: string; noun: string }>> = {
  asset: async (caller) => ({ path: `/assets/${(await caller.createAsset()).id}`, change: { name: "B" }, field: "name", noun: "asset" }),
  component: async (caller) => ({
    path: `/components/${(await caller.createComponent()).id}`,
    change: { notes: "B" },
    field: "notes",
    noun: "component",
  }),
  part: async (caller) => ({
    path: `/parts/${(await caller.rest("POST", "/parts", { partNumber: "P-1", name: "Seal" })).body.partId}`,
    change: { name: "B" },
    field: "name",
    noun: "part",
  }),
  procedure: async (caller) => ({
    path: `/pms/${
      (await caller.rest("POST", "/pms", { name: "Oil", assetId: (await caller.createAsset()).id, frequency: "monthly" })).body.id
    }`,
    change: { description: "B" },
    field: "description",
    noun: "PM procedure",
  }),
  strategy: async (caller) => ({
    path: `/strategies/${(await caller.rest("POST", "/strategies", { name: "S", type: "preventive" })).body.id}`,
    change: { description: "B" },
    field: "description",
    noun: "strategy",
  }),
};

describe.each(Object.keys(kinds))("two editors of one %s", (kind) => {
  it("cannot overwrite each other's changes if they send the version they read", async () => {
    const { path, change, field, noun } = await kinds[kind]!(ann);
    const read = await get(path);
    expect(tagOf(read)).toMatch(/^"1-[\w-]{27}"$/);
    const written = await ben.rest("PUT", path, change, ifMatch(tagOf(read)));
    expect(written.status).toBe(200);
    expect(tagOf(written)).toMatch(/^"2-[\w-]{27}"$/);
    const before = await get(path);
    for (const [method, body] of [["PUT", { description: "C" }], ["DELETE"]] as const) {
      const refused = await ann.rest(method, path, body, ifMatch(tagOf(read)));
      expect([refused.status, bodyOf(refused)]).toEqual([412, stale(noun, 2, 1, [field])]);
      expect(tagOf(refused)).toBe('"2"');
    }
    const after = await get(path);
    expect([after.body, tagOf(after)]).toEqual([before.body, tagOf(before)]);
    expect((await ann.rest("DELETE", path, undefined, ifMatch(tagOf(after)))).status).toBe(200);
  });
});

test("a template's version is its text", async () => {
  const { id } = (await ann.rest("POST", "/components/templates", { name: "T", type: "pump" })).body;
  const path = `/components/templates/${id}`;
  const read = await get(path);
  expect(tagOf(read)).toMatch(/^"1\.0\.0-[\w-]{27}"$/);
  expect((await ben.rest("PUT", path, { name: "U" }, ifMatch(tagOf(read)))).body).toMatchObject({ version: "1.1.0" });
  const refused = await ann.rest("PUT", path, { name: "V" }, ifMatch(tagOf(read)));
  expect([refused.status, bodyOf(refused)]).toEqual([412, stale("template", "1.1.0", "1.0.0", ["name"])]);
  const { errors } = await ann.graphql(`mutation { deleteTemplate(id: "${id}", expectedVersion: "1.0.0") { id } }`);
  expect(errors).toMatchObject([{ extensions: { code: "CONFLICT", version: "1.1.0", changedFields: ["name"] } }]);
  expect((await ann.rest("DELETE", path, undefined, ifMatch('"1.1.0"'))).status).toBe(200);
});

describe("stock", () => {
  const stocked = async () => {
    const { partId } = (await ann.rest("POST", "/parts", { partNumber: "P-1", name: "Seal", site: "North", stockLevel: 5 })).body;
    return { part: `/parts/${partId}`, level: `/inventory/${partId}?site=North`, partId };
  };

  it("changes a part's tag, but not its version", async () => {
    const { part, partId } = await stocked();
    const read = await get(part);
    await ben.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "damage", quantity: -2, reason: "wet" });
    const moved = await get(part);
    expect(tagOf(moved)).not.toBe(tagOf(read));
    expect(tagOf(moved).split("-")[0]).toBe(tagOf(read).split("-")[0]);
    expect((await ann.rest("PUT", part, { name: "Ring" }, ifMatch(tagOf(read)))).status).toBe(200);
  });

  it("has a version of its settings, at one site", async () => {
    const { level, partId } = await stocked();
    const read = await get(level);
    expect(tagOf(read)).toMatch(/^"1-[\w-]{27}"$/);
    expect(tagOf(await get(`/inventory/${partId}`))).toMatch(/^"[\w-]{27}"$/);
    expect((await ben.rest("PUT", level, { currentStock: 4 }, ifMatch(tagOf(read)))).status).toBe(200);
    const counted = await ben.rest("PUT", level, { minimumStock: 2 }, ifMatch(tagOf(read)));
    expect(tagOf(counted)).toMatch(/^"2-[\w-]{27}"$/);
    const before = await ann.graphql("{ inventory { nodes { quantity minimumStock version } } }");
    for (const [method, body] of [["PUT", { currentStock: 9, maximumStock: 10 }], ["DELETE"]] as const) {
      const refused = await ann.rest(method, level, body, ifMatch(tagOf(read)));
      expect([refused.status, bodyOf(refused)]).toEqual([412, stale("stock level", 2, 1, ["minimumStock"])]);
    }
    expect(await ann.graphql("{ inventory { nodes { quantity minimumStock version } } }")).toEqual(before);
    expect((await ann.rest("DELETE", level, undefined, ifMatch('"2"'))).status).toBe(200);
    const gone = await get(level);
    expect([gone.body.exists, tagOf(gone).slice(0, 3)]).toEqual([false, '"1-']);
    expect((await ann.rest("PUT", level, { currentStock: 1, minimumStock: 1 }, ifMatch(tagOf(gone)))).status).toBe(200);
  });
});

describe("If-Match", () => {
  const noVersion = "names no version; send the ETag of the record's own path";

  it.each<[string, string, number, object | undefined]>([
    ["any version", "*", 200, undefined],
    ["one of several", '"7-aaaaaaaaaaaaaaaaaaaaaaaaaaa", "1"', 200, undefined],
    ["a tag that compression made weak", 'W/"1-aaaaaaaaaaaaaaaaaaaaaaaaaaa"', 200, undefined],
    ["none of several", '"7", "8"', 412, stale("asset", 1, 7, [])],
    ["a digest alone", '"aaaaaaaaaaaaaaaaaaaaaaaaaaa"', 412, precondition(noVersion)],
    // 27 characters, including a "-": the digest of a body without a version.
    ["a digest alone that looks like a version", '"1-aaaaaaaaaaaaaaaaaaaaaaaaa"', 412, precondition(noVersion)],
    ["a version with what is no digest", '"1-a"', 412, precondition(noVersion)],
    ["a version of a template", '"1.0.0"', 412, precondition(noVersion)],
    [
      "no tag",
      "1",
      400,
      { error: "Invalid input", details: { "If-Match": "must be * or tags in double quotes, as ETag has them" }, code: "BAD_USER_INPUT" },
    ],
  ])("that is %s", async (_, header, status, body) => {
    const { id } = await ann.createAsset();
    const answer = await ann.rest("PUT", `/assets/${id}`, { name: "B" }, ifMatch(header));
    expect(answer.status).toBe(status);
    if (body) expect(bodyOf(answer)).toEqual(body);
    expect((await get(`/assets/${id}`)).body.name).toBe(status === 200 ? "B" : "Pump");
  });

  it("is rejected if there is no version to compare", async () => {
    const { id } = await ann.createAsset();
    const before = await ann.snapshot();
    const refusal = precondition("is taken by PUT and DELETE of one record that has a version; leave it out here");
    for (const [method, path, body] of [
      ["POST", "/assets", { name: "B", type: "pump" }],
      ["GET", `/assets/${id}`, undefined],
      ["GET", "/assets", undefined],
      ["POST", "/components/bulk", { operation: "delete", componentIds: ["x"] }],
    ] as const) {
      const refused = await ann.rest(method, path, body, ifMatch("*"));
      expect([refused.status, bodyOf(refused)], `${method} ${path}`).toEqual([412, refusal]);
    }
    expect(await ann.snapshot()).toEqual(before);
  });

  it("of an unknown or deleted record is 404, as without it", async () => {
    const { id } = await ann.createAsset();
    await ann.rest("DELETE", `/assets/${id}`);
    for (const assetId of [id, "unknown"])
      for (const tag of ['"1"', '"9"', "*"]) {
        const { status, body } = await ann.rest("PUT", `/assets/${assetId}`, { name: "B" }, ifMatch(tag));
        expect([status, body]).toEqual([404, { error: "Asset not found", assetId, code: "NOT_FOUND", requestId: expect.any(String) }]);
      }
    const { partId } = (await ann.rest("POST", "/parts", { partNumber: "P-1", name: "Seal" })).body;
    await ann.rest("DELETE", `/parts/${partId}`);
    expect((await ann.rest("DELETE", `/parts/${partId}`, undefined, ifMatch('"1"'))).status).toBe(404);
  });

  it("guards a move, and a move creates a version", async () => {
    const { id } = await ann.createComponent();
    const { id: parentId } = await ann.createComponent({ name: "Frame" });
    const moved = await ben.rest("PUT", `/components/${id}/move`, { newParentId: parentId }, ifMatch('"1"'));
    expect([moved.status, tagOf(moved).slice(0, 3)]).toEqual([200, '"2-']);
    const refused = await ann.rest("PUT", `/components/${id}/move`, { newParentId: null }, ifMatch('"1"'));
    expect([refused.status, bodyOf(refused)]).toEqual([412, stale("component", 2, 1, ["level", "parentId"])]);
    expect((await get(`/components/${id}`)).body.parentId).toBe(parentId);
    // The same with PUT of the component.
    expect((await ann.rest("PUT", `/components/${id}`, { parentId: null }, ifMatch('"1"'))).status).toBe(412);
    expect(tagOf(await ann.rest("PUT", `/components/${id}`, { parentId: null, notes: "x" }, ifMatch('"2"'))).slice(0, 3)).toBe('"3-');
  });

  it("names changed references of a part", async () => {
    const asset = await ann.createAsset();
    const { partId } = (await ann.rest("POST", "/parts", { partNumber: "P-1", name: "Seal" })).body;
    await ben.rest("PUT", `/parts/${partId}`, { compatibleAssets: [{ id: asset.id }] });
    await ben.rest("PUT", `/parts/${partId}`, { compatibleAssets: [], location: "A1" });
    const refused = await ann.rest("PUT", `/parts/${partId}`, { name: "B" }, ifMatch('"1"'));
    expect(bodyOf(refused)).toEqual(stale("part", 3, 1, ["compatibleAssets", "location"]));
    expect(bodyOf(await ann.rest("PUT", `/parts/${partId}`, { name: "B" }, ifMatch('"2"')))).toEqual(
      stale("part", 3, 2, ["compatibleAssets", "location"]),
    );
  });

  it("is part of the request that an idempotency key identifies, and its response is stored with the tag", async () => {
    const { id } = await ann.createAsset();
    const headers = { ...ifMatch('"1"'), "idempotency-key": "k1" };
    const first = await ann.rest("PUT", `/assets/${id}`, { name: "B" }, headers);
    const again = await ann.rest("PUT", `/assets/${id}`, { name: "B" }, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect([again.status, again.body, tagOf(again)]).toEqual([200, first.body, tagOf(first)]);
    expect((await ann.rest("PUT", `/assets/${id}`, { name: "B" }, { "idempotency-key": "k1" })).status).toBe(422);
    const refused = { ...ifMatch('"1"'), "idempotency-key": "k2" };
    const kept = await ann.rest("PUT", `/assets/${id}`, { name: "C" }, refused);
    expect([kept.status, tagOf(kept)]).toEqual([412, '"2"']);
    const replayed = await ann.rest("PUT", `/assets/${id}`, { name: "C" }, refused);
    expect([replayed.status, replayed.body, tagOf(replayed)]).toEqual([412, kept.body, '"2"']);
    const several = { ...ifMatch('"1", "2"'), "idempotency-key": "k3" };
    expect((await ann.rest("PUT", `/assets/${id}`, { name: "D" }, several)).status).toBe(200);
  });
});

describe("If-None-Match", () => {
  it.each(["/assets", "/components", "/parts", "/inventory", "/pms", "/strategies", "/notifications", "/components/templates"])(
    "of GET %s gets 304",
    async (path) => {
      const read = await get(path);
      expect(tagOf(read)).toMatch(/^"[\w-]{27}"$/);
      const again = await get(path, { "if-none-match": tagOf(read) });
      expect([again.status, again.body, tagOf(again)]).toEqual([304, "", tagOf(read)]);
    },
  );

  it("is compared weakly, by the whole tag", async () => {
    const { path, change } = await kinds.asset!(ann);
    const read = await get(path);
    expect(read.headers.get("cache-control")).toBe("private, no-cache");
    for (const tag of [`W/${tagOf(read)}`, `"x", ${tagOf(read)}`, "*"])
      expect((await get(path, { "if-none-match": tag })).status, tag).toBe(304);
    expect((await ann.rest("HEAD", path, undefined, { "if-none-match": tagOf(read) })).status).toBe(304);
    expect(tagOf(await ann.rest("HEAD", path))).toBe(tagOf(read));
    expect((await get(path, { "if-none-match": '"1"' })).status).toBe(200);
    await ben.rest("PUT", path, change);
    const changed = await get(path, { "if-none-match": tagOf(read) });
    expect([changed.status, changed.body.name]).toEqual([200, "B"]);
  });

  it("matches a compressed response, whose tag is weak", async () => {
    const { id } = await ann.createAsset({ description: "d".repeat(2000) });
    const read = await get(`/assets/${id}`, { "accept-encoding": "gzip" });
    expect(tagOf(read)).toMatch(/^W\/"1-[\w-]{27}"$/);
    expect(`W/${tagOf(await get(`/assets/${id}`, { "accept-encoding": "identity" }))}`).toBe(tagOf(read));
    expect((await get(`/assets/${id}`, { "if-none-match": tagOf(read) })).status).toBe(304);
    expect((await ann.rest("PUT", `/assets/${id}`, { name: "B" }, ifMatch(tagOf(read)))).status).toBe(200);
    expect((await ann.rest("PUT", `/assets/${id}`, { name: "C" }, ifMatch(tagOf(read)))).status).toBe(412);
  });

  it("of another tenant or of nothing is an ordinary request", async () => {
    const { path } = await kinds.asset!(ann);
    const headers = { "if-none-match": "*" };
    const stranger = await gateway.newTenant();
    const missing = await stranger.rest("GET", path, undefined, headers);
    expect([missing.status, missing.headers.get("etag")]).toEqual([404, null]);
  });
});

test("without the headers, responses are unchanged", async () => {
  const { id } = await ann.createAsset({ name: "Pump" });
  const read = await get(`/assets/${id}`);
  expect(read.body).toEqual({
    assetId: id,
    tenantId: ann.tenantId,
    name: "Pump",
    type: "pump",
    status: "operational",
    site: "",
    area: "",
    customFields: {},
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const written = await ann.rest("PUT", `/assets/${id}`, { description: "d" });
  expect(written.body).toEqual({
    id,
    tenantId: ann.tenantId,
    name: "Pump",
    type: "pump",
    description: "d",
    status: "operational",
    site: "",
    area: "",
    specifications: {},
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await ann.rest("DELETE", `/assets/${id}`)).headers.get("etag")).toBeNull();
});

describe("expectedVersion", () => {
  const rename = `mutation ($id: ID!, $input: UpdateAssetInput!, $v: Int) { updateAsset(id: $id, input: $input, expectedVersion: $v) { name version } }`;

  it("rejects a change of another version, naming the changes since", async () => {
    const { id } = await ann.createAsset();
    const read = await ann.ask(`{ asset(id: "${id}") { version } }`);
    expect(read).toEqual({ asset: { version: 1 } });
    const changed = `mutation { updateAsset(id: "${id}", expectedVersion: 1, input: { name: "B", location: "Hall" }) { version } }`;
    expect(await ben.ask(changed)).toEqual({ updateAsset: { version: 2 } });
    const before = await ann.snapshot("Asset");
    const { data, errors } = await ann.graphql(
      `mutation { updateAsset(id: "${id}", expectedVersion: 1, input: { name: "C" }) { version } }`,
    );
    expect(data).toEqual({ updateAsset: null });
    expect(errors).toEqual([
      {
        message: "The asset is at version 2 now, not at 1",
        path: ["updateAsset"],
        extensions: { expectedVersion: 1, version: 2, changedFields: ["location", "name"], code: "CONFLICT" },
        fieldErrors: [{ path: ["expectedVersion"], code: "CONFLICT", message: "The asset is at version 2 now, not at 1" }],
      },
    ]);
    expect(await ann.snapshot("Asset")).toEqual(before);
    for (const v of [2, null, undefined]) expect((await ann.graphql(rename, { id, input: { name: "D" }, v })).errors).toBeUndefined();
  });

  it("lets exactly one of many succeed", async () => {
    const { id } = await ann.createAsset();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ann.graphql(rename, { id, input: { name: `N${i}` }, v: 1 })));
    const won = answers.filter(({ errors }) => !errors);
    expect(won.map(({ data }) => data.updateAsset.version)).toEqual([2]);
    expect(answers.filter(({ errors }) => errors?.[0]?.extensions.version === 2)).toHaveLength(19);
    expect(await ann.ask(`{ asset(id: "${id}") { name version } }`)).toEqual({ asset: won[0]!.data.updateAsset });
    const tree = await ann.createComponent();
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? ann.rest("DELETE", `/components/${tree.id}`, undefined, ifMatch('"1"'))
          : ann.rest("PUT", `/components/${tree.id}`, { notes: `n${i}` }, ifMatch('"1"')),
      ),
    );
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(ends.every(({ status }) => [200, 404, 412].includes(status))).toBe(true);
  });

  it("is accepted by work orders, notifications and webhooks", async () => {
    const { id: assetId } = await ann.createAsset({ site: "North" });
    const { body: pm } = await ann.rest("POST", "/pms", { name: "Oil", assetId, frequency: "monthly" });
    const { createWorkOrder: order } = await ann.ask(`mutation { createWorkOrder(procedureId: "${pm.id}") { id version } }`);
    await ben.ask(`mutation { updateWorkOrder(id: "${order.id}", input: { notes: "n" }) { id } }`);
    const refusals: Record<string, string> = {
      updateWorkOrder: `updateWorkOrder(id: "${order.id}", input: { notes: "m" }, expectedVersion: 1) { id }`,
      startWorkOrder: `startWorkOrder(id: "${order.id}", expectedVersion: 1) { id }`,
      cancelWorkOrder: `cancelWorkOrder(id: "${order.id}", expectedVersion: 1) { id }`,
    };
    const south = await ann.as("technician", ["South"]);
    for (const [field, mutation] of Object.entries(refusals)) {
      const { errors } = await ann.graphql(`mutation { ${mutation} }`);
      expect(errors).toMatchObject([{ extensions: { expectedVersion: 1, version: 2, changedFields: ["notes"], code: "CONFLICT" } }]);
      expect((await south.graphql(`mutation { ${mutation} }`)).errors, field).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
    }
    for (const step of ["start", "hold", "complete", "close"])
      expect((await ann.graphql(`mutation { ${step}WorkOrder(id: "${order.id}", expectedVersion: 99) { id } }`)).errors).toMatchObject([
        { extensions: { code: "CONFLICT", expectedVersion: 99 } },
      ]);
    const started = await ann.ask(`mutation { startWorkOrder(id: "${order.id}", expectedVersion: 2) { status version } }`);
    expect(started).toEqual({ startWorkOrder: { status: "IN_PROGRESS", version: 3 } });

    const input = `{ title: "Hot", message: "m", type: THRESHOLD, severity: WARNING, assetId: "${assetId}" }`;
    const { raiseNotification: raised } = await ann.ask(`mutation { raiseNotification(input: ${input}) { id version } }`);
    const acknowledge = (v: number) =>
      `mutation { changeNotificationStatus(id: "${raised.id}", status: ACKNOWLEDGED, expectedVersion: ${v}) { version } }`;
    expect((await ann.graphql(acknowledge(5))).errors).toMatchObject([{ extensions: { code: "CONFLICT", version: 1, changedFields: [] } }]);
    expect((await south.graphql(acknowledge(5))).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
    expect(await ann.ask(acknowledge(1))).toEqual({ changeNotificationStatus: { version: 2 } });
    expect(tagOf(await get(`/notifications/${raised.id}`))).toMatch(/^"2-/);

    const hook = `{ url: "https://example.org/hook", events: [WORK_ORDER_STATUS_CHANGED] }`;
    const created = await ann.graphql(`mutation { createWebhook(input: ${hook}) { webhook { id version } } }`);
    const { id } = created.data.createWebhook.webhook;
    expect(await ann.ask(`mutation { updateWebhook(id: "${id}", input: { isActive: false }, expectedVersion: 1) { version } }`)).toEqual({
      updateWebhook: { version: 2 },
    });
    for (const mutation of [
      `updateWebhook(id: "${id}", input: {}, expectedVersion: 1) { id }`,
      `deleteWebhook(id: "${id}", expectedVersion: 1) { id }`,
    ])
      expect((await ann.graphql(`mutation { ${mutation} }`)).errors).toMatchObject([
        { extensions: { code: "CONFLICT", version: 2, changedFields: ["isActive"] } },
      ]);
    expect((await ann.graphql(`mutation { deleteWebhook(id: "${id}", expectedVersion: 2) { id } }`)).errors).toBeUndefined();
  });

  it("of another tenant's record or another site's reveals nothing about it", async () => {
    const { id } = await ann.createAsset({ site: "North" });
    const { body: pm } = await ann.rest("POST", "/pms", { name: "Oil", assetId: id, frequency: "monthly" });
    const stranger = await gateway.newTenant();
    const south = await ann.as("manager", ["South"]);
    const southAlone = await ann.as("manager", ["South"], false);
    for (const path of [`/assets/${id}`, `/pms/${pm.id}`])
      for (const method of ["PUT", "DELETE"]) {
        const body = method === "PUT" ? { description: "x" } : undefined;
        expect((await stranger.rest(method, path, body, ifMatch('"9"'))).status).toBe(404);
        for (const limited of [south, southAlone]) {
          const refused = await limited.rest(method, path, body, ifMatch('"9"'));
          expect([refused.status, bodyOf(refused)]).toEqual([
            403,
            { error: "Forbidden", message: "This key may change only records of its own sites", code: "FORBIDDEN" },
          ]);
        }
      }
    expect((await (await ann.as("manager", ["North"], false)).rest("PUT", `/assets/${id}`, { name: "B" }, ifMatch('"9"'))).status).toBe(
      412,
    );
  });

  it("takes one more statement only if it rejects", async () => {
    const { id } = await ann.createAsset();
    const count = async (v?: number) => {
      const before = gateway.database.statements();
      await ann.graphql(rename, { id, input: { name: "x" }, v });
      return gateway.database.statements() - before;
    };
    await count();
    const plain = await count();
    expect(await count(3)).toBe(plain);
    expect(await count(3)).toBe(plain + 1);
  });
});

describe("the lists", () => {
  it("every record that has versions shows its own", async () => {
    const { __schema } = await ann.ask("{ __schema { types { name fields { name } } } }");
    const versioned = __schema.types.filter(({ fields }: any) => fields?.some(({ name }: any) => name === "version"));
    const records = Object.keys(tables).filter((table) => table !== "Change" && tables[table as Table].columns.version);
    expect(
      records
        .map((table) => (table === "Stock" ? "StockLevel" : table.replace(/Setting$/, "")))
        // A failure code is set as a whole, whether it is built in or has a row.
        .filter((type) => type !== "FailureCode" && !versioned.some(({ name }: any) => name === type)),
    ).toEqual([]);
  });

  it("every mutation that overwrites or deletes a record takes expectedVersion", async () => {
    const { __schema } = await ann.ask("{ __schema { mutationType { fields(includeDeprecated: true) { name args { name } } } } }");
    const without = __schema.mutationType.fields.flatMap(({ name, args }: any) =>
      args.some((argument: any) => argument.name === "expectedVersion") ? [] : [name],
    );
    // Operations that create or add.
    const adding =
      /^(create|register|raise|report|record|request|restore|adjust|receive|return|issue|reserve|unreserve|transfer|assign|unassign|add|apply|draft|upload)/;
    const guardedByState = [
      "moveUnit",
      "swapUnits",
      "correctInstallation",
      "resolveUnitConflict",
      "openRecall",
      "closeRecall",
      "cancelPurchaseOrderLine",
      "repromisePurchaseOrderLine",
      "releaseRejectedGoods",
      "acceptInvoiceDifference",
      "delegatePurchaseApproval",
      "endPurchaseDelegation",
      "openStockCount",
      "postStockCount",
      "cancelStockCount",
      "approveStockCount",
      "rejectStockCount",
      "approveAdjustment",
      "rejectAdjustment",
      "deletePhoto",
      "erasePerson",
      "revokeApiKey",
      "rotateApiKey",
      "shipTransfer",
      "cancelTransfer",
      "closeStockPeriod",
      "reopenStockPeriod",
      "reverseMovement",
      "correctReceiptCost",
      "startTransfer",
      "replayWebhookDelivery",
      "replayWebhookDeliveries",
      "updateWorkOrderStep",
      "releaseReservation",
      "reallocateReservation",
      "removeWorkOrderCost",
      "removeLaborEntry",
      "acceptWorkRequest",
      "declineWorkRequest",
      "withdrawWorkRequest",
      "allowWorkOrderStepSkip",
      "deleteAttachment",
      "deleteMeterReading",
      "removeProcedureAssets",
      "deleteCalendarFeed",
      "revokeReportLink",
      "revokeInvitation",
    ];
    const ofManyRecords = ["bulkComponents", "importAssets", "importRecords"];
    const ofOneValue = ["rotateWebhookSecret", "setSiteTimeZone", "setFailureCode"];
    expect(without.filter((name: string) => !adding.test(name)).sort()).toEqual(
      [...guardedByState, ...ofManyRecords, ...ofOneValue].sort(),
    );
  });

  it("API keys and photos, which have no version, have no mutation that overwrites their fields", async () => {
    const { __schema } = await ann.ask("{ __schema { mutationType { fields { name } } } }");
    const about = (noun: string) =>
      __schema.mutationType.fields
        .map(({ name }: any) => name)
        .filter((name: string) => name.includes(noun))
        .sort();
    expect(about("ApiKey")).toEqual(["createApiKey", "revokeApiKey", "rotateApiKey"]);
    expect(about("Photo")).toEqual([
      "createPhotoUpload",
      "deletePhoto",
      "registerPhoto",
      "restorePhoto",
      "uploadAssetPhoto",
      "uploadPartPhoto",
    ]);
    expect([tables.ApiKey.columns, tables.Photo.columns].filter((columns) => "version" in columns)).toEqual([]);
  });

  it("every REST path that overwrites or deletes a record takes If-Match, and every GET has a tag", async () => {
    const { paths, components } = (await ann.rest("GET", "/openapi.json")).body;
    const nameOf = ({ $ref, name }: any) => ($ref ? components.parameters[$ref.split("/").at(-1)].name : name);
    const takes = (operation: any, header: string) => operation.parameters?.some((one: any) => nameOf(one) === header) ?? false;
    for (const [path, { get: read, put, delete: end, post }] of Object.entries<any>(paths)) {
      if (read) expect([path, takes(read, "If-None-Match"), "ETag" in read.responses["200"].headers]).toEqual([path, true, true]);
      for (const write of [put, end])
        if (write)
          expect([path, takes(write, "If-Match"), "412" in write.responses]).toEqual([
            path,
            // Without a version to expect, the header itself is rejected.
            !/\/(\{mediaId\}|steps\/\{order\})$/.test(path),
            true,
          ]);
      // Operations that only create cannot overwrite anything.
      const changes = /^\/workorders\/.*\/(start|complete)$|^\/parts\/\{partId\}\/restore$/.test(path);
      if (post) expect([path, takes(post, "If-Match")]).toEqual([path, changes]);
    }
  });
});

it("sites and areas are written only at the expected version", async () => {
  const caller = await gateway.newTenant();
  await caller.ask(
    `mutation { createSite(input: { name: "A: 100 %" }) { version } createArea(site: "A: 100 %", input: { name: "x:y" }) { version } }`,
  );
  const states = () => caller.ask(`{ sites { name displayName version areas { id name displayName version } } }`);
  await caller.ask(`mutation {
    updateSite(name: "A: 100 %", input: { displayName: "North" }, expectedVersion: 1) { version }
    updateArea(site: "A: 100 %", name: "x:y", input: { displayName: "Hall" }, expectedVersion: 1) { version }
  }`);
  const before = await states();
  expect(before.sites[0]).toMatchObject({
    displayName: "North",
    version: 2,
    areas: [{ id: "Area:A%3A 100 %25:x:y", displayName: "Hall", version: 2 }],
  });
  for (const call of [
    `updateSite(name: "A: 100 %", input: { displayName: "South" }, expectedVersion: 1) { version }`,
    `deleteSite(name: "A: 100 %", expectedVersion: 1) { id }`,
    `updateArea(site: "A: 100 %", name: "x:y", input: { displayName: "Yard" }, expectedVersion: 1) { version }`,
    `deleteArea(site: "A: 100 %", name: "x:y", expectedVersion: 1) { id }`,
  ]) {
    const { errors } = await caller.graphql(`mutation { ${call} }`);
    expect(errors![0]!.extensions, call).toMatchObject({
      code: "CONFLICT",
      version: 2,
      expectedVersion: 1,
      changedFields: ["displayName"],
    });
  }
  expect(await states()).toEqual(before);
  await caller.ask(
    `mutation { deleteArea(site: "A: 100 %", name: "x:y", expectedVersion: 2) { id } deleteSite(name: "A: 100 %", expectedVersion: 2) { id } }`,
  );
  expect(await states()).toEqual({ sites: [] });
});
