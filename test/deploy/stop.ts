/** Stopping the service under clients with keep-alive connections. */
import { expect, vi } from "vitest";
import { freshDatabase } from "../world.js";
import { startClients } from "./clients.js";
import { killLeft, launch, listens, type Settings, type Way, ways } from "./service.js";

const cleanups: (() => unknown)[] = [];
/** After each test. */
export async function cleanUp(): Promise<void> {
  await killLeft();
  for (const cleanup of cleanups.splice(0)) await cleanup();
}

export async function fresh(): Promise<Settings> {
  const { environment, remove } = await freshDatabase();
  cleanups.push(remove);
  return environment;
}

/**
 * SIGTERM under 40 clients: no started request is lost or answered with 503, and nothing listens afterwards. Returns the number of answered
 * requests.
 */
export async function stopUnderLoad(way: Way, settings: Settings, key?: string) {
  const service = launch(ways[way], settings);
  const url = await service.url();
  // The demo's key is printed one line after the address.
  const toldKey = () => vi.waitUntil(() => /demo key +(mg_\w+)\n/.exec(service.said())?.[1], 60_000);
  const clients = startClients(url, key ?? (await toldKey()), 40);
  await expect.poll(() => clients.outcomes.served, { interval: 20 }).toBe(40);
  const before = { ...clients.outcomes };
  const code = await service.stop();
  expect(await listens(url)).toBe(false);
  await clients.ended;
  const { answered, lost, refused, unavailable } = clients.outcomes;
  expect(lost, lost.join("\n")).toEqual([]);
  expect(unavailable).toBe(before.unavailable);
  expect(refused).toBe(40);
  expect(code).toBe(0);
  return { answered, afterSignal: answered - before.answered };
}
