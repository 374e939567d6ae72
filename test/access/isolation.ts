/**
 * Calls every operation of the schema and every REST route, generated from their descriptions, with the ids of every record of another
 * tenant or another site. No response may reveal a record, and none may change. An operation that returns nothing even to the records' own
 * administrator fails too: it needs a value in `named` or `byType`.
 */

import { setTimeout as sleep } from "node:timers/promises";
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
import { tables } from "../../src/database/rows/catalogue.js";
import { roleOrder } from "../../src/schema/access/enums.js";
import { SheetName } from "../../src/schema/exchange/enums.js";
import { queued } from "../alerts/receivers.js";
import { attached } from "../files/attachments.js";
import { image, register, uploaded } from "../files/photos.js";
import { invoiceFirstLine, receiveFirstLine } from "../inventory/supply/receipts.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({
  WEBHOOK_POLL_MS: "3600000",
  DATABASE_CONNECTIONS: "10",
  RATE_LIMIT_KEY: "0",
  RATE_LIMIT_TENANT: "0",
  MAX_QUERY_COST: "100000000",
  MAX_QUERY_SELECTIONS: "100000",
  MAX_QUERY_TOKENS: "1000000",
  MAX_QUERY_DEPTH: "100",
  MAX_QUERY_ALIASES: "10000",
});
const onPostgresql = gateway.database.kind === "postgresql";
const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
const description: any = await (await fetch(`${gateway.url}/openapi.json`)).json();

/** Contained in every text that belongs to a site, and in every other text of the tenant. Contained in no id. */
const ofSite = "Placedmark";
const ofTenant = "Sharedmark";

/** Days from now. Reports have a default period that ends now. */
const inDays = (days: number) => JSON.stringify(new Date(Date.now() + days * 86_400_000).toISOString());

/** A tenant with a record of each type at the site South, and their ids by type. */
async function plant(): Promise<{ admin: Caller; ids: Record<string, string> }> {
  const admin = await gateway.newTenant();
  const asset = await admin.createAsset({
    site: "South",
    area: "Hall",
    name: `Valve ${ofSite}`,
    serialNumber: "SN-77",
    description: ofSite,
    // Starts observation before the downtime below, which would not count otherwise.
    installDate: "2025-01-01",
  });
  const { id: component } = await admin.createComponent({
    assetId: asset.id,
    name: `Valve ${ofSite}`,
    type: ofSite,
    serialNumber: `SN ${ofSite}`,
  });
  const { id: below } = await admin.createComponent({ parentId: component, name: `Valve below ${ofSite}` });
  const { component: installed } = await admin.ask("query ($id: ID!) { component(id: $id) { installations { nodes { id } } } }", {
    id: component,
  });
  await admin.ask(
    `mutation ($id: ID!) { correctInstallation(input: { periodId: $id, startedAt: "2025-01-02", notes: "${ofSite}" }) { id } }`,
    installed.installations.nodes[0],
  );
  const data = await admin.ask(
    `mutation ($asset: ID!) {
      createPart(input: { partNumber: "P", name: "Valve ${ofTenant}", barcode: "BC-77", category: "${ofTenant}", supplier: { name: "Valve ${ofTenant}" } }) { id }
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
    `mutation ($asset: ID!, $part: ID!, $notification: ID!, $person: ID!) {
      receiveStock(partId: $part, input: { site: "South", quantity: 5, unitCost: 2, reason: "${ofSite}" }) { id }
      adjustStock(partId: $part, input: { site: "South", adjustmentType: LOSS, quantity: -1, reason: "${ofSite}" }) { id }
      createStockCount(input: { site: "South", reason: "${ofSite}" }) { id }
      numbered: receiveStock(partId: $part, input: { site: "South", quantity: 1, reason: "${ofSite}", serialNumbers: ["SN-77"], batchNumber: "${ofSite}" }) { id }
      openRecall(input: { partId: $part, serialNumbers: ["SN-77"], reason: "Valve ${ofTenant}" }) { id }
      startTransfer(partId: $part, input: { fromSite: "South", toSite: "West", quantity: 1, reason: "${ofSite}" }) { id }
      closeStockPeriod(month: "2020-01") { id }
      updateStockSettings(input: { currency: "EUR" }) { id }
      recordDowntime(input: { assetId: $asset, cause: FAILURE, startedAt: ${inDays(-30)}, endedAt: ${inDays(-29)}, description: "${ofSite}" }) { id }
      reportFault(input: { assetId: $asset, description: "Valve ${ofSite}" }) { id }
      createReportLink(input: { name: "Valve ${ofSite}", site: "South" }) { link { id } }
      createInvitation(input: { principalId: $person, role: VIEWER, sites: ["South"] }) { invitation { id } }
      setFailureCode(input: { equipmentClass: "valve", code: "sticks", kind: MODE, name: "Valve ${ofTenant}" }) { id }
      createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: DAILY, steps: [{ description: "${ofSite}" }], parts: [{ partId: $part, quantity: 1 }] }) { id }
      covering: createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: ANNUAL, anchor: "2031-01-01" }) { id }
      addNotificationFeedback(id: $notification, input: { rating: 4, comments: "${ofSite}" }) { id }
      changeNotificationStatus(id: $notification, status: ACKNOWLEDGED, reason: "${ofSite}") { id }
    }`,
    { asset: asset.id, part: data.createPart.id, notification: data.raiseNotification.id, person: data.createPerson.id },
  );
  const { createProcedure: covered } = await admin.ask(
    `mutation ($asset: ID!, $covering: ID!) {
      createProcedure(input: { name: "Valve ${ofSite}", assetId: $asset, frequency: WEEKLY, anchor: "2031-01-01", suppressedById: $covering }) { id }
    }`,
    { asset: asset.id, covering: more.covering.id },
  );
  const { suppliers } = await admin.ask("{ suppliers { nodes { id } } }");
  await admin.ask(
    `mutation ($supplier: ID!, $part: ID!, $person: ID!) {
      createPurchaseOrder(input: { supplierId: $supplier, site: "South", currency: "EUR", notes: "${ofSite}", lines: [{ partId: $part, description: "${ofSite}", quantity: 1, price: 1 }] }) { id }
      createPurchaseApprovalRule(input: { minimumAmount: 1, category: "Valve ${ofTenant}" }) { id }
      delegatePurchaseApproval(delegateId: $person, endsAt: "2031-01-01") { id } }`,
    { supplier: suppliers.nodes[0].id, part: data.createPart.id, person: data.createPerson.id },
  );
  await receiveFirstLine(admin, { rejectionReason: ofSite, deliveryNote: ofSite });
  await invoiceFirstLine(admin, { number: ofSite, notes: ofSite });
  const further = await admin.createAsset({ site: "South", name: `Valve ${ofSite}` });
  await admin.ask("mutation ($id: ID!, $further: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $further }]) { id } }", {
    id: covered.id,
    further: further.id,
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
  // A field that requires one of several arguments is refused.
  for (const field of Object.values(schema.getQueryType()!.getFields()))
    if (field.args.every(({ type }) => !isNonNullType(type)))
      collect((await admin.graphql(`{ ${field.name}${selectionOf(field.type, 3)} }`)).data);
  return { admin, ids: found };
}

const isRequired = ({ type, defaultValue }: Pick<GraphQLArgument, "type" | "defaultValue">) =>
  isNonNullType(type) && defaultValue === undefined;

/** Unpaged lists. A document may not nest them. */
const trees = ["ancestors", "descendants"];

/** All fields that need no arguments, and the first items of each list. */
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
    // A connection is a level without fields of its own.
    return `${field.name}${first}${selectionOf(field.type, field.name === "nodes" ? depth : depth - 1, belowTree || trees.includes(field.name))}`;
  });
  return ` { __typename ${texts.join(" ")} }`;
}

/** Argument values by name, for arguments that accept only certain values. */
const named: Record<string, string> = {
  code: `"SN-77"`,
  number: `"SN-77"`,
  serialNumber: `"SN-77"`,
  partNumber: `"P"`,
  site: JSON.stringify("North"),
  url: `"http://127.0.0.1:1/y"`,
  email: `"new@example.com"`,
  from: inDays(-1),
  until: inDays(4),
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

/** A literal for an argument or input field. Uses the variable `$id` wherever an id fits. */
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

/** Calls of a root field with the same arguments, for each of the ids. */
interface Calls {
  field: string;
  /** Contains the variable `$id`. Without variables, a single call is enough. */
  args: string;
  type: GraphQLOutputType;
  selection: string;
  ids: string[];
}

/** Calls of a root field: with the fewest arguments, and with each of the ids. */
function calls(field: { name: string; args: readonly GraphQLArgument[]; type: GraphQLOutputType }, ids: string[], depth: number): Calls[] {
  if (field.args.some(({ type }) => getNamedType(type).name === "Upload")) return [];
  const selection = selectionOf(field.type, depth);
  const call = (args: readonly GraphQLArgument[]): Calls => {
    const texts = args.map(({ name, type }) => `${name}: ${literalFor(name, type)}`);
    const written = texts.length ? `(${texts.join(", ")})` : "";
    return { field: field.name, args: written, type: field.type, selection, ids: written.includes("$id") ? ids : ids.slice(0, 1) };
  };
  const required = field.args.filter(isRequired);
  // One filter at a time: all of them together would match nothing.
  const filters = field.args.filter((argument) => hasId(argument.type) && !isRequired(argument));
  return [call(required), ...filters.map((argument) => call([...required, argument]))];
}

/** Root fields of a document: the default limit of the service. */
const maxAliases = 20;

/** A document with an alias for each of the ids. */
function documentOf(kind: "query" | "mutation", { field, args, type, selection }: Calls, count: number): string {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const head = args.includes("$id") ? `(${numbers.map((i) => `$id${i}: ID!`).join(", ")})` : "";
  const fields = numbers.map((i) => `a${i}: ${field}${args.replaceAll("$id", `$id${i}`)}${selection && " { ...Shown }"}`);
  return `${kind} ${head} { ${fields.join(" ")} }${selection && ` fragment Shown on ${getNamedType(type).name}${selection}`}`;
}

/** Sends calls, and returns each response with its request. */
async function send(caller: Caller, kind: "query" | "mutation", called: Calls): Promise<[asked: string, answer: string][]> {
  const answers: [string, string][] = [];
  for (let i = 0; i < called.ids.length; i += maxAliases) {
    const chunk = called.ids.slice(i, i + maxAliases);
    const variables = called.args.includes("$id") ? Object.fromEntries(chunk.map((id, n) => [`id${n}`, id])) : {};
    const body = JSON.stringify({ query: documentOf(kind, called, chunk.length), variables });
    const ask = async () => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${caller.key}` },
        body,
      });
      return response.text();
    };
    let answer = await ask();
    // Retries while the service is busy.
    for (let again = 0; again < 20 && answer.includes('"code":"SERVICE_UNAVAILABLE"'); again++) {
      await sleep(500);
      answer = await ask();
    }
    // A document that fails as a whole proves nothing.
    const asked = `${called.field}${called.args} with ${chunk.join(", ")}`;
    const { data } = JSON.parse(answer);
    if (!data || Object.keys(data).length !== chunk.length || /"code":"(SERVICE_UNAVAILABLE|INTERNAL_SERVER_ERROR)"/.test(answer))
      expect.fail(`${asked} … ${answer.slice(0, 1_000)}`);
    answers.push([asked, answer]);
  }
  return answers;
}

/**
 * The ids that return a record or a list to an administrator. A stranger requests each id in its own document. Plans answer only documents
 * in which every root has a value, so an id next to empty results would always go to the loaders.
 */
const found = new Map<string, Set<string>>();

async function findAll(): Promise<void> {
  const everything = Object.values(ids);
  await inTurns(
    fieldsOf("Query").flatMap((field) => calls(field, everything, 0)),
    async (called) => {
      const { field, args, type } = called;
      const selection = called.selection && " { __typename }";
      const answers = await send(admin, "query", { field, args, type, selection, ids: called.ids });
      const hits = called.ids.filter((_, i) => JSON.parse(answers[Math.floor(i / maxAliases)]![1]).data[`a${i % maxAliases}`] !== null);
      found.set(field + args, new Set(hits));
    },
  );
}

/** Calls of queries, grouped so that plans answer as many as they would with one call a document. */
function planned(field: Parameters<typeof calls>[0], ids: string[]): Calls[] {
  return calls(field, ids, 2).flatMap((called) => {
    const hits = found.get(called.field + called.args)!;
    const misses = called.ids.filter((id) => !hits.has(id));
    if (!misses.length) return [called];
    return [...called.ids.filter((id) => hits.has(id)).map((id) => [id]), misses].map((ids) => ({ ...called, ids }));
  });
}

/** Rows that only the service writes, or that every request changes. */
const notCompared = new Set(["Budget", "IdempotencyKey", "Change", "ChangeSequence"]);

/** The tenant's rows as texts, each with its table. */
async function contentOf(tenantId: string, only: readonly string[] = Object.keys(tables)): Promise<string[]> {
  const ofTable = only
    .filter((name) => !notCompared.has(name))
    .map((name) => `select '${name} ' || (to_jsonb(t) - 'lastUsedAt')::text as row from "${name}" t where "tenantId" = $1`);
  const rows = await gateway.database.query<{ row: string }>(`${ofTable.join(" union all ")} order by row`, [tenantId]);
  return rows.map(({ row }) => row);
}

/** A body that matches the route's description. */
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

/** Requests of a route, with each of the ids in its path or body. */
function requests({ method, path, described }: (typeof routes)[number], ids: string[]): [path: string, body: unknown][] {
  const schemaOf = described.requestBody?.content?.["application/json"]?.schema;
  const needs: string = (described.parameters ?? [])
    .filter((parameter: any) => parameter.in === "query" && parameter.required)
    .map((parameter: any) => `${parameter.name}=${exampleOf(parameter.schema, "x")}`)
    .join("&");
  // An export is selected by a word, not by an id.
  const wanted = path.includes("{sheet}") ? Object.values(SheetName) : path.includes("{") || schemaOf ? ids : ids.slice(0, 1);
  return wanted.map((id) => {
    const at = path.replace(/\{\w+\}/g, encodeURIComponent(id));
    return [needs ? `${at}?${needs}` : at, schemaOf && method !== "GET" ? exampleOf(schemaOf, id) : undefined];
  });
}

/** Concurrent, but limited: a document of 20 fields waits for as many connections. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += 2) results.push(...(await Promise.all(items.slice(i, i + 2).map(work))));
  return results;
}

/** On PostgreSQL an administrator tries every id. Other roles, and all roles on the slower embedded database, try a third of the ids. */
interface Stranger {
  caller: Caller;
  /** Texts that no response may contain. */
  marks: string[];
  ids: string[];
  /** The tables whose rows must not change. */
  held?: readonly string[];
}

/** Types of records that belong to a site, and their tables. */
const placed = ["Asset", "Component", "Procedure", "WorkOrder", "Notification", "Photo"];
const strangers = new Map<string, Stranger>();
let admin: Caller;
let ids: Record<string, string>;

const fieldsOf = (kind: "Query" | "Mutation") => Object.values((schema.getType(kind) as GraphQLObjectType).getFields());

/** Tests that keys with these roles, of another tenant and of another site, read and change nothing. */
export function testIsolation(roles: readonly string[]): void {
  const names = [...roles.map((role) => `another tenant's ${role}`), ...roles.map((role) => `${role} of another site`)];

  beforeAll(async () => {
    ({ admin, ids } = await plant());
    await findAll();
    const other = await gateway.newTenant();
    for (const name of names) {
      const role = /admin|manager|technician|viewer/.exec(name)![0] as "admin";
      strangers.set(
        name,
        name.startsWith("another")
          ? {
              caller: await other.as(role),
              marks: [ofSite, ofTenant],
              ids: Object.values(ids).filter((_, i) => (role === "admin" && onPostgresql) || i % 3 === roleOrder.indexOf(role) % 3),
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

  /**
   * Fields that show no text of a record: they return counts and sums by site and kind, or describe the caller. The calendar is empty here,
   * and no part is short.
   */
  const withoutTexts = [
    "viewer",
    "site",
    "groupedAssets",
    "verifyLedger",
    "detectorPrecision",
    "partReliability",
    // Empty with less than three failures. test/reliability/unit-reliability.test.ts covers keys limited to sites.
    "badActors",
    // Empty without limits of parts and without shared numbers. Their own tests cover keys limited to sites.
    "unitsDue",
    "unitConflicts",
    "inventoryTotals",
    "inventoryReport",
    "stockSettings",
    "stockPeriods",
    "pendingApprovals",
    "compliance",
    "schedulerStatus",
    "shortages",
    "reorderProposals",
    "purchaseCommitments",
    // Empty without critical parts. test/inventory/reports/purchase-figures.test.ts covers keys limited to sites.
    "criticalStockouts",
    // Lists persons who have a key, and the marked persons have none. test/maintenance/work-orders/assignment.test.ts covers this list.
    "assignees",
    // Describe the caller's own file and draft.
    "inspectFile",
    "previewScheduleDraft",
    // Refuses generated changes. test/maintenance/procedures/plan-simulation.test.ts covers keys limited to sites.
    "simulatePlan",
    "assetGroups",
    "componentGroups",
    "inventoryGroups",
    "notificationGroups",
    "procedureGroups",
    "workOrderGroups",
  ];

  describe("the tenant's own administrator", () => {
    test("has a record of each type", () => {
      const missing = Object.values(schema.getTypeMap())
        .filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === "Node") && !ids[type.name])
        .map(({ name }) => name);
      expect(missing).toEqual([]);
    });

    test("finds records with every query, so that each query could reveal them to others", async () => {
      const silent = await inTurns(fieldsOf("Query"), async (field) => {
        for (const called of calls(field, Object.values(ids), 2))
          for (const id of found.get(called.field + called.args)!)
            for (const [, answer] of await send(admin, "query", { ...called, ids: [id] }))
              if (answer.includes(ofSite) || answer.includes(ofTenant)) return [];
        return [field.name];
      });
      expect(silent.flat().sort(), silent.flat().join(" ")).toEqual(withoutTexts.sort());
    });

    test("finds records with every route that reads records", async () => {
      const reading = routes.filter(({ method }) => method === "GET");
      const found = await inTurns(reading, async (route) => {
        for (const [path] of requests(route, Object.values(ids)))
          if (JSON.stringify((await admin.rest("GET", path)).body).includes("mark")) return [];
        return [route.path];
      });
      // The photo belongs to an asset.
      expect(found.flat(), found.flat().join(" ")).toEqual(["/parts/{partId}/photos"]);
    });
  });

  describe.each(names)("%s", (name) => {
    const expectNothing = (answers: [request: string, answer: string][]) => {
      const { marks } = strangers.get(name)!;
      const [telling] = answers.filter(([, answer]) => marks.some((mark) => answer.includes(mark)));
      expect(telling, telling?.map((text) => text.slice(0, 1_000)).join(" answered ")).toBeUndefined();
    };

    test("reads nothing with any query", async () => {
      const { caller, ids: known } = strangers.get(name)!;
      const sent = fieldsOf("Query").flatMap((field) => planned(field, known));
      expectNothing((await inTurns(sent, (called) => send(caller, "query", called))).flat());
    });

    test("reads and changes nothing with any mutation", async () => {
      const { caller, ids: known, held } = strangers.get(name)!;
      const before = await contentOf(admin.tenantId, held);
      const sent = fieldsOf("Mutation").flatMap((field) => calls(field, known, 1));
      expectNothing((await inTurns(sent, (called) => send(caller, "mutation", called))).flat());
      expect(await contentOf(admin.tenantId, held)).toEqual(before);
    });

    test("reads and changes nothing with any route", async () => {
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

  /** Last, because these keys change their own records. */
  describe.each(roles.flatMap((role) => ["South", "North"].map((site) => [role, site] as const)))(
    "%s of %s, with every mutation",
    (role, site) => {
      test("writes only rows of its site, and of tables open to it", async () => {
        const caller = await admin.as(role as "admin", [site]);
        const all = Object.values(ids).filter((_, i) => onPostgresql || i % 3 === 0);
        await inTurns(
          fieldsOf("Mutation").flatMap((field) => calls(field, all, 0)),
          (called) => send(caller, "mutation", called),
        );
        const log = await gateway.database.query<{ recordType: string; operation: string; isOwn: boolean }>(
          `select distinct c."recordType", c.operation, c.site is not distinct from $2 and coalesce(c."siteBefore", $2) = $2 as "isOwn"
         from "Change" c join "ApiKey" k on k."tenantId" = $1 and k.id = c."keyId"
         where c."tenantId" = $1 and k.sites = array[$2] and k.role = $3 and c.kind not in ('signed_in', 'refused', 'exported') order by 1, 2`,
          [admin.tenantId, site, role],
        );
        const outside = log.filter(({ recordType, isOwn }) => !isOwn && !withoutSite.has(recordType));
        expect(outside).toEqual([]);
        // The key writes at its own site, which proves that its calls are valid. Earlier keys have deleted many records.
        if (role !== "viewer" && site === "South") expect(log.filter(({ isOwn }) => isOwn).length).toBeGreaterThan(2);
      });
    },
  );
}

/**
 * Records without a site that a key limited to sites may write: parts without a site, templates (@siteWrites in prisma/schema.prisma), and its own keys.
 */
const withoutSite = new Set(["Part", "ComponentTemplate", "ApiKey", "Principal", "PurchaseDelegation"]);
