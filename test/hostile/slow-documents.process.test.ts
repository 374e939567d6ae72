/**
 * Searches the slowest documents that the limits admit, and sends the two slowest from 16 connections of one viewer beside a bystander.
 * Prints the documents and the percentiles. Takes minutes, so only npm run test:hostile runs it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { build } from "../generate.js";
import { freshDatabase, Gateway, onPostgresql } from "../world.js";
import { aliased, allCandidates, type Candidate } from "./candidates.js";
import { fillLargePlant } from "./large-plant.js";
import { type Service, startProcess } from "./process.js";

const seconds = Number(process.env.HOSTILE_SECONDS ?? 0);
const searchSeconds = seconds * 4;
const maxAliases = 20;
const maxPoints = 50_000;
const connections = 16;
/** Slower documents are not told apart in the search. */
const patienceMs = 15_000;

interface Found {
  name: string;
  root: string;
  query: string;
  ms: number;
  points: number;
}

interface Reply {
  status: number;
  ms: number;
  points: number;
  hasData: boolean;
  message: string;
}

/** `patience`: milliseconds after which the client disconnects, which counts as a response. */
async function ask(url: string, key: string, query: string, patience = 60_000): Promise<Reply> {
  const started = performance.now();
  const options = {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "graphql-cost": "1" },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(patience),
  };
  const read = async () => {
    const response = await fetch(`${url}/graphql`, options);
    return { response, text: await response.text() };
  };
  const { response, text } = await read().catch((error) => {
    if (error.name !== "TimeoutError") throw error;
    return { response: { status: 0 }, text: '{"data":{' };
  });
  const ms = performance.now() - started;
  const points = Number(/"requested":(\d+)/.exec(text.slice(-2_000))?.[1] ?? 0);
  return { status: response.status, ms, points, hasData: text.startsWith('{"data":{'), message: text.slice(0, 300) };
}

/** Sizes of the pages at the root and below, the largest first. */
const sizes: [root: number, inner: number][] = [
  [500, 500],
  [500, 90],
  [450, 20],
  [100, 100],
  [100, 20],
  [20, 10],
];

/** The largest pages that the limits admit, as often as they admit. Undefined if the service refuses the field at all. */
async function largest(url: string, key: string, { name, root, field, hasPages }: Candidate): Promise<Found | undefined> {
  for (const [size, inner] of hasPages ? sizes : sizes.slice(-1)) {
    const text = field(size, inner);
    const one = await ask(url, key, aliased(text, 1), patienceMs);
    if (!one.hasData) continue;
    const count = Math.max(1, Math.min(maxAliases, Math.floor((maxPoints - 1) / Math.max(1, one.points - 1))));
    const query = aliased(text, count);
    const all = count > 1 ? await ask(url, key, query, patienceMs) : one;
    // A document that takes longer than the patience has no report.
    const points = all.points || one.points * count;
    return { name: `${count} × ${name}, pages of ${size} and ${inner}`, root, query, ms: all.ms, points };
  }
  return undefined;
}

/** The slowest documents, at most four of a root field. The last third of the time goes to the largest form of the slowest. */
async function search(url: string, key: string): Promise<Found[]> {
  const end = performance.now() + searchSeconds * 1_000;
  const probed: { candidate: Candidate; ms: number; points: number }[] = [];
  const candidates = allCandidates();
  for (const candidate of candidates) {
    if (performance.now() > end - (searchSeconds * 1_000) / 3) break;
    const { ms, points, hasData } = await ask(url, key, aliased(candidate.field(100, 10), 1), patienceMs);
    if (hasData) probed.push({ candidate, ms, points });
  }
  console.log(`${probed.length} of ${candidates.length} documents timed`);
  const perPoint = ({ ms, points }: { ms: number; points: number }) => ms * Math.min(maxAliases, maxPoints / Math.max(1, points));
  probed.sort((a, b) => perPoint(b) - perPoint(a));
  const found: Found[] = [];
  const perRoot = new Map<string, number>();
  for (const { candidate } of probed) {
    if (performance.now() > end) break;
    const count = perRoot.get(candidate.root) ?? 0;
    if (count >= 4) continue;
    perRoot.set(candidate.root, count + 1);
    const one = await largest(url, key, candidate);
    if (one) found.push(one);
  }
  return found.sort((a, b) => b.ms - a.ms);
}

const percentile = (took: number[], share: number) => Math.round([...took].sort((a, b) => a - b)[Math.ceil(took.length * share) - 1]!);

interface Keys {
  viewer: string;
  bystander: string;
}

async function fill(environment: Record<string, string>): Promise<Keys> {
  const config = readConfig({ LOG_LEVEL: "silent", ...environment });
  const database = await openDatabase(config, () => {});
  try {
    const filling = new Gateway("", undefined as never, database, config);
    const viewer = await (await fillLargePlant(filling)).as("viewer");
    const bystander = await filling.newTenant();
    await database.query(`insert into "Asset" ("tenantId", id, name, type) values ($1, 'own', 'Own', 'pump')`, [bystander.tenantId]);
    return { viewer: viewer.key, bystander: bystander.key };
  } finally {
    await database.close();
  }
}

async function attack(url: string, { viewer, bystander }: Keys, documents: Found[]) {
  let isOver = false;
  const statuses: Record<string, number> = {};
  const answered: number[] = [];
  const attacker = async (index: number) => {
    for (let i = index; !isOver; i++) {
      const { status, ms } = await ask(url, viewer, documents[i % documents.length]!.query);
      statuses[status] = (statuses[status] ?? 0) + 1;
      answered.push(ms);
    }
  };
  const watch = async (forSeconds: number) => {
    const took: number[] = [];
    for (const end = performance.now() + forSeconds * 1_000; performance.now() < end && !isOver; await delay(10)) {
      const { status, ms, hasData } = await ask(url, bystander, "{ assets(first: 5) { nodes { id name } } }");
      expect([status, hasData]).toEqual([200, true]);
      took.push(ms);
    }
    return took;
  };
  await watch(1);
  const quiet = await watch(seconds / 6);
  const attackers = Array.from({ length: connections }, (_, i) => attacker(i));
  const [beside] = await Promise.all([watch(seconds).finally(() => (isOver = true)), ...attackers]);
  return { quiet, beside, answered, statuses };
}

const databases = ["PostgreSQL", "embedded"] as const;

describe.runIf(seconds > 0).each(databases.filter((kind) => kind === "embedded" || onPostgresql))("on %s", (kind) => {
  let environment: Record<string, string>;
  let remove: () => Promise<void> | void;
  let keys: Keys;
  let service: Service | undefined;

  beforeAll(async () => {
    build();
    if (kind === "PostgreSQL") ({ environment, remove } = await freshDatabase());
    else {
      const folder = mkdtempSync(join(tmpdir(), "hostile-"));
      [environment, remove] = [{ DATA_DIR: folder }, () => rmSync(folder, { recursive: true, force: true })];
    }
    keys = await fill(environment);
  }, 900_000);

  afterAll(async () => {
    await service?.stop();
    await remove();
  });

  const start = async (settings: Record<string, string>) => {
    await service?.stop();
    service = await startProcess({ ...environment, WEBHOOK_POLL_MS: "3600000", SCHEDULER: "false", ...settings }, 1_024);
    return service.url;
  };

  test("a bystander gets responses beside the two slowest documents", { timeout: 600_000 + seconds * 20_000 }, async () => {
    const found = await search(await start({ RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" }), keys.viewer);
    for (const { name, ms, points } of found.slice(0, 10))
      console.log(
        `| ${name} | ${Math.round(ms)} ms | ${points || "unknown"} points | ${points ? ((ms * 1_000) / points).toFixed(1) : "-"} ms per 1,000 |`,
      );
    const { quiet, beside, answered, statuses } = await attack(await start({}), keys, found.slice(0, 2));
    const p99 = percentile(beside, 0.99);
    console.log(
      `${kind}: bystander p50 ${percentile(quiet, 0.5)} ms and p99 ${percentile(quiet, 0.99)} ms quiet, p50 ${percentile(beside, 0.5)} ms and p99 ${p99} ms beside; ` +
        `${beside.length} asked; attacker p50 ${percentile(answered, 0.5)} ms, longest ${percentile(answered, 1)} ms; ${JSON.stringify(statuses)}`,
    );
    expect(p99, "bystander, p99").toBeLessThanOrEqual(kind === "PostgreSQL" ? 250 : 1_000);
    expect(percentile(answered, 1), "attacker, longest").toBeLessThanOrEqual(10_000);
  });
});
