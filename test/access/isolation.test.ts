/**
 * Every operation of the schema and every REST route, made from their descriptions, with the ids of everything that another tenant or another
 * site has: no answer tells of it, and nothing of it changes. An operation that its own administrator sees nothing by fails as well: it needs a
 * value in `named` or `byType`.
 */
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { tables } from "../../src/database/catalogue.js";
import { SheetName } from "../../src/schema/exchange/enums.js";
import { queued } from "../alerts/receivers.js";
import { attached } from "../files/attachments.js";
import { image, register, uploaded } from "../files/photos.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({
  ...{ WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" },
  ...{
    MAX_QUERY_COST: "100000000",
    MAX_QUERY_SELECTIONS: "100000",
    MAX_QUERY_TOKENS: "1000000",
    MAX_QUERY_DEPTH: "100",
    MAX_QUERY_ALIASES: "10000",
  },
});
const onPostgresql = gateway.database.kind === "postgresql";
const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
const description: any = await (await fetch(`${gateway.url}/openapi.json`)).json();

/** In every text that belongs to a site, and in every other one of the tenant; in no id. */
const ofSite = "Placedmark";
const ofTenant = "Sharedmark";

/** A tenant with a record of each type at the site South, and their ids by type. */
async function plant(): Promise<{ admin: Caller; ids: Record<string, string> }> {
  const admin = await gateway.newTenant();
  const asset = await admin.createAsset({
    site: "South",
    area: "Hall",
    name: `Valve ${ofSite}`,
    serialNumber: "SN-77",
    description: ofSite,
  });
  const { id: component } = await admin.createComponent({ assetId: asset.id, name: `Valve ${ofSite}`, type: ofSite });
  const { id: below } = await admin.createComponent({ parentId: component, name: `Valve below ${ofSite}` });
  const data = await admin.ask(
    `mutation ($asset: ID!) {
      createPart(input: { partNumber: "P", name: "Valve ${ofTenant}", barcode: "BC-77", category: "${ofTenant}" }) { id }
      createStrategy(input: { name: "Valve ${ofTenant}", type: PREVENTIVE, applicableAssetTypes: ["pump"] }) { id }
      createTemplate(input: { name: "Valve ${ofTenant}", type: "x", components: [{ name: "Valve", type: "x" }] }) { id }
      createApiKey(input: { name: "Valve ${ofTenant}", role: VIEWER }) { key }
      createPerson(input: { name: "Valve ${ofTenant}", email: "valve@example.com" }) { id }
      recordReadings(readings: [{ assetId: $asset, parameter: "heat ${ofSite}", value: 1 }]) { recorded }
      raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "Valve ${ofSite}", message: "${ofSite}", assetId: $asset }) { id }
      createWebhook(input: { url: "http://127.0.0.1:1/${ofTenant}", events: [NOTIFICATION_STATUS_CHANGED] }) { webhook { id } }
    }`,
    { asset: asset.id },
  );
  const more = await admin.ask(
    `mutation ($asset: ID!, $part: ID!, $notification: ID!) {
      receiveStock(partId: $part, input: { site: "South", quantity: 5, unitCost: 2, reason: "${ofSite}" }) { id }
      adjustStock(partId: $part, input: { site: "South", adjustmentType: LOSS, quantity: -1, reason: "${ofSite}" }) { id }
      createStockCount(input: { site: "South", reason: "${ofSite}" }) { id }
      numbered: receiveStock(partId: $part, input: { site: "South", quantity: 1, reason: "${ofSite}", serialNumbers: ["SN-77"], batchNumber: "${ofSite}" }) { id }
      startTransfer(partId: $part, input: { fromSite: "South", toSite: "West", quantity: 1, reason: "${ofSite}" }) { id }
      closeStockPeriod(month: "2020-01") { id }
      updateStockSettings(input: { currency: "EUR" }) { id }
      recordDowntime(input: { assetId: $asset, cause: FAILURE, startedAt: "2026-01-01", endedAt: "2026-01-02", description: "${ofSite}" }) { id }
      reportFault(input: { assetId: $asset, description: "Valve ${ofSite}" }) { id }
      setFailureCode(input: { equipmentClass: "valve", code: "sticks", kind: MODE, name: "Valve ${ofTenant}" }) { id }
      createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: DAILY, steps: [{ description: "${ofSite}" }], parts: [{ partId: $part, quantity: 1 }] }) { id }
      covering: createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: ANNUAL, anchor: "2031-01-01" }) { id }
      addNotificationFeedback(id: $notification, input: { rating: 4, comments: "${ofSite}" }) { id }
      changeNotificationStatus(id: $notification, status: ACKNOWLEDGED, reason: "${ofSite}") { id }
    }`,
    { asset: asset.id, part: data.createPart.id, notification: data.raiseNotification.id },
  );
  const { createProcedure: covered } = await admin.ask(
    `mutation ($asset: ID!, $covering: ID!) {
      createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: WEEKLY, anchor: "2031-01-01", suppressedById: $covering }) { id }
    }`,
    { asset: asset.id, covering: more.covering.id },
  );
  const further = await admin.createAsset({ site: "South", name: `Valve ${ofSite}` });
  await admin.ask("mutation ($id: ID!, $further: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $further }]) { id } }", {
    ...{ id: covered.id, further: further.id },
  });
  const { createMeter } = await admin.ask(
    `mutation ($asset: ID!) { createMeter(input: { assetId: $asset, name: "Valve ${ofSite}", kind: OTHER, unit: "${ofSite}" }) { id } }`,
    { asset: asset.id },
  );
  await admin.ask(`mutation ($id: ID!) { recordMeterReadings(readings: [{ meterId: $id, value: 1 }]) { recorded } }`, createMeter);
  const { createWorkOrder: order } = await admin.ask(
    "mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }",
    more.createProcedure,
  );
  await admin.ask(
    `mutation ($id: ID!) { addWorkOrderCost(id: $id, input: { kind: OTHER, description: "${ofSite}", amount: 1 }) { id }
      addLaborEntry(id: $id, input: { name: "${ofSite}", minutes: 1, rate: 1 }) { id } addWorkOrderComment(id: $id, text: "${ofSite}") { id } }`,
    order,
  );
  await attached(
    admin,
    { workOrderId: order.id },
    { content: "x", filename: `${ofSite}.txt`, contentType: "text/plain" },
    { description: ofSite },
  );
  const { mediaId } = await uploaded(admin, asset.id, await image());
  expect((await register(admin, asset.id, mediaId, { filename: `${ofSite}.jpg` })).status).toBe(201);
  await queued(admin);
  const found: Record<string, string> = { below, above: component, covered: covered.id };
  const collect = (value: any): void => {
    if (typeof value !== "object" || value === null) return;
    const isMarked = Object.values(value).some((text) => typeof text === "string" && /mark$/.test(text));
    if (value.__typename && value.id && (isMarked || !found[value.__typename])) found[value.__typename] = value.id;
    for (const one of Object.values(value)) collect(one);
  };
  for (const field of Object.values(schema.getQueryType()!.getFields()))
    if (field.args.every(({ type }) => !isNonNullType(type))) collect(await admin.ask(`{ ${field.name}${selectionOf(field.type, 3)} }`));
  return { admin, ids: found };
}

const isRequired = ({ type, defaultValue }: Pick<GraphQLArgument, "type" | "defaultValue">) =>
  isNonNullType(type) && defaultValue === undefined;

/** Lists without pages, which a document may not have below each other. */
const trees = ["ancestors", "descendants"];

/** All that a type shows without being asked for more, and a few of each of its lists. */
function selectionOf(type: GraphQLOutputType, depth: number, belowTree = false): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return "";
  if (isAbstractType(named)) {
    const names = schema.getPossibleTypes(named).flatMap((one) => {
      const field = ["name", "title", "description"].find((text) => text in one.getFields());
      return field ? [`... on ${one.name} { as${one.name}: ${field} }`] : [];
    });
    return ` { __typename ${names.join(" ")} }`;
  }
  if (!isObjectType(named)) return "";
  const fields = Object.values(named.getFields()).filter(
    ({ name, args, type: of }) =>
      !args.some(isRequired) && (isLeafType(getNamedType(of)) || depth > 0) && !(belowTree && trees.includes(name)),
  );
  const texts = fields.map((field) => {
    const first = field.args.some(({ name }) => name === "first") ? "(first: 2)" : "";
    // A connection is a level that shows nothing itself.
    return `${field.name}${first}${selectionOf(field.type, field.name === "nodes" ? depth : depth - 1, belowTree || trees.includes(field.name))}`;
  });
  return ` { __typename ${texts.join(" ")} }`;
}

/** Values of arguments that only some take, by name. */
const named: Record<string, string> = {
  code: `"SN-77"`,
  number: `"SN-77"`,
  serialNumber: `"SN-77"`,
  partNumber: `"P"`,
  site: JSON.stringify("North"),
  url: `"http://127.0.0.1:1/y"`,
  email: `"new@example.com"`,
  from: JSON.stringify(new Date(Date.now() - 86_400_000).toISOString()),
  until: JSON.stringify(new Date(Date.now() + 4 * 86_400_000).toISOString()),
  days: "400",
  timeZone: `"Europe/Berlin"`,
  token: "null",
};

const byType: Record<string, string> = {
  Boolean: "true",
  DateTime: `"2031-01-01T00:00:00Z"`,
  JSONObject: "{}",
  StringMap: "{}",
  Weekday: "MONDAY",
  CodeWord: `"valve"`,
  EmailAddress: `"new@example.com"`,
  PartNumberInput: `{partNumber: "P"}`,
};

const hasId = (type: GraphQLInputType): boolean => {
  const of = getNamedType(type);
  return (
    of.name === "ID" || (isInputObjectType(of) && Object.values(of.getFields()).some((field) => getNamedType(field.type).name === "ID"))
  );
};

/** A literal for an argument or an input's field, with the variable `$id` wherever there is room for an id. */
function literalFor(name: string, type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalFor(name, type.ofType);
  if (isListType(type)) return `[${literalFor(name, type.ofType)}]`;
  if (type.name === "ID") return "$id";
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (byType[type.name]) return byType[type.name]!;
  if (isInputObjectType(type)) {
    const wanted = Object.values(type.getFields()).filter((field) => isRequired(field) || getNamedType(field.type).name === "ID");
    const fields = type.isOneOf ? wanted.slice(0, 1) : wanted;
    return `{${fields.map((field) => `${field.name}: ${literalFor(field.name, field.type)}`).join(", ")}}`;
  }
  if (named[name]) return named[name];
  return /^(Int|Float|Non|Positive|Days|Whole|Rating|Measure)/.test(type.name) ? "1" : `"Valve"`;
}

interface Call {
  /** The same for every id, so that the service reads and checks it once. */
  text: string;
  id: string;
}

/** Calls of a root field: one as bare as can be, and one with each of the ids. */
function calls(field: { name: string; args: readonly GraphQLArgument[]; type: GraphQLOutputType }, ids: string[], depth: number): Call[] {
  const selection = selectionOf(field.type, depth);
  const call = (args: readonly GraphQLArgument[], id: string): Call => {
    const texts = args.map(({ name, type }) => `${name}: ${literalFor(name, type)}`);
    return { text: `${field.name}${texts.length ? `(${texts.join(", ")})` : ""}${selection}`, id };
  };
  const required = field.args.filter(isRequired);
  // Of what filters, one at a time: together they would find nothing.
  const filters = field.args.filter((argument) => hasId(argument.type) && !isRequired(argument));
  if (field.args.some(({ type }) => getNamedType(type).name === "Upload")) return [];
  const withIds = ids.flatMap((id) => [
    ...(required.some(({ type }) => hasId(type)) ? [call(required, id)] : []),
    ...filters.map((argument) => call([...required, argument], id)),
  ]);
  return required.some(({ type }) => hasId(type)) ? withIds : [call(required, ids[0]!), ...withIds];
}

const send = async (caller: Caller, kind: "query" | "mutation", { text, id }: Call): Promise<string> => {
  const head = text.includes("$id") ? `${kind} ($id: ID!)` : kind;
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${caller.key}` },
    body: JSON.stringify({ query: `${head} { ${text} }`, variables: text.includes("$id") ? { id } : {} }),
  });
  const answer = await response.text();
  // A document that is refused as a whole, or fails, tries nothing.
  const said = `${id}: ${text.slice(0, 500)} … ${answer.slice(0, 1_000)}`;
  expect(answer, said).toContain('"data":');
  expect(answer, said).not.toMatch(/"code":"(SERVICE_UNAVAILABLE|INTERNAL_SERVER_ERROR)"/);
  return answer;
};

/** Rows that only the service writes, or that follow from every request. */
const notCompared = new Set(["Budget", "IdempotencyKey", "Change", "ChangeSequence"]);

const contentOf = async (tenantId: string, only?: readonly string[]): Promise<Record<string, unknown[]>> => {
  const names = (only ?? Object.keys(tables)).filter((name) => !notCompared.has(name));
  const rows = names.map((name) =>
    gateway.database.query<{ row: unknown }>(
      `select to_jsonb(t) - 'lastUsedAt' as row from "${name}" t where "tenantId" = $1 order by (to_jsonb(t) - 'lastUsedAt')::text`,
      [tenantId],
    ),
  );
  return Object.fromEntries((await Promise.all(rows)).map((found, i) => [names[i], found]));
};

/** A body that the route's description accepts. */
function exampleOf(part: any, id: string, isId = false, depth = 0): unknown {
  const found = part?.$ref
    ? part.$ref
        .slice(2)
        .split("/")
        .reduce((at: any, name: string) => at[name], description)
    : (part ?? {});
  const one = found.anyOf?.[0] ?? found.oneOf?.[0];
  if (one) return exampleOf(one, id, isId, depth + 1);
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (found.enum) return found.enum[0];
  if (type === "integer" || type === "number") return Math.max(found.minimum ?? 1, 1);
  if (type === "boolean") return true;
  if (type === "array") return [exampleOf(found.items, id, isId, depth + 1)];
  if (found.format === "date-time") return "2031-01-01T00:00:00Z";
  if (type === "object") {
    const kept = Object.entries<any>(found.properties ?? {}).filter(
      ([name]) => found.required?.includes(name) || (depth < 3 && /Ids?$/.test(name)),
    );
    return Object.fromEntries(kept.map(([name, of]) => [name, exampleOf(of, id, /Ids?$/.test(name), depth + 1)]));
  }
  return isId ? id : "Valve";
}

const routes = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods)
    .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method) && !/^\/(graphql|uploads|files)/.test(path))
    .map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
);

/** Requests of a route with each of the ids in its path, or in its body. */
function requests({ method, path, described }: (typeof routes)[number], ids: string[]): [path: string, body: unknown][] {
  const schemaOf = described.requestBody?.content?.["application/json"]?.schema;
  const needs: string = (described.parameters ?? [])
    .filter((parameter: any) => parameter.in === "query" && parameter.required)
    .map((parameter: any) => `${parameter.name}=${exampleOf(parameter.schema, "x")}`)
    .join("&");
  // What an export is of is a word, and no id.
  const wanted = path.includes("{sheet}") ? Object.values(SheetName) : path.includes("{") || schemaOf ? ids : ids.slice(0, 1);
  return wanted.map((id) => {
    const at = path.replace(/\{\w+\}/g, encodeURIComponent(id));
    return [needs ? `${at}?${needs}` : at, schemaOf && method !== "GET" ? exampleOf(schemaOf, id) : undefined];
  });
}

/** At once, but few: the test is about answers. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += 8) results.push(...(await Promise.all(items.slice(i, i + 8).map(work))));
  return results;
}

/** On PostgreSQL an administrator tries every id; the others, and all on the slower embedded database, one of three each. */
interface Stranger {
  caller: Caller;
  /** What no answer may contain. */
  marks: string[];
  ids: string[];
  /** The tables whose rows do not change. */
  held?: readonly string[];
}

/** Types of records that belong to a site, and their tables. */
const placed = ["Asset", "Component", "Procedure", "WorkOrder", "Notification", "Photo"];
const strangers = new Map<string, Stranger>();
let admin: Caller;
let ids: Record<string, string>;

/** The slower embedded database has the same code before it, so there those who may most and least are enough. */
const roles = onPostgresql ? ["admin", "manager", "technician", "viewer"] : ["admin", "viewer"];
const names = [...roles.map((role) => `another tenant's ${role}`), ...roles.map((role) => `${role} of another site`)];

beforeAll(async () => {
  ({ admin, ids } = await plant());
  const other = await gateway.newTenant();
  for (const [n, name] of names.entries()) {
    const role = /admin|manager|technician|viewer|ingest/.exec(name)![0] as "admin";
    strangers.set(
      name,
      name.startsWith("another")
        ? {
            caller: await other.as(role),
            marks: [ofSite, ofTenant],
            ids: Object.values(ids).filter((_, i) => (role === "admin" && onPostgresql) || i % 3 === n % 3),
          }
        : {
            caller: await admin.as(role, ["North"], false),
            marks: [ofSite],
            ids: [...placed.map((type) => ids[type]!), ids.covered!, "Site:South"],
            held: placed,
          },
    );
  }
}, 600_000);

const fieldsOf = (kind: "Query" | "Mutation") => Object.values((schema.getType(kind) as GraphQLObjectType).getFields());

/** Fields that tell of no record by a text of its own: they count and add up, by sites and kinds, or tell who asks; the calendar is empty here, and nothing is short. */
const withoutTexts = [
  ...["viewer", "site", "groupedAssets", "verifyLedger", "detectorPrecision", "inventoryTotals", "inventoryReport"],
  ...["stockSettings", "stockPeriods", "pendingApprovals", "compliance"],
  ...["shortages", "reorderProposals"],
  // Persons with a key to work by; those that are marked have none. test/maintenance/assignment.test.ts has who is offered to whom.
  "assignees",
  ...["assetGroups", "componentGroups", "inventoryGroups", "notificationGroups", "procedureGroups", "workOrderGroups"],
];

describe("what is its own", () => {
  test("has a record of each type", () => {
    const missing = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === "Node") && !ids[type.name])
      .map(({ name }) => name);
    expect(missing).toEqual([]);
  });

  test("an administrator finds by every query, so that each could tell it to others", async () => {
    const all = Object.values(ids);
    const found = await inTurns(fieldsOf("Query"), async (field) => {
      for (const call of calls(field, all, 2)) {
        const answer = await send(admin, "query", call);
        if (answer.includes(ofSite) || answer.includes(ofTenant)) return [];
      }
      return [field.name];
    });
    expect(found.flat().sort(), found.flat().join(" ")).toEqual(withoutTexts.sort());
  });

  test("an administrator finds by every route that reads records", async () => {
    const reading = routes.filter(({ method }) => method === "GET");
    const found = await inTurns(reading, async (route) => {
      for (const [path] of requests(route, Object.values(ids)))
        if (JSON.stringify((await admin.rest("GET", path)).body).includes("mark")) return [];
      return [route.path];
    });
    // The photo is an asset's.
    expect(found.flat(), found.flat().join(" ")).toEqual(["/parts/{partId}/photos"]);
  });
});

describe.each(names)("%s", (name) => {
  const expectNothing = (answers: [request: string, answer: string][]) => {
    const { marks } = strangers.get(name)!;
    const [telling] = answers.filter(([, answer]) => marks.some((mark) => answer.includes(mark)));
    expect(telling, telling?.map((text) => text.slice(0, 1_000)).join(" answered ")).toBeUndefined();
  };

  test("learns nothing by any query", async () => {
    const { caller, ids: known } = strangers.get(name)!;
    const sent = fieldsOf("Query").flatMap((field) => calls(field, known, 2));
    expectNothing(await inTurns(sent, async (call) => [`${call.id}: ${call.text}`, await send(caller, "query", call)]));
  });

  test("learns and changes nothing by any mutation", async () => {
    const { caller, ids: known, held } = strangers.get(name)!;
    const before = await contentOf(admin.tenantId, held);
    const sent = fieldsOf("Mutation").flatMap((field) => calls(field, known, 1));
    expectNothing(await inTurns(sent, async (call) => [`${call.id}: ${call.text}`, await send(caller, "mutation", call)]));
    expect(await contentOf(admin.tenantId, held)).toEqual(before);
  });

  test("learns and changes nothing by any route", async () => {
    const { caller, ids: known, held } = strangers.get(name)!;
    const before = await contentOf(admin.tenantId, held);
    const sent = routes.flatMap((route) => requests(route, known).map(([path, body]) => ({ method: route.method, path, body })));
    expectNothing(
      await inTurns(sent, async ({ method, path, body }) => [
        `${method} ${path}`,
        JSON.stringify((await caller.rest(method, path, body)).body),
      ]),
    );
    expect(await contentOf(admin.tenantId, held)).toEqual(before);
  });
});
