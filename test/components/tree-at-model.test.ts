/** Random changes of component trees: the trees at all instants in between equal those of a model (docs/units.md). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, onPostgresql, sharedGateway } from "../world.js";
import { byId, instantOf, treeAt } from "./instants.js";

const gateway = await sharedGateway();
const numRuns = Number(process.env.TREE_RUNS ?? (onPostgresql ? 8 : 2));
const most = onPostgresql ? 14 : 8;

interface Modelled {
  id: string;
  assetId: string;
  parentId: string | null;
  name: string;
  status: string;
  serialNumber: string | null;
  /** Number of the operation that deleted it. */
  deletedBy?: number | undefined;
}

class Model {
  readonly all = new Map<string, Modelled>();

  constructor(readonly assets: string[]) {}

  live = () => [...this.all.values()].filter(({ deletedBy }) => deletedBy === undefined);

  /** A component and all below it, deleted ones included. */
  subtree(id: string): Modelled[] {
    const below = [...this.all.values()].filter(({ parentId }) => parentId === id);
    return [this.all.get(id)!, ...below.flatMap((one) => this.subtree(one.id))];
  }

  level = ({ parentId }: Modelled): number => (parentId ? this.level(this.all.get(parentId)!) + 1 : 0);

  treesNow = () =>
    Object.fromEntries(
      this.assets.map((asset) => [
        asset,
        byId(
          this.live()
            .filter(({ assetId }) => assetId === asset)
            .map(({ deletedBy: _, ...one }) => ({ ...one, level: this.level(one) })),
        ),
      ]),
    );
}

const fields = "id assetId parentId name status serialNumber level";
const kinds = ["create", "create", "update", "bulk", "move", "move", "rehome", "delete", "restore"] as const;
const change = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(1000), to: fc.nat(1000), value: fc.nat(5) });
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const text = {
  create: "mutation ($input: CreateComponentInput!) { createComponent(input: $input) { id } }",
  update: "mutation ($id: ID!, $input: UpdateComponentInput!) { updateComponent(id: $id, input: $input) { id } }",
  bulk: "mutation ($ids: [ID!]!, $data: UpdateComponentInput!) { bulkComponents(operation: UPDATE, componentIds: $ids, data: $data) { failed } }",
  move: "mutation ($id: ID!, $parent: ID, $asset: ID) { moveComponent(id: $id, newParentId: $parent, assetId: $asset, position: 0) { id } }",
  delete: "mutation ($id: ID!) { deleteComponent(id: $id) { id } }",
  restore: "mutation ($id: ID!) { restoreComponent(id: $id) { id } }",
};

/** Makes a change through the API and in the model. Changes that would be refused are left out. */
async function make(tenant: Caller, model: Model, { kind, at, to, value }: Change, step: number): Promise<void> {
  const live = model.live();
  const chosen = live[at % live.length];
  const other = live[to % live.length];
  const asset = model.assets[to % model.assets.length]!;
  if (kind === "create" || !chosen || !other) {
    const parent = value % 3 ? other : undefined;
    const input = { name: `n${step}`, type: "x", ...(parent ? { parentId: parent.id } : { assetId: asset }) };
    const { id } = (await tenant.ask(text.create, { input })).createComponent;
    const place = { assetId: parent?.assetId ?? asset, parentId: parent?.id ?? null };
    model.all.set(id, { id, ...place, name: input.name, status: "OPERATIONAL", serialNumber: null });
  } else if (kind === "update") {
    const input = value % 2 ? { name: `name ${value}`, serialNumber: null } : { serialNumber: `S${value}` };
    await tenant.ask(text.update, { id: chosen.id, input });
    Object.assign(chosen, input);
  } else if (kind === "bulk") {
    const data = { status: value % 2 ? "FAILED" : "REPLACED" };
    await tenant.ask(text.bulk, { ids: [...new Set([chosen.id, other.id])], data });
    for (const one of [chosen, other]) Object.assign(one, data);
  } else if (kind === "move" || kind === "rehome") {
    const below = model.subtree(chosen.id);
    if (kind === "move" && below.includes(other)) return;
    const place = kind === "move" ? { parent: other.id } : { asset };
    await tenant.ask(text.move, { id: chosen.id, ...place });
    chosen.parentId = kind === "move" ? other.id : null;
    for (const one of below) one.assetId = kind === "move" ? other.assetId : asset;
  } else if (kind === "delete") {
    await tenant.ask(text.delete, { id: chosen.id });
    for (const one of model.subtree(chosen.id)) one.deletedBy ??= step;
  } else {
    const deleted = [...model.all.values()].filter(
      ({ deletedBy, parentId }) => deletedBy !== undefined && (!parentId || model.all.get(parentId)!.deletedBy === undefined),
    );
    const one = deleted[at % deleted.length];
    if (!one) return;
    await tenant.ask(text.restore, { id: one.id });
    const by = one.deletedBy;
    for (const restored of model.subtree(one.id)) if (restored.deletedBy === by) restored.deletedBy = undefined;
  }
}

test("trees at earlier instants are those of the model", { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(fc.array(change, { minLength: 6, maxLength: most }), async (changes) => {
    const tenant = await gateway.newTenant();
    const model = new Model([(await tenant.createAsset()).id, (await tenant.createAsset()).id]);
    const known = [[await instantOf(gateway), model.treesNow()] as const];
    for (const [step, one] of changes.entries()) {
      await make(tenant, model, one, step);
      known.push([await instantOf(gateway), model.treesNow()]);
    }
    for (const [at, trees] of known)
      for (const asset of model.assets) expect(byId(await treeAt(tenant, asset, at, fields)), `at ${at}`).toEqual(trees[asset]);
    for (const asset of model.assets) expect(byId(await treeAt(tenant, asset, undefined, fields))).toEqual(model.treesNow()[asset]);
  });
  await fc.assert(property, { numRuns });
});
