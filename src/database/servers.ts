/**
 * The servers that a URL names, the one of them that is used, and whether it can be reached. While none can, nobody waits for a connection: they are tried
 * here, until one is in the wanted role.
 */
import type pg from "pg";
import { type Log, reasonOf } from "../log.js";
import { isAnswer, NoServer, type Owner, ServerClient, type Target } from "./server-client.js";
import { isTlsRefusal, readServerUrl, type Wish } from "./server-url.js";
import { Watchdog } from "./watchdog.js";

export const connectTimeoutMs = 5_000;

/** Milliseconds between rounds of attempts, which overlap: one that hangs holds up none; and between the servers of a round. */
const roundMs = 500;
const nextMs = 100;
/** Between two moves because the server takes no writes, at least. */
const moveMs = 1_000;

/** What a pool tells of itself. */
interface Busy {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Whatever the driver calls it, such as "timeout expired". A refused certificate stays what it is. */
const asAway = (error: Error): Error =>
  error instanceof NoServer || isTlsRefusal(error) ? error : new NoServer(reasonOf(error), { cause: error });

export class Servers implements Owner {
  readonly wanted: Wish;
  readonly open = new Set<ServerClient>();
  target: Target;
  away: Error | undefined;
  private readonly asked: Servers;
  private readonly targets: Target[];
  private readonly names: string[];
  private readonly pools: Busy[] = [];
  private readonly moves = new Set<() => void>();
  private readonly scouts = new Set<ServerClient>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Why each server is not used, in their order. */
  private failures: string[] = [];
  private moved = 0;
  private isMoving = false;
  private movedAt = -Infinity;
  private isClosed = false;
  private lostAt = 0;
  private readonly log: Log;
  private readonly watchdog = new Watchdog({
    open: this.open,
    isAwaited: () => this.pools.some(({ totalCount, idleCount, waitingCount }) => totalCount > idleCount || waitingCount > 0),
    scout: () => this.asked.scout(this.asked.target),
    gone: () => this.gone(),
  });

  /**
   * `name`: of the setting. `behind`: the servers behind a pooler, whose sessions are not started by us and take no start-up options. They are the ones
   * that are asked whether they answer: a pooler lets everybody wait while its own connections are busy.
   */
  constructor(
    url: string,
    {
      name = "DATABASE_URL",
      behind,
      log = () => {},
    }: { name?: string | undefined; behind?: Servers | undefined; log?: Log | undefined } = {},
  ) {
    this.log = log;
    const { servers, names, wanted } = readServerUrl(url, name, behind !== undefined);
    this.asked = behind ?? this;
    this.wanted = wanted;
    this.names = names;
    this.targets = servers.map((config, index) => ({ index, config }));
    this.target = this.targets[0]!;
  }

  get load(): { servers: { name: string; isUsed: boolean }[]; moves: number } {
    const servers = this.names.map((name, index) => ({ name, isUsed: !this.away && index === this.target.index }));
    return { servers, moves: this.moved };
  }

  /** For how long not a byte has come on any connection, while something is awaited. */
  get silentMs(): number {
    return this.watchdog.silentMs;
  }

  /** What the pool makes its connections of. */
  clients(): new () => pg.ClientBase {
    const owner = this;
    return class extends ServerClient {
      constructor(config: pg.ClientConfig = {}) {
        super(owner, config);
      }
    };
  }

  client(config: pg.ClientConfig): ServerClient {
    return new ServerClient(this, config);
  }

  watch(pool: Busy): void {
    this.pools.push(pool);
  }

  /** To be called whenever something is sent. */
  wake(): void {
    this.watchdog.wake();
  }

  /** Calls `handler` whenever connections should be reopened, as after a failover. Returns how to stop. */
  onMove(handler: () => void): () => void {
    this.moves.add(handler);
    return () => void this.moves.delete(handler);
  }

  failed({ target }: ServerClient, error: Error): void {
    if (target === this.target && !isAnswer(error)) this.lose(error, false);
  }

  foundReadOnly({ target }: ServerClient): void {
    if (target !== this.target || performance.now() - this.movedAt < moveMs) return;
    if (this.wanted === "any") this.move(target.index);
    else this.lose(new NoServer("the database takes no writes"), true);
  }

  close(): void {
    this.isClosed = true;
    this.watchdog.stop();
    this.endSearch();
  }

  private gone(): void {
    const error = Object.assign(new Error("the database does not answer"), { code: "ETIMEDOUT" });
    for (const client of this.open) if (!this.scouts.has(client)) client.cut(error);
    this.lose(error, true);
  }

  /** `isMoving`: connections that there are go as well, once there is a server. */
  private lose(error: Error, isMoving: boolean): void {
    if (this.isClosed) return;
    this.isMoving ||= isMoving;
    const isSearching = this.away !== undefined;
    this.away = asAway(error);
    if (isSearching) return;
    this.lostAt = performance.now();
    this.log(`database lost: ${reasonOf(error)}`, "error");
    this.tryAll();
  }

  private tryAll(): void {
    for (const [i, target] of this.targets.entries()) this.later(i * nextMs, () => this.attempt(target));
    this.later(Math.max(roundMs, this.targets.length * nextMs), () => this.tryAll());
  }

  private later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms).unref();
    this.timers.add(timer);
  }

  private scout(target: Target): ServerClient {
    return new ServerClient(this, { connectionTimeoutMillis: connectTimeoutMs, application_name: "maintenance-gateway watch" }, target);
  }

  private async attempt(target: Target): Promise<void> {
    const scout = this.scout(target);
    this.scouts.add(scout);
    const failure = await scout.connect().then(
      () => undefined,
      (error: Error) => error,
    );
    const isWanted = this.scouts.delete(scout);
    void scout.end();
    if (!isWanted || !this.away) return;
    // With one server, the error of connecting says enough.
    if (!failure || (isAnswer(failure) && (this.wanted === "any" || this.targets.length === 1))) this.found(target);
    else this.away = this.failureOf(target, failure);
  }

  private failureOf({ index }: Target, failure: Error): Error {
    if (this.targets.length === 1) return asAway(failure);
    this.failures[index] = `${index + 1}: ${failure.message}`;
    return new NoServer(`none of ${this.targets.length} servers can be used: ${this.failures.filter(Boolean).join("; ")}`, {
      cause: failure,
    });
  }

  private found({ index }: Target): void {
    this.away = undefined;
    this.failures = [];
    this.endSearch();
    const seconds = ((performance.now() - this.lostAt) / 1000).toFixed(1);
    this.log(`database found again after ${seconds} s${index === this.target.index ? "" : `, new primary: ${this.names[index]}`}`);
    if (this.isMoving || index !== this.target.index) this.move(index);
  }

  private endSearch(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    const scouts = [...this.scouts];
    this.scouts.clear();
    for (const scout of scouts) scout.cut(new Error("another server was found"));
  }

  /** Makes connections anew: those of a pool when they are asked for next. */
  private move(index: number): void {
    this.isMoving = false;
    this.movedAt = performance.now();
    this.moved++;
    this.target = { ...this.targets[index]! };
    for (const handler of this.moves) handler();
  }
}
