/** The generated lists of resolvers and routes name every class and every route, however its file declares it. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { resolversIn, routesIn } from "../../scripts/generate-lists.mjs";
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
      .filter(([name, value]) => /^\w+Roots$/.test(name) && typeof value === "function" && !listed.has(value))
      .map(([name]) => `${file}: ${name}`),
  );
  // The resolver of groups is made and listed in src/resolvers/schema.ts.
  const classes = resolverTargets().filter((target) => !listed.has(target) && target.name !== "Groups");
  expect([...exported, ...classes.map(({ name }) => name)], "run npm run generate").toEqual([]);
  expect(listed.size).toBeGreaterThan(60);
});

test("all routes are listed", async () => {
  const { routes } = await import("../../src/rest-compat/generated/routes.js");
  const listed = new Set<unknown>(routes);
  const isRoute = (value: unknown) => typeof value === "object" && value !== null && "method" in value && "operation" in value;
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
