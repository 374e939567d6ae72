/** Traces an operation as part of its request, for every transport, and reports slow operations. */
import { currentActivity } from "../../database/watch/activity.js";
import type { Attributes } from "../../database/watch/span.js";
import type { Context } from "../../resolvers/context.js";

export interface NamedOperation {
  /** Query, mutation or subscription. */
  type: string;
  /** Its root field, or `several`; never a name chosen by the client. */
  field: string;
  /** Name in logs; by default the root field. */
  shown?: string;
}

/** Runs an operation, which must call `begun` once it has its slot. */
export async function instrumented<T>(context: Context, named: NamedOperation, run: (begun: () => void) => Promise<T>): Promise<T> {
  const activity = currentActivity();
  const { slowOperations } = context.services;
  if (!activity || (!activity.root && !slowOperations)) return run(() => {});
  const span = activity.beginOperation(`${named.type} ${named.field}`);
  const startedAt = performance.now();
  let waitedMs: number | undefined;
  try {
    const result = await run(() => (waitedMs = performance.now() - startedAt));
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
