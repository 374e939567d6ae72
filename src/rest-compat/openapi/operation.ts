/** One operation of /openapi.json: parameters, body and responses. */
import {
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  type NameNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { maxLimit, type Parameter } from "../bind.js";
import type { CompiledRoute } from "../compiled-routes.js";
import { linesType } from "../progress.js";
import type { Route } from "../route.js";
import { everyAnswer, headerRef, refused, requestHeader } from "./answers.js";
import type { Schema } from "./schemas.js";
import { type Shapes, shownPath } from "./shapes.js";
import { changesToken, parameterTexts, roleIn, tagsOf } from "./texts.js";

/** Recorded on the demo plant by scripts/record-examples.mjs. */
export interface Example {
  query?: Record<string, string>;
  request?: unknown;
  response: unknown;
}
export type Examples = Record<string, Example>;

const rootOf = ({ operation }: CompiledRoute): string => {
  const [root] = operation.selectionSet.selections;
  if (root?.kind !== "Field") throw new Error("a route's operation has a root field");
  return root.name.value;
};

/** Operation id of a read, derived from its path: `getPartsBins` for `/parts/{partId}/bins`. */
const byPath = ({ method, path }: Route) =>
  `${method.toLowerCase()}${path
    .split("/")
    .filter((segment) => segment && !segment.startsWith(":"))
    .map((segment) => segment.charAt(0).toUpperCase() + segment.slice(1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join("")}`;

export const operationIdOf = (entry: CompiledRoute): string =>
  entry.route.operationId ?? (entry.operation.operation === "mutation" ? rootOf(entry) : byPath(entry.route));

/** The schema's description of each variable's argument or field. */
function textsOf(schema: GraphQLSchema, { document }: CompiledRoute, textOf: (text: string | null | undefined) => string | undefined) {
  const texts = new Map<string, string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Variable(node, _key, parent) {
        const { kind, name } = parent as { kind: string; name?: NameNode };
        if (kind === "VariableDefinition") return;
        const input = getNamedType(types.getParentInputType());
        const field = kind === "ObjectField" && isInputObjectType(input) ? input.getFields()[name!.value] : types.getArgument();
        const text = textOf(field?.description);
        if (text && !texts.has(node.name.value)) texts.set(node.name.value, text);
      },
    }),
  );
  return texts;
}

export class Operations {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly shapes: Shapes,
    private readonly textOf: (text: string | null | undefined) => string | undefined,
    private readonly examples: Examples,
  ) {}

  of(entry: CompiledRoute): Record<string, unknown> {
    const { route, parameters } = entry;
    const operationId = operationIdOf(entry);
    const texts = textsOf(this.schema, entry, this.textOf);
    const outside = [
      ...parameters.filter(({ in: place }) => place === "path" || place === "query").map((one) => this.parameter(one, entry, texts)),
      ...headersOf(entry),
    ];
    const body = this.requestBody(entry, operationId, texts);
    return {
      summary: route.summary,
      description: this.description(entry),
      operationId,
      tags: tagsOf(route),
      ...(outside.length && { parameters: outside }),
      ...(body && { requestBody: body }),
      responses: {
        [route.status ?? 200]: this.success(entry, operationId),
        ...refusalsOf(entry),
        default: refused("Other"),
      },
    };
  }

  private description(entry: CompiledRoute): string {
    const { route, operation } = entry;
    const field = this.schema.getRootType(operation.operation)!.getFields()[rootOf(entry)]!;
    const ofGraph = operation.operation === "mutation" ? this.textOf(field.description) : undefined;
    const role = `Requires the role \`${operation.operation === "mutation" ? roleIn(field.description) : "viewer"}\`.`;
    return [route.description ?? ofGraph, role].filter(Boolean).join(" ");
  }

  private parameter({ name, type, in: place, default: fallback, isList }: Parameter, { route }: CompiledRoute, texts: Map<string, string>) {
    const { items, ...single } = this.shapes.input(type, shownPath(route));
    const schema = {
      // Other query parameters select a single item of the GraphQL list.
      ...(isList ? { ...single, items } : ((items as Schema | undefined) ?? single)),
      ...(name === "limit" && { minimum: 1, maximum: maxLimit }),
      ...(name === "offset" && { minimum: 0 }),
      ...(fallback !== undefined && { default: fallback }),
    };
    const own = name === "nextToken" && route.path.endsWith("/changes") ? changesToken : parameterTexts[name];
    const description = own ?? texts.get(name);
    const required = place === "path" || (isNonNullType(type) && fallback === undefined);
    return { name, in: place, required, description, ...(isList && { style: "form", explode: false }), schema };
  }

  private requestBody(entry: CompiledRoute, operationId: string, texts: Map<string, string>) {
    const schema = this.shapes.requestBody(entry, operationId, texts);
    if (!schema) return undefined;
    const { request } = this.examples[operationId] ?? {};
    const content = { schema, ...(request !== undefined && { example: request }) };
    return { required: this.shapes.isBodyRequired(entry), content: { [entry.route.file ?? "application/json"]: content } };
  }

  private success(entry: CompiledRoute, operationId: string) {
    const { method } = entry.route;
    const isRead = method === "GET";
    const example = this.examples[operationId];
    return {
      description: isRead ? "What was asked for" : entry.route.status === 201 ? "What was created" : "Done",
      headers: {
        ...((isRead || entry.versionPath !== undefined) && { ETag: headerRef("ETag") }),
        ...everyAnswer,
        ...(!isRead && { "Idempotent-Replayed": headerRef("IdempotentReplayed") }),
        ...((method === "POST" || method === "PUT") && !entry.route.file && { Warning: headerRef("Warning") }),
      },
      content: {
        [entry.route.answer ?? "application/json"]: {
          schema: this.shapes.response(entry) as Schema,
          ...(example && { example: example.response }),
        },
        ...(entry.route.progress && {
          [linesType]: {
            schema: { type: "string", description: "Lines of JSON: `rows` that were read, at last `status` and `body` of the answer." },
          },
        }),
      },
    };
  }
}

function headersOf({ route, expected }: CompiledRoute) {
  if (route.method === "GET") return [requestHeader("IfNoneMatch"), requestHeader("MaxStaleness")];
  return [requestHeader("IdempotencyKey"), ...(expected ? [requestHeader("IfMatch")] : [])];
}

function refusalsOf({ route, parameters, expected }: CompiledRoute) {
  const isRead = route.method === "GET";
  const hasId = parameters.some(({ in: place }) => place === "path");
  return {
    ...(isRead && {
      304: {
        description: "The client has this answer already",
        headers: { ETag: headerRef("ETag"), "X-Request-Id": headerRef("RequestId") },
      },
    }),
    400: refused("BadRequest"),
    401: refused("Unauthorized"),
    403: refused("Forbidden"),
    ...(hasId && { 404: refused("NotFound") }),
    406: refused("NotAcceptable"),
    408: refused("RequestTimeout"),
    ...(!isRead && { 409: refused("Conflict") }),
    412: refused(expected ? "PreconditionFailed" : "ConditionNotTaken"),
    ...(!isRead && { 413: refused("PayloadTooLarge"), 415: refused("UnsupportedMediaType") }),
    ...(!isRead && { 422: refused("Unprocessable") }),
    429: refused("TooManyRequests"),
    431: refused("HeadersTooLarge"),
    500: refused("InternalError"),
    503: refused("Unavailable"),
  };
}
