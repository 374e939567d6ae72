/** Routes are compiled after the service started, so this test tells of invalid ones. */
import { assertValidSchema, buildSchema, lexicographicSortSchema, printSchema } from "graphql";
import { expect, test } from "vitest";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import { routesFor } from "../../src/rest-compat/compiled-routes.js";

const schema = buildGatewaySchema();

test("the schema is valid", () => {
  assertValidSchema(schema);
});

test.each([true, false])("every route compiles (with plans: %s)", (withPlans) => {
  const { schema, routes } = routesFor(buildGatewaySchema(), withPlans);
  assertValidSchema(schema);
  expect(routes.length).toBeGreaterThanOrEqual(59);
  expect(routes.map(({ compiled }) => compiled().run).filter((run) => typeof run.run !== "function")).toEqual([]);
});

test("a route that is invalid against the schema throws, and names the route", () => {
  const withoutMutations = buildSchema(printSchema(lexicographicSortSchema(schema)).replace("createAsset(", "made("));
  const { routes } = routesFor(withoutMutations, true);
  const route = routes.find(({ route: { method, path } }) => `${method} ${path}` === "POST /assets")!;
  expect(() => route.compiled()).toThrow(/^POST \/assets: Cannot query field "createAsset"/);
});
