/** Templates of component trees (docs/interface.md 2.12, 4.7) over REST and GraphQL. */
import { describe, expect, test } from "vitest";
import { type Caller, type RestResponse, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const anId = expect.any(String);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const codes: Record<number, string> = { 400: "BAD_USER_INPUT", 403: "FORBIDDEN", 404: "NOT_FOUND", 409: "CONFLICT" };

const motor = {
  name: "Motor",
  type: "motor",
  specifications: { kW: 5 },
  maintenanceInterval: "P1Y",
  components: [
    { name: "Bearing", type: "bearing" },
    { name: "Fan", type: "fan" },
  ],
};
const seal = { name: "Seal", type: "seal" };
const pumpSet = { name: "Pump set", type: "pump", description: "d", components: [motor, seal] };

const tables = ["Asset", "Component", "ComponentTemplate"];
const versionRows = ({ tenantId }: Caller) =>
  gateway.database.query<any>(`select * from "ComponentTemplateVersion" where "tenantId" = $1 order by "templateId", ordinal`, [tenantId]);

/** Expects this status and body, and no change. */
async function expectRejected(tenant: Caller, status: number, fields: object, call: () => Promise<RestResponse>): Promise<void> {
  const before = [await tenant.snapshot(...tables), await versionRows(tenant)];
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...fields, code: codes[status], requestId: anId } });
  expect([await tenant.snapshot(...tables), await versionRows(tenant)]).toEqual(before);
}

async function done(call: Promise<RestResponse>, status = 200): Promise<any> {
  const response = await call;
  expect(response.status, JSON.stringify(response.body)).toBe(status);
  return response.body;
}

const root = "/components/templates";
const create = (tenant: Caller, fields: object = pumpSet) => done(tenant.rest("POST", root, fields), 201);
const apply = (tenant: Caller, id: string, body: object = {}) => tenant.rest("POST", `${root}/${id}/apply-hierarchical`, body);

describe("a template", () => {
  test("is created, read, listed oldest first, changed, deleted and restored", async () => {
    const tenant = await gateway.newTenant();
    expect(await done(tenant.rest("GET", root))).toEqual({ templates: [] });
    const template = await create(tenant);
    const { id } = template;
    expect(template).toEqual({ ...pumpSet, id: anId, version: "1.0.0", createdAt: aTime });
    expect(await done(tenant.rest("GET", `${root}/${id}`))).toEqual(template);
    const bare = await create(tenant, { name: "Bare", type: "x" });
    expect(bare).toEqual({ id: anId, name: "Bare", type: "x", version: "1.0.0", components: [], createdAt: aTime });
    expect(await done(tenant.rest("GET", root))).toEqual({ templates: [template, bare] });

    const changed = await done(tenant.rest("PUT", `${root}/${id}`, { name: "Big set", description: null, components: [seal] }));
    expect(changed).toEqual({ id, name: "Big set", type: "pump", version: "1.1.0", components: [seal], createdAt: template.createdAt });
    expect(await done(tenant.rest("PUT", `${root}/${id}`, { ...changed, type: "set" }))).toEqual({
      ...changed,
      type: "set",
      version: "1.2.0",
    });
    const version = (fields: object) => ({ type: "pump", createdAt: aTime, ...fields });
    expect(await done(tenant.rest("GET", `${root}/${id}/versions`))).toEqual({
      versions: [
        version({ version: "1.2.0", name: "Big set", type: "set", components: [seal] }),
        version({ version: "1.1.0", name: "Big set", components: [seal] }),
        version({ version: "1.0.0", name: "Pump set", description: "d", components: [motor, seal] }),
      ],
    });

    expect(await done(tenant.rest("DELETE", `${root}/${id}`))).toEqual({ message: "Template deleted", deletedAt: aTime });
    expect(await done(tenant.rest("GET", root))).toEqual({ templates: [bare] });
    const restore = "mutation ($id: ID!) { restoreTemplate(id: $id) { id version } }";
    expect(await tenant.ask(restore, { id })).toEqual({ restoreTemplate: { id, version: "1.2.0" } });
    expect((await done(tenant.rest("GET", root))).templates.map((template: any) => template.id)).toEqual([id, bare.id]);
    const { errors } = await tenant.graphql(restore, { id });
    expect(errors?.[0]).toMatchObject({ message: "Deleted template not found", extensions: { code: "NOT_FOUND", templateId: id } });
  });

  test("has the same operations over GraphQL", async () => {
    const tenant = await gateway.newTenant();
    const fields = "id name type description version components usageCount lastUsedAt";
    const { createTemplate: template } = await tenant.ask(
      `mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { ${fields} } }`,
      {
        input: pumpSet,
      },
    );
    expect(template).toEqual({ ...pumpSet, id: anId, version: "1.0.0", usageCount: 0, lastUsedAt: null });
    const { id } = template;
    const { updateTemplate } = await tenant.ask(
      `mutation ($id: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $id, input: $input) { ${fields} } }`,
      { id, input: { name: "B" } },
    );
    expect(updateTemplate).toEqual({ ...template, name: "B", version: "1.1.0" });
    const read = await tenant.ask(
      `query ($id: ID!) { templates { nodes { id } } template(id: $id) { name versions { templateId version name createdBy }
        newest: versionHistory(first: 1) { totalCount nodes { version } pageInfo { endCursor } }
        first: versionHistory(filter: { nameContains: "PUMP" }) { nodes { version } } oldest: versionHistory(orderBy: { field: VERSION }) { nodes { version } } } }`,
      { id },
    );
    const { endCursor: after } = read.template.newest.pageInfo;
    const next = await tenant.ask(
      "query ($id: ID!, $after: String) { template(id: $id) { versionHistory(first: 1, after: $after) { nodes { version } pageInfo { hasNextPage } } } }",
      { id, after },
    );
    expect(next.template.versionHistory).toEqual({ nodes: [{ version: "1.0.0" }], pageInfo: { hasNextPage: false } });
    const version = { templateId: id, createdBy: anId };
    expect(read).toEqual({
      templates: { nodes: [{ id }] },
      template: {
        name: "B",
        versions: [
          { ...version, version: "1.1.0", name: "B" },
          { ...version, version: "1.0.0", name: "Pump set" },
        ],
        newest: { totalCount: 2, nodes: [{ version: "1.1.0" }], pageInfo: { endCursor: after } },
        first: { nodes: [{ version: "1.0.0" }] },
        oldest: { nodes: [{ version: "1.0.0" }, { version: "1.1.0" }] },
      },
    });
    const { recordTemplateUsage } = await tenant.ask(
      `mutation ($id: ID!) { recordTemplateUsage(id: $id) { templateId usageCount lastUsedAt } }`,
      { id },
    );
    expect(recordTemplateUsage).toEqual({ templateId: id, usageCount: 1, lastUsedAt: aTime });
    const { applyTemplate } = await tenant.ask(
      `mutation ($id: ID!, $input: ApplyTemplateInput!) { applyTemplate(id: $id, input: $input) { templateId version rootIds created { id name } } }`,
      { id, input: {} },
    );
    const [first, second] = applyTemplate.created;
    expect(applyTemplate).toMatchObject({ templateId: id, version: "1.1.0", rootIds: [first.id, second.id] });
    expect(applyTemplate.created.map((node: any) => node.name)).toEqual(["Motor", "Seal", "Bearing", "Fan"]);
    const { deleteTemplate } = await tenant.ask(`mutation ($id: ID!) { deleteTemplate(id: $id) { id message deletedAt } }`, { id });
    expect(deleteTemplate).toEqual({ id, message: "Template deleted", deletedAt: aTime });
  });

  test("treats null in an item as missing", async () => {
    const tenant = await gateway.newTenant();
    const bare = { name: "A", type: "a" };
    const none = { specifications: null, maintenanceInterval: null, components: null };
    const { components } = await create(tenant, {
      name: "T",
      type: "t",
      components: [{ ...bare, ...none, components: [{ ...bare, ...none }] }],
    });
    expect(components).toEqual([{ ...bare, components: [bare] }]);
  });

  const required = { name: "is required", type: "is required" };
  test.each<[string, object, Record<string, string>]>([
    ["an empty object", {}, required],
    ["null", { name: null, type: null }, required],
    ["blank names", { name: " ", type: "" }, { name: "must not be empty", type: "must not be empty" }],
    [
      "an item without name and type",
      { name: "T", type: "t", components: [{}] },
      { "components.0.name": "is required", "components.0.type": "is required" },
    ],
    [
      "a nested item without type",
      { name: "T", type: "t", components: [seal, { ...motor, components: [{ name: "x" }] }] },
      { "components.1.components.0.type": "is required" },
    ],
    ["components that are not an array of objects", { name: "T", type: "t", components: "x" }, { components: "must be an array" }],
    [
      "specifications that are not an object of strings",
      { name: "T", type: "t", components: [{ ...seal, specifications: [] }] },
      { "components.0.specifications": "must be an object" },
    ],
    [
      "more than 10,000 items in all",
      { name: "T", type: "t", components: Array(101).fill({ ...seal, components: Array(99).fill(seal) }) },
      { components: "must not have more than 10000 items in all" },
    ],
  ])("is rejected for %s, on create and update", async (_, fields, details) => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    await expectRejected(tenant, 400, { error: "Invalid input", details }, () => tenant.rest("POST", root, fields));
    if (details === required && !("name" in fields)) return;
    const onUpdate = details === required ? { name: "must not be null", type: "must not be null" } : details;
    await expectRejected(tenant, 400, { error: "Invalid input", details: onUpdate }, () => tenant.rest("PUT", `${root}/${id}`, fields));
  });

  test("concurrent updates each create their own version", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => done(tenant.rest("PUT", `${root}/${id}`, { name: `N${i}` }))));
    const byVersion = new Map(responses.map(({ version, name }) => [version, name]));
    const { versions } = await done(tenant.rest("GET", `${root}/${id}/versions`));
    expect(versions.map(({ version }: any) => version)).toEqual(Array.from({ length: 13 }, (_, i) => `1.${12 - i}.0`));
    for (const { version, name } of versions.slice(0, -1)) expect(byVersion.get(version)).toBe(name);
    expect(await done(tenant.rest("GET", `${root}/${id}`))).toMatchObject({ version: "1.12.0", name: byVersion.get("1.12.0") });
  });

  test("has versions that the database does not allow to change", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant);
    const before = await versionRows(tenant);
    for (const statement of [`update "ComponentTemplateVersion" set name = 'x'`, `delete from "ComponentTemplateVersion"`])
      await expect(gateway.database.query<any>(`${statement} where "tenantId" = $1`, [tenant.tenantId])).rejects.toThrow(
        "rows are never changed",
      );
    expect(await versionRows(tenant)).toEqual(before);
  });
});

describe("usage", () => {
  test("counts recorded uses and applications", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const first = await done(tenant.rest("POST", `${root}/${id}/usage`));
    expect(first).toEqual({ templateId: id, usageCount: 1, lastUsedAt: aTime });
    await done(apply(tenant, id), 201);
    expect(await done(tenant.rest("POST", `${root}/${id}/usage`, {}))).toMatchObject({ usageCount: 3 });
    const { template } = await tenant.ask("query ($id: ID!) { template(id: $id) { usageCount lastUsedAt version } }", { id });
    expect(template).toEqual({ usageCount: 3, lastUsedAt: aTime, version: "1.0.0" });
  });

  test("concurrent uses are all counted", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const responses = await Promise.all(Array.from({ length: 12 }, () => done(tenant.rest("POST", `${root}/${id}/usage`))));
    expect(responses.map(({ usageCount }) => usageCount).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });
});

describe("apply-hierarchical", () => {
  test("creates the whole tree of the newest version on an asset", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ site: "N" });
    const { id } = await create(tenant, { ...pumpSet, components: [] });
    await done(tenant.rest("PUT", `${root}/${id}`, { components: [motor, seal] }));
    const body = await done(apply(tenant, id, { assetId: asset.id, customizations: { serialNumberPrefix: "PS-" } }), 201);
    const common = { assetId: asset.id, status: "operational", specifications: {}, createdAt: aTime, updatedAt: aTime };
    const [motorId, sealId, bearingId, fanId] = body.created.map((node: any) => node.id);
    expect(body).toEqual({
      templateId: id,
      version: "1.1.0",
      rootIds: [motorId, sealId],
      created: [
        {
          ...common,
          id: motorId,
          name: "Motor",
          type: "motor",
          level: 0,
          position: 0,
          serialNumber: "PS-001",
          specifications: { kW: 5 },
          maintenanceInterval: "P1Y",
        },
        { ...common, id: sealId, name: "Seal", type: "seal", level: 0, position: 1, serialNumber: "PS-004" },
        { ...common, id: bearingId, name: "Bearing", type: "bearing", parentId: motorId, level: 1, position: 0, serialNumber: "PS-002" },
        { ...common, id: fanId, name: "Fan", type: "fan", parentId: motorId, level: 1, position: 1, serialNumber: "PS-003" },
      ],
    });
    const { ancestors } = await done(tenant.rest("GET", `/components/${fanId}/ancestors`));
    expect(ancestors).toEqual([{ id: motorId, name: "Motor", type: "motor", level: 0 }]);
    const { children } = await done(tenant.rest("GET", `/components/${motorId}`));
    expect(children).toEqual([bearingId, fanId]);
  });

  test("creates the tree below a component, after its children; assetId is optional", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const parent = await tenant.createComponent({ assetId: asset.id });
    await tenant.createComponent({ parentId: parent.id, name: "First" });
    const { id } = await create(tenant, { ...pumpSet, components: [{ ...seal, components: [seal] }] });
    for (const [i, place] of [{ parentId: parent.id }, { parentId: parent.id, assetId: asset.id }].entries()) {
      const { rootIds, created } = await done(apply(tenant, id, place), 201);
      expect(rootIds).toEqual([created[0].id]);
      expect(created[0]).toMatchObject({ parentId: parent.id, assetId: asset.id, level: 1, position: i + 1 });
      expect(created[1]).toMatchObject({ parentId: created[0].id, assetId: asset.id, level: 2, position: 0 });
      expect(created[0]).not.toHaveProperty("serialNumber");
    }
  });

  test("an empty template creates nothing but counts as a use", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant, { name: "Bare", type: "x" });
    expect(await done(apply(tenant, id), 201)).toEqual({ templateId: id, version: "1.0.0", rootIds: [], created: [] });
    expect(await done(tenant.rest("POST", `${root}/${id}/usage`))).toMatchObject({ usageCount: 2 });
  });

  test("serial numbers may exceed three digits, and 1,000 items take as many statements as 10", async () => {
    const tenant = await gateway.newTenant();
    const items = (count: number) => Array.from({ length: count / 10 }, () => ({ ...seal, components: Array(9).fill(seal) }));
    const counts: number[] = [];
    for (const count of [10, 1000]) {
      const { id } = await create(tenant, { ...pumpSet, components: items(count) });
      const runs: number[] = [];
      // The minimum of several runs: recording the use of the key adds statements to some.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        const { created } = await done(apply(tenant, id, { customizations: { serialNumberPrefix: `${count}/${run}-` } }), 201);
        runs.push(gateway.database.statements() - before);
        const serials = created.map((node: any) => node.serialNumber);
        expect(new Set(serials).size).toBe(count);
        expect(serials).toContain(`${count}/${run}-${String(count).padStart(3, "0")}`);
      }
      counts.push(Math.min(...runs));
    }
    expect(counts[1]).toBe(counts[0]);
  });

  test("a serial number in use is 409 and nothing is created; it can be used again once its component is deleted", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const existing = await tenant.createComponent({ serialNumber: "PS-003" });
    const body = { customizations: { serialNumberPrefix: "PS-" } };
    const error = "A component with this serial number already exists";
    await expectRejected(tenant, 409, { error, serialNumber: "PS-003" }, () => apply(tenant, id, body));
    await done(tenant.rest("DELETE", `/components/${existing.id}`));
    await done(apply(tenant, id, body), 201);
    await expectRejected(tenant, 409, { error, serialNumber: "PS-001" }, () => apply(tenant, id, body));
  });

  test("6 concurrent applications with one prefix: exactly one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => apply(tenant, id, { customizations: { serialNumberPrefix: "X" } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect((await tenant.snapshot("Component")).Component).toHaveLength(4);
  });

  test("an unknown, deleted or another tenant's asset or parent, or a parent on another asset, is 400 naming it", async () => {
    const [tenant, stranger] = [await gateway.newTenant(), await gateway.newTenant()];
    const { id } = await create(tenant);
    const [asset, other, gone] = [await tenant.createAsset(), await tenant.createAsset(), await tenant.createAsset()];
    const parent = await tenant.createComponent({ assetId: asset.id });
    const lost = await tenant.createComponent({ assetId: gone.id });
    await done(tenant.rest("DELETE", `/assets/${gone.id}`));
    const foreign = await stranger.createAsset();
    const foreignParent = await stranger.createComponent();
    const noAsset = { assetId: "names no asset; use the id of an existing one" };
    const noParent = { parentId: "names no component; use the id of an existing one" };
    const cases: [object, object][] = [
      [{ assetId: "nothing" }, noAsset],
      [{ assetId: gone.id }, noAsset],
      [{ assetId: foreign.id }, noAsset],
      [{ parentId: "nothing" }, noParent],
      [{ parentId: lost.id }, noParent],
      [{ parentId: foreignParent.id }, noParent],
      [{ assetId: other.id, parentId: parent.id }, { assetId: "differs from the parent's asset; leave it out to take the parent's" }],
      [{ customizations: "x" }, { customizations: "must be an object" }],
      [{ customizations: { serialNumberPrefix: 7 } }, { "customizations.serialNumberPrefix": "must be a string" }],
    ];
    for (const [body, details] of cases)
      await expectRejected(tenant, 400, { error: "Invalid input", details }, () => apply(tenant, id, body));
  });

  test("unknown fields are ignored and named in a Warning header", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const { status, headers } = await apply(tenant, id, { colour: "red", customizations: { size: 1 } });
    expect(status).toBe(201);
    expect(headers.get("warning")).toBe('299 - "Unknown fields ignored: colour, customizations.size"');
  });
});

describe("drift", () => {
  const driftOf = async (tenant: Caller, id: string) => {
    const { template } = await tenant.ask("query ($id: ID!) { template(id: $id) { drift { builtFrom differences component { name } } } }", {
      id,
    });
    return template.drift;
  };

  test("lists differences from the newest version, after a change of the component or of the template", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const { created } = await done(apply(tenant, id, { customizations: { serialNumberPrefix: "A" } }), 201);
    expect(await driftOf(tenant, id)).toEqual([]);
    const [built, , bearing, fan] = created;
    await done(tenant.rest("PUT", `/components/${built.id}`, { specifications: { kW: 7 }, maintenanceInterval: null }));
    await done(tenant.rest("PUT", `/components/${bearing.id}`, { status: "faulty", notes: "hot" }));
    await done(tenant.rest("DELETE", `/components/${fan.id}`));
    const changed = { builtFrom: "1.0.0", differences: ["specifications", "maintenanceInterval"], component: { name: "Motor" } };
    expect(await driftOf(tenant, id)).toEqual([changed]);
    await done(
      tenant.rest("PUT", `${root}/${id}`, { components: [{ ...motor, name: "Big motor", components: [{ ...seal, name: "Bearing" }] }] }),
    );
    expect(await driftOf(tenant, id)).toEqual([
      { ...changed, differences: ["name", "specifications", "maintenanceInterval"] },
      { builtFrom: "1.0.0", differences: ["removed"], component: { name: "Seal" } },
      { builtFrom: "1.0.0", differences: ["type"], component: { name: "Bearing" } },
    ]);
    const again = await done(apply(tenant, id), 201);
    expect(again.version).toBe("1.1.0");
    expect(await driftOf(tenant, id)).toHaveLength(3);
  });

  test("deleting a template keeps the components created from it", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    await done(apply(tenant, id), 201);
    const before = await tenant.snapshot("Component");
    await done(tenant.rest("DELETE", `${root}/${id}`));
    expect(await tenant.snapshot("Component")).toEqual(before);
    const { components } = await tenant.ask("{ components { nodes { name templateId templateVersion } } }");
    expect(components.nodes.map((node: any) => [node.templateId, node.templateVersion])).toEqual(Array(4).fill([id, "1.0.0"]));
  });
});

describe("permissions", () => {
  const writes: [string, string, object | undefined][] = [
    ["PUT", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/usage", {}],
    ["POST", "/apply-hierarchical", {}],
  ];
  const everything: [string, string, object | undefined][] = [["GET", "", undefined], ["GET", "/versions", undefined], ...writes];

  test("an unknown, deleted or another tenant's template is 404", async () => {
    const [tenant, stranger] = [await gateway.newTenant(), await gateway.newTenant()];
    const { id } = await create(tenant);
    const gone = (await create(tenant)).id;
    await done(tenant.rest("DELETE", `${root}/${gone}`));
    for (const [caller, templateId] of [
      [tenant, "nothing"],
      [tenant, gone],
      [stranger, id],
    ] as const)
      for (const [method, path, body] of everything)
        await expectRejected(tenant, 404, { error: "Template not found", templateId }, () =>
          caller.rest(method, `${root}/${templateId}${path}`, body),
        );
    expect(await done(stranger.rest("GET", root))).toEqual({ templates: [] });
    const { errors } = await stranger.graphql("mutation ($id: ID!) { restoreTemplate(id: $id) { id } }", { id: gone });
    expect(errors?.[0]).toMatchObject({ message: "Deleted template not found", extensions: { code: "NOT_FOUND" } });
  });

  test("a viewer can read, a technician can also record uses and apply, a manager can also change", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const [viewer, technician, manager] = [await tenant.as("viewer"), await tenant.as("technician"), await tenant.as("manager")];
    const forbidden = { error: "Forbidden", message: anId };
    for (const [method, path, body] of writes)
      await expectRejected(tenant, 403, forbidden, () => viewer.rest(method, `${root}/${id}${path}`, body));
    for (const [method, path, body] of writes.slice(0, 2))
      await expectRejected(tenant, 403, forbidden, () => technician.rest(method, `${root}/${id}${path}`, body));
    for (const caller of [viewer, technician]) {
      await expectRejected(tenant, 403, forbidden, () => caller.rest("POST", root, pumpSet));
      for (const path of ["", `/${id}`, `/${id}/versions`]) await done(caller.rest("GET", root + path));
    }
    await done(technician.rest("POST", `${root}/${id}/usage`));
    await done(apply(technician, id), 201);
    await create(manager);
    await done(manager.rest("PUT", `${root}/${id}`, { name: "x" }));
    await done(manager.rest("DELETE", `${root}/${id}`));
    for (const [method, path, body] of everything) expect((await gateway.rest(method, `${root}/${id}${path}`, body)).status).toBe(401);
  });

  test("a key limited to sites can apply a template only at its sites", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    const technician = await tenant.as("technician", ["North"]);
    const forbidden = { error: "Forbidden", message: "This key may change only records of its own sites" };
    await expectRejected(tenant, 403, forbidden, () => apply(technician, id, { assetId: south.id }));
    await expectRejected(tenant, 403, forbidden, () => apply(technician, id));
    await done(apply(technician, id, { assetId: north.id }), 201);
  });
});
