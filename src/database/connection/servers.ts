/**
 * The servers of a URL, the server in use, and whether it is reachable. While none is, no caller waits for a connection: this class retries
 * all servers until one has the requested role.
 */
import type pg from "pg";
import { type Log, reasonOf } from "../../log.js";
import { isAnswer, NoServer, type Owner, ServerClient, type Target } from "./server-client.js";
import { isTlsRefusal, readServerUrl, type Wish } from "./server-url.js";
import { Watchdog } from "./watchdog.js";

export const connectTimeoutMs = 5_000;

/** Milliseconds between rounds of attempts, and between the servers of a round. Rounds overlap, so a hanging attempt delays none. */
const roundMs = 500;
const nextMs = 100;
/** Minimum time between two moves caused by a read-only server. */
const moveMs = 1_000;

/** A pool's load. */
interface Busy {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Wraps driver errors such as "timeout expired". A refused certificate keeps its error. */
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
  /** The reason why each server is not used, in their order. */
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
   * `name`: the setting's name. `behind`: the servers behind a pooler, whose sessions are shared and accept no startup options. The
   * watchdog probes these servers, because a pooler queues everyone while its own connections are busy.
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

  /** Milliseconds without a byte on any connection while a response is pending. */
  get silentMs(): number {
    return this.watchdog.silentMs;
  }

  /** The class of the pool's connections. */
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

  /** Call whenever a statement is sent. */
  wake(): void {
    this.watchdog.wake();
  }

  /** Calls `handler` when connections must be reopened, as after a failover. Returns a function that unsubscribes. */
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

  /** `isMoving`: existing connections are also replaced once a server is found. */
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
    // With a single server, any response suffices: connecting reports the error.
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

  /** Replaces connections: a pool does so when they are next requested. */
  private move(index: number): void {
    this.isMoving = false;
    this.movedAt = performance.now();
    this.moved++;
    this.target = { ...this.targets[index]! };
    for (const handler of this.moves) handler();
  }
}
