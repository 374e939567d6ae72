/** `totalCountEstimate`: the length of a list, counted up to 10,000 items. */
import { expect, it } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const addAssets = ({ tenantId }: Caller, site: string, from: number, to: number) =>
  gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type, site) select $1, 'n' || n, 'N', 'pump', $2 from generate_series($3::int, $4::int) n`,
    [tenantId, site, from, to],
  );

/** In the forms that a plan answers by text or by rows, and those that loaders answer. */
const forms = ["first: 1) { nodes { id }", "first: 1) { pageInfo { hasNextPage }", "last: 1) { nodes { id }"];

async function estimateOf(caller: Caller): Promise<unknown> {
  const found = await Promise.all(
    forms.map((form) => caller.ask(`{ assets(filter: { type: "pump" }, ${form} totalCountEstimate { count isExact } } }`)),
  );
  const estimates = found.map(({ assets }) => assets.totalCountEstimate);
  for (const estimate of estimates) expect(estimate).toEqual(estimates[0]);
  return estimates[0];
}

it("is the exact count up to 10,000 items, and 10,000 beyond", async () => {
  const tenant = await gateway.newTenant();
  expect(await estimateOf(tenant)).toEqual({ count: 0, isExact: true });
  await addAssets(tenant, "North", 1, 9_997);
  await addAssets(tenant, "South", 9_998, 10_000);
  expect(await estimateOf(tenant)).toEqual({ count: 10_000, isExact: true });
  await addAssets(tenant, "North", 10_001, 10_001);
  expect(await estimateOf(tenant)).toEqual({ count: 10_000, isExact: false });
  const { assets } = await tenant.ask("{ assets(first: 1) { totalCount pagination { total } } }");
  expect(assets).toEqual({ totalCount: 10_001, pagination: { total: 10_001 } });
  // A key of one site learns nothing of the others.
  expect(await estimateOf(await tenant.as("viewer", ["South"], false))).toEqual({ count: 3, isExact: true });
});

it("counts nested lists, and subtrees by their sum", async () => {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "Press" });
  const root = await tenant.createComponent({ assetId: asset.id, name: "Drive" });
  for (const name of ["Shaft", "Seal"]) await tenant.createComponent({ parentId: root.id, name });
  const of = "totalCountEstimate { __typename count isExact }";
  const estimate = (count: number) => ({ totalCountEstimate: { __typename: "CountEstimate", count, isExact: true } });
  for (const size of ["first: 1", "last: 1"]) {
    const answer = await tenant.ask(
      `{ assets { nodes { components(${size}) { ${of} nodes { children(${size}) { ${of} } descendantComponents(${size}) { ${of} } } } } } }`,
    );
    const nodes = [{ children: estimate(2), descendantComponents: estimate(2) }];
    expect(answer.assets.nodes).toEqual([{ components: { ...estimate(1), nodes } }]);
  }
});
