/**
 * `extensions.fieldErrors` of a GraphQL error: each invalid value with its path in the arguments, so that a form can show the error at its
 * field. graphql-js validates literals and variables; the domain validates everything else, and its errors name fields of the input.
 */
import {
  type ASTNode,
  coerceInputValue,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type Code, ServiceError } from "../schema/errors.js";
import { type FieldCode, type FieldParams, fieldCodeOf } from "./field-codes.js";
import type { RefusedLiteral, RefusedValue } from "./operation/text-check.js";

type Path = (string | number)[];

export interface FieldError {
  /** From the argument's name down: `["input", "steps", 0, "description"]`. */
  path: Path;
  code: FieldCode;
  message: string;
  params?: FieldParams;
}

/** A refused value. `code` is that of the whole error. */
export const refusedAt = (path: Path, message: string, code: Code = "BAD_USER_INPUT"): FieldError => ({
  path,
  message,
  ...fieldCodeOf(code, message),
});

const expected: Record<string, string> = {
  Boolean: "must be true or false",
  Int: "must be an integer",
  Float: "must be a number",
  String: "must be a string",
  ID: "must be a string",
};

/** Rephrases a coercion error of graphql-js for the user who fills in the field. `field` is set if a required field is missing. */
export function plainMessage(message: string): { field?: string; message: string } {
  const missing = /^Field "(?:\w+\.)?(\w+)" of required type/.exec(message);
  if (missing) return { field: missing[1], message: "is required" };
  const scalar = /^(Boolean|Int|Float|String|ID) cannot represent/.exec(message);
  if (scalar) return { message: expected[scalar[1]!]! };
  const unknown = /^Field "(\w+)" is not defined by type/.exec(message);
  if (unknown) return { field: unknown[1], message };
  if (/non-nullable type|^Expected value of type "[^"]+!", found null\./.test(message)) return { message: "is required" };
  if (/to be an object/.test(message)) return { message: "must be an object" };
  return { message: message.replace(/^Expected value of type "[^"]+", found [^;]*; /s, "") };
}

const fieldError = (path: Path, message: string): FieldError => {
  const { field, message: plain } = plainMessage(message);
  return refusedAt(field ? [...path, field] : path, plain);
};

/** The path of a value in the arguments of its field, from its ancestor nodes. */
const pathOf = (nodes: readonly (ASTNode | readonly ASTNode[])[]): Path => {
  const path: Path = [];
  for (const [i, node] of nodes.entries()) {
    if (Array.isArray(node)) continue;
    const { kind, name } = node as ASTNode & { name?: { value: string } };
    if (kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD) path.push(name!.value);
    else if (kind === Kind.LIST) {
      const items = nodes[i + 1];
      const item = nodes[i + 2];
      if (Array.isArray(items)) path.push(items.indexOf(item));
    }
  }
  return path;
};

/** The operation and the fragments that it reaches. */
function reachedBy(operation: OperationDefinitionNode, document: DocumentNode): (OperationDefinitionNode | FragmentDefinitionNode)[] {
  const reached = new Set<OperationDefinitionNode | FragmentDefinitionNode>([operation]);
  for (const definition of reached)
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value);
        if (fragment) reached.add(fragment as FragmentDefinitionNode);
      },
    });
  return [...reached];
}

/** By variable: the path in the arguments of its first use. */
function usesOf(operation: OperationDefinitionNode, document: DocumentNode): Map<string, Path> {
  const uses = new Map<string, Path>();
  const Variable = (node: VariableNode, _key: unknown, parent: any, _path: unknown, above: readonly any[]) => {
    const path = pathOf([...above, parent, node]);
    if (path.length && !uses.has(node.name.value)) uses.set(node.name.value, path);
  };
  for (const definition of reachedBy(operation, document)) visit(definition, { Variable });
  return uses;
}

/** Errors for explicit nulls in required positions. The variables may be nullable because they have a default. */
function nullErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): FieldError[] {
  const found: FieldError[] = [];
  const types = new TypeInfo(schema);
  const Variable = (node: VariableNode, _key: unknown, parent: any, _path: unknown, above: readonly any[]) => {
    const path = pathOf([...above, parent, node]);
    if (path.length && variables[node.name.value] === null && isNonNullType(types.getInputType()))
      found.push(refusedAt(path, "is required"));
  };
  for (const definition of reachedBy(operation, document)) visit(definition, visitWithTypeInfo(types, { Variable }));
  return found;
}

/** Errors for variable values that graphql-js refused. */
export function variableErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): FieldError[] {
  const uses = usesOf(operation, document);
  const found = (operation.variableDefinitions ?? []).flatMap((definition) => errorsOfVariable(schema, definition, variables, uses));
  return found.length ? found : nullErrors(schema, document, operation, variables);
}

function errorsOfVariable(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  variables: Record<string, unknown>,
  uses: Map<string, Path>,
): FieldError[] {
  const name = variable.name.value;
  const path = uses.get(name) ?? [name];
  const isGiven = Object.hasOwn(variables, name);
  if (!isGiven && (defaultValue || typeNode.kind !== Kind.NON_NULL_TYPE)) return [];
  if (!isGiven) return [refusedAt(path, "is required")];
  const found: FieldError[] = [];
  coerceInputValue(variables[name], typeFromAST(schema, typeNode as never) as GraphQLInputType, (below, _, { message }) => {
    found.push(fieldError([...path, ...below], message));
  });
  return found;
}

const valueKinds = new Set<string>([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  // A field that the input type does not have.
  Kind.OBJECT_FIELD,
]);

/** Errors for the invalid literal or missing argument of a validation error; empty for other errors. */
function literalErrors(document: DocumentNode, { message, nodes }: GraphQLError): FieldError[] {
  const wrong = nodes?.[0];
  const missing = /^Field "\w+" argument "(\w+)" of type "[^"]+" is required/.exec(message);
  if (missing) return [refusedAt([missing[1]!], "is required")];
  if (!wrong || !valueKinds.has(wrong.kind)) return [];
  const path = literalPath(document, wrong);
  return path.length ? [fieldError(path, message)] : [];
}

/** The path of a literal in the arguments of its field. Empty outside of arguments. */
function literalPath(document: DocumentNode, wrong: ASTNode): Path {
  let path: Path = [];
  visit(document, {
    enter(node, _key, parent, _path, above) {
      if (node !== wrong) return;
      const nodes = [...above, parent!, node] as (ASTNode | readonly ASTNode[])[];
      // The default of a variable gets the path of the variable's use.
      const definition = nodes.find((one): one is VariableDefinitionNode => (one as ASTNode).kind === Kind.VARIABLE_DEFINITION);
      const operation = nodes.find((one): one is OperationDefinitionNode => (one as ASTNode).kind === Kind.OPERATION_DEFINITION);
      const use = definition && operation ? usesOf(operation, document).get(definition.variable.name.value) : [];
      path = [...(use ?? []), ...pathOf(nodes)];
    },
  });
  return path;
}

/** Adds `fieldErrors` to a refused literal. */
export function withLiteralError(error: RefusedLiteral, document: DocumentNode): ServiceError {
  const path = literalPath(document, error.node);
  return path.length ? error.with({ fieldErrors: [refusedAt(path, error.problem)] }) : error;
}

/** Adds `fieldErrors` to a refused variable value. `place` is its path, from the variable's name down. */
export function withVariableError(
  error: RefusedValue,
  place: string[],
  document: DocumentNode,
  operationName: string | null | undefined,
): ServiceError {
  const [name, ...below] = place as [string];
  const operation = getOperationAST(document, operationName);
  // An undeclared variable is not part of any argument.
  if (!operation?.variableDefinitions?.some(({ variable }) => variable.name.value === name)) return error;
  const path = [...(usesOf(operation, document).get(name) ?? [name]), ...below.map(partOf)];
  return error.with({ fieldErrors: [refusedAt(path, error.problem)] });
}

/** Adds `fieldErrors` to a validation error. */
export function withLiteralErrors(document: DocumentNode, error: GraphQLError): GraphQLError {
  const fieldErrors = literalErrors(document, error);
  if (fieldErrors.length) error.extensions.fieldErrors = fieldErrors;
  return error;
}

/** The field at a response path, with its definition. */
function fieldAt(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  path: readonly (string | number)[],
): { field: GraphQLField<unknown, unknown>; node: FieldNode } | undefined {
  let typeName = schema.getRootType(operation.operation)?.name ?? "";
  let sets = [operation.selectionSet];
  let found: { field: GraphQLField<unknown, unknown>; node: FieldNode } | undefined;
  for (const key of path) {
    if (typeof key === "number") continue;
    const selected = sets
      .flatMap((set) => fieldsOf(document, set, typeName))
      .filter(({ node: { name, alias } }) => (alias ?? name).value === key);
    const [first] = selected;
    const type = first && schema.getType(first.typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[first!.node.name.value] : undefined;
    if (!field) return undefined;
    found = { field, node: first!.node };
    typeName = getNamedType(field.type).name;
    sets = selected.flatMap(({ node: { selectionSet } }) => selectionSet ?? []);
  }
  return found;
}

/** The fields of a selection, each with its parent type. */
const fieldsOf = (document: DocumentNode, set: SelectionSetNode, typeName: string): { node: FieldNode; typeName: string }[] =>
  set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return { node: selection, typeName };
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return fieldsOf(document, selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(document, fragment.selectionSet, fragment.typeCondition.name.value) : [];
  });

/** The path of a field that the domain names. The domain does not know which argument contained it. */
function argumentPath(args: readonly GraphQLArgument[], sent: readonly string[], names: Path): Path | undefined {
  const [first] = names as [string];
  const own = args.some(({ name }) => name === first);
  if (own && sent.includes(first)) return names;
  const holder = args.find(({ type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) && Object.hasOwn(named.getFields(), first);
  });
  if (holder) return [holder.name, ...names];
  if (own) return names;
  // Errors about a file name its property.
  const file = args.find(({ type }) => getNamedType(type).name === "Upload");
  return file && [file.name];
}

const isIndex = (part: string) => /^\d+$/.test(part);

const partOf = (part: string): string | number => (isIndex(part) ? Number(part) : part);

/** Adds `fieldErrors` to an error of a field, if the domain names fields of its arguments. */
export function withFieldErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  error: GraphQLError,
): GraphQLError {
  const { code, details, fieldErrors, ...context } = error.extensions as Record<string, unknown> & { code?: Code };
  if (fieldErrors || !error.path || !code || !(details || code === "CONFLICT")) return error;
  const refused = fieldAt(schema, document, operation, error.path);
  if (!refused) return error;
  const sent = (refused.node.arguments ?? []).map(({ name }) => name.value);
  const pathsOf = (names: [string, string][]) =>
    names.flatMap(([name, message]) => {
      const path = argumentPath(refused.field.args, sent, name.split(".").map(partOf));
      return path ? refusedAt(path, message, code) : [];
    });
  const reason = typeof details === "string" ? details : error.message;
  const about = error.originalError instanceof ServiceError ? error.originalError.fields : [];
  const isNamed = typeof details === "object" && details !== null;
  const found = isNamed
    ? pathsOf(Object.entries(details as Record<string, string>))
    : about.length
      ? pathsOf(about.map((name) => [name, reason])).slice(0, 1)
      : // A conflict names the value in use or the expected version.
        pathsOf(Object.keys(context).map((name) => [name, reason]));
  if (!found.length) return error;
  const { message, nodes, source, positions, path, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, fieldErrors: found } });
}
