/** PostgreSQL's plans for the statements, on a large analyzed database. The embedded database plans alike, but loads more slowly. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { insertKey, keysByPrefix, tenantSecret, touchKey } from "../../src/database/records/directory.js";
import { claimDeliveries, cleanDeliveries, settleDelivery } from "../../src/domain/alerts/deliveries.js";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import { logEnd, readFeed } from "../../src/domain/changes/feed.js";
import type { Position } from "../../src/domain/changes/position.js";
import { deleteExpiredKeys } from "../../src/execution/operation/idempotency.js";
import { openStorage } from "../../src/storage/open.js";
import { Caller, startGateway } from "../world.js";
import { Explainer, isWrite, recordStatements, type Sent } from "./explained.js";
import { due, loadLargeDatabase } from "./large.js";

const record = recordStatements(() => gateway.config.DATABASE_URL!);
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const { database } = gateway;
const isPostgresql = database.kind === "postgresql";
const explainer = new Explainer(gateway.config.DATABASE_URL!);

let big: Caller;
let loadedUntil: Position;

/** Excludes transaction control. A comment may come first. */
const isOnTables = ({ text }: Sent) => /^(\s|\/\*.*?\*\/)*(select|with|insert|update|delete)\b/i.test(text);

/** Excludes lookups of keys and tenants, which happen only if they are not cached. */
const ofRequest = (sent: Sent) => isOnTables(sent) && !/pg_notify|pg_advisory|"ApiKey"|"Tenant"/.test(sent.text);

/** Runs a request and returns its statements. */
const statementsOf = async (work: () => Promise<unknown>) => (await record(work)).filter(ofRequest);

/** The statements of a read once they are prepared, which happens at their third use. */
async function preparedOf(read: () => Promise<unknown>): Promise<Sent[]> {
  for (let use = 1; use < 3; use++) await read();
  return statementsOf(read);
}

/** Runs a job, rolls it back, and returns its statements. */
async function statementsOfJob(work: () => Promise<unknown>): Promise<Sent[]> {
  class Undone extends Error {}
  const undone = () =>
    database
      .transaction(async () => {
        await work();
        throw new Undone();
      })
      .catch((error) => {
        if (!(error instanceof Undone)) throw error;
      });
  return (await record(undone)).filter(isOnTables);
}

beforeAll(async () => {
  if (!isPostgresql) return;
  await loadLargeDatabase(gateway.config.DATABASE_URL!);
  await explainer.open();
  ({ position: loadedUntil } = await logEnd(database, "big"));
  big = new Caller(gateway, "big", await insertKey(database, "big", { name: "admin", role: "admin", sites: [], readAll: true }));
}, 600_000);

afterAll(() => explainer.close());

const treeAt = (ms: number) =>
  `{ asset(id: "a000077") { components(at: "${new Date(Date.now() - ms).toISOString()}", scope: ALL) { totalCount nodes { name level updatedAt } } } }`;

describe.runIf(isPostgresql)("no statement reads a large table as a whole, or is misjudged by a hundred times", () => {
  it("the tables are large", () => {
    expect([...explainer.largeTables]).toEqual(expect.arrayContaining(["Component", "StockLevel", "StockMovement"]));
  });

  // The second statement loads fields with code: trees, and figures of a part's stock.
  it.each<[string, number]>([
    ["/assets?limit=100", 1],
    ["/assets?limit=100&offset=1000", 1],
    ["/assets?search=station%201234", 1],
    ["/assets/a000077", 1],
    ["/components?limit=100", 1],
    ["/components?assetId=a000077", 1],
    ["/components?search=bearing", 1],
    ["/components/c000077-0", 1],
    ["/components/c000077-0/children", 2],
    ["/components/c000077-0/descendants", 2],
    ["/components/tree/c000077-0", 2],
    ["/components/c000077-0-1/ancestors", 2],
    ["/parts?limit=100", 3],
    ["/parts?inStock=true&limit=10", 3],
    ["/parts/p000077", 3],
    ["/inventory?limit=100", 1],
    ["/inventory/p000077", 1],
    ["/inventory/p000077?site=Site%201", 2],
    ["/inventory/p000077/history", 1],
    ["/inventory/p000077/history?site=Site%201&movementType=receipt", 1],
    ["/pms", 2],
    ["/pms?assetId=a000077", 2],
    ["/pms?search=lubricate%2077", 2],
    ["/pms/f-a000077-0", 4],
    ["/strategies", 1],
    ["/notifications", 1],
    ["/notifications?timestamp=2026-01-01T00:00:00Z", 1],
    ["/notifications/n-a000077-0?includeFeedback=true", 1],
    ["/components/templates", 1],
    // Recently changed rows are found by index, except stock, whose rows change with each movement.
    ["/assets?updatedSince=2999-01-01", 1],
    ["/components?updatedSince=2999-01-01", 1],
    ["/parts?updatedSince=2999-01-01", 1],
    ["/pms?updatedSince=2999-01-01", 1],
    ["/notifications?updatedSince=2999-01-01", 1],
  ])("GET %s sends %i statements", async (path, count) => {
    const get = async () => expect((await big.rest("GET", path)).status).toBe(200);
    const sent = await preparedOf(get);
    expect(sent.map(({ text }) => text)).toHaveLength(count);
    expect(await explainer.problemsOf(sent)).toEqual([]);
  });

  it.each<[string, string, number]>([
    ["assets with their trees", "{ assets(first: 50) { nodes { name components { nodes { name children { nodes { name } } } } } } }", 1],
    [
      "an asset's screen",
      '{ asset(id: "a000077") { name statusHistory { toStatus } parts { name } procedures { name } workOrders { nodes { id } } } }',
      1,
    ],
    [
      "parts with stock and movements",
      "{ parts(first: 20) { nodes { name stockLevels { site quantity movements(first: 5) { nodes { quantity } } } } } }",
      1,
    ],
    [
      "the next page of components",
      "{ components(first: 50, orderBy: { field: NAME }) { nodes { id asset { name } parent { name } } } }",
      1,
    ],
    [
      "work orders to be done",
      "{ workOrders(filter: { pending: true }, orderBy: { field: SCHEDULED_DATE }) { nodes { title asset { name } requiredParts { quantity } } } }",
      1,
    ],
    [
      "a work order's screen",
      '{ workOrder(id: "w-a000077-0") { title steps { description } requiredParts { quantity } statusHistory { toStatus } procedure { name nextDue } } }',
      1,
    ],
    ["sites with their numbers of assets", "{ sites { name assetCount areas { name assetCount } } }", 1],
    ["work orders of some states", "{ workOrders(filter: { status: [SCHEDULED, IN_PROGRESS] }) { nodes { title status } } }", 1],
    ["due dates of a week", "{ upcoming(days: 7) { dueDate procedure { name } } }", 3],
    ["due dates of an asset", '{ upcoming(days: 7, assetId: "a000077") { dueDate } }', 2],
    [
      "stock that is low",
      "{ inventory(first: 100, filter: { lowStock: true }) { nodes { site onOrder projectedStock stockStatus belowReorderPoint } } }",
      1,
    ],
    ["the status of parts", "{ parts(first: 50) { nodes { stockStatus projectedStock onOrder } } }", 2],
    ["a forecast", '{ materialForecast(horizonDays: 30, site: "Site 1") { month quantity } }', 2],
    [
      "a simulation",
      '{ simulatePlan(changes: [{ site: "Site 1", intervalFactor: 2 }], from: "2026-01-01", to: "2026-03-01") { planned { hours } } }',
      5,
    ],
    ["what to order", '{ reorderProposals(site: "Site 1") { site quantity } }', 2],
    ["readings", '{ asset(id: "a000077") { readings(filter: { parameter: "parameter 1" }) { nodes { value recordedAt } } } }', 1],
    [
      "open notifications",
      "{ notifications(filter: { status: [OPEN] }) { nodes { title statusHistory { toStatus } workOrders { id } } } }",
      1,
    ],
    ["webhooks with their deliveries", "{ webhooks { nodes { url deliveries(first: 10) { nodes { status } } } } }", 1],
    ["an asset's history", '{ asset(id: "a000077") { statusChanges(first: 5) { totalCount nodes { toStatus } } } }', 1],
    ["components with what is below them", "{ components(first: 50) { nodes { descendantComponents(first: 5) { nodes { name } } } } }", 1],
    ["components with all that is below them", "{ components(first: 50) { nodes { descendants { name } } } }", 2],
    ["components with a level below them", "{ components(first: 50) { nodes { descendants(maxDepth: 1) { name } } } }", 2],
    ["the end of a subtree", '{ component(id: "c000077-0") { descendantComponents(last: 2) { totalCount nodes { name } } } }', 3],
    ["a search by words", '{ search(text: "pump 77") { title } }', 2],
    ["a scan", '{ scan(code: "SN-77") { codeField } }', 2],
    ["an asset's components a minute ago", treeAt(60_000), 1],
    ["an asset's components a month ago", treeAt(30 * 86_400_000), 1],
    ["photos of an asset", '{ asset(id: "a000077") { photos { filename } } }', 1],
  ])("GraphQL: %s", async (_, query, count) => {
    const sent = await preparedOf(() => big.ask(query));
    expect(sent.map(({ text }) => text)).toHaveLength(count);
    expect(await explainer.problemsOf(sent)).toEqual([]);
  });

  it("GraphQL: a page of a level's movements reads no movements of other sites", async () => {
    const sent = await preparedOf(() => big.ask('{ part(id: "p000077") { stockLevels { movements(first: 5) { nodes { quantity } } } } }'));
    expect(sent).toHaveLength(1);
    expect((await explainer.extentOf(sent[0]!, "StockMovement")).rows).toBe(4 * 5);
  });

  // The tenant has 20,000 components. An exact count reads each of them.
  it("GraphQL: an estimated count reads 10,001 rows at most", async () => {
    const extentOf = async (count: string) => {
      const sent = await preparedOf(() => big.ask(`{ components(first: 1) { ${count} } }`));
      expect(sent).toHaveLength(1);
      return explainer.extentOf(sent[0]!, "Component");
    };
    const estimated = await extentOf("totalCountEstimate { count isExact }");
    expect(estimated.rows).toBe(10_001);
    expect(estimated.blocks).toBeLessThan(2_000);
    expect((await extentOf("totalCount")).rows).toBeGreaterThan(19_000);
  });

  // No index lists the levels with shortages: updating it with each movement would cost more than this read.
  it("GraphQL: shortages reads the tenant's stock levels, and nothing else, as a whole", async () => {
    const sent = await preparedOf(() => big.ask("{ shortages { site missing part { name } neededFor { workOrder { title } } } }"));
    expect(sent).toHaveLength(1);
    const problems = await explainer.problemsOf(sent);
    expect(problems.filter((problem) => !/^the \w+ plan reads (all|\d+ rows) of StockLevel\b/.test(problem))).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      "an adjustment",
      () => big.rest("POST", "/inventory/p000077/adjustments", { site: "Site 1", adjustmentType: "correction", quantity: 1, reason: "x" }),
    ],
    ["an issue", () => big.ask('mutation { issueStock(partId: "p000078", input: { site: "Site 1", quantity: 1 }) { id } }')],
    ["a component's fields", () => big.rest("PUT", "/components/c000077-0", { name: "Renamed" })],
    ["a new component", () => big.rest("POST", "/components", { name: "New", type: "x", parentId: "c000078-0" })],
    ["a move", () => big.rest("PUT", "/components/c000079-0-0/move", { newParentId: "c000079-1" })],
    ["a component with what is below it deleted", () => big.rest("DELETE", "/components/c000080-0")],
    ["several components", () => big.rest("POST", "/components/bulk", { operation: "delete", componentIds: ["c000081-0", "c000082-0"] })],
    [
      "a template, applied",
      async () => {
        const made = await big.rest("POST", "/components/templates", { name: "T", type: "x", components: [{ name: "C", type: "x" }] });
        await big.rest("POST", `/components/templates/${made.body.id}/apply-hierarchical`, { assetId: "a000084" });
      },
    ],
    ["an asset deleted with its components", () => big.rest("DELETE", "/assets/a000083")],
    ["a part's fields", () => big.rest("PUT", "/parts/p000077", { name: "Renamed", compatibleAssets: [{ id: "a000077" }] })],
    ["stock counted", () => big.rest("PUT", "/inventory/p000079", { site: "Site 1", currentStock: 7 })],
    [
      "a transfer",
      () => big.ask('mutation { transferStock(partId: "p000080", input: { fromSite: "Site 0", toSite: "Site 1", quantity: 1 }) { id } }'),
    ],
    [
      "a procedure",
      () =>
        big.rest("POST", "/pms", { name: "New", assetId: "a000077", frequency: "monthly", parts: [{ partId: "p000077", quantity: 1 }] }),
    ],
    ["a procedure's fields", () => big.rest("PUT", "/pms/f-a000077-0", { name: "Renamed", frequency: "weekly" })],
    ["a work order", () => big.rest("POST", "/pms/f-a000077-0/createworkorder", { customSteps: [{ description: "x" }] })],
    ["a work order started", () => big.ask('mutation { startWorkOrder(id: "w-a000050-1") { status } }')],
    ["a work order completed", () => big.ask('mutation { completeWorkOrder(id: "w-a000050-1") { status } }')],
    ["a work order cancelled", () => big.ask('mutation { cancelWorkOrder(id: "w-a000150-1") { status } }')],
    [
      "readings",
      () =>
        big.ask(
          'mutation { recordReadings(readings: [{ assetId: "a000077", parameter: "parameter 1", value: 2e6 }]) { recorded raised } }',
        ),
    ],
    [
      "a notification, raised and resolved",
      async () => {
        const raised = await big.ask(
          'mutation { raiseNotification(input: { type: SYSTEM, severity: INFO, title: "x", message: "x", assetId: "a000077", dedupKey: "x" }) { id } }',
        );
        await big.ask(`mutation { changeNotificationStatus(id: "${raised.raiseNotification.id}", status: RESOLVED) { id } }`);
      },
    ],
    ["a time zone", () => big.ask('mutation { updateSite(name: "Site 1", input: { timeZone: "Europe/Copenhagen" }) { name } }')],
    ["a site's name", () => big.ask('mutation { updateSite(name: "Site 1", input: { displayName: "One" }) { name } }')],
    ["an area", () => big.ask('mutation { createArea(site: "Site 1", input: { name: "Yard" }) { name } }')],
    ["an area's name", () => big.ask('mutation { updateArea(site: "Site 1", name: "Yard", input: { displayName: "Y" }) { name } }')],
    ["an area that goes", () => big.ask('mutation { deleteArea(site: "Site 1", name: "Yard") { id } }')],
    [
      "an import",
      () =>
        big.rest("POST", "/assets/import?mode=upsert", "name,type,serialNumber,site\nPump,pump,SN-90,Site 3\nNew,pump,,Site 3\n", {
          "content-type": "text/csv",
        }),
    ],
    ["an asset at another site", () => big.rest("PUT", "/assets/a000077", { site: "Site 4" })],
    ["an asset's fields", () => big.rest("PUT", "/assets/a000077", { name: "Renamed" })],
  ])("%s", async (_, write) => {
    const sent = await statementsOf(async () => {
      const { status } = ((await write()) ?? {}) as { status?: number };
      expect(status ?? 200).toBeLessThan(300);
    });
    expect(sent.some(isWrite)).toBe(true);
    expect(await explainer.problemsOf(sent)).toEqual([]);
  });

  const storage = openStorage(gateway.config);

  it.each<[string, () => Promise<unknown>]>([
    [
      "due work orders",
      async () => expect(await createDueWorkOrders(database, new Date(), (error) => expect.fail(String(error)))).toBe(due.procedures),
    ],
    [
      "due deliveries",
      async () => {
        const taken = await claimDeliveries(database, []);
        // A delivery may wait for an earlier delivery of its record.
        expect(taken.length).toBeGreaterThan(due.deliveries - 5);
        await settleDelivery(database, taken[0]!, { delivered: true, durationMs: 1 });
        await settleDelivery(database, taken[1]!, { delivered: false, durationMs: 1 });
      },
    ],
    ["old deliveries", () => cleanDeliveries(database)],
    ["webhook events", () => queueEvents(database)],
    ["old idempotency keys", () => deleteExpiredKeys(database)],
    ["old uploads", async () => expect(await sweepUploads(database, await storage)).toBe(due.uploads)],
    // The local folder knows when a file arrived. S3 does not.
    ["old uploads on S3", async () => sweepUploads(database, { ...(await storage), kind: "s3" })],
    [
      "keys and tenants",
      async () => {
        const [key] = await keysByPrefix(database, ["0000000000000077"]);
        await touchKey(database, key!.tenantId, key!.id);
        await tenantSecret(database, key!.tenantId);
      },
    ],
  ])("job: %s", async (_, work) => {
    expect(await explainer.problemsOf(await statementsOfJob(work), true)).toEqual([]);
  });

  it("job: the log of changes, after an asset took its work orders to another site", async () => {
    const read = async () => {
      const [page] = await readFeed(database, [{ tenantId: "big", position: loadedUntil }], 500);
      return page!.entries.filter(({ recordType }) => recordType === "WorkOrder").length;
    };
    // The log is readable up to the server's oldest transaction, which may belong to another test file.
    await expect.poll(read).toBeGreaterThan(3);
    expect(await explainer.problemsOf(await statementsOfJob(read), true)).toEqual([]);
  });

  // The other reports sum all movements before the period.
  it("the ABC report of a day reads the movements of that day", async () => {
    const startDate = new Date(Date.now() - 86_400_000).toISOString();
    const sent = await preparedOf(() => big.rest("GET", `/inventory/reports?reportType=abc_analysis&startDate=${startDate}`));
    expect(sent).toHaveLength(1);
    expect((await explainer.problemsOf(sent)).filter((problem) => /^the \w+ plan [^:]*StockMovement/.test(problem))).toEqual([]);
  });
});
