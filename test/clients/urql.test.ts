/** urql with its normalised cache and the package's settings. */
import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { keys, resolvers, schema } from "../../packages/client/src/urql.js";
import { type Caller, sharedGateway } from "../world.js";
import { assetCount, componentCount, plant, stocked } from "./plant.js";

const gateway = await sharedGateway();
let tenant: Caller;
let records: Awaited<ReturnType<typeof plant>>;
beforeAll(async () => {
  tenant = await gateway.newTenant();
  records = await plant(tenant);
});

let warnings: MockInstance[];
beforeEach(() => {
  warnings = (["warn", "error"] as const).map((name) => vi.spyOn(console, name));
});
afterEach(() => {
  for (const spy of warnings) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

const client = (caller = tenant) =>
  new Client({
    url: `${gateway.url}/graphql`,
    exchanges: [cacheExchange({ schema, keys, resolvers }), fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${caller.key}` } },
  });

async function ask(urql: Client, query: string, variables: object = {}): Promise<any> {
  const { data, error } = await urql.query(query, variables).toPromise();
  expect(error).toBeUndefined();
  return data;
}

const page =
  "edges { cursor node { id name } } nodes { id name } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount";
const idsOf = (connection: any): string[] => connection.edges.map(({ node }: any) => node.id);

describe("pages join in the cache", () => {
  const ASSETS = `query ($first: Int, $after: String, $last: Int, $before: String) {
    assets(first: $first, after: $after, last: $last, before: $before) { ${page} }
  }`;

  it.each([
    ["forwards", { first: 10 }, (info: any) => info.hasNextPage && { first: 10, after: info.endCursor }],
    ["backwards", { last: 10 }, (info: any) => info.hasPreviousPage && { last: 10, before: info.startCursor }],
  ])("%s, with no duplicates", async (_, first, next) => {
    const urql = client();
    let { assets } = await ask(urql, ASSETS, first);
    for (let more = next(assets.pageInfo); more; more = next(assets.pageInfo)) ({ assets } = await ask(urql, ASSETS, more));
    expect(idsOf(assets)).toEqual(records.ids);
    expect(assets.nodes.map(({ id }: any) => id)).toEqual(records.ids);
    expect(assets.totalCount).toBe(assetCount);
  });

  it("within an object", async () => {
    const urql = client();
    const query = `query ($id: ID!, $after: String) { asset(id: $id) { id components(first: 5, after: $after) { ${page} } } }`;
    let found: string[] = [];
    for (let after: string | undefined; found.length < componentCount; ) {
      const { asset } = await ask(urql, query, { id: records.assetId, after });
      expect(asset.components.edges.length).toBeGreaterThan(found.length);
      found = idsOf(asset.components);
      after = asset.components.pageInfo.endCursor;
    }
    expect([...found].sort()).toEqual([...records.componentIds].sort());
  });
});

it("keeps every kind of object without a warning, and answers from the cache", async () => {
  const partId = await stocked(tenant);
  const { createProcedure } = await tenant.ask(
    `mutation ($asset: ID!, $part: ID!) { createProcedure(input: {
      assetId: $asset, name: "Grease", frequency: MONTHLY,
      steps: [{ description: "Grease" }], parts: [{ partId: $part, quantity: 2 }]
    }) { id } }`,
    { asset: records.assetId, part: partId },
  );
  await tenant.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: createProcedure.id });
  const urql = client();
  const query = `{
    viewer { role sites }
    sites { id name areas { id name assets(first: 2) { nodes { id name } } } }
    inventory { nodes { id quantity part { id supplier { id name } dimensions { width } } } pagination { total } }
    inventoryTotals { quantity totalValue }
    procedures { nodes { id steps { description tools } parts { partId quantity part { id } } schedulingRules { leadTime } performance { completionRate } } }
    workOrders { edges { node { id steps { id description } requiredParts { id quantity part { id name } } statusHistory { id changedAt } } } }
    groupedAssets(limit: 5) { items { site areas { name assets { id name } } } }
    upcoming(days: 40) { dueDate procedure { id } }
  }`;
  const data = await ask(urql, query);
  expect(data.workOrders.edges[0].node.requiredParts[0].part.name).toBe("Bearing");
  const again = urql.readQuery(query, {});
  expect([again?.stale, again?.data?.workOrders.edges.length]).toEqual([false, 1]);
});

it("shows the effects of a mutation in the lists that were read before", async () => {
  const urql = client();
  const query = "query ($id: ID!) { asset(id: $id) { id name } }";
  await ask(urql, query, { id: records.ids[3] });
  const rename = 'mutation ($id: ID!) { updateAsset(id: $id, input: { name: "Renamed" }) { id name } }';
  await urql.mutation(rename, { id: records.ids[3] }).toPromise();
  expect(urql.readQuery(query, { id: records.ids[3] })?.data?.asset.name).toBe("Renamed");
});

it("matches fragments on interfaces", async () => {
  const query =
    "query ($id: ID!) { node(id: $id) { id ... on Record { updatedAt } ... on StatusChange { changedAt } ... on Asset { name } } }";
  const { node } = await ask(client(), query, { id: records.assetId });
  expect(node).toMatchObject({ id: records.assetId, name: "Pump 0", updatedAt: expect.any(String) });
});
