/** What is done for one request, or for one run of a job: the statements that it sends are counted, timed and traced as its own. */
import { AsyncLocalStorage } from "node:async_hooks";
import { SerialQueue } from "../serial-queue.js";
import type { Attributes, Span } from "./span.js";

export interface SentStatement {
  text: string;
  ms: number;
}

/** Statements whose times are kept. */
const keptSlowest = 3;

const leadingComment = /^\s*\/\*.*?\*\/\s*/;

/** The first word of a statement. */
export const verbOf = (text: string): string => /^\w+/.exec(text.replace(leadingComment, ""))?.[0].toUpperCase() ?? "";

export class Activity {
  /** Sent so far. */
  statements = 0;
  /** Those that took longest, the longest first. */
  readonly slowest: SentStatement[] = [];
  /** What statements are a part of. */
  private span: Span | undefined;
  private isOver = false;
  private yields = false;
  /**
   * The queues of a request, so that it holds at most two connections: one of a transaction, and one of a statement outside of it. Two, because a
   * transaction may wait for such a statement. Undefined for work in the background, which many share.
   */
  readonly queues: { statements: SerialQueue; transactions: SerialQueue } | undefined;

  constructor(
    readonly isBackground: boolean,
    /** The part of a trace that it is; undefined where nothing is traced. */
    readonly root?: Span,
  ) {
    this.span = root;
    if (!isBackground) this.queues = { statements: new SerialQueue(), transactions: new SerialQueue() };
  }

  /** Lets statements of others go first, where only one runs at a time. */
  yield(): void {
    this.yields = !this.isBackground;
  }

  get isYielding(): boolean {
    return this.yields;
  }

  /** Begins the operation of a request: what is sent until it ends is a part of it. */
  beginOperation(name: string): Span | undefined {
    if (!this.root || this.isOver) return undefined;
    return (this.span = this.root.begin("internal", name));
  }

  endOperation(): void {
    this.span = this.root;
  }

  /** What it is a part of, as W3C's header names it; undefined where nothing is traced. */
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
    // Work in the background shares one activity.
    if (this.isBackground || (slowest.length === keptSlowest && ms <= slowest[keptSlowest - 1]!.ms)) return;
    slowest.push({ text, ms });
    slowest.sort((a, b) => b.ms - a.ms);
    slowest.length = Math.min(slowest.length, keptSlowest);
  }

  /** Ends its trace. What still runs on in its name is no part of it. */
  end(attributes: Attributes, error?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.root?.end(attributes, error);
  }
}

const activities = new AsyncLocalStorage<Activity>();

export const inActivity = <T>(activity: Activity, work: () => T): T => activities.run(activity, work);

export const currentActivity = (): Activity | undefined => activities.getStore();

/** Runs a statement, or a transaction, after the others of the same request. */
export function inRequestQueue<T>(queue: "statements" | "transactions", work: () => Promise<T>): Promise<T> {
  const queues = currentActivity()?.queues;
  return queues ? queues[queue].run(work) : work();
}
