/** The REST routes with their operations parsed, validated and compiled. The router and /openapi.json use the same list. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type CompiledOperation, compileOperation } from "../execution/compile.js";
import { type Parameter, parametersOf } from "./bind.js";
import { withEnumValues } from "./enum-names.js";
import type { Route } from "./route.js";
import { notificationRoutes } from "./routes/alerts/notification.js";
import { assetRoutes } from "./routes/assets/asset.js";
import { componentRoutes } from "./routes/components/component.js";
import { templateRoutes } from "./routes/components/template.js";
import { photoRoutes } from "./routes/files/photo.js";
import { inventoryRoutes } from "./routes/inventory/inventory.js";
import { partRoutes } from "./routes/inventory/part.js";
import { procedureRoutes } from "./routes/maintenance/procedure.js";
import { strategyRoutes } from "./routes/maintenance/strategy.js";

const routes: Route[] = [
  ...assetRoutes,
  ...componentRoutes,
  ...templateRoutes,
  ...partRoutes,
  ...inventoryRoutes,
  ...photoRoutes,
  ...procedureRoutes,
  ...strategyRoutes,
  ...notificationRoutes,
];

export interface CompiledRoute {
  route: Route;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  parameters: Parameter[];
  run: CompiledOperation;
  /** Names of response fields with client-defined JSON. Nulls in them are kept. */
  jsonFields: string[];
}

/** Compiles every route against the schema with enum values. Throws for an invalid operation, so that the service does not start. */
export function compileRoutes(schema: GraphQLSchema, withPlans: boolean): { schema: GraphQLSchema; compiled: CompiledRoute[] } {
  const restSchema = withEnumValues(schema);
  return { schema: restSchema, compiled: routes.map((route) => compileRoute(restSchema, route, withPlans)) };
}

function compileRoute(schema: GraphQLSchema, route: Route, withPlans: boolean): CompiledRoute {
  const document = parse(route.operation, { noLocation: true });
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`${route.method} ${route.path}: ${problem.message}`);
  const operation = document.definitions.find((definition) => definition.kind === "OperationDefinition")!;
  return {
    route,
    document,
    operation,
    parameters: parametersOf(schema, operation, route),
    jsonFields: jsonFieldsOf(schema, document),
    run: compileOperation(schema, document, undefined, withPlans),
  };
}

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
