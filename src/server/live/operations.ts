/** GraphQL over WebSocket and over server-sent events: both admit, run and log operations here. */
import type { FastifyInstance } from "fastify";
import type { ExecutionResult, GraphQLError } from "graphql";
import { type Activity, inActivity } from "../../database/watch/activity.js";
import type { Actor, Attempt, KeyRing } from "../../domain/access/keys.js";
import type { Admission } from "../../execution/admission/admission.js";
import { statusOfErrors } from "../../execution/errors.js";
import { operationOf } from "../../execution/operation/document.js";
import type { PersistedDocuments } from "../../execution/operation/persisted.js";
import type { OperationRequest, Pipeline } from "../../execution/operation/pipeline.js";
import { checkPrototypeKeys, checkValues } from "../../execution/operation/text-check.js";
import { type Context, makeContext, type Outcome, type Services } from "../../resolvers/context.js";
import type { RequestLifetime } from "../../resolvers/request-lifetime.js";
import { ServiceError } from "../../schema/errors.js";
import type { KeyWatch } from "../key-watch.js";
import { activityLine, type Caller, hungUpStatus, ofAnswer, outcomeLine, requestLine, type Watchers } from "../requests.js";
import type { Holder, LiveLimits } from "./live-limits.js";

/** An operation that a client sent. */
export interface Operation {
  id: string;
  startedAt: number;
  activity: Activity;
  actor?: Caller | undefined;
  /** Set once the operation was parsed. */
  outcome?: Outcome;
}

export interface AdmittedOperation extends Operation {
  request: OperationRequest;
  context: Context;
  /** For subscriptions: releases its place in the limits. */
  release?: (() => void) | undefined;
}

/** The sender of an operation, and its connection. */
export interface Sender {
  actor: Actor;
  baseUrl: string;
  holder: Holder;
  /** Called for operations that are not subscriptions. */
  startLifetime(): RequestLifetime;
}

/** As sent by the client; its values are unchecked. */
export interface Payload {
  query?: string | null | undefined;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
}

export type AdmissionResult =
  | { admitted: AdmittedOperation; errors?: undefined }
  | { admitted?: undefined; errors: readonly GraphQLError[] };

export type Results = AsyncIterableIterator<ExecutionResult>;

export interface OperationOptions extends Watchers {
  pipeline: Pipeline;
  admission: Admission;
  documents: PersistedDocuments;
  services: Services;
  limits: LiveLimits;
  keyWatch: KeyWatch;
}

interface Transport {
  /** Label in metrics. */
  name: "websocket" | "sse";
  /** Replaces the method in log lines. */
  method: "WS" | "SSE";
  url: string;
  source: Context["caller"]["source"];
}

export class Operations {
  constructor(
    private readonly app: FastifyInstance,
    private readonly options: OperationOptions,
    private readonly transport: Transport,
  ) {}

  /** Parses and checks an operation. Sets its actor. Returns masked errors instead of throwing. */
  admit(operation: Operation, payload: Payload, { actor, baseUrl, holder, startLifetime }: Sender): AdmissionResult {
    const { pipeline, services, limits } = this.options;
    try {
      operation.actor = actor;
      const read = this.read(payload, actor.tenantId);
      if ("errors" in read) return { errors: read.errors };
      const isLive = isSubscription(read);
      const lifetime = isLive ? undefined : startLifetime();
      const caller = { actor, requestId: operation.id, source: this.transport.source, baseUrl };
      const context = makeContext(services, caller, lifetime);
      operation.outcome = context.outcome;
      pipeline.check(read, operation.id, context);
      const release = isLive ? limits.take(actor, holder) : undefined;
      return { admitted: { ...operation, request: read, context, release } };
    } catch (error) {
      return { errors: [pipeline.mask(error, operation.id)] };
    }
  }

  /** Runs an admitted operation and logs it. A subscription is logged when it starts. */
  async run(operation: AdmittedOperation): Promise<Results | ExecutionResult> {
    const { pipeline } = this.options;
    const { request, context, release } = operation;
    const { lifetime } = context;
    const work = inActivity<Promise<Results | ExecutionResult>>(operation.activity, () =>
      release ? pipeline.subscribe(request, context) : pipeline.execute(request, context),
    );
    const result = await work.catch((error) => ({ errors: [pipeline.mask(error, operation.id)] }));
    lifetime?.close();
    const isOpen = Symbol.asyncIterator in result;
    if (!isOpen) release?.();
    this.log(operation, isOpen ? undefined : result.errors, lifetime?.isHungUp);
    return isOpen && release ? releasing(result, release) : result;
  }

  log({ id, startedAt, actor, activity, outcome }: Operation, errors: readonly GraphQLError[] | undefined, isHungUp = false): void {
    const { name, method, url } = this.transport;
    const status = isHungUp ? hungUpStatus : statusOfErrors(errors);
    const elapsed = performance.now() - startedAt;
    const code = errors?.[0]?.extensions.code as string | undefined;
    const line = { ...requestLine(method, url, status, elapsed, actor), ...outcomeLine(outcome, code), ...activityLine(activity) };
    this.app.log.child({ reqId: id }).info(line, "request");
    this.options.metrics?.countOperation(name, outcome, status, elapsed, errors);
    activity.end(...ofAnswer(id, actor, status, code));
  }

  /**
   * Checks a payload like fastify and the request hooks check an HTTP body, then parses its query. Throws BAD_USER_INPUT and
   * DocumentRefused.
   */
  private read(payload: Payload, tenantId: string): OperationRequest | { errors: readonly GraphQLError[] } {
    const { pipeline, documents } = this.options;
    checkPrototypeKeys(payload);
    try {
      checkValues({ body: payload });
    } catch (error) {
      throw pipeline.bodyError(error, payload);
    }
    const { operationName, variables, extensions } = payload;
    const query = documents.textOf(tenantId, payload.query, extensions?.persistedQuery) as string;
    const parsed = pipeline.parse(query);
    if (parsed.errors) return { errors: parsed.errors };
    return { query, document: parsed.document, operationName, variables: variables ?? {}, idempotencyKey: extensions?.idempotencyKey };
  }
}

const isSubscription = ({ document, operationName }: OperationRequest): boolean =>
  operationOf(document, operationName).operation === "subscription";

/** The results; calls `release` at their end. */
function releasing(results: Results, release: () => void): Results {
  return {
    async next() {
      const result = await results.next().catch((error) => {
        release();
        throw error;
      });
      if (result.done) release();
      return result;
    },
    return(value) {
      release();
      return results.return!(value);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The actor of a key or token; undefined if it is refused for any reason. */
export const actorOf = (keys: KeyRing, authorization: string | undefined, attempt?: Attempt): Promise<Actor | undefined> =>
  keys.authenticate(authorization, attempt).catch((error: unknown) => {
    if (error instanceof ServiceError && (error.code === "UNAUTHENTICATED" || error.code === "FORBIDDEN")) return undefined;
    throw error;
  });
