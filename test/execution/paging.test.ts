/** Pages in both directions, of root and nested lists, compared with slices of the whole list. */
import fc from "fast-check";
import { beforeAll, describe, expect, it, test } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let tenant: Caller;
let assetId: string;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  assetId = (await tenant.createAsset({ name: "N0" })).id;
  await gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type) select $1, 'x' || lpad(n::text, 2, '0'), 'N' || n % 4, 'pump' from generate_series(1, 14) n`,
    [tenant.tenantId],
  );
  let parentId = (await tenant.createComponent({ name: "R", type: "root" })).id;
  for (let i = 0; i < 5; i++) {
    await tenant.createComponent({ name: "D", parentId });
    parentId = (await tenant.createComponent({ name: "E", parentId })).id;
  }
  await tenant.ask(
    `mutation { ${["OFFLINE", "PENDING", "OFFLINE", "MAINTENANCE", "OFFLINE", "PENDING", "OFFLINE", "OPERATIONAL", "OFFLINE"].map((status, i) => `s${i}: updateAsset(id: "${assetId}", input: { status: ${status} }) { id }`).join(" ")} }`,
  );
  await tenant.ask(
    `mutation { ${Array.from({ length: 9 }, (_, i) => `c${i}: createComponent(input: { name: "C", type: "x", assetId: "${assetId}" }) { id }`).join(" ")} }`,
  );
});

const fields = "nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";

const lists: Record<string, { query: string; of: (data: any) => any }> = {
  "a root list": {
    query: `query ($first: Int! = 50, $last: Int, $after: String, $before: String) {
      list: assets(first: $first, last: $last, after: $after, before: $before, orderBy: { field: NAME, direction: DESC }) { ${fields} } }`,
    of: ({ list }) => list,
  },
  "a nested list": {
    query: `query ($first: Int! = 50, $last: Int, $after: String, $before: String) {
      assets(filter: { search: "N0" }, first: 1) { nodes { list: components(first: $first, last: $last, after: $after, before: $before) { ${fields} } } } }`,
    of: ({ assets }) => assets.nodes[0].list,
  },
  "a status history": {
    query: `query ($first: Int! = 50, $last: Int, $after: String, $before: String) {
      assets(filter: { search: "N0" }, first: 1) { nodes { list: statusChanges(first: $first, last: $last, after: $after, before: $before) { ${fields} } } } }`,
    of: ({ assets }) => assets.nodes[0].list,
  },
  "a component's descendants": {
    query: `query ($first: Int! = 50, $last: Int, $after: String, $before: String) {
      components(filter: { type: "root" }) { nodes { list: descendantComponents(first: $first, last: $last, after: $after, before: $before) { ${fields} } } } }`,
    of: ({ components }) => components.nodes[0].list,
  },
};

describe.each(Object.entries(lists))("%s", (_, { query, of }) => {
  it("pages from either end and between cursors are slices of the list", async () => {
    const whole = of(await tenant.ask(query));
    const ids: string[] = whole.nodes.map(({ id }: any) => id);
    const cursors: string[] = whole.edges.map(({ cursor }: any) => cursor);
    expect(ids.length).toBeGreaterThan(8);
    const place = fc.option(fc.integer({ min: 0, max: ids.length - 1 }), { nil: undefined });
    const size = fc.integer({ min: 1, max: ids.length + 1 });
    const asked = fc.record({
      first: size,
      last: fc.option(size, { nil: undefined }),
      after: place,
      before: place,
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ first, last, after, before }) => {
        const page = of(
          await tenant.ask(query, {
            first,
            last,
            after: after === undefined ? undefined : cursors[after],
            before: before === undefined ? undefined : cursors[before],
          }),
        );
        const between = ids.slice(after === undefined ? 0 : after + 1, before);
        const expected = last === undefined ? between.slice(0, first) : between.slice(-last);
        const cursorOf = (id: string | undefined) => (id === undefined ? null : cursors[ids.indexOf(id)]);
        expect({ nodes: page.nodes.map(({ id }: any) => id), pageInfo: page.pageInfo }).toEqual({
          nodes: expected,
          pageInfo: {
            hasNextPage: last === undefined ? between.length > first : before !== undefined,
            hasPreviousPage: last === undefined ? after !== undefined : between.length > last,
            startCursor: cursorOf(expected[0]),
            endCursor: cursorOf(expected.at(-1)),
          },
        });
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  [{ last: 0 }, "last"],
  [{ last: 501 }, "last"],
  [{ before: "x" }, "before"],
  [{ last: 1, offset: 1 }, "offset"],
])("%j is rejected, and the field is named", async (variables, field) => {
  const { errors } = await tenant.graphql(
    "query ($last: Int, $before: String, $offset: Int) { assets(last: $last, before: $before, offset: $offset) { totalCount nodes { id } } }",
    variables,
  );
  expect(errors?.map(({ extensions }) => [extensions.code, Object.keys(extensions.details)])).toEqual([["BAD_USER_INPUT", [field]]]);
});

test("null means the default size, because clients that page both ways send it", async () => {
  const query = `query ($first: Int, $last: Int, $scope: ComponentScope) {
    assets(first: $first, last: $last) { nodes { id components(first: $first, last: $last, scope: $scope) { nodes { id } } } } }`;
  const sizes = async (variables: object) => {
    const { assets } = await tenant.ask(query, { first: null, scope: null, ...variables });
    return [assets.nodes.length, assets.nodes.find(({ id }: any) => id === assetId)?.components.nodes.length];
  };
  expect(await sizes({})).toEqual([15, 9]);
  expect(await sizes({ last: 15 })).toEqual([15, 9]);
  expect((await sizes({ last: 2 }))[0]).toBe(2);
});
