/** Connections to PostgreSQL, which may have no room for one more: then a new one is waited for like one of the pool's own. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export const connectTimeoutMs = 5_000;

/** Compiling a statement takes longer than running one of ours: the first of a nested list took half a second. */
const options = "-c jit=off";

/** Milliseconds between attempts: at least this, and up to twice as many. */
const againMs = 50;

/** too_many_connections */
const noRoom = "53300";

/** Repeats `connect` while the server has as many connections as it takes, for as long as a connection is waited for. */
export async function whenThereIsRoom<T>(connect: () => Promise<T>): Promise<T> {
  const end = Date.now() + connectTimeoutMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if ((error as { code?: string }).code !== noRoom || Date.now() > end) throw error;
      await sleep(againMs * (1 + Math.random()));
    }
  }
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (broken?: Error | boolean) => void) => void;

export class Pool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      application_name: "maintenance-gateway",
      options,
      ...config,
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = whenThereIsRoom(() => super.connect());
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, (broken) => client.release(broken)),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
}
