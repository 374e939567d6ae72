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
import { type Admission, type Lane, pointsOf } from "../admission/admission.js";
import { FairCache } from "../admission/fair-cache.js";
import { type LaneOf, lanesOf } from "../admission/lanes.js";
import { CostExceeded, enforceLimits, type Limits, limitsOf, nestedTooDeeply } from "../admission/limits.js";
import { type LogFailure, maskError, statusOfErrors } from "../errors.js";
import { withFieldErrors, withLiteralError, withVariableError } from "../field-errors.js";
import { selects } from "../selects.js";
import { type CompiledOperation, compileOperation, keptByText, operationKey, sizeOf } from "./compile.js";
import { operationOf, type ParsedDocument, readDocument, rootFieldOf } from "./document.js";
import { type Execute, type Execution, executeWith, finished, type NamedOperation, subscribeWith } from "./execute.js";
import { fingerprintOf, type Repeatable, runOnce, StillRunning, validatedKey } from "./idempotency.js";
import { importingFiles, issuingSecrets } from "./issuing.js";
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

/** A document's operation, prepared at its first use. */
interface PreparedOperation {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  compiled: CompiledOperation;
  named: NamedOperation;
  lane: Lane;
  /** Names of the variables that limits depend on: page sizes and directive switches. */
  sizes: string[];
  /** Costs by the values of `sizes`; only those within the limits are cached. */
  costs: LRUCache<string, number>;
}

const sizesOf = ({ variableDefinitions = [] }: OperationDefinitionNode): string[] =>
  variableDefinitions.filter(({ type }) => /^(Int|Boolean)!?$/.test(print(type))).map(({ variable }) => variable.name.value);

/** Whether the value contains no list, whose length would be limited, and at most one level of objects. */
const isFlat = (variables: Variables, depth = 1): boolean =>
  Object.values(variables).every(
    (value) => typeof value !== "object" || value === null || (depth > 0 && !Array.isArray(value) && isFlat(value as Variables, depth - 1)),
  );

export class Pipeline {
  private readonly prepared = new FairCache<PreparedOperation>(keptByText);
  private readonly limits: Limits;
  private readonly laneOf: LaneOf;
  private readonly unrepeatable: Unrepeatable;
  private readonly subscriptions: Subscriptions;
  private readonly run: Execute;
  private readonly start: Execute;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly config: Config,
    private readonly admission: Admission,
    private readonly logFailure: LogFailure,
  ) {
    this.laneOf = lanesOf(schema);
    this.unrepeatable = { issuing: issuingSecrets(schema), importing: importingFiles(schema) };
    this.limits = limitsOf(config);
    this.subscriptions = new Subscriptions(logFailure);
    this.run = executeWith(admission);
    this.start = subscribeWith(admission);
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
      if (context) this.note(operation, rootFieldOf(this.schema, operation), context);
      const requested = enforceLimits(this.limits, this.schema, document, operation, variables);
      if (context) context.outcome.requestedCost = requested;
    } catch (error) {
      if (context && error instanceof CostExceeded)
        context.outcome.costReport = this.admission.report(context.caller.actor, error.requested);
      throw this.mask(error instanceof RangeError ? nestedTooDeeply(this.limits.depth) : error, requestId);
    }
  }

  /**
   * Responds to a prepared query as JSON text, without parsing and validating it again. Undefined if the document is unknown or exceeds a
   * limit with these variables, or if the result has errors. In that case call `parse`, `check` and `execute`, which reuses the result
   * stored in the context. The caller must have checked the request's values.
   */
  async respond(query: string, operationName: string | undefined, variables: Variables, context: Context): Promise<string | undefined> {
    const prepared = this.prepared.get(operationKey(query, operationName));
    if (prepared?.operation.operation !== "query" || !isFlat(variables)) return undefined;
    const cost = this.costOf(prepared, variables);
    if (cost === undefined) return undefined;
    this.note(prepared.operation, prepared.named.field, context);
    const execution = executionOf(prepared, cost, context, () => prepared.compiled.respond(variables, context), pointsOfAnswer);
    let answer: string | ExecutionResult;
    try {
      answer = await this.run(execution);
    } catch (error) {
      context.lifetime?.throwIfCancelled();
      answer = { errors: [error as GraphQLError] };
    }
    if (typeof answer === "string") return answer;
    context.outcome.result = this.finished(answer, prepared, context);
    return undefined;
  }

  /** The cost of a prepared query, computed once per combination of page sizes. Undefined beyond the limits. */
  private costOf({ document, operation, sizes, costs }: PreparedOperation, variables: Variables): number | undefined {
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
    if (context.outcome.result) return context.outcome.result;
    try {
      const prepared = this.prepare(request, context.caller.actor.tenantId);
      const run = async () => this.finished(await prepared.compiled.run(request.variables, context), prepared, context);
      const isOnce = request.idempotencyKey !== undefined && prepared.operation.operation === "mutation";
      const runOrRepeat = isOnce ? () => executeIdempotently(request, this.unrepeatable, context, run) : run;
      return await this.run(executionOf(prepared, context.outcome.requestedCost ?? 1, context, runOrRepeat, ({ data }) => recordsIn(data)));
    } catch (error) {
      throw this.mask(error, context.caller.requestId);
    }
  }

  /** Prepares an operation, or returns it from the cache. */
  private prepare({ query, document, operationName }: OperationRequest, tenantId: string): PreparedOperation {
    const key = operationKey(query, operationName);
    const known = this.prepared.get(key);
    if (known) return known;
    const operation = operationOf(document, operationName);
    const compiled = compileOperation(this.schema, document, operationName, this.config.QUERY_PLANS !== "off");
    const prepared: PreparedOperation = {
      document,
      operation,
      compiled,
      named: { type: operation.operation, field: rootFieldOf(this.schema, operation) },
      lane: this.laneOf(document),
      sizes: sizesOf(operation),
      costs: new LRUCache({ max: 20 }),
    };
    this.prepared.set(tenantId, key, prepared, sizeOf(key, compiled));
    return prepared;
  }

  /** Masks a result's errors and adds the fields that they concern. */
  private finished(raw: ExecutionResult, { document, operation }: PreparedOperation, context: Context): ExecutionResult {
    const result = finished(raw, context, this.logFailure);
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => withFieldErrors(this.schema, document, operation, error)) };
  }

  /** Records the operation's name for metrics and logs. */
  private note({ name }: OperationDefinitionNode, rootField: string, { outcome }: Context): void {
    outcome.rootField = rootField;
    outcome.name = name?.value;
  }

  /** Starts a checked subscription. */
  subscribe({ query, document, operationName, variables }: OperationRequest, context: Context) {
    const args = { schema: this.schema, query, document, operationName, variableValues: variables, contextValue: context };
    return this.start({
      context,
      named: { type: "subscription", field: context.outcome.rootField! },
      work: { cost: context.outcome.requestedCost ?? 1, lane: "short" },
      run: () => this.subscriptions.subscribe(args),
      answered: () => 0,
    });
  }

  mask = (error: unknown, requestId: string): GraphQLError => maskError(error, requestId, this.logFailure);
}

const executionOf = <T>(
  { named, lane }: PreparedOperation,
  cost: number,
  context: Context,
  run: () => Promise<T>,
  answered: (result: T) => number,
): Execution<T> => ({ context, named, work: { cost, lane }, run, answered });

const pointsOfAnswer = (answer: string | ExecutionResult): number => (typeof answer === "string" ? pointsOf(answer) : 0);

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

/** Names of mutations that take no idempotency key. */
interface Unrepeatable {
  issuing: readonly string[];
  importing: readonly string[];
}

/** Runs a mutation with an idempotency key in one transaction, or returns the recorded result. Sets `outcome.replayed`. */
async function executeIdempotently(
  { query, document, operationName, variables, idempotencyKey }: OperationRequest,
  { issuing, importing }: Unrepeatable,
  context: Context,
  run: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (selects(document, issuing))
    throw badInput({
      idempotencyKey:
        "cannot be used where API keys, invitations, secrets of webhooks or links of calendars and reports are issued: answers are kept, these are not",
    });
  if (selects(document, importing))
    throw badInput({ idempotencyKey: "cannot be used with the file of an import; POST /assets/import takes both" });
  // Files are not compared: their contents are unknown before they are stored.
  const fingerprint = fingerprintOf(context.caller.actor.keyId ?? context.caller.actor.principalId, query, operationName, variables);
  const write: Repeatable["write"] = async (outside) => {
    context.data.outside = outside;
    context.outcome.isAtomic = true;
    context.outcome.isRefused = false;
    const { data, errors } = await run();
    // On error nothing is stored, so the data would be wrong.
    return { status: statusOfErrors(errors), body: JSON.stringify(errors ? { errors, data: null } : { data }) };
  };
  const repeatable = { principalId: context.caller.actor.principalId, key: validatedKey(idempotencyKey), fingerprint, write };
  const recorded = await runOnce(context.data.writing, repeatable).catch((error) => {
    throw error instanceof StillRunning ? error.with({ conflict: "IDEMPOTENCY_KEY_RUNNING" }) : error;
  });
  context.outcome.replayed = recorded.replayed;
  return resultOf(recorded.body);
}

function resultOf(json: string): ExecutionResult {
  const { data, errors } = JSON.parse(json) as { data?: Record<string, unknown>; errors?: GraphQLFormattedError[] };
  if (!errors) return { data };
  return { data, errors: errors.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions })) };
}
