/** Parses requests at /graphql, and decides whether Apollo must process them. */
import accepts from "accepts";
import type { FastifyRequest } from "fastify";
import type { PersistedDocuments } from "../execution/operation/persisted.js";
import { checkValues } from "../execution/operation/text-check.js";

/** As sent by the client, unchecked. */
export interface RequestParameters {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
  extensions?: unknown;
}

type Values = Record<string, unknown>;

const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

const names = ["query", "operationName", "variables", "extensions"] as const;

/** The parameters of a body or URL. Undefined if they cannot be read: Apollo then reads them again and refuses the request. */
export function parametersOf({ method, body, url }: FastifyRequest): RequestParameters | undefined {
  if (method === "POST") return isObject(body) ? body : undefined;
  const { searchParams } = new URL(url, "http://localhost");
  const parameters: RequestParameters = {};
  for (const name of names) {
    const [text, ...more] = searchParams.getAll(name);
    if (text === undefined) continue;
    parameters[name] = name === "variables" || name === "extensions" ? objectOf(text) : text;
    if (more.length || parameters[name] === undefined) return undefined;
  }
  return parameters;
}

function objectOf(json: string): Values | undefined {
  try {
    const value = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The parameters with the text of the referenced document. Throws if the document is missing or not accepted. */
export function withDocument(parameters: RequestParameters, documents: PersistedDocuments, tenantId: string): RequestParameters {
  const { persistedQuery, ...extensions }: Values = isObject(parameters.extensions) ? parameters.extensions : {};
  const query = documents.textOf(tenantId, parameters.query, persistedQuery);
  return persistedQuery == null ? parameters : { ...parameters, query, extensions };
}

export const isForm = ({ method, headers }: FastifyRequest): boolean =>
  method === "POST" && Boolean(headers["content-type"]?.startsWith("multipart/form-data"));

interface PlainRequest {
  query: string;
  operationName?: string;
  variables?: Values;
  mediaType: string;
}

const plainFields = new Set<string>(names);
export const mediaTypes = ["application/json", "application/graphql-response+json"];

/**
 * A request that can bypass Apollo: no idempotency key, a known media type, and values that are checked already or here. Excludes forms,
 * whose values are not checked yet. Extensions do not affect a query.
 */
export function plainRequest(request: FastifyRequest, parameters: RequestParameters): PlainRequest | undefined {
  const { method, headers, raw } = request;
  if (isForm(request) || headers["idempotency-key"] !== undefined) return undefined;
  for (const field in parameters) if (!plainFields.has(field)) return undefined;
  const { query, operationName, variables, extensions } = parameters as PlainRequest & RequestParameters;
  if (typeof query !== "string" || (operationName != null && (typeof operationName !== "string" || !operationName))) return undefined;
  if ((variables != null && !isObject(variables)) || (extensions != null && !isObject(extensions))) return undefined;
  if (method !== "POST" && (headers["content-type"] !== undefined || !areStorable(parameters))) return undefined;
  const accepted = headers.accept === undefined ? mediaTypes[0] : accepts(raw).type(mediaTypes);
  return accepted ? { query, operationName, variables, mediaType: `${accepted}; charset=utf-8` } : undefined;
}

function areStorable(values: object): boolean {
  try {
    checkValues({ ...values });
    return true;
  } catch {
    return false;
  }
}
