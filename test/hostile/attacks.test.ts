/** Each hostile document and request is quickly rejected or answered, with few statements, and the response leaks no internals. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { hostileDocuments } from "./documents.js";
import { liveAttacks } from "./live.js";
import { hostilePlant } from "./plant.js";
import { hostileRequests } from "./requests.js";
import { type Outcome, sendDocument } from "./wire.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
let caller: Caller;
let witness: Caller;
const took: [name: string, ms: number][] = [];
const maxStatements = 5;

beforeAll(async () => {
  caller = await hostilePlant(gateway);
  witness = await gateway.newTenant();
});

afterAll(() => {
  took.sort(([, a], [, b]) => b - a);
  console.log(
    `slowest of ${took.length}: ${took
      .slice(0, 6)
      .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
      .join(", ")}`,
  );
});

/** Texts that only internals contain. */
const inside =
  /node_modules|\.[tj]s:\d|select \*|"tenantId" =|insert into|\/home\/|\/tmp\/|at \w.*\(.*:\d+:\d+\)|pg_|PrismaClient|syntax error at or near/;

async function attack(name: string, run: () => Promise<Outcome>, statements = maxStatements): Promise<Outcome> {
  // Caches the key, so that its lookup is not counted.
  await caller.ask("{ viewer { role } }");
  const before = gateway.database.statements();
  const started = performance.now();
  const outcome = await run();
  const ms = performance.now() - started;
  took.push([name, ms]);
  // Leaves room for another key lookup and for recording the key's use.
  expect(gateway.database.statements() - before, "statements").toBeLessThanOrEqual(statements + 2);
  expect(outcome.status ?? 0, outcome.body.slice(0, 500)).not.toBe(500);
  expect(outcome.body.slice(0, 100_000)).not.toMatch(inside);
  expect(outcome.body.slice(0, 100_000)).not.toContain("INTERNAL_SERVER_ERROR");
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  return outcome;
}

describe("a hostile document", () => {
  test.each(Object.entries(hostileDocuments))("%s", async (name, { query, variables, statements }) => {
    const { status, body } = await attack(name, () => sendDocument(caller, query, variables), statements);
    expect(status, body.slice(0, 300)).toBeOneOf([200, 400, 413, 429, 503]);
    const answer = JSON.parse(body);
    expect("data" in answer || answer.errors.length > 0).toBe(true);
    await witness.ask("{ viewer { role } }");
  });
});

describe("a hostile request", () => {
  test.each(Object.entries(hostileRequests))("%s", async (name, run) => {
    const { status, body } = await attack(name, () => run(caller));
    expect(status, body.slice(0, 300)).toBeOneOf([
      200, 201, 400, 401, 403, 404, 405, 406, 408, 411, 412, 413, 414, 415, 422, 426, 429, 431, 503,
    ]);
    await witness.ask("{ viewer { role } }");
  });
});

describe("a hostile live connection", () => {
  test.each(Object.entries(liveAttacks))("%s", async (name, run) => {
    // Each of the 100 subscriptions that a key may have reads the end of the log, not each of 1,500. More statements serve all of them,
    // some of them again and again while a busy machine takes its time.
    await attack(name, () => run(caller), 400);
    await witness.ask("{ viewer { role } }");
  });
});
