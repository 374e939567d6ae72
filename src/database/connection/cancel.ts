/** Connections whose statements are cancelled in PostgreSQL when their caller stops waiting. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Cancellation } from "../cancellation.js";
import { Pool } from "./pool.js";
import type { ServerClient } from "./server-client.js";
import { connectTimeoutMs, type Servers } from "./servers.js";

/** A pooler that gives up a cancel request responds after 10 seconds. PgBouncer 1.18 crashes if the client has disconnected by then. */
const answerTimeoutMs = 15_000;

/** A statement that reaches the server after its cancel request is not cancelled, so the request is repeated. */
const repeatMs = 200;

/** Sends a statement on a connection. */
export type Submit = (client: pg.PoolClient) => Promise<pg.QueryResult>;

/** The driver's data about the server of a connection. */
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
 * Sends the protocol's cancel request on a separate connection. The request identifies the session by its secret, so that a pooler can map
 * it to the current server session, if there is one. Resolves when the server closes the connection, which it does after processing the
 * request.
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
  /**
   * Separate from the pool, because the statements to cancel may occupy all of its connections. Not used with a pooler, whose process ids
   * are not the server's.
   */
  private readonly canceller: pg.Pool | undefined;
  /** Connections that a pending cancellation may still hit: it was sent but not confirmed. */
  private readonly uncertain = new WeakSet<pg.PoolClient>();

  constructor(
    private readonly pool: Pool,
    servers: Servers,
    isPooler: boolean,
  ) {
    if (isPooler) return;
    this.canceller = new Pool(servers, { max: 1, query_timeout: connectTimeoutMs });
    this.canceller.on("error", () => {});
  }

  /** Takes a connection from the pool. Stops waiting when cancelled. */
  connect(cancellation: Cancellation | undefined): Promise<pg.PoolClient> {
    const idle = this.pool.takeIdle();
    if (idle) return Promise.resolve(idle);
    if (!cancellation || this.pool.idleCount) return this.pool.connect();
    return new Promise((resolve, reject) => {
      const leave = () => reject(cancellation.reason);
      if (cancellation.isCancelled) return leave();
      cancellation.add(leave);
      this.pool.connect().then((client) => {
        cancellation.remove(leave);
        if (cancellation.isCancelled) client.release();
        else resolve(client);
      }, reject);
    });
  }

  release(client: pg.PoolClient, broken?: Error | boolean): void {
    client.release(broken || this.uncertain.has(client));
  }

  /**
   * Sends a statement and cancels it in PostgreSQL when its caller stops waiting; then throws the reason. Settles only after the cancellation was
   * confirmed, so that it cannot hit a later statement of the connection.
   */
  async send(client: pg.PoolClient, submit: Submit, cancellation: Cancellation): Promise<pg.QueryResult> {
    cancellation.throwIfCancelled();
    let over: AbortController | undefined;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      over = new AbortController();
      cancelling = this.cancel(client, over.signal);
    };
    cancellation.add(cancel);
    try {
      return await submit(client);
    } catch (error) {
      throw cancelling && error instanceof pg.DatabaseError ? cancellation.reason : error;
    } finally {
      cancellation.remove(cancel);
      over?.abort();
      if (cancelling) await cancelling;
    }
  }

  /**
   * Sends a statement outside of a transaction. `isCancelled`: whether a statement that was already sent is cancelled; false for
   * writes.
   */
  async sendAlone(submit: Submit, cancellation: Cancellation | undefined, isCancelled = true): Promise<pg.QueryResult> {
    cancellation?.throwIfCancelled();
    const client = await this.connect(cancellation);
    let broken: Error | undefined;
    try {
      return await (cancellation && isCancelled ? this.send(client, submit, cancellation) : submit(client));
    } catch (error) {
      if (error !== cancellation?.reason && !(error instanceof pg.DatabaseError)) broken = error as Error;
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
      // On another server, the process id belongs to a different session.
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
