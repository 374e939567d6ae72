/** The client package: generated files match the schema, types are strict, and bundles are small. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { parse, printSchema, validate } from "graphql";
import { describe, expect, it } from "vitest";
import * as client from "../../packages/client/src/index.js";
import { clientFiles, packageFolder } from "../../scripts/generate-client.mjs";
import { root } from "../../scripts/stale.mjs";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import { bundle, newConsumer } from "./consumer.js";

const inPackage = (path: string) => readFileSync(join(packageFolder, path), "utf8");
const schema = buildGatewaySchema();
const consumer = await newConsumer();

describe("generated files", () => {
  it("are up to date: otherwise run `npm run generate:client`", async () => {
    for (const [name, content] of Object.entries<string>(await clientFiles(schema)))
      expect(inPackage(name) === content, `${name} is up to date`).toBe(true);
  });

  it("have the product's version", () => {
    const versions = [inPackage("package.json"), readFileSync(join(root, "package.json"), "utf8")].map((text) => JSON.parse(text).version);
    expect(versions[0]).toBe(versions[1]);
  });

  it("map every scalar, none to any or unknown", () => {
    expect(inPackage("scalars.json")).not.toMatch(/\b(any|unknown)\b/);
    const types = inPackage("src/generated/schema.ts").replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
    expect(types.match(/export type Scalars = \{[\s\S]*?\n\};/)?.[0]).not.toMatch(/\b(any|unknown)\b/);
  });

  it("have operations that fit the schema", () => {
    const documents = Object.values(client).filter((value): value is string & typeof value => typeof value === "string");
    expect(documents.length).toBeGreaterThan(5);
    for (const document of documents) expect(validate(schema, parse(document))).toEqual([]);
  });
});

describe("a browser loads", () => {
  const sizeOf = async (contents: string, external?: string[]) => gzipSync(await bundle(contents, external), { level: 9 }).length;

  it("at most 15 KB, subscriptions, graphql-ws and all operations included", async () => {
    const all = await sizeOf('export * from "@maintenance-gateway/client"; export * from "@maintenance-gateway/client/subscriptions";');
    expect(all).toBeLessThan(15_000);
  });

  it("no settings of another cache, and no unused operation", async () => {
    const settings = await Promise.all(
      ["apollo", "urql"].map((name) => sizeOf(`export * from "@maintenance-gateway/client/${name}";`, ["@apollo/client", "@urql/*"])),
    );
    // The settings list every type and its keys, so they grow with the schema.
    expect(Math.max(...settings)).toBeLessThan(15_000);
    const bare = await bundle('export { createClient } from "@maintenance-gateway/client";');
    expect(bare).not.toMatch(/query |mutation \w|graphql-transport-ws|graphcache/);
  });
});

const program = (value: string) => `
  import { AssetById, createClient, MyOpenWorkOrders, StockChanges, type AssetStatus, type CreateAssetInput, type JsonObject } from "@maintenance-gateway/client";
  import { createSubscriptions } from "@maintenance-gateway/client/subscriptions";
  import { possibleTypes, typePolicies } from "@maintenance-gateway/client/apollo";
  import { keys, resolvers, schema } from "@maintenance-gateway/client/urql";
  import { InMemoryCache } from "@apollo/client";
  import { cacheExchange } from "@urql/exchange-graphcache";

  export const caches = [new InMemoryCache({ typePolicies, possibleTypes }), cacheExchange({ keys, resolvers, schema })];
  export const input: CreateAssetInput = { name: "Pump", type: "pump", installationDate: ${value} };
  export const status: AssetStatus = "OPERATIONAL";
  export const properties: JsonObject = { power: { kW: [1, 2] } };
  const client = createClient({ url: "/graphql", getToken: async () => "token" });
  export async function names(): Promise<(string | undefined)[]> {
    const { asset } = await client.request(AssetById, { id: "1" });
    const { workOrders } = await client.request(MyOpenWorkOrders, { technician: "Mads" }, { signal: AbortSignal.timeout(1) });
    const { anything } = await client.request("{ anything }");
    for await (const { stockChanged } of createSubscriptions({ url: "/graphql", key: "k" }).subscribe(StockChanges)) stockChanged.newBalance.toFixed();
    return [asset?.name, workOrders?.edges[0]?.node.title, anything];
  }
`;

describe("under tsc --strict", () => {
  it("a program of the package's types passes, and a value of the wrong type fails", async () => {
    consumer.write({ "right.ts": program('"2024-05-01"'), "wrong.ts": program('{ not: "a date" }') });
    expect(await consumer.check("right.ts")).toEqual({ ok: true, output: "" });
    const { ok, output } = await consumer.check("wrong.ts");
    expect(ok).toBe(false);
    expect(output.trim().split("\n")[0]).toMatch(/^wrong\.ts.*'\{ not: string; \}' is not assignable to type 'string'/);
  });

  it("the examples of the README pass", async () => {
    const examples = [...inPackage("README.md").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example]) => example);
    expect(examples.length).toBeGreaterThan(5);
    consumer.write({ "readme.ts": examples.join("\n") });
    expect(await consumer.check("readme.ts")).toEqual({ ok: true, output: "" });
  });

  it("variables that are missing or not the operation's fail", async () => {
    const calls = ["AssetById", "AssetById, {}", "AssetById, { id: {} }", "AssetById, { id: '1', other: 1 }"];
    for (const [i, call] of calls.entries())
      consumer.write({
        [`call-${i}.ts`]: `import { AssetById, createClient } from "@maintenance-gateway/client";\nvoid createClient({ url: "", key: "" }).request(${call});\n`,
      });
    const { output } = await consumer.check(...calls.map((_, i) => `call-${i}.ts`));
    expect(output.match(/^call-\d\.ts/gm)).toEqual(["call-0.ts", "call-1.ts", "call-2.ts", "call-3.ts"]);
  });

  it("the same holds with graphql-codegen's client preset and the published scalars", async () => {
    const create = "mutation Create($input: CreateAssetInput!) { createAsset(input: $input) { id installationDate customFields } }";
    const component = "query Specifications($id: ID!) { component(id: $id) { specifications } }";
    const documents = [create, component].map((rawSDL, i) => ({ location: `d${i}.ts`, document: parse(rawSDL), rawSDL }));
    const outputs = await preset.buildGeneratesSection({
      baseOutputDir: "gql/",
      schema: parse(printSchema(schema)),
      schemaAst: schema,
      documents,
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: JSON.parse(inPackage("scalars.json")),
        strictScalars: true,
        documentMode: "string",
        useTypeImports: true,
        importExtension: ".js",
      },
      plugins: [],
      pluginMap: {},
    });
    for (const output of outputs) consumer.write({ [output.filename]: await codegen({ ...output, documents: output.documents ?? [] }) });
    const use = (value: string) => `
      import { createClient } from "@maintenance-gateway/client";
      import { graphql } from "./gql/index.js";
      const client = createClient({ url: "/graphql", key: "mg_" });
      const create = graphql(${JSON.stringify(create)});
      const { createAsset } = await client.request(create, { input: { name: "Pump", type: "pump", installationDate: ${value} } });
      const { component } = await client.request(graphql(${JSON.stringify(component)}), { id: "1" });
      export const date: string | null | undefined = createAsset?.installationDate;
      export const power: string | undefined = createAsset?.customFields.power;
      export const colour = component?.specifications.colour === "red";
    `;
    consumer.write({ "preset-right.ts": use('"2024-05-01"'), "preset-wrong.ts": use('{ not: "a date" }') });
    expect(await consumer.check("preset-right.ts")).toEqual({ ok: true, output: "" });
    const { ok, output } = await consumer.check("preset-wrong.ts");
    expect(ok).toBe(false);
    expect(output).toMatch(/^preset-wrong\.ts.*'\{ not: string; \}' is not assignable to type 'string'/);
  });
});
