/** Apollo Server on fastify: parsing, validation, limits and the protocol; execution is the compiled executor's. */
import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.js";
import { checkedKey, fingerprintOf, once } from "../domain/idempotency.js";
import type { Context } from "../resolvers/context.js";
import { badInput, type Code, statusOf } from "../schema/errors.js";
import { isUpload } from "../schema/upload.js";
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
    willSendResponse: async ({ request, source, contextValue, response: { body, http } }) => {
      if (contextValue.replayed) http.headers.set("idempotent-replayed", "true");
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

/** A mutation with an idempotency key: all of it in one transaction, or the first answer again. */
async function runOnce(context: Context, key: unknown, fingerprint: string, run: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
  const answer = await once(context.db, checkedKey(key), fingerprint, async () => {
    const result = await run();
    const codes = result.errors?.map(({ extensions }) => statusOf[extensions.code as Code] ?? 400) ?? [];
    return { status: Math.max(200, ...codes), body: JSON.stringify(result) };
  });
  context.replayed = answer.replayed;
  const { data, errors } = JSON.parse(answer.body) as { data?: Record<string, unknown>; errors?: GraphQLFormattedError[] };
  return {
    data,
    ...(errors && { errors: errors.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions })) }),
  };
}

export async function startApollo(schema: GraphQLSchema, config: Config, logFailure: LogFailure): Promise<ApolloServer<Context>> {
  const runOf = executorOf(schema, logFailure);
  const server = new ApolloServer<Context>({
    gateway: {
      load: async () => ({
        executor: async ({ queryHash, document, operation, request, context: given }) => {
          const context = given as unknown as Context;
          const variables = request.variables ?? {};
          try {
            const run = runOf(queryHash, document, request.operationName);
            const key = request.http?.headers.get("idempotency-key") ?? request.extensions?.idempotencyKey;
            if (key === undefined || operation?.operation !== "mutation") return (await run(variables, context)) as never;
            if (/\b(createApiKey|rotateApiKey)\b/.test(request.query ?? "")) {
              throw badInput({ idempotencyKey: "cannot be used where API keys are issued: answers are kept, keys are not" });
            }
            // What is in the file is not known before it is used, so that another file could get the answer of the first.
            if (Object.values(variables).some(isUpload))
              throw badInput({ idempotencyKey: "cannot be used with a file; POST /assets/import takes both" });
            return (await runOnce(context, key, fingerprintOf(context.actor.keyId, request.query, request.operationName, variables), () =>
              run(variables, context),
            )) as never;
          } catch (error) {
            throw presentable(error, context.requestId, (cause) => logFailure(cause, context.requestId));
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
