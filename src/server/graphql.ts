/** GraphQL over HTTP at /graphql: Apollo for queries and mutations, the explorer's page for browsers. */
import type { ApolloServer } from "@apollo/server";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import accepts from "accepts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";
import type { Pipeline } from "../execution/pipeline.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { explorerHeaders, explorerPage } from "./explorer.js";
import { type BaseUrlOf, requireKey } from "./requests.js";
import { isForm, readForm } from "./uploads.js";

interface GraphqlOptions {
  config: Config;
  pipeline: Pipeline;
  services: Services;
  baseUrlOf: BaseUrlOf;
}

export function mountGraphql(
  app: FastifyInstance,
  apollo: ApolloServer<Context>,
  { config, pipeline, services, baseUrlOf }: GraphqlOptions,
): void {
  const maxFileSize = Math.max(config.MAX_PHOTO_BYTES, config.MAX_IMPORT_BYTES) + 1;
  const authenticate = requireKey(services, ["application/json", "application/graphql-response+json"]);
  const contexts = new WeakMap<FastifyRequest, Context>();
  const contextOf = (request: FastifyRequest): Context => {
    let context = contexts.get(request);
    if (!context) contexts.set(request, (context = makeContext(services, request.actor!, { id: request.id, baseUrl: baseUrlOf(request) })));
    return context;
  };
  const handler = fastifyApolloHandler(apollo, { context: async (request) => contextOf(request as FastifyRequest) });
  app.register(async (graphql) => {
    graphql.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    graphql.route({
      method: ["GET", "POST"],
      url: "/graphql",
      onRequest: async (request) => {
        if (!isForBrowser(request)) await authenticate(request);
      },
      preValidation: async (request, reply) => {
        if (isForm(request)) request.body = await readForm(request, reply, maxFileSize);
      },
      handler: async function (request, reply) {
        if (isForBrowser(request)) return reply.headers(explorerHeaders).type("text/html; charset=utf-8").send(explorerPage());
        const plain = plainRequest(request);
        const text = plain && (await pipeline.respond(plain.query, plain.operationName, plain.variables ?? {}, contextOf(request)));
        if (text) return reply.type(plain.mediaType).send(`${text}\n`);
        return handler.call(this as never, request as never, reply as never);
      },
    });
  });
}

interface PlainRequest {
  query: string;
  operationName?: string;
  variables?: Record<string, unknown>;
  mediaType: string;
}

const plainFields = new Set(["query", "operationName", "variables"]);
const mediaTypes = ["application/json", "application/graphql-response+json"];

/**
 * A request that needs nothing of Apollo but its answer: no extensions, no idempotency key, a known media type. No form: its values are
 * not checked yet.
 */
function plainRequest(request: FastifyRequest): PlainRequest | undefined {
  const { method, body, headers, raw } = request;
  if (isForm(request)) return undefined;
  if (method !== "POST" || typeof body !== "object" || body === null || headers["idempotency-key"] !== undefined) return undefined;
  for (const field in body) if (!plainFields.has(field)) return undefined;
  const { query, operationName, variables } = body as PlainRequest;
  if (typeof query !== "string" || (operationName != null && (typeof operationName !== "string" || !operationName))) return undefined;
  if (variables != null && (typeof variables !== "object" || Array.isArray(variables))) return undefined;
  const accepted = headers.accept === undefined ? mediaTypes[0] : accepts(raw).type(mediaTypes);
  return accepted ? { query, operationName, variables, mediaType: `${accepted}; charset=utf-8` } : undefined;
}

const isForBrowser = ({ method, headers, query }: FastifyRequest): boolean =>
  method === "GET" && Boolean(headers.accept?.includes("text/html")) && !(query as Record<string, unknown>).query;
