/** Apollo Server on fastify: parsing, validation, limits and the protocol; execution is the compiled executor's. */
import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import type { DocumentNode, GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import type { Context } from "../resolvers/context.js";
import { badInput } from "../schema/errors.js";
import { compileOperation, type LogFailure, type Run } from "./executor.js";
import { presentable, rootCause } from "./failure.js";
import { enforce, limitsOf } from "./limits.js";
import { unstorable, unstorableLiteral } from "./unstorable.js";

function executorOf(schema: GraphQLSchema, logFailure: LogFailure) {
  const compiled = new LRUCache<string, Run>({ max: 500 });
  return (key: string, document: DocumentNode, operationName: string | undefined): Run => {
    const name = `${key}:${operationName ?? ""}`;
    let run = compiled.get(name);
    if (!run) compiled.set(name, (run = compileOperation(schema, document, operationName, logFailure)));
    return run;
  };
}

/** Refuses before execution what is over a limit, or holds what PostgreSQL cannot keep. */
const guard = (config: Config, logFailure: LogFailure): ApolloServerPlugin<Context> => {
  const limits = limitsOf(config);
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ schema, document, operation, request, contextValue: { requestId } }) => {
        try {
          const problem = unstorable(request.variables ?? {}) ?? unstorableLiteral(document);
          if (problem) throw badInput({ [problem.path || "variables"]: problem.message });
          // Without an operation of the name asked for there is nothing to run, and execution says so.
          if (operation) enforce(limits, schema, document, operation, request.variables ?? {});
        } catch (error) {
          throw presentable(error, requestId, (cause) => logFailure(cause, requestId));
        }
      },
    }),
  };
};

/**
 * The status that GraphQL over HTTP wants: a well-formed request is answered 200 to clients that did not ask for
 * application/graphql-response+json, whatever its errors; a lost database is 503 to all.
 */
const status: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, source, response: { body, http } }) => {
      if (body.kind !== "single" || !body.singleResult.errors?.length) return;
      const codes = new Set(body.singleResult.errors.map(({ extensions }) => extensions?.code));
      if (codes.has("SERVICE_UNAVAILABLE")) {
        http.status = 503;
        http.headers.set("retry-after", "2");
        return;
      }
      // Apollo answers 500 for what its plugins refuse.
      if (http.status === 500 && !codes.has("INTERNAL_SERVER_ERROR")) http.status = 400;
      const asksForStatus = request.http?.headers.get("accept")?.includes("application/graphql-response+json");
      if (http.status === 400 && source !== undefined && !asksForStatus) http.status = 200;
    },
  }),
};

export async function startApollo(schema: GraphQLSchema, config: Config, logFailure: LogFailure): Promise<ApolloServer<Context>> {
  const runOf = executorOf(schema, logFailure);
  const server = new ApolloServer<Context>({
    gateway: {
      load: async () => ({
        executor: async ({ queryHash, document, request, context }) => {
          const { requestId } = context as unknown as Context;
          try {
            const run = runOf(queryHash, document, request.operationName);
            return (await run(request.variables ?? {}, context as unknown as Context)) as never;
          } catch (error) {
            throw presentable(error, requestId, (cause) => logFailure(cause, requestId));
          }
        },
      }),
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
    // A form of another site cannot set the Authorization header, and no other credential is taken.
    csrfPrevention: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    formatError: (formatted, error) => {
      const code = formatted.extensions?.code;
      // The parser recurses, and Apollo answers what it throws.
      if (rootCause(error) instanceof RangeError) {
        const message = `The query is nested too deeply; the limit is ${config.MAX_QUERY_DEPTH} (depth)`;
        return { message, extensions: { code: "BAD_USER_INPUT" } };
      }
      if (code !== "INTERNAL_SERVER_ERROR" || formatted.message.startsWith("Internal server error")) return formatted;
      logFailure(unwrapResolverError(error), "-");
      return { message: "Internal server error", extensions: { code } };
    },
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), guard(config, logFailure), status],
    logger: { debug() {}, info() {}, warn() {}, error: (message) => logFailure(message, "-") },
  });
  await server.start();
  return server;
}
