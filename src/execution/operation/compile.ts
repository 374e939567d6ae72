/**
 * Executes operations. Parts that plans do not cover are interpreted by graphql-js, and compiled by graphql-jit after repeated use
 * (docs/architecture.md, "Execution").
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  execute as interpret,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import type { Context } from "../../resolvers/context.js";
import { schemaWithAnyVariable, variablesInObjects, withoutFieldsOf, withUntypedVariables } from "../admission/any-variables.js";
import type { CacheLimits } from "../admission/fair-cache.js";
import { selects } from "../selects.js";
import { planReader, type Read } from "./plans.js";
import { staleReads } from "./staleness.js";

type Variables = Record<string, unknown>;

export interface CompiledOperation {
  /** Number of selections, with fragments expanded. */
  selections: number;
  /** Runs the operation. Errors in its result are not masked yet. */
  run(variables: Variables, context: Context): Promise<ExecutionResult>;
  /** The whole response to a query as JSON text; an unmasked result if it has errors. */
  respond(variables: Variables, context: Context): Promise<string | ExecutionResult>;
}

/** An operation is compiled at this use. Only uses that require execution beyond the plan count. */
const compiledAtUse = 3;

/** Maximum number of selections of a compiled operation. */
const maxCompiled = 300;

/** Limits of the cache by document text, in bytes. */
export const keptByText: CacheLimits = { entries: 500, size: 100_000_000, each: 2_000_000 };

/** Measured bytes per character of a document, and per selection of an operation, planned and compiled. */
const bytesPer = { character: 20, planned: 300, compiled: 3_000 };

/** Bytes of a cached operation: its document and plan, and its compiled code from the start. */
export const sizeOf = (key: string, { selections }: CompiledOperation): number =>
  bytesPer.character * key.length + selections * (bytesPer.planned + (selections > maxCompiled ? 0 : bytesPer.compiled));

/** Identifies an operation by its document's text and its name, neither of which contains NUL. */
export const operationKey = (query: string, operationName: string | null | undefined): string => `${operationName ?? ""}\0${query}`;

/** Prepares an operation. It is compiled at its third use, or immediately if `now`. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  withPlans: boolean,
  now = false,
): CompiledOperation {
  const operation = getOperationAST(document, operationName)!;
  if (selects(document, ["__schema", "__type"])) return interpreted(schema, document, operation);
  const definitions = operation.variableDefinitions ?? [];
  const readPlan = withPlans ? planReader(schema, document, operation) : undefined;
  const readStale = operation.operation === "query" ? staleReads(schema, document) : undefined;
  const selections = selectionsOf(document, operation);
  const compileAt = now ? 1 : selections > maxCompiled ? Number.POSITIVE_INFINITY : compiledAtUse;
  const execute = executorOf(schema, document, operation, compileAt);
  const answer = async <T>(
    variables: Variables,
    context: Context,
    ofPlan: (read: Read) => T,
    ofExecutor: (result: ExecutionResult) => T,
  ): Promise<T> => {
    const { coerced, errors } = getVariableValues(schema, definitions, variables);
    if (errors) {
      const named = errors.map(({ message, nodes }) => new GraphQLError(message, { nodes, extensions: { code: "BAD_USER_INPUT" } }));
      return ofExecutor({ errors: named });
    }
    readStale?.(context);
    const read = await readPlan?.(coerced, context);
    if (!read) return ofExecutor(await execute(undefined, coerced, context));
    if (read.output === "failed") return ofExecutor(await execute(read.rootValue, coerced, context));
    return read.output === "rows" ? ofExecutor(await execute(JSON.parse(read.json), coerced, context)) : ofPlan(read);
  };
  return {
    selections,
    run: (variables, context) =>
      answer<ExecutionResult>(
        variables,
        context,
        ({ json }) => ({ data: JSON.parse(json) }),
        (result) => result,
      ),
    respond: (variables, context) =>
      answer<string | ExecutionResult>(
        variables,
        context,
        ({ output, json }) => `{"data":${output === "text" ? json : JSON.stringify(JSON.parse(json))}}`,
        (result) => (result.errors ? result : JSON.stringify(result)),
      ),
  };
}

type Execute = (rootValue: unknown, coerced: Variables, context: Context) => Promise<ExecutionResult>;

/** Maximum compiled forms per operation, by the set of unsent variables. Further sets are interpreted. */
const maxForms = 8;

/**
 * graphql-jit's coercion of variables ignores defaults. graphql-js therefore coerces them first, and the compiled document declares each
 * variable with a scalar that accepts any value. For an unsent variable, graphql-jit would set the input object's field to null, which
 * would clear the record's field. Such a request uses a form compiled without the field.
 */
function executorOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, compileAt: number): Execute {
  const anySchema = schemaWithAnyVariable(schema);
  const prepared = withUntypedVariables(document);
  const inObjects = variablesInObjects(document);
  const operationName = operation.name?.value;
  let uses = 0;
  const forms = new Map<string, CompiledQuery | ExecutionResult>();
  const formOf = (unsent: string[]): CompiledQuery | ExecutionResult | undefined => {
    const key = unsent.join();
    let form = forms.get(key);
    if (form || forms.size >= maxForms) return form;
    form = compileQuery(anySchema, unsent.length ? withoutFieldsOf(prepared, unsent) : prepared, operationName);
    forms.set(key, form);
    return form;
  };
  if (compileAt === 1) formOf([]);
  return async (rootValue, coerced, contextValue) => {
    const isCompiled = uses >= compileAt || ++uses >= compileAt;
    const compiled = isCompiled ? formOf(inObjects.filter((name) => !Object.hasOwn(coerced, name))) : undefined;
    if (compiled && isCompiledQuery(compiled)) return (await compiled.query(rootValue, contextValue, coerced)) as ExecutionResult;
    const { errors, ...result } = await interpret({
      schema: anySchema,
      document: prepared,
      operationName,
      rootValue,
      contextValue,
      variableValues: coerced,
    });
    return { ...(errors && { errors: errors.map(withoutLocation) }), ...result };
  };
}

/** Matches the format of compiled operations, which have a path but no location. */
const withoutLocation = ({ message, path, originalError, extensions }: GraphQLError) =>
  new GraphQLError(message, { path, originalError, extensions });

/** Number of an operation's selections, with fragments expanded. */
function selectionsOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions)
    if (definition.kind === "FragmentDefinition") fragments.set(definition.name.value, definition.selectionSet);
  const known = new Map<SelectionSetNode, number>();
  const countOf = (set: SelectionSetNode | undefined): number => {
    if (!set) return 0;
    let count = known.get(set);
    if (count !== undefined) return count;
    count = set.selections.length;
    for (const one of set.selections) count += countOf(one.kind === "FragmentSpread" ? fragments.get(one.name.value) : one.selectionSet);
    known.set(set, count);
    return count;
  };
  return countOf(operation.selectionSet);
}

/** Responses that depend only on the schema, by operation. They are equal for all callers. The size is in characters. */
const descriptions = new LRUCache<OperationDefinitionNode, string>({ maxSize: 20_000_000, sizeCalculation: (text) => text.length });

/** Whether an operation's response is constant: all root fields are introspection fields, and it has no variables. */
const isConstant = ({ selectionSet, variableDefinitions }: OperationDefinitionNode): boolean =>
  !variableDefinitions?.length && selectionSet.selections.every((one) => one.kind === "Field" && one.name.value.startsWith("__"));

/** Introspection shows the schema without the type that compiled documents use. */
function interpreted(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation {
  const operationName = operation.name?.value;
  const run: CompiledOperation["run"] = async (variableValues, contextValue) =>
    interpret({ schema, document, operationName, contextValue, variableValues });
  return {
    selections: 0,
    run,
    async respond(variables, context) {
      const known = descriptions.get(operation);
      if (known) return known;
      const result = await run(variables, context);
      if (result.errors) return result;
      const text = JSON.stringify(result);
      if (isConstant(operation)) descriptions.set(operation, text);
      return text;
    },
  };
}
