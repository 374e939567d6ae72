/**
 * A tenant with little load next to a tenant with the maximum load: every request of the former succeeds. `npm run test:hostile` runs
 * longer. Prints percentiles.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { build } from "../generate.js";
import { Caller, freshDatabase, Gateway } from "../world.js";
import { hostileDocuments } from "./documents.js";
import { hostilePlant } from "./plant.js";
import { type Service, startProcess } from "./process.js";
import { statusOf } from "./wire.js";

const seconds = Number(process.env.HOSTILE_SECONDS ?? 3);
/** A separate process, because the clients here need CPU time themselves. */
let service: Service;
let attackers: Caller[];
let bystander: Caller;
let quiet: number;

const { environment, remove } = await freshDatabase();

const heaviest = [
  "ancestors of all",
  "ancestors of the deepest 100",
  "descendants of the wide one",
  "descendants of a deep page",
  "the largest page that is allowed",
  "20 totals of everything",
  "two exports",
  "all changes by 20 aliases",
  "searches by 20 aliases",
  "a search of 60 words",
  "a search of one letter in everything",
  "groups of everything",
  "groups by 20 aliases",
  "5 inventory reports",
  "introspection by aliases",
  "a fragment that doubles 40 times",
].map((name) => hostileDocuments[name]!);

/** Durations in milliseconds of the bystander's sequential requests. All must succeed. */
async function watch(forSeconds: number): Promise<number[]> {
  const took: number[] = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    const started = performance.now();
    const { status, data, errors } = await bystander.graphql("{ components(first: 5) { nodes { id } } }");
    took.push(performance.now() - started);
    expect({ status, errors, count: data?.components.nodes.length }).toEqual({ status: 200, errors: undefined, count: 1 });
    await delay(10);
  }
  return took;
}

const percentile99 = (took: number[]) => [...took].sort((a, b) => a - b)[Math.ceil(took.length * 0.99) - 1]!;

async function fill(): Promise<[attackers: Caller[], bystander: Caller]> {
  const config = readConfig({ LOG_LEVEL: "silent", ...environment });
  const database = await openDatabase(config, () => {});
  try {
    const filling = new Gateway("", undefined as never, database, config);
    const heavy = await hostilePlant(filling);
    const keys = [1, 2, 3, 4].map(() => heavy.as("admin"));
    return [await Promise.all(keys), await filling.newTenant()];
  } finally {
    await database.close();
  }
}

beforeAll(async () => {
  build();
  const [heavy, other] = await fill();
  service = await startProcess({ ...environment, WEBHOOK_POLL_MS: "3600000" });
  const served = new Gateway(service.url, undefined as never, undefined as never, undefined as never);
  const atService = ({ tenantId, key }: Caller) => new Caller(served, tenantId, key);
  attackers = heavy.map(atService);
  bystander = atService(other);
  await bystander.createComponent();
  await watch(0.5);
  quiet = percentile99(await watch(seconds / 2));
}, 600_000);

afterAll(async () => {
  await service?.stop();
  await remove();
});

describe("a bystander", () => {
  test.each([
    ["one key", 1],
    ["several keys of one tenant", 4],
  ])("gets responses while 16 of the heaviest run at once from %s", { timeout: 300_000 + seconds * 3_000 }, async (from, keys) => {
    let isOver = false;
    const statuses: Record<string, number> = {};
    const attack = async (index: number) => {
      while (!isOver) {
        const { query, variables } = heaviest[index]!;
        const status = await statusOf(attackers[index % keys]!, query, variables);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    const attacks = heaviest.map((_, index) => attack(index));
    const took = await watch(seconds).finally(() => (isOver = true));
    await Promise.all(attacks);
    const p99 = percentile99(took);
    const figures = [quiet, p99, Math.max(...took)].map((ms) => Math.round(ms));
    console.log(
      `${from}: p99 ${figures[0]} ms quiet, ${figures[1]} ms beside; longest ${figures[2]} ms; ${took.length} asked; attacks ${JSON.stringify(statuses)}`,
    );
    expect(Object.keys(statuses).every((status) => ["200", "400", "429", "503"].includes(status))).toBe(true);
  });
});
