/** Reference designations of components (IEC 81346): unique within an asset. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const create = (caller: Caller, input: object) =>
  caller.graphql("mutation ($input: CreateComponentInput!) { createComponent(input: $input) { id referenceDesignation } }", {
    input: { name: "Motor", type: "motor", ...input },
  });
const update = (caller: Caller, id: string, input: object) =>
  caller.graphql(
    "mutation ($id: ID!, $input: UpdateComponentInput!) { updateComponent(id: $id, input: $input) { referenceDesignation } }",
    {
      id,
      input,
    },
  );

async function refuses(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object) {
  const before = await caller.snapshot("Component");
  const { errors } = await call();
  expect(errors?.[0]).toMatchObject({ extensions: { code, ...details } });
  expect(await caller.snapshot("Component")).toEqual(before);
}

async function plant() {
  const tenant = await gateway.newTenant();
  const { id: p1 } = await tenant.createAsset({ name: "P-1" });
  const { id: p2 } = await tenant.createAsset({ name: "P-2" });
  const { data } = await create(tenant, { assetId: p1, referenceDesignation: "=P1-M1" });
  expect(data.createComponent.referenceDesignation).toBe("=P1-M1");
  return { tenant, p1, p2, motor: data.createComponent.id as string };
}

test("filters, orders and finds components by their designation, and does not show it in documented answers", async () => {
  const { tenant, p1, motor } = await plant();
  await create(tenant, { assetId: p1, referenceDesignation: "=P1-G2", name: "Gearbox" });
  await create(tenant, { assetId: p1, name: "Plate" });
  const names = async (filter: object) =>
    (
      await tenant.ask(
        "query ($filter: ComponentFilter) { components(filter: $filter, orderBy: { field: REFERENCE_DESIGNATION }) { nodes { name } } }",
        { filter },
      )
    ).components.nodes.map(({ name }: any) => name);
  expect(await names({ referenceDesignation: "=P1-M1" })).toEqual(["Motor"]);
  expect(await names({ referenceDesignationContains: "P1-" })).toEqual(["Gearbox", "Motor"]);
  expect(await names({ search: "p1-g2" })).toEqual(["Gearbox"]);
  expect(await names({ isNull: ["REFERENCE_DESIGNATION"] })).toEqual(["Plate"]);
  expect((await tenant.rest("GET", `/components/${motor}`)).body).not.toHaveProperty("referenceDesignation");
  const { body } = await tenant.rest("PUT", `/components/${motor}`, { referenceDesignation: "=P1-M2" });
  expect(body).not.toHaveProperty("referenceDesignation");
  expect(await names({ search: "P1-M2" })).toEqual(["Motor"]);
  const { data } = await update(tenant, motor, { referenceDesignation: null });
  expect(data.updateComponent.referenceDesignation).toBeNull();
  expect(await names({ search: "P1-M2" })).toEqual([]);
});

test("refuses the same designation twice in an asset: created, changed, moved or restored", async () => {
  const { tenant, p1, p2, motor } = await plant();
  const used = { referenceDesignation: "=P1-M1" };
  await refuses(tenant, () => create(tenant, { assetId: p1, ...used }), "CONFLICT", used);
  const other = (await create(tenant, { assetId: p1 })).data.createComponent.id;
  await refuses(tenant, () => update(tenant, other, used), "CONFLICT", used);
  // Another asset has its own designations.
  const elsewhere = (await create(tenant, { assetId: p2, ...used })).data.createComponent.id;
  const conflict = "A component with this reference designation already exists";
  for (const call of [
    () => update(tenant, elsewhere, { assetId: p1 }),
    () => tenant.graphql("mutation ($id: ID!, $p: ID!) { moveComponent(id: $id, assetId: $p) { id } }", { id: elsewhere, p: p1 }),
  ]) {
    await refuses(tenant, call, "CONFLICT", {});
    expect((await call()).errors?.[0]?.message).toBe(conflict);
  }
  await tenant.rest("DELETE", `/components/${motor}`);
  await update(tenant, other, used);
  await refuses(tenant, () => tenant.graphql("mutation ($id: ID!) { restoreComponent(id: $id) { id } }", { id: motor }), "CONFLICT", {});
  const bulk = await tenant.graphql(
    "mutation ($ids: [ID!]!, $data: UpdateComponentInput) { bulkComponents(operation: UPDATE, componentIds: $ids, data: $data) { processed } }",
    { ids: [other, elsewhere], data: used },
  );
  expect(bulk.errors?.[0]?.extensions).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { "data.referenceDesignation": expect.any(String) },
  });
});

test("of several creations at once one has the designation", async () => {
  const { tenant, p1 } = await plant();
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(tenant, { assetId: p1, referenceDesignation: "=P1-B1" })));
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
});
