/** Apollo Server on fastify: parsing, validation, limits and the protocol; execution is the compiled executor's. */
import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { type DocumentNode, GraphQLError, type GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import type { Context } from "../resolvers/context.js";
import { compileOperation, type LogFailure, type Run } from "./executor.js";
import { enforce, limitsOf } from "./limits.js";
import { unstorableLiteral } from "./unstorable.js";

function executorOf(schema: GraphQLSchema, logFailure: LogFailure) {
  const compiled = new LRUCache<string, Run>({ max: 500 });
  return (key: string, document: DocumentNode, operationName: string | undefined): Run => {
    const name = `${key}:${operationName ?? ""}`;
    let run = compiled.get(name);
    if (!run) compiled.set(name, (run = compileOperation(schema, document, operationName, logFailure)));
    return run;
  };
}

/** Refuses before execution what is over a limit, or holds text that PostgreSQL cannot. */
const guard = (config: Config): ApolloServerPlugin<Context> => {
  const limits = limitsOf(config);
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ schema, document, operation, request }) => {
        enforce(limits, schema, document, operation!, request.variables ?? {});
        const problem = unstorableLiteral(document);
        if (problem) throw new GraphQLError(problem, { extensions: { code: "BAD_USER_INPUT" } });
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
    willSendResponse: async ({ request, response: { body, http } }) => {
      if (body.kind !== "single" || !body.singleResult.errors?.length) return;
      if (body.singleResult.errors.some(({ extensions }) => extensions?.code === "SERVICE_UNAVAILABLE")) {
        http.status = 503;
        http.headers.set("retry-after", "2");
        return;
      }
      const asksForStatus = request.http?.headers.get("accept")?.includes("application/graphql-response+json");
      if (!asksForStatus && !("data" in body.singleResult)) http.status = 200;
    },
  }),
};

export async function startApollo(schema: GraphQLSchema, config: Config, logFailure: LogFailure): Promise<ApolloServer<Context>> {
  const runOf = executorOf(schema, logFailure);
  const server = new ApolloServer<Context>({
    gateway: {
      load: async () => ({
        executor: ({ queryHash, document, operationName, request, context }) =>
          runOf(queryHash, document, operationName ?? undefined)(request.variables ?? {}, context as unknown as Context) as never,
      }),
      onSchemaLoadOrUpdate: (announce) => {
        announce({ apiSchema: schema, coreSupergraphSdl: "" });
        return () => {};
      },
      stop: async () => {},
    },
    parseOptions: { maxTokens: config.MAX_QUERY_TOKENS },
    maxRecursiveSelections: 20_000,
    introspection: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    // A form of another site cannot set the Authorization header, and no other credential is taken.
    csrfPrevention: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    formatError: (formatted, error) => {
      const original = unwrapResolverError(error);
      const code = formatted.extensions?.code;
      if (code === "INTERNAL_SERVER_ERROR" && original instanceof Error && !(error instanceof GraphQLError)) {
        logFailure(original, "-");
        return { message: "Internal server error", extensions: { code } };
      }
      return formatted;
    },
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), guard(config), status],
    logger: { debug() {}, info() {}, warn() {}, error: (message) => logFailure(message, "-") },
  });
  await server.start();
  return server;
}
