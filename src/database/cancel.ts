/** Connections whose statements are cancelled in PostgreSQL once nobody waits for them. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Pool } from "./pool.js";
import type { ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";

/** A pooler that gives up a request says so after 10 seconds; PgBouncer 1.18 does not survive that who asked is gone before. */
const answerTimeoutMs = 15_000;

/** A statement that reaches the server after its cancel request is not cancelled, so the request is repeated. */
const repeatMs = 200;

/** Sends a statement on a connection. */
export type Submit = (client: pg.PoolClient) => Promise<pg.QueryResult>;

/** What the driver knows of a connection's other end. */
interface Target {
  host: string;
  port: number;
  ssl: unknown;
  sslNegotiation: string;
  processID: number;
  secretKey: number;
}

interface RequestConnection extends NodeJS.EventEmitter {
  stream: { destroy(error: Error): void };
  connect(...address: [port: number, host: string] | [path: string]): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

const RequestConnection = pg.Connection as unknown as new (config: Pick<Target, "ssl" | "sslNegotiation">) => RequestConnection;

/**
 * Has the other end cancel what a connection runs, by the protocol's own request on a connection for it alone. It names the connection by a secret
 * that only its client has, so that a pooler finds the server's session that works for it now, if there is one. Resolves once that was done: who
 * is asked hangs up.
 */
function requestCancel(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as Target;
  const connection = new RequestConnection({ ssl, sslNegotiation });
  const send = () => connection.cancel(processID, secretKey);
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => connection.stream.destroy(new Error("a cancellation was not answered")), answerTimeoutMs);
    connection.on("error", reject);
    connection.once("end", () => {
      clearTimeout(timer);
      resolve();
    });
    connection.once("sslconnect", send);
    connection.once("connect", () => {
      if (!ssl) send();
      else if (sslNegotiation !== "direct") connection.requestSsl();
    });
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}

export class CancellablePool {
  /** Apart from the pool, all of whose connections may be taken by what is to be cancelled. A pooler's numbers of sessions are no server's. */
  private readonly canceller: pg.Pool | undefined;
  /** Connections that a cancellation may still hit: it was sent, and not answered. */
  private readonly uncertain = new WeakSet<pg.PoolClient>();

  constructor(
    private readonly pool: pg.Pool,
    servers: Servers,
    isPooler: boolean,
  ) {
    if (isPooler) return;
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

  async close(): Promise<void> {
    await this.canceller?.end();
  }

  private async cancel(client: pg.PoolClient, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await (this.canceller ? this.tell(this.canceller, client) : requestCancel(client)).catch(() => this.uncertain.add(client));
      await sleep(repeatMs, undefined, { signal: over }).catch(() => {});
    }
  }

  private async tell(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
    const { processID, target } = client as unknown as ServerClient & { processID: number };
    const canceller = await pool.connect();
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
