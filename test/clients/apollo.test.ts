/** Apollo Client 4 with the package's cache settings. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache, type ObservableQuery } from "@apollo/client";
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { possibleTypes, typePolicies } from "../../packages/client/src/apollo.js";
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

const clientOf = (caller: Caller, through: typeof fetch = fetch) =>
  new ApolloClient({
    link: new HttpLink({ uri: `${gateway.url}/graphql`, headers: { authorization: `Bearer ${caller.key}` }, fetch: through }),
    cache: new InMemoryCache({ typePolicies, possibleTypes }),
  });

const complete = (watched: ObservableQuery<any>) => expect.poll(() => watched.getCurrentResult().dataState).toBe("complete");
const idsOf = (connection: any): string[] => connection.edges.map(({ node }: any) => node.id);
const page = "edges { cursor node { id name } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount";
const ASSETS = gql`query ($first: Int, $after: String, $last: Int, $before: String, $filter: AssetFilter) {
  assets(first: $first, after: $after, last: $last, before: $before, filter: $filter) { ${page} }
}`;

/** Watches a query and pages through it until there is no more. */
async function pageThrough(client: ApolloClient, query: any, variables: any, connectionIn: (data: any) => any, backwards = false) {
  const watched = client.watchQuery<any>({ query, variables });
  const subscription = watched.subscribe(() => {});
  await complete(watched);
  const read = () => connectionIn(client.readQuery({ query, variables }));
  let pages = 1;
  for (let { pageInfo } = read(); backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage; { pageInfo } = read()) {
    await watched.fetchMore({ variables: backwards ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor } });
    if (++pages > 9) expect.fail("the cache does not see the pages");
  }
  await expect.poll(() => connectionIn(watched.getCurrentResult().data)).toEqual(read());
  const { totalCount, ...connection } = read();
  subscription.unsubscribe();
  return { ids: idsOf(connection), pages, totalCount };
}

describe("pages join in the cache", () => {
  it("forwards, with no duplicates", async () => {
    const { ids, pages, totalCount } = await pageThrough(clientOf(tenant), ASSETS, { first: 10 }, ({ assets }) => assets);
    expect([pages, totalCount]).toEqual([3, assetCount]);
    expect(ids).toEqual(records.ids);
  });

  it("backwards, from the end to the beginning", async () => {
    const { ids, pages } = await pageThrough(clientOf(tenant), ASSETS, { last: 10 }, ({ assets }) => assets, true);
    expect(pages).toBe(3);
    expect(ids).toEqual(records.ids);
  });

  it("within an object", async () => {
    const query = gql`query ($id: ID!, $after: String) { asset(id: $id) { id components(first: 5, after: $after) { ${page} } } }`;
    const { ids } = await pageThrough(clientOf(tenant), query, { id: records.assetId }, ({ asset }) => asset.components);
    expect(ids.length).toBe(componentCount);
    expect([...ids].sort()).toEqual([...records.componentIds].sort());
  });

  it("each filter in a list of its own", async () => {
    const client = clientOf(tenant);
    await pageThrough(client, ASSETS, { first: 10 }, ({ assets }) => assets);
    const { ids } = await pageThrough(client, ASSETS, { first: 5, filter: { site: "South" } }, ({ assets }) => assets);
    expect(ids).toEqual(records.ids.filter((_, i) => i % 2));
    const all: any = client.readQuery({ query: ASSETS, variables: { first: 10 } });
    expect(idsOf(all.assets)).toEqual(records.ids);
  });
});

describe("the normalised cache", () => {
  const RENAME = gql`mutation ($id: ID!, $input: UpdateAssetInput!) { updateAsset(id: $id, input: $input) { id name } }`;
  const optimistic = (id: string, name: string) => ({ updateAsset: { __typename: "Asset", id, name } });

  it("shows an optimistic change immediately, and reverts it on a rejection", async () => {
    let mayAnswer = Promise.resolve();
    const client = clientOf(tenant, async (...request) => {
      const response = await fetch(...request);
      await mayAnswer;
      return response;
    });
    const id = records.ids[1]!;
    const seen: string[] = [];
    const watched = client.watchQuery<any>({ query: gql`query ($id: ID!) { asset(id: $id) { id name } }`, variables: { id } });
    const subscription = watched.subscribe(({ data }) => data?.asset?.name !== undefined && seen.push(data.asset.name));
    await expect.poll(() => seen).toEqual(["Pump 1"]);
    /** Resolves once the cache shows the change. */
    const rename = async (input: object) => {
      let answer = () => {};
      mayAnswer = new Promise((resolve) => (answer = resolve));
      const result = client
        .mutate({ mutation: RENAME, variables: { id, input }, optimisticResponse: optimistic(id, "Optimistic") })
        .catch((error) => error);
      await expect.poll(() => seen.at(-1)).toBe("Optimistic");
      answer();
      return result;
    };
    const refused = await rename({ name: "New", serialNumber: "S-2" });
    expect(CombinedGraphQLErrors.is(refused) && refused.errors[0]?.extensions).toMatchObject({
      code: "CONFLICT",
      fieldErrors: [{ path: ["input", "serialNumber"] }],
    });
    await expect.poll(() => seen).toEqual(["Pump 1", "Optimistic", "Pump 1"]);
    await rename({ name: "Pump one" });
    await expect.poll(() => seen).toEqual(["Pump 1", "Optimistic", "Pump 1", "Optimistic", "Pump one"]);
    subscription.unsubscribe();
  });

  it("shows the stock after a receipt in every list", async () => {
    const partId = await stocked(tenant);
    const client = clientOf(tenant);
    const LEVELS = gql`{ inventory { edges { node { id quantity stockStatus } } } }`;
    await client.query({ query: LEVELS });
    await client.mutate({
      mutation: gql`mutation ($id: ID!) { receiveStock(partId: $id, input: { quantity: 5 }) { id stock { id quantity stockStatus } } }`,
      variables: { id: partId },
    });
    const { inventory }: any = client.readQuery({ query: LEVELS });
    expect(inventory.edges.map(({ node }: any) => node.quantity)).toEqual([15]);
  });

  it("replaces a list that became shorter, and completes objects without an identity, without warnings", async () => {
    const client = clientOf(tenant);
    const { createTemplate } = await tenant.ask(
      'mutation { createTemplate(input: { name: "A", type: "a", components: [] }) { id } b: createTemplate(input: { name: "B", type: "b", components: [] }) { id } }',
    );
    const TEMPLATES = gql`{ templates { nodes { id name } } viewer { role } }`;
    await client.query({ query: TEMPLATES });
    await tenant.ask("mutation ($id: ID!) { deleteTemplate(id: $id) { id } }", { id: createTemplate.id });
    const { data }: any = await client.query({ query: TEMPLATES, fetchPolicy: "network-only" });
    expect(data.templates.nodes.map(({ name }: any) => name)).toEqual(["B"]);
    await client.query({ query: gql`{ viewer { keyName } }` });
    expect(client.readQuery({ query: gql`{ viewer { role keyName } }` })).toMatchObject({ viewer: { role: "ADMIN", keyName: "admin" } });
  });

  it("knows which types are nodes and records", async () => {
    const client = clientOf(tenant);
    const query = gql`query ($id: ID!) { node(id: $id) { id ... on Record { updatedAt } ... on Asset { name } ... on StatusChange { changedAt } } }`;
    await client.query({ query, variables: { id: records.assetId } });
    const { node }: any = client.readQuery({ query, variables: { id: records.assetId } });
    expect(node).toEqual({ __typename: "Asset", id: records.assetId, name: "Pump 0", updatedAt: expect.any(String) });
  });
});
