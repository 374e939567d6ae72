/** Disconnects clients that do not read their responses, which would fill the memory. Over HTTP, WebSocket and server-sent events alike. */
import type { Socket } from "node:net";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.js";

const everyMs = 1_000;

/** Bytes of an answer that makes room for itself before it is sent. Others are seen soon enough. */
const largeAnswer = 1_048_576;

/** What Node counts of a socket, and uses itself to tell a slow client from one that does not read. */
interface Counted {
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
}

/** Bytes that the system took, in the middle of an answer too. */
function sentBy(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as unknown as Counted)._handle ?? {};
  return bytesWritten - writeQueueSize;
}

/** Bytes that a client has not read, and how many it reads from one look to the next. */
interface Waiting {
  unsent: number;
  /** 0: it does not read. */
  rate: number;
}

/** Rate of a client that was measured once only. It is disconnected last. */
const unknownRate = Number.POSITIVE_INFINITY;

/** Orders clients by the time that they need at their rate, those that do not read first and by their bytes. */
export function byTimeLeft(a: Waiting, b: Waiting): number {
  const [one, other] = [a.unsent / a.rate, b.unsent / b.rate];
  return one === other ? b.unsent - a.unsent : other - one;
}

interface Reader {
  sent: number;
  /** Since when no more was sent, though there is more to send. */
  since: number;
  /** Bytes sent between the last two looks. */
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
    // As bytes it waits outside of the heap, with one byte for each.
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    makeRoom((bytes as Buffer).length);
    done(null, bytes);
  });
  const timer = setInterval(look, everyMs).unref();
  app.addHook("onClose", async () => clearInterval(timer));
}
