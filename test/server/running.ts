/** The built service in processes that tests start, share, stop, kill and call. */
import { afterAll, afterEach, expect } from "vitest";
import { root } from "../../scripts/stale.mjs";
import { type Built, runHere, type Settings, startBuilt } from "../cli/run-command.js";
import { freshDatabase } from "../world.js";

/** Run after each test, and after all tests. */
export const [cleanups, lastCleanups]: [(() => unknown)[], (() => unknown)[]] = [[], []];
const cleanUp = async (list: (() => unknown)[]) => {
  for (const cleanup of list.splice(0).reverse()) await cleanup();
};

/** Kills processes left by the file's tests, and removes their databases. */
export function cleanUpProcesses(): void {
  afterEach(() => cleanUp(cleanups));
  afterAll(() => cleanUp(lastCleanups));
}

export async function fresh(list = cleanups): Promise<Settings> {
  const { environment, remove } = await freshDatabase();
  list.push(remove);
  return environment;
}

export const isOver = ({ child }: Built) => child.exitCode !== null || child.signalCode !== null;

export function run(args: string[], settings: Settings, list = cleanups): Built {
  const built = startBuilt(args, settings, root);
  list.push(() => {
    if (!isOver(built)) built.child.kill("SIGKILL");
    return built.ended;
  });
  return built;
}

export interface Serving extends Built {
  url: string;
}

/** Resolves once the service responds. */
async function answering(running: Built): Promise<Serving> {
  const url = () => /answers at (http:\S+)/.exec(running.err())?.[1];
  await expect.poll(() => Boolean(url()) || isOver(running), { timeout: 600_000, interval: 20 }).toBe(true);
  if (!url()) throw new Error(`did not come up: ${running.err()}`);
  return { ...running, url: url()! };
}

export const serve = (settings: Settings, ...options: string[]): Promise<Serving> => answering(run(["serve", ...options], settings));

/**
 * A process that tests share. `start` starts a process if none runs, for example after a test that ended it. `up` also waits until the
 * service responds.
 */
export function sharedService(settings: () => Settings): { start: () => Built; up: () => Promise<Serving> } {
  let running: Built | undefined;
  const start = () => {
    if (!running || isOver(running)) running = run(["serve"], settings(), lastCleanups);
    return running;
  };
  return { start, up: () => answering(start()) };
}

export async function stop({ child, ended }: Built): Promise<number | string> {
  child.kill("SIGTERM");
  return (await ended).code;
}

/** A key of a new admin. On the embedded database, call it while no service has the database open. */
export async function keyFor(settings: Settings, ...options: string[]): Promise<string> {
  const { code, out, err } = await runHere(["key", "--tenant", "plant", "--role", "admin", ...options], settings);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.trim();
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export async function call(url: string, key: string, method = "GET", body?: unknown) {
  const response = await fetch(url, {
    method,
    headers: { ...bearer(key), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

export const lines = (text: string) => text.split("\n").filter(Boolean);
