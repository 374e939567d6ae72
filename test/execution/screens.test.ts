/**
 * The operations of docs/graphql.md, "Questions that screens ask", on the demo plant: each succeeds with the documented number of
 * statements.
 */
import { print } from "graphql";
import { beforeAll, describe, expect, it, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { loadDemo } from "../../src/demo/load.js";
import { loadDemoWork } from "../../src/demo/work.js";
import { type Caller, startGateway } from "../world.js";
import { chapter, operations } from "./screens.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const statements = new Map([...chapter.matchAll(/^\| `(\w+)` \|[^|]*\| (\d+) \|/gm)].map(([, name, count]) => [name!, Number(count)]));

let caller: Caller;
let variables: Record<string, Record<string, unknown>>;

/** Set to 25 to measure the document's timings. */
const scale = Number(process.env.DEMO_SCALE ?? 1);

beforeAll(async () => {
  caller = await gateway.newTenant();
  const db = forTenant(gateway.database, caller.tenantId);
  await loadDemo(db, caller.actor(), scale, () => {});
  await loadDemoWork(db, caller.actor(), 30);
  if (gateway.database.kind === "postgresql") await gateway.database.query("analyze");
  const { workOrders, inventory, parts } = await caller.ask(`{
    workOrders(filter: { not: { isNull: [ASSIGNED_TECHNICIAN] }, pending: true }, first: 1) { nodes { assignedTechnician asset { id site } } }
    inventory(filter: { lowStock: true }, first: 1) { nodes { site } }
    parts(first: 1) { nodes { partNumber } }
  }`);
  const [order] = workOrders.nodes;
  const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
  variables = {
    MyDay: { technician: order.assignedTechnician },
    ScanLabel: { code: parts.nodes[0].partNumber },
    Calendar: { from: days(-30), until: days(30), asset: { site: order.asset.site } },
    Shortages: { site: inventory.nodes[0].site },
    Dashboard: { site: order.asset.site, from: days(-365) },
    ChangedSince: { since: days(-1) },
    FindAnything: { text: "pump" },
    AssetPage: { id: order.asset.id },
    Places: {},
  };
}, 600_000);

const empty = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && value !== null
      ? Object.values(value).every(empty)
      : value === null;

describe("every screen's question", () => {
  test("is in the table and in the code", () => {
    expect([...statements.keys()]).toEqual(operations.map(({ name }) => name!.value));
  });

  it.each(operations.map((operation) => [operation.name!.value, operation] as const))("%s", async (name, operation) => {
    const query = print(operation);
    const counts: number[] = [];
    const times: number[] = [];
    // The minimum of several runs: looking up the key and recording its use adds statements to some.
    for (let run = 0; run < (scale > 1 ? 30 : 3); run++) {
      const before = gateway.database.statements();
      const start = performance.now();
      const data = await caller.ask(query, variables[name]);
      times.push(performance.now() - start);
      counts.push(gateway.database.statements() - before);
      expect(Object.values(data).map(empty), name).not.toContain(true);
    }
    if (scale > 1) console.log(name, times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!.toFixed(1));
    expect(Math.min(...counts)).toBe(statements.get(name));
  });
});
