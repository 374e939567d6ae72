import type { Server as HttpServer } from "node:http";
import { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const [turns, turnMs] = [100, 20];

const stopping = new WeakSet<HttpServer>();

/** Whether it takes no further connections. */
export const isStopping = (server: HttpServer): boolean => stopping.has(server);

/**
 * Stops listening and waits up to 2 seconds for open connections, which get `connection: close` with their next response. Node's
 * own close would also cut idle connections whose next request has not been read yet.
 */
export async function drain(server: HttpServer): Promise<void> {
  stopping.add(server);
  if (!server.listening) return;
  Server.prototype.close.call(server);
  const left = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  // Turns and not the clock: while a busy disk holds the process up, requests that have arrived are not read.
  for (let turn = 0; turn < turns && (await left()); turn++) await sleep(turnMs);
}
