/** Generates the OpenAPI 3.1 description from the compiled routes: variables become parameters, selections become responses. */
import {
  type FragmentDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  type SelectionSetNode,
} from "graphql";
import { maxLimit, needsBody, type Parameter } from "./bind.js";
import type { CompiledRoute } from "./compiled-routes.js";
import type { BodyRule } from "./route.js";

type Schema = Record<string, unknown>;

const builtIn: Record<string, Schema> = {
  String: { type: "string" },
  ID: { type: "string" },
  Int: { type: "integer" },
  Float: { type: "number" },
  Boolean: { type: "boolean" },
};

const scalar = (type: unknown): Schema => (isScalarType(type) ? (builtIn[type.name] ?? (type.extensions.jsonSchema as Schema) ?? {}) : {});

/** Schemas of nested input objects by name. They are referenced, because they may be recursive. */
type Named = Map<string, Schema>;

/** Null clears a field in requests. Responses omit it. */
function inputSchema(type: GraphQLInputType, named: Named): Schema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: "array", items: inputSchema(nullable.ofType as GraphQLInputType, named) };
  if (!isInputObjectType(nullable)) return scalar(nullable);
  if (!named.has(nullable.name)) {
    named.set(nullable.name, {});
    named.set(nullable.name, inputObject(nullable, named));
  }
  return { $ref: `#/components/schemas/${nullable.name}` };
}

function inputObject(type: GraphQLInputObjectType, named: Named, rule: BodyRule = {}): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const field of Object.values(type.getFields())) {
    if (rule.readOnly?.includes(field.name)) continue;
    const [documented = field.name, ...others] = rule.names?.[field.name] ?? [];
    const schema = inputSchema(field.type, named);
    const description = field.description ?? undefined;
    properties[documented] = isNonNullType(field.type) ? { ...schema, description } : { anyOf: [schema, { type: "null" }], description };
    for (const other of others) properties[other] = { ...schema, description: `Alias of ${documented}.` };
    if (isRequiredInputField(field)) required.push(documented);
  }
  return { type: "object", properties, ...(required.length && { required }) };
}

function outputSchema(type: GraphQLOutputType, set: SelectionSetNode | undefined, entry: CompiledRoute): Schema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: "array", items: outputSchema(nullable.ofType as GraphQLOutputType, set, entry) };
  if (!isObjectType(nullable)) return scalar(nullable);
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const visit = (selectionSet: SelectionSetNode) => {
    for (const selection of selectionSet.selections) {
      if (selection.kind === "FragmentSpread") {
        visit(
          entry.document.definitions.find(
            (definition): definition is FragmentDefinitionNode =>
              definition.kind === "FragmentDefinition" && definition.name.value === selection.name.value,
          )!.selectionSet,
        );
      } else if (selection.kind === "Field") {
        const field = nullable.getFields()[selection.name.value]!;
        const name = selection.alias?.value ?? selection.name.value;
        const schema = outputSchema(field.type, selection.selectionSet, entry);
        const keepsNull = entry.route.nullable?.includes(name);
        properties[name] = {
          ...(keepsNull ? { anyOf: [schema, { type: "null" }] } : schema),
          ...(field.description && { description: field.description }),
        };
        if ((isNonNullType(field.type) || keepsNull) && !selection.directives?.length) required.push(name);
      }
    }
  };
  visit(set!);
  return { type: "object", properties, additionalProperties: false, ...(required.length && { required }) };
}

function responseSchema(schema: GraphQLSchema, entry: CompiledRoute): Schema {
  if (entry.route.shape) return entry.route.shape.schema as Schema;
  const [root] = entry.operation.selectionSet.selections;
  if (root?.kind !== "Field") throw new Error(`${entry.route.path}: the operation has no root field`);
  const rootType = schema.getRootType(entry.operation.operation)!;
  let response = outputSchema(rootType.getFields()[root.name.value]!.type, root.selectionSet, entry);
  for (const name of entry.route.responsePath?.split(".") ?? []) response = (response.properties as Record<string, Schema>)[name]!;
  return response;
}

function parameter({ name, type, in: place, default: fallback }: Parameter, named: Named) {
  const schema = {
    ...inputSchema(type, named),
    ...(name === "limit" && { minimum: 1, maximum: maxLimit }),
    ...(name === "offset" && { minimum: 0 }),
    ...(fallback !== undefined && { default: fallback }),
  };
  return { name, in: place, required: isNonNullType(type) && fallback === undefined, schema };
}

function requestBody({ parameters, route }: CompiledRoute, named: Named) {
  if (route.file) return { required: true, content: { [route.file]: { schema: { type: "string" } } } };
  const input = parameters.find((entry) => entry.in === "input");
  const fields = parameters.filter((entry) => entry.in === "body");
  if (!input && !fields.length) return undefined;
  const bodySchema = (type: GraphQLInputType): Schema => {
    const nullable = getNullableType(type);
    return isInputObjectType(nullable) ? inputObject(nullable, named, route.body) : inputSchema(type, named);
  };
  const schema = input
    ? bodySchema(input.type)
    : {
        type: "object",
        properties: Object.fromEntries(
          fields.map(({ name, type }) => [name, isNonNullType(type) ? bodySchema(type) : { anyOf: [bodySchema(type), { type: "null" }] }]),
        ),
        required: fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name),
      };
  return { required: needsBody(parameters), content: { "application/json": { schema } } };
}

const errorResponse = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** Returns the OpenAPI document as an object. */
export function openApi(schema: GraphQLSchema, compiled: CompiledRoute[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  const named: Named = new Map();
  for (const entry of compiled) {
    const { route, parameters } = entry;
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    const body = requestBody(entry, named);
    const inUrl = parameters.filter(({ in: place }) => place === "path" || place === "query");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        summary: route.summary,
        operationId: `${route.method.toLowerCase()}${route.path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        tags: [route.path.split("/")[1]],
        ...(inUrl.length && { parameters: inUrl.map((entry) => parameter(entry, named)) }),
        ...(body && { requestBody: body }),
        responses: {
          [route.status ?? 200]: { description: "Success", content: { "application/json": { schema: responseSchema(schema, entry) } } },
          400: errorResponse("Invalid data; `details` names each field"),
          401: errorResponse("No valid API key"),
          403: errorResponse("The API key lacks the required role or site"),
          404: errorResponse("Unknown identifier"),
          409: errorResponse("Conflict with the current state"),
          default: errorResponse("Any other error"),
        },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Maintenance Gateway",
      version: "1.0.0",
      description: "The documented REST paths. The same data and more is available at /graphql.",
    },
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
      schemas: {
        ...Object.fromEntries(named),
        Error: {
          type: "object",
          required: ["error"],
          properties: {
            error: { type: "string" },
            details: {},
            message: { type: "string" },
            code: { type: "string" },
            requestId: { type: "string" },
          },
        },
      },
    },
  };
}
