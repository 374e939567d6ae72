import type { Server as HttpServer } from "node:http";
import { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const graceMs = 2_000;

/**
 * Stops listening, and lets clients on open connections hear of it with their next answer. Node's own close would cut
 * connections that look idle, with requests on them that have not been read yet.
 */
export async function drain(server: HttpServer): Promise<void> {
  if (!server.listening) return;
  Server.prototype.close.call(server);
  const left = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  for (const end = Date.now() + graceMs; Date.now() < end && (await left()); ) await sleep(20);
}
