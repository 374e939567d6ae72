/** The cost of REST requests. Every list of the schema must have a cost. */
import { type GraphQLField, getNullableType, isLeafType, isListType, isObjectType } from "graphql";
import { describe, expect, test } from "vitest";
import { costOf } from "../../src/execution/admission/cost.js";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import { routesFor } from "../../src/rest-compat/compiled-routes.js";

const schema = buildGatewaySchema();
const { routes, schema: restSchema } = routesFor(schema, true);
const compiled = routes.map((route) => route.compiled());
const routeOf = (name: string) => compiled.find(({ route: { method, path } }) => `${method} ${path}` === name)!;
const costsOf = (name: string, sizes: unknown[]) => sizes.map((limit) => routeOf(name).cost({ limit }));

describe("a REST request's cost", () => {
  test.each(["GET /parts", "GET /assets", "GET /components", "GET /pms"])("%s is linear in its limit", (name) => {
    const [one, two, thousand] = costsOf(name, [1, 2, 1000]) as [number, number, number];
    expect(two).toBeGreaterThan(one);
    expect(thousand).toBe(one + 999 * (two - one));
    const { document, operation } = routeOf(name);
    expect(thousand).toBe(costOf(restSchema, document, operation, { limit: 1000 }, 1000));
  });

  test("assumes the default size without a limit, or with an invalid one", () => {
    const [usual, ...others] = costsOf("GET /assets", [100, undefined, null, "many", -1, 1.5]);
    expect(others).toEqual(others.map(() => usual));
  });

  test("is known for every route, and that of an export or a report is its fixed cost", () => {
    expect(compiled.filter(({ cost }) => !(Number.isInteger(cost({})) && cost({}) >= 1)).map(({ route }) => route.path)).toEqual([]);
    const cost = (name: string) => routeOf(name).cost({});
    expect([cost("GET /assets/:assetId"), cost("GET /assets"), cost("GET /components/templates")]).toEqual([2, 302, 1_002]);
    expect([cost("GET /inventory/reports"), cost("GET /components/tree/:rootId"), cost("POST /assets/import")]).toEqual([
      1_001, 1_053, 5_003,
    ]);
  });
});

const isPriced = ({ extensions }: GraphQLField<unknown, unknown>) => typeof extensions.complexity === "function";

/** Lists covered by the cost of their parent field, columns of a record, and outcomes of the input, without fields to load. */
const withoutPrice = [
  "SyncPage.records",
  "SearchResult.highlights",
  "SearchHighlight.matches",
  "LedgerVerification.faults",
  "LedgerVerification.instants",
  "MaterialForecast.neededFor",
  "Mutation.returnFromWorkOrder",
  "Mutation.swapUnits",
  "Shortage.neededFor",
  "Shortage.orders",
  "Strategy.resources",
  "SupplierPart.priceBreaks",
  "Viewer.permissions",
  "Viewer.calendarFeeds",
  "SheetOutcome.errors",
  "SheetOutcome.rows",
  "ImportRow.changes",
  "InspectedFile.fileColumns",
  "InspectedFile.sheetColumns",
  "Mutation.transferStock",
  "ImportOutcome.errors",
  "ImportOutcome.assets",
  "BulkOutcome.results",
  "BetweenFailures.buckets",
  "BetweenFailures.types",
  "RecordedReadings.results",
  "ReorderProposal.sources",
];

test("every list of objects has a cost, or is part of something with a cost", () => {
  const within = /Connection$|^(MovementHistory|AbcAnalysis|StockTurnover|GroupedAssets|AssetSiteGroup|AssetAreaGroup)$/;
  const unpriced = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith("__") && !within.test(name))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field: { type } }) => {
      const list = getNullableType(type);
      return isListType(list) && !isLeafType(getNullableType(list.ofType));
    })
    .filter(({ field }) => !isPriced(field))
    .map(({ name }) => name);
  expect(unpriced.sort()).toEqual([...withoutPrice].sort());
});
