/** A plan and the loaders give byte-identical responses to the same operation. */
import { isObjectType, parse, validate } from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { type CompiledOperation, compileOperation } from "../../src/execution/operation/compile.js";
import { type Context, makeContext, type PlanLog } from "../../src/resolvers/context.js";
import { exactOf, relationOf } from "../../src/resolvers/relation.js";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import type { Role } from "../../src/schema/access/enums.js";
import { openServices } from "../../src/server/services.js";
import { type Caller, onPostgresql, startGateway } from "../world.js";
import { DocumentMaker, type DocumentOptions, type RandomDocument, randomOf, type Samples } from "./documents.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const schema = buildGatewaySchema();
const services = { ...(await openServices(gateway.config, gateway.database, gateway.app.log)), checkSelection: () => {} };

let tenant: Caller;
const outputs: PlanLog[] = [];

/** `kind`: that of the database, which the embedded one reads by one statement per root field. */
function contextOf(role: Role, kind = gateway.database.kind): Context {
  const database = Object.create(gateway.database, { kind: { value: kind } });
  const context = makeContext(
    { ...services, database, logPlan: (log) => outputs.push(log) },
    { actor: { ...tenant.actor(), role }, requestId: "r", source: "graphql", baseUrl: "http://h" },
  );
  return context;
}

const oddTexts = ['quote " and \\', "tab\tnew\nline\u0001\u001f", "ünï\u2028\u2029 😀 \u007f", "</script>", "%_", " "];

/** Records of every type, including deleted ones, with values that JSON and PostgreSQL print differently. */
async function createRecords(): Promise<void> {
  const run = async (query: string, variables: Record<string, unknown> = {}) => Object.values<any>(await tenant.ask(query, variables))[0];
  const assets: any[] = [];
  for (const [i, name] of [...oddTexts, "Pump 7", "Pump 8", "Pump 9"].entries()) {
    const input = {
      name: name.trim() || "Blank",
      type: i % 2 ? "pump" : "press",
      site: `S${i % 3}`,
      area: `A${i % 2}`,
      description: i % 4 ? name : null,
      ...(i % 2 && { installationDate: `20${10 + i}-02-03T04:05:06.${i}07Z`, status: "MAINTENANCE" }),
      customFields: i % 3 ? { [name]: name, b: "1", "10": "x", a: "" } : {},
    };
    assets.push(await run("mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }", { input }));
  }
  const components: any[] = [];
  for (let i = 0; i < 14; i++) {
    const place = i < 5 ? { assetId: assets[i % 3].id } : { parentId: components[i % 5].id };
    const specifications = i % 2 ? { n: [1.5, 1e21, 0.1, null, { deep: " x " }], "2": true } : {};
    const input = { name: oddTexts[i % 6]!.trim() || "C", type: i % 3 ? "motor" : "rotor", specifications, ...place };
    components.push(await run("mutation ($input: CreateComponentInput!) { createComponent(input: $input) { id } }", { input }));
  }
  const parts: any[] = [];
  for (let i = 0; i < 6; i++) {
    const input = {
      partNumber: `P-${i}`,
      name: `Seal ${i}`,
      unitCost: [12.5, 0.0001, 99999999.1234, 7, null, 1][i],
      weight: i % 2 ? 12.3 : null,
      minimumStock: i,
      maximumStock: 1000 + i,
      supplier: i % 2 ? { name: "ACME", contact: { email: "a@b.c" } } : null,
      compatibleAssets: [{ id: assets[i].id }, { id: assets[8].id }],
      componentIds: [components[i].id],
      isCritical: i % 2 === 0,
      alternativeParts: parts.slice(-2).map(({ id }) => ({ id })),
      dimensions: i % 3 ? { length: 1.25, unit: "mm" } : null,
    };
    parts.push(await run("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", { input }));
  }
  const receive = "mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }";
  for (const [i, { id }] of parts.slice(0, 4).entries())
    for (const [j, quantity] of [10, 0.0001, 3.25, 120].entries())
      await run(receive, { id, input: { site: `S${j % 2}`, quantity, unitCost: i ? 1.75 * (j + 1) : undefined, reason: oddTexts[j] } });
  // A value with more than 15 digits.
  await run(receive, { id: parts[2].id, input: { site: "S2", quantity: 50_000_000, unitCost: 9_999_999_999.1234 } });
  await run('mutation ($id: ID!) { issueStock(partId: $id, input: { site: "S0", quantity: 2.5 }) { id } }', { id: parts[0].id });
  await run(
    `mutation ($id: ID!) { adjustStock(partId: $id, input: { site: "S0", adjustmentType: LOSS, quantity: -1.5, reason: "x" }) { id } }`,
    {
      id: parts[1].id,
    },
  );
  const procedure = await run("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
    input: {
      name: "Grease",
      assetId: assets[0].id,
      frequency: "BI_WEEKLY",
      estimatedDuration: 12.5,
      requiredSkills: ["a", 'b "'],
      steps: [{ order: 1, description: "Open", parts: [{ partId: parts[0].id, quantity: 1 }] }],
      parts: [{ partId: parts[1].id, quantity: 0.5 }],
      safetyRequirements: ["LOCKOUT_TAGOUT", "PPE"],
      schedulingRules: { avoidWeekends: true },
    },
  });
  const gone = await run("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
    input: { name: "Old", assetId: assets[1].id, frequency: "MONTHLY" },
  });
  await run("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: procedure.id });
  await run("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: gone.id });
  await run("mutation ($id: ID!) { deleteProcedure(id: $id) { id } }", { id: gone.id });
  await run("mutation ($input: CreateStrategyInput!) { createStrategy(input: $input) { id } }", {
    input: {
      name: "Watch",
      type: "CONDITION_BASED",
      applicableAssetTypes: ["pump"],
      procedures: [procedure.id],
      duration: 3.75,
      triggerConditions: [
        { parameter: "t", threshold: 1e-7, operator: "GREATER_THAN" },
        { parameter: "v", threshold: 1e21, operator: "LESS_THAN" },
      ],
    },
  });
  const values = [1.5, 0.1, 1e-7, 1e21, -2.25, 1e15, 123456789012345.6, 0];
  await run("mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }", {
    readings: values.map((value, i) => ({
      assetId: assets[i % 2].id,
      parameter: "x",
      value,
      recordedAt: `2024-01-0${i + 1}T00:00:00.00${i}Z`,
    })),
  });
  for (let i = 0; i < 5; i++) {
    const notification = await run("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", {
      input: {
        type: "ANOMALY",
        severity: "WARNING",
        title: oddTexts[i]!.trim() || "T",
        message: "m",
        companyName: "ACME",
        timestamp: "2024-01-01T00:00:00Z",
        assetId: i % 2 ? assets[i].id : null,
        metadata: { "9": 1, score: 0.5, z: "" },
      },
    });
    if (i % 2) await run("mutation ($id: ID!) { addNotificationFeedback(id: $id, input: { rating: 4 }) { id } }", notification);
  }
  await run(`mutation { createWebhook(input: { url: "https://example.com/x", events: [ASSET_CREATED] }) { secret } }`).catch(
    () => undefined,
  );
  const template = await run(`mutation { createTemplate(input: { name: "T", type: "x", components: [{ name: "a", type: "b" }] }) { id } }`);
  await run(`mutation ($id: ID!) { updateTemplate(id: $id, input: { name: "T2" }) { id } }`, template);
  await run("mutation ($id: ID!) { deleteAsset(id: $id) { id } }", { id: assets[2].id });
  await run("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: parts[3].id });
}

const names = async (table: string, column = "id") =>
  (await gateway.database.query<any>(`select "${column}" as v from "${table}" where "tenantId" = $1`, [tenant.tenantId])).map(({ v }) => v);

let samples: Samples;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  await createRecords();
  const [assets, components, parts] = [await names("Asset"), await names("Component"), await names("Part")];
  const idsOf = { asset: assets, component: components, part: parts, procedure: await names("Procedure") };
  samples = {
    ...Object.fromEntries(Object.entries(idsOf).map(([root, ids]) => [`${root}.id`, ids])),
    "workOrder.id": await names("WorkOrder"),
    "strategy.id": await names("Strategy"),
    "notification.id": await names("Notification"),
    "template.id": await names("ComponentTemplate"),
    id: [...assets, ...components, ...parts, ...(await names("Procedure")), ...(await names("WorkOrder")), "unknown"],
    assetId: assets,
    parentId: components,
    partId: parts,
    componentId: components,
    after: ["x"],
    offset: [0, 1, 2],
    maxDepth: [1, 2],
    search: ["pump", "seal", '"', "%"],
    site: ["S0", "S1", ""],
    type: ["pump", "motor"],
    name: ["S0", "nowhere"],
    at: ["2025-01-01T00:00:00Z"],
    String: ["pump", "A0"],
    ID: ["unknown"],
    Boolean: [true, false],
    Int: [1, 2],
    DateTime: ["2024-01-03T00:00:00Z", "2030-01-01T00:00:00Z"],
  };
});

const query = schema.getQueryType()!;
const roots = Object.values(query.getFields())
  .filter((field) => relationOf(field))
  .map(({ name }) => name);
/** Roots answered by code only. Relations below them may be planned. */
const codeRoots = ["sites", "viewer"];
/** Signed links, and figures up to now. */
const skip = new Set(["Photo.url", "Photo.thumbnailUrl", "Strategy.performance", "Part.averageUsage", "Asset.reliability"]);

const isPlain: DocumentOptions["isPlain"] = ({ name: type }, field) =>
  type.endsWith("Connection")
    ? ["nodes", "totalCount"].includes(field.name)
    : Boolean(relationOf(field) ?? exactOf(field)) || !field.resolve;

interface Answer {
  data?: unknown;
  errors?: readonly unknown[];
}

/** The part of an error's path down to the null it caused. Of two errors below the same null, either may be reported. */
function nullOf(data: any, path: readonly (string | number)[] = []): readonly (string | number)[] {
  let value = data;
  const end = path.findIndex((key) => (value = value?.[key]) == null);
  return end === -1 ? path : path.slice(0, end + 1);
}

const refusals = ({ data, errors }: Answer) =>
  errors?.map((error: any) => [JSON.stringify(nullOf(data, error.path)), `${error.extensions?.code}: ${error.message}`] as const) ?? [];

/** The data and the nulls that errors caused. Of two errors below the same null, one or both are reported. */
const shown = (answer: Answer) => JSON.stringify({ data: answer.data, refused: [...new Set(refusals(answer).map(([at]) => at))].sort() });

/** True if each null of one response has an error in common with the other's. */
function sameRefusals(one: Answer, other: Answer): boolean {
  const [told, others] = [refusals(one), refusals(other)];
  const common = new Set(told.filter(([at, what]) => others.some(([place, it]) => place === at && it === what)).map(([at]) => at));
  return told.every(([at]) => common.has(at));
}

async function answers({ query: text, variables }: RandomDocument, role: Role) {
  const document = parse(text);
  expect(validate(schema, document), text).toEqual([]);
  const planned = compileOperation(schema, document, undefined, true);
  const loaded = compileOperation(schema, document, undefined, false);
  const run = (operation: CompiledOperation) => operation.run(variables, contextOf(role)) as Promise<Answer>;
  const respond = (kind?: Database["kind"]) => planned.respond(variables, contextOf(role, kind));
  return { planned: await run(planned), texts: [await respond("postgresql"), await respond("embedded")], loaded: await run(loaded) };
}

/** Collects cursors of a response, for later documents. */
function collectCursors(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, entry] of Object.entries(value))
    if (typeof entry === "string" && /cursor/i.test(key)) samples.after!.push(entry);
    else collectCursors(entry);
}

const chanceSeed = Math.floor(Math.random() * 2 ** 31);
/** Both paths query the same database, so the slower database gets fewer seeds. */
const fixed = onPostgresql ? [4, 5] : [4];
const seeds = process.env.SEED ? [Number(process.env.SEED)] : [...fixed, chanceSeed];
const documents = Number(process.env.DOCUMENTS ?? 500);

describe("plans and loaders give the same answer", () => {
  it.each(seeds)("for random documents of seed %i", { timeout: 600_000 }, async (seed) => {
    outputs.length = 0;
    const random = randomOf(seed);
    const maker = new DocumentMaker(schema, random, { roots: [...roots, ...roots, ...codeRoots], skip, samples, maxDepth: 4, isPlain });
    for (let i = 0; i < documents; i++) {
      const document = maker.make();
      const role = (["admin", "manager", "technician", "viewer"] as const)[Math.floor(random() * 4)]!;
      const { planned, texts, loaded } = await answers(document, role);
      const what = `seed ${seed}, document ${i}: ${document.query} ${JSON.stringify(document.variables)}`;
      expect(shown(planned), what).toBe(shown(loaded));
      expect(sameRefusals(planned, loaded), what).toBe(true);
      const { data, errors } = JSON.parse(JSON.stringify(loaded)) as Answer;
      const expected = errors ? shown(loaded) : JSON.stringify({ data });
      for (const text of texts) expect(typeof text === "string" ? text : shown(text), what).toBe(expected);
      collectCursors(data);
    }
    const count = (output: string) => outputs.filter((log) => log.output === output).length;
    // Documents of a random seed are compared too, but may cover few paths.
    if (seed !== chanceSeed) expect([count("text"), count("data"), count("rows")].every((times) => times > documents / 200)).toBe(true);
    if (process.env.SHOW_WAYS) console.log({ seed, text: count("text"), data: count("data"), rows: count("rows"), none: count("none") });
  });
});

describe("every relation", () => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).flatMap((field) => (relationOf(field) ? [`${type.name}.${field.name}`] : [])));

  it("is declared for a type that a document reaches", () => {
    expect(fields.length).toBeGreaterThan(60);
  });
});

describe("the statement", () => {
  const planOf = async (text: string, variables = {}) => {
    outputs.length = 0;
    await compileOperation(schema, parse(text), undefined, true).run(variables, contextOf("admin"));
    return outputs.map(({ output, because }) => ({ output, because }));
  };

  it.each<[string, string, { output: string; because: string[] }[]]>([
    ["plain columns are text", "{ assets(first: 2) { nodes { id name status createdAt } totalCount } }", [{ output: "text", because: [] }]],
    [
      "JSON columns are parsed",
      "{ assets(first: 2) { nodes { id customFields } } }",
      [{ output: "data", because: ["Asset.customFields"] }],
    ],
    [
      "cursors need rows",
      "{ assets(first: 2) { nodes { id } pageInfo { endCursor } } }",
      [{ output: "rows", because: ["AssetConnection.pageInfo"] }],
    ],
    ["code needs rows", "{ assets(first: 1) { nodes { id photos { url } } } }", [{ output: "rows", because: ["Photo.url"] }]],
    [
      "a length that is selected twice is counted once",
      "{ assets(first: 1) { a: totalCount b: totalCount } }",
      [{ output: "rows", because: ["AssetConnection.totalCount twice"] }],
    ],
    ["a record that does not exist has no plan", '{ asset(id: "unknown") { id } }', [{ output: "none", because: [] }]],
    ["a document without records has no plan", "{ viewer { role } }", []],
  ])("%s", async (_, text, expected) => expect(await planOf(text)).toEqual(expected));

  it("reads an operation's records at once", async () => {
    const operation = compileOperation(
      schema,
      parse("{ parts(first: 5) { nodes { id stockLevels { quantity movements(first: 3) { nodes { quantity part { name } } } } } } }"),
      undefined,
      true,
    );
    const before = gateway.database.statements();
    await operation.run({}, contextOf("viewer"));
    expect(gateway.database.statements() - before).toBe(1);
  });

  it("reads one root field on the embedded database, where others wait meanwhile", async () => {
    const statements = async (kind: Database["kind"]) => {
      const before = gateway.database.statements();
      const document = parse("{ a: assets { nodes { id } } b: assets { totalCount } parts { nodes { id } } }");
      await compileOperation(schema, document, undefined, true).run({}, contextOf("viewer", kind));
      return gateway.database.statements() - before;
    };
    expect([await statements("postgresql"), await statements("embedded")]).toEqual([1, 3]);
  });
});
