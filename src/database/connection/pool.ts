/** PostgreSQL connections. If the server's connection limit is reached, callers wait for a new connection like for a pooled one. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { takeIdleClient } from "./pg-internals.js";
import { NoServer, type ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";
import { stuckAfterMs, Waiters } from "./waiters.js";

/** Options of every connection. The kernel probes the peer after 10 seconds of silence, and gives up after 10 more. */
export const lasting = { connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Minimum milliseconds between attempts; the maximum is twice as long. */
const againMs = 50;

/** too_many_connections */
const noRoom = "53300";

/** Retries `connect` while the server's connection limit is reached, or on one of `otherCodes`. */
export async function whenThereIsRoom<T>(
  connect: () => Promise<T>,
  { otherCodes = [], patienceMs = connectTimeoutMs }: { otherCodes?: string[]; patienceMs?: number } = {},
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (![noRoom, ...otherCodes].includes(code) || performance.now() > end) throw error;
      await sleep(againMs * (1 + Math.random()));
    }
  }
}

/** All connections are in use, none makes progress, and the server does not respond; or a new connection did not complete. */
export class NoConnectionFree extends NoServer {
  constructor() {
    super("timed out waiting for a database connection");
  }
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (broken?: Error | boolean) => void) => void;

export class Pool extends pg.Pool {
  private readonly waiters = new Waiters(() => this.isStuck);
  /** Last time that a connection was acquired or released, or that a statement finished, by `performance.now()`. */
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
    // The pool discards clients that have begun to end.
    this.on("release", (_, client) => {
      if (!(client as unknown as ServerClient).isUsable) void client.end();
    });
  }

  /** Whether all connections are in use. */
  get isBusy(): boolean {
    return !this.idleCount && this.totalCount >= this.options.max;
  }

  /**
   * Whether the pool is busy, nothing has finished for a while, and the server does not respond on another connection. A server that
   * responds is running long statements.
   */
  get isStuck(): boolean {
    return this.isBusy && performance.now() - this.movedAt >= stuckAfterMs && this.servers.silentMs >= stuckAfterMs;
  }

  /** Whether waiting callers will take all free and possible connections: a free connection is handed out slightly later. */
  private get isSpokenFor(): boolean {
    return this.waitingCount >= this.idleCount + this.options.max - this.totalCount;
  }

  /** An idle connection to the current server, unless callers wait for one. Most statements find one, and then need no promise. */
  takeIdle(): pg.PoolClient | undefined {
    if (this.ending || this.waitingCount || !this.idleCount) return undefined;
    const client = takeIdleClient(this);
    this.servers.wake();
    if ((client as unknown as ServerClient).target === this.servers.target) return client;
    client.release(true);
    return undefined;
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

  /** Fails after a time limit, unless another connection is free by then. A connection that completes too late serves the next caller. */
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
