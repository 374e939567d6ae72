/** A standby for reads that tolerate a lag of some seconds (docs/operations/scale.md, "Read replica"). */
import { inBackground } from "../background.js";
import type { Database, Queryable, ReadReplica, ReplicaLoad } from "../database.js";
import { ConnectionsBusy, DatabaseUnavailable } from "../errors.js";
import { WriteConflict } from "./conflicts.js";
import { NoConnectionFree } from "./pool.js";

/** Interval between measurements of the lag. */
const measureMs = 1_000;
/** A standby that does not respond in this time counts as gone. */
const answerMs = 2_000;
/** Maximum number of primary positions to remember until the standby reaches them. */
const maxMoments = 3_600;

/** Errors that only a standby raises: it is read-only, its schema is outdated, or its database was dropped. */
const ownErrors = new Set(["25006", "42703", "42P01", "42883", "57P04"]);

const isOfStandby = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable ||
  error instanceof ConnectionsBusy ||
  error instanceof WriteConflict ||
  ownErrors.has((error as { code?: string }).code ?? "");

/** Flushed position of the primary's log in bytes, and the identity of the server. */
const writtenSql = `select (pg_current_wal_flush_lsn() - '0/0')::float8 as position, (select system_identifier::text from pg_control_system()) as system`;
const replayedSql = `select pg_is_in_recovery() as "isStandby", (pg_last_wal_replay_lsn() - '0/0')::float8 as position,
  (select system_identifier::text from pg_control_system()) as system`;

interface Written {
  position: number;
  system: string;
}

interface Replayed extends Written {
  isStandby: boolean;
}

/** Background work with a time limit. */
async function inTime<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable("no answer in time")), answerMs).unref();
  });
  return Promise.race([inBackground(work), late]).finally(() => clearTimeout(timer));
}

export class Replica implements ReadReplica {
  /** The time of this process up to which the standby has all commits. */
  private completeUntil = Number.NEGATIVE_INFINITY;
  /** Positions of the primary's log by time, which the standby has not reached yet. */
  private readonly ahead: { at: number; position: number }[] = [];
  private system: string | undefined;
  /** The reason why the standby is not read; undefined while it is read. */
  private problem: string | undefined = "not measured yet";
  /** Called for each waiting statement when the standby is lost. */
  private readonly waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private measuring: Promise<void> = Promise.resolve();
  private isClosed = false;
  private readonly reads = { standby: 0, primary: 0 };

  constructor(
    private readonly primary: Database,
    private readonly standby: Database,
    readonly maxLag: number,
    private readonly log: (line: string) => void,
  ) {
    this.measuring = this.measure();
  }

  within(seconds: number): Queryable["query"] {
    return async (text, values, cancellation) => {
      const readPrimary = () => {
        this.reads.primary++;
        return this.primary.query<any>(text, values, cancellation);
      };
      if (this.problem || this.lackedMs > seconds * 1_000) return readPrimary();
      try {
        const rows = await this.untilGone(this.standby.query<any>(text, values, cancellation));
        this.reads.standby++;
        return rows;
      } catch (error) {
        if (cancellation?.isCancelled || !isOfStandby(error)) throw error;
        this.noteFailure(error);
        return readPrimary();
      }
    };
  }

  get load(): ReplicaLoad {
    const { problem, lackedMs, maxLag, reads } = this;
    const lag = Number.isFinite(lackedMs) ? lackedMs / 1_000 : undefined;
    return { state: problem ? "gone" : lackedMs > maxLag * 1_000 ? "behind" : "serving", lag, reads: { ...reads } };
  }

  /** Upper bound of the lag in milliseconds. */
  private get lackedMs(): number {
    return performance.now() - this.completeUntil;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.measuring;
    await this.standby.close();
  }

  private untilGone<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(new DatabaseUnavailable("the replica is gone"));
      this.waiting.add(leave);
      void work.then(resolve, reject).finally(() => this.waiting.delete(leave));
    });
  }

  private async measure(): Promise<void> {
    const at = performance.now();
    const written = await inTime(() => this.primary.query<Written>(writtenSql)).catch(() => []);
    if (written[0]) this.ahead.push({ at, position: written[0].position });
    if (this.ahead.length > maxMoments) this.ahead.shift();
    this.system = written[0]?.system ?? this.system;
    await inTime(() => this.standby.query<Replayed>(replayedSql)).then(
      ([replayed]) => this.compare(replayed!),
      (error) => this.noteFailure(error),
    );
    if (!this.isClosed) this.timer = setTimeout(() => (this.measuring = this.measure()), measureMs).unref();
  }

  private compare({ isStandby, position, system }: Replayed): void {
    const isOther = this.system !== undefined && system !== this.system;
    while (this.ahead[0] && this.ahead[0].position <= position) this.completeUntil = this.ahead.shift()!.at;
    this.note(!isStandby ? "it is no standby" : isOther ? "it is a standby of another server" : undefined);
  }

  private noteFailure(error: unknown): void {
    // Busy connections are not lost: their statements continue.
    if (error instanceof DatabaseUnavailable && !(error.cause instanceof NoConnectionFree)) this.note(error.message);
  }

  private note(problem: string | undefined): void {
    if (problem && !this.problem) this.log(`the replica cannot be read (${problem}); reading from the primary`);
    if (!problem && this.problem) this.log("the replica can be read");
    this.problem = problem;
    if (problem) for (const leave of [...this.waiting]) leave();
  }
}
