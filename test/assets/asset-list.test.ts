/** Lists of assets: grouped over REST with tokens at three levels, as a connection over GraphQL, and by site and area. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

/** Lists are sorted byte by byte. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const sortedBy = <T extends Record<string, any>>(rows: T[], ...columns: string[]): T[] =>
  [...rows].sort((a, b) => columns.map((column) => compare(a[column], b[column])).find((order) => order !== 0) ?? 0);

/** site, area, name: sites in byte order ("" first, "alpha" after "Süd"), one area name at two sites, equal names, groups of one. */
const places: [string, string, string[]][] = [
  ["Nord", "Halle 1", ["P-1", "P-2", "P-3", "P-10", "P-2", "Ä-1", "a-1"]],
  ["", "", ["loose 2", "loose 1", "loose 3"]],
  ["alpha", "Halle 1", ["Z"]],
  ["Süd", "Halle 1", ["P-1", "P-1", "P-1", "P-4", "P-5"]],
  ["Nord", "", ["P-7", "P-6"]],
  ["Nord", "Halle 2", ["P-8"]],
  ["", "Yard", ["crane", "fork lift"]],
  ["Süd", "Hof", ["Q-1", "Q-2", "Q-3", "Q-4", "Q-5", "Q-6", "Q-7", "Q-8", "Q-9"]],
  ["Ost", "A", ["1", "2", "3", "4"]],
  ["Ost", "B", ["1", "2", "3", "4"]],
  ["Süd", "halle 3", ["x", "y"]],
];
const fields = places.flatMap(([site, area, names]) => names.map((name, i) => ({ site, area, name, type: i % 2 ? "pump" : "fan" })));

async function plant(): Promise<{ tenant: Caller; all: any[] }> {
  const tenant = await gateway.newTenant();
  for (const one of fields) await tenant.createAsset(one);
  const { assets } = await tenant.ask("{ assets(first: 500) { nodes { id name site area type createdAt updatedAt } } }");
  return { tenant, all: assets.nodes };
}

const flat = (body: any): any[] => body.items.flatMap((site: any) => site.areas.flatMap((area: any) => area.assets));
const idsOf = (rows: any[]): string[] => rows.map((row) => row.assetId ?? row.id);
const query = (parameters: Record<string, unknown>) =>
  `/assets?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined) as never)}`;

async function page(tenant: Caller, parameters: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await tenant.rest("GET", query(parameters));
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** All pages from a token on. `tokenOf` returns the token of the list, site or area. */
async function allPages(tenant: Caller, parameters: Record<string, unknown>, tokenOf: (body: any) => string | null): Promise<any[]> {
  const pages = [];
  for (let nextToken = parameters.nextToken as string | null | undefined; nextToken !== null; ) {
    const body = await page(tenant, { ...parameters, nextToken });
    pages.push(body);
    nextToken = tokenOf(body);
    expect(pages.length, "pagination ends").toBeLessThan(200);
  }
  return pages;
}
const ofList = (body: any) => body.nextToken;
const ofSite = (body: any) => body.items[0].nextToken;
const ofArea = (body: any) => body.items[0].areas[0].nextToken;

async function expectInvalid(tenant: Caller, path: string, field: string) {
  const { status, body } = await tenant.rest("GET", path);
  expect({ path, status, body }).toEqual({
    path,
    status: 400,
    body: { error: "Invalid input", details: { [field]: expect.any(String) }, code: "BAD_USER_INPUT", requestId: expect.any(String) },
  });
}

describe("grouped list", () => {
  let tenant: Caller;
  let expected: any[];
  beforeAll(async () => {
    const created = await plant();
    tenant = created.tenant;
    expected = sortedBy(created.all, "site", "area", "name", "id");
  });
  const after = (assetId: string, within: (row: any) => boolean) => {
    const rows = expected.slice(idsOf(expected).indexOf(assetId) + 1).filter(within);
    return idsOf(rows);
  };

  test("a single page has every asset once, ordered by site, area, name, id, with null tokens at all levels", async () => {
    const body = await page(tenant);
    expect(idsOf(flat(body))).toEqual(idsOf(expected));
    expect(body.items.map((site: any) => [site.site, site.areas.map((area: any) => area.name)])).toEqual([
      ["", ["", "Yard"]],
      ["Nord", ["", "Halle 1", "Halle 2"]],
      ["Ost", ["A", "B"]],
      ["Süd", ["Halle 1", "Hof", "halle 3"]],
      ["alpha", ["Halle 1"]],
    ]);
    expect(
      JSON.stringify(body)
        .match(/"nextToken":[^,}\]]+/g)!
        .every((token) => token === '"nextToken":null'),
    ).toBe(true);
    for (const site of body.items)
      for (const area of site.areas) for (const asset of area.assets) expect([asset.site, asset.area]).toEqual([site.site, area.name]);
  });

  test("a tenant without assets has no groups", async () => {
    expect(await page(await gateway.newTenant())).toEqual({ items: [], nextToken: null });
  });

  describe.each([1, 2, 3, 4, 5, 6, 7])("in pages of %i", (limit) => {
    test("the top-level tokens page through the whole list: every asset once, full pages, no empty groups", async () => {
      const pages = await allPages(tenant, { limit }, ofList);
      expect(idsOf(pages.flatMap(flat))).toEqual(idsOf(expected));
      expect(pages.slice(0, -1).every((body) => flat(body).length === limit)).toBe(true);
      for (const body of pages) {
        expect(new Set(body.items.map((site: any) => site.site)).size).toBe(body.items.length);
        for (const site of body.items) {
          expect(new Set(site.areas.map((area: any) => area.name)).size).toBe(site.areas.length);
          for (const area of site.areas) expect(area.assets.length).toBeGreaterThan(0);
        }
      }
    });

    test("a site's token continues only that site, an area's only that area; null at its end", async () => {
      const continued = new Set<string>();
      for (const body of await allPages(tenant, { limit }, ofList)) {
        for (const { site, areas, nextToken } of body.items) {
          const last = areas.at(-1).assets.at(-1).assetId;
          const restOfSite = after(last, (row) => row.site === site);
          expect(nextToken === null).toBe(restOfSite.length === 0);
          // Follows each site and area once, wherever its first page ends.
          if (nextToken && !continued.has(site)) {
            continued.add(site);
            const pages = await allPages(tenant, { limit, nextToken }, ofSite);
            expect(idsOf(pages.flatMap(flat))).toEqual(restOfSite);
            const [next] = pages;
            const [area] = next.items[0].areas.slice(-1);
            const restOfArea = after(area.assets.at(-1).assetId, (row) => row.site === site && row.area === area.name);
            expect(area.nextToken === null).toBe(restOfArea.length === 0);
            if (area.nextToken)
              expect(idsOf((await allPages(tenant, { limit, nextToken: area.nextToken }, ofArea)).flatMap(flat))).toEqual(restOfArea);
          }
          for (const area of areas) {
            const restOfArea = after(area.assets.at(-1).assetId, (row) => row.site === site && row.area === area.name);
            expect(area.nextToken === null).toBe(restOfArea.length === 0);
            if (area.nextToken && !continued.has(`${site}/${area.name}`)) {
              continued.add(`${site}/${area.name}`);
              expect(idsOf((await allPages(tenant, { limit, nextToken: area.nextToken }, ofArea)).flatMap(flat))).toEqual(restOfArea);
            }
          }
        }
      }
    });

    test("offset skips assets, and tokens continue from there", async () => {
      for (const offset of [0, 1, 9, 38, 39, 40, 41, 1000]) {
        expect(idsOf((await allPages(tenant, { limit, offset }, ofList)).flatMap(flat))).toEqual(idsOf(expected.slice(offset)));
      }
    });
  });

  test("tokens page through a filtered list, and the page size may change between pages", async () => {
    const fans = idsOf(expected.filter((row) => row.type === "fan"));
    const first = await page(tenant, { limit: 3, type: "fan", search: "p-" });
    const rest = await page(tenant, { limit: 1000, type: "fan", search: "p-", nextToken: first.nextToken });
    const all = await page(tenant, { type: "fan", search: "p-" });
    expect(idsOf([...flat(first), ...flat(rest)])).toEqual(idsOf(flat(all)));
    expect(flat(all).every((asset) => asset.type === "fan" && /p-/i.test(asset.name))).toBe(true);
    expect(idsOf((await allPages(tenant, { limit: 4, type: "fan" }, ofList)).flatMap(flat))).toEqual(fans);
  });

  test.each([
    ["limit", ["0", "-1", "1001", "99999999999", "1.5", "ten", "NaN", "1&limit=2"]],
    ["offset", ["-1", "1.5", "x", "99999999999", "1&offset=1"]],
  ])("an out-of-range %s is 400 naming it and never silently adjusted", async (name, values) => {
    for (const value of values) await expectInvalid(tenant, `/assets?${name}=${value}`, name);
  });

  test("GraphQL has a bound of the offset, because a cursor costs less; REST takes any", async () => {
    expect((await tenant.rest("GET", "/assets?offset=20000")).body.items).toEqual([]);
    const { errors } = await tenant.graphql("query ($n: Int) { groupedAssets(offset: $n) { nextToken } }", { n: 20_000 });
    expect(errors![0]!.extensions.details).toEqual({ offset: "must be at most 10000; go on with nextToken" });
  });

  test("all invalid parameters are reported together", async () => {
    const { body } = await tenant.rest("GET", "/assets?limit=0&offset=-1");
    expect(Object.keys(body.details)).toEqual(["limit", "offset"]);
  });

  test.each(["limit=1", "limit=1000", "offset=0", "limit=", "offset=", "nextToken=", "search=", "type=&location="])(
    "an empty or in-range value is accepted: %s",
    async (text) => {
      expect((await tenant.rest("GET", `/assets?${text}`)).status).toBe(200);
    },
  );

  describe("an invalid nextToken is 400 naming nextToken", () => {
    const tokensOf = (body: any): [string, string][] => [
      ["list", body.nextToken],
      ["site", body.items[0].nextToken],
      ["area", body.items[0].areas[0].nextToken],
    ];
    const expectInvalidToken = (path: string) => expectInvalid(tenant, path, "nextToken");

    test.each([
      "x",
      "null",
      "W10",
      "%00",
      "%F0%9F%92%A9",
      "a".repeat(2000),
      Buffer.from("[1,2,3]").toString("base64url"),
      Buffer.from('{"a":1}').toString("base64url"),
      Buffer.from("[null,null,null]").toString("base64url"),
    ])("an arbitrary string: %s", (token) => expectInvalidToken(`/assets?nextToken=${token}`));

    test("from another filter, at each level and in both directions", async () => {
      const filters = ["", "&search=p", "&search=P", "&type=fan", "&location=fan"];
      for (const mine of filters.slice(0, 4)) {
        const tokens = tokensOf((await tenant.rest("GET", `/assets?limit=1${mine}`)).body).filter(([, token]) => token);
        expect(tokens.length).toBeGreaterThan(0);
        for (const [, token] of tokens)
          for (const other of filters) if (other !== mine) await expectInvalidToken(`/assets?nextToken=${token}${other}`);
      }
    });

    test("from another tenant with the same assets, at each level", async () => {
      const other = await gateway.newTenant();
      for (const name of ["1", "2"]) await other.createAsset({ site: "", area: "", name });
      for (const [, token] of tokensOf(await page(other, { limit: 1 }))) {
        expect(token).toBeTruthy();
        await expectInvalidToken(query({ nextToken: token }));
      }
    });

    test("from another kind of list", async () => {
      const { assets, components } = await tenant.ask(
        "{ assets(first: 1) { pageInfo { endCursor } } components(first: 1) { pageInfo { endCursor } } }",
      );
      for (const { endCursor } of [assets.pageInfo, components.pageInfo].filter(({ endCursor }) => endCursor))
        await expectInvalidToken(`/assets?nextToken=${endCursor}`);
    });

    test("modified in any way", async () => {
      const decode = (token: string) => JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      for (const [, token] of tokensOf(await page(tenant, { limit: 1 }))) {
        const [site, area, cursor] = decode(token);
        const [print, ...values] = decode(cursor);
        const forged = [
          token.slice(0, -4),
          encode([site, area, encode(["x", ...values])]),
          encode(["elsewhere", area, cursor]),
          encode([site, "elsewhere", cursor]),
          encode([site, area, encode([print, ...values.slice(1)])]),
          encode([site, area, encode([print, ...values.slice(1), "a\0b"])]),
          encode([site, area, encode([print, ...values.slice(1), { a: 1 }])]),
          encode([site, area, encode([print, ...values.slice(1), ["a"]])]),
          encode([site, area, encode([print, ...values.slice(1), null])]),
        ];
        for (const nextToken of forged) await expectInvalidToken(query({ nextToken }));
      }
    });
  });
});

describe("search and filters", () => {
  let tenant: Caller;
  beforeAll(async () => {
    tenant = await gateway.newTenant();
    const assets = [
      { name: "Kühlturm ÄÖÜ", type: "Cooling Tower", location: "Dach" },
      { name: "100% duty", type: "pump", location: "Hall" },
      { name: "100 duty", type: "pump", location: "hall" },
      { name: "A_B", type: "fan", serialNumber: "SN-4711" },
      { name: "AxB", type: "fan", manufacturer: "Müller & Söhne" },
      { name: "C:\\temp", type: "fan", model: "Etanorm 80" },
      { name: "quote ' \" ?", type: "fan", description: "feeds the Boiler" },
      { name: "Насос", type: "fan", site: "North", category: "unsearched-category" },
    ];
    for (const asset of assets) await tenant.createAsset(asset);
  });
  const found = async (parameters: Record<string, unknown>) =>
    flat(await page(tenant, parameters))
      .map(({ name }) => name)
      .sort();

  test.each<[string, string[]]>([
    ["KÜHLTURM", ["Kühlturm ÄÖÜ"]],
    ["äöü", ["Kühlturm ÄÖÜ"]],
    ["НАСОС", ["Насос"]],
    ["müLLER", ["AxB"]],
    ["%", ["100% duty"]],
    ["0% D", ["100% duty"]],
    ["100%duty", []],
    ["_", ["A_B"]],
    ["a_b", ["A_B"]],
    ["axb", ["AxB"]],
    ["\\", ["C:\\temp"]],
    ["\\%", []],
    ["' \" ?", ["quote ' \" ?"]],
    ["cooling t", ["Kühlturm ÄÖÜ"]],
    ["dach", ["Kühlturm ÄÖÜ"]],
    ["sn-47", ["A_B"]],
    ["etanorm", ["C:\\temp"]],
    ["boiler", ["quote ' \" ?"]],
    ["no such thing", []],
  ])("search for %s finds a case-insensitive substring of names, numbers, locations and descriptions", async (search, names) => {
    expect(await found({ search })).toEqual(names);
    const { assets } = await tenant.ask("query ($search: String) { assets(filter: { search: $search }) { nodes { name } totalCount } }", {
      search,
    });
    expect(assets).toEqual({ nodes: names.map((name) => ({ name })), totalCount: names.length });
  });

  test("a match does not span two fields", async () => {
    expect(await found({ search: "duty pump" })).toEqual([]);
    expect(await found({ search: "dutypump" })).toEqual([]);
  });

  test("search finds updated values", async () => {
    const { id } = await tenant.createAsset({ name: "before" });
    await tenant.rest("PUT", `/assets/${id}`, { name: "afterwards" });
    expect([await found({ search: "before" }), await found({ search: "AFTERWARDS" })]).toEqual([[], ["afterwards"]]);
    await tenant.rest("DELETE", `/assets/${id}`);
    expect(await found({ search: "afterwards" })).toEqual([]);
  });

  test("type and location match exactly, and filters combine with AND", async () => {
    expect(await found({ type: "pump" })).toEqual(["100 duty", "100% duty"]);
    expect(await found({ type: "pum" })).toEqual([]);
    expect(await found({ location: "hall" })).toEqual(["100 duty"]);
    expect(await found({ type: "pump", location: "Hall", search: "duty" })).toEqual(["100% duty"]);
    expect(await found({ type: "fan", location: "Hall" })).toEqual([]);
  });

  test.each(["search", "type", "location"])("a repeated %s is 400 naming it", (name) =>
    expectInvalid(tenant, `/assets?${name}=a&${name}=b`, name),
  );

  test("every condition of the GraphQL filter selects by its field", async () => {
    const owner = await gateway.newTenant();
    const matching = { name: "this", type: "T", location: "L", category: "C", criticality: "K", status: "offline", site: "S", area: "A" };
    await owner.createAsset(matching);
    const { name, ...conditions } = matching;
    for (const [field, value] of Object.entries(conditions))
      await owner.createAsset({ ...matching, name: `not ${field}`, [field]: field === "status" ? "pending" : `${value}2` });
    for (const [field, value] of Object.entries(conditions)) {
      const filter = { [field]: field === "status" ? "OFFLINE" : value };
      const { assets } = await owner.ask("query ($filter: AssetFilter) { assets(filter: $filter) { nodes { name } totalCount } }", {
        filter,
      });
      expect(assets.nodes.map((node: any) => node.name)).not.toContain(`not ${field}`);
      expect(assets.totalCount).toBe(7);
    }
    const { assets } = await owner.ask("query ($filter: AssetFilter) { assets(filter: $filter) { nodes { name } } }", {
      filter: { ...conditions, status: "OFFLINE" },
    });
    expect(assets.nodes).toEqual([{ name }]);
    const { assets: none } = await owner.ask('{ assets(filter: { site: "" }) { totalCount } }');
    expect(none.totalCount).toBe(0);
  });
});

const connection = `query ($first: Int!, $after: String, $offset: Int, $filter: AssetFilter, $orderBy: AssetOrder) {
  assets(first: $first, after: $after, offset: $offset, filter: $filter, orderBy: $orderBy) {
    nodes { id } edges { cursor node { id } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

async function allPagesOfConnection(tenant: Caller, variables: Record<string, unknown>): Promise<any[]> {
  const pages = [];
  for (let after = variables.after; ; ) {
    const { assets } = await tenant.ask(connection, { ...variables, after });
    pages.push(assets);
    if (!assets.pageInfo.hasNextPage) return pages;
    after = assets.pageInfo.endCursor;
    expect(pages.length, "pagination ends").toBeLessThan(500);
  }
}

describe("assets connection", () => {
  let tenant: Caller;
  let all: any[];
  beforeAll(async () => {
    tenant = (await plant()).tenant;
    // The order of updates differs from the order of creation.
    const { assets } = await tenant.ask("{ assets(first: 500) { nodes { id } } }");
    for (const { id } of assets.nodes.filter((_: unknown, i: number) => i % 3 === 0).reverse())
      await tenant.rest("PUT", `/assets/${id}`, { description: "updated" });
    all = (await tenant.ask("{ assets(first: 500) { nodes { id name site area createdAt updatedAt } } }")).assets.nodes;
  });

  const columns = {
    CREATED_AT: ["createdAt", "id"],
    UPDATED_AT: ["updatedAt", "id"],
    NAME: ["name", "id"],
    LOCATION: ["site", "area", "name", "id"],
  };
  const orders = Object.keys(columns).flatMap((field) => ["ASC", "DESC"].map((direction) => ({ field, direction })));

  test.each(orders)("ordered by $field $direction: pages of any size and any offset return the same sequence", async (orderBy) => {
    const ascending = sortedBy(all, ...columns[orderBy.field as keyof typeof columns]);
    const expected = idsOf(orderBy.direction === "ASC" ? ascending : ascending.reverse());
    for (const first of [1, 7, 39, 40, 500]) {
      const pages = await allPagesOfConnection(tenant, { first, orderBy });
      expect(idsOf(pages.flatMap(({ nodes }) => nodes))).toEqual(expected);
      for (const [i, { nodes, edges, totalCount, pageInfo }] of pages.entries()) {
        expect(edges.map(({ node }: any) => node)).toEqual(nodes);
        expect(totalCount).toBe(all.length);
        expect(pageInfo).toEqual({
          hasNextPage: i < pages.length - 1,
          hasPreviousPage: i > 0,
          startCursor: edges[0].cursor,
          endCursor: edges.at(-1).cursor,
        });
      }
    }
    const [{ edges }] = (await allPagesOfConnection(tenant, { first: 500, orderBy })) as [any];
    for (const at of [0, 5, all.length - 1]) {
      const { assets } = await tenant.ask(connection, { first: 3, after: edges[at].cursor, orderBy });
      expect(idsOf(assets.nodes)).toEqual(expected.slice(at + 1, at + 4));
    }
    for (const offset of [0, 5, all.length - 1, all.length, 1000]) {
      const { assets } = await tenant.ask(connection, { first: 3, offset, orderBy });
      expect(idsOf(assets.nodes)).toEqual(expected.slice(offset, offset + 3));
      expect(assets.pageInfo).toMatchObject({ hasNextPage: offset + 3 < all.length, hasPreviousPage: offset > 0 });
    }
  });

  test("the default order is newest last", async () => {
    const ids = idsOf(sortedBy(all, "createdAt", "id"));
    for (const orderBy of [undefined, null, {}])
      expect(idsOf((await tenant.ask(connection, { first: 500, orderBy })).assets.nodes)).toEqual(ids);
  });

  test("defaults of variables and input fields apply", async () => {
    const named = idsOf(sortedBy(all, "name", "id")).slice(0, 5);
    for (const [text, variables] of [
      [
        "query ($first: Int! = 5, $orderBy: AssetOrder = { field: NAME }) { assets(first: $first, orderBy: $orderBy) { nodes { id } } }",
        undefined,
      ],
      ["query ($orderBy: AssetOrder) { assets(first: 5, orderBy: $orderBy) { nodes { id } } }", { orderBy: { field: "NAME" } }],
      ["{ assets(first: 5, orderBy: { field: NAME }) { nodes { id } } }", undefined],
    ] as const) {
      expect(idsOf((await tenant.ask(text, variables)).assets.nodes)).toEqual(named);
    }
  });

  test("totalCount counts the filtered list, not the page", async () => {
    const { assets } = await tenant.ask(connection, { first: 1, filter: { site: "Ost" } });
    expect([assets.nodes.length, assets.totalCount]).toEqual([1, 8]);
  });

  test("an empty list has no cursors", async () => {
    const { assets } = await tenant.ask(connection, { first: 5, filter: { site: "nowhere" } });
    expect(assets).toEqual({
      nodes: [],
      edges: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test("a cursor of another order, direction, filter, list or tenant, or an arbitrary string, is BAD_USER_INPUT naming after", async () => {
    await tenant.createComponent();
    const other = (await plant()).tenant;
    const end = async (caller: Caller, variables: Record<string, unknown> = {}) =>
      (await caller.ask(connection, { first: 1, ...variables })).assets.pageInfo.endCursor;
    const nested = await tenant.ask(`{
      components(first: 1) { pageInfo { endCursor } } sites { assets(first: 1) { pageInfo { endCursor } } areas { assets(first: 1) { pageInfo { endCursor } } } }
      groupedAssets(limit: 1) { nextToken items { nextToken areas { nextToken } } }
    }`);
    const foreign = [
      await end(tenant, { orderBy: { field: "NAME" } }),
      await end(tenant, { orderBy: { field: "CREATED_AT", direction: "DESC" } }),
      await end(tenant, { filter: { type: "fan" } }),
      await end(tenant, { filter: { search: "p" } }),
      await end(other),
      nested.components.pageInfo.endCursor,
      nested.sites[0].assets.pageInfo.endCursor,
      nested.sites[0].areas[0].assets.pageInfo.endCursor,
      nested.groupedAssets.nextToken,
      nested.groupedAssets.items[0].nextToken,
      "garbage",
      "W10",
      Buffer.from('["x","2024-01-01T00:00:00Z","id"]').toString("base64url"),
    ];
    for (const after of foreign) {
      expect(after).toBeTruthy();
      const { data, errors } = await tenant.graphql(connection, { first: 1, after });
      expect({ after, data, extensions: errors?.map(({ extensions }) => extensions) }).toEqual({
        after,
        data: { assets: null },
        extensions: [{ code: "BAD_USER_INPUT", details: { after: expect.any(String) } }],
      });
    }
    expect(await end(tenant, { after: await end(tenant) })).toBeTruthy();
  });

  test("a modified cursor is BAD_USER_INPUT, never an internal error", async () => {
    const { assets } = await tenant.ask(connection, { first: 1 });
    const [print, createdAt, id] = JSON.parse(Buffer.from(assets.pageInfo.endCursor, "base64url").toString("utf8"));
    for (const values of [
      ["not a time", id],
      [createdAt, "a\0b"],
      [{}, id],
      [null, id],
      ["999999-01-01", id],
    ]) {
      const after = Buffer.from(JSON.stringify([print, ...values])).toString("base64url");
      const { errors } = await tenant.graphql(connection, { first: 1, after });
      expect({ values, code: errors?.[0]?.extensions.code }).toEqual({ values, code: "BAD_USER_INPUT" });
    }
  });

  test.each([
    [{ first: 0 }, "first"],
    [{ first: -1 }, "first"],
    [{ first: 501 }, "first"],
    [{ first: 1, offset: -1 }, "offset"],
  ])("%j is BAD_USER_INPUT naming %s", async (variables, field) => {
    const { data, errors } = await tenant.graphql(connection, variables);
    expect(data ?? null).toBeNull();
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: "BAD_USER_INPUT", details: { [field]: expect.any(String) } }]);
  });
});

describe("sites and areas", () => {
  test("sites and areas are those of the assets, sorted, with counts and a connection of assets", async () => {
    const { tenant, all } = await plant();
    const expected = sortedBy(all, "site", "area", "name", "id");
    const deleted = expected.find(({ site }) => site === "alpha")!;
    const nested = "assets(first: 500) { nodes { id } totalCount }";
    const text = `{ sites { name assetCount ${nested} areas { name site assetCount ${nested} } } }`;
    const groups = (column: "site" | "area", rows: any[]) =>
      [...new Set(rows.map((row) => row[column]))].map((name) => ({ name, rows: rows.filter((row) => row[column] === name) }));
    const connectionOf = (rows: any[]) => ({
      assetCount: rows.length,
      assets: { nodes: rows.map(({ id }) => ({ id })), totalCount: rows.length },
    });
    const tree = (rows: any[]) =>
      groups("site", rows).map(({ name: site, rows }) => ({
        name: site,
        ...connectionOf(rows),
        areas: groups("area", rows).map(({ name, rows }) => ({ name, site, ...connectionOf(rows) })),
      }));
    expect((await tenant.ask(text)).sites).toEqual(tree(expected));
    await tenant.rest("DELETE", `/assets/${deleted.id}`);
    expect((await tenant.ask(text)).sites).toEqual(tree(expected.filter((row) => row !== deleted)));
    expect((await tenant.ask('{ site(name: "Ost") { name assetCount areas { name assetCount } } }')).site).toEqual({
      name: "Ost",
      assetCount: 8,
      areas: [
        { name: "A", assetCount: 4 },
        { name: "B", assetCount: 4 },
      ],
    });
    expect((await tenant.ask('{ site(name: "") { assetCount } }')).site).toEqual({ assetCount: 5 });
  });

  test("a site and an area have their own cursors, which are not interchangeable", async () => {
    const { tenant, all } = await plant();
    const expected = sortedBy(all, "site", "area", "name", "id");
    const text = `query ($after: String, $inArea: String) { site(name: "Süd") {
      assets(first: 4, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
      areas { name assets(first: 4, after: $inArea) { nodes { id } pageInfo { hasNextPage endCursor } } }
    } }`;
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const { nodes, pageInfo } = (await tenant.ask(text, { after })).site.assets;
      ids.push(...idsOf(nodes));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(ids).toEqual(idsOf(expected.filter(({ site }) => site === "Süd")));

    const { site } = await tenant.ask(text);
    const hof = site.areas.find(({ name }: any) => name === "Hof");
    const { data, errors } = await tenant.graphql(
      `query ($inArea: String) { site(name: "Süd") { areas { name assets(first: 4, after: $inArea) { nodes { id } } } } }`,
      { inArea: hof.assets.pageInfo.endCursor },
    );
    expect(data).toEqual({ site: null });
    expect(errors?.map(({ extensions }) => extensions.code)).toContain("BAD_USER_INPUT");
    const { errors: mixed } = await tenant.graphql(text, { after: hof.assets.pageInfo.endCursor });
    expect(mixed?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", details: { after: expect.any(String) } });
  });
});

test("pages of any size return the same sequence as one large page while rows are added at the end", async () => {
  const { tenant } = await plant();
  let inserted = 0;
  /** Adds an asset that is last by creation time and by site and area. */
  const insert = () => tenant.createAsset({ site: "~", area: "~", name: `~${String(++inserted).padStart(5, "0")}` });
  /** Follows `next` to the last page and adds a row after each of the first `inserts` pages. Returns the ids in order. */
  async function idsOfAllPages(inserts: number, next: (token: any) => Promise<{ ids: string[]; token: string | null }>) {
    const seen: string[] = [];
    for (let token: string | null | undefined; token !== null; ) {
      const step = await next(token);
      seen.push(...step.ids);
      token = step.token;
      if (token && inserts-- > 0) await insert();
    }
    return seen;
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 3 }), fc.boolean(), async (size, inserts, overRest) => {
      const seen = await idsOfAllPages(inserts, async (token) => {
        if (overRest) {
          const body = await page(tenant, { limit: size, nextToken: token });
          return { ids: idsOf(flat(body)), token: body.nextToken };
        }
        const { assets } = await tenant.ask(connection, { first: size, after: token });
        return { ids: idsOf(assets.nodes), token: assets.pageInfo.hasNextPage ? assets.pageInfo.endCursor : null };
      });
      const whole = overRest ? flat(await page(tenant, { limit: 1000 })) : (await tenant.ask(connection, { first: 500 })).assets.nodes;
      expect(seen).toEqual(idsOf(whole));
    }),
    { numRuns: 25 },
  );
});
