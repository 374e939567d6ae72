/** Composition root: opens the database, builds the service and listens; closes them in reverse order. */
import type { FastifyInstance } from "fastify";
import type { Config } from "./config.js";
import { openDatabase } from "./database/connection/open.js";
import type { Database } from "./database/database.js";
import type { Log } from "./log.js";
import { apiOf } from "./server/api.js";
import { drain } from "./server/drain.js";
import { buildGateway } from "./server/http.js";
import { collectWhenIdle } from "./server/idle-collection.js";
import type { WorkerLink } from "./server/workers/worker-link.js";

export interface Running {
  app: FastifyInstance;
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the service. `prepare` runs on the open database before the service listens, and may return a key for the explorer. `worker` is
 * given in a worker. Throws if the database cannot be opened or the port is not available.
 */
export async function serve(
  config: Config,
  log: Log,
  prepare?: (database: Database) => Promise<string | undefined>,
  worker?: WorkerLink,
): Promise<Running> {
  const database = await openDatabase(config, log);
  let app: FastifyInstance | undefined;
  const stopCollecting = collectWhenIdle();
  const close = async () => {
    stopCollecting();
    if (app) await drain(app.server, worker && (() => worker.allStopped()));
    await app?.close();
    await database.close();
  };
  try {
    app = await buildGateway({ config, database, log, demoKey: await prepare?.(database), worker });
    await listen(app, config);
    // An invalid route ends the process.
    void apiOf(config).compileRoutes();
  } catch (error) {
    await close();
    throw error;
  }
  if (!database.secrets.isEncrypting && worker?.isFirst !== false)
    log("secrets of webhooks and signatures are stored as plain text; set SECRETS_KEY or SECRETS_KEY_FILE", "warn");
  const { port } = app.server.address() as { port: number };
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST;
  return { app, url: `http://${host}:${port}`, close };
}

async function listen(app: FastifyInstance, { HOST, PORT }: Config): Promise<void> {
  try {
    await app.listen({ host: HOST, port: PORT });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The error has a complete message, for example about the metrics port.
    if (code === undefined) throw error;
    if (code === "EADDRINUSE") throw new Error(`port ${PORT} of ${HOST} is in use; stop the other program or set PORT`);
    throw new Error(`cannot listen at ${HOST}:${PORT} (${code}); check HOST and PORT`);
  }
}
