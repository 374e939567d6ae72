/** Connections to PostgreSQL, which may have no room for one more: then a new one is waited for like one of the pool's own. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { NoServer, type ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";
import { stuckAfterMs, Waiters } from "./waiters.js";

/** Of every connection. The kernel asks the other end after 10 seconds of silence, and gives up after 10 more. */
export const lasting = { connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Milliseconds between attempts: at least this, and up to twice as many. */
const againMs = 50;

/** too_many_connections */
const noRoom = "53300";

/** Repeats `connect` while the server has as many connections as it takes, or for another of these codes. */
export async function whenThereIsRoom<T>(
  connect: () => Promise<T>,
  { otherCodes = [], patienceMs = connectTimeoutMs }: { otherCodes?: string[]; patienceMs?: number } = {},
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (![noRoom, ...otherCodes].includes(code) || Date.now() > end) throw error;
      await sleep(againMs * (1 + Math.random()));
    }
  }
}

/** All connections are taken, nothing ends on them, and the server does not answer; or one that is being made does not come. */
export class NoConnectionFree extends NoServer {
  constructor() {
    super("no connection came free");
  }
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (broken?: Error | boolean) => void) => void;

export class Pool extends pg.Pool {
  private readonly waiters = new Waiters(() => this.isStuck);
  /** When a connection was last given out or came back, or a statement ended on one, by `performance.now()`. */
  private movedAt = 0;

  constructor(
    private readonly servers: Servers,
    config: pg.PoolConfig,
  ) {
    super({ ...lasting, idleTimeoutMillis: 30_000, application_name: "maintenance-gateway", ...config, Client: servers.clients() });
    servers.watch(this);
    const note = () => void (this.movedAt = performance.now());
    for (const event of ["acquire", "release"] as const) this.on(event, note);
    this.on("connect", (client) => (client as unknown as ServerClient).onAnswered(note));
    // The pool keeps none that has begun to end.
    this.on("release", (_, client) => {
      if (!(client as unknown as ServerClient).isUsable) void client.end();
    });
  }

  /** All connections are taken by statements that run. */
  get isBusy(): boolean {
    return !this.idleCount && this.totalCount >= this.options.max;
  }

  /** Busy, nothing has ended for a while, and the server does not answer another connection either. One that answers works on long statements. */
  get isStuck(): boolean {
    return this.isBusy && performance.now() - this.movedAt >= stuckAfterMs && this.servers.silentMs >= stuckAfterMs;
  }

  /** Whether there are as many that wait as connections that are free, or may still be made: one that is free is given out a moment later. */
  private get isSpokenFor(): boolean {
    return this.waitingCount >= this.idleCount + this.options.max - this.totalCount;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = whenThereIsRoom(() => (this.idleCount > this.waitingCount ? this.connectToTarget() : this.connectInTime()), {
      patienceMs: stuckAfterMs,
    });
    this.servers.wake();
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, (broken) => client.release(broken)),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  /** One that comes too late is the next one's; where another has come free, that is taken. */
  private connectInTime(): Promise<pg.PoolClient> {
    const mostMs = this.isSpokenFor ? undefined : stuckAfterMs;
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const leave = this.waiters.add(() => {
        isRefused = true;
        if (this.idleCount > this.waitingCount) resolve(this.connectToTarget());
        else reject(new NoConnectionFree());
      }, mostMs);
      this.connectToTarget()
        .then((client) => (isRefused ? client.release() : resolve(client)), reject)
        .finally(leave);
    });
  }

  private async connectToTarget(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if ((client as unknown as ServerClient).target === this.servers.target) return client;
      client.release(true);
    }
  }
}
