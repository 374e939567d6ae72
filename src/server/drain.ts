import type { Server as HttpServer } from "node:http";
import { Server, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

const [turns, turnMs] = [100, 20];
const acceptMs = 3_000;

/** Connections that wait to be accepted would be reset, with what their clients sent already. The process accepts one in each turn. */
async function acceptWaiting(server: HttpServer): Promise<void> {
  let isDone = false;
  const goOn = () => {
    isDone = false;
  };
  server.on("connection", goOn);
  for (const end = Date.now() + acceptMs; !isDone && Date.now() < end; ) {
    isDone = true;
    await nextTurn();
    await nextTurn();
  }
  server.off("connection", goOn);
}

const stopping = new WeakSet<HttpServer>();

/** Whether it takes no further connections. */
export const isStopping = (server: HttpServer): boolean => stopping.has(server);

/**
 * Accepts what has connected, stops listening, and waits up to 2 seconds for open connections, which get `connection: close` with their
 * next response. Node's own close would also cut idle connections whose next request has not been read yet.
 */
export async function drain(server: HttpServer): Promise<void> {
  stopping.add(server);
  if (!server.listening) return;
  await acceptWaiting(server);
  Server.prototype.close.call(server);
  const left = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  // Turns and not the clock: while a busy disk holds the process up, requests that have arrived are not read.
  for (let turn = 0; turn < turns && (await left()); turn++) await sleep(turnMs);
  // In this phase of a turn all that has arrived was read: what is idle now has sent nothing.
  await nextTurn();
  server.closeIdleConnections();
}

/**
 * From when the service closes: ends connections as soon as they are idle, and those that never sent a byte, such as a browser opens in
 * advance. Node's server ends only what is idle when its close begins, and waits for the others for as long as their clients keep them.
 */
export function endIdleOnClose(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", async () => {
    const end = () => {
      app.server.closeIdleConnections();
      for (const socket of sockets) if (!socket.bytesRead) socket.destroy();
    };
    const timer = setInterval(end, turnMs).unref();
    app.server.once("close", () => clearInterval(timer));
  });
}
