/** The component tree of an asset as it was at an instant, `components(at:)` (docs/units.md, "The tree at an instant"). */
import { describe, expect, it } from "vitest";
import { sharedGateway } from "../world.js";
import { byId, instantOf, listed, treeAt } from "./instants.js";

const gateway = await sharedGateway();
const { database } = gateway;

const instant = () => instantOf(gateway);
const names = async (...args: Parameters<typeof treeAt>) => (await treeAt(...args)).map(({ name }) => name);

/** A new tenant with an asset and a tree: a → (b → (c), d). */
async function planted() {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ site: "North" });
  const made: Record<string, string> = {};
  for (const [name, parent] of [["a"], ["b", "a"], ["c", "b"], ["d", "a"]] as const)
    made[name] = (await tenant.createComponent({ name, ...(parent ? { parentId: made[parent] } : { assetId: asset.id }) })).id;
  return { tenant, asset: asset.id as string, made };
}

const move = `mutation ($id: ID!, $parent: ID, $asset: ID) { moveComponent(id: $id, newParentId: $parent, assetId: $asset) { id } }`;
const remove = `mutation ($id: ID!) { deleteComponent(id: $id) { id } }`;
const restore = `mutation ($id: ID!) { restoreComponent(id: $id) { id } }`;
const update = `mutation ($id: ID!, $input: UpdateComponentInput!) { updateComponent(id: $id, input: $input) { id } }`;

describe("the tree at an instant", () => {
  it("has the components and the values of then, of a component made by REST too", async () => {
    const tenant = await gateway.newTenant();
    const { id: asset } = await tenant.createAsset();
    const before = await instant();
    const values = {
      name: "Bearing",
      type: "bearing",
      serialNumber: "4711",
      manufacturer: "SKF",
      model: "6205",
      installDate: "2026-01-02T00:00:00.000Z",
      specifications: { bore: { mm: 25 } },
      notes: null,
    };
    const { body } = await tenant.rest("POST", "/components", { ...values, assetId: asset });
    const id = body.component?.id ?? body.id;
    const first = await instant();
    const fields =
      "id name type serialNumber manufacturer model installDate specifications notes status version updatedAt updatedByPrincipal { id }";
    const [asMade] = await treeAt(tenant, asset, undefined, fields);
    await tenant.rest("PUT", `/components/${id}`, { serialNumber: "4712", installDate: null, specifications: {}, notes: "Exchanged" });
    const second = await instant();
    const [exchanged] = await treeAt(tenant, asset, undefined, fields);
    const other = await tenant.as("technician");
    await other.rest("PUT", `/components/${id}`, { serialNumber: "4713", status: "failed", name: "Old bearing" });

    expect(asMade).toMatchObject({ ...values, status: "OPERATIONAL", version: 1 });
    expect(exchanged).toMatchObject({ serialNumber: "4712", installDate: null, specifications: {}, notes: "Exchanged", version: 2 });
    expect(await treeAt(tenant, asset, before)).toEqual([]);
    expect(await treeAt(tenant, asset, first, fields)).toEqual([asMade]);
    expect(await treeAt(tenant, asset, second, fields)).toEqual([exchanged]);
    const [now] = await treeAt(tenant, asset, undefined, fields);
    expect(now).toMatchObject({ serialNumber: "4713", status: "FAILED", name: "Old bearing", version: 3 });
    expect(await treeAt(tenant, asset, await instant(), fields)).toEqual([now]);
    // No asset has components before it exists.
    expect(await treeAt(tenant, asset, new Date(Date.parse(before) - 3_600_000).toISOString())).toEqual([]);
  });

  it("has a moved subtree where it stood, at its level, within an asset and between two", async () => {
    const { tenant, asset, made } = await planted();
    const other = (await tenant.createAsset()).id;
    const trees = async (at?: string) => ({
      own: await treeAt(tenant, asset, at, "id name level parentId assetId"),
      other: await treeAt(tenant, other, at, "id name level parentId assetId"),
    });
    const instants: [string, any][] = [];
    const remember = async () => instants.push([await instant(), await trees()]);
    await remember();
    // b with c below d; to the top; to the other asset and back; then d from the other asset.
    await tenant.ask(move, { id: made.b, parent: made.d });
    await remember();
    await tenant.ask(move, { id: made.b, parent: null });
    await remember();
    await tenant.ask(move, { id: made.b, asset: other });
    await remember();
    await tenant.ask(move, { id: made.b, asset });
    await remember();
    await tenant.ask(move, { id: made.a, asset: other });
    await remember();
    expect(instants[0]![1].own.map(({ name, level }: any) => [name, level])).toEqual([
      ["a", 0],
      ["b", 1],
      ["d", 1],
      ["c", 2],
    ]);
    expect(instants[1]![1].own.map(({ name, level }: any) => [name, level])).toEqual([
      ["a", 0],
      ["d", 1],
      ["b", 2],
      ["c", 3],
    ]);
    // The order among siblings is today's, so trees are compared by component.
    const sorted = ({ own, other }: any) => [byId(own), byId(other)];
    for (const [at, tree] of instants) expect(sorted(await trees(at))).toEqual(sorted(tree));
  });

  it("has deleted components that stood then, and none while they were deleted", async () => {
    const { tenant, asset, made } = await planted();
    const whole = await instant();
    await tenant.ask(remove, { id: made.b });
    const without = await instant();
    await tenant.ask(restore, { id: made.b });
    await tenant.ask(update, { id: made.c, input: { name: "c2" } });
    const again = await instant();
    await tenant.ask(remove, { id: made.a });
    expect(await names(tenant, asset, undefined)).toEqual([]);
    expect((await names(tenant, asset, whole)).sort()).toEqual(["a", "b", "c", "d"]);
    expect((await names(tenant, asset, without)).sort()).toEqual(["a", "d"]);
    expect((await names(tenant, asset, again)).sort()).toEqual(["a", "b", "c2", "d"]);
    expect(await names(tenant, asset, await instant())).toEqual([]);

    // Retention removes the rows. Their entries in the log stay.
    await database.query(`update "Component" set "deletedAt" = now() - interval '40 days' where "tenantId" = $1`, [tenant.tenantId]);
    for (const id of [made.c, made.d, made.b, made.a])
      await database.query(`delete from "Component" where "tenantId" = $1 and id = $2`, [tenant.tenantId, id]);
    const fields = "name level parentId type status specifications serialNumber version createdAt";
    const purged = await treeAt(tenant, asset, whole, fields);
    expect(purged.map(({ name, level, parentId }) => [name, level, parentId])).toEqual([
      ["a", 0, null],
      ["b", 1, made.a],
      ["d", 1, made.a],
      ["c", 2, made.b],
    ]);
    expect(purged[3]).toMatchObject({ type: "motor", status: "OPERATIONAL", specifications: {}, serialNumber: null, version: 1 });
    expect(Date.parse(purged[3].createdAt)).toBeLessThan(Date.parse(whole));
    expect((await names(tenant, asset, without)).sort()).toEqual(["a", "d"]);
    expect(await names(tenant, asset, await instant())).toEqual([]);
  });

  it("has the values before bulk updates, an upgrade of a template and an import", async () => {
    const tenant = await gateway.newTenant();
    const { id: asset } = await tenant.createAsset({ serialNumber: "P-101" });
    const item = (name: string, key: string) => ({ key, name, type: "x" });
    const { createTemplate: template } = await tenant.ask(
      "mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }",
      { input: { name: "T", type: "t", components: [{ ...item("Gear", "g"), components: [item("Wheel", "w")] }] } },
    );
    await tenant.rest("POST", `/components/templates/${template.id}/apply-hierarchical`, { assetId: asset });
    const fields = "id name status parentId templateVersion externalId level";
    const seen: [string, any[]][] = [];
    const remember = async () => seen.push([await instant(), await treeAt(tenant, asset, undefined, fields)]);
    await remember();
    const ids = seen[0]![1].map(({ id }) => id);
    await tenant.ask(
      "mutation ($ids: [ID!]!) { bulkComponents(operation: UPDATE, componentIds: $ids, data: { status: FAILED }) { failed } }",
      {
        ids,
      },
    );
    await remember();
    await tenant.ask("mutation ($id: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $id, input: $input) { id } }", {
      id: template.id,
      input: { components: [item("Wheel", "w"), { ...item("Gearbox", "g"), components: [item("Seal", "s")] }] },
    });
    await tenant.ask("mutation ($input: UpgradeInstancesInput!) { upgradeInstances(input: $input) { processed failed } }", {
      input: { templateId: template.id, assetId: asset, dryRun: false },
    });
    await remember();
    const csv = "asset,path,type,status\nP-101,Wheel,gear,operational\nP-101,Gearbox / Seal,seal,failed\nP-101,Gearbox / Oil,oil,\n";
    const imported = await tenant.rest("POST", "/import/components", csv, { "content-type": "text/csv" });
    expect(imported.body).toEqual({ created: 1, updated: 2, unchanged: 0, failed: 0, errors: [] });
    await remember();
    expect(seen.map(([, nodes]) => nodes.map(({ name, status, level }) => `${name} ${status} ${level}`))).toEqual([
      ["Gear OPERATIONAL 0", "Wheel OPERATIONAL 1"],
      ["Gear FAILED 0", "Wheel FAILED 1"],
      ["Wheel FAILED 0", "Gearbox FAILED 0", "Seal OPERATIONAL 1"],
      ["Wheel OPERATIONAL 0", "Gearbox FAILED 0", "Seal FAILED 1", "Oil OPERATIONAL 1"],
    ]);
    for (const [at, nodes] of seen) expect(await treeAt(tenant, asset, at, fields)).toEqual(nodes);
  });
});

describe("the argument `at`", () => {
  const page = `query ($id: ID!, $at: DateTime, $filter: ComponentFilter, $order: ComponentOrder, $first: Int, $after: String) {
    asset(id: $id) { components(at: $at, scope: ALL, filter: $filter, orderBy: $order, first: $first, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } edges { cursor node { name } } } } }`;

  it("applies to filters, orders, pages and counts", async () => {
    const { tenant, asset, made } = await planted();
    await tenant.ask(update, { id: made.c, input: { name: "Roller bearing", status: "FAILED", parentId: made.a } });
    const at = await instant();
    await tenant.ask(update, { id: made.c, input: { name: "z", status: "OPERATIONAL", parentId: made.d } });
    const read = async (variables: object) => (await tenant.ask(page, { id: asset, at, ...variables })).asset.components;
    const found = async (filter: object) => (await read({ filter })).edges.map(({ node }: any) => node.name);
    expect(await found({ search: "ROLLER" })).toEqual(["Roller bearing"]);
    expect(await found({ search: "z" })).toEqual([]);
    expect(await found({ status: "FAILED" })).toEqual(["Roller bearing"]);
    expect((await found({ parentId: made.a })).sort()).toEqual(["Roller bearing", "b", "d"]);
    expect(await found({ level: { min: 2 } })).toEqual([]);
    expect(await found({ isNull: ["PARENT_ID"] })).toEqual(["a"]);

    const order = { field: "NAME", direction: "DESC" };
    const first = await read({ order, first: 2 });
    expect(first.totalCount).toBe(4);
    const rest = await read({ order, first: 2, after: first.pageInfo.endCursor });
    const both = [...first.edges, ...rest.edges].map(({ node }) => node.name);
    expect(both.toSorted()).toEqual(["Roller bearing", "a", "b", "d"]);
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false]);
    // A cursor belongs to its instant.
    const other = { id: asset, at: await instant(), order, first: 2, after: first.pageInfo.endCursor };
    expect((await tenant.graphql(page, other)).errors).toEqual([
      expect.objectContaining({
        extensions: { code: "BAD_USER_INPUT", details: { after: "is not a cursor of this list; use the endCursor of its page before" } },
      }),
    ]);
    const roots = "query ($id: ID!, $at: DateTime) { asset(id: $id) { components(at: $at) { nodes { name } } } }";
    expect((await tenant.ask(roots, { id: asset, at })).asset.components.nodes).toEqual([{ name: "a" }]);
    expect((await tenant.ask(roots, { id: asset, at: null })).asset.components.nodes).toEqual([{ name: "a" }]);
  });

  it("reads several assets at several instants", async () => {
    const { tenant, asset, made } = await planted();
    const other = await tenant.createAsset();
    const first = await instant();
    await tenant.ask(move, { id: made.a, asset: other.id });
    const second = await instant();
    const text = `query ($first: DateTime, $second: DateTime) { assets { nodes { id
      first: components(at: $first, scope: ALL) { nodes { name } }
      second: components(at: $second, scope: ALL) { nodes { name } pageInfo { hasNextPage } } } } }`;
    const { nodes } = (await tenant.ask(text, { first, second })).assets;
    const counts = nodes.map(({ id, ...lists }: any) => [id, lists.first.nodes.length, lists.second.nodes.length]);
    expect(counts).toEqual([
      [asset, 4, 0],
      [other.id, 0, 4],
    ]);
  });

  it("must be within the retention of the log, and not in the future", async () => {
    const { tenant, asset } = await planted();
    const refusal = async (at: Date, text = listed("name")) => {
      const { data, errors } = await tenant.graphql(text, { id: asset, ...(text.includes("$at") && { at: at.toISOString() }) });
      expect(data).toEqual({ asset: null });
      expect(errors).toEqual([expect.objectContaining({ path: ["asset", "components"], message: "Invalid input" })]);
      expect(errors![0]!.extensions!.code).toBe("BAD_USER_INPUT");
      return (errors![0]!.extensions as any).details.at;
    };
    const days = 86_400_000;
    const old = new Date(Date.now() - 401 * days);
    const message = /^must not be before (\S+), because older entries of the change log are removed$/;
    // As a variable and in the text, with a plan and, for fields with code, without one.
    const literal = listed("name").replace(", $at: DateTime", "").replace("$at", `"${old.toISOString()}"`);
    for (const text of [listed("name"), literal, listed("ancestors { name }")]) expect(await refusal(old, text)).toMatch(message);
    const earliest = Date.parse(message.exec(await refusal(old))![1]!);
    expect(Math.abs(earliest - (Date.now() - 400 * days))).toBeLessThan(60_000);
    expect(await refusal(new Date(Date.now() + 120_000))).toBe("must not be in the future");
    // A clock that is some seconds ahead is no error.
    expect(await treeAt(tenant, asset, new Date(Date.now() + 20_000).toISOString())).toHaveLength(4);
    expect(await treeAt(tenant, asset, new Date(Date.now() - 399 * days).toISOString())).toEqual([]);
  });

  it("shows a key limited to sites the whole former tree of an asset that it may read, and nothing of others", async () => {
    const { tenant, asset, made } = await planted();
    const south = (await tenant.createAsset({ site: "South" })).id;
    const at = await instant();
    const whole = await treeAt(tenant, asset, at, "id name serialNumber");
    await tenant.ask(update, { id: made.c, input: { name: "c2", serialNumber: "S" } });
    await tenant.ask(move, { id: made.b, asset: south });
    await tenant.ask(update, { id: made.b, input: { name: "b2" } });
    const moved = await instant();
    const north = await tenant.as("viewer", ["North"], false);
    expect(byId(await treeAt(north, asset, at, "id name serialNumber"))).toEqual(byId(whole));
    expect((await names(north, asset, moved)).sort()).toEqual(["a", "d"]);
    // The asset of a moved component is that of then.
    const today = await north.graphql(listed("name asset { site }"), { id: asset, at });
    expect(today.data!.asset.components.nodes.find(({ name }: any) => name === "b")).toMatchObject({ asset: { site: "North" } });
    const unreadable = await north.graphql(listed("name"), { id: south, at: moved });
    expect(unreadable).toMatchObject({ data: { asset: null }, errors: [{ extensions: { code: "NOT_FOUND" } }] });
    const southern = await tenant.as("viewer", ["South"], false);
    expect(await treeAt(southern, south, at)).toEqual([]);
    expect((await names(southern, south, moved)).sort()).toEqual(["b2", "c2"]);
    const requester = await tenant.as("requester");
    expect((await requester.graphql(listed("name"), { id: asset, at })).errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: "FORBIDDEN" }) }),
    ]);
  });

  it("returns the digest of long values that changed since, as the log does", async () => {
    const { tenant, asset, made } = await planted();
    const notes = "n".repeat(2_000);
    await tenant.ask(update, { id: made.a, input: { notes } });
    const at = await instant();
    const unchanged = await treeAt(tenant, asset, at, "notes");
    await tenant.ask(update, { id: made.a, input: { notes: "short" } });
    expect(unchanged[0].notes).toBe(notes);
    const [{ notes: digest }] = await treeAt(tenant, asset, at, "notes");
    expect(JSON.parse(digest)).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: 2_002 });
  });
});
