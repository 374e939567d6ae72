import type { Server as HttpServer } from "node:http";
import { Server, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

const [turns, turnMs] = [100, 20];
const acceptMs = 3_000;
const longTurnMs = 5;

/**
 * Accepts pending connections, which would otherwise be reset together with the data that their clients have sent. The process accepts one
 * connection per event loop turn.
 */
async function acceptWaiting(server: HttpServer): Promise<void> {
  let isDone = false;
  const goOn = () => {
    isDone = false;
  };
  server.on("connection", goOn);
  for (const end = performance.now() + acceptMs; !isDone && performance.now() < end; ) {
    isDone = true;
    await nextTurn();
    const began = performance.now();
    await nextTurn();
    // While the process handles other data for long, or does not run, connections arrive that the turn does not see.
    if (performance.now() - began > longTurnMs) isDone = false;
  }
  server.off("connection", goOn);
}

const stopping = new WeakSet<HttpServer>();

/** Whether the server accepts no further connections. */
export const isStopping = (server: HttpServer): boolean => stopping.has(server);

/** Servers that have stopped listening before the other processes of the service have. */
const ahead = new WeakSet<HttpServer>();

/** Whether responses end their connections, because nothing listens any more. */
export const endsConnections = (server: HttpServer): boolean => !server.listening && !ahead.has(server);

/**
 * Accepts pending connections, stops listening, and waits up to 2 seconds for open connections, which get `connection: close` with their
 * next response. Node's own close would also cut idle connections whose next request has not been read yet. `whenOthersStopped` resolves
 * when the other processes at the same socket have stopped listening.
 */
export async function drain(server: HttpServer, whenOthersStopped?: () => Promise<void>): Promise<void> {
  stopping.add(server);
  if (!server.listening) return;
  await acceptWaiting(server);
  ahead.add(server);
  Server.prototype.close.call(server);
  await whenOthersStopped?.();
  ahead.delete(server);
  const left = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  // Counts event loop turns instead of time: while a busy disk blocks the process, received requests are not read.
  for (let turn = 0; turn < turns && (await left()); turn++) await sleep(turnMs);
  // In this phase of a turn, all received data has been read: connections that are idle now have sent nothing.
  await nextTurn();
  server.closeIdleConnections();
}

/**
 * While the service closes, ends connections as soon as they are idle, and connections that never sent a byte, such as a browser's
 * preconnections. Node's server ends only connections that are idle at the start of its close. It waits for all others as long as their
 * clients keep them open.
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
