/**
 * The steps of every GraphQL request, over HTTP and WebSocket: parse and validate, check values, check limits, execute, mask errors.
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
import type { Config } from "../config.js";
import type { Context } from "../resolvers/context.js";
import { badInput } from "../schema/errors.js";
import { isUpload } from "../schema/files/upload.js";
import { type CompiledOperation, keptByText, operationCache, operationKey } from "./compile.js";
import { operationOf, type ParsedDocument, readDocument, selects } from "./document.js";
import { type LogFailure, maskError, maskResult, statusOfErrors } from "./errors.js";
import { withFieldErrors } from "./field-errors.js";
import { fingerprintOf, runOnce, validatedKey } from "./idempotency.js";
import { enforceLimits, type Limits, limitsOf, nestedTooDeeply } from "./limits.js";
import { runOperation, runSubscription } from "./run.js";
import { checkLiterals, checkValues } from "./text-check.js";

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
  /** Names of the variables that limits depend on: page sizes, and switches of directives. */
  sizes: string[];
  /** Their values that are within the limits. */
  verdicts: LRUCache<string, true>;
}

const knownQuery = (document: DocumentNode, operation: OperationDefinitionNode, compiled: CompiledOperation): KnownQuery => ({
  document,
  operation,
  compiled,
  sizes: (operation.variableDefinitions ?? [])
    .filter(({ type }) => /^(Int|Boolean)!?$/.test(print(type)))
    .map(({ variable }) => variable.name.value),
  verdicts: new LRUCache({ max: 20 }),
});

/** Whether no value is a list, whose length has a limit, at most within one level of objects. */
const isFlat = (variables: Variables, depth = 1): boolean =>
  Object.values(variables).every(
    (value) => typeof value !== "object" || value === null || (depth > 0 && !Array.isArray(value) && isFlat(value as Variables, depth - 1)),
  );

export class Pipeline {
  private readonly known = new LRUCache<string, KnownQuery>(keptByText);
  private readonly limits: Limits;
  private readonly compile: ReturnType<typeof operationCache>;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly config: Config,
    private readonly logFailure: LogFailure,
  ) {
    this.limits = limitsOf(config);
    this.compile = operationCache(schema, config.QUERY_PLANS !== "off");
  }

  /** Parses and validates a query. Returns errors instead of throwing. */
  parse(query: string): ParsedDocument {
    return readDocument(this.schema, query, this.config.MAX_QUERY_TOKENS, this.limits.depth);
  }

  /** Checks values and limits. Throws the first error, masked. Runs no SQL. */
  check({ document, operationName, variables }: OperationRequest, requestId: string): void {
    try {
      checkValues({ variables });
      checkLiterals(document);
      enforceLimits(this.limits, this.schema, document, operationOf(document, operationName), variables);
    } catch (error) {
      throw this.mask(error instanceof RangeError ? nestedTooDeeply(this.limits.depth) : error, requestId);
    }
  }

  /**
   * The response to a query that was answered before, as JSON text, without parsing and validating it again. Undefined if the document is
   * not known or exceeds a limit with these variables, or if the result has errors: then `parse`, `check` and `execute` answer, the last
   * with the result that stands in the context. The request's values must be checked.
   */
  async respond(query: string, operationName: string | undefined, variables: Variables, context: Context): Promise<string | undefined> {
    const known = this.known.get(operationKey(query, operationName));
    if (!known || !isFlat(variables) || !this.isWithinLimits(known, variables)) return undefined;
    const answer = await known.compiled.respond(variables, context);
    if (typeof answer === "string") return answer;
    context.result = this.named(maskResult(answer, context.requestId, this.logFailure), known.document, known.operation);
    return undefined;
  }

  private isWithinLimits({ document, operation, sizes, verdicts }: KnownQuery, variables: Variables): boolean {
    // Null is not the default that an omitted variable has.
    const key = sizes.map((name) => String(variables[name])).join();
    if (verdicts.has(key)) return true;
    try {
      enforceLimits(this.limits, this.schema, document, operation, variables);
    } catch {
      return false;
    }
    verdicts.set(key, true);
    return true;
  }

  /** Runs a checked query or mutation. Throws a masked error if it cannot run at all, e.g. for an invalid idempotency key. */
  async execute(request: OperationRequest, context: Context): Promise<ExecutionResult> {
    if (context.result) return context.result;
    try {
      const { query, document, operationName, variables, idempotencyKey } = request;
      const compiled = this.compile(query, document, operationName);
      const operation = operationOf(document, operationName);
      const run = async () => this.named(await runOperation(compiled, variables, context, this.logFailure), document, operation);
      const key = operationKey(query, operationName);
      if (operation.operation === "query" && !this.known.has(key)) this.known.set(key, knownQuery(document, operation, compiled));
      if (idempotencyKey === undefined || operation.operation !== "mutation") return await run();
      return await executeIdempotently(request, context, run);
    } catch (error) {
      throw this.mask(error, context.requestId);
    }
  }

  /** The result with the fields that its errors are about. */
  private named(result: ExecutionResult, document: DocumentNode, operation: OperationDefinitionNode): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => withFieldErrors(this.schema, document, operation, error)) };
  }

  /** Starts a checked subscription. */
  subscribe({ document, operationName, variables }: OperationRequest, context: Context) {
    const args = { schema: this.schema, document, operationName, variableValues: variables, contextValue: context };
    return runSubscription(args, this.logFailure);
  }

  mask = (error: unknown, requestId: string): GraphQLError => maskError(error, requestId, this.logFailure);
}

/** Runs a mutation with an idempotency key in one transaction, or returns the recorded result. Sets `context.replayed`. */
async function executeIdempotently(
  { query, document, operationName, variables, idempotencyKey }: OperationRequest,
  context: Context,
  run: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (selects(document, issuingKeys))
    throw badInput({ idempotencyKey: "cannot be used where API keys are issued: answers are kept, keys are not" });
  // A file's content is unknown before it is read, so that another file could get the result of the first.
  if (Object.values(variables).some(isUpload))
    throw badInput({ idempotencyKey: "cannot be used with a file; POST /assets/import takes both" });
  const fingerprint = fingerprintOf(context.actor.keyId, query, operationName, variables);
  const recorded = await runOnce(context.writing, validatedKey(idempotencyKey), fingerprint, async () => {
    context.isAtomic = true;
    const { data, errors } = await run();
    // With an error nothing is stored, so there is nothing to show.
    return { status: statusOfErrors(errors), body: JSON.stringify(errors ? { errors, data: null } : { data }) };
  });
  context.replayed = recorded.replayed;
  return resultOf(recorded.body);
}

/** Mutations that return the secret of an API key, which must not be stored. */
const issuingKeys = ["createApiKey", "rotateApiKey"];

function resultOf(json: string): ExecutionResult {
  const { data, errors } = JSON.parse(json) as { data?: Record<string, unknown>; errors?: GraphQLFormattedError[] };
  if (!errors) return { data };
  return { data, errors: errors.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions })) };
}
