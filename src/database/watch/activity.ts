/** One request, or one run of a job. Its statements are counted, timed and traced together. */
import { ContextPart } from "../async-context.js";
import { SerialQueue } from "../connection/serial-queue.js";
import type { Attributes, Span } from "./span.js";

export interface SentStatement {
  text: string;
  ms: number;
}

/** Number of slowest statements that are kept. */
const keptSlowest = 3;

const leadingComment = /^\s*\/\*.*?\*\/\s*/;

/** The first word of a statement. */
export const verbOf = (text: string): string => /^\w+/.exec(text.replace(leadingComment, ""))?.[0].toUpperCase() ?? "";

export class Activity {
  /** As `performance.now()`. */
  readonly startedAt = performance.now();
  /** Sent so far. */
  statements = 0;
  /** The slowest statements, slowest first. */
  readonly slowest: SentStatement[] = [];
  /** The parent span of statements. */
  private span: Span | undefined;
  private isOver = false;
  private yields = false;
  private waited = 0;
  private waitsSince: number | undefined;
  /** The caller's tenant, once known. A database that runs one statement at a time serves tenants in turns. */
  tenantId: string | undefined;
  /**
   * Statements outside of transactions. With it, a request holds at most two connections: only mutations have transactions, and their root
   * fields run one after the other. Undefined for background work, which shares one activity.
   */
  readonly queue: SerialQueue | undefined;

  constructor(
    readonly isBackground: boolean,
    /** The root span; undefined without tracing. */
    readonly root?: Span,
  ) {
    this.span = root;
    if (!isBackground) this.queue = new SerialQueue();
  }

  /** Resolves once no statement outside of transactions waits or runs, and other requests had a turn of the process. */
  async idle(): Promise<void> {
    do await new Promise(setImmediate);
    while (await this.queue?.wait());
  }

  /** Milliseconds that its statements have waited for those of other callers, on a database that runs one at a time. */
  get waitedMs(): number {
    return this.waited + (this.waitsSince === undefined ? 0 : performance.now() - this.waitsSince);
  }

  beginWait(): void {
    this.waitsSince = performance.now();
  }

  endWait(): void {
    this.waited = this.waitedMs;
    this.waitsSince = undefined;
  }

  /** Gives priority to other callers' statements on a database that runs one at a time. */
  yield(): void {
    this.yields = !this.isBackground;
  }

  get isYielding(): boolean {
    return this.yields;
  }

  /** Begins the span of a request's operation, which contains everything sent until it ends. */
  beginOperation(name: string): Span | undefined {
    if (!this.root || this.isOver) return undefined;
    return (this.span = this.root.begin("internal", name));
  }

  endOperation(): void {
    this.span = this.root;
  }

  /** The current span in W3C header format; undefined without tracing. */
  get traceparent(): string | undefined {
    return this.span?.headers.traceparent;
  }

  beginStatement(text: string): Span | undefined {
    this.statements++;
    if (!this.span || this.isOver) return undefined;
    const verb = verbOf(text);
    return this.span.begin("client", verb, { "db.system.name": "postgresql", "db.operation.name": verb, "db.query.text": text });
  }

  endStatement(text: string, ms: number): void {
    const { slowest } = this;
    // Background work shares one activity.
    if (this.isBackground || (slowest.length === keptSlowest && ms <= slowest[keptSlowest - 1]!.ms)) return;
    slowest.push({ text, ms });
    slowest.sort((a, b) => b.ms - a.ms);
    slowest.length = Math.min(slowest.length, keptSlowest);
  }

  /** Ends the root span. Work that continues afterwards is not traced. */
  end(attributes: Attributes, error?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.root?.end(attributes, error);
  }
}

const activities = new ContextPart<Activity>();

export const inActivity = <T>(activity: Activity, work: () => T): T => activities.run(activity, work);

export const currentActivity = (): Activity | undefined => activities.current();

/** Runs a statement outside of transactions after the others of the same request. */
export const inRequestQueue = <T>(work: () => Promise<T>): Promise<T> => currentActivity()?.queue?.run(work) ?? work();
