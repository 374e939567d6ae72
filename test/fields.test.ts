/**
 * No field is lost: every field of every input is written with a unique value and read back, over GraphQL and, if REST has the field, over
 * REST. Values, selections and names come from the schema and the routes, so new fields are covered automatically.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  visit,
} from "graphql";
import { describe, expect, it } from "vitest";
import { type ColumnInfo, type Table, tables } from "../src/database/rows/catalogue.js";
import { buildGatewaySchema } from "../src/resolvers/schema.js";
import { type CompiledRoute, routesFor } from "../src/rest-compat/compiled-routes.js";
import type { BodyRule, Route } from "../src/rest-compat/route.js";
import { graphOnlyFields } from "../src/schema/enums.js";
import { weekdays } from "../src/schema/scalars.js";
import { type Caller, type GraphqlAnswer, type RestResponse, sharedGateway } from "./world.js";

const schema = buildGatewaySchema();
const gateway = await sharedGateway();

type Fields = Record<string, any>;

const kinds = ["asset", "component", "part", "procedure", "principal"] as const;

/** Two records of each kind for references. The first component and procedure belong to the first asset, the others to the second. */
type Fixture = { caller: Caller } & Record<(typeof kinds)[number], string[]>;

interface Noun {
  table: Table;
  type: string;
  create: string;
  /** Field of the `create` response that contains the record. */
  within?: string;
  /** Arguments of `create` other than its input. */
  otherArgs?: (fixture: Fixture) => Promise<Fields>;
  update?: string;
  /** The query for a single record, or for all if there is none. */
  one?: string;
  all?: string;
  /** The documented path of the list; a record is at `<path>/:id`. */
  path?: string;
}

const procedureOf = async ({ procedure }: Fixture) => ({ procedureId: procedure[0]! });
const notificationOf = async ({ caller, asset }: Fixture) => {
  const input = { type: "TREND", severity: "INFO", title: "Noise", message: "It hums", assetId: asset[0] };
  const { raiseNotification } = await caller.ask(`mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }`, {
    input,
  });
  return { notificationId: raiseNotification.id };
};

const nouns: Record<string, Noun> = {
  asset: { table: "Asset", type: "Asset", create: "createAsset", update: "updateAsset", one: "asset", path: "/assets" },
  component: {
    table: "Component",
    type: "Component",
    create: "createComponent",
    update: "updateComponent",
    one: "component",
    path: "/components",
  },
  "component below another": {
    table: "Component",
    type: "Component",
    create: "createChildComponent",
    otherArgs: async ({ component }) => ({ parentId: component[0] }),
    one: "component",
    path: "/components/:componentId/children",
  },
  part: { table: "Part", type: "Part", create: "createPart", update: "updatePart", one: "part", path: "/parts" },
  supplier: { table: "SupplierAccount", type: "SupplierAccount", create: "createSupplier", update: "updateSupplier", one: "supplier" },
  procedure: {
    table: "Procedure",
    type: "Procedure",
    create: "createProcedure",
    update: "updateProcedure",
    one: "procedure",
    path: "/pms",
  },
  meter: { table: "Meter", type: "Meter", create: "createMeter", update: "updateMeter", one: "meter" },
  strategy: {
    table: "Strategy",
    type: "Strategy",
    create: "createStrategy",
    update: "updateStrategy",
    one: "strategy",
    path: "/strategies",
  },
  template: {
    table: "ComponentTemplate",
    type: "ComponentTemplate",
    create: "createTemplate",
    update: "updateTemplate",
    one: "template",
    path: "/components/templates",
  },
  webhook: {
    table: "Webhook",
    type: "Webhook",
    create: "createWebhook",
    within: "webhook",
    update: "updateWebhook",
    all: "webhooks",
  },
  notification: { table: "Notification", type: "Notification", create: "raiseNotification", one: "notification", path: "/notifications" },
  "work order": {
    table: "WorkOrder",
    type: "WorkOrder",
    create: "createWorkOrder",
    otherArgs: procedureOf,
    update: "updateWorkOrder",
    one: "workOrder",
    path: "/pms/:pmId/createworkorder",
  },
  "work order from a notification": {
    table: "WorkOrder",
    type: "WorkOrder",
    create: "createWorkOrderFromNotification",
    otherArgs: notificationOf,
    one: "workOrder",
  },
  person: { table: "Principal", type: "Principal", create: "createPerson", update: "updatePerson", one: "principal" },
  "API key": { table: "ApiKey", type: "ApiKey", create: "createApiKey", within: "apiKey", all: "apiKeys" },
};

/** Fields that are read under another name or in another form than they are written. */
const readAs: Record<string, { name: string; form?: (value: any) => unknown }> = {
  // Numbered after the procedure's steps. The procedures of the fixture have none.
  "WorkOrder.customSteps": { name: "steps", form: (steps: object[]) => steps.map((step, i) => ({ ...step, order: i + 1 })) },
  "WorkOrder.parts": { name: "requiredParts" },
  // GraphQL returns the alternatives known to the catalogue under this name.
  "Part.alternativeParts": { name: "alternatives" },
  "Part.compatibleAssets": { name: "compatibleWith" },
  // GraphQL returns the procedures themselves under this name.
  "Strategy.procedures": { name: "procedureIds" },
  "ApiKey.principalId": { name: "principal", form: (id) => ({ id }) },
};

/** Unknown items, for fields that accept both known and unknown items. */
const alternatives = (n: number) => [1, 2].map((i) => ({ id: `part ${n}.${i}`, partNumber: `N ${n}.${i}`, manufacturer: `M ${n}.${i}` }));
const fitting = (n: number) => [1, 2].map((i) => ({ id: `asset ${n}.${i}`, name: `A ${n}.${i}`, type: `T ${n}.${i}` }));
/** Fields that are read elsewhere: item keys are read in `items` of the template (test/components/template-upgrade.test.ts). */
const readElsewhere = ["TemplateItemInput.key"];
const ofOtherKind = ["AlternativePart.name", "AlternativePart.type", "CompatibleAsset.partNumber", "CompatibleAsset.manufacturer"];

/** Fields with rules beyond their type. */
const ruled: Record<string, (n: number) => unknown> = {
  "CreatePartInput.alternativeParts": alternatives,
  "UpdatePartInput.alternativeParts": alternatives,
  "CreatePartInput.compatibleAssets": fitting,
  "UpdatePartInput.compatibleAssets": fitting,
  // A part that tracks serial numbers requires them on receipt.
  "CreatePartInput.tracksSerials": () => false,
  "CreatePartInput.tracksBatches": () => false,
  // Flags that need serial numbers, and stock without a value. unit-values.test.ts covers them.
  ...Object.fromEntries(
    ["CreatePartInput", "UpdatePartInput"].flatMap((input) =>
      ["isRepairable", "isCapital"].map((field) => [`${input}.${field}`, () => false]),
    ),
  ),
  // A statutory procedure is never skipped, and never covered by another procedure of the same asset.
  "CreateProcedureInput.statutory": () => false,
  "UpdateProcedureInput.statutory": () => false,
  "CreateProcedureInput.suppressedById": () => null,
  // A work order, which fixtures do not have. follow-ups.test.ts covers it.
  "CreateWorkOrderInput.followUpOf": () => null,
  "UpdateProcedureInput.suppressedById": () => null,
  // The meters must belong to the procedure's asset. plan-meters.test.ts covers them.
  "CreateProcedureInput.meters": () => [],
  "UpdateProcedureInput.meters": () => [],
  "ProcedureConditionInput.violations": (n) => 2 + (n % 20),
  "ProcedureConditionInput.samples": (n) => 30 + (n % 60),
  "ProcedureConditionInput.minimumDuration": (n) => 1 + (n % 1440),
  "CreateMeterInput.kind": () => "distance",
  "CreateMeterInput.unit": () => "mi",
  "CreateWebhookInput.url": (n) => `https://example.com/${n}`,
  "UpdateWebhookInput.url": (n) => `https://example.com/${n}`,
  "CreateWebhookInput.selection": (n) => `... on Asset { x${n}: name }`,
  "UpdateWebhookInput.selection": (n) => `... on Asset { x${n}: name }`,
  // Numbers and strings only. Limits require a measurement, and the lower limit must be below the upper limit.
  ...Object.fromEntries(
    ["ProcedureStepInput", "CustomStepInput"].flatMap((input) => [
      [`${input}.kind`, () => "measurement"],
      [`${input}.minimum`, (n: number) => n],
      [`${input}.maximum`, (n: number) => 1e6 + n],
      // Requires an exchange. exchange-step.test.ts covers it.
      [`${input}.componentId`, () => null],
    ]),
  ),
  "RaiseNotificationInput.metadata": (n) => ({ [`name ${n}`]: `value ${n}`, count: n }),
  // Violations are at most samples, and samples are at most 100.
  "TriggerConditionInput.violations": (n) => 2 + (n % 20),
  "TriggerConditionInput.samples": (n) => 30 + (n % 60),
  // At most one day.
  "TriggerConditionInput.minimumDuration": (n) => 1 + (n % 1440),
};

/** The effect of null on a field, if it is neither null nor the default of the column. */
const cleared: Record<string, "unchanged"> = {
  // A component below another belongs to the parent's asset.
  "Component.assetId": "unchanged",
};

/** Fields that a bulk update rejects: components are moved individually, and external ids and reference designations are unique. */
const notInBulk = ["assetId", "parentId", "externalId", "referenceDesignation"];

/** Write-only in REST. */
const planning = ["anchor", "missedPolicy", "schedulingBasis", "shift", "statutory", "suppressedById", "workingDaysOnly"];

/** Write-only in REST. */
const tracking = ["tracksBatches", "tracksSerials"];

/** Fields that the documented responses of a path omit (docs/interface.md). */
const notShown: Record<string, string[]> = {
  // 2.3: only get returns a supplier's contact. The get shape has neither site nor componentIds.
  "POST /parts": ["supplier.contact", ...tracking],
  "GET /parts": [
    "coreValue",
    "externalId",
    "inspectionHours",
    "inspectionMonths",
    "isCapital",
    "isRepairable",
    "lifeHours",
    "lifeInstallations",
    "lifeMonths",
    ...tracking,
  ],
  "GET /assets": ["externalId", "historyCompleteSince"],
  "GET /components": ["externalId", "referenceDesignation"],
  ...Object.fromEntries(
    ["POST /components", "POST /components/:componentId/children", "GET /components/:componentId", "PUT /components/:componentId"].map(
      (path) => [path, ["referenceDesignation"]],
    ),
  ),
  "GET /parts/:partId": ["componentIds", "site", ...tracking],
  "PUT /parts/:partId": ["componentIds", "site", ...tracking],
  // 2.7: only get returns checkpoints. anchor and schedulingBasis are write-only.
  "POST /pms": [...planning, "steps.checkpoints"].sort(),
  "GET /pms": ["conditions", "externalId", "meters", ...planning].sort(),
  "GET /pms/:pmId": planning,
  "PUT /pms/:pmId": planning,
  // 4.4, rule 7: a component lists its work orders.
  "POST /pms/:pmId/createworkorder": ["componentId"],
  // 2.10: REST does not raise notifications.
  "GET /notifications/:id": ["assetId", "dedupKey"],
};

let count = 0;

/**
 * A unique value within the run, with enum values as documented. `round` selects the reference or the enum value. `not` is the previous
 * value.
 */
function sample(type: GraphQLInputType, path: string[], round: number, fixture: Fixture, not?: unknown): unknown {
  const nullable = getNullableType(type);
  const choose = (options: readonly unknown[]) => {
    const open = options.filter((option) => option !== not);
    return open[round % open.length];
  };
  if (isListType(nullable)) return [0, 1].map((i) => sample(nullable.ofType, path, round + i, fixture));
  if (isEnumType(nullable)) return choose(nullable.getValues().map(({ value }) => value));
  if (isInputObjectType(nullable)) return samples(nullable, path, round, fixture);
  const name = path.filter((part) => part !== "id").at(-1)!;
  count++;
  switch (String(nullable)) {
    case "Name":
    case "ShortText":
    case "Text":
    case "Place":
    case "StockSite":
      return `${name} ${count}`;
    case "Currency":
      return String.fromCharCode(...[676, 26, 1].map((unit) => 65 + (Math.floor(count / unit) % 26)));
    case "EmailAddress":
      return `person${count}@example.com`;
    case "DateTime":
      return new Date(Date.UTC(2031, 0, 1) + count * 3_723_004).toISOString();
    case "StringMap":
      return { [`name ${count}`]: `value ${count}` };
    case "JSONObject":
      return { [`name ${count}`]: `value ${count}`, number: count + 0.5, nested: { list: [count, null, true] } };
    case "NonZero":
    case "Positive":
    case "NonNegative":
    case "Measure":
      return count + 0.0625;
    case "CalendarDate":
      return new Date(Date.UTC(2031, 0, count)).toISOString().slice(0, 10);
    case "Days":
      return (count % 3000) + 0.25;
    case "WholeNumber":
      return count;
    case "Rating":
      return 1 + (count % 5);
    case "Boolean":
      return choose([true, false]);
    case "Weekday":
      return choose(weekdays);
    case "ID": {
      const kind = kinds.find((one) => name.toLowerCase().includes(one)) ?? (name === "parentId" ? "component" : undefined);
      if (kind) return fixture[kind][round % 2];
    }
  }
  throw new Error(`${path.join(".")}: add a value for the scalar ${nullable} to sample()`);
}

/** Items nested in items of the same kind stop after two levels. */
const isDeepEnough = (path: string[], field: string) => path.filter((name) => name === field).length >= 2;

/** A value for every field of an input. */
function samples(input: GraphQLInputObjectType, path: string[], round: number, fixture: Fixture, before: Fields = {}): Fields {
  const fields = Object.values(input.getFields()).filter(
    ({ name }) => !isDeepEnough(path, name) && !readElsewhere.includes(`${input.name}.${name}`),
  );
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const rule = ruled[`${input.name}.${name}`];
      return [name, rule ? rule(++count) : sample(type, [...path, name], round, fixture, before[name])];
    }),
  );
}

/** The default of a column as a value. Undefined if it has none. Fields that are not columns are lists of rows. */
function defaultOf({ table }: Noun, field: string): unknown {
  const column: ColumnInfo | undefined = tables[table].columns[field];
  if (!column || column.list) return [];
  const { type, default: sql } = column;
  if (sql === undefined) return undefined;
  if (type === "String") return sql.slice(1, -1);
  return JSON.parse(type === "Json" ? sql.slice(1, -1) : sql);
}

/** The field values of a record before its creation. */
const defaultsOf = (noun: Noun, input: GraphQLInputObjectType): Fields =>
  Object.fromEntries(Object.keys(input.getFields()).map((name) => [name, defaultOf(noun, name)]));

/** Enum values under their GraphQL names. */
function inNames(type: GraphQLInputType | GraphQLOutputType, value: any): unknown {
  const nullable = getNullableType(type);
  if (value == null) return value;
  if (isListType(nullable)) return value.map((item: unknown) => inNames(nullable.ofType, item));
  if (isEnumType(nullable)) return nullable.getValues().find((one) => one.value === value)!.name;
  if (!isInputObjectType(nullable)) return value;
  const fields = nullable.getFields();
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inNames(fields[name]!.type, part)]));
}

const mutationOf = (name: string) => schema.getMutationType()!.getFields()[name]!;

function inputOf(mutation: string, argument = "input"): GraphQLInputObjectType {
  const type = getNamedType(mutationOf(mutation).args.find(({ name }) => name === argument)!.type);
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no ${argument}`);
  return type;
}

const objectType = (name: string) => schema.getType(name) as GraphQLObjectType;
const readName = (type: string, field: string) => readAs[`${type}.${field}`]?.name ?? field;

/** The selection that reads every field of an input, including nested inputs. */
function selection(type: GraphQLObjectType, input: GraphQLInputType): string {
  const inputType = getNamedType(input);
  if (!isInputObjectType(inputType)) return "";
  return Object.values(inputType.getFields())
    .filter((field) => !ofOtherKind.includes(`${type.name}.${field.name}`))
    .map((field) => {
      const name = readName(type.name, field.name);
      const output = type.getFields()[name] && getNamedType(type.getFields()[name]!.type);
      if (!output) throw new Error(`${inputType.name}.${field.name} is written and not read: ${type.name} has no such field`);
      return isObjectType(output) ? `${name} { ${selection(output, field.type) || "id"} }` : name;
    })
    .join(" ");
}

/** Input with the names and forms used for reading. */
const asRead = (type: string, sent: Fields): Fields =>
  Object.fromEntries(
    Object.entries(sent).map(([field, value]) => [readName(type, field), readAs[`${type}.${field}`]?.form?.(value) ?? value]),
  );

/** Input with documented enum values, as GraphQL returns it. */
const asReadInGraph = (type: string, input: GraphQLInputType, sent: Fields): Fields => asRead(type, inNames(input, sent) as Fields);

/** Every field of an input as stored, in a single query. */
async function read(noun: Noun, { caller }: Fixture, id: string, input: GraphQLInputType): Promise<Fields> {
  const fields = selection(objectType(noun.type), input);
  if (noun.one) return (await caller.ask(`query ($id: ID!) { record: ${noun.one}(id: $id) { ${fields} } }`, { id })).record;
  const isConnection = isObjectType(getNullableType(schema.getQueryType()!.getFields()[noun.all!]!.type));
  const { records } = await caller.ask(`{ records: ${noun.all} { ${isConnection ? `nodes { id ${fields} }` : `id ${fields}`} } }`);
  const { id: _, ...record } = (isConnection ? records.nodes : records).find((one: Fields) => one.id === id);
  return record;
}

/** Calls a mutation with documented enum values. */
function mutate({ caller }: Fixture, name: string, args: Fields, response = "id"): Promise<GraphqlAnswer> {
  const known = mutationOf(name).args.filter((arg) => arg.name in args);
  const variables = known.map((arg) => `$${arg.name}: ${arg.type}`).join(", ");
  const passed = known.map((arg) => `${arg.name}: $${arg.name}`).join(", ");
  const values = Object.fromEntries(known.map((arg) => [arg.name, inNames(arg.type, args[arg.name])]));
  return caller.graphql(`mutation (${variables}) { response: ${name}(${passed}) { ${response} } }`, values);
}

async function mutateOk(fixture: Fixture, name: string, args: Fields, response = "id"): Promise<any> {
  const { data, errors } = await mutate(fixture, name, args, response);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.response;
}

async function create(noun: Noun, fixture: Fixture, input: Fields): Promise<string> {
  const args = { input, ...(await noun.otherArgs?.(fixture)) };
  const response = await mutateOk(fixture, noun.create, args, noun.within ? `${noun.within} { id }` : "id");
  return noun.within ? response[noun.within].id : response.id;
}

const creation = (noun: Noun, fixture: Fixture): Fields => {
  const input = inputOf(noun.create);
  return samples(input, [], 0, fixture, defaultsOf(noun, input));
};

async function fixtureOf(): Promise<Fixture> {
  const caller = await gateway.newTenant();
  const fixture: Fixture = { caller, asset: [], component: [], part: [], procedure: [], principal: [] };
  for (const i of [0, 1]) {
    const asset = await caller.createAsset({ name: `Pump ${i}` });
    const component = await caller.createComponent({ name: `Motor ${i}`, assetId: asset.id });
    const part = await caller.rest("POST", "/parts", { name: `Seal ${i}`, partNumber: `S-${i}` });
    const procedure = await caller.rest("POST", "/pms", { name: `Check ${i}`, assetId: asset.id, frequency: "weekly" });
    fixture.asset.push(asset.id);
    fixture.component.push(component.id);
    fixture.part.push(part.body.partId);
    fixture.procedure.push(procedure.body.id);
    const { createPerson } = await caller.ask(`mutation { createPerson(input: { name: "Fitter ${i}" }) { id } }`);
    fixture.principal.push(createPerson.id);
  }
  return fixture;
}

/** Mutations with inputs of other records, and the tests that cover them. */
const elsewhere: Record<string, string> = {
  createSite: "assets/places.test.ts",
  updateSite: "assets/places.test.ts",
  createArea: "assets/places.test.ts",
  updateArea: "assets/places.test.ts",
  updateInventory: "inventory/stock/inventory.test.ts",
  updateStockSettings: "inventory/stock/approvals.test.ts",
  createStockCount: "inventory/counts/counts.test.ts",
  createCalendarFeed: "access/calendar-feed.test.ts",
  createReportLink: "work/report-links.test.ts",
  correctInstallation: "components/correction.test.ts",
  resolveUnitConflict: "components/unit-conflicts.test.ts",
  exchangeUnit: "components/unit.test.ts",
  moveUnit: "components/unit.test.ts",
  swapUnits: "components/unit-stock.test.ts",
  createRecallOrders: "components/recall.test.ts",
  createPurchaseOrder: "inventory/supply/purchase-orders.test.ts",
  updatePurchaseOrder: "inventory/supply/purchase-orders.test.ts",
  createSupplierInvoice: "inventory/supply/supplier-invoices.test.ts",
  updateSupplierInvoice: "inventory/supply/supplier-invoices.test.ts",
  createInvitation: "access/invitation.test.ts",
  updateWorkOrderStep: "maintenance/work-orders/work-order.test.ts",
};

const all = Object.entries(nouns);
const updated = all.filter(([, { update }]) => update);
const inRest = all.filter(([, { path }]) => path);

it("every mutation that creates or updates from an input is tested here", () => {
  const tested = [...Object.values(nouns).flatMap(({ create, update }) => [create, update]), "bulkComponents", ...Object.keys(elsewhere)];
  const mutations = Object.values(schema.getMutationType()!.getFields()).filter(({ args }) =>
    args.some(({ type }) => /^(Create|Update)\w+Input$/.test(getNamedType(type).name)),
  );
  expect(mutations.map(({ name }) => name).filter((name) => !tested.includes(name))).toEqual([]);
});

describe("through GraphQL a client reads back", () => {
  it.each(all)("every field that it creates %s with", async (_, noun) => {
    const fixture = await fixtureOf();
    const input = inputOf(noun.create);
    const sent = creation(noun, fixture);
    const id = await create(noun, fixture, sent);
    expect(await read(noun, fixture, id, input)).toEqual(asReadInGraph(noun.type, input, sent));
  });

  it.each(updated)("every field that it updates %s with", async (_, noun) => {
    const fixture = await fixtureOf();
    const created = creation(noun, fixture);
    const id = await create(noun, fixture, created);
    const input = inputOf(noun.update!);
    const sent = samples(input, [], 1, fixture, created);
    await mutateOk(fixture, noun.update!, { id, input: sent });
    expect(await read(noun, fixture, id, input)).toEqual(asReadInGraph(noun.type, input, sent));
  });

  it.each(updated)("null, or the default, in each field that it clears of %s", async (_, noun) => {
    const fixture = await fixtureOf();
    const input = inputOf(noun.update!);
    const created = inputOf(noun.create).getFields();
    // Fields that only create can set, such as opening stock, may influence the cleared fields.
    const kept = Object.entries(creation(noun, fixture)).filter(
      ([name]) => name in input.getFields() || isNonNullType(created[name]!.type),
    );
    const id = await create(noun, fixture, Object.fromEntries(kept));
    const sent = samples(input, [], 1, fixture, defaultsOf(noun, input));
    await mutateOk(fixture, noun.update!, { id, input: sent });
    const expected = asReadInGraph(noun.type, input, sent);
    expect(await read(noun, fixture, id, input)).toEqual(expected);
    for (const field of Object.keys(input.getFields())) {
      const column: ColumnInfo | undefined = tables[noun.table].columns[field];
      const { errors } = await mutate(fixture, noun.update!, { id, input: { [field]: null } });
      if (column && !column.nullable && (column.noReset || defaultOf(noun, field) === undefined)) {
        expect(errors?.[0]?.extensions, field).toMatchObject({ code: "BAD_USER_INPUT", details: { [field]: expect.any(String) } });
      } else {
        expect(errors, field).toBeUndefined();
        const name = readName(noun.type, field);
        const output = objectType(noun.type).getFields()[name]!.type;
        if (cleared[`${noun.type}.${field}`] !== "unchanged")
          expected[name] = column?.nullable ? null : inNames(output, defaultOf(noun, field));
      }
      expect(await read(noun, fixture, id, input), `after ${field}: null`).toEqual(expected);
    }
  });

  it("every field that it updates components with in bulk", async () => {
    const fixture = await fixtureOf();
    const { component: componentIds } = fixture;
    const input = inputOf("bulkComponents", "data");
    const data = samples(input, [], 1, fixture, defaultsOf(nouns.component!, input));
    const before = await Promise.all(componentIds.map((id) => read(nouns.component!, fixture, id, input)));
    const { errors } = await mutate(fixture, "bulkComponents", { operation: "update", componentIds, data }, "processed");
    expect(Object.keys(errors?.[0]?.extensions.details)).toEqual(notInBulk.map((field) => `data.${field}`));
    for (const field of notInBulk) delete data[field];
    await mutateOk(fixture, "bulkComponents", { operation: "update", componentIds, data }, "processed");
    for (const [i, id] of componentIds.entries())
      expect(await read(nouns.component!, fixture, id, input)).toEqual({ ...before[i], ...asReadInGraph("Component", input, data) });
  });

  it("every field of a template's items in the components that it builds", async () => {
    const fixture = await fixtureOf();
    const { id, items } = await template(fixture);
    const fields = [...items[0]!.fields, "parentId", "assetId"];
    const { created } = await mutateOk(
      fixture,
      "applyTemplate",
      { id, input: { parentId: fixture.component[0] } },
      `created { id ${fields.join(" ")} }`,
    );
    expectBuilt(items, created, fixture);
    for (const one of created) {
      const { component } = await fixture.caller.ask(`query ($id: ID!) { component(id: $id) { id ${fields.join(" ")} } }`, { id: one.id });
      expect(component).toEqual(one);
    }
  });
});

interface Item {
  item: Fields;
  above?: Item;
  /** Fields copied to the component. */
  fields: string[];
}

/** Creates a template with every field on every item, nested ones included; returns its items, parents first. */
async function template(fixture: Fixture): Promise<{ id: string; items: Item[] }> {
  const created = creation(nouns.template!, fixture);
  const id = await create(nouns.template!, fixture, created);
  const levels: Item[][] = [];
  const walk = (items: Fields[], depth: number, above?: Item): void => {
    for (const item of items) {
      const one = { item, above, fields: Object.keys(item).filter((field) => field !== "components") };
      (levels[depth] ??= []).push(one);
      walk(item.components ?? [], depth + 1, one);
    }
  };
  walk(created.components, 0);
  expect(levels.map((level) => level.length)).toEqual([2, 4]);
  return { id, items: levels.flat() };
}

function expectBuilt(items: Item[], created: Fields[], { asset, component }: Fixture): void {
  const idOf = (one: Item | undefined) => created.find(({ name }) => name === one?.item.name)?.id ?? component[0];
  const expected = items.map((one) => ({
    ...Object.fromEntries(one.fields.map((field) => [field, one.item[field]])),
    parentId: idOf(one.above),
    assetId: asset[0],
  }));
  const byName = (a: Fields, b: Fields) => (a.name < b.name ? -1 : 1);
  expect(created.length).toBe(items.length);
  expect([...created].sort(byName)).toMatchObject([...expected].sort(byName));
}

const compiled = routesFor(schema, true).routes.map((route) => route.compiled());

const routeOf = (method: Route["method"], path: string): CompiledRoute => {
  const found = compiled.find(({ route }) => route.method === method && route.path.replace(/:\w+$/, ":id") === path);
  if (!found) throw new Error(`there is no ${method} ${path}`);
  return found;
};

/** A value under the documented names. */
function documented(rule: BodyRule | undefined, type: GraphQLInputType, value: any): any {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return value.map((item: unknown) => documented(rule, nullable.ofType, item));
  if (!isInputObjectType(nullable)) return value;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [rule?.names?.[name]?.[0] ?? name, documented(rule, fields[name]!.type, part)]),
  );
}

/** The fields of a selection, including those of fragments. */
function selected(document: DocumentNode, set: SelectionSetNode): FieldNode[] {
  return set.selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return selected(document, node.selectionSet);
    const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value);
    return selected(document, (fragment as FragmentDefinitionNode).selectionSet);
  });
}

/** The values sent, as the route selects and names them. `missing` collects the fields that the route does not select. */
function projected(document: DocumentNode, set: SelectionSetNode, value: any, missing: string[], path = ""): any {
  if (Array.isArray(value)) return value.map((item) => projected(document, set, item, missing, path));
  const nodes = selected(document, set);
  const shown: Fields = {};
  for (const [field, part] of Object.entries<any>(value)) {
    const node = nodes.find(({ name }) => name.value === field);
    if (!node) {
      missing.push(path + field);
      continue;
    }
    const alias = node.alias?.value ?? field;
    if (alias !== field && alias in value) throw new Error(`${path}${field} is returned under the name of another field, ${alias}`);
    shown[alias] = node.selectionSet ? projected(document, node.selectionSet, part, missing, `${path}${field}.`) : part;
  }
  return shown;
}

/** Compares a response with the input, for the fields that the route selects. The others must be declared in notShown. */
function expectFields({ route, document, operation }: CompiledRoute, type: string, sent: Fields, response: RestResponse): void {
  expect(response.status, JSON.stringify(response.body)).toBe(route.status ?? 200);
  const [root] = selected(document, operation.selectionSet);
  const missing: string[] = [];
  expect(response.body).toMatchObject(projected(document, root!.selectionSet!, asRead(type, sent), missing));
  const name = `${route.method} ${route.path}`;
  expect(
    missing
      .map((field) => `${type}.${field}`)
      .filter((field, i, all) => all.indexOf(field) === i)
      .sort(),
    `fields that ${name} does not select: add them to the route, or to notShown where docs/interface.md leaves them out`,
  ).toEqual((notShown[name] ?? []).map((field) => `${type}.${field}`));
}

/** The REST part of an input or record: without GraphQL-only fields, including those of nested items. */
const inRestAlone = (fields: Fields, { type, create }: Noun): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => {
      const hidden = field.toLowerCase().endsWith("steps") ? graphOnlyFields.CustomStepInput! : [];
      const known = (item: object) => Object.fromEntries(Object.entries(item).filter(([name]) => !hidden.includes(name)));
      if (graphOnlyFields[inputOf(create).name]?.some((name) => field === name || field === readName(type, name))) return [];
      return [[field, hidden.length && Array.isArray(value) ? value.map(known) : value]];
    }),
  );

describe("through REST a client reads back", () => {
  const creatable = inRest.filter(([, { path }]) => compiled.some(({ route }) => route.method === "POST" && route.path === path));
  const gettable = creatable.filter(([, { path }]) =>
    compiled.some(({ route }) => route.method === "GET" && route.path.startsWith(`${path}/:`)),
  );

  const inPath = (path: string, { procedure, component }: Fixture) =>
    path.replace(":pmId", procedure[0]!).replace(":componentId", component[0]!);

  async function post(noun: Noun, fixture: Fixture) {
    const route = routeOf("POST", noun.path!);
    const sent = inRestAlone(creation(noun, fixture), noun);
    const body = documented(route.route.body, inputOf(noun.create), sent);
    const response = await fixture.caller.rest("POST", inPath(noun.path!, fixture), body);
    expectFields(route, noun.type, sent, response);
    expect(response.headers.get("warning")).toBeNull();
    const [root] = selected(route.document, route.operation.selectionSet);
    const id = selected(route.document, root!.selectionSet!).find(({ name }) => name.value === "id")!;
    return { sent, id: response.body[id.alias?.value ?? "id"] as string };
  }

  it.each(creatable)("every field that it creates %s with", async (_, noun) => {
    const fixture = await fixtureOf();
    const { sent, id } = await post(noun, fixture);
    expect(inRestAlone(await read(noun, fixture, id, inputOf(noun.create)), noun)).toEqual(
      asReadInGraph(noun.type, inputOf(noun.create), sent),
    );
  });

  it.each(gettable)("every field of %s, created and updated", async (_, noun) => {
    const fixture = await fixtureOf();
    const { caller } = fixture;
    const { sent: created, id } = await post(noun, fixture);
    const get = routeOf("GET", `${noun.path}/:id`);
    expectFields(get, noun.type, created, await caller.rest("GET", `${noun.path}/${id}`));
    const put = routeOf("PUT", `${noun.path}/:id`);
    const input = inputOf(noun.update!);
    const sent = inRestAlone(samples(input, [], 1, fixture, created), noun);
    const response = await caller.rest("PUT", `${noun.path}/${id}`, documented(put.route.body, input, sent));
    expectFields(put, noun.type, sent, response);
    expect(response.headers.get("warning")).toBeNull();
    const got = await caller.rest("GET", `${noun.path}/${id}`);
    expectFields(get, noun.type, sent, got);
    const expected = asReadInGraph(noun.type, input, sent);
    expect(inRestAlone(await read(noun, fixture, id, input), noun)).toEqual(expected);
    const back = await caller.rest("PUT", `${noun.path}/${id}`, got.body);
    expect([back.status, back.headers.get("warning")], "the response of GET is accepted by PUT").toEqual([200, null]);
    expect(inRestAlone(await read(noun, fixture, id, input), noun)).toEqual(expected);
  });

  it("every field under a name in docs/interface.md", () => {
    const text = readFileSync(fileURLToPath(new URL("../docs/interface.md", import.meta.url)), "utf8");
    const documentedWords = new Set(text.match(/\w+/g));
    // Fields outside the interface are documented in docs/rest.md.
    const guide = readFileSync(fileURLToPath(new URL("../docs/rest.md", import.meta.url)), "utf8");
    const guideWords = new Set(guide.match(/\w+/g));
    const missing = compiled.flatMap(({ route, document }) => {
      // A file has columns but no fields.
      if (route.answer) return [];
      const names: string[] = [];
      visit(document, { Field: ({ name, alias, selectionSet }) => (selectionSet ? undefined : void names.push((alias ?? name).value)) });
      return names
        .filter((name) => !documentedWords.has(name) && !(route.addition && guideWords.has(name)))
        .map((name) => `${route.method} ${route.path}: ${name}`);
    });
    expect(missing, "add them to the tables of section 2 or 4, of an addition to docs/rest.md").toEqual([]);
  });

  const listed = gettable.filter(([, { path }]) => compiled.some(({ route }) => route.method === "GET" && route.path === path));

  it.each(listed)("every field of %s in lists", (_, noun) => {
    const { document, route } = routeOf("GET", noun.path!);
    const shown = new Set<string>();
    visit(document, { Field: ({ name }) => void shown.add(name.value) });
    const missing = Object.keys(inputOf(noun.create).getFields()).filter((field) => !shown.has(readName(noun.type, field)));
    expect(missing.sort(), `fields that ${route.path} does not select: add them to the route, or to notShown`).toEqual(
      notShown[`GET ${route.path}`] ?? [],
    );
  });

  it.each(gettable)("%s under names that it can write", (_, noun) => {
    const { route } = routeOf("PUT", `${noun.path}/:id`);
    const fields = inputOf(noun.update!).getFields();
    const unwritable: string[] = [];
    for (const { route: other, document } of compiled) {
      if (other.path.replace(/\/:\w+$/, "") !== noun.path) continue;
      visit(document, {
        Field: ({ name: { value: field }, alias }) => {
          if (alias && field in fields && !route.body?.names?.[field]?.includes(alias.value))
            unwritable.push(
              `${other.method} ${other.path} returns ${field} as ${alias.value}, which ${route.method} ${route.path} does not accept`,
            );
        },
      });
    }
    expect(unwritable).toEqual([]);
  });

  it("every field that a notification is raised with", async () => {
    const fixture = await fixtureOf();
    const noun = nouns.notification!;
    const sent = creation(noun, fixture);
    const id = await create(noun, fixture, sent);
    expectFields(routeOf("GET", "/notifications/:id"), noun.type, sent, await fixture.caller.rest("GET", `/notifications/${id}`));
  });

  it("every field that it updates components with in bulk", async () => {
    const fixture = await fixtureOf();
    const { component: componentIds, caller } = fixture;
    const input = inputOf("bulkComponents", "data");
    const data = samples(input, [], 1, fixture, defaultsOf(nouns.component!, input));
    for (const field of notInBulk) delete data[field];
    const { route } = routeOf("POST", "/components/bulk");
    const body = { operation: "update", componentIds, data: documented(route.body, input, data) };
    expect((await caller.rest("POST", "/components/bulk", body)).body).toMatchObject({ processed: 2, failed: 0 });
    // The response omits the designation, which was not sent.
    const sent = { ...data, referenceDesignation: null };
    for (const id of componentIds)
      expectFields(routeOf("GET", "/components/:id"), "Component", sent, await caller.rest("GET", `/components/${id}`));
  });

  it("every field of a template's items in the components that it builds", async () => {
    const fixture = await fixtureOf();
    const { id, items } = await template(fixture);
    const path = `/components/templates/${id}/apply-hierarchical`;
    const { status, body } = await fixture.caller.rest("POST", path, { parentId: fixture.component[0] });
    expect(status).toBe(201);
    expectBuilt(items, body.created, fixture);
  });
});
