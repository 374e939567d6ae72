/** What goes in and out of one WebSocket: not more than the service can answer, nor more than the client reads. */
import type { Socket } from "node:net";
import { CloseCode } from "graphql-ws";
import type { WebSocket } from "ws";

export const tooManyRequests = 4429;

const minuteMs = 60_000;

/** Pings of a minute, of the protocol and of graphql-ws: the keenest clients send one a second. */
const maxPings = 120;

/** Operations of one socket that run at the same time, without subscriptions. Others wait for them. */
const maxRunning = 20;

/** Bytes of waiting messages above which the socket is paused. */
const maxWaiting = 1_048_576;
/** Bytes of unsent responses above which messages wait. */
const maxUnsent = 1_048_576;

/** How long a client has to answer a close before its connection is cut. */
const closingMs = 2_000;

/** Closes a socket, whether its client responds or not. */
export function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), closingMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

interface TrafficOptions {
  maxOperations: number;
  /** Operations that run for as long as the client likes. */
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

  /** Resolves once the connection took the message, so that whoever sends many waits for the client. */
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

  /** What is sent in one turn, such as an event to many subscriptions, is one write. */
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
    // What ends an operation does not wait for it.
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

  /** Handles messages that wait, as far as fewer than `maxRunning` operations run. */
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

/** As far as it can be read: graphql-ws refuses what is no message. */
function messageOf(text: string): { type?: unknown; id?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
