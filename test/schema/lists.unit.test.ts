/** The generated lists of resolvers and routes name every class and every route, however its file declares it. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { resolversIn, routesIn } from "../../scripts/generate-lists.mjs";
import type { Route } from "../../src/rest-compat/route.js";
import { resolverTargets } from "../../src/schema/type-graphql.js";

const src = fileURLToPath(new URL("../../src", import.meta.url));
const modulesOf = (folder: string) =>
  Promise.all(
    readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map(async (file): Promise<[string, Record<string, unknown>]> => [`src/${folder}/${file}`, await import(join(src, folder, file))]),
  );

test("all classes with @Resolver and all declared roots are listed", async () => {
  const modules = await modulesOf("resolvers");
  const { resolvers } = await import("../../src/resolvers/generated/resolvers.js");
  const listed = new Set<unknown>(resolvers);
  const exported = modules.flatMap(([file, names]) =>
    Object.entries(names)
      .filter(([name, value]) => /^(?!declare)\w+Roots$/.test(name) && typeof value === "function" && !listed.has(value))
      .map(([name]) => `${file}: ${name}`),
  );
  // The resolver of groups is made and listed in src/resolvers/schema.ts.
  // By name, because another file of the worker may have imported a class as another module.
  const names = new Set([...resolvers.map(({ name }: { name: string }) => name), "Groups"]);
  const classes = resolverTargets().filter(({ name }) => !names.has(name));
  expect([...exported, ...classes.map(({ name }) => name)], "run npm run generate").toEqual([]);
  expect(listed.size).toBeGreaterThan(60);
});

test("all routes are listed", async () => {
  const { routes } = await import("../../src/rest-compat/generated/routes.js");
  const listed = new Set<unknown>(routes);
  const isRoute = (value: unknown): value is Route =>
    typeof value === "object" && value !== null && "method" in value && "operation" in value;
  const found = (await modulesOf("rest-compat/routes")).flatMap(([file, names]) =>
    Object.values(names).flatMap((value) => (Array.isArray(value) ? value.filter(isRoute).map((route) => ({ file, route })) : [])),
  );
  expect(found.filter(({ route }) => !listed.has(route)).map(({ file, route }) => `${file}: ${route.method} ${route.path}`)).toEqual([]);
  expect(found.length).toBe(routes.length);
});

test("a resolver that cannot be listed stops the generation", () => {
  const file = "src/resolvers/inventory/vendor.ts";
  const roots = "export const vendorRoots = declareRoots({\n});\n";
  const resolver = "@Resolver(() => Vendor)\nexport class VendorResolver {\n}\n";
  expect(resolversIn(file, roots + resolver)).toEqual(["vendorRoots", "VendorResolver"]);
  expect(() => resolversIn(file, roots + resolver.replace("export ", ""))).toThrow(
    "src/resolvers/inventory/vendor.ts: export every class with @Resolver, as `export class`",
  );
  expect(() => resolversIn(file, roots.replace("export ", "") + resolver)).toThrow(
    "src/resolvers/inventory/vendor.ts: export the result of declareRoots",
  );
});

test("a file of routes that cannot be listed stops the generation", () => {
  const file = "src/rest-compat/routes/inventory/vendor.ts";
  const routes = "export const vendorRoutes: Route[] = [\n];\n";
  expect(routesIn(file, routes)).toEqual(["vendorRoutes"]);
  expect(() => routesIn(file, routes.replace("export ", ""))).toThrow("src/rest-compat/routes/inventory/vendor.ts: no routes; export them");
  // A helper that a file of routes imports.
  expect(routesIn(file, "export const shapes = {};\n", ['import { shapes } from "./vendor.js";'])).toEqual([]);
});

/** The error of the catalogue's generator for a model Vendor with this documentation. */
function catalogueError(documentation: string): string {
  const fields = [{ name: "siteId", kind: "scalar", type: "String" }];
  const models = [{ name: "Vendor", documentation, fields, uniqueFields: [], primaryKey: null }];
  const request = {
    id: 1,
    method: "generate",
    params: { dmmf: { datamodel: { models, indexes: [] } }, generator: { output: { value: "/dev/null" } } },
  };
  const script = fileURLToPath(new URL("../../scripts/catalogue-generator.mjs", import.meta.url));
  const { stderr } = spawnSync(process.execPath, [script], { input: `${JSON.stringify(request)}\n`, encoding: "utf8" });
  return JSON.parse(stderr).error.message;
}

test.each([
  ["A supplier.", "model Vendor: add the annotation @sites"],
  ["@sites site", "model Vendor: @sites site: the model has no column site"],
  ["@sites of(Depot, siteId)", "model Vendor: @sites of(Depot, siteId): there is no model Depot"],
  ["@sites of(Vendor, depotId)", "model Vendor: @sites of(Vendor, depotId): the model Vendor has no column depotId"],
  ["@sites everything", "model Vendor: @sites everything: name one of the rules"],
  ["@sites all\n@siteWrites open", "model Vendor: @siteWrites is neither closed nor open with a reason"],
])("a model with the documentation %j stops the generation", (documentation, message) => {
  expect(catalogueError(documentation)).toContain(message);
});
