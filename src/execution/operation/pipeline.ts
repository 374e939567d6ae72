/**
 * The steps of every GraphQL request, over HTTP, WebSocket and server-sent events: parse and validate, check values, check limits, execute,
 * mask errors.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  print,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { Config } from "../../config.js";
import type { Context } from "../../resolvers/context.js";
import { badInput } from "../../schema/errors.js";
import { holdsUpload } from "../../schema/files/upload.js";
import { type Admission, type Lane, pointsOf, type Work } from "../admission/admission.js";
import { FairCache } from "../admission/fair-cache.js";
import { type LaneOf, lanesOf } from "../admission/lanes.js";
import { CostExceeded, enforceLimits, type Limits, limitsOf, nestedTooDeeply } from "../admission/limits.js";
import { type LogFailure, maskError, maskResult, statusOfErrors } from "../errors.js";
import { withFieldErrors, withLiteralError, withVariableError } from "../field-errors.js";
import { selects } from "../selects.js";
import { type CompiledOperation, keptByText, operationCache, operationKey, sizeOf } from "./compile.js";
import { operationOf, type ParsedDocument, readDocument, rootFieldOf } from "./document.js";
import { fingerprintOf, type Repeatable, runOnce, StillRunning, validatedKey } from "./idempotency.js";
import { instrumented, type NamedOperation } from "./instrumented.js";
import { issuingSecrets } from "./issuing.js";
import { noted, runOperation } from "./run.js";
import { Subscriptions } from "./subscriptions.js";
import { checkLiterals, checkValues, RefusedLiteral, RefusedValue } from "./text-check.js";

export interface OperationRequest {
  /** The source text of `document`. */
  query: string;
  /** Already validated against the schema. */
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables: Record<string, unknown>;
  /** As sent by the client, unchecked. Used for mutations only. */
  idempotencyKey?: unknown;
}

type Variables = Record<string, unknown>;

interface KnownQuery {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  compiled: CompiledOperation;
  /** See `rootFieldOf`. */
  rootField: string;
  lane: (cost: number) => Lane;
  /** Names of the variables that limits depend on: page sizes and directive switches. */
  sizes: string[];
  /** Costs by the values of `sizes`; only those within the limits are cached. */
  costs: LRUCache<string, number>;
}

const knownQuery = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  compiled: CompiledOperation,
  rootField: string,
  lane: KnownQuery["lane"],
): KnownQuery => ({
  document,
  rootField,
  lane,
  operation,
  compiled,
  sizes: (operation.variableDefinitions ?? [])
    .filter(({ type }) => /^(Int|Boolean)!?$/.test(print(type)))
    .map(({ variable }) => variable.name.value),
  costs: new LRUCache({ max: 20 }),
});

/** Whether the value contains no list, whose length would be limited, and at most one level of objects. */
const isFlat = (variables: Variables, depth = 1): boolean =>
  Object.values(variables).every(
    (value) => typeof value !== "object" || value === null || (depth > 0 && !Array.isArray(value) && isFlat(value as Variables, depth - 1)),
  );

export class Pipeline {
  private readonly known = new FairCache<KnownQuery>(keptByText);
  private readonly limits: Limits;
  private readonly laneOf: LaneOf;
  private readonly issuing: readonly string[];
  private readonly compile: ReturnType<typeof operationCache>;
  private readonly subscriptions: Subscriptions;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly config: Config,
    private readonly admission: Admission,
    private readonly logFailure: LogFailure,
  ) {
    this.laneOf = lanesOf(schema);
    this.issuing = issuingSecrets(schema);
    this.limits = limitsOf(config);
    this.compile = operationCache(schema, config.QUERY_PLANS !== "off");
    this.subscriptions = new Subscriptions(logFailure);
  }

  /** Parses and validates a query. Returns errors instead of throwing. */
  parse(query: string): ParsedDocument {
    return readDocument(this.schema, query, this.config.MAX_QUERY_TOKENS, this.limits.depth);
  }

  /** Refuses a body before its document is read. If the error concerns a variable value, adds the path in the arguments. */
  bodyError(error: unknown, { query, operationName }: { query?: unknown; operationName?: unknown }): unknown {
    if (!(error instanceof RefusedValue) || error.place[0] !== "variables" || !error.place[1] || typeof query !== "string") return error;
    const read = this.parse(query);
    return read.errors ? error : withVariableError(error, error.place.slice(1), read.document, operationName as string | undefined);
  }

  /** Checks values and limits, and stores the cost in the context. Throws the first error, masked. Runs no SQL. */
  check({ document, operationName, variables }: OperationRequest, requestId: string, context?: Context): void {
    try {
      checkInput(variables, document, operationName);
      const operation = operationOf(document, operationName);
      if (context) this.note(operation, context);
      const requested = enforceLimits(this.limits, this.schema, document, operation, variables);
      if (context) context.requestedCost = requested;
    } catch (error) {
      if (context && error instanceof CostExceeded) context.cost = this.admission.report(context.actor, error.requested);
      throw this.mask(error instanceof RangeError ? nestedTooDeeply(this.limits.depth) : error, requestId);
    }
  }

  /**
   * Responds to a known query as JSON text, without parsing and validating it again. Undefined if the document is unknown or exceeds a
   * limit with these variables, or if the result has errors. In that case call `parse`, `check` and `execute`, which reuses the result
   * stored in the context. The caller must have checked the request's values.
   */
  async respond(query: string, operationName: string | undefined, variables: Variables, context: Context): Promise<string | undefined> {
    const known = this.known.get(operationKey(query, operationName));
    const cost = known && isFlat(variables) ? this.costOf(known, variables) : undefined;
    if (!known || cost === undefined) return undefined;
    const { operation, rootField } = known;
    Object.assign(context.outcome, { rootField, name: operation.name?.value });
    const work = { cost, lane: known.lane(cost) };
    const answer = await this.admitted(
      context,
      { type: operation.operation, field: rootField },
      work,
      () => known.compiled.respond(variables, context),
      (answered) => (typeof answered === "string" ? pointsOf(answered) : 0),
    ).catch((error) => ({ errors: [error as GraphQLError] }));
    if (typeof answer === "string") return answer;
    context.result = this.named(noted(maskResult(answer, context.requestId, this.logFailure), context), known.document, known.operation);
    return undefined;
  }

  /** The cost of a known query, computed once per combination of page sizes. Undefined beyond the limits. */
  private costOf({ document, operation, sizes, costs }: KnownQuery, variables: Variables): number | undefined {
    // Null differs from an omitted variable, which has a default.
    const key = sizes.map((name) => String(variables[name])).join();
    let cost = costs.get(key);
    if (cost !== undefined) return cost;
    try {
      cost = enforceLimits(this.limits, this.schema, document, operation, variables);
    } catch {
      return undefined;
    }
    costs.set(key, cost);
    return cost;
  }

  /** Runs a checked query or mutation. Throws a masked error if it cannot run at all, e.g. for an invalid idempotency key. */
  async execute(request: OperationRequest, context: Context): Promise<ExecutionResult> {
    if (context.result) return context.result;
    try {
      const { query, document, operationName, variables, idempotencyKey } = request;
      const { tenantId } = context.actor;
      const compiled = this.compile(tenantId, query, document, operationName);
      const operation = operationOf(document, operationName);
      const run = async () => this.named(await runOperation(compiled, variables, context, this.logFailure), document, operation);
      const lane = this.laneOf(document);
      const cost = context.requestedCost ?? 1;
      const key = operationKey(query, operationName);
      if (operation.operation === "query" && !this.known.get(key))
        this.known.set(
          tenantId,
          key,
          knownQuery(document, operation, compiled, rootFieldOf(this.schema, operation), lane),
          sizeOf(key, compiled),
        );
      const isOnce = idempotencyKey !== undefined && operation.operation === "mutation";
      return await this.admitted(
        context,
        { type: operation.operation, field: rootFieldOf(this.schema, operation) },
        { cost, lane: lane(cost) },
        isOnce ? () => executeIdempotently(request, this.issuing, context, run) : run,
        ({ data }) => recordsIn(data),
      );
    } catch (error) {
      throw this.mask(error, context.requestId);
    }
  }

  /** Records the operation's name for metrics and logs. */
  private note(operation: OperationDefinitionNode, { outcome }: Context): void {
    outcome.rootField = rootFieldOf(this.schema, operation);
    outcome.name = operation.name?.value;
  }

  /** Runs an operation after admission. Stores the cost in the context. */
  private admitted<T>(
    context: Context,
    named: NamedOperation,
    work: Work,
    run: () => Promise<T>,
    answered: (result: T) => number,
  ): Promise<T> {
    const { actor, lifetime } = context;
    return instrumented(context, named, async (begun) => {
      const onceAdmitted = () => {
        begun();
        return run();
      };
      try {
        const { result, cost } = await this.admission.run({ actor, signal: lifetime?.signal }, work, onceAdmitted, answered);
        context.cost = cost;
        context.outcome.cost = cost.actual;
        return result;
      } catch (error) {
        context.cost = this.admission.report(actor, work.cost);
        throw error;
      }
    });
  }

  /** Adds to the result's errors the fields that they concern. */
  private named(result: ExecutionResult, document: DocumentNode, operation: OperationDefinitionNode): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => withFieldErrors(this.schema, document, operation, error)) };
  }

  /** Starts a checked subscription. */
  subscribe({ query, document, operationName, variables }: OperationRequest, context: Context) {
    return instrumented(context, { type: "subscription", field: context.outcome.rootField! }, async (begun) => {
      await this.admission.charge(context.actor, context.requestedCost ?? 1);
      begun();
      return this.subscriptions.subscribe({
        schema: this.schema,
        query,
        document,
        operationName,
        variableValues: variables,
        contextValue: context,
      });
    });
  }

  mask = (error: unknown, requestId: string): GraphQLError => maskError(error, requestId, this.logFailure);
}

/** Number of objects in a value. */
function recordsIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((count: number, item) => count + recordsIn(item), 0);
  return Object.values(value).reduce((count: number, item) => count + recordsIn(item), 1);
}

/** Throws BAD_USER_INPUT for a value that cannot be stored, with its path in the arguments. */
function checkInput(variables: Variables, document: DocumentNode, operationName: string | null | undefined): void {
  try {
    checkValues({ variables });
    checkLiterals(document);
  } catch (error) {
    if (error instanceof RefusedLiteral) throw withLiteralError(error, document);
    throw error instanceof RefusedValue ? withVariableError(error, error.place, document, operationName) : error;
  }
}

/** Runs a mutation with an idempotency key in one transaction, or returns the recorded result. Sets `context.replayed`. */
async function executeIdempotently(
  { query, document, operationName, variables, idempotencyKey }: OperationRequest,
  issuing: readonly string[],
  context: Context,
  run: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (selects(document, issuing))
    throw badInput({
      idempotencyKey:
        "cannot be used where API keys, secrets of webhooks or links of calendars are issued: answers are kept, these are not",
    });
  // A file's content is unknown before it is read, so a request with another file could get the recorded result.
  if (holdsUpload(variables)) throw badInput({ idempotencyKey: "cannot be used with a file; POST /assets/import takes both" });
  const fingerprint = fingerprintOf(context.actor.keyId ?? context.actor.principalId, query, operationName, variables);
  const write: Repeatable["write"] = async (outside) => {
    Object.assign(context, { outside, isAtomic: true, isRefused: false });
    const { data, errors } = await run();
    // On error nothing is stored, so the data would be wrong.
    return { status: statusOfErrors(errors), body: JSON.stringify(errors ? { errors, data: null } : { data }) };
  };
  const repeatable = { principalId: context.actor.principalId, key: validatedKey(idempotencyKey), fingerprint, write };
  const recorded = await runOnce(context.writing, repeatable).catch((error) => {
    throw error instanceof StillRunning ? error.with({ conflict: "IDEMPOTENCY_KEY_RUNNING" }) : error;
  });
  context.replayed = recorded.replayed;
  return resultOf(recorded.body);
}

function resultOf(json: string): ExecutionResult {
  const { data, errors } = JSON.parse(json) as { data?: Record<string, unknown>; errors?: GraphQLFormattedError[] };
  if (!errors) return { data };
  return { data, errors: errors.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions })) };
}
