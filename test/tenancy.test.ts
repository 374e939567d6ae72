/** One tenant never sees or changes another's records, whatever it sends; the database itself refuses it. */
import { randomUUID } from "node:crypto";
import { buildClientSchema, type GraphQLInputType, getIntrospectionQuery, getNamedType, isInputObjectType, isObjectType } from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "./world.js";

const gateway = await startGateway();

/** What a client can name of a tenant: ids, live and deleted, and the places in its lists. */
interface Names {
  asset: string;
  component: string;
  deletedAsset: string;
  deletedComponent: string;
  key: string;
  listToken: string;
  siteToken: string;
  areaToken: string;
  assetCursor: string;
  componentCursor: string;
  assetsOfSite: string;
  assetsOfArea: string;
  componentsOfAsset: string;
  children: string;
}

interface Plant extends Names {
  tenant: Caller;
}

/** A tenant with two of everything; every plant names its places alike. */
async function plant(): Promise<Plant> {
  const tenant = await gateway.newTenant();
  const place = { site: "North", area: "Hall" };
  const { id: asset } = await tenant.createAsset({ ...place, serialNumber: "SN-1" });
  await tenant.createAsset(place);
  await tenant.createAsset({ site: "South" });
  const { id: component } = await tenant.createComponent({ assetId: asset });
  await tenant.createComponent({ assetId: asset });
  for (let i = 0; i < 2; i++) await tenant.createComponent({ parentId: component });
  const { id: deletedAsset } = await tenant.createAsset();
  const { id: deletedComponent } = await tenant.createComponent({ assetId: asset });
  await tenant.rest("DELETE", `/assets/${deletedAsset}`);
  await tenant.rest("DELETE", `/components/${deletedComponent}`);
  const page = "(first: 1) { pageInfo { endCursor } }";
  const { createApiKey } = await tenant.ask('mutation { createApiKey(input: { name: "spare", role: VIEWER }) { apiKey { id } } }');
  const lists = await tenant.ask(
    `query ($asset: ID!, $component: ID!) {
      groupedAssets(limit: 1, filter: { search: "p" }) { nextToken items { nextToken areas { nextToken } } }
      assets${page} components${page} site(name: "North") { assets${page} areas { assets${page} } }
      asset(id: $asset) { components${page} } component(id: $component) { children${page} }
    }`,
    { asset, component },
  );
  const end = ({ pageInfo }: any) => pageInfo.endCursor;
  return {
    tenant,
    asset,
    component,
    deletedAsset,
    deletedComponent,
    key: createApiKey.apiKey.id,
    listToken: lists.groupedAssets.nextToken,
    siteToken: lists.groupedAssets.items[0].nextToken,
    areaToken: lists.groupedAssets.items[0].areas[0].nextToken,
    assetCursor: end(lists.assets),
    componentCursor: end(lists.components),
    assetsOfSite: end(lists.site.assets),
    assetsOfArea: end(lists.site.areas[0].assets),
    componentsOfAsset: end(lists.asset.components),
    children: end(lists.component.children),
  };
}

const tables = ["Asset", "Component", "AssetStatusChange", "ApiKey"];
/** Of keys all but their last use, which is noted a moment after it. */
async function stateOf({ tenant }: Plant) {
  const state = (await tenant.snapshot(...tables)) as Record<string, any[]>;
  return { ...state, ApiKey: state.ApiKey!.map(({ lastUsedAt, ...row }) => row) };
}

/** Comparable: without the request, the name asked for, and what is new with every answer. */
const comparable = (answer: unknown, name: string) =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/,?"requestId":"[^"]+"/g, "")
      .replaceAll(name, "<name>")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(/"position":\d+/g, '"position":0'),
  );

/** `ask` answers the same for another tenant's name as for an unknown one, and changes nothing on either side. */
async function answersAsUnknown(
  mine: Plant,
  theirs: Plant,
  kind: keyof Names,
  ask: (name: string) => Promise<unknown>,
  mayChangeMine = false,
) {
  const unknown = randomUUID();
  const before = [await stateOf(mine), await stateOf(theirs)];
  const reference = comparable(await ask(unknown), unknown);
  const answer = await ask(theirs[kind]);
  expect(comparable(answer, theirs[kind])).toEqual(reference);
  expect(JSON.stringify(answer)).not.toContain(theirs.tenant.tenantId);
  const after = [await stateOf(mine), await stateOf(theirs)];
  expect(after[1]).toEqual(before[1]);
  if (!mayChangeMine) expect(after[0]).toEqual(before[0]);
  return reference;
}

/** Two plants that every test leaves as they are; one that changes its own takes a fresh one. */
let theirs: Plant;
let shared: Plant;
beforeAll(async () => {
  [theirs, shared] = [await plant(), await plant()];
});

describe("REST", () => {
  const component = { name: "Motor", type: "motor" };
  type Send = (name: string, mine: Plant) => [path: string, body?: unknown];
  type Row = [kind: keyof Names, outcome: 400 | 404 | "nothing" | "ignored", send: Send];
  const ofAsset = (send: Send): Row => ["asset", 404, send];
  const ofComponent = (send: Send): Row => ["component", 404, send];

  /** By method, path and the parameter or body field that names something. */
  const routes: Record<string, Row | "names nothing"> = {
    "GET /assets nextToken": ["listToken", 400, (token) => [`/assets?search=p&nextToken=${token}`]],
    "POST /assets": "names nothing",
    "GET /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`]),
    "PUT /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`, { name: "Taken" }]),
    "DELETE /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`]),
    "GET /components assetId": ["asset", "nothing", (id) => [`/components?assetId=${id}`]],
    "GET /components parentId": ["component", "nothing", (id) => [`/components?parentId=${id}`]],
    "POST /components assetId": ["asset", 400, (id) => ["/components", { ...component, assetId: id }]],
    "POST /components parentId": ["component", 400, (id) => ["/components", { ...component, parentId: id }]],
    "POST /components parentComponentId": ["component", 400, (id) => ["/components", { ...component, parentComponentId: id }]],
    "POST /components/bulk componentIds": [
      "component",
      "nothing",
      (id) => ["/components/bulk", { operation: "delete", componentIds: [id] }],
    ],
    "POST /components/bulk data.assetId": [
      "asset",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { assetId: id } }],
    ],
    "POST /components/bulk data.parentId": [
      "component",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { parentId: id } }],
    ],
    "POST /components/bulk data.parentComponentId": [
      "component",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { parentComponentId: id } }],
    ],
    "GET /components/tree/{rootId} rootId": ofComponent((id) => [`/components/tree/${id}`]),
    "GET /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`]),
    "PUT /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`, { status: "failed" }]),
    "PUT /components/{componentId} assetId": ["asset", 400, (id, mine) => [`/components/${mine.component}`, { assetId: id }]],
    "PUT /components/{componentId} parentId": ["component", 400, (id, mine) => [`/components/${mine.component}`, { parentId: id }]],
    "PUT /components/{componentId} parentComponentId": [
      "component",
      400,
      (id, mine) => [`/components/${mine.component}`, { parentComponentId: id }],
    ],
    "DELETE /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`]),
    "GET /components/{componentId}/children componentId": ofComponent((id) => [`/components/${id}/children`]),
    "POST /components/{componentId}/children componentId": ofComponent((id) => [`/components/${id}/children`, component]),
    "POST /components/{componentId}/children assetId": [
      "asset",
      400,
      (id, mine) => [`/components/${mine.component}/children`, { ...component, assetId: id }],
    ],
    "POST /components/{componentId}/children parentId": [
      "component",
      "ignored",
      (id, mine) => [`/components/${mine.component}/children`, { ...component, parentId: id }],
    ],
    "POST /components/{componentId}/children parentComponentId": [
      "component",
      "ignored",
      (id, mine) => [`/components/${mine.component}/children`, { ...component, parentComponentId: id }],
    ],
    "GET /components/{componentId}/descendants componentId": ofComponent((id) => [`/components/${id}/descendants`]),
    "GET /components/{componentId}/ancestors componentId": ofComponent((id) => [`/components/${id}/ancestors`]),
    "PUT /components/{componentId}/move componentId": ofComponent((id) => [`/components/${id}/move`, { position: 0 }]),
    "PUT /components/{componentId}/move newParentId": [
      "component",
      400,
      (id, mine) => [`/components/${mine.component}/move`, { newParentId: id }],
    ],
  };
  const named = Object.entries(routes).filter((entry): entry is [string, Row] => typeof entry[1] !== "string");
  const methodOf = (name: string) => name.split(" ")[0]!;

  test("the table above has every route of /openapi.json with everything in it that names something", async () => {
    const isName = (name: string) => /(^|[a-z])ids?$|token$|cursor$/i.test(name);
    const inBody = (schema: any, prefix = ""): string[] =>
      Object.entries<any>(schema?.properties ?? {}).flatMap(([name, property]) => [
        ...(isName(name) ? [prefix + name] : []),
        ...[property, ...(property.anyOf ?? [])].flatMap((one) => inBody(one, `${prefix}${name}.`)),
      ]);
    const { paths } = (await gateway.rest("GET", "/openapi.json")).body;
    const found = Object.entries<any>(paths).flatMap(([path, operations]) =>
      Object.entries<any>(operations).flatMap(([method, { parameters = [], requestBody }]) => {
        const route = `${method.toUpperCase()} ${path}`;
        const names = [
          ...parameters.map(({ name }: any) => name).filter(isName),
          ...inBody(requestBody?.content["application/json"].schema),
        ];
        return names.length ? names.map((name) => `${route} ${name}`) : [route];
      }),
    );
    expect(found.sort()).toEqual(Object.keys(routes).sort());
  });

  test.each(named)("%s: another tenant's is answered as unknown", async (name, [kind, outcome, send]) => {
    const mine = methodOf(name) === "GET" ? shared : await plant();
    const call = async (value: string) => {
      const { status, headers, body } = await mine.tenant.rest(methodOf(name), ...send(value, mine));
      return { status, warning: headers.get("warning"), body };
    };
    const unknown = await answersAsUnknown(mine, theirs, kind, call, outcome === "ignored");
    if (typeof outcome === "number") expect(unknown.status).toBe(outcome);
    if (outcome === "nothing") {
      const nothing = name.includes("bulk")
        ? { processed: 0, failed: 1, results: [{ id: "<name>", status: "failed", error: expect.any(String) }] }
        : [];
      expect(unknown).toEqual({ status: 200, warning: null, body: nothing });
    }
    if (outcome === "ignored") expect(unknown.status).toBe(201);
    // The request is a right one: with the tenant's own it is not answered so.
    if (outcome !== "ignored" && !name.includes(" data.")) {
      const own = await call(mine[kind]);
      if (outcome === 404) expect(own.status).toBeLessThan(300);
      else expect(comparable(own, mine[kind])).not.toEqual(unknown);
    }
  });

  test.each(["listToken", "siteToken", "areaToken"] as const)("a nextToken of another tenant is refused: %s", async (kind) => {
    const mine = shared;
    const path = (token: string) => `/assets?search=p&nextToken=${token}`;
    const { status, body } = await mine.tenant.rest("GET", path(theirs[kind]));
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "Invalid input", details: { nextToken: expect.any(String) }, code: "BAD_USER_INPUT", requestId: expect.any(String) },
    });
    expect((await mine.tenant.rest("GET", path(mine[kind]))).status).toBe(200);
  });

  test("the tenant comes from the key alone: not from body, query or header", async () => {
    const mine = await plant();
    const other = theirs.tenant.tenantId;
    const before = await stateOf(theirs);
    const headers = { "x-tenant-id": other, "x-tenant": other, tenant: other, tenantid: other };
    const created = await mine.tenant.rest("POST", `/assets?tenantId=${other}`, { name: "P", type: "pump", tenantId: other }, headers);
    expect(created.body.tenantId).toBe(mine.tenant.tenantId);
    const updated = await mine.tenant.rest("PUT", `/assets/${mine.asset}?tenantId=${other}`, { tenantId: other, name: "Q" }, headers);
    expect(updated.body).toMatchObject({ tenantId: mine.tenant.tenantId, name: "Q" });
    const component = await mine.tenant.rest("POST", "/components", { name: "M", type: "motor", tenantId: other }, headers);
    expect(component.body.tenantId).toBe(mine.tenant.tenantId);
    const list = await mine.tenant.rest("GET", `/assets?tenantId=${other}`, undefined, headers);
    expect(new Set(JSON.stringify(list.body).match(/t-[0-9a-f]{12}/g))).toEqual(new Set([mine.tenant.tenantId]));
    expect(await stateOf(theirs)).toEqual(before);
  });

  test("lists hold the tenant's own records alone", async () => {
    const mine = shared;
    const { body: assets } = await mine.tenant.rest("GET", "/assets?limit=1000");
    const { body: components } = await mine.tenant.rest("GET", "/components?limit=1000");
    const owners = [...assets.items.flatMap(({ areas }: any) => areas.flatMap((area: any) => area.assets)), ...components].map(
      ({ tenantId }: any) => tenantId,
    );
    expect(owners).toEqual(Array(3 + 4).fill(mine.tenant.tenantId));
  });
});

describe("GraphQL", () => {
  /** `$v` is the name in question, `$asset` and `$component` are the caller's own. */
  type Row = [kind: keyof Names, outcome: "NOT_FOUND" | "BAD_USER_INPUT" | "nothing", operation: string];
  const component = 'name: "M", type: "motor"';
  const page = "{ nodes { id tenantId } totalCount }";
  const fields: Record<string, Row> = {
    "Query.asset id": ["asset", "NOT_FOUND", "query ($v: ID!) { asset(id: $v) { id tenantId } }"],
    "Query.assets after": ["assetCursor", "BAD_USER_INPUT", `query ($v: String!) { assets(after: $v) ${page} }`],
    "Query.component id": [
      "component",
      "NOT_FOUND",
      "query ($v: ID!) { component(id: $v) { id tenantId asset { id } parent { id } ancestors { id } descendants { id } } }",
    ],
    "Query.components after": ["componentCursor", "BAD_USER_INPUT", `query ($v: String!) { components(after: $v) ${page} }`],
    "Query.components filter.assetId": ["asset", "nothing", `query ($v: ID!) { components(filter: { assetId: $v }) ${page} }`],
    "Query.components filter.parentId": ["component", "nothing", `query ($v: ID!) { components(filter: { parentId: $v }) ${page} }`],
    "Query.groupedAssets nextToken": [
      "areaToken",
      "BAD_USER_INPUT",
      'query ($v: String!) { groupedAssets(filter: { search: "p" }, nextToken: $v) { items { site } } }',
    ],
    "Asset.components after": [
      "componentsOfAsset",
      "BAD_USER_INPUT",
      `query ($v: String!, $asset: ID!) { asset(id: $asset) { components(after: $v) ${page} } }`,
    ],
    "Component.children after": [
      "children",
      "BAD_USER_INPUT",
      `query ($v: String!, $component: ID!) { component(id: $component) { children(after: $v) ${page} } }`,
    ],
    "Site.assets after": ["assetsOfSite", "BAD_USER_INPUT", `query ($v: String!) { site(name: "North") { assets(after: $v) ${page} } }`],
    "Area.assets after": [
      "assetsOfArea",
      "BAD_USER_INPUT",
      `query ($v: String!) { site(name: "North") { areas { assets(after: $v) ${page} } } }`,
    ],
    "Mutation.updateAsset id": [
      "asset",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateAsset(id: $v, input: { name: "Taken" }) { id tenantId } }',
    ],
    "Mutation.deleteAsset id": ["asset", "NOT_FOUND", "mutation ($v: ID!) { deleteAsset(id: $v) { id componentCount } }"],
    "Mutation.restoreAsset id": ["deletedAsset", "NOT_FOUND", "mutation ($v: ID!) { restoreAsset(id: $v) { id tenantId } }"],
    "Mutation.createComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      `mutation ($v: ID!) { createComponent(input: { ${component}, assetId: $v }) { id } }`,
    ],
    "Mutation.createComponent input.parentId": [
      "component",
      "BAD_USER_INPUT",
      `mutation ($v: ID!) { createComponent(input: { ${component}, parentId: $v }) { id } }`,
    ],
    "Mutation.createChildComponent parentId": [
      "component",
      "NOT_FOUND",
      `mutation ($v: ID!) { createChildComponent(parentId: $v, input: { ${component} }) { id } }`,
    ],
    "Mutation.createChildComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      `mutation ($v: ID!, $component: ID!) { createChildComponent(parentId: $component, input: { ${component}, assetId: $v }) { id } }`,
    ],
    "Mutation.createChildComponent input.parentId": [
      "component",
      "NOT_FOUND",
      `mutation ($v: ID!) { createChildComponent(parentId: $v, input: { ${component}, parentId: $v }) { id } }`,
    ],
    "Mutation.updateComponent id": [
      "component",
      "NOT_FOUND",
      "mutation ($v: ID!) { updateComponent(id: $v, input: { status: FAILED }) { id } }",
    ],
    "Mutation.updateComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $component: ID!) { updateComponent(id: $component, input: { assetId: $v, notes: "x" }) { id } }',
    ],
    "Mutation.updateComponent input.parentId": [
      "component",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $component: ID!) { updateComponent(id: $component, input: { parentId: $v, notes: "x" }) { id } }',
    ],
    "Mutation.moveComponent id": ["component", "NOT_FOUND", "mutation ($v: ID!) { moveComponent(id: $v, position: 0) { id } }"],
    "Mutation.moveComponent newParentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { moveComponent(id: $component, newParentId: $v) { id } }",
    ],
    "Mutation.moveComponent assetId": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { moveComponent(id: $component, assetId: $v) { id } }",
    ],
    "Mutation.deleteComponent id": ["component", "NOT_FOUND", "mutation ($v: ID!) { deleteComponent(id: $v) { id componentCount } }"],
    "Mutation.restoreComponent id": ["deletedComponent", "NOT_FOUND", "mutation ($v: ID!) { restoreComponent(id: $v) { id } }"],
    "Mutation.bulkComponents componentIds": [
      "component",
      "nothing",
      "mutation ($v: ID!) { bulkComponents(operation: UPDATE, componentIds: [$v], data: { status: FAILED }) { processed failed results { id status error } } }",
    ],
    "Mutation.bulkComponents data.assetId": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { bulkComponents(operation: UPDATE, componentIds: [$component], data: { assetId: $v }) { processed } }",
    ],
    "Mutation.bulkComponents data.parentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { bulkComponents(operation: UPDATE, componentIds: [$component], data: { parentId: $v }) { processed } }",
    ],
    "Mutation.rotateApiKey id": ["key", "NOT_FOUND", "mutation ($v: ID!) { rotateApiKey(id: $v) { apiKey { id } } }"],
    "Mutation.revokeApiKey id": ["key", "NOT_FOUND", "mutation ($v: ID!) { revokeApiKey(id: $v) { id revokedAt } }"],
  };
  /** Refused with the caller's own, too: a rule of another kind. */
  const refusedAnyway = new Set([
    "Mutation.updateComponent input.parentId",
    "Mutation.moveComponent newParentId",
    "Mutation.bulkComponents data.assetId",
    "Mutation.bulkComponents data.parentId",
  ]);

  test("the table above has every argument of the schema that names something", async () => {
    const schema = buildClientSchema(await theirs.tenant.ask(getIntrospectionQuery()));
    const named = (name: string, type: GraphQLInputType): string[] => {
      const inner = getNamedType(type);
      if (isInputObjectType(inner)) return Object.values(inner.getFields()).flatMap((field) => named(`${name}.${field.name}`, field.type));
      return inner.name === "ID" || /after|before|token|cursor/i.test(name) ? [name] : [];
    };
    const found = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith("__"))
      .flatMap((type: any) =>
        Object.values<any>(type.getFields()).flatMap((field) =>
          field.args.flatMap((arg: any) => named(arg.name, arg.type).map((name) => `${type.name}.${field.name} ${name}`)),
        ),
      );
    expect(found.sort()).toEqual(Object.keys(fields).sort());
  });

  test.each(Object.entries(fields))("%s: another tenant's is answered as unknown", async (name, [kind, outcome, operation]) => {
    const mine = operation.startsWith("query") ? shared : await plant();
    const call = async (v: string) => {
      const variables = { v, asset: mine.asset, component: mine.component };
      return mine.tenant.graphql(
        operation,
        Object.fromEntries(Object.entries(variables).filter(([variable]) => operation.includes(`$${variable}:`))),
      );
    };
    const unknown = await answersAsUnknown(mine, theirs, kind, call);
    if (outcome === "nothing") expect(unknown.errors).toBeUndefined();
    else expect(unknown.errors.map(({ extensions }: any) => extensions.code)).toEqual([outcome]);
    // The operation is a right one: with the tenant's own it is not answered so.
    if (refusedAnyway.has(name)) return;
    const own = await call(mine[kind]);
    expect(own.errors).toBeUndefined();
    expect(comparable(own, mine[kind])).not.toEqual(unknown);
  });

  test("sites, areas and keys of another tenant are not there", async () => {
    const mine = shared;
    await theirs.tenant.createAsset({ site: "Theirs alone" });
    const { sites, apiKeys } = await mine.tenant.ask("{ sites { name assetCount areas { name assetCount } } apiKeys { id } }");
    expect(sites).toEqual([
      { name: "North", assetCount: 2, areas: [{ name: "Hall", assetCount: 2 }] },
      { name: "South", assetCount: 1, areas: [{ name: "", assetCount: 1 }] },
    ]);
    expect(apiKeys).toHaveLength(2);
    const unknown = (site: string) => mine.tenant.graphql("query ($site: String!) { site(name: $site) { assetCount } }", { site });
    expect(comparable(await unknown("Theirs alone"), "Theirs alone")).toEqual(
      comparable(await unknown("Nowhere at all"), "Nowhere at all"),
    );
  });
});

describe("the database", () => {
  const ours = `n.nspname = 'public' and t.relkind in ('r', 'p') and t.relname <> '_prisma_migrations'`;

  test("every table's primary key and every unique index begin with tenantId", async () => {
    const tablesFound = await gateway.database.query(
      `select t.relname as name from pg_class t join pg_namespace n on n.oid = t.relnamespace where ${ours} order by 1`,
    );
    const indexes = await gateway.database.query(
      `select t.relname as table, i.relname as index, x.indisprimary as primary, a.attname as first from pg_index x
       join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid join pg_namespace n on n.oid = t.relnamespace
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0] where ${ours} and x.indisunique`,
    );
    const names = tablesFound.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["ApiKey", "Asset", "AssetStatusChange", "Component", "Tenant"]));
    expect(indexes.filter(({ first }) => first !== "tenantId")).toEqual([]);
    expect(
      indexes
        .filter(({ primary }) => primary)
        .map(({ table }) => table)
        .sort(),
    ).toEqual([...names].sort());
  });

  test("every foreign key begins with tenantId on both sides", async () => {
    const keys = await gateway.database.query(
      `select c.conname as name, a.attname as here, b.attname as there from pg_constraint c
       join pg_class t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid join pg_namespace n on n.oid = t.relnamespace
       join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1] join pg_attribute b on b.attrelid = f.oid and b.attnum = c.confkey[1]
       where ${ours} and c.contype = 'f'`,
    );
    expect(keys.filter(({ here, there }) => here !== "tenantId" || there !== "tenantId")).toEqual([]);
    expect(keys.length).toBeGreaterThan(0);
  });

  test("it refuses a reference into another tenant", async () => {
    const mine = shared;
    for (const [column, id] of [
      ["assetId", theirs.asset],
      ["parentId", theirs.component],
    ]) {
      await expect(
        gateway.database.query(`update "Component" set "${column}" = $3 where "tenantId" = $1 and id = $2`, [
          mine.tenant.tenantId,
          mine.component,
          id,
        ]),
      ).rejects.toThrow();
    }
  });
});
