/** Apollo Server parses and validates GraphQL over HTTP. The pipeline checks and executes the operations. */
import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import type { GraphQLFormattedError, GraphQLSchema } from "graphql";
import type { Config } from "../config.js";
import { type LogFailure, rootCause } from "../execution/errors.js";
import { nestedTooDeeply } from "../execution/limits.js";
import type { Pipeline } from "../execution/pipeline.js";
import type { Context } from "../resolvers/context.js";

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
    persistedQueries: false,
    formatError: formatterOf(config, logFailure),
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), admission(pipeline), httpStatus],
    logger: { debug() {}, info() {}, warn() {}, error: (message) => logFailure(message, "-") },
  });
  await server.start();
  return server;
}

/** Apollo passes executors the request in an older form, with the context as `context`. */
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
    didResolveOperation: async ({ source, document, request: { operationName, variables = {} }, contextValue: { requestId } }) =>
      pipeline.check({ query: source, document, operationName, variables }, requestId),
  }),
});

/**
 * Sets the status code that GraphQL over HTTP specifies: a well-formed request gets 200 despite its errors, unless the client
 * accepts application/graphql-response+json. An unavailable database is always 503.
 */
const httpStatus: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, source, contextValue, response: { body, http } }) => {
      if (contextValue.replayed) http.headers.set("idempotent-replayed", "true");
      if (body.kind !== "single" || !body.singleResult.errors?.length) return;
      const codes = new Set(body.singleResult.errors.map(({ extensions }) => extensions?.code));
      if (codes.has("SERVICE_UNAVAILABLE")) {
        http.status = 503;
        http.headers.set("retry-after", "2");
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
