/** Mutations in a document run in order, and each returns the state after the previous ones. */
import { expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

async function assetWithComponent(): Promise<{ caller: Caller; ids: { asset: string; component: string } }> {
  const caller = await gateway.newTenant();
  const asset = await caller.createAsset({ name: "before" });
  const component = await caller.createComponent({ assetId: asset.id });
  return { caller, ids: { asset: asset.id, component: component.id } };
}

const rename = (alias: string, name: string) =>
  `${alias}: updateAsset(id: $asset, input: { name: "${name}" }) { name components(first: 1) { nodes { name asset { name } } } }`;
const touch = (alias: string, name: string) =>
  `${alias}: updateComponent(id: $component, input: { name: "${name}" }) { name asset { name components(first: 1) { nodes { name } } } }`;
const renamed = (name: string, component: string) => ({ name, components: { nodes: [{ name: component, asset: { name } }] } });
const touched = (name: string, asset: string) => ({ name, asset: { name: asset, components: { nodes: [{ name }] } } });

test("each mutation of a document returns the state after it, without the effects of later ones", async () => {
  const { caller, ids } = await assetWithComponent();
  const fields = [touch("a", "C1"), rename("b", "A1"), touch("c", "C2"), rename("d", "A2"), touch("e", "C3")];
  const data = await caller.ask(`mutation ($asset: ID!, $component: ID!) { ${fields.join("\n")} }`, ids);
  expect(data).toEqual({
    a: touched("C1", "before"),
    b: renamed("A1", "C1"),
    c: touched("C2", "A1"),
    d: renamed("A2", "C2"),
    e: touched("C3", "A2"),
  });
});

test("a failed mutation does not stop the next one", async () => {
  const { caller, ids } = await assetWithComponent();
  const { data, errors } = await caller.graphql(
    `mutation ($asset: ID!, $component: ID!) { ${touch("a", "C1")}
      b: updateAsset(id: "none", input: { name: "x" }) { name } ${rename("c", "A1")} }`,
    ids,
  );
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([[["b"], "NOT_FOUND"]]);
  expect(data).toEqual({ a: touched("C1", "before"), b: null, c: renamed("A1", "C1") });
  expect(await caller.ask("query ($asset: ID!) { asset(id: $asset) { name } }", ids)).toEqual({ asset: { name: "A1" } });
});

test("a null variable for a required argument is rejected before any mutation runs", async () => {
  const { caller, ids } = await assetWithComponent();
  const before = await caller.snapshot();
  const { data, errors } = await caller.graphql(
    `mutation ($asset: ID!, $none: ID = "x") {
      a: updateAsset(id: $asset, input: { name: "A1" }) { name } b: updateAsset(id: $none, input: { name: "x" }) { name } }`,
    { asset: ids.asset, none: null },
  );
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([
    { message: 'Argument "id" of non-null type "ID!" must not be null.', extensions: { code: "BAD_USER_INPUT" } },
  ]);
  expect(await caller.snapshot()).toEqual(before);
});
