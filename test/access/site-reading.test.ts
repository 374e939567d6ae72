/** A key that is limited to sites without read access to all sees nothing of other sites over any API. */
import { beforeAll, describe, expect, it, test } from "vitest";
import { limitedTables } from "../../src/database/records/site-view.js";
import { tables } from "../../src/database/rows/catalogue.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let admin: Caller;
let limited: Caller;
let reader: Caller;
/** Ids of the records of each site, by label. */
const of: Record<"North" | "South", Record<string, string>> = { North: {}, South: {} };

/** Two requests, because a request has at most 20 root fields. */
const everything = [
  `{
  assets { totalCount nodes { id name site statusHistory { id } statusChanges { totalCount nodes { id } } components { nodes { id } } photos { id } procedures { id } readings { nodes { id } } notifications { nodes { id } } workOrders { nodes { id } } } }
  components { totalCount nodes { id ancestors { id } descendants { id } descendantComponents { totalCount nodes { id } } } }
  procedures { totalCount nodes { id history { workOrderId } } }
  workOrders { totalCount nodes { id steps { id } requiredParts { id quantityExact } statusHistory { id } statusChanges { totalCount nodes { id } } } }
  notifications { totalCount nodes { id statusHistory { id } statusChanges { totalCount nodes { id } } feedback { id } } }
  inventory { totalCount nodes { id movements { nodes { id } } } }
  stockMovements { totalCount nodes { id } }
  stockAdjustments { totalCount nodes { id } }
  stockCounts { totalCount nodes { id site lines { nodes { id } } } }
  parts { nodes { stockLevel reservedStock stockAsOf(at: "2040-01-01") { quantity } stockAt(site: "South") { exists quantity } compatibleAssets { id } componentDetails { id } componentIds stockLevels { id } movements { totalCount nodes { id } } } }
  strategies { nodes { performance { mtbf } uncoveredAssets { id } assignedAssets { id } assignedAssetIds } }
  sites { id name assetCount areas { id } }
}`,
  `{ simulatePlan(changes: [{ isPaused: true }], from: "2020-01-01", to: "2028-01-01") { procedures { procedure { id } asset { id } } } }`,
  `{
  upcoming(days: 60) { procedure { id } }
  calendar(from: "2020-01-01", until: "2020-12-31") { workOrder { id } }
  shortages { site part { id } neededFor { workOrder { id } } }
  materialForecast(horizonDays: 60) { site quantity neededFor { procedure { id } workOrder { id } } }
  reorderProposals { site quantity }
  exportAssets
  verifyLedger(instants: 2) { stockLevels totalQuantity }
  detectorPrecision { notifications }
  groupedAssets { items { site } }
  search(text: "thing") { node { id } }
  scan(code: "SN-South") { node { id } }
  assetGroups(by: [SITE]) { site count }
  workOrderGroups(by: [SITE]) { site count }
  inventoryGroups(by: [SITE]) { site quantity }
  notificationGroups(by: [SITE_NAME]) { siteName count }
  inventoryTotals { quantity }
  summary: inventoryReport(reportType: SUMMARY, filter: { startDate: "2020-01-01", endDate: "2040-01-01" }) { content }
  movements: inventoryReport(reportType: MOVEMENTS, filter: { startDate: "2020-01-01", endDate: "2040-01-01" }) { content }
  aging: inventoryReport(reportType: AGING, filter: { startDate: "2020-01-01", endDate: "2040-01-01" }) { content }
}`,
];

const seenBy = async (caller: Caller) => Object.assign({}, ...(await Promise.all(everything.map((query) => caller.ask(query)))));

beforeAll(async () => {
  admin = await gateway.newTenant();
  const part = (await admin.ask('mutation { createPart(input: { partNumber: "P", name: "Seal" }) { id } }')).createPart.id;
  for (const site of ["North", "South"] as const) {
    const asset = (await admin.createAsset({ name: `Thing ${site}`, site, area: `Hall ${site}`, serialNumber: `SN-${site}` })).id;
    const component = (await admin.createComponent({ name: `Thing ${site}`, assetId: asset })).id;
    await admin.createComponent({ name: `Thing below ${site}`, parentId: component });
    await admin.ask(
      `mutation ($part: ID!, $site: StockSite!) {
        receiveStock(partId: $part, input: { site: $site, quantity: 5, unitCost: 2 }) { id }
        adjustStock(partId: $part, input: { site: $site, adjustmentType: LOSS, quantity: -1, reason: "x" }) { id }
        createStockCount(input: { site: $site }) { id }
      }`,
      { part, site },
    );
    const data = await admin.ask(
      `mutation ($asset: ID!, $part: ID!, $title: Name!) {
        createProcedure(input: { name: $title, assetId: $asset, frequency: WEEKLY, steps: [{ description: "a" }], parts: [{ partId: $part, quantity: 1 }] }) { id }
        raiseNotification(input: { type: ANOMALY, severity: WARNING, title: $title, message: "x", assetId: $asset }) { id }
        recordReadings(readings: [{ assetId: $asset, parameter: "heat", value: 1 }]) { recorded }
        uploadless: createStrategy(input: { name: $title, type: PREVENTIVE, applicableAssetTypes: ["pump"] }) { id }
      }`,
      { asset, part, title: `Thing ${site}` },
    );
    await admin.ask("mutation ($id: ID!) { addNotificationFeedback(id: $id, input: { rating: 4 }) { id } }", data.raiseNotification);
    const order = (await admin.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id: data.createProcedure.id }))
      .createWorkOrder;
    Object.assign(of[site], {
      asset,
      component,
      order: order.id,
      procedure: data.createProcedure.id,
      notification: data.raiseNotification.id,
    });
    Object.assign(of[site], { stock: `StockLevel:${part}:${site}`, site: `Site:${site}` });
  }
  limited = await admin.as("viewer", ["North"], false);
  reader = await admin.as("viewer", ["North"]);
});

const texts = (value: unknown): string[] =>
  typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];

/** The texts and ids that belong to South. */
const ofSouth = (answer: unknown): string[] => {
  const ids = Object.values(of.South);
  return texts(answer).filter((text) => /South/.test(text) || ids.includes(text));
};

describe("a key of one site", () => {
  it("sees its site's records in every list, and nothing else", async () => {
    const [all, own] = [await seenBy(admin), await seenBy(limited)];
    // Strategy names belong to no site.
    expect(ofSouth(own)).toEqual([]);
    expect(ofSouth(all).length).toBeGreaterThan(20);
    const { assets, inventoryTotals, assetGroups, stockMovements, workOrders, sites } = own;
    expect({ assets: assets.totalCount, orders: workOrders.totalCount, movements: stockMovements.totalCount }).toEqual({
      assets: 1,
      orders: 1,
      movements: all.stockMovements.nodes.length / 2,
    });
    expect(inventoryTotals).toEqual({ quantity: 4 });
    expect([own.verifyLedger, own.detectorPrecision]).toEqual([{ stockLevels: 1, totalQuantity: 4 }, [{ notifications: 1 }]]);
    expect(own.parts.nodes).toMatchObject([{ stockLevel: 4, stockAsOf: { quantity: 4 }, stockAt: { exists: false, quantity: 0 } }]);
    expect(assetGroups).toEqual([{ site: "North", count: 1 }]);
    expect(sites).toEqual([{ id: "Site:North", name: "North", assetCount: 1, areas: [{ id: "Area:North:Hall North" }] }]);
    // The key sees all records of its own site.
    const northern = new Set(texts(own));
    expect(Object.values(of.North).filter((id) => !northern.has(id))).toEqual([]);
  });

  it("reads all sites if granted", async () => {
    expect(await seenBy(reader)).toEqual(await seenBy(admin));
    expect((await limited.ask("{ viewer { sites readAll } }")).viewer).toEqual({ sites: ["North"], readAll: false });
    expect((await reader.ask("{ viewer { sites readAll } }")).viewer).toEqual({ sites: ["North"], readAll: true });
  });

  it("finds no record of another site by its id", async () => {
    const { nodes } = await limited.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: Object.values(of.South) });
    expect(nodes).toEqual(Object.values(of.South).map(() => null));
    const roots = { asset: "asset", component: "component", order: "workOrder", procedure: "procedure", notification: "notification" };
    for (const [kind, root] of Object.entries(roots)) {
      const query = `query ($id: ID!) { ${root}(id: $id) { id } }`;
      const { errors } = await limited.graphql(query, { id: of.South[kind] });
      expect(errors?.[0]?.extensions.code, kind).toBe("NOT_FOUND");
      expect(await limited.ask(query, { id: of.North[kind] })).toEqual({ [root]: { id: of.North[kind] } });
    }
  });

  it("finds no record of another site over REST", async () => {
    for (const path of ["/assets", "/components", "/parts", "/inventory", "/pms", "/strategies", "/notifications"]) {
      const { status, body } = await limited.rest("GET", path);
      const strategies = path === "/strategies" ? /Thing South/ : /$^/;
      expect({ path, status, south: ofSouth(body).filter((text) => !strategies.test(text)) }).toEqual({ path, status: 200, south: [] });
    }
    for (const path of [
      `/assets/${of.South.asset}`,
      `/components/${of.South.component}`,
      `/components/tree/${of.South.component}`,
      `/pms/${of.South.procedure}`,
    ])
      expect({ path, status: (await limited.rest("GET", path)).status }).toEqual({ path, status: 404 });
    expect((await limited.rest("GET", `/components/tree/${of.North.component}`)).status).toBe(200);
  });

  it("sees a notification without an asset only if it names its site", async () => {
    const tenant = await gateway.newTenant();
    for (const siteName of ["North", "South", undefined])
      await tenant.ask("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", {
        input: { type: "ANOMALY", severity: "WARNING", title: `At ${siteName}`, message: "x", siteName },
      });
    const viewer = await tenant.as("viewer", ["North"], false);
    const titles = async (caller: Caller) =>
      (await caller.ask("{ notifications { nodes { title } } }")).notifications.nodes.map((one: any) => one.title);
    expect(await titles(viewer)).toEqual(["At North"]);
    expect((await titles(tenant)).sort()).toEqual(["At North", "At South", "At undefined"]);
  });

  it("finds a piece that left stock only if it left from there", async () => {
    const tenant = await gateway.newTenant();
    const input = { partNumber: "P-1", name: "Bearing", unitCost: 10, tracksSerials: true };
    const { id: part } = (await tenant.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", { input }))
      .createPart;
    for (const site of ["North", "South"])
      await tenant.ask(
        "mutation ($part: ID!, $input: MoveStockInput!) { receiveStock(partId: $part, input: $input) { id } issueStock(partId: $part, input: $input) { id } }",
        { part, input: { site, quantity: 1, serialNumbers: [site] } },
      );
    const viewer = await tenant.as("viewer", ["North"], false);
    const query = "query ($part: ID!, $number: String!) { serialNumber(partId: $part, number: $number) { site movements { site type } } }";
    const found = { site: null, movements: ["RECEIPT", "ISSUE"].map((type) => ({ site: "North", type })) };
    expect((await viewer.ask(query, { part, number: "North" })).serialNumber).toEqual(found);
    const { data, errors } = await viewer.graphql(query, { part, number: "South" });
    expect([data, errors?.[0]?.extensions.code]).toEqual([{ serialNumber: null }, "NOT_FOUND"]);
    expect((await tenant.ask(query, { part, number: "South" })).serialNumber.movements).toHaveLength(2);
  });

  it("sees in the response of a mutation what it sees otherwise", async () => {
    const technician = await admin.as("technician", ["North"], false);
    const data = await technician.ask(
      "mutation ($id: ID!) { startWorkOrder(id: $id) { id asset { id } requiredParts { part { stockLevels { site } movements { totalCount } } } } }",
      { id: of.North.order },
    );
    expect(ofSouth(data)).toEqual([]);
    expect(data.startWorkOrder.asset).toEqual({ id: of.North.asset });
    const { errors } = await technician.graphql("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: of.South.order });
    expect(errors?.[0]?.extensions.code).toBe("FORBIDDEN");
  });
});

test("cannot access webhooks, which cover all sites", async () => {
  const { createWebhook } = await admin.ask(
    'mutation { createWebhook(input: { url: "http://127.0.0.1:1/x", events: [NOTIFICATION_RAISED] }) { webhook { id } } }',
  );
  const own = await admin.as("admin", ["North"], false);
  expect((await own.ask("{ webhooks { totalCount nodes { id } } }")).webhooks).toEqual({ totalCount: 0, nodes: [] });
  for (const mutation of [
    'createWebhook(input: { url: "http://127.0.0.1:1/y", events: [NOTIFICATION_RAISED] }) { secret }',
    `updateWebhook(id: "${createWebhook.webhook.id}", input: { isActive: false }) { id }`,
    `deleteWebhook(id: "${createWebhook.webhook.id}") { id }`,
    'replayWebhookDelivery(id: "1") { id }',
    `replayWebhookDeliveries(webhookId: "${createWebhook.webhook.id}", from: "2026-01-01") { count }`,
    `rotateWebhookSecret(id: "${createWebhook.webhook.id}") { secret }`,
  ]) {
    const { errors } = await own.graphql(`mutation { ${mutation} }`);
    expect(errors?.[0]?.extensions.code, mutation).toBe("FORBIDDEN");
  }
  expect((await admin.ask("{ webhooks { nodes { id isActive } } }")).webhooks.nodes).toEqual([
    { id: createWebhook.webhook.id, isActive: true },
  ]);
});

describe("keys", () => {
  const issue = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { sites readAll } } }";
  const issued = async (caller: Caller, input: object) => {
    const { data, errors } = await caller.graphql(issue, { input: { name: "k", role: "VIEWER", ...input } });
    return errors ? errors[0]!.extensions.code : data.createApiKey.apiKey.readAll;
  };

  it("read only their sites unless granted more by an authorized admin", async () => {
    expect(await issued(admin, {})).toBe(true);
    expect(await issued(admin, { sites: ["North"] })).toBe(false);
    expect(await issued(admin, { sites: ["North"], readAll: true })).toBe(true);
    expect(await issued(admin, { readAll: false })).toBe("BAD_USER_INPUT");
    const own = await admin.as("admin", ["North"], false);
    expect(await issued(own, { sites: ["North"] })).toBe(false);
    expect(await issued(own, { sites: ["North"], readAll: true })).toBe("FORBIDDEN");
  });
});

test("every table with a site, or a reference to one, is limited", () => {
  const direct = Object.entries(tables).filter(([, { columns }]) => "site" in columns || "assetId" in columns);
  const known = new Set<string>(limitedTables);
  // A part's site is its default storage location.
  expect(direct.map(([name]) => name).filter((name) => !known.has(name) && name !== "Part")).toEqual([]);
});

test("an admin of one site exports changes without ids of procedures and assets elsewhere", async () => {
  const { updateStrategy } = await admin.ask(
    `mutation ($ids: [ID!]!, $assets: [ReferenceInput!]!) {
      createStrategy(input: { name: "Both", type: PREVENTIVE, applicableAssetTypes: ["fan"], procedures: $ids }) { id }
      updateStrategy: createPart(input: { partNumber: "Both", name: "Both", compatibleAssets: $assets }) { id }
    }`,
    { ids: [of.North.procedure, of.South.procedure], assets: [{ id: of.North.asset }, { id: of.South.asset }] },
  );
  expect(updateStrategy.id).toBeTruthy();
  const exported = async (caller: Caller) => (await caller.ask("{ exportChanges }")).exportChanges as string;
  const naming = (text: string, id: string | undefined) =>
    text.split("\n").filter((line) => /,(Strategy|Part),/.test(line) && line.includes(id!)).length;
  const [all, own] = [await exported(admin), await exported(await admin.as("admin", ["North"], false))];
  const ids = [of.North.procedure, of.South.procedure, of.North.asset, of.South.asset];
  expect(ids.map((id) => naming(all, id))).toEqual([1, 1, 1, 1]);
  expect(ids.map((id) => naming(own, id))).toEqual([1, 0, 1, 0]);
});
