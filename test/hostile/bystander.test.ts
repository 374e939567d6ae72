/**
 * A tenant that asks for little beside one that asks for as much as it may. By `npm run test:hostile` for longer, and then its 99th percentile stays
 * within five times the quiet one, or 250 ms.
 */
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { hostileDocuments } from "./documents.js";
import { hostilePlant } from "./plant.js";
import { sendDocument } from "./wire.js";

const seconds = Number(process.env.HOSTILE_SECONDS ?? 3);
const isStrict = process.env.HOSTILE_SECONDS !== undefined;
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
let heavy: Caller;
let bystander: Caller;
let quiet: number;

const heaviest = [
  ...["ancestors of all", "ancestors of the deepest 100", "descendants of the wide one", "descendants of a deep page"],
  ...["the largest page that is allowed", "20 totals of everything", "two exports", "all changes by 20 aliases"],
  ...["searches by 20 aliases", "a search of 60 words", "a search of one letter in everything", "groups of everything"],
  ...["groups by 20 aliases", "5 inventory reports", "introspection by aliases", "a fragment that doubles 40 times"],
].map((name) => hostileDocuments[name]!);

/** Milliseconds of the bystander's requests, one after the other, all of which must be answered. */
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

beforeAll(async () => {
  heavy = await hostilePlant(gateway);
  bystander = await gateway.newTenant();
  await bystander.createComponent();
  await watch(0.5);
  quiet = percentile99(await watch(seconds / 2));
});

describe("a bystander", () => {
  test.each([
    ["one key", 1],
    ["several keys of one tenant", 4],
  ])("is answered while 16 of the heaviest run at once from %s", { timeout: 60_000 + seconds * 3_000 }, async (from, keys) => {
    const callers = await Promise.all(Array.from({ length: keys }, () => heavy.as("admin")));
    let isOver = false;
    const statuses: Record<string, number> = {};
    const attack = async (index: number) => {
      while (!isOver) {
        const { query, variables } = heaviest[index]!;
        const { status } = await sendDocument(callers[index % keys]!, query, variables);
        statuses[String(status)] = (statuses[String(status)] ?? 0) + 1;
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
    if (isStrict) expect(p99).toBeLessThan(Math.max(5 * quiet, 250));
  });
});
