/** Logs slow operations, each with the plan of its slowest statement (docs/operations/monitor.md, "Slow operations"). */
import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../../database/database.js";
import type { Activity, SentStatement } from "../../database/watch/activity.js";
import { genericPlan } from "../../database/watch/generic-plan.js";
import type { Context, OperationTimes, SlowOperations } from "../../resolvers/context.js";
import { activityLine, outcomeLine } from "../requests.js";
import { withoutSecrets } from "../without-secrets.js";

/** Minimum milliseconds between two plans, to protect a slow database. */
const planEveryMs = 5_000;

/** Maximum characters of a statement, and lines and characters of a plan. */
const most = { statement: 2_000, planLines: 100, planLine: 500 };

/** Statement text for a log line: with placeholders, never with values. */
const shown = ({ text, ms }: SentStatement) => ({ ms: Math.round(ms), text: withoutSecrets(text).slice(0, most.statement) });

export class SlowOperationLog implements SlowOperations {
  private plannedAt = Number.NEGATIVE_INFINITY;
  private planning: Promise<void> = Promise.resolve();

  constructor(
    readonly ms: number,
    private readonly database: Database,
    private readonly log: Pick<FastifyBaseLogger, "warn">,
    private readonly count: (() => void) | undefined,
  ) {}

  /** Returns immediately; the plan is read in the background. */
  note({ caller: { requestId, actor, source }, outcome }: Context, activity: Activity, { operation, ms, waitedMs }: OperationTimes): void {
    this.count?.();
    const { operationName, cost, code } = outcomeLine(outcome, undefined);
    const [slowest] = activity.slowest;
    const line = {
      reqId: requestId,
      tenant: actor.tenantId,
      key: actor.keyId,
      transport: source,
      operation,
      operationName,
      cost,
      code,
      ms: Math.round(ms),
      waitedMs: Math.round(waitedMs),
      ...activityLine(activity),
      slowest: activity.slowest.map(shown),
    };
    if (!slowest || performance.now() - this.plannedAt < planEveryMs) return void this.log.warn(line, "slow operation");
    this.plannedAt = performance.now();
    this.planning = genericPlan(this.database, slowest.text)
      // A statement that cannot be planned is logged without a plan.
      .catch(() => undefined)
      .then((plan) => this.log.warn({ ...line, plan: plan && shownPlan(plan) }, "slow operation"));
  }

  /** Resolves when the last plan is logged. */
  close(): Promise<void> {
    return this.planning;
  }
}

const shownPlan = (lines: string[]): string[] => lines.slice(0, most.planLines).map((line) => withoutSecrets(line).slice(0, most.planLine));
