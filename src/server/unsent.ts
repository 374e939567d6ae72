/**
 * Disconnects clients that do not read their responses, which would otherwise fill the memory. Applies to HTTP, WebSocket and server-sent
 * events.
 */
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.js";

const everyMs = 1_000;

/** Minimum size in bytes of a response that makes room before it is sent. Polling detects smaller ones soon enough. */
const largeAnswer = 1_048_576;

/** Node's counters of a socket, which Node itself uses to distinguish slow clients from clients that do not read. */
interface Counted {
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
}

/** Bytes taken by the operating system, including those of an unfinished response. */
function sentBy(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as unknown as Counted)._handle ?? {};
  return bytesWritten - writeQueueSize;
}

/** Bytes that a client has not read, and the bytes that it reads between two polls. */
interface Waiting {
  unsent: number;
  /** 0: the client does not read. */
  rate: number;
}

/** Rate of a client that was measured only once. It is disconnected last. */
const unknownRate = Number.POSITIVE_INFINITY;

/** Orders clients by the time they need at their rate. Clients that do not read come first, ordered by their bytes. */
export function byTimeLeft(a: Waiting, b: Waiting): number {
  const [one, other] = [a.unsent / a.rate, b.unsent / b.rate];
  return one === other ? b.unsent - a.unsent : other - one;
}

interface Reader {
  sent: number;
  /** Time since when no data was sent, although more is pending. */
  since: number;
  /** Bytes sent between the last two polls. */
  rate: number;
}

export function cutOffStalled(app: FastifyInstance, { STALLED_SECONDS, MAX_UNSENT_BYTES, MAX_CONNECTIONS }: Config): void {
  const sockets = new Set<Socket>();
  const readers = new WeakMap<Socket, Reader>();
  app.server.maxConnections = MAX_CONNECTIONS;
  const maxUnsent = Math.min(MAX_UNSENT_BYTES, getHeapStatistics().heap_size_limit / 4);
  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  const look = () => {
    const now = performance.now();
    for (const socket of sockets) {
      if (!socket.writableLength) {
        readers.delete(socket);
        continue;
      }
      const sent = sentBy(socket);
      const reader = readers.get(socket);
      if (reader?.sent !== sent) {
        readers.set(socket, { sent, since: now, rate: reader ? sent - reader.sent : unknownRate });
        continue;
      }
      reader.rate = 0;
      if (now - reader.since >= STALLED_SECONDS * 1_000) socket.destroy();
    }
    makeRoom(0);
  };

  /** Disconnects the clients that would hold memory for longest. */
  const makeRoom = (bytes: number) => {
    const unsent = [...sockets].filter(({ writableLength, destroyed }) => writableLength > 0 && !destroyed);
    let left = unsent.reduce((sum, { writableLength }) => sum + writableLength, bytes);
    if (left <= maxUnsent) return;
    const waiting = unsent.map((socket) => ({ socket, unsent: socket.writableLength, rate: readers.get(socket)?.rate ?? unknownRate }));
    for (const { socket } of waiting.sort(byTimeLeft)) {
      if (left <= maxUnsent) return;
      left -= socket.writableLength;
      socket.destroy();
    }
  };

  app.addHook("onSend", (_request, _reply, payload, done) => {
    const { length } = (payload ?? "") as { length?: number };
    if (length === undefined || length < largeAnswer) return done(null, payload);
    // A buffer is outside of the heap and needs one byte per character.
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    makeRoom((bytes as Buffer).length);
    done(null, bytes);
  });
  const timer = setInterval(look, everyMs).unref();
  app.addHook("onClose", async () => clearInterval(timer));
}
