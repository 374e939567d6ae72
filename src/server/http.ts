/** Builds the HTTP service: REST paths at /, GraphQL at /graphql, files, health, the explorer, and the background jobs. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jobsOf, type LogJobFailure, startJobs } from "../background/jobs.js";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { Admission, answersWithinHeap } from "../execution/admission/admission.js";
import { isUnavailable, type LogFailure } from "../execution/errors.js";
import { PersistedDocuments } from "../execution/operation/persisted.js";
import { Pipeline } from "../execution/operation/pipeline.js";
import { Selections } from "../execution/operation/selections.js";
import { type Log, reasonOf } from "../log.js";
import type { RouteEntry } from "../rest-compat/compiled-routes.js";
import { mountRoutes } from "../rest-compat/router.js";
import { apiOf } from "./api.js";
import { startApollo } from "./apollo.js";
import { createApp } from "./app.js";
import { sendTagged } from "./caching.js";
import { registerCalendar } from "./calendar.js";
import { compressTexts } from "./compression.js";
import { parseJsonBodies } from "./content-types.js";
import { allowOrigins } from "./cors.js";
import { registerDocuments } from "./documents.js";
import { endIdleOnClose } from "./drain.js";
import { errorSender, handleErrors } from "./error-responses.js";
import { registerFiles } from "./files.js";
import { mountGraphql } from "./graphql.js";
import { DiskWatch, registerHealth } from "./health.js";
import { registerInvitations } from "./invitations.js";
import { KeyWatch } from "./key-watch.js";
import { serveEventStream } from "./live/event-stream.js";
import { LiveLimits } from "./live/live-limits.js";
import { serveWebSocket } from "./live/websocket.js";
import type { Metrics } from "./metrics/metrics.js";
import { openMetricsPort, serveMetrics } from "./metrics/metrics-endpoint.js";
import { SlowOperationLog } from "./metrics/slow-operations.js";
import { registerConsole } from "./pages/console.js";
import { mountDescriptions } from "./pages/descriptions.js";
import { registerExplorer } from "./pages/explorer.js";
import { registerReference } from "./pages/reference.js";
import { baseUrlFrom } from "./public-url.js";
import { registerReports } from "./report-page.js";
import { addRequestHooks, lifetimesFrom, requireKey } from "./requests.js";
import { openServices } from "./services.js";
import { registerSessions } from "./session-cookie.js";
import type { OpenTracing } from "./tracing.js";
import { readTrustedDocuments } from "./trusted-documents.js";
import { cutOffStalled } from "./unsent.js";
import type { WorkerLink } from "./workers/worker-link.js";

export interface GatewayOptions {
  config: Config;
  database: Database;
  /** Receives events for operators. */
  log?: Log;
  /** API key that the explorer prefills. Only for demo data. */
  demoKey?: string;
  /** Given in a worker, whose metrics the primary process sums. */
  worker?: WorkerLink;
}

/** Builds the service on an open, migrated database. The caller calls `listen` and `close`. */
export async function buildGateway({ config: given, database, log = () => {}, demoKey, worker }: GatewayOptions): Promise<FastifyInstance> {
  const config = answersWithinHeap(given);
  const disk = new DiskWatch();
  const logFailure: LogFailure = (cause, requestId) => {
    disk.note(cause);
    if (isUnavailable(cause)) app.log.warn({ requestId, reason: reasonOf(cause) }, "request refused");
    else app.log.error({ requestId, err: cause }, "request failed");
  };
  const logJobFailure: LogJobFailure = (cause, job) => {
    if (isUnavailable(cause)) app.log.warn({ job, reason: reasonOf(cause) }, "background job postponed");
    else app.log.error({ job, err: cause }, "background job failed");
    metrics?.countJobFailure(job);
  };
  const sendError = errorSender(config, logFailure);
  const app = createApp(config, sendError);
  const { schema, routes, openApi } = apiOf(config);
  const metrics = await metricsOf(config, routes);
  const tracing = await tracingOf(config, (error) => app.log.warn({ err: error }, "traces not sent"));
  const slowOperations = config.SLOW_OPERATION_MS
    ? new SlowOperationLog(config.SLOW_OPERATION_MS, database, app.log, metrics?.countSlowOperation)
    : undefined;
  const opened = await openServices(config, database, app.log, slowOperations);
  const admission = new Admission(config, database, metrics?.countPoints);
  const pipeline = new Pipeline(schema, config, admission, logFailure);
  const selections = new Selections(pipeline, opened, config.PUBLIC_URL ?? "");
  const services = { ...opened, checkSelection: selections.check };
  const documents = new PersistedDocuments(readTrustedDocuments(config, pipeline));
  const apollo = await startApollo(schema, config, pipeline, logFailure);
  const baseUrlOf = baseUrlFrom(app, config);
  const lifetimeOf = lifetimesFrom(config);

  parseJsonBodies(app);
  addRequestHooks(app, admission, { metrics, tracing });
  await allowOrigins(app, config);
  if (config.COMPRESSION === "on") compressTexts(app);
  cutOffStalled(app, config);
  endIdleOnClose(app);
  handleErrors(app, sendError);

  mountGraphql(app, apollo, { config, pipeline, admission, documents, services, baseUrlOf, lifetimeOf });
  const limits = new LiveLimits(config);
  const live = { pipeline, admission, documents, services, limits, keyWatch: new KeyWatch(services.keys), metrics, tracing };
  const sockets = serveWebSocket(app, { ...live, schema, config, baseUrlOf });
  const streams = serveEventStream(app, { ...live, baseUrlOf, lifetimeOf });
  const authenticate = requireKey(services.keys, admission, ["json"]);
  mountRoutes(app, routes, { services, admission, authenticate, baseUrlOf, lifetimeOf, logFailure, sendTagged });
  mountDescriptions(app, schema, openApi);
  registerFiles(app, services);
  registerDocuments(app, { services, admission, lifetimeOf });
  const consoleUrlOf = (request: FastifyRequest) => (config.CONSOLE === "on" ? `${baseUrlOf(request)}/console` : undefined);
  registerCalendar(app, { services, admission, lifetimeOf, consoleUrlOf });
  registerReports(app, { services, admission, lifetimeOf, logFailure });
  registerHealth(app, database, config, disk);
  await registerExplorer(app, { demoKey, trustedOnly: config.TRUSTED_DOCUMENTS_ONLY });
  registerReference(app, { demoKey });
  if (config.CONSOLE === "on") {
    registerConsole(app, config, { demoKey });
    registerSessions(app, { config, services, authenticate, baseUrlOf });
    registerInvitations(app, { services, admission, baseUrlOf });
  }

  if (metrics && worker) {
    worker.provideMetrics(() => metrics.registry.getMetricsAsJSON());
    serveMetrics(app, config, () => worker.metricsOfAll());
  } else if (metrics) {
    const read = () => metrics.registry.metrics();
    serveMetrics(app, config, read);
    let closePort: (() => Promise<void>) | undefined;
    app.addHook("onReady", async () => void (closePort = await openMetricsPort(config, read)));
    app.addHook("onClose", async () => closePort?.());
  }
  const stopWatching = metrics?.watch({ app, database, storage: services.storage, admission, limits, sockets, streams });

  const jobs = jobsOf(services, selections, config, { logFailure: logJobFailure, log, tracing });
  const stopJobs = startJobs(jobs, logJobFailure, { noteRun: metrics?.countJobRun, tracing });
  app.addHook("preClose", () => services.tail.close());
  app.addHook("onClose", async () => {
    stopWatching?.();
    await stopJobs();
    await apollo.stop();
    await services.keys.close();
    await services.accessLog.close();
    await slowOperations?.close();
    await tracing?.close();
  });
  return app;
}

/** Undefined if metrics are not configured: nothing is counted, and the library is not loaded. */
async function metricsOf({ METRICS_PORT, METRICS_TOKEN }: Config, routes: RouteEntry[]): Promise<Metrics | undefined> {
  if (METRICS_PORT === undefined && METRICS_TOKEN === undefined) return undefined;
  const { Metrics } = await import("./metrics/metrics.js");
  return new Metrics(routes.map(({ route }) => route));
}

/** Undefined if no endpoint is configured: no traces are created, and the libraries are not loaded. */
async function tracingOf(config: Config, onError: (error: unknown) => void): Promise<OpenTracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  if (endpoint === undefined) return undefined;
  const { openTracing } = await import("./tracing.js");
  return openTracing({ endpoint, serviceName, onError });
}
