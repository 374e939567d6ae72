/** The stock ledger of a service that is killed while clients write. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/config.js";
import { openDatabase } from "../../../src/database/connection/open.js";
import { build } from "../../generate.js";
import { freshDatabase } from "../../world.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
beforeAll(build);

function run(args: string[], settings: Record<string, string>) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LOG_LEVEL: "silent", PORT: "0", ...settings } as Record<string, string>;
  const child: ChildProcess = spawn(process.execPath, ["dist/cli/main.js", ...args], { cwd: root, env });
  const output = { out: "", err: "" };
  child.stdout!.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr!.on("data", (chunk) => {
    output.err += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    return ended.then(() => {});
  });
  return { child, output, ended };
}

async function serve(settings: Record<string, string>) {
  const running = run(["serve"], settings);
  for (let waited = 0; ; waited += 20) {
    const url = /answers at (http:\S+)/.exec(running.output.err)?.[1];
    if (url) return { ...running, url };
    if (running.child.exitCode !== null || waited > 300_000) throw new Error(`did not come up: ${running.output.err}`);
    await sleep(20);
  }
}

// Half of the time is before the kill, half after it. Set KILL_TEST_SECONDS=20 for the acceptance run.
const half = Number(process.env.KILL_TEST_SECONDS ?? 2) * 500;

test("after kill -9 during writes by 16 clients, each Idempotency-Key has one effect, however often it is sent", async () => {
  const { environment, remove } = await freshDatabase();
  onTestFinished(remove);
  const issued = run(["key", "--tenant", "plant", "--role", "admin"], environment);
  expect(await issued.ended, issued.output.err).toBe(0);
  const authorization = `Bearer ${issued.output.out.trim()}`;
  const post = async (url: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    });
    return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body: (await response.json()) as any };
  };

  let { url, ...server } = await serve(environment);
  const partIds: string[] = [];
  for (const partNumber of ["0", "1", "2"])
    partIds.push((await post(url, "/parts", { partNumber, name: "P", stockLevel: 100 })).body.partId);

  interface Sent {
    key: string;
    path: string;
    body: Record<string, unknown>;
    response?: any;
  }
  const sent: Sent[] = [];
  const attempt = (request: Sent) => post(url, request.path, request.body, { "idempotency-key": request.key });
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const key = `key-${sent.length}`;
      const quantity = sent.length % 4 ? 1.25 : -0.75;
      const request: Sent = {
        key,
        path: `/inventory/${partIds[sent.length % 3]}/adjustments`,
        body: { adjustmentType: "correction", quantity, reason: key },
      };
      sent.push(request);
      try {
        const { status, body } = await attempt(request);
        if (status === 201) request.response = body;
        else expect(status, JSON.stringify(body)).toBe(503);
      } catch (error) {
        // The connection broke. The retry must work whether or not the write was committed.
        if (!(error instanceof TypeError)) throw error;
        await sleep(20);
      }
    }
  };
  const clients = Array.from({ length: 16 }, client);
  // Ensures enough writes before and after the kill on any machine.
  const answered = () => sent.filter(({ response }) => response).length;
  const enough = { timeout: 60_000, interval: 50 };
  await sleep(half);
  await expect.poll(answered, enough).toBeGreaterThan(50);
  server.child.kill("SIGKILL");
  await server.ended;
  ({ url, ...server } = await serve(environment));
  await sleep(half);
  await expect.poll(answered, enough).toBeGreaterThan(100);
  stopped = true;
  await Promise.all(clients);

  const unanswered = sent.filter(({ response }) => !response);
  expect(unanswered.length).toBeGreaterThan(0);
  expect(sent.length - unanswered.length).toBeGreaterThan(100);
  for (const request of unanswered) {
    const { status, body } = await attempt(request);
    expect(status, JSON.stringify(body)).toBe(201);
    request.response = body;
  }
  for (let from = 0; from < sent.length; from += 16) {
    const responses = await Promise.all(sent.slice(from, from + 16).map(attempt));
    for (const [i, { status, replayed, body }] of responses.entries())
      expect([status, replayed, body]).toEqual([201, "true", sent[from + i]!.response]);
  }

  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  const verified = run(["ledger", "verify", "--tenant", "plant"], environment);
  expect(await verified.ended, verified.output.err).toBe(0);
  const counted = `plant: balanced, ${sent.length + 3} movements of 3 stock levels, views compared at 10 instants, in `;
  expect(verified.output.out.replace(/\d+\.\d s\n$/, "")).toBe(counted);
  const database = await openDatabase(readConfig({ LOG_LEVEL: "silent", ...environment }), () => {});
  onTestFinished(() => database.close());
  const effects = await database.query<any>(
    `select reason, count(*)::int as count, sum(quantity)::float as quantity from "StockMovement" where reason like 'key-%' group by 1`,
  );
  expect(new Map(effects.map(({ reason, count, quantity }) => [reason, [count, quantity]]))).toEqual(
    new Map(sent.map(({ key, body }) => [key, [1, body.quantity]])),
  );
});
