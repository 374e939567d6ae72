/** Flow control of one WebSocket: accepts no more than the service can process, and sends no more than the client reads. */
import type { Socket } from "node:net";
import { CloseCode } from "graphql-ws";
import type { WebSocket } from "ws";

export const tooManyRequests = 4429;

const minuteMs = 60_000;

/** Maximum pings per minute, of the protocol and of graphql-ws. The most frequent clients send one per second. */
const maxPings = 120;

/** Maximum operations per socket that run concurrently, without subscriptions. Further operations wait. */
const maxRunning = 20;

/** Bytes of waiting messages above which the socket is paused. */
const maxWaiting = 1_048_576;
/** Bytes of unsent responses above which messages wait. */
const maxUnsent = 1_048_576;

/** Time for a client to acknowledge a close before its connection is cut. */
const closingMs = 2_000;

/** Closes a socket, even if its client does not respond. */
export function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), closingMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

interface TrafficOptions {
  maxOperations: number;
  /** Number of running subscriptions, whose duration the client decides. */
  subscriptions(): number;
  handle(text: string): Promise<void>;
  onComplete(id: string): void;
}

export class SocketTraffic {
  private readonly waiting: string[] = [];
  private waitingBytes = 0;
  private running = 0;
  private counts = { operations: 0, pings: 0 };
  private countedUntil = 0;
  private isClosing = false;
  private isCorked = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly wire: Socket,
    private readonly options: TrafficOptions,
  ) {
    socket.on("message", (data) => this.receive(String(data)));
    socket.on("ping", () => this.count("pings", maxPings));
    socket.once("close", () => this.stop());
  }

  /** Resolves once the connection has taken the message, so that senders of many messages wait for the client. */
  send(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== this.socket.OPEN) return resolve();
      this.cork();
      this.socket.send(text, (error) => {
        if (error) reject(error);
        else resolve();
        this.proceed();
      });
    });
  }

  /** Combines all messages of one event loop turn, such as an event for many subscriptions, into a single write. */
  private cork(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.wire.cork();
    setImmediate(() => {
      this.isCorked = false;
      this.wire.uncork();
    });
  }

  close(code: number, reason: string): void {
    this.stop();
    closeSoon(this.socket, code, reason);
  }

  private stop(): void {
    this.isClosing = true;
    this.waiting.length = 0;
  }

  private receive(text: string): void {
    if (this.isClosing) return;
    const { type, id } = messageOf(text);
    if (type === "ping") this.count("pings", maxPings);
    else this.count("operations", this.options.maxOperations);
    if (this.isClosing) return;
    if (type === "complete") this.options.onComplete(String(id));
    // Messages that end an operation must not wait for it.
    if (type !== "subscribe") return void this.handle(text);
    this.waiting.push(text);
    this.waitingBytes += text.length;
    this.proceed();
  }

  private count(kind: "operations" | "pings", most: number): void {
    if (this.isClosing) return;
    const now = performance.now();
    if (now > this.countedUntil) {
      this.countedUntil = now + minuteMs;
      this.counts = { operations: 0, pings: 0 };
    }
    if (++this.counts[kind] > most) this.close(tooManyRequests, `Too many ${kind} in a minute; the limit is ${most}`);
  }

  /** Handles waiting messages while fewer than `maxRunning` operations run. */
  proceed(): void {
    const isBusy = () => this.running - this.options.subscriptions() >= maxRunning || this.socket.bufferedAmount > maxUnsent;
    while (this.waiting.length && !isBusy()) {
      const text = this.waiting.shift()!;
      this.waitingBytes -= text.length;
      this.running++;
      void this.handle(text).then(() => {
        this.running--;
        this.proceed();
      });
    }
    if (this.waitingBytes > maxWaiting) this.socket.pause();
    else if (this.socket.isPaused) this.socket.resume();
  }

  private async handle(text: string): Promise<void> {
    try {
      await this.options.handle(text);
    } catch {
      this.close(CloseCode.InternalServerError, "Internal server error");
    }
  }
}

/** Reads as much as possible: graphql-ws refuses invalid messages. */
function messageOf(text: string): { type?: unknown; id?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
