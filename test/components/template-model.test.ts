/**
 * Random edits of a template and its instances, compared with a model: additions, updates and kept values of an upgrade (docs/work.md,
 * "Templates").
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { verifyTree } from "./trees.js";

const gateway = await sharedGateway();
const runs = Number(process.env.TEMPLATE_RUNS ?? 3);

interface Item {
  key: string;
  name: string;
  type: string;
  specifications: Record<string, number>;
  components: Item[];
}

/**
 * The model of an instance: the keys of the version it was built from, and its components by key with that version's name and the current
 * name.
 */
interface Modelled {
  id: string;
  built: Set<string>;
  live: Map<string, { base: string; name: string }>;
}

const kinds = ["insert", "rename", "setting", "drop", "reparent"] as const;
const localKinds = ["rename", "setting", "delete", "move", "own"] as const;
const edit = <K extends string>(kinds: readonly K[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(1000), to: fc.nat(1000), value: fc.nat(3) });
type Edit = { kind: (typeof kinds)[number]; at: number; to: number; value: number };
type LocalEdit = { kind: (typeof localKinds)[number]; at: number; to: number; value: number };

const flat = (items: Item[]): Item[] => items.flatMap((item) => [item, ...flat(item.components)]);
const parentOf = (items: Item[], key: string, parent: Item | null = null): Item | null | undefined => {
  for (const item of items) {
    if (item.key === key) return parent;
    const found = parentOf(item.components, key, item);
    if (found !== undefined) return found;
  }
  return undefined;
};

let serial = 0;

/** Edits the items of a template in place. */
function editItems(items: Item[], { kind, at, to, value }: Edit): void {
  const all = flat(items);
  const chosen = all[at % all.length];
  const [place] = to % 4 === 0 ? [items] : [all[to % Math.max(all.length, 1)]?.components ?? items];
  if (kind === "insert" || !chosen) {
    const key = `k${++serial}`;
    place!.splice(value, 0, { key, name: `${key} new`, type: "x", specifications: {}, components: [] });
  } else if (kind === "rename") chosen.name = `name ${value}`;
  else if (kind === "setting") chosen.specifications[`s${to % 2}`] = value;
  else {
    const siblings = parentOf(items, chosen.key)?.components ?? items;
    if (kind === "reparent" && flat([chosen]).some(({ components }) => components === place)) return;
    siblings.splice(siblings.indexOf(chosen), 1);
    if (kind === "reparent") place!.splice(value, 0, chosen);
  }
}

const rowsOf = ({ tenantId }: Caller) =>
  gateway.database.query<any>(
    `select id, name, "parentId", "templateKey" as key, "templateInstance" as instance, "templateVersion" as version, specifications
     from "Component" where "tenantId" = $1 and "deletedAt" is null order by id`,
    [tenantId],
  );

async function editInstance(tenant: Caller, model: Modelled, keys: Map<string, string>, { kind, at, to, value }: LocalEdit): Promise<void> {
  const mine = (await rowsOf(tenant)).filter(({ id }) => keys.has(id) && model.live.has(keys.get(id)!));
  const chosen = mine[at % mine.length];
  if (!chosen) return;
  const path = `/components/${chosen.id}`;
  if (kind === "rename") {
    const name = `name ${value}`;
    await tenant.rest("PUT", path, { name });
    model.live.get(keys.get(chosen.id)!)!.name = name;
  } else if (kind === "setting") await tenant.rest("PUT", path, { specifications: { ...chosen.specifications, [`s${to % 2}`]: value } });
  else if (kind === "own") await tenant.createComponent({ parentId: chosen.id, name: "Own" });
  else if (kind === "move") await tenant.rest("PUT", `${path}/move`, { newParentId: to % 3 ? mine[to % mine.length].id : null });
  else await tenant.rest("DELETE", path);
}

const shown = `{ processed failed results { instanceId status error differences { kind key name componentId keptBecause
  fields { field builtFrom template component changedBy keptBecause } } } }`;
const upgradeText = `mutation ($input: UpgradeInstancesInput!) { upgradeInstances(input: $input) ${shown} }`;

test("upgrades agree with the model and their dry run, and a second upgrade finds nothing to do", async () => {
  const round = fc.record({
    template: fc.array(edit(kinds), { minLength: 1, maxLength: 5 }),
    local: fc.array(fc.tuple(fc.nat(1), edit(localKinds)), { maxLength: 4 }),
    removeItems: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), fc.boolean(), async (rounds, isRelease02) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const item = (key: string, components: Item[] = []): Item => ({ key, name: key, type: "x", specifications: { s0: 1 }, components });
    const items = [item("a", [item("b", [item("c")]), item("d")]), item("e", [item("f")])];
    const saved = async (): Promise<Item[]> => structuredClone(items);
    const input = { name: "T", type: "t", components: await saved() };
    const { createTemplate } = await tenant.ask("mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { id } }", {
      input,
    });
    const templateId = createTemplate.id;
    const keys = new Map<string, string>();
    const owner = new Map<string, number>();
    const own = (index: number) => new Map([...keys].filter(([id]) => owner.get(id) === index));
    const models: Modelled[] = [];
    for (let i = 0; i < 2; i++) {
      await tenant.rest("POST", `/components/templates/${templateId}/apply-hierarchical`, { assetId });
      const made = (await rowsOf(tenant)).filter(({ id }) => !keys.has(id));
      for (const { id, key } of made) {
        keys.set(id, key);
        owner.set(id, i);
      }
      const live = new Map(made.map(({ key, name }) => [key, { base: name, name }]));
      models.push({ id: made[0].instance, built: new Set(live.keys()), live });
    }
    if (isRelease02) {
      const before = await tenant.ask("query ($id: ID!) { template(id: $id) { instances { id rootId } } }", { id: templateId });
      await gateway.database.query(`update "Component" set "templateKey" = null, "templateInstance" = null where "tenantId" = $1`, [
        tenant.tenantId,
      ]);
      const after = await tenant.ask("query ($id: ID!) { template(id: $id) { instances { id rootId } } }", { id: templateId });
      for (const { id, rootId } of before.template.instances)
        models.find((model) => model.id === id)!.id = after.template.instances.find((instance: any) => instance.rootId === rootId).id;
    }
    const run = async (input: object) => (await tenant.ask(upgradeText, { input: { templateId, ...input } })).upgradeInstances;

    for (const { template, local, removeItems } of rounds) {
      for (const change of template) editItems(items, change);
      await tenant.ask("mutation ($id: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $id, input: $input) { id } }", {
        id: templateId,
        input: { components: await saved() },
      });
      for (const [index, change] of local) await editInstance(tenant, models[index]!, own(index), change);
      const present = new Set((await rowsOf(tenant)).map(({ id }) => id));
      for (const [index, model] of models.entries()) {
        const left = new Set([...own(index)].filter(([id]) => present.has(id)).map(([, key]) => key));
        for (const key of [...model.live.keys()]) if (!left.has(key)) model.live.delete(key);
      }

      const before = await tenant.snapshot("Component", "ComponentTemplate");
      const dry = await run({ dryRun: true, removeItems });
      expect(await tenant.snapshot("Component", "ComponentTemplate")).toEqual(before);
      expect(await run({ dryRun: false, removeItems })).toEqual(dry);
      expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);

      const after = await tenant.snapshot("Component", "ComponentTemplate");
      const again = await run({ dryRun: false, removeItems });
      expect(await tenant.snapshot("Component", "ComponentTemplate")).toEqual(after);
      const kept = (entries: any[]) =>
        entries
          .filter(({ keptBecause, fields }) => keptBecause || fields.some((field: any) => field.keptBecause))
          .map(({ kind, key, fields }) => [kind, key, fields.filter((field: any) => field.keptBecause).map((field: any) => field.field)]);
      for (const { instanceId, differences } of again.results) {
        expect(differences.every(({ keptBecause }: any) => keptBecause !== null)).toBe(true);
        const first = dry.results.find((result: any) => result.instanceId === instanceId);
        expect(kept(differences)).toEqual(kept(first.differences));
      }

      // Model: merges names, and adds new items below the existing ones.
      const newest = flat(items);
      const rows = await rowsOf(tenant);
      for (const { id, key, instance } of rows) {
        if (!key || keys.has(id)) continue;
        keys.set(id, key);
        owner.set(
          id,
          models.findIndex((model) => model.id === instance),
        );
      }
      for (const [index, model] of models.entries()) {
        if (!model.live.size) continue;
        for (const { key, name } of newest) {
          const known = model.live.get(key);
          const parent = parentOf(items, key);
          if (known) model.live.set(key, { base: name, name: known.name === known.base ? name : known.name });
          else if (!model.built.has(key) && (!parent || model.live.has(parent.key))) model.live.set(key, { base: name, name });
        }
        const names = new Map(rows.filter(({ id }) => owner.get(id) === index).map(({ id, name }) => [keys.get(id)!, name]));
        const wanted = newest.filter(({ key }) => model.live.has(key)).map(({ key }) => [key, model.live.get(key)!.name]);
        expect(newest.filter(({ key }) => names.has(key)).map(({ key }) => [key, names.get(key)])).toEqual(wanted);
        for (const key of [...model.live.keys()]) if (!newest.some((item) => item.key === key) && !names.has(key)) model.live.delete(key);
        if (wanted.length) model.built = new Set(newest.map(({ key }) => key));
      }
    }
  });
  await fc.assert(property, { numRuns: runs });
});
