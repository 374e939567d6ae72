/** GraphQL over HTTP at /graphql: Apollo for queries and mutations, the explorer's page for browsers. */
import type { ApolloServer } from "@apollo/server";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";
import type { Admission } from "../execution/admission/admission.js";
import type { PersistedDocuments } from "../execution/operation/persisted.js";
import type { Pipeline } from "../execution/operation/pipeline.js";
import { validatedStaleness } from "../execution/operation/staleness.js";
import { isLarger } from "../resolvers/bounds.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { answerTooLarge } from "../schema/errors.js";
import { askApollo } from "./apollo.js";
import { addVary, sendTagged } from "./caching.js";
import { costHeader, withCost } from "./cost-report.js";
import { isForm, mediaTypes, parametersOf, plainRequest, type RequestParameters, withDocument } from "./graphql-request.js";
import { explorerHeaders, explorerPage } from "./pages/explorer.js";
import type { BaseUrlOf } from "./public-url.js";
import { type LifetimeOf, requireKey } from "./requests.js";
import { SpooledAnswer, SpoolSpace } from "./spooled-answers.js";
import { readForm } from "./uploads.js";

interface GraphqlOptions {
  config: Config;
  pipeline: Pipeline;
  admission: Admission;
  documents: PersistedDocuments;
  services: Services;
  baseUrlOf: BaseUrlOf;
  lifetimeOf: LifetimeOf;
}

export function mountGraphql(
  app: FastifyInstance,
  apollo: ApolloServer<Context>,
  { config, pipeline, admission, documents, services, baseUrlOf, lifetimeOf }: GraphqlOptions,
): void {
  const maxFileSize = Math.max(config.MAX_PHOTO_BYTES, config.MAX_ATTACHMENT_BYTES, config.MAX_IMPORT_BYTES) + 1;
  const authenticate = requireKey(services.keys, admission, mediaTypes, { isQueued: (request) => !isForm(request) });
  const space = new SpoolSpace(config.MAX_ANSWER_BYTES);
  app.register(async (graphql) => {
    graphql.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    graphql.route({
      method: ["GET", "POST"],
      url: "/graphql",
      onRequest(request, reply, done) {
        if (request.method !== "POST") addVary(reply, "accept, authorization");
        if (isForBrowser(request)) done();
        else authenticate.call(this, request, reply, done);
      },
      preValidation(request, reply, done) {
        if (!isForm(request)) return done();
        readForm(request, reply, maxFileSize).then((body) => {
          request.body = body;
          done();
        }, done);
      },
      errorHandler: (error, request) => {
        throw pipeline.bodyError(error, readParameters(request, documents));
      },
      handler: async (request, reply) => {
        if (isForBrowser(request))
          return reply.headers(explorerHeaders).type("text/html; charset=utf-8").send(explorerPage(config.TRUSTED_DOCUMENTS_ONLY));
        // Cacheable with revalidation, since a key's rights can change.
        if (request.method !== "POST") reply.header("cache-control", "private, no-cache");
        const sent = parametersOf(request);
        const parameters = sent && withDocument(sent, documents, request.actor!.tenantId);
        const lifetime = lifetimeOf(reply);
        const maxStaleness = validatedStaleness(request.headers["max-staleness"]);
        const actor = request.actor!;
        const caller = { actor, requestId: request.id, source: "graphql", baseUrl: baseUrlOf(request), maxStaleness } as const;
        const context = makeContext(services, caller, lifetime);
        request.outcome = context.outcome;
        const spooled = request.method === "POST" ? new SpooledAnswer(space, request.actor!.tenantId, lifetime) : undefined;
        if (spooled) {
          context.data.bounds.join = spooled.join;
          reply.raw.once("close", () => void spooled.close());
        }
        const plain = parameters && plainRequest(request, parameters);
        const known = plain && (await pipeline.respond(plain.query, plain.operationName, plain.variables ?? {}, context));
        const changed = parameters === sent ? undefined : parameters;
        const shown = known && request.headers[costHeader] ? withCost(known, context) : known;
        const answer = shown ? `${shown}\n` : await lifetime.within(askApollo(apollo, request, reply, changed, context));
        const body = spooled?.bodyOf(answer);
        const isTooLarge = body ? body.bytes > config.MAX_ANSWER_BYTES : isLarger(answer, config.MAX_ANSWER_BYTES);
        const text = isTooLarge ? JSON.stringify({ errors: [answerTooLarge(config.MAX_ANSWER_BYTES)] }) : answer;
        if (known) reply.type(plain.mediaType);
        if (body && !isTooLarge) return reply.header("content-length", body.bytes).send(body);
        return request.method === "POST" || reply.statusCode !== 200 ? reply.send(text) : sendTagged(request, reply, text);
      },
    });
  });
}

/** The parameters with their document, as far as they can be read. */
function readParameters(request: FastifyRequest, documents: PersistedDocuments): RequestParameters {
  const parameters = parametersOf(request) ?? {};
  try {
    return withDocument(parameters, documents, request.actor!.tenantId);
  } catch {
    return parameters;
  }
}

const isForBrowser = ({ method, headers, query }: FastifyRequest): boolean => {
  const { query: document, extensions } = query as Record<string, unknown>;
  return method !== "POST" && Boolean(headers.accept?.includes("text/html")) && !document && !extensions;
};
