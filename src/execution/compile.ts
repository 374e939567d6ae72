/**
 * Executes operations: what plans leave over is interpreted by graphql-js at first, and compiled by graphql-jit once it is used again
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
import type { Context } from "../resolvers/context.js";
import { schemaWithAnyVariable, variablesInObjects, withoutFieldsOf, withUntypedVariables } from "./any-variables.js";
import { selects } from "./document.js";
import { type CacheLimits, FairCache } from "./fair-cache.js";
import { planReader, type Read } from "./plans.js";
import { staleReads } from "./staleness.js";

type Variables = Record<string, unknown>;

export interface CompiledOperation {
  /** Selections with fragments spread. */
  selections: number;
  /** Runs the operation. The errors in its result are not masked yet. */
  run(variables: Variables, context: Context): Promise<ExecutionResult>;
  /** The whole response to a query as JSON text; a result, not masked yet, if it has errors. */
  respond(variables: Variables, context: Context): Promise<string | ExecutionResult>;
}

/** When an operation is compiled. Its uses are those in which something is left to execute. */
const compiledAtUse = 3;

/** Larger operations are never compiled, in selections. */
const maxCompiled = 300;

/** Of what is kept by the text of a document, in bytes. */
export const keptByText: CacheLimits = { entries: 500, size: 100_000_000, each: 2_000_000 };

/** What a document takes for each character of its text, and an operation for each selection: planned, and compiled. Measured. */
const bytesPer = { character: 20, planned: 300, compiled: 3_000 };

/** Bytes of what is kept of an operation: its document and its plan, and its code from the start. */
export const sizeOf = (key: string, { selections }: CompiledOperation): number =>
  bytesPer.character * key.length + selections * (bytesPer.planned + (selections > maxCompiled ? 0 : bytesPer.compiled));

/** Identifies an operation by its document's text and its name, neither of which contains NUL. */
export const operationKey = (query: string, operationName: string | null | undefined): string => `${operationName ?? ""}\0${query}`;

/** Returns operations by the text of their document, and keeps those used most recently. `tenant` is whose request it is. */
export function operationCache(schema: GraphQLSchema, withPlans: boolean) {
  const kept = new FairCache<CompiledOperation>(keptByText);
  return (tenant: string, query: string, document: DocumentNode, operationName: string | null | undefined): CompiledOperation => {
    const key = operationKey(query, operationName);
    let operation = kept.get(key);
    if (operation) return operation;
    operation = compileOperation(schema, document, operationName, withPlans);
    kept.set(tenant, key, operation, sizeOf(key, operation));
    return operation;
  };
}

/** An operation that can be run. It is compiled at its third use, or `now`. */
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
  /** What the plan read, or the executor's result. */
  const answer = async (variables: Variables, context: Context): Promise<Read | ExecutionResult> => {
    const { coerced, errors } = getVariableValues(schema, definitions, variables);
    if (errors)
      return { errors: errors.map(({ message, nodes }) => new GraphQLError(message, { nodes, extensions: { code: "BAD_USER_INPUT" } })) };
    readStale?.(context);
    const read = await readPlan?.(coerced, context);
    if (!read) return execute(undefined, coerced, context);
    if (read.way === "failed") return execute(read.rootValue, coerced, context);
    return read.way === "rows" ? execute(JSON.parse(read.json), coerced, context) : read;
  };
  return {
    selections,
    async run(variables, context) {
      const answered = await answer(variables, context);
      return "way" in answered ? { data: JSON.parse(answered.json) } : answered;
    },
    async respond(variables, context) {
      const answered = await answer(variables, context);
      if ("way" in answered) return `{"data":${answered.way === "text" ? answered.json : JSON.stringify(JSON.parse(answered.json))}}`;
      return answered.errors ? answered : JSON.stringify(answered);
    },
  };
}

type Execute = (rootValue: unknown, coerced: Variables, context: Context) => Promise<ExecutionResult>;

/** Compiled forms of one operation, by the variables that are not sent. Beyond these it is interpreted. */
const maxForms = 8;

/**
 * graphql-jit's coercion of variables ignores defaults. So graphql-js coerces them first, and the document that is compiled declares each
 * with a scalar that accepts every value. Where a variable is not sent, graphql-jit gives null to the field of an input object that it
 * stands for, which would clear a record's field: the form for such a request is compiled without the field.
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
      ...{ schema: anySchema, document: prepared, operationName, rootValue, contextValue, variableValues: coerced },
    });
    return { ...(errors && { errors: errors.map(withoutLocation) }), ...result };
  };
}

/** As compiled operations tell it: the path says where. */
const withoutLocation = ({ message, path, originalError, extensions }: GraphQLError) =>
  new GraphQLError(message, { path, originalError, extensions });

/** The number of an operation's selections with fragments spread. */
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

/** Answers that tell of the schema alone, by the operation: the same for everybody. In characters. */
const descriptions = new LRUCache<OperationDefinitionNode, string>({ maxSize: 20_000_000, sizeCalculation: (text) => text.length });

/** Whether an operation's answer is always the same: each of its root fields is introspection's, and it has no variables. */
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
