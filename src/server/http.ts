/** Builds the HTTP service: REST paths at /, GraphQL at /graphql, files, health, the explorer, and the background jobs. */
import type { FastifyInstance } from "fastify";
import { jobsOf, type LogJobFailure, startJobs } from "../background/jobs.js";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import type { LogFailure } from "../execution/errors.js";
import { PersistedDocuments } from "../execution/persisted.js";
import { Pipeline } from "../execution/pipeline.js";
import { buildGatewaySchema } from "../resolvers/schema.js";
import { compileRoutes } from "../rest-compat/compiled-routes.js";
import { openApi } from "../rest-compat/openapi.js";
import { mountRoutes } from "../rest-compat/router.js";
import { startApollo } from "./apollo.js";
import { createApp } from "./app.js";
import { compressTexts } from "./compression.js";
import { parseJsonBodies } from "./content-types.js";
import { allowOrigins } from "./cors.js";
import { mountDescriptions } from "./descriptions.js";
import { errorSender, handleErrors } from "./error-responses.js";
import { registerExplorer } from "./explorer.js";
import { registerFiles } from "./files.js";
import { mountGraphql } from "./graphql.js";
import { registerHealth } from "./health.js";
import { addRequestHooks, baseUrlFrom, requireKey } from "./requests.js";
import { openServices } from "./services.js";
import { readTrustedDocuments } from "./trusted-documents.js";
import { serveWebSocket } from "./websocket.js";

export interface GatewayOptions {
  config: Config;
  database: Database;
  /** API key that the explorer prefills. Only for demo data. */
  demoKey?: string;
}

/** Builds the service on an open, migrated database. The caller calls `listen` and `close`. */
export async function buildGateway({ config, database, demoKey }: GatewayOptions): Promise<FastifyInstance> {
  const logFailure: LogFailure = (cause, requestId) => app.log.error({ requestId, err: cause }, "request failed");
  const logJobFailure: LogJobFailure = (cause, job) => app.log.error({ job, err: cause }, "background job failed");
  const sendError = errorSender(config, logFailure);
  const app = createApp(config, sendError);
  const services = await openServices(config, database, app.log);
  const schema = buildGatewaySchema();
  const pipeline = new Pipeline(schema, config, logFailure);
  const documents = new PersistedDocuments(readTrustedDocuments(config, pipeline));
  const apollo = await startApollo(schema, config, pipeline, logFailure);
  const rest = compileRoutes(schema, config.QUERY_PLANS !== "off");
  const baseUrlOf = baseUrlFrom(config);

  parseJsonBodies(app);
  addRequestHooks(app);
  await allowOrigins(app, config);
  if (config.COMPRESSION === "on") compressTexts(app);
  handleErrors(app, sendError);

  mountGraphql(app, apollo, { config, pipeline, documents, services, baseUrlOf });
  serveWebSocket(app, { pipeline, documents, schema, config, services });
  mountRoutes(app, rest.compiled, { services, authenticate: requireKey(services, ["json"]), baseUrlOf, logFailure });
  mountDescriptions(app, schema, openApi(rest.schema, rest.compiled));
  registerFiles(app, services);
  registerHealth(app, database);
  await registerExplorer(app, { demoKey, trustedOnly: config.TRUSTED_DOCUMENTS_ONLY });

  const stopJobs = startJobs(jobsOf(services, config, logJobFailure), logJobFailure);
  app.addHook("onClose", async () => {
    await stopJobs();
    await apollo.stop();
  });
  return app;
}
