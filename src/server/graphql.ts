/** GraphQL over HTTP at /graphql: Apollo for queries and mutations, the explorer's page for browsers. */
import type { ApolloServer } from "@apollo/server";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { explorerHeaders, explorerPage } from "./explorer.js";
import { type BaseUrlOf, requireKey } from "./requests.js";
import { isForm, readForm } from "./uploads.js";

interface GraphqlOptions {
  config: Config;
  services: Services;
  baseUrlOf: BaseUrlOf;
}

export function mountGraphql(app: FastifyInstance, apollo: ApolloServer<Context>, { config, services, baseUrlOf }: GraphqlOptions): void {
  const maxFileSize = Math.max(config.MAX_PHOTO_BYTES, config.MAX_IMPORT_BYTES) + 1;
  const authenticate = requireKey(services, ["application/json", "application/graphql-response+json"]);
  const handler = fastifyApolloHandler(apollo, {
    context: async (request) => makeContext(services, request.actor!, { id: request.id, baseUrl: baseUrlOf(request) }),
  });
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
        return handler.call(this as never, request as never, reply as never);
      },
    });
  });
}

const isForBrowser = ({ method, headers, query }: FastifyRequest): boolean =>
  method === "GET" && Boolean(headers.accept?.includes("text/html")) && !(query as Record<string, unknown>).query;
