/** The history of the demo plant is consistent with its figures. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { loadDemo } from "../../src/demo/load.js";
import { loadDemoWork } from "../../src/demo/work.js";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
// A shorter history is enough on a slow database.
const days = gateway.database.kind === "postgresql" ? 730 : 90;
let caller: Caller;

beforeAll(async () => {
  caller = await gateway.newTenant();
  const db = forTenant(gateway.database, caller.tenantId);
  await loadDemo(db, caller.actor(), 0.5, () => {});
  await loadDemoWork(db, caller.actor(), days);
  // Closes connections that were idle meanwhile.
  await delay(100);
}, 600_000);

test("work, faults and stock lie in the past, and the ledger explains them", async () => {
  const { verifyLedger, workOrders, workRequests, downtimes } = await caller.ask(`{
    verifyLedger { balanced }
    workOrders(filter: { status: [COMPLETED, CLOSED] }, first: 500) { nodes { type status completedAt failureMode partsCost } }
    workRequests(first: 500) { nodes { status } }
    downtimes(filter: { cause: FAILURE }, first: 500) { nodes { workOrderId description } }
  }`);
  expect(verifyLedger).toEqual({ balanced: true });
  const ages = workOrders.nodes.map(({ completedAt }: { completedAt: string }) => (Date.now() - Date.parse(completedAt)) / 86_400_000);
  expect(Math.max(...ages)).toBeGreaterThan(days * 0.9);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  for (const { type, status, failureMode } of workOrders.nodes) {
    expect(status).toBe(type === "CORRECTIVE" ? "CLOSED" : "COMPLETED");
    expect(failureMode === null).toBe(type !== "CORRECTIVE");
  }
  expect(workOrders.nodes.some(({ partsCost }: { partsCost: number | null }) => partsCost! > 0)).toBe(true);
  expect(downtimes.nodes.length).toBeGreaterThan(3);
  expect(downtimes.nodes.filter(({ workOrderId, description }: any) => workOrderId === null && !description)).toEqual([]);
  expect(new Set(workRequests.nodes.map(({ status }: { status: string }) => status))).toEqual(new Set(["ACCEPTED", "DECLINED", "OPEN"]));
});

test("one seal fails in each of its positions, and one position destroys seal after seal", async () => {
  const { units, stock } = await caller.ask(`{
    units(filter: { serialNumberContains: "CTX-" }, first: 100) { nodes {
      serialNumber batchNumber part { partNumber } whereabouts { state condition component { serialNumber } }
      periods(first: 50) { nodes { state startedAt componentId removalReason } } } }
    stock: parts(first: 100) { nodes { partNumber stockAt(site: "main") { quantity } } }
  }`);
  const seals: any[] = units.nodes;
  const failures = seals.flatMap(({ serialNumber, periods }) =>
    periods.nodes
      .filter(({ removalReason }: any) => removalReason === "FAILURE")
      .map(({ componentId }: any) => ({ serialNumber, componentId })),
  );
  const counted = (key: "serialNumber" | "componentId") => {
    const counts = new Map<string, number>();
    for (const one of failures) counts.set(one[key], (counts.get(one[key]) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  };
  const [[rogue, ofRogue], ...otherSeals] = counted("serialNumber") as [[string, number], ...[string, number][]];
  expect([
    rogue,
    ofRogue,
    new Set(failures.filter(({ serialNumber }) => serialNumber === rogue).map(({ componentId }) => componentId)).size,
  ]).toEqual(["CTX-20659", 4, 3]);
  expect(otherSeals.every(([, count]) => count === 1)).toBe(true);
  const [[bad, ofBad], ...otherPositions] = counted("componentId") as [[string, number], ...[string, number][]];
  expect([ofBad, new Set(failures.filter(({ componentId }) => componentId === bad).map(({ serialNumber }) => serialNumber)).size]).toEqual([
    5, 5,
  ]);
  expect(otherPositions.map(([, count]) => count)).toEqual([2, 1, 1, 1, 1]);
  const states = new Map<string, number>();
  for (const { whereabouts } of seals) states.set(whereabouts.state, (states.get(whereabouts.state) ?? 0) + 1);
  expect(Object.fromEntries(states)).toEqual({ INSTALLED: 16, IN_STOCK: 4, IN_REPAIR: 1, SCRAPPED: 1, REMOVED: 6 });
  for (const { serialNumber, batchNumber, part, whereabouts, periods } of seals) {
    expect([part.partNumber, /^CX-\d{4}$/.test(batchNumber)]).toEqual(["SEA-CTX-53", true]);
    if (whereabouts.component) expect(whereabouts.component.serialNumber).toBe(serialNumber);
    expect(Date.parse(periods.nodes[0].startedAt)).toBeLessThan(Date.now());
  }
  expect(stock.nodes).toContainEqual({ partNumber: "SEA-CTX-53", stockAt: { quantity: 4 } });
  const { badActors } = await caller.ask(
    "query ($from: DateTime!) { badActors(from: $from) { kind failures component { id } unit { serialNumber } } }",
    { from: new Date(Date.now() - 2 * 365 * 86_400_000) },
  );
  const byKind = new Map(badActors.map((one: any) => [one.kind, one]));
  expect(badActors).toHaveLength(2);
  expect(byKind.get("UNIT")).toEqual({ kind: "UNIT", failures: 4, component: null, unit: { serialNumber: rogue } });
  expect(byKind.get("POSITION")).toEqual({ kind: "POSITION", failures: 5, component: { id: bad }, unit: null });
});

test("costs have a currency", async () => {
  expect(await caller.ask("{ stockSettings { currency version } }")).toEqual({ stockSettings: { currency: "EUR", version: 1 } });
});

test("assets fail as often as those of a plant", async () => {
  const { reliability } = await caller.ask(
    `query ($from: DateTime!) { reliability(from: $from) { availability mtbf mttr worstAssets(first: 1) { availability } } }`,
    { from: new Date(Date.now() - days * 86_400_000) },
  );
  const { availability, mtbf, mttr, worstAssets } = reliability;
  expect(availability).toBeGreaterThan(92);
  expect(availability).toBeLessThan(98);
  expect(mtbf).toBeGreaterThan(300);
  expect(mtbf).toBeLessThan(1_000);
  expect(mttr).toBeGreaterThan(4);
  expect(mttr).toBeLessThan(48);
  expect(worstAssets[0].availability).toBeLessThan(92);
});

test("work was created before it began, and most of it was planned", async () => {
  const { workOrders, reliability } = await caller.ask(
    `query ($from: DateTime!) {
      workOrders(filter: { status: [COMPLETED, CLOSED] }, first: 500) { nodes { createdAt startedAt type } }
      reliability(from: $from) { plannedWorkShare }
    }`,
    { from: new Date(Date.now() - days * 86_400_000) },
  );
  const late = workOrders.nodes.filter(({ createdAt, startedAt }: any) => startedAt && Date.parse(createdAt) > Date.parse(startedAt));
  expect(late).toEqual([]);
  expect(reliability.plannedWorkShare).toBeGreaterThan(40);
  expect(reliability.plannedWorkShare).toBeLessThan(95);
});

test("most work was done in time, and the rest is reported", async () => {
  const { compliance } = await caller.ask(
    "query ($from: DateTime!, $to: DateTime!) { compliance(from: $from, to: $to) { due done late early collapsed skipped cancelled overdue } }",
    { from: new Date(Date.now() - days * 86_400_000), to: new Date() },
  );
  const { due, done, ...others } = compliance;
  const sum = Object.values<number>(others).reduce((total, count) => total + count, done);
  expect(due).toBe(sum);
  expect(done / due).toBeGreaterThan(0.6);
});

test("README's first query and its first curl return what it shows, in form", async () => {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const block = (heading: string, language: string): string => {
    const section = text.slice(text.indexOf(`## ${heading}\n`));
    return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section)![1]!;
  };
  // The shape of a list is the shape of its first item.
  const formOf = (value: any): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(formOf)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formOf(one)]))
        : typeof value;
  const { data } = await caller.graphql(block("First query", "graphql"));
  expect(formOf({ data })).toEqual(formOf(JSON.parse(block("First query", "json"))));
  const [, path] = /"http:\/\/[^/]+(\/[^"]+)"/.exec(block("First curl", "sh"))!;
  const { body } = await caller.rest("GET", path!);
  expect(formOf(body)).toEqual(formOf(JSON.parse(block("First curl", "json").replace(",…", ""))));
});

const hasShell = ["bash", "curl", "jq"].every((program) => spawnSync(program, ["--version"]).status === 0);

test.runIf(hasShell)("the commands of docs/rest.md run as written, in their order", async () => {
  const guide = readFileSync(new URL("../../docs/rest.md", import.meta.url), "utf8");
  const blocks = [...guide.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent, text]) =>
    text!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
  // The command for generated clients needs the npm registry.
  const commands = blocks.filter((block) => block.includes("curl"));
  expect(commands.length).toBeGreaterThanOrEqual(9);
  const folder = mkdtempSync(join(tmpdir(), "rest-guide-"));
  try {
    writeFileSync(
      join(folder, "front.jpg"),
      await sharp({ create: { width: 40, height: 30, channels: 3, background: "#888" } })
        .jpeg()
        .toBuffer(),
    );
    writeFileSync(join(folder, "assets.csv"), "name,type,serialNumber\nFeed pump C,pump,GUIDE-1\n");
    const { body } = await caller.rest("GET", "/assets?limit=1");
    const ASSET = body.items[0].areas[0].assets[0].assetId;
    // An error response ends the script, and its body explains the error.
    const script = ["set -euo pipefail", 'curl() { command curl -sS --fail-with-body "$@"; }', ...commands].join("\n");
    const { PATH } = process.env;
    const env = { PATH, U: gateway.url, KEY: caller.key, ASSET };
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, env, maxBuffer: 50_000_000 });
    expect(JSON.parse(readFileSync(join(folder, "asset.json"), "utf8")).assetId).toBe(ASSET);
    expect((await caller.rest("GET", `/assets/${ASSET}`)).body.name).toBe("Feed pump B");
    expect((await caller.rest("GET", `/assets/${ASSET}/photos`)).body.photos).toMatchObject([{ description: "Front" }]);
    expect(stdout).toContain('"name":"Feed pump C"');
    expect(stdout).toMatch(/"created":0,"updated":0,"unchanged":\d+,"failed":0/);
    expect(stdout).toContain('"status":"completed"');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
