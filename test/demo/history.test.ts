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
