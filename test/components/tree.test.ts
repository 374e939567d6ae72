/** The component tree: compared with a model, under concurrency, at depth, and with constant numbers of SQL statements. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { type Branch, createBranches, insertTrees, type Place, treeTransaction } from "../../src/domain/components/tree.js";
import { type Caller, startGateway } from "../world.js";
import { verifyTree } from "./trees.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const restoring = "mutation ($id: ID!) { restoreComponent(id: $id) { id } }";
const statusOf: Record<string, number> = { NOT_FOUND: 404, CONFLICT: 409 };

/** Restores over GraphQL. Returns the status that REST would return. */
async function restore(tenant: Caller, id: string): Promise<number> {
  const { errors } = await tenant.graphql(restoring, { id });
  return errors ? (statusOf[errors[0]!.extensions.code] ?? 500) : 200;
}

const addBranches = (tenant: Caller, place: Place, branches: Branch[]) =>
  treeTransaction(forTenant(gateway.database, tenant.tenantId), (tx) => createBranches(tx, tenant.actor(), place, branches));

test("verifyTree finds each kind of violation", async () => {
  const breaks: [string, string[]][] = [
    ["level = 5", ["level"]],
    ["path = 'ff.' || path", ["path"]],
    [`path = (select path from "Component" where name = 'Bearing' and "tenantId" = c."tenantId")`, ["path of two"]],
    [`"assetId" = null`, ["asset"]],
    ["position = 7", ["position"]],
    ["position = 0", ["position"]],
  ];
  for (const [change, broken] of breaks) {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    await addBranches(tenant, { assetId }, [
      { fields: { name: "Shaft", type: "shaft" }, children: ["Bearing", "Seal"].map((name) => ({ fields: { name, type: "x" } })) },
    ]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    await gateway.database.query<any>(`update "Component" c set ${change} where "tenantId" = $1 and name = 'Seal'`, [tenant.tenantId]);
    expect((await verifyTree(gateway, tenant.tenantId)).flatMap((row) => row.broken)).toEqual(expect.arrayContaining(broken));
  }
  const tenant = await gateway.newTenant();
  const { id: parentId } = await tenant.createComponent({ assetId: (await tenant.createAsset()).id });
  await tenant.createComponent({ parentId });
  for (const [table, broken] of [
    ["Component", "live below deleted"],
    ["Asset", "live of a deleted asset"],
  ]) {
    await gateway.database.query<any>(`update "${table}" set "deletedAt" = now() where "tenantId" = $1 and id = $2`, [
      tenant.tenantId,
      parentId,
    ]);
    if (table === "Asset")
      await gateway.database.query<any>(`update "Asset" set "deletedAt" = now() where "tenantId" = $1`, [tenant.tenantId]);
    expect((await verifyTree(gateway, tenant.tenantId)).flatMap((row) => row.broken)).toContain(broken);
  }
});

/** The model: a simple implementation of ordered trees in memory. */
interface Entry {
  id: string;
  parent: Entry | null;
  /** The asset of a root. Other entries have the asset of their root. */
  asset: string | null;
  /** Live children. For a deleted entry, the children deleted with it. */
  children: Entry[];
  deleted: boolean;
}

class Model {
  readonly all: Entry[] = [];
  private readonly roots = new Map<string | null, Entry[]>();

  assetOf = (entry: Entry): string | null => (entry.parent ? this.assetOf(entry.parent) : entry.asset);

  siblings(parent: Entry | null, asset: string | null): Entry[] {
    if (!this.roots.has(asset)) this.roots.set(asset, []);
    return parent ? parent.children : this.roots.get(asset)!;
  }

  place(entry: Entry, parent: Entry | null, asset: string | null, position = Infinity): void {
    Object.assign(entry, { parent, asset });
    const among = this.siblings(parent, asset);
    among.splice(Math.max(0, Math.min(position, among.length)), 0, entry);
  }

  detach(entry: Entry): void {
    const among = this.siblings(entry.parent, entry.asset);
    among.splice(among.indexOf(entry), 1);
  }

  create(id: string, parent: Entry | null, asset: string | null): void {
    const entry: Entry = { id, parent, asset, children: [], deleted: false };
    this.all.push(entry);
    this.place(entry, parent, asset);
  }

  /** The status that a move to this parent returns. */
  statusOfMove(entry: Entry, parent: Entry | null): number {
    if (entry.deleted) return 404;
    if (parent?.deleted) return 400;
    for (let at = parent; at; at = at.parent) if (at === entry) return 409;
    return 200;
  }

  move(entry: Entry, parent: Entry | null, asset: string | null, position?: number): void {
    this.detach(entry);
    this.place(entry, parent, asset, position);
  }

  private mark(entry: Entry, deleted: boolean): void {
    entry.deleted = deleted;
    for (const child of entry.children) this.mark(child, deleted);
  }

  /** Deletes the live entries in one step. */
  remove(entries: Entry[]): void {
    const live = new Set(entries.filter(({ deleted }) => !deleted));
    const under = (entry: Entry | null): boolean => entry !== null && (live.has(entry) || under(entry.parent));
    for (const entry of live) {
      if (under(entry.parent)) continue;
      this.detach(entry);
      this.mark(entry, true);
    }
  }

  restore(entry: Entry): number {
    if (!entry.deleted) return 404;
    if (entry.parent?.deleted) return 409;
    this.mark(entry, false);
    this.place(entry, entry.parent, entry.asset);
    return 200;
  }

  /** The live entries as the API returns them. */
  rows() {
    const rows: object[] = [];
    const walk = (entries: Entry[], parentId: string | null, level: number) =>
      entries.forEach((entry, position) => {
        rows.push({ id: entry.id, parentId, assetId: this.assetOf(entry), level, position });
        walk(entry.children, entry.id, level + 1);
      });
    for (const entries of this.roots.values()) walk(entries, null, 0);
    return byId(rows);
  }
}

const byId = (rows: any[]) => rows.sort((a, b) => (a.id < b.id ? -1 : 1));

/** Entries are chosen by index, modulo their number. Asset 0 means no asset. */
const pick = fc.nat(1000);
const place = fc.option(pick);
const operations = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create" as const), parent: place, asset: fc.option(fc.nat(2)) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("create child" as const), parent: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      entry: pick,
      parent: place,
      position: fc.option(fc.integer({ min: -2, max: 6 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update parent" as const), entry: pick, parent: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("update asset" as const), entry: pick, asset: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), entry: pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("restore" as const), entry: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("bulk delete" as const), entries: fc.array(pick, { minLength: 1, maxLength: 4 }) }),
  },
);
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;

/** Applies the operation to the service and to the model. Returns the status of each. */
async function perform(tenant: Caller, model: Model, assets: (string | null)[], operation: Operation): Promise<[unknown, unknown]> {
  const entryAt = (number: number) => model.all[number % model.all.length]!;
  const parentAt = (number: number | null) => (number === null ? null : entryAt(number));
  switch (operation.kind) {
    case "create": {
      const parent = parentAt(operation.parent);
      const assetId = operation.asset === null ? undefined : assets[operation.asset]!;
      const differs = parent && assetId && assetId !== model.assetOf(parent);
      const { status, body } = await tenant.rest("POST", "/components", { name: "C", type: "c", parentId: parent?.id ?? null, assetId });
      if (status === 201) model.create(body.id, parent, parent ? null : (assetId ?? null));
      return [status, parent?.deleted || differs ? 400 : 201];
    }
    case "create child": {
      const parent = entryAt(operation.parent);
      const { status, body } = await tenant.rest("POST", `/components/${parent.id}/children`, { name: "C", type: "c" });
      const expected = parent.deleted ? 404 : 201;
      if (status === 201) model.create(body.id, parent, null);
      return [status, expected];
    }
    case "move": {
      const [entry, parent, { position }] = [entryAt(operation.entry), parentAt(operation.parent), operation];
      const { status } = await tenant.rest("PUT", `/components/${entry.id}/move`, { newParentId: parent?.id ?? null, position });
      const expected = model.statusOfMove(entry, parent);
      if (expected === 200) model.move(entry, parent, parent ? null : model.assetOf(entry), position ?? undefined);
      return [status, expected];
    }
    case "update parent": {
      const [entry, parent] = [entryAt(operation.entry), parentAt(operation.parent)];
      const { status } = await tenant.rest("PUT", `/components/${entry.id}`, { parentId: parent?.id ?? null });
      const stays = !entry.deleted && parent === entry.parent;
      const expected = stays ? 200 : model.statusOfMove(entry, parent);
      if (expected === 200 && !stays) model.move(entry, parent, parent ? null : model.assetOf(entry));
      return [status, expected];
    }
    case "update asset": {
      const entry = entryAt(operation.entry);
      const assetId = assets[entry.parent && !operation.asset ? 1 : operation.asset]!;
      const { status } = await tenant.rest("PUT", `/components/${entry.id}`, { assetId });
      const stays = assetId === model.assetOf(entry);
      const expected = entry.deleted ? 404 : stays || !entry.parent ? 200 : 400;
      if (expected === 200 && !stays) model.move(entry, null, assetId);
      return [status, expected];
    }
    case "delete": {
      const entry = entryAt(operation.entry);
      const { status } = await tenant.rest("DELETE", `/components/${entry.id}`);
      const expected = entry.deleted ? 404 : 200;
      model.remove([entry]);
      return [status, expected];
    }
    case "restore": {
      const entry = entryAt(operation.entry);
      return [await restore(tenant, entry.id), model.restore(entry)];
    }
    case "bulk delete": {
      const entries = operation.entries.map(entryAt);
      const { body } = await tenant.rest("POST", "/components/bulk", { operation: "delete", componentIds: entries.map(({ id }) => id) });
      const expected = entries.map(({ deleted }) => (deleted ? "failed" : "success"));
      model.remove(entries);
      return [body.results.map((result: any) => result.status), expected];
    }
  }
}

test("any sequence of writes has the same results as in the model", async () => {
  const property = fc.asyncProperty(fc.array(operations, { minLength: 20, maxLength: 30 }), async (sequence) => {
    const tenant = await gateway.newTenant();
    const model = new Model();
    const assets = [null, (await tenant.createAsset()).id, (await tenant.createAsset()).id];
    // Starts with two levels on the first asset, a root on the second and a root without an asset.
    for (const [parent, asset] of [
      [null, 1],
      [0, 0],
      [0, 0],
      [1, 0],
      [null, 2],
      [null, 0],
    ] as const) {
      const above = parent === null ? null : model.all[parent]!;
      const assetId = above ? undefined : assets[asset];
      model.create((await tenant.createComponent({ parentId: above?.id, assetId })).id, above, assetId ?? null);
    }
    for (const operation of sequence) {
      const [did, expected] = await perform(tenant, model, assets, operation);
      expect(did, JSON.stringify(operation)).toEqual(expected);
    }
    const { components } = await tenant.ask("{ components(first: 500) { nodes { id parentId assetId level position } } }");
    expect(byId(components.nodes)).toEqual(model.rows());
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 20, interruptAfterTimeLimit: 120_000 });
});

describe("concurrent writes", () => {
  const put = (tenant: Caller, id: string, newParentId: string | null, position?: number) =>
    tenant.rest("PUT", `/components/${id}/move`, { newParentId, position });

  test("two opposite moves: one is rejected, and the tree stays valid despite other concurrent writes", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const pool: string[] = [];
    const randomId = () => pool[Math.floor(Math.random() * pool.length)]!;
    for (let i = 0; i < 12; i++) pool.push((await tenant.createComponent(i < 3 ? { assetId } : { parentId: randomId() })).id);

    for (let round = 0; round < 20; round++) {
      const [a, b] = [(await tenant.createComponent({ assetId })).id, (await tenant.createComponent()).id];
      // Every other round moves each below the other's child, which would make a longer cycle.
      const [belowA, belowB] =
        round % 2 ? [(await tenant.createComponent({ parentId: a })).id, (await tenant.createComponent({ parentId: b })).id] : [a, b];
      const opposing = [put(tenant, a, belowB), put(tenant, b, belowA)];
      const others = [
        put(tenant, randomId(), randomId(), Math.floor(Math.random() * 4)),
        put(tenant, randomId(), null, 0),
        put(tenant, randomId(), randomId()),
        tenant.rest("PUT", `/components/${randomId()}`, { parentId: randomId() }),
        tenant.rest("POST", "/components", { name: "C", type: "c", parentId: randomId() }),
        tenant.rest("POST", `/components/${randomId()}/children`, { name: "C", type: "c" }),
        tenant.rest("DELETE", `/components/${randomId()}`),
        tenant.rest("POST", "/components/bulk", { operation: "delete", componentIds: [randomId(), randomId()] }),
      ];
      const restored = [restore(tenant, randomId()), restore(tenant, randomId())];
      expect((await Promise.all(opposing)).map(({ status }) => status).sort()).toEqual([200, 409]);
      for (const { status, body } of await Promise.all(others)) {
        expect([200, 201, 400, 404, 409]).toContain(status);
        if (status === 201) pool.push(body.id);
      }
      for (const status of await Promise.all(restored)) expect([200, 404, 409]).toContain(status);
      expect(await verifyTree(gateway, tenant.tenantId), `round ${round}`).toEqual([]);
    }
  });

  test("siblings created concurrently get positions without gaps or duplicates", async () => {
    const tenant = await gateway.newTenant();
    const parent = await tenant.createComponent();
    const created = await Promise.all(Array.from({ length: 20 }, () => tenant.createComponent({ parentId: parent.id })));
    expect(created.map(({ position }) => position).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  });

  test("a component created while its parent or asset is deleted is deleted too, or rejected", async () => {
    for (let round = 0; round < 5; round++) {
      const tenant = await gateway.newTenant();
      const { id: assetId } = await tenant.createAsset();
      const { id } = await tenant.createComponent({ assetId });
      const create = () => tenant.rest("POST", "/components", { name: "C", type: "c", ...(round % 2 ? { assetId } : { parentId: id }) });
      const remove = tenant.rest("DELETE", round % 2 ? `/assets/${assetId}` : `/components/${id}`);
      const responses = await Promise.all([create(), create(), remove, create(), create()]);
      for (const { status } of responses) expect([200, 201, 400]).toContain(status);
      expect((await tenant.rest("GET", "/components")).body).toEqual([]);
      expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    }
  });
});

test("a move among siblings writes only the siblings that it passes", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const siblings = Array.from({ length: 50 }, (_, i) => ({ fields: { name: `N${i}`, type: "x" } }));
  const ids = (await addBranches(tenant, { assetId }, siblings)).map(({ id }) => id);
  /** The transaction that last wrote each row. */
  const written = async () =>
    (await gateway.database.query<any>(`select xmin::text from "Component" where "tenantId" = $1 order by id`, [tenant.tenantId])).map(
      ({ xmin }) => xmin,
    );
  const before = await written();
  const { status, body } = await tenant.rest("PUT", `/components/${ids[20]}/move`, { position: 23 });
  expect([status, body.position]).toEqual([200, 23]);
  const after = await written();
  expect(after.flatMap((xmin, i) => (xmin === before[i] ? [] : [i]))).toEqual([20, 21, 22, 23]);
  expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
});

describe("depth", () => {
  /** Creates a chain of `length` levels in batches. Returns its ids from the root down. */
  async function chain(tenant: Caller, length: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < length) {
      let branch: Branch | undefined;
      const end = Math.min(ids.length + 750, length);
      for (let level = end - 1; level >= ids.length; level--)
        branch = { fields: { name: `L${level}`, type: "link" }, children: branch && [branch] };
      for (const { id } of await addBranches(tenant, { parentId: ids.at(-1) }, [branch!])) ids.push(id);
    }
    return ids;
  }
  const named = (ids: string[]) => ids.map((id, level) => ({ id, name: `L${level}`, type: "link", level }));
  const get = async (tenant: Caller, path: string) => {
    const { status, body } = await tenant.rest("GET", path);
    expect(status).toBe(200);
    return body;
  };
  /** Flattens a nested chain without recursion. */
  function flattened(root: any) {
    const nodes: object[] = [];
    for (let { children, ...node } = root; ; { children, ...node } = children[0]) {
      nodes.push(node);
      expect(children.length).toBeLessThan(2);
      if (!children.length) return nodes;
    }
  }

  test("a chain of 1,500 levels can be read as a whole and split by a move", async () => {
    const tenant = await gateway.newTenant();
    const ids = await chain(tenant, 1500);
    const middle = 750;
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    expect(flattened(await get(tenant, `/components/tree/${ids[0]}`))).toEqual(named(ids));
    expect((await get(tenant, `/components/${ids.at(-1)}/ancestors`)).ancestors).toEqual(named(ids).slice(0, -1));
    const { descendants } = await get(tenant, `/components/${ids[middle]}/descendants`);
    expect(descendants.map(({ path, ...node }: any) => node)).toEqual(named(ids).slice(middle + 1));
    expect(
      descendants.every(
        ({ path }: any, i: number) => path.length === i + 2 && path[0] === ids[middle] && path.at(-1) === ids[middle + 1 + i],
      ),
    ).toBe(true);
    expect(descendants.at(-1).path).toEqual(ids.slice(middle));
    const { component } = await tenant.ask(
      "query ($id: ID!) { component(id: $id) { descendantComponents(last: 400) { totalCount nodes { id } pageInfo { hasPreviousPage } } } }",
      { id: ids[middle] },
    );
    expect(component.descendantComponents).toEqual({
      totalCount: 749,
      pageInfo: { hasPreviousPage: true },
      nodes: ids.slice(-400).map((id) => ({ id })),
    });

    const { status } = await tenant.rest("PUT", `/components/${ids[middle]}/move`, { newParentId: ids.at(-1) });
    expect(status).toBe(409);
    const root = await tenant.rest("PUT", `/components/${ids[middle]}/move`, { newParentId: null, position: 0 });
    expect([root.status, root.body.level, root.body.position]).toEqual([200, 0, 0]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    const releveled = named(ids).map((node, level) => ({ ...node, level: level % middle }));
    expect(flattened(await get(tenant, `/components/tree/${ids[middle]}`))).toEqual(releveled.slice(middle));
    expect(flattened(await get(tenant, `/components/tree/${ids[0]}`))).toEqual(releveled.slice(0, middle));

    await tenant.rest("PUT", `/components/${ids[0]}/move`, { newParentId: ids.at(-1) });
    const { ancestors } = await get(tenant, `/components/${ids[middle - 1]}/ancestors`);
    expect(ancestors.map(({ id }: any) => id)).toEqual([...ids.slice(middle), ...ids.slice(0, middle - 1)]);
    expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
    const removed = await tenant.rest("DELETE", `/components/${ids[middle]}`);
    expect(removed.body.message).toBe("Component deleted with 1499 below it");
  });

  test("a chain of 6,000 levels can be read from any level", async () => {
    const tenant = await gateway.newTenant();
    const ids = await chain(tenant, 6000);
    // Plain fetch, because the check against /openapi.json is recursive.
    const response = await fetch(`${gateway.url}/components/tree/${ids[0]}`, { headers: { authorization: `Bearer ${tenant.key}` } });
    expect(flattened(await response.json())).toEqual(named(ids));
    // The index holds only a prefix of such a long path; the query must compare whole paths.
    const beside = await tenant.createComponent({ name: "Beside", parentId: ids[5989] });
    expect(flattened(await get(tenant, `/components/tree/${ids[5990]}`))).toEqual(named(ids).slice(5990));
    expect((await get(tenant, `/components/${ids[5989]}/children`)).children.map(({ id }: any) => id)).toEqual([ids[5990], beside.id]);
  });
});

describe("number of SQL statements", () => {
  /** Creates a tenant with `count` assets in five areas, each with a component and a child. */
  async function tenantWith(count: number): Promise<Caller> {
    const tenant = await gateway.newTenant();
    const assets = await gateway.database.query<any>(
      `insert into "Asset" ("tenantId", id, name, type, site, area)
       select $1, 'a' || n, 'P-' || n, 'pump', 'S' || n % 2, 'A' || n % 5 from generate_series(1, $2::int) n returning id`,
      [tenant.tenantId, count],
    );
    const branches: Branch[] = [{ fields: { name: "Motor", type: "motor" }, children: [{ fields: { name: "Rotor", type: "rotor" } }] }];
    await treeTransaction(forTenant(gateway.database, tenant.tenantId), (tx) =>
      insertTrees(
        tx,
        tenant.actor(),
        assets.map(({ id }) => ({ assetId: id, branches })),
      ),
    );
    return tenant;
  }

  const queries: [string, number, string, (data: any) => any[]][] = [
    [
      "assets → components → children",
      1,
      "{ assets(first: 500) { nodes { name components(first: 3) { nodes { name children(first: 3) { nodes { name } } } } } } }",
      ({ assets }) => assets.nodes.flatMap(({ components }: any) => components.nodes.flatMap(({ children }: any) => children.nodes)),
    ],
    [
      "sites → areas → assets → totalCount of components",
      5,
      "{ sites { name assetCount areas { name assets(first: 100) { totalCount nodes { components(first: 1, scope: ALL) { totalCount } } } } } }",
      ({ sites }) =>
        sites.flatMap(({ areas }: any) =>
          areas.flatMap(({ assets }: any) => assets.nodes.filter(({ components }: any) => components.totalCount === 2)),
        ),
    ],
    [
      "components → pages of descendants",
      1,
      `{ components(first: 500, filter: { type: "rotor" }) { nodes { descendantComponents(first: 2) { totalCount nodes { name } } } } }`,
      ({ components }) => components.nodes,
    ],
    [
      "components → ancestors, descendants, asset, parent",
      3,
      `{ components(first: 500, filter: { type: "rotor" }) { nodes { ancestors { name } descendants { name } asset { name } parent { name } } } }`,
      ({ components }) =>
        components.nodes.filter(
          ({ ancestors, descendants, asset, parent }: any) => ancestors.length === 1 && !descendants.length && asset && parent,
        ),
    ],
  ];
  const tenants = Promise.all([tenantWith(10), tenantWith(500)]);

  test.each(queries)("%s takes %i for 10 rows and for 500", async (_, statements, query, rowsOf) => {
    for (const [index, tenant] of (await tenants).entries()) {
      const counts: number[] = [];
      // The minimum of several runs: looking up the key and recording its use adds statements to some.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        const data = await tenant.ask(query);
        counts.push(gateway.database.statements() - before);
        expect(rowsOf(data)).toHaveLength([10, 500][index]!);
      }
      expect(Math.min(...counts)).toBe(statements);
    }
  });
});
