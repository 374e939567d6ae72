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
    if (isRequiredInputField(field) || rule?.required?.includes(field.name)) required.push(documented);
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

/** What the name of a parameter does not say. */
const descriptions: Record<string, string> = {
  updatedSince: "Only records that were created or changed at or after this instant. Deleted records are left out, as without it.",
};

function parameter({ name, type, in: place, default: fallback }: Parameter, named: Named) {
  const schema = {
    ...inputSchema(type, named),
    ...(name === "limit" && { minimum: 1, maximum: maxLimit }),
    ...(name === "offset" && { minimum: 0 }),
    ...(fallback !== undefined && { default: fallback }),
  };
  const description = descriptions[name];
  return { name, in: place, required: isNonNullType(type) && fallback === undefined, ...(description && { description }), schema };
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

/** What a route says of versions: request headers, and additions to its responses (docs/rest.md, "Versions"). */
function versionsOf({ route, expected, versionPath }: CompiledRoute) {
  const header = (name: string, description: string, schema: Schema = { type: "string" }) => ({
    ...{ name, in: "header", required: false, description, schema },
  });
  const staleness = header(
    "Max-Staleness",
    "Seconds: an answer is taken that lacks at most what was written since then, which a read replica may give.",
    { type: "integer", minimum: 0, maximum: 86_400 },
  );
  const etag = (description: string) => ({ headers: { ETag: { description, schema: { type: "string" } } } });
  const isRead = route.method === "GET";
  const ofRecord = versionPath !== undefined ? "The record's version, a hyphen and a digest of the body" : "A digest of the body";
  return {
    parameters: [
      ...(isRead ? [header("If-None-Match", "ETag of an earlier answer. If it is still the same, the answer is 304."), staleness] : []),
      ...(expected
        ? [
            header(
              "If-Match",
              "ETag of the record as it was read. If its version is another one by now, nothing is done and the answer is 412.",
            ),
          ]
        : []),
    ],
    success: isRead || versionPath !== undefined ? etag(`${ofRecord}.`) : {},
    responses: {
      ...(isRead && { 304: { description: "The client has this answer already", ...etag("The tag that was sent.") } }),
      ...(expected && {
        412: {
          ...errorResponse("The record is at another version; `version` is the current one, `changedFields` what was changed"),
          ...etag("The current version."),
        },
      }),
    },
  };
}

/** Returns the OpenAPI document as an object. */
export function openApi(schema: GraphQLSchema, compiled: CompiledRoute[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  const named: Named = new Map();
  for (const entry of compiled) {
    const { route, parameters } = entry;
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    const body = requestBody(entry, named);
    const versions = versionsOf(entry);
    const outsideBody = [
      ...parameters.filter(({ in: place }) => place === "path" || place === "query").map((entry) => parameter(entry, named)),
      ...versions.parameters,
    ];
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        summary: route.summary,
        operationId: `${route.method.toLowerCase()}${route.path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        tags: [route.path.split("/")[1]],
        ...(outsideBody.length && { parameters: outsideBody }),
        ...(body && { requestBody: body }),
        responses: {
          [route.status ?? 200]: {
            description: "Success",
            ...versions.success,
            content: { "application/json": { schema: responseSchema(schema, entry) } },
          },
          ...versions.responses,
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
