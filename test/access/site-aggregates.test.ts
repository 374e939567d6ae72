/** Figures read with a key limited to sites (groups, reports, counts, forecasts, reliability) do not depend on other sites. */
import { expect, it } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

interface IntrospectedField {
  name: string;
  args: { name: string; type: { kind: string } }[];
  type: IntrospectedType;
}
interface IntrospectedType {
  kind: string;
  name: string | null;
  ofType: IntrospectedType | null;
}

const named = (type: IntrospectedType): IntrospectedType => (type.ofType ? named(type.ofType) : type);
const isLeaf = (field: IntrospectedField) =>
  ["SCALAR", "ENUM"].includes(named(field.type).kind) && field.args.every(({ type }) => type.kind !== "NON_NULL");

const period = `from: "2024-01-01", to: "2025-01-01"`;
const reportFilter = `filter: { startDate: "2020-01-01", endDate: "2040-01-01" }`;

/** Queries by name: groups by each column, and every other count or sum. */
async function queries(caller: Caller): Promise<Map<string, string>> {
  const type = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
  const { __schema } = await caller.ask(
    `{ __schema { types { name fields { name args { name type { ${type} } } type { ${type} } } enumValues(includeDeprecated: true) { name } } } }`,
  );
  const types = new Map<string, { fields: IntrospectedField[] | null; enumValues: { name: string }[] | null }>(
    __schema.types.map((one: any) => [one.name, one]),
  );
  const leaves = (name: string) =>
    types
      .get(name)!
      .fields!.filter(isLeaf)
      .map((field) => field.name)
      .join(" ");
  const found = new Map<string, string>();
  for (const { name, args, type } of types.get("Query")!.fields!) {
    const by = args.find((arg) => arg.name === "by");
    if (!name.endsWith("Groups") || !by) continue;
    for (const column of types.get(named(by.type as IntrospectedType).name!)!.enumValues!)
      found.set(`${name} by ${column.name}`, `{ ${name}(by: [${column.name}]) { ${leaves(named(type).name!)} } }`);
  }
  for (const { name } of types.get("ReportType")!.enumValues!)
    found.set(`report ${name}`, `{ inventoryReport(reportType: ${name}, ${reportFilter}) { content } }`);
  const totals = leaves("AbcClassTotals");
  found.set(
    "abc",
    `{ abcAnalysis(${reportFilter}) { totalCount totals { classA { ${totals} } classC { ${totals} } } nodes { ${leaves("AbcPart")} } } }`,
  );
  found.set(
    "turnover",
    `{ stockTurnover(${reportFilter}) { totalCount totals { ${leaves("TurnoverTotals")} } nodes { ${leaves("PartTurnover")} } } }`,
  );
  for (const list of [
    "assets",
    "components",
    "procedures",
    "workOrders",
    "notifications",
    "inventory",
    "stockMovements",
    "stockAdjustments",
  ])
    found.set(list, `{ ${list} { totalCount } }`);
  const figures = leaves("Reliability");
  found.set(
    "reliability",
    `{ reliability(${period}) { ${figures} causes { ${leaves("DowntimeByCause")} } failureCodes { ${leaves("FailuresByCode")} } trend { ${leaves("ReliabilityMonth")} } betweenFailures { ${leaves("BetweenFailures")} types { ${leaves("TypeIntervals")} } intervals { ${leaves("FailureInterval")} } } worstAssets { ${leaves("AssetReliability")} } } }`,
  );
  found.set("totals", `{ inventoryTotals { ${leaves("InventoryTotals")} } }`);
  found.set("forecast", `{ materialForecast(horizonDays: 365) { ${leaves("MaterialForecast")} } }`);
  found.set(
    "simulation",
    `{ simulatePlan(changes: [{ isPaused: true }], from: "2031-01-01", to: "2032-01-01") { ${leaves("PlanSimulation")} planned { ${leaves("PlanFigures")} } parts { ${leaves("SimulatedPart")} } } }`,
  );
  found.set("shortages", `{ shortages { ${leaves("Shortage")} } }`);
  found.set("proposals", `{ reorderProposals { ${leaves("ReorderProposal")} } }`);
  found.set("precision", `{ detectorPrecision { ${leaves("DetectorPrecision")} } }`);
  found.set("sites", `{ sites { ${leaves("Site")} } }`);
  found.set("parts", "{ parts { nodes { stockLevel reservedStock } } }");
  found.set("strategies", `{ strategies { nodes { performance { ${leaves("StrategyPerformance")} } } } }`);
  return found;
}

/** Averages over the lifetime of stock move with the clock. The value is compared in tens, and the days derived from it are ignored. */
const withoutClock = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (key, value) => {
    if (["daysOnHand", "basisDays", "averageStockValueExact"].includes(key)) return undefined;
    return key === "averageStockValue" ? Math.round(value / 10) : value;
  });

const numbersOf = async (caller: Caller, all: Map<string, string>) => {
  const numbers: Record<string, unknown> = {};
  for (const [name, query] of all) {
    const { data, errors } = await caller.graphql(query);
    numbers[name] = errors ?? withoutClock(data);
  }
  return numbers;
};

/** Creates assets, stock, orders, alerts and downtimes at a site. */
async function work(admin: Caller, site: string, part: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const asset = (await admin.createAsset({ name: `Pump ${site} ${i}`, site, area: "Hall", installationDate: "2024-01-01" })).id;
    await admin.createComponent({ name: "Motor", assetId: asset });
    const data = await admin.ask(
      `mutation ($asset: ID!, $part: ID!, $site: StockSite!, $name: Name!) {
        receiveStock(partId: $part, input: { site: $site, quantity: ${8 * times}, unitCost: ${2 + i} }) { id }
        issueStock(partId: $part, input: { site: $site, quantity: 2 }) { id }
        adjustStock(partId: $part, input: { site: $site, adjustmentType: LOSS, quantity: -1, reason: "x" }) { id }
        createProcedure(input: { name: $name, assetId: $asset, frequency: WEEKLY, steps: [{ description: "a" }], parts: [{ partId: $part, quantity: 9 }] }) { id }
        raiseNotification(input: { type: ANOMALY, severity: WARNING, title: $name, message: "x", assetId: $asset }) { id }
        recordDowntime(input: { assetId: $asset, cause: FAILURE, startedAt: "2024-03-01T00:00:00Z", endedAt: "2024-03-0${2 + i}T00:00:00Z" }) { id }
      }`,
      { asset, part, site, name: `Check ${site} ${i}` },
    );
    await admin.ask("mutation ($id: ID!) { addNotificationFeedback(id: $id, input: { rating: 4 }) { id } }", data.raiseNotification);
    const { createWorkOrder } = await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", data.createProcedure);
    if (i) await admin.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", createWorkOrder);
  }
}

it("figures of a key of one site do not change with records of another site", async () => {
  const admin = await gateway.newTenant();
  const other = await admin.ask('mutation { createPart(input: { partNumber: "Q", name: "Belt" }) { id } }');
  const { createPart } = await admin.ask('mutation { createPart(input: { partNumber: "P", name: "Seal" }) { id } }');
  await admin.ask('mutation { createStrategy(input: { name: "S", type: PREVENTIVE, applicableAssetTypes: ["pump"] }) { id } }');
  await work(admin, "North", createPart.id, 1);
  await work(admin, "South", createPart.id, 1);
  const limited = await admin.as("viewer", ["North"], false);
  const all = await queries(admin);
  const [own, everyone] = [await numbersOf(limited, all), await numbersOf(admin, all)];
  expect(Object.entries(own).filter(([, answer]) => Array.isArray(answer))).toEqual([]);

  await work(admin, "South", createPart.id, 3);
  await work(admin, "South", other.createPart.id, 1);
  const ownAfter = await numbersOf(limited, all);
  for (const name of all.keys()) expect({ name, answer: ownAfter[name] }).toEqual({ name, answer: own[name] });
  // Proves that the change is visible to a key of both sites.
  const everyoneAfter = await numbersOf(admin, all);
  const unchanged = [...all.keys()].filter((name) => JSON.stringify(everyone[name]) === JSON.stringify(everyoneAfter[name]));
  expect(unchanged.filter((name) => !/^(partGroups|proposals|precision|strategies)/.test(name))).toEqual([]);
});
