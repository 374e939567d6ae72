/** Connections to PostgreSQL, which may have no room for one more: then a new one is waited for like one of the pool's own. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";

/** Of every connection. The kernel asks the other end after 10 seconds of silence, and gives up after 10 more. */
export const lasting = { connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Milliseconds between attempts: at least this, and up to twice as many. */
const againMs = 50;

/** too_many_connections */
const noRoom = "53300";

/** Repeats `connect` while the server has as many connections as it takes, or for another of these codes, for as long as a connection is waited for. */
export async function whenThereIsRoom<T>(connect: () => Promise<T>, otherCodes: string[] = []): Promise<T> {
  const end = Date.now() + connectTimeoutMs;
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

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (broken?: Error | boolean) => void) => void;

export class Pool extends pg.Pool {
  constructor(
    private readonly servers: Servers,
    config: pg.PoolConfig,
  ) {
    super({ ...lasting, idleTimeoutMillis: 30_000, application_name: "maintenance-gateway", ...config, Client: servers.clients() });
    servers.watch(this);
    // The pool keeps none that has begun to end.
    this.on("release", (_, client) => {
      if (!(client as unknown as ServerClient).isUsable) void client.end();
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = whenThereIsRoom(() => this.connectToTarget());
    this.servers.wake();
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, (broken) => client.release(broken)),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  private async connectToTarget(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      if ((client as unknown as ServerClient).target === this.servers.target) return client;
      client.release(true);
    }
  }
}
