/**
 * `extensions.fieldErrors` of a GraphQL error: each invalid value with its path in the arguments, so that a form can show it at its field.
 * Literals and variables are judged by graphql-js, everything else by the domain, whose errors name fields of the input.
 */
import {
  type ASTNode,
  coerceInputValue,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableNode,
  visit,
} from "graphql";

type Path = (string | number)[];

export interface FieldError {
  /** From the argument's name down: `["input", "steps", 0, "description"]`. */
  path: Path;
  code: string;
  message: string;
}

const expected: Record<string, string> = {
  Boolean: "must be true or false",
  Int: "must be an integer",
  Float: "must be a number",
  String: "must be a string",
  ID: "must be a string",
};

/** Rewrites a coercion error of graphql-js for whoever fills in the field. `field` is set if a required field is missing. */
export function plainMessage(message: string): { field?: string; message: string } {
  const missing = /^Field "(?:\w+\.)?(\w+)" of required type/.exec(message);
  if (missing) return { field: missing[1], message: "is required" };
  const scalar = /^(Boolean|Int|Float|String|ID) cannot represent/.exec(message);
  if (scalar) return { message: expected[scalar[1]!]! };
  if (/non-nullable type|^Expected value of type "[^"]+!", found null\./.test(message)) return { message: "is required" };
  if (/to be an object/.test(message)) return { message: "must be an object" };
  return { message: message.replace(/^Expected value of type "[^"]+", found [^;]*; /s, "") };
}

const fieldError = (path: Path, message: string): FieldError => {
  const { field, message: plain } = plainMessage(message);
  return { path: field ? [...path, field] : path, code: "BAD_USER_INPUT", message: plain };
};

/** The path of a value in the arguments of its field, from the nodes above it. */
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

/** The paths in the arguments at which a variable is used first, by its name. */
function usesOf(operation: OperationDefinitionNode, document: DocumentNode): Map<string, Path> {
  const uses = new Map<string, Path>();
  const Variable = (node: VariableNode, _key: unknown, parent: any, _path: unknown, above: readonly any[]) => {
    const path = pathOf([...above, parent, node]);
    if (path.length && !uses.has(node.name.value)) uses.set(node.name.value, path);
  };
  visit(operation, { Variable });
  for (const definition of document.definitions) if (definition !== operation) visit(definition, { Variable });
  return uses;
}

/** The invalid values of variables that graphql-js refused. */
export function variableErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): FieldError[] {
  const uses = usesOf(operation, document);
  return (operation.variableDefinitions ?? []).flatMap((definition) => errorsOfVariable(schema, definition, variables, uses));
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
  if (!isGiven) return [{ path, code: "BAD_USER_INPUT", message: "is required" }];
  const found: FieldError[] = [];
  coerceInputValue(variables[name], typeFromAST(schema, typeNode as never) as GraphQLInputType, (below, _, { message }) => {
    found.push(fieldError([...path, ...below], message));
  });
  return found;
}

const valueKinds = new Set<string>([
  ...[Kind.INT, Kind.FLOAT, Kind.STRING, Kind.BOOLEAN, Kind.NULL, Kind.ENUM, Kind.LIST, Kind.OBJECT],
  // Of a field that the input does not have.
  Kind.OBJECT_FIELD,
]);

/** The invalid literal of an error of validation; none if the error is about something else. */
function literalErrors(document: DocumentNode, { message, nodes }: GraphQLError): FieldError[] {
  const wrong = nodes?.[0];
  if (!wrong || !valueKinds.has(wrong.kind)) return [];
  let path: Path = [];
  visit(document, {
    enter(node, _key, parent, _path, above) {
      if (node === wrong) path = pathOf([...above, parent!, node]);
    },
  });
  return path.length ? [fieldError(path, message)] : [];
}

/** Adds `fieldErrors` to an error of validation. */
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
): GraphQLField<unknown, unknown> | undefined {
  let type: unknown = schema.getRootType(operation.operation);
  let sets: SelectionSetNode[] = [operation.selectionSet];
  let field: GraphQLField<unknown, unknown> | undefined;
  for (const key of path) {
    if (typeof key === "number") continue;
    const nodes = sets.flatMap((set) => fieldsOf(document, set)).filter(({ name, alias }) => (alias ?? name).value === key);
    if (!nodes.length || !isObjectType(type)) return undefined;
    field = type.getFields()[nodes[0]!.name.value];
    if (!field) return undefined;
    type = getNamedType(field.type);
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return field;
}

const fieldsOf = (document: DocumentNode, set: SelectionSetNode): FieldNode[] =>
  set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(document, fragment.selectionSet) : [];
  });

/** The path of a field that the domain names, which does not know in which argument it was sent. */
function argumentPath(args: readonly GraphQLArgument[], names: Path): Path | undefined {
  const [first] = names as [string];
  if (args.some(({ name }) => name === first)) return names;
  const holder = args.find(({ type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) && Object.hasOwn(named.getFields(), first);
  });
  return holder && [holder.name, ...names];
}

const isIndex = (part: string) => /^\d+$/.test(part);

/** Adds `fieldErrors` to an error of a field, if the domain names fields of its arguments. */
export function withFieldErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  error: GraphQLError,
): GraphQLError {
  const { code, details, fieldErrors, ...context } = error.extensions as Record<string, unknown> & { code?: string };
  if (fieldErrors || !error.path || !code || !(details || code === "CONFLICT")) return error;
  const args = fieldAt(schema, document, operation, error.path)?.args;
  if (!args) return error;
  const named: [string, string][] =
    typeof details === "object" && details !== null
      ? Object.entries(details as Record<string, string>)
      : // A conflict names the value that is in use or was expected.
        Object.keys(context).map((name) => [name, error.message]);
  const found = named.flatMap(([name, message]) => {
    const path = argumentPath(
      args,
      name.split(".").map((part) => (isIndex(part) ? Number(part) : part)),
    );
    return path ? { path, code, message } : [];
  });
  if (!found.length) return error;
  const { message, nodes, source, positions, path, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, fieldErrors: found } });
}
