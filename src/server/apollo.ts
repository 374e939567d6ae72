/** Apollo Server parses and validates GraphQL over HTTP. The pipeline checks and executes the operations. */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import type { FastifyReply, FastifyRequest } from "fastify";
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from "graphql";
import type { Config } from "../config.js";
import { nestedTooDeeply } from "../execution/admission/limits.js";
import { type LogFailure, refusalOf, rootCause } from "../execution/errors.js";
import { withLiteralErrors } from "../execution/field-errors.js";
import type { Pipeline } from "../execution/operation/pipeline.js";
import type { Context } from "../resolvers/context.js";
import { costHeader, isCostShown } from "./cost-report.js";
import type { RequestParameters } from "./graphql-request.js";

export async function startApollo(
  schema: GraphQLSchema,
  config: Config,
  pipeline: Pipeline,
  logFailure: LogFailure,
): Promise<ApolloServer<Context>> {
  const server = new ApolloServer<Context>({
    // Gateway mode: Apollo calls this executor for each admitted operation.
    gateway: {
      load: async () => ({ executor: executorOf(pipeline) as never }),
      onSchemaLoadOrUpdate: (announce) => {
        announce({ apiSchema: schema, coreSupergraphSdl: "" });
        return () => {};
      },
      stop: async () => {},
    },
    parseOptions: { maxTokens: config.MAX_QUERY_TOKENS },
    introspection: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    // Not needed: a form on another site cannot set the Authorization header, which is the only credential.
    csrfPrevention: false,
    stopOnTerminationSignals: false,
    // Handled before Apollo, for the fast path and live connections as well (execution/operation/persisted.ts).
    persistedQueries: false,
    formatError: formatterOf(config, logFailure),
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), admission(pipeline), httpStatus],
    logger: { debug() {}, info() {}, warn() {}, error: (message) => logFailure(message, "-") },
  });
  await server.start();
  return server;
}

/**
 * Lets Apollo process a request. Sets the reply's status and headers, and returns its body. Without parameters, Apollo reads the request
 * itself and reports its errors.
 */
export async function askApollo(
  apollo: ApolloServer<Context>,
  { method, headers, body, url }: FastifyRequest,
  reply: FastifyReply,
  parameters: RequestParameters | undefined,
  context: Context,
): Promise<string> {
  const isGet = method !== "POST";
  const answer = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: isGet ? "GET" : "POST",
      headers: new HeaderMap(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      search: parameters && isGet ? searchOf(parameters) : new URL(url, "http://localhost").search,
      body: parameters ?? body,
    },
    context: async () => context,
  });
  reply.code(answer.status ?? 200).headers(Object.fromEntries(answer.headers));
  if (answer.body.kind !== "complete") throw new Error("an answer in parts, which no directive of the schema asks for");
  return answer.body.string;
}

const searchOf = (parameters: RequestParameters): string =>
  String(
    new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
  );

/** Apollo passes requests to executors in an older format, with the context as `context`. */
interface ExecutorRequest {
  document: Parameters<Pipeline["execute"]>[0]["document"];
  request: {
    query: string;
    operationName?: string;
    variables?: Record<string, unknown>;
    extensions?: Record<string, unknown>;
    http?: { headers: { get(name: string): string | undefined } };
  };
  context: Context;
}

const executorOf =
  (pipeline: Pipeline) =>
  ({ document, request: { query, operationName, variables = {}, extensions, http }, context }: ExecutorRequest) => {
    const idempotencyKey = http?.headers.get("idempotency-key") ?? extensions?.idempotencyKey;
    return pipeline.execute({ query, document, operationName, variables, idempotencyKey }, context);
  };

const admission = (pipeline: Pipeline): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    validationDidStart:
      async ({ document }) =>
      async (errors) =>
        void errors?.forEach((error) => withLiteralErrors(document, error as GraphQLError)),
    didResolveOperation: async ({ source, document, operation, request: { operationName, variables = {} }, contextValue }) => {
      if (operation?.operation === "subscription") throw overStream();
      pipeline.check({ query: source, document, operationName, variables }, contextValue.caller.requestId, contextValue);
    },
  }),
});

const overStream = () =>
  new GraphQLError(
    "Subscriptions come over WebSocket: connect to /graphql with the subprotocol graphql-transport-ws; or as server-sent events: POST to /graphql/stream",
    { extensions: { code: "BAD_REQUEST" } },
  );

/**
 * Sets the status code that GraphQL over HTTP specifies: a well-formed request gets 200 despite its errors, unless the client accepts
 * application/graphql-response+json. Temporary errors are always 429 or 503.
 */
const httpStatus: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, source, operation, contextValue, response: { body, http } }) => {
      if (contextValue.outcome.replayed) http.headers.set("idempotent-replayed", "true");
      if (body.kind === "single" && isCostShown(request.http?.headers.get(costHeader), contextValue, body.singleResult.errors))
        body.singleResult.extensions = { ...body.singleResult.extensions, cost: contextValue.outcome.costReport };
      if (body.kind !== "single" || !body.singleResult.errors?.length) return;
      // For GET, Apollo would suggest sending the subscription by POST.
      if (operation?.operation === "subscription" && http.status === 405) {
        body.singleResult.errors = [overStream().toJSON()];
        http.status = 400;
        http.headers.delete("allow");
      }
      contextValue.outcome.errorCode = body.singleResult.errors[0]!.extensions?.code as string | undefined;
      const codes = new Set(body.singleResult.errors.map(({ extensions }) => extensions?.code));
      const refused = refusalOf(body.singleResult.errors);
      if (refused) {
        http.status = refused.status;
        http.headers.set("retry-after", String(refused.retryAfter));
        return;
      }
      // Apollo sets 500 for errors that plugins throw.
      if (http.status === 500 && !codes.has("INTERNAL_SERVER_ERROR")) http.status = 400;
      const asksForStatus = request.http?.headers.get("accept")?.includes("application/graphql-response+json");
      if (http.status === 400 && source !== undefined && !asksForStatus) http.status = 200;
    },
  }),
};

/** Formats errors that Apollo itself threw: a stack overflow in the parser, and unexpected errors. */
const formatterOf =
  (config: Config, logFailure: LogFailure) =>
  (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const code = formatted.extensions?.code;
    if (rootCause(error) instanceof RangeError) return nestedTooDeeply(config.MAX_QUERY_DEPTH).toJSON();
    if (code !== "INTERNAL_SERVER_ERROR" || formatted.message.startsWith("Internal server error")) return formatted;
    logFailure(unwrapResolverError(error), "-");
    return { message: "Internal server error", extensions: { code } };
  };
