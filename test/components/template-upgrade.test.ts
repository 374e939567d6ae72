import { describe, expect, test } from "vitest";
import { askOwner } from "../owner.js";
import { type Caller, sharedGateway } from "../world.js";
import { verifyTree } from "./trees.js";

const gateway = await sharedGateway();

interface Item {
  key?: string;
  name: string;
  type: string;
  specifications?: Record<string, unknown>;
  maintenanceInterval?: string;
  components?: Item[];
}

const bearing = { name: "Bearing", type: "bearing" };
const fan = { name: "Fan", type: "fan" };
const motor = { name: "Motor", type: "motor", specifications: { kW: 5, poles: 4 }, components: [bearing, fan] };
const seal = { name: "Seal", type: "seal" };
const items: Item[] = [motor, seal];

const root = "/components/templates";

async function done(call: ReturnType<Caller["rest"]>, status = 200): Promise<any> {
  const response = await call;
  expect(response.status, JSON.stringify(response.body)).toBe(status);
  return response.body;
}

const create = async (tenant: Caller, components: Item[] = items): Promise<string> => {
  const input = { name: "Pump set", type: "pump", components };
  return (await tenant.ask("mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }", { input })).createTemplate
    .id;
};
const put = (tenant: Caller, id: string, body: object) => done(tenant.rest("PUT", `${root}/${id}`, body));
const update = async (tenant: Caller, id: string, components: Item[]): Promise<string> => {
  const text = "mutation ($id: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $id, input: $input) { version } }";
  return (await tenant.ask(text, { id, input: { components } })).updateTemplate.version;
};
const apply = (tenant: Caller, id: string, body: object = {}) => done(tenant.rest("POST", `${root}/${id}/apply-hierarchical`, body), 201);
const change = (tenant: Caller, id: string, body: object) => done(tenant.rest("PUT", `/components/${id}`, body));
const remove = (tenant: Caller, id: string) => done(tenant.rest("DELETE", `/components/${id}`));
const move = (tenant: Caller, id: string, body: object) => done(tenant.rest("PUT", `/components/${id}/move`, body));

const keysOf = async (tenant: Caller, id: string): Promise<Record<string, string | null>[]> =>
  (await tenant.ask("query ($id: ID!) { template(id: $id) { items { key parentKey name } } }", { id })).template.items;

const differences =
  "differences { kind key name componentId keptBecause fields { field builtFrom template component changedBy keptBecause } }";
const instancesOf = async (tenant: Caller, id: string, args = ""): Promise<any[]> => {
  const text = `query ($id: ID!) { template(id: $id) { instances${args} { id assetId rootId builtFrom ${differences} } } }`;
  return (await tenant.ask(text, { id })).template.instances;
};
const upgrading = `mutation ($input: UpgradeInstancesInput!, $expected: String) {
  upgradeInstances(input: $input, expectedVersion: $expected) { templateId version processed failed results { instanceId status error ${differences} } }
}`;
const upgrade = async (tenant: Caller, templateId: string, input: object = {}): Promise<any> =>
  (await tenant.ask(upgrading, { input: { templateId, dryRun: false, ...input } })).upgradeInstances;
const driftOf = async (tenant: Caller, id: string): Promise<any[]> =>
  (await tenant.ask("query ($id: ID!) { template(id: $id) { drift { builtFrom differences component { id name } } } }", { id })).template
    .drift;

/** All rows that templates and upgrades write. */
const state = async ({ tenantId }: Caller) => {
  const of = (table: string) =>
    gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [tenantId]);
  return Promise.all(["Component", "ComponentTemplate", "ComponentTemplateVersion"].map(of));
};

/** The live components as a tree of names. */
async function tree(tenant: Caller): Promise<any[]> {
  const rows = await gateway.database.query<any>(
    `select id, name, "parentId" from "Component" where "tenantId" = $1 and "deletedAt" is null order by position, id`,
    [tenant.tenantId],
  );
  const below = (parentId: string | null): any[] =>
    rows
      .filter((row) => row.parentId === parentId)
      .map(({ id, name }) => {
        const children = below(id);
        return children.length ? { [name]: children } : name;
      });
  return below(null);
}

const difference = (kind: string, key: string, name: string, fields: object = {}) => ({
  kind,
  key,
  name,
  componentId: null,
  keptBecause: null,
  fields: [],
  ...fields,
});
const field = (name: string, builtFrom: unknown, template: unknown, component: unknown, changedBy = "TEMPLATE") => ({
  field: name,
  builtFrom,
  template,
  component,
  changedBy,
  keptBecause: changedBy === "TEMPLATE" ? null : "was changed here",
});

/** Changes components to the form that release 0.2.0 stores. */
const asRelease02 = ({ tenantId }: Caller) =>
  gateway.database.query(`update "Component" set "templateKey" = null, "templateInstance" = null where "tenantId" = $1`, [tenantId]);

/** Writes template versions as release 0.2.0 does, whose statements do not set keys. */
async function releasePut({ tenantId }: Caller, id: string, version: string, components: Item[]): Promise<void> {
  await gateway.database.query(
    `update "ComponentTemplate" set components = $3, version = $4, "updatedBy" = 'k' where "tenantId" = $1 and id = $2`,
    [tenantId, id, JSON.stringify(components), version],
  );
}

describe("keys", () => {
  test("stay while REST, which neither accepts nor shows them, inserts, renames and moves items", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant);
    const key = (key: string, parentKey: string | null, name: string) => ({ key, parentKey, name });
    const first = [key("1-0", null, "Motor"), key("1-0.0", "1-0", "Bearing"), key("1-0.1", "1-0", "Fan"), key("1-1", null, "Seal")];
    expect(await keysOf(tenant, id)).toEqual(first);
    const guard = { name: "Guard", type: "guard" };
    const inserted = [guard, { ...motor, components: [guard, bearing, { ...fan, name: "Big fan" }] }, seal];
    const changed = await put(tenant, id, { components: inserted.map((item) => ({ ...item, key: "x" })) });
    expect(changed).toEqual({ id, name: "Pump set", type: "pump", version: "1.1.0", components: inserted, createdAt: changed.createdAt });
    expect(await keysOf(tenant, id)).toEqual([
      key("2-0", null, "Guard"),
      key("1-0", null, "Motor"),
      key("2-1.0", "1-0", "Guard"),
      key("1-0.0", "1-0", "Bearing"),
      // Renamed and moved, so nothing identifies it as the same item.
      key("2-1.2", "1-0", "Big fan"),
      key("1-1", null, "Seal"),
    ]);
    await put(tenant, id, { components: [{ ...motor, name: "Drive", components: [{ ...seal, components: [bearing] }] }] });
    expect(await keysOf(tenant, id)).toEqual([...[key("3-0", null, "Drive"), key("1-1", "3-0", "Seal"), key("1-0.0", "1-1", "Bearing")]]);
    const { headers } = await tenant.rest("PUT", `${root}/${id}`, { components: [{ ...seal, key: "x" }] });
    expect(headers.get("warning")).toBe('299 - "Unknown fields ignored: components.0.key"');
  });

  test("are accepted over GraphQL; a duplicate is rejected, naming the field", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant, [{ ...motor, key: "m", components: [{ ...bearing, key: "b" }, fan] }, seal]);
    const keys = async () => (await keysOf(tenant, id)).map(({ key, name }) => `${key} ${name}`);
    expect(await keys()).toEqual(["m Motor", "b Bearing", "1-0.1 Fan", "1-1 Seal"]);
    await update(tenant, id, [
      { ...seal, components: [{ ...fan, name: "Ring", key: "b" }] },
      { ...fan, name: "Motor 2", key: "m" },
    ]);
    expect(await keys()).toEqual(["1-1 Seal", "b Ring", "m Motor 2"]);
    const before = await state(tenant);
    const input = {
      components: [
        { ...motor, components: [{ ...fan, key: "b" }] },
        { ...seal, key: "b" },
      ],
    };
    for (const [name, variables] of [
      ["createTemplate", { input: { name: "x", type: "x", ...input } }],
      ["updateTemplate", { id, input }],
    ] as const) {
      const declared = name === "createTemplate" ? "($input: CreateTemplateInput!)" : "($id: ID!, $input: UpdateTemplateInput!)";
      const { errors } = await tenant.graphql(
        `mutation ${declared} { ${name}(${"id" in variables ? "id: $id, " : ""}input: $input) { id } }`,
        variables,
      );
      const message = "is the key of components.0.components.0 too; give each item one of its own";
      expect(errors?.[0]).toMatchObject({ extensions: { code: "BAD_USER_INPUT", details: { "components.1.key": message } } });
    }
    expect(await state(tenant)).toEqual(before);
  });

  test("a new item gets no key that an item of the previous version had, even from another author", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant, [{ ...seal, key: "2-0" }]);
    await apply(tenant, id);
    await put(tenant, id, { components: [fan] });
    expect(await keysOf(tenant, id)).toEqual([{ key: "2-0'", parentKey: null, name: "Fan" }]);
    const [{ differences }] = await instancesOf(tenant, id);
    expect(differences.map(({ kind, name }: any) => `${kind} ${name}`)).toEqual(["ADDED Fan", "REMOVED Seal"]);
  });

  test("of versions of release 0.2.0 are derived, and stored with the next version, once", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant);
    await releasePut(tenant, id, "1.1.0", [seal, { ...motor, components: [fan] }]);
    await releasePut(tenant, id, "1.2.0", [{ ...seal, name: "Gasket" }, motor]);
    const keys = ["1-0 Motor", "1-0.1 Fan"];
    expect((await keysOf(tenant, id)).map(({ key, name }) => `${key} ${name}`)).toEqual([
      "1-1 Gasket",
      "1-0 Motor",
      "3-1.0 Bearing",
      keys[1],
    ]);
    await put(tenant, id, { components: [motor] });
    expect((await keysOf(tenant, id)).map(({ key, name }) => `${key} ${name}`)).toEqual([keys[0], "3-1.0 Bearing", keys[1]]);
    const stored = () =>
      gateway.database.query<any>(`select keys from "ComponentTemplateVersion" where "tenantId" = $1 order by ordinal`, [tenant.tenantId]);
    expect((await stored()).map((row) => row.keys)).toEqual([
      ["1-0", "1-0.0", "1-0.1", "1-1"],
      ["1-1", "1-0", "1-0.1"],
      ["1-1", "1-0", "3-1.0", "1-0.1"],
      ["1-0", "3-1.0", "1-0.1"],
    ]);
    await expect(
      gateway.database.query(`update "ComponentTemplateVersion" set keys = '{}' where "tenantId" = $1`, [tenant.tenantId]),
    ).rejects.toThrow("rows are never changed");
  });

  test("an update without changes creates no version", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant);
    const read = await done(tenant.rest("GET", `${root}/${id}`));
    const before = await state(tenant);
    for (const body of [read, { components: read.components }, { name: read.name, description: null }, {}])
      expect(await put(tenant, id, body)).toEqual(read);
    expect(await update(tenant, id, [{ ...motor, key: "1-0", maintenanceInterval: undefined }, seal])).toBe("1.0.0");
    expect(await state(tenant)).toEqual(before);
    expect(await update(tenant, id, [{ ...motor, key: "m" }, seal])).toBe("1.1.0");
    const text = `mutation ($id: ID!) { updateTemplate(id: $id, input: {}, expectedVersion: "1.0.0") { id } }`;
    expect((await tenant.graphql(text, { id })).errors?.[0]).toMatchObject({ extensions: { code: "CONFLICT", version: "1.1.0" } });
  });
});

describe("an instance", () => {
  test("reports exactly what was added, removed, changed and moved, by whom; an inserted item causes no drift behind it", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const id = await create(tenant);
    const { created } = await apply(tenant, id, { assetId });
    const [motorId, , bearingId, fanId] = created.map((component: any) => component.id);
    const guard = { name: "Guard", type: "guard", components: [{ name: "Bolt", type: "bolt" }] };
    await put(tenant, id, { components: [guard, ...items] });
    const [instance] = await instancesOf(tenant, id);
    const added = [difference("ADDED", "2-0", "Guard"), difference("ADDED", "2-0.0", "Bolt")];
    expect(instance).toEqual({ id: instance.id, assetId, rootId: motorId, builtFrom: "1.0.0", differences: added });
    expect(await driftOf(tenant, id)).toEqual([]);

    await change(tenant, motorId, { name: "My motor", specifications: { kW: 7, poles: 4, colour: "red" } });
    await remove(tenant, fanId);
    const keyed = [
      {
        ...guard,
        key: "2-0",
        components: [
          { ...guard.components[0]!, key: "2-0.0" },
          { ...bearing, key: "1-0.0", maintenanceInterval: "P1Y" },
        ],
      },
    ];
    await update(tenant, id, [
      ...keyed,
      { ...motor, key: "1-0", specifications: { kW: 5, poles: 6, ip: 54 }, components: [{ ...fan, key: "1-0.1" }] },
    ]);
    const [{ differences }] = await instancesOf(tenant, id);
    expect(differences).toEqual([
      ...added,
      difference("CHANGED", "1-0.0", "Bearing", {
        componentId: bearingId,
        fields: [field("maintenanceInterval", null, "P1Y", null), field("parent", "1-0", "2-0", "1-0")],
      }),
      difference("CHANGED", "1-0", "My motor", {
        componentId: motorId,
        fields: [
          field("name", "Motor", "Motor", "My motor", "COMPONENT"),
          field("specifications.kW", 5, 5, 7, "COMPONENT"),
          field("specifications.poles", 4, 6, 4),
          field("specifications.colour", null, null, "red", "COMPONENT"),
          field("specifications.ip", null, 54, null),
        ],
      }),
      difference("MISSING", "1-0.1", "Fan", { keptBecause: "was deleted here" }),
      difference("REMOVED", "1-1", "Seal", {
        componentId: created[1].id,
        keptBecause: "is removed only where the upgrade is told so (removeItems)",
      }),
    ]);
    const drift = (name: string, ...differences: string[]) => ({
      builtFrom: "1.0.0",
      differences,
      component: { id: expect.any(String), name },
    });
    expect(await driftOf(tenant, id)).toEqual([
      drift("My motor", "name", "specifications"),
      drift("Seal", "removed"),
      drift("Bearing", "maintenanceInterval", "parent"),
    ]);
  });

  test("is upgraded as its dry run says: its changes are kept, and additions are placed as in the template", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    await tenant.createComponent({ assetId, name: "First" });
    const id = await create(tenant);
    const { created } = await apply(tenant, id, { assetId });
    const [motorId, sealId] = created.map((component: any) => component.id);
    await tenant.createComponent({ parentId: motorId, name: "Own" });
    await change(tenant, motorId, { name: "My motor", specifications: { kW: 7, poles: 4, colour: "red" } });
    const coupling = { name: "Coupling", type: "coupling", components: [{ name: "Pin", type: "pin" }] };
    const changedMotor = { ...motor, key: "1-0", maintenanceInterval: "P2Y", specifications: { kW: 6, poles: 6 } };
    await update(tenant, id, [
      { ...changedMotor, components: [{ name: "Shaft", type: "shaft" }, bearing, coupling, fan] },
      { name: "Base", type: "base" },
      seal,
    ]);
    const before = await state(tenant);
    const dry = await upgrade(tenant, id, { dryRun: true });
    expect(await state(tenant)).toEqual(before);
    expect(dry).toMatchObject({ templateId: id, version: "1.1.0", processed: 1, failed: 0 });
    expect(await upgrade(tenant, id)).toEqual(dry);
    expect(await tree(tenant)).toEqual([
      "First",
      { "My motor": ["Shaft", "Bearing", { Coupling: ["Pin"] }, "Fan", "Own"] },
      "Base",
      "Seal",
    ]);
    const upgraded = await done(tenant.rest("GET", `/components/${motorId}`));
    expect(upgraded).toMatchObject({ name: "My motor", maintenanceInterval: "P2Y", specifications: { kW: 7, poles: 6, colour: "red" } });
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    const { components } = await tenant.ask("{ components { nodes { name templateVersion } } }");
    for (const { name, templateVersion } of components.nodes)
      expect([name, templateVersion]).toEqual([name, ["First", "Own"].includes(name) ? null : "1.1.0"]);
    const again = await upgrade(tenant, id);
    const kept = ["name", "specifications.kW", "specifications.colour"];
    expect(again.results[0].differences.map((entry: any) => entry.fields.map((field: any) => field.field))).toEqual([kept]);
    const after = await state(tenant);
    await upgrade(tenant, id);
    expect(await state(tenant)).toEqual(after);
    expect((await done(tenant.rest("GET", `/components/${sealId}`))).position).toBe(3);
  });

  test("follows the template's moves, except where a component was moved in the instance", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const chain = (...names: string[]): Item[] =>
      names.reduceRight<Item[]>((components, name) => [{ name, key: name, type: "x", components }], []);
    const id = await create(tenant, [...chain("A", "B", "C"), ...chain("D", "E")]);
    const [_first, second] = [await apply(tenant, id, { assetId }), await apply(tenant, id, { assetId })];
    const ids = (created: any[]) => Object.fromEntries(created.map(({ id, name }) => [name, id]));
    await move(tenant, ids(second.created).C, { newParentId: ids(second.created).E });
    const inner = await tenant.createComponent({ parentId: ids(second.created).A, name: "Between" });
    await move(tenant, ids(second.created).B, { newParentId: inner.id });
    await update(tenant, id, [...chain("C", "B", "A"), ...chain("D", "E")]);
    const { results } = await upgrade(tenant, id);
    const kept = (entry: any) => [entry.name, ...entry.fields.map((field: any) => field.keptBecause)];
    const byFirst = results.map(({ differences }: any) => differences.map(kept));
    expect(byFirst).toContainEqual([
      ["C", null],
      ["B", null],
      ["A", null],
    ]);
    expect(byFirst).toContainEqual([
      ["C", "was changed here"],
      ["B", "was changed here"],
      ["A", "what it belongs below is below it here"],
    ]);
    expect(await tree(tenant)).toEqual([{ C: [{ B: ["A"] }] }, { D: ["E"] }, { A: [{ Between: ["B"] }] }, { D: [{ E: ["C"] }] }]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  });

  test("keeps components whose items are gone, unless requested otherwise; those in use, changed or with components below stay in any case", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const names = ["Plain", "Changed", "Ordered", "Above", "Parent"];
    const id = await create(
      tenant,
      names.map((name) => ({ name, type: "x", components: name === "Parent" ? [seal] : [] })),
    );
    const { created } = await apply(tenant, id, { assetId });
    const ids = Object.fromEntries(created.map(({ id, name }: any) => [name, id]));
    await change(tenant, ids.Changed, { type: "y" });
    await tenant.createComponent({ parentId: ids.Above, name: "Own" });
    const order = { assetId, componentId: ids.Ordered, title: "Work" };
    await tenant.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", { input: order });
    await put(tenant, id, { components: [{ name: "New", type: "new" }] });
    await upgrade(tenant, id);
    expect(await tree(tenant)).toHaveLength(6);
    const dry = await upgrade(tenant, id, { dryRun: true, removeItems: true });
    expect(await upgrade(tenant, id, { removeItems: true })).toEqual(dry);
    const reasons = dry.results[0].differences.map(({ kind, name, keptBecause }: any) => [kind, name, keptBecause]);
    expect(reasons).toEqual([
      ["REMOVED", "Plain", null],
      ["REMOVED", "Changed", "was changed here"],
      ["REMOVED", "Ordered", "has work orders, work requests or spare parts"],
      ["REMOVED", "Above", "has components below it"],
      ["REMOVED", "Parent", null],
      ["REMOVED", "Seal", null],
    ]);
    expect(await tree(tenant)).toEqual(["Changed", "Ordered", { Above: ["Own"] }, "New"]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  });
});

test("does not get a deleted addition again, even if nothing else of that version is left", async () => {
  const tenant = await gateway.newTenant();
  const id = await create(tenant, [seal]);
  await apply(tenant, id);
  await update(tenant, id, [{ ...fan, key: "new" }]);
  await upgrade(tenant, id);
  expect(await tree(tenant)).toHaveLength(2);
  const { components } = await tenant.ask("{ components { nodes { id name } } }");
  await remove(tenant, components.nodes.find(({ name }: any) => name === "Fan").id);
  const [{ builtFrom, differences }] = await instancesOf(tenant, id);
  expect([builtFrom, differences[0]]).toEqual(["1.1.0", difference("MISSING", "new", "Fan", { keptBecause: "was deleted here" })]);
  const before = await state(tenant);
  await upgrade(tenant, id);
  expect(await state(tenant)).toEqual(before);
});

/** With 50,000 of them (TEMPLATE_COPIES) no statement reads all. */
const copied = Number(process.env.TEMPLATE_COPIES ?? 1_000);

test("instances are read page by page", async () => {
  const tenant = await gateway.newTenant();
  const id = await create(tenant, [seal]);
  const { rootIds } = await apply(tenant, id);
  // Copies the rows as further applications would leave them. Triggers are skipped, because they have already run for these rows.
  const copies = `insert into "Component" ("tenantId", id, name, type, specifications, position, level, path, "templateId", "templateVersion", "templateItem", "templateKey", "templateInstance", "updatedBy")
     select c."tenantId", c.id || n, c.name, c.type, c.specifications, n, 0, n || 'f' || c.path, c."templateId", c."templateVersion",
       c."templateItem", c."templateKey", c."templateInstance" || n, c."updatedBy"
     from "Component" c, generate_series(100001, ${100_000 + copied}) n where c."tenantId" = $1`;
  if (gateway.config.ROW_SECURITY === "on") await askOwner(gateway, copies, [tenant.tenantId], "-c session_replication_role=replica");
  else
    await gateway.database.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query(copies, [tenant.tenantId]);
    });
  const page = async (args: string): Promise<any[]> =>
    (await tenant.ask(`query ($id: ID!) { template(id: $id) { instances${args} { id rootId } } }`, { id })).template.instances;
  const [first, second] = await page("(first: 2)");
  expect([first.rootId, second]).toEqual([rootIds[0], { id: `${first.id}100001`, rootId: `${rootIds[0]}100001` }]);
  expect((await page(`(first: 2, after: "${first.id}100001")`)).map(({ id }) => id)).toEqual([`${first.id}100002`, `${first.id}100003`]);
  const last = `${rootIds[0]}${100_000 + copied}`;
  await gateway.database.query(`update "Component" set name = 'Other' where "tenantId" = $1 and id = $2`, [tenant.tenantId, last]);
  expect(await page("(isDifferent: true)")).toEqual([{ id: `${first.id}${100_000 + copied}`, rootId: last }]);
  expect(await driftOf(tenant, id)).toMatchObject([{ differences: ["name"], component: { id: last } }]);
  const unknown = await tenant.graphql(`query ($id: ID!) { template(id: $id) { instances(after: "none") { id } } }`, { id });
  expect(unknown.errors?.[0]).toMatchObject({ extensions: { details: { after: "is no instance of this template; use the id of one" } } });
});

describe("upgradeInstances", () => {
  test("accepts instances by id or by asset, rejects those of other sites and unknown ones individually, and rejects another version", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    const id = await create(tenant);
    await apply(tenant, id, { assetId: north.id });
    await apply(tenant, id, { assetId: south.id });
    await put(tenant, id, { components: [...items, fan] });
    const instances = await instancesOf(tenant, id);
    const idAt = (assetId: string) => instances.find((instance) => instance.assetId === assetId).id;
    const manager = await tenant.as("manager", ["North"], true);
    const before = await state(tenant);
    const ids = [idAt(south.id), "nothing", idAt(north.id)];
    const dry = await upgrade(manager, id, { instanceIds: ids, dryRun: true });
    expect(await state(tenant)).toEqual(before);
    expect(dry).toMatchObject({ processed: 1, failed: 2 });
    expect(dry.results).toMatchObject([
      { instanceId: ids[0], status: "FAILED", error: "This key may change only records of its own sites", differences: [] },
      { instanceId: "nothing", status: "FAILED", error: "Instance not found", differences: [] },
      { instanceId: ids[2], status: "SUCCESS", error: null, differences: [{ kind: "ADDED", name: "Fan" }] },
    ]);
    expect(await upgrade(manager, id, { instanceIds: [...ids, ...ids], dryRun: true })).toEqual(dry);
    expect(await upgrade(manager, id, { instanceIds: ids })).toEqual(dry);
    expect((await instancesOf(tenant, id, "(isDifferent: true)")).map(({ assetId }) => assetId)).toEqual([south.id]);
    const [one] = await instancesOf(tenant, id, "(first: 1)");
    expect((await instancesOf(tenant, id, `(first: 1, after: "${one.id}")`)).map((instance) => instance.id)).toEqual([
      instances.map((instance) => instance.id).sort()[1],
    ]);

    const unchanged = await state(tenant);
    const refused = async (caller: Caller, fields: object, extensions: object, expected?: string) => {
      const { errors } = await caller.graphql(upgrading, { input: { templateId: id, dryRun: false, ...fields }, expected });
      expect(errors?.[0]).toMatchObject({ extensions });
    };
    const bad = (details: object) => ({ code: "BAD_USER_INPUT", details });
    await refused(tenant, { instanceIds: [] }, bad({ instanceIds: "must hold 1 to 100 ids" }));
    await refused(tenant, { instanceIds: Array(101).fill("x") }, bad({ instanceIds: "must hold 1 to 100 ids" }));
    await refused(tenant, { instanceIds: ids, assetId: north.id }, bad({ assetId: "must be left out where instanceIds are given" }));
    await refused(tenant, { templateId: "nothing" }, { code: "NOT_FOUND", templateId: "nothing" });
    await refused(tenant, {}, { code: "CONFLICT", version: "1.1.0", expectedVersion: "1.0.0" }, "1.0.0");
    await refused(await tenant.as("technician"), {}, { code: "FORBIDDEN" });
    expect(await state(tenant)).toEqual(unchanged);
    expect(await upgrade(tenant, id, { assetId: south.id })).toMatchObject({
      processed: 1,
      results: [{ instanceId: ids[0], status: "SUCCESS" }],
    });
  });

  test("concurrent upgrades create everything once; 20 instances take as many statements as 2", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant);
    const counts: number[] = [];
    let built = 0;
    for (const size of [2, 20]) {
      const { id: assetId } = await tenant.createAsset();
      for (let i = 0; i < size; i++) await apply(tenant, id, { assetId });
      await put(tenant, id, {
        components: [
          { ...fan, name: `Fan ${size}` },
          ...(built ? [{ ...fan, name: "Fan 2" }] : []),
          seal,
          { ...motor, components: [bearing, fan] },
        ],
      });
      await upgrade(tenant, id, { assetId, dryRun: true });
      const before = gateway.database.statements();
      await upgrade(tenant, id, { assetId });
      counts.push(gateway.database.statements() - before);
      built += size;
    }
    expect(counts[1]).toBe(counts[0]);
    await put(tenant, id, { name: "Again", components: [{ name: "Late", type: "x" }, seal] });
    await Promise.all(Array.from({ length: 4 }, () => upgrade(tenant, id)));
    const late = await gateway.database.query<any>(
      `select count(*)::int as count from "Component" where "tenantId" = $1 and name = 'Late'`,
      [tenant.tenantId],
    );
    expect(late).toEqual([{ count: built }]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  });

  test("release 0.2.0 creates separate instances at the same instant, before and after their upgrade", async () => {
    const tenant = await gateway.newTenant();
    const id = await create(tenant);
    const roots: string[] = [];
    for (let i = 0; i < 3; i++) roots.push((await apply(tenant, id)).rootIds[0]);
    await asRelease02(tenant);
    await gateway.database.query(`update "Component" set "createdAt" = '2026-01-01' where "tenantId" = $1`, [tenant.tenantId]);
    const before = await instancesOf(tenant, id);
    expect(before.map(({ rootId, differences }) => [rootId, differences])).toEqual(before.map(({ rootId }) => [rootId, []]));
    expect(before.map(({ rootId }) => rootId).sort()).toEqual(roots);
    await put(tenant, id, { components: [fan, ...items] });
    const second = before.find(({ rootId }) => rootId === roots[1])!.id;
    expect(await upgrade(tenant, id, { instanceIds: [second] })).toMatchObject({ processed: 1 });
    const after = await instancesOf(tenant, id);
    expect(after.map((instance) => [instance.id, instance.rootId, instance.builtFrom])).toEqual(
      before.map((instance) => [instance.id, instance.rootId, instance.id === second ? "1.1.0" : "1.0.0"]),
    );
    expect(await instancesOf(tenant, id, "(isDifferent: true)")).toHaveLength(2);
  });
});
