/** Relay: its compiler with the package's schema and scalars, and its store with the service's responses. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getPaginationMetadata,
  getPaginationVariables,
  getRefetchMetadata,
  getSelector,
  Network,
  RecordSource,
  Store,
} from "relay-runtime";
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { packageFolder } from "../../scripts/generate-client.mjs";
import { queued } from "../alerts/receivers.js";
import { type Caller, startGateway } from "../world.js";
import { newConsumer } from "./consumer.js";
import { componentCount, plant } from "./plant.js";

// Numbers start at 1, because no other test file shares the database.
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const consumer = await newConsumer();

const sources = {
  "src/asset.ts": `
    graphql\`query assetQuery($id: ID!) { asset(id: $id) { id name installationDate customFields ...asset_components } }\`;
    graphql\`
      fragment asset_components on Asset
      @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "String" })
      @refetchable(queryName: "assetComponentsPageQuery") {
        components(first: $count, after: $cursor) @connection(key: "Asset_components") {
          edges { node { id name specifications } }
        }
      }
    \`;
    graphql\`query assetReadingsQuery($id: ID!) {
      asset(id: $id) { readings(first: 5) { nodes { id value } } }
      webhooks(first: 5) { nodes { id deliveries(first: 5) { nodes { id status attempts } } } }
    }\`;
    graphql\`query assetBackwardsQuery($count: Int!, $cursor: String) {
      assets(last: $count, before: $cursor) @connection(key: "assetBackwards_assets") { edges { node { id } } }
    }\`;
    graphql\`mutation assetDeleteMutation($id: ID!, $connections: [ID!]!) { deleteComponent(id: $id) { id @deleteEdge(connections: $connections) } }\`;
  `,
};

/** The compiler settings from the package's README. The compiler skips node_modules by default, and this folder is inside. */
const settings = `${readFileSync(join(packageFolder, "README.md"), "utf8").match(/```js\n(\/\/ relay\.config\.js\n[\s\S]*?)```/)![1]}
module.exports.excludes = ["**/__generated__/**"];
`;

let tenant: Caller;
let records: Awaited<ReturnType<typeof plant>>;
let compiled: { ok: boolean; output: string };
let artifacts: Record<string, any>;
let warnings: MockInstance[];
beforeAll(async () => {
  tenant = await gateway.newTenant();
  records = await plant(tenant);
  consumer.write({ ...sources, "package.json": "{}", "relay.config.js": settings });
  compiled = await consumer.run("relay-compiler/cli.js", "relay.config.js");
  expect(compiled.output).not.toMatch(/error/i);
  const names = ["assetQuery", "asset_components", "assetComponentsPageQuery", "assetReadingsQuery", "assetBackwardsQuery"];
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export { default as ${name} } from "./src/__generated__/${name}.graphql";`).join("\n"),
      resolveDir: consumer.folder,
    },
    bundle: true,
    format: "esm",
    write: false,
    external: ["relay-runtime"],
  });
  const file = join(consumer.folder, "artifacts.mjs");
  writeFileSync(file, outputFiles[0]!.text);
  artifacts = await import(/* @vite-ignore */ pathToFileURL(file).href);
});
beforeEach(() => {
  warnings = (["warn", "error"] as const).map((name) => vi.spyOn(console, name));
});
afterEach(() => {
  for (const spy of warnings) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

const newEnvironment = () =>
  new Environment({
    store: new Store(new RecordSource()),
    network: Network.create(async ({ text }, variables) => {
      const { data, errors } = await tenant.graphql(text!, variables);
      expect(errors).toBeUndefined();
      return { data };
    }),
  });

it("the compiler accepts the schema, and its types have the scalars' types", async () => {
  expect(compiled.ok).toBe(true);
  const typesOf = (name: string) => readFileSync(join(consumer.folder, `src/__generated__/${name}.graphql.ts`), "utf8");
  expect(typesOf("assetQuery")).toMatch(
    /customFields: \{ \[name: string\]: string \};\s*readonly id: string;\s*readonly installationDate: string/,
  );
  expect(typesOf("asset_components")).toContain('specifications: import("@maintenance-gateway/client").JsonObject');
});

describe("a refetchable fragment", () => {
  it("pages within an asset: every component once", async () => {
    const environment = newEnvironment();
    const { assetQuery, asset_components: fragment, assetComponentsPageQuery } = artifacts;
    await fetchQuery(environment, assetQuery, { id: records.assetId }).toPromise();
    const operation = createOperationDescriptor(assetQuery, { id: records.assetId });
    environment.retain(operation);
    const reference: any = (environment.lookup(operation.fragment).data as any).asset;
    const { connectionPathInFragmentData, paginationMetadata } = getPaginationMetadata(fragment, "test") as any;
    const { identifierInfo } = getRefetchMetadata(fragment, "test") as any;
    expect([connectionPathInFragmentData, identifierInfo.identifierField]).toEqual([["components"], "id"]);
    const selector: any = getSelector(fragment, reference);
    const read = () => (environment.lookup(selector).data as any).components;
    let pages = 1;
    for (let connection = read(); connection.pageInfo.hasNextPage; connection = read(), pages++) {
      const variables = getPaginationVariables(
        "forward",
        5,
        connection.pageInfo.endCursor,
        selector.owner.variables,
        {},
        paginationMetadata,
      );
      await fetchQuery(environment, assetComponentsPageQuery, { ...variables, id: records.assetId }).toPromise();
    }
    const ids = read().edges.map(({ node }: any) => node.id);
    expect([pages, ids.length]).toEqual([3, componentCount]);
    expect([...ids].sort()).toEqual([...records.componentIds].sort());
  });
});

it("a connection pages backwards", async () => {
  const environment = newEnvironment();
  const { assetBackwardsQuery } = artifacts;
  const operation = createOperationDescriptor(assetBackwardsQuery, { count: 10 });
  environment.retain(operation);
  const read = () => (environment.lookup(operation.fragment).data as any).assets;
  await fetchQuery(environment, assetBackwardsQuery, { count: 10 }).toPromise();
  while (read().pageInfo.hasPreviousPage)
    await fetchQuery(environment, assetBackwardsQuery, { count: 10, cursor: read().pageInfo.startCursor }).toPromise();
  expect(read().edges.map(({ node }: any) => node.id)).toEqual(records.ids);
});

it("a reading and a delivery of the same number are two records", async () => {
  await tenant.ask('mutation { createWebhook(input: { url: "https://example.org", events: [ASSET_STATUS_CHANGED] }) { webhook { id } } }');
  await tenant.ask('mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "heat", value: 71.5 }]) { recorded } }', {
    id: records.assetId,
  });
  await tenant.ask("mutation ($id: ID!) { updateAsset(id: $id, input: { status: MAINTENANCE }) { id } }", { id: records.assetId });
  await queued(tenant);
  const environment = newEnvironment();
  const data: any = await fetchQuery(environment, artifacts.assetReadingsQuery, { id: records.assetId }).toPromise();
  const [reading] = data.asset.readings.nodes;
  const [delivery] = data.webhooks.nodes[0].deliveries.nodes;
  const numberIn = (id: string) => id.match(/\d+$/)?.[0];
  expect(numberIn(reading.id)).toBe(numberIn(delivery.id));
  const stored = environment.getStore().getSource();
  expect(stored.get(reading.id)).toMatchObject({ __typename: "Reading", value: 71.5 });
  expect(stored.get(reading.id)).not.toHaveProperty("status");
  expect(stored.get(delivery.id)).toMatchObject({ __typename: "WebhookDelivery", status: "PENDING", attempts: 0 });
});
