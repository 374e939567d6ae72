/** What PostgreSQL does with the statements, on a large analysed database. The embedded database plans the same, but loads more slowly. */
import { beforeAll, describe, expect, it } from "vitest";
import { insertKey } from "../../src/database/directory.js";
import { Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const isPostgresql = gateway.database.kind === "postgresql";

interface Captured {
  text: string;
  values: unknown[];
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Plan Rows": number;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

let big: Caller;
let captured: Captured[] | undefined;

/** Rows from which on a table is not read as a whole. */
const large = 5_000;
let largeTables: Set<string>;

/** Runs a request and returns the statements that it sent. */
async function statementsOf(work: () => Promise<unknown>): Promise<Captured[]> {
  captured = [];
  await work();
  const sent = captured;
  captured = undefined;
  return sent.filter(({ text }) => /^\s*(select|with|insert|update|delete)/i.test(text) && !/pg_notify|"ApiKey"|"Tenant"/.test(text));
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Large tables read as a whole, and nodes whose rows PostgreSQL expected to be a hundred times more or fewer. */
async function problemsOf({ text, values }: Captured): Promise<string[]> {
  // A write is not run twice, so its rows are not counted.
  const isRead = !/\b(insert into|update|delete from)\b/i.test(text);
  const [row] = await gateway.database.query<any>(`explain (${isRead ? "analyze, " : ""}format json) ${text}`, values);
  const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
  return nodes.flatMap((node) => {
    const relation = node["Relation Name"];
    const found: string[] = [];
    if (node["Node Type"] === "Seq Scan" && relation && largeTables.has(relation)) found.push(`reads all of ${relation}`);
    const [expected, actual] = [node["Plan Rows"], node["Actual Rows"]];
    // A node under a limit ends early, and one that is never run has no rows.
    const isCut = nodes.some(({ "Node Type": type }) => type === "Limit") && actual < expected;
    if (!isRead) return found;
    const skipped = node["Rows Removed by Filter"] ?? 0;
    if (relation && skipped > 1_000) found.push(`reads ${skipped} rows of ${relation} for nothing`);
    if (relation && node["Actual Loops"] && !isCut && (actual + 1) * 100 < expected)
      found.push(`expects ${expected} rows of ${relation}, gets ${actual}`);
    if (relation && (expected + 1) * 100 < actual) found.push(`expects ${expected} rows of ${relation}, gets ${actual}`);
    return found;
  });
}

beforeAll(async () => {
  if (!isPostgresql) return;
  const { loadTenant } = await import(new URL("../../bench/data.mjs", import.meta.url).href);
  const sizes = { assets: 2_000, components: 10, parts: 1_000, sites: 4, movements: 20 };
  for (const tenant of ["big", "other"]) await loadTenant(gateway.config.DATABASE_URL, tenant, sizes, { tree: false });
  big = new Caller(gateway, "big", await insertKey(gateway.database, "big", { name: "admin", role: "admin", sites: [] }));
  const sized = await gateway.database.query<any>(`select relname from pg_class where relkind = 'r' and reltuples >= $1`, [large]);
  largeTables = new Set(sized.map(({ relname }) => relname));
  const { query } = gateway.database;
  gateway.database.query = <T>(text: string, values: unknown[] = []) => {
    captured?.push({ text, values });
    return query<T>(text, values);
  };
}, 120_000);

describe.runIf(isPostgresql)("no statement reads a large table as a whole, or is misjudged by a hundred times", () => {
  it("the tables are large", () => {
    expect([...largeTables]).toEqual(expect.arrayContaining(["Component", "StockLevel", "StockMovement"]));
  });

  // The second statement is of fields with code: trees, and figures of a part's stock.
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
    ["/parts?limit=100", 2],
    ["/parts?inStock=true&limit=10", 2],
    ["/parts/p000077", 2],
    ["/inventory?limit=100", 1],
    ["/inventory/p000077", 1],
    ["/inventory/p000077?site=Site%201", 2],
    ["/inventory/p000077/history", 1],
    ["/inventory/p000077/history?site=Site%201&movementType=receipt", 1],
    ["/pms", 1],
    ["/strategies", 1],
    ["/notifications", 1],
    ["/components/templates", 1],
  ])("GET %s sends %i statements", async (path, count) => {
    const get = async () => expect((await big.rest("GET", path)).status).toBe(200);
    const sent = await statementsOf(get);
    expect(sent.map(({ text }) => text)).toHaveLength(count);
    expect((await Promise.all(sent.map(problemsOf))).flat()).toEqual([]);
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
  ])("GraphQL: %s", async (_, query, count) => {
    const sent = await statementsOf(() => big.ask(query));
    expect(sent).toHaveLength(count);
    expect((await Promise.all(sent.map(problemsOf))).flat()).toEqual([]);
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
    ["an asset deleted with its components", () => big.rest("DELETE", "/assets/a000083")],
    ["a part's fields", () => big.rest("PUT", "/parts/p000077", { name: "Renamed", compatibleAssets: [{ id: "a000077" }] })],
    ["stock counted", () => big.rest("PUT", "/inventory/p000079", { site: "Site 1", currentStock: 7 })],
    [
      "a transfer",
      () => big.ask('mutation { transferStock(partId: "p000080", input: { fromSite: "Site 0", toSite: "Site 1", quantity: 1 }) { id } }'),
    ],
    ["an asset's fields", () => big.rest("PUT", "/assets/a000077", { name: "Renamed" })],
  ])("%s", async (_, write) => {
    const sent = await statementsOf(async () => {
      const { status } = ((await write()) ?? {}) as { status?: number };
      expect(status ?? 200).toBeLessThan(300);
    });
    expect((await Promise.all(sent.map(problemsOf))).flat()).toEqual([]);
  });
});
