/** The REST routes with their operations parsed, validated and compiled. The router and /openapi.json use the same list. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isScalarType,
  Kind,
  type NamedTypeNode,
  type NameNode,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  type VariableNode,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Lane } from "../execution/admission/admission.js";
import { linearCost } from "../execution/admission/cost.js";
import { type LaneOf, lanesOf } from "../execution/admission/lanes.js";
import { type CompiledOperation, compileOperation } from "../execution/operation/compile.js";
import { type Parameter, parametersOf } from "./bind.js";
import { withEnumValues } from "./enum-names.js";
import { routes } from "./generated/routes.js";
import type { Route } from "./route.js";

export interface CompiledRoute {
  route: Route;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  parameters: Parameter[];
  run: CompiledOperation;
  /** Runs `operationBefore`, if the route has one. */
  runBefore: CompiledOperation | undefined;
  /** Cost of a request in points, from its bound variables. */
  cost(variables: Record<string, unknown>): number;
  lane: Lane;
  /** Path in the root field's value to the record whose version is in the ETag. */
  versionPath: string | undefined;
  /** The type of the versions that If-Match is compared with, if the route supports it. */
  expected: "Int" | "String" | undefined;
  /** Names of response fields with client-defined JSON, whose nulls are kept. */
  jsonFields: string[];
}

export interface RouteEntry {
  route: Route;
  /** Compiled at the first call. Throws for an operation that is invalid against the schema. */
  compiled(): CompiledRoute;
}

/** The routes for a schema. They use its enum values (`schema`). Compiling all takes a third of a second, so the service starts without. */
export function routesFor(schema: GraphQLSchema, withPlans: boolean): { schema: GraphQLSchema; routes: RouteEntry[] } {
  const restSchema = withEnumValues(schema);
  const laneOf = lanesOf(restSchema);
  const entryOf = (route: Route): RouteEntry => {
    let compiled: CompiledRoute | undefined;
    return { route, compiled: () => (compiled ??= compileRoute(restSchema, route, withPlans, laneOf)) };
  };
  return { schema: restSchema, routes: routes.map(entryOf) };
}

/** Compiles the routes that no request has used yet, one per turn of the event loop. */
export async function compileAll(entries: RouteEntry[]): Promise<void> {
  for (const { compiled } of entries) {
    compiled();
    await nextTurn();
  }
}

function parsed(schema: GraphQLSchema, { method, path }: Route, operation: string): DocumentNode {
  const document = parse(operation, { noLocation: true });
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`${method} ${path}: ${problem.message}`);
  return document;
}

function compileRoute(schema: GraphQLSchema, route: Route, withPlans: boolean, laneOf: LaneOf): CompiledRoute {
  const document = parsed(schema, route, route.operation);
  const before = route.operationBefore && parsed(schema, route, route.operationBefore);
  const operation = document.definitions.find((definition) => definition.kind === "OperationDefinition")!;
  const versions = versionsIn(schema, operation, route);
  const costOfOperation = linearCost(schema, document);
  return {
    route,
    document,
    operation,
    parameters: parametersOf(schema, operation, route),
    jsonFields: jsonFieldsOf(schema, document),
    run: compileOperation(schema, withVersions(document, versions), undefined, withPlans, true),
    runBefore: before ? compileOperation(schema, before, undefined, withPlans, true) : undefined,
    cost: (variables) => (route.price ?? 0) + costOfOperation(variables),
    lane: laneOf(document),
    ...versions,
  };
}

/** Response key of the record's version, which the router removes from the response. */
export const versionKey = "_version";

type Versions = Pick<CompiledRoute, "versionPath" | "expected">;

function versionsIn(schema: GraphQLSchema, operation: OperationDefinitionNode, { versioned }: Route): Versions {
  const [root] = operation.selectionSet.selections as [FieldNode];
  const field = schema.getRootType(operation.operation)!.getFields()[root.name.value]!;
  const argument = field.args.find(({ name }) => name === "expectedVersion");
  const type = getNamedType(field.type);
  const isWritten = argument && isObjectType(type) && "version" in type.getFields();
  return {
    versionPath: versioned ? (versioned === true ? "" : versioned) : isWritten ? "" : undefined,
    expected: argument && (String(argument.type) as Versions["expected"]),
  };
}

/** Adds to the operation the expected and the returned version, which clients of the route do not see. */
function withVersions(document: DocumentNode, { versionPath, expected }: Versions): DocumentNode {
  const version: FieldNode = { kind: Kind.FIELD, alias: nameNode(versionKey), name: nameNode("version") };
  const variable: VariableNode = { kind: Kind.VARIABLE, name: nameNode("expectedVersion") };
  const selecting = (field: FieldNode): FieldNode => ({
    ...field,
    selectionSet: { ...field.selectionSet!, selections: [...field.selectionSet!.selections, version] },
  });
  return visit(document, {
    OperationDefinition(operation) {
      let [root] = operation.selectionSet.selections as [FieldNode];
      if (versionPath === "") root = selecting(root);
      else if (versionPath !== undefined)
        root = visit(root, { Field: (field) => (field.alias?.value === versionPath ? selecting(field) : undefined) });
      if (!expected) return { ...operation, selectionSet: { ...operation.selectionSet, selections: [root] } };
      const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: nameNode(expected) };
      const argument: ArgumentNode = { kind: Kind.ARGUMENT, name: nameNode("expectedVersion"), value: variable };
      return {
        ...operation,
        variableDefinitions: [...(operation.variableDefinitions ?? []), { kind: Kind.VARIABLE_DEFINITION, variable, type }],
        selectionSet: { ...operation.selectionSet, selections: [{ ...root, arguments: [...(root.arguments ?? []), argument] }] },
      };
    },
  });
}

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

function jsonFieldsOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const names: string[] = [];
  const types = new TypeInfo(schema);
  const Field = (node: FieldNode) => {
    const type = getNamedType(types.getType());
    const { type: json } = (isScalarType(type) && (type.extensions.jsonSchema as { type?: string })) || {};
    if (json === "object" || json === "array") names.push(node.alias?.value ?? node.name.value);
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return names;
}
