/** Maps path, query and body of a request to the variables of its operation. Reports all invalid fields at once. */

import type { Readable } from "node:stream";
import {
  coerceInputValue,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { plainMessage } from "../execution/field-errors.js";
import { badInput } from "../schema/errors.js";
import { asUpload, streamOf } from "../schema/files/upload.js";
import type { BodyRule, Route } from "./route.js";

export interface Parameter {
  name: string;
  type: GraphQLInputType;
  default?: unknown;
  in: "path" | "query" | "body" | "input" | "file";
  /** Whether the text of a query parameter is a list, separated by commas. */
  isList?: boolean | undefined;
}

/** Maximum of the parameter `limit` (docs/interface.md 4). */
export const maxLimit = 1000;

export function parametersOf(schema: GraphQLSchema, operation: OperationDefinitionNode, { method, path, file, lists }: Route): Parameter[] {
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  return (operation.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    const hasInput = operation.variableDefinitions?.some(({ variable }) => variable.name.value === "input");
    const fromQuery = method === "GET" || method === "DELETE" || file || hasInput;
    const place = inPath.has(name) ? "path" : name === "input" ? "input" : file && name === "file" ? "file" : fromQuery ? "query" : "body";
    const fallback = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    return { name, type, in: place, default: fallback, isList: lists?.includes(name) };
  });
}

export interface Bound {
  variables: Record<string, unknown>;
  /** Paths of unknown body fields, which are ignored. */
  unknown: string[];
  /** Returns the name that the client used for a field of the GraphQL input. */
  clientName(field: string): string;
}

export interface RequestParts {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a query parameter by its target type. Returns invalid text unchanged: coercion reports it. */
function fromText(text: unknown, type: GraphQLInputType): unknown {
  const name = String(getNullableType(type));
  if (typeof text !== "string") return text;
  if (name === "Boolean") return text === "true" ? true : text === "false" ? false : text;
  if (name === "Int" || name === "Float") return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}

/** Renames the fields of an input object to GraphQL's names. Drops read-only fields. Drops unknown fields and lists them in `unknown`. */
class Reader {
  readonly unknown: string[] = [];
  readonly problems: Record<string, string> = {};
  private readonly clientNames = new Map<string, string>();
  private readonly fieldOf = new Map<string, string>();

  constructor(private readonly rule: BodyRule = {}) {
    for (const [field, names] of Object.entries(rule.names ?? {})) for (const name of names) this.fieldOf.set(name, field);
  }

  object(value: Record<string, unknown>, type: GraphQLInputObjectType, path: string): Record<string, unknown> {
    const known = type.getFields();
    const read: Record<string, unknown> = {};
    for (const [name, entry] of Object.entries(value)) {
      const renamed = this.fieldOf.get(name);
      const field = renamed && Object.hasOwn(known, renamed) ? renamed : name;
      if (!Object.hasOwn(known, field)) {
        if (!this.rule.readOnly?.includes(name)) this.unknown.push(path + name);
        continue;
      }
      // If a client sends two names of one field, the name listed first in the rule wins.
      const names = this.rule.names?.[field] ?? [];
      const otherName = this.clientNames.get(path + field);
      if (
        otherName !== undefined &&
        names.indexOf(otherName) !== -1 &&
        (names.indexOf(name) === -1 || names.indexOf(name) > names.indexOf(otherName))
      )
        continue;
      this.clientNames.set(path + field, name);
      read[field] = this.value(entry, known[field]!.type, `${path}${name}.`);
    }
    return read;
  }

  value(value: unknown, type: GraphQLInputType, path: string): unknown {
    const nullable = getNullableType(type);
    if (isListType(nullable) && value !== null) {
      // GraphQL would accept a single value as a list with one item.
      if (!Array.isArray(value)) this.problems[path.slice(0, -1)] = "must be an array";
      else return value.map((item, i) => this.value(item, nullable.ofType as GraphQLInputType, `${path}${i}.`));
    }
    return isInputObjectType(nullable) && isObject(value) ? this.object(value, nullable, path) : value;
  }

  clientName(field: string, path = ""): string {
    return this.clientNames.get(path + field) ?? this.clientNames.get(field) ?? field;
  }
}

/** Whether the request body is required. A nullable input may be omitted. */
export const needsBody = (parameters: Parameter[], rule: BodyRule = {}): boolean =>
  !rule.optional && parameters.some(({ in: place, type }) => place === "body" || (place === "input" && isNonNullType(type)));

/** Binds a request to its parameters. Throws BAD_USER_INPUT; `details` maps the client's field names to messages (docs/interface.md 7). */
export function bind(parameters: Parameter[], request: RequestParts, rule: BodyRule | undefined): Bound {
  const details: Record<string, string> = {};
  const variables: Record<string, unknown> = {};
  const acceptsBody = parameters.some((parameter) => parameter.in === "body" || parameter.in === "input");
  const body = acceptsBody && (needsBody(parameters, rule) || request.body !== undefined) ? request.body : {};
  if (!isObject(body)) throw badInput({ body: body === undefined ? "is required" : "must be a JSON object" });
  const reader = new Reader(rule);
  const clientName = (field: string) =>
    field
      .split(".")
      .map((part) => reader.clientName(part))
      .join(".");

  for (const { name, type, in: place, default: fallback, isList } of parameters) {
    if (place === "file") {
      // The body may be read again, because a write with an Idempotency-Key can run more than once.
      const file = (request.body as Readable | Buffer | undefined) ?? Buffer.alloc(0);
      const createReadStream = () => (Buffer.isBuffer(file) ? streamOf(file) : file);
      variables[name] = asUpload({ filename: "", mimetype: "", createReadStream });
      continue;
    }
    const isText = place === "path" || place === "query";
    const raw = place === "path" ? request.params[name] : place === "query" ? request.query[name] : place === "input" ? body : body[name];
    if (isText && Array.isArray(raw)) {
      details[name] = "must be given once";
      continue;
    }
    if (raw === undefined || (place === "query" && raw === "")) {
      if (fallback === undefined && isNonNullType(type)) details[name] = "is required";
      continue;
    }
    const prefix = place === "input" ? "" : `${name}.`;
    const value = isText ? (isList && typeof raw === "string" ? raw.split(",") : fromText(raw, type)) : reader.value(raw, type, prefix);
    // Only collects errors: execution coerces the value again.
    coerceInputValue(value, type, (path, _, error) => {
      const { field, message } = plainMessage(error.message);
      const key = [...(place === "input" ? [] : [name]), ...path, ...(field ? [field] : [])].join(".");
      details[clientName(key)] ??= message;
    });
    if (place === "input")
      for (const field of rule?.required ?? [])
        if ((value as Record<string, unknown>)[field] == null) details[clientName(field)] = "is required";
    variables[name] = value;
    checkRange(name, value, details);
  }
  if (acceptsBody) {
    const known = new Set(parameters.map(({ name }) => name));
    if (!parameters.some((parameter) => parameter.in === "input"))
      reader.unknown.push(...Object.keys(body).filter((name) => !known.has(name)));
  }
  Object.assign(details, reader.problems);
  if (Object.keys(details).length) throw badInput(details);
  return { variables, unknown: reader.unknown, clientName };
}

function checkRange(name: string, value: unknown, details: Record<string, string>): void {
  if (typeof value !== "number" || details[name]) return;
  if (name === "limit" && (value < 1 || value > maxLimit)) details.limit = `must be an integer from 1 to ${maxLimit}`;
  if (name === "offset" && value < 0) details.offset = "must not be negative";
}
