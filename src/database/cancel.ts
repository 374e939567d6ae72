/** Connections whose statements are cancelled in PostgreSQL once nobody waits for them. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Pool } from "./pool.js";
import type { ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";

/** A statement that the server had not yet received when it was told is not cancelled, so it is told again. */
const repeatMs = 200;

/** Sends a statement on a connection. */
export type Submit = (client: pg.PoolClient) => Promise<pg.QueryResult>;

export class CancellablePool {
  /** Apart from the pool, all of whose connections may be taken by what is to be cancelled. */
  private readonly canceller: pg.Pool;
  /** Connections that a cancellation may still hit: it was sent, and not answered. */
  private readonly uncertain = new WeakSet<pg.PoolClient>();

  constructor(
    private readonly pool: pg.Pool,
    servers: Servers,
  ) {
    this.canceller = new Pool(servers, { max: 1, query_timeout: connectTimeoutMs });
    this.canceller.on("error", () => {});
  }

  /** A connection of the pool. Who waits for one stops waiting when the signal fires. */
  connect(signal: AbortSignal | undefined): Promise<pg.PoolClient> {
    if (!signal || this.pool.idleCount) return this.pool.connect();
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason);
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave, { once: true });
      this.pool.connect().then((client) => {
        signal.removeEventListener("abort", leave);
        if (signal.aborted) client.release();
        else resolve(client);
      }, reject);
    });
  }

  release(client: pg.PoolClient, broken?: Error | boolean): void {
    client.release(broken || this.uncertain.has(client));
  }

  /**
   * Sends a statement, which is cancelled when the signal fires: then throws its reason. Settles only when the cancellation was answered as
   * well: after that it can hit no other statement of the connection.
   */
  async send(client: pg.PoolClient, submit: Submit, signal: AbortSignal): Promise<pg.QueryResult> {
    signal.throwIfAborted();
    const over = new AbortController();
    let cancelling: Promise<void> | undefined;
    const cancel = () => (cancelling = this.cancel(client, over.signal));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await submit(client);
    } catch (error) {
      throw cancelling && error instanceof pg.DatabaseError ? signal.reason : error;
    } finally {
      signal.removeEventListener("abort", cancel);
      if (cancelling) {
        over.abort();
        await cancelling;
      }
    }
  }

  /** A statement by itself. `isCancelled`: it ends when the signal fires; what writes does not once it was sent. */
  async sendAlone(submit: Submit, signal: AbortSignal | undefined, isCancelled = true): Promise<pg.QueryResult> {
    signal?.throwIfAborted();
    const client = await this.connect(signal);
    let broken: Error | undefined;
    try {
      return await (signal && isCancelled ? this.send(client, submit, signal) : submit(client));
    } catch (error) {
      if (error !== signal?.reason && !(error instanceof pg.DatabaseError)) broken = error as Error;
      throw error;
    } finally {
      this.release(client, broken);
    }
  }

  close(): Promise<void> {
    return this.canceller.end();
  }

  private async cancel(client: pg.PoolClient, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      try {
        await this.tell(client);
      } catch {
        this.uncertain.add(client);
      }
      await sleep(repeatMs, undefined, { signal: over }).catch(() => {});
    }
  }

  private async tell(client: pg.PoolClient): Promise<void> {
    const { processID, target } = client as unknown as ServerClient & { processID: number };
    const canceller = await this.canceller.connect();
    let broken: unknown;
    try {
      // On another server the number is somebody else's.
      if ((canceller as unknown as ServerClient).target === target) await canceller.query("select pg_cancel_backend($1)", [processID]);
      else this.uncertain.add(client);
    } catch (error) {
      broken = error;
      throw error;
    } finally {
      canceller.release(broken !== undefined);
    }
  }
}
