/** Executes operations for every transport. `executeWith` lists the steps around an operation, the outermost first. */
import type { ExecutionResult } from "graphql";
import { type Activity, currentActivity } from "../../database/watch/activity.js";
import type { Attributes } from "../../database/watch/span.js";
import type { Context } from "../../resolvers/context.js";
import type { Admission, Work } from "../admission/admission.js";
import { type LogFailure, maskResult } from "../errors.js";

export interface NamedOperation {
  /** Query, mutation or subscription. */
  type: string;
  /** Its root field, or `several`; never a name chosen by the client. */
  field: string;
  /** Name in logs; by default the root field. */
  shown?: string;
}

/** An operation that was checked and is ready to run. */
export interface Execution<T> {
  context: Context;
  named: NamedOperation;
  work: Work;
  run(): Promise<T>;
  /** Returns the points of the response. */
  answered(result: T): number;
}

export type Execute = <T>(execution: Execution<T>) => Promise<T>;

/** Executes queries and mutations. */
export const executeWith = (admission: Admission): Execute => cancellable(traced(admitted(admission)));

/** Starts subscriptions, which hold no slot and outlive their request. */
export const subscribeWith = (admission: Admission): Execute => traced(charged(admission));

/** Rejects as soon as the request ends, while `run` may continue. */
const cancellable =
  (execute: Execute): Execute =>
  (execution) => {
    const work = execute(execution);
    return execution.context.lifetime?.within(work) ?? work;
  };

/** Traces an operation as part of its request, and reports slow operations. */
const traced =
  (execute: Execute): Execute =>
  (execution) => {
    const activity = currentActivity();
    return activity && (activity.root || execution.context.services.slowOperations)
      ? executeTraced(execute, execution, activity)
      : execute(execution);
  };

async function executeTraced<T>(execute: Execute, execution: Execution<T>, activity: Activity): Promise<T> {
  const { context, named, run } = execution;
  const { slowOperations } = context.services;
  const span = activity.beginOperation(`${named.type} ${named.field}`);
  const startedAt = performance.now();
  let waitedMs: number | undefined;
  const begin = () => {
    waitedMs = performance.now() - startedAt;
    return run();
  };
  try {
    const result = await execute({ ...execution, run: begin });
    span?.end(...ofOutcome(context, named, context.outcome.errorCode));
    return result;
  } catch (error) {
    span?.end(...ofOutcome(context, named, codeOf(error)));
    throw error;
  } finally {
    activity.endOperation();
    const ms = performance.now() - startedAt;
    if (slowOperations && !activity.isBackground && ms > slowOperations.ms)
      slowOperations.note(context, activity, { operation: named.shown ?? named.field, ms, waitedMs: waitedMs ?? ms });
  }
}

/** Runs an operation within its budgets and slots. Stores the cost in the context. */
const admitted =
  (admission: Admission): Execute =>
  ({ context, work, run, answered }) => {
    const { caller, lifetime, outcome } = context;
    const { actor } = caller;
    return admission.run({ actor, lifetime }, work, run, answered).then(
      ({ result, cost }) => {
        outcome.costReport = cost;
        outcome.cost = cost.actual;
        return result;
      },
      (error) => {
        outcome.costReport = admission.report(actor, work.cost);
        throw error;
      },
    );
  };

/** Runs an operation once its points are deducted. */
const charged =
  (admission: Admission): Execute =>
  async ({ context, work, run }) => {
    await admission.charge(context.caller.actor, work.cost);
    return run();
  };

/** Masks the errors of a result. Records a refusal for the access log. */
export function finished(raw: ExecutionResult, context: Context, logFailure: LogFailure): ExecutionResult {
  const { actor, requestId, source } = context.caller;
  const result = maskResult(raw, requestId, logFailure);
  context.outcome.errorCode = result.errors?.[0]?.extensions.code as string | undefined;
  const refusal = result.errors?.find(({ extensions }) => extensions.code === "FORBIDDEN");
  if (refusal) {
    const { tenantId, principalId, keyId } = actor;
    const details = { status: 403, code: "FORBIDDEN", field: String(refusal.path?.[0] ?? "") };
    context.services.accessLog.add({ kind: "refused", tenantId, principalId, keyId, requestId, source, details });
  }
  return result;
}

const codeOf = (error: unknown): string => {
  const { code, extensions } = error as { code?: string; extensions?: { code?: string } };
  return extensions?.code ?? code ?? "INTERNAL_SERVER_ERROR";
};

/** Error codes that are not the caller's fault. */
const failures = new Set(["INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"]);

const ofOutcome = ({ outcome }: Context, { type }: NamedOperation, code: string | undefined): [Attributes, string?] => {
  const attributes = {
    "graphql.operation.type": type,
    "graphql.operation.name": outcome.name?.slice(0, 100),
    "gateway.cost": outcome.cost,
    "gateway.code": code,
  };
  return code && failures.has(code) ? [attributes, code] : [attributes];
};
