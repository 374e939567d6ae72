/** A connection to one of the servers in a URL. */
import pg from "pg";
import type { Wish } from "./server-url.js";

/** A server since it was last found. Connections to an earlier target are not reused. */
export interface Target {
  readonly index: number;
  readonly config: pg.ClientConfig;
}

/** State shared by all connections (servers.ts). */
export interface Owner {
  readonly wanted: Wish;
  readonly target: Target;
  /** The reason why no server is reachable; undefined while one is. */
  readonly away: Error | undefined;
  /** All connections that are not closed. */
  readonly open: Set<ServerClient>;
  failed(client: ServerClient, error: Error): void;
  foundReadOnly(client: ServerClient): void;
}

interface Driver {
  connection: {
    stream: { bytesRead: number; destroy(error: Error): void };
    on(event: "parameterStatus", listener: (message: { parameterName: string; parameterValue: string }) => void): void;
    on(event: "readyForQuery", listener: () => void): void;
    on(event: "errorMessage", listener: (message: { code?: string }) => void): void;
  };
}

type Connected = (error: Error | null, client?: pg.Client) => void;

/** read_only_sql_transaction */
const readOnly = "25006";

/** sqlclient_unable_to_establish_sqlconnection */
export const noServer = "08001";

/** No server is reachable, or none in the requested role. */
export class NoServer extends Error {
  readonly code = noServer;
}

/** Whether a server responded, even with an error. Servers that are starting or stopping do not count. */
export const isAnswer = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError && !error.code?.startsWith("57P0");

export class ServerClient extends pg.Client {
  readonly target: Target;
  /** False once a statement has found that the server accepts no writes. */
  isUsable = true;
  /** Parameters that the server reports, from the start of the connection on. */
  private readonly reported = new Map<string, string>();
  private heard = 0;

  /** `scouted`: the server to probe on a connection that is not part of the pool. */
  constructor(
    private readonly owner: Owner,
    config: pg.ClientConfig,
    private readonly scouted?: Target,
  ) {
    const target = scouted ?? owner.target;
    super({ ...config, ...target.config });
    this.target = target;
    // Without a listener, a lost connection ends the process. Its statements fail anyway.
    this.on("error", () => {});
    this.driver.on("parameterStatus", ({ parameterName, parameterValue }) => this.reported.set(parameterName, parameterValue));
    this.driver.on("errorMessage", ({ code }) => {
      if (code !== readOnly) return;
      this.isUsable = false;
      owner.foundReadOnly(this);
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.begin();
    if (!callback) return connected;
    connected.then(
      () => callback(null, this),
      (error) => callback(error),
    );
    return undefined;
  }

  /** Calls `handler` whenever a statement has finished. */
  onAnswered(handler: () => void): void {
    this.driver.on("readyForQuery", handler);
  }

  /** Whether the server has sent data since the last call. */
  hasHeard(): boolean {
    const { bytesRead } = this.driver.stream;
    const isMore = bytesRead !== this.heard;
    this.heard = bytesRead;
    return isMore;
  }

  /** Closes the socket immediately. Running statements fail with the error. */
  cut(error: Error): void {
    this.driver.stream.destroy(error);
  }

  private get driver(): Driver["connection"] {
    return (this as unknown as Driver).connection;
  }

  private async begin(): Promise<this> {
    const { owner } = this;
    if (owner.away && !this.scouted) throw owner.away;
    owner.open.add(this);
    this.once("end", () => owner.open.delete(this));
    try {
      await super.connect();
      await this.checkWish();
      return this;
    } catch (error) {
      void this.end();
      if (!this.scouted) owner.failed(this, error as Error);
      throw error;
    }
  }

  private async checkWish(): Promise<void> {
    const { wanted } = this.owner;
    if (wanted === "any") return;
    const { isStandby, isReadOnly } = await this.role();
    const isMet = { "read-write": !isReadOnly, "read-only": isReadOnly, primary: !isStandby, standby: isStandby }[wanted];
    if (!isMet) throw new NoServer(`the server is ${isStandby ? "a standby" : isReadOnly ? "read-only" : "no standby, nor read-only"}`);
  }

  /** Reported by the server from PostgreSQL 14 on; otherwise queried. */
  private async role(): Promise<{ isStandby: boolean; isReadOnly: boolean }> {
    const [standby, byDefault] = ["in_hot_standby", "default_transaction_read_only"].map((name) => this.reported.get(name));
    if (standby !== undefined && byDefault !== undefined)
      return { isStandby: standby === "on", isReadOnly: standby === "on" || byDefault === "on" };
    const { rows } = await this.query<{ isStandby: boolean; isReadOnly: boolean }>(
      `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    );
    return rows[0]!;
  }
}
