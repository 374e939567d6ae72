/** Composition only: configuration → database → service → listening, and the way back. */
import type { FastifyInstance } from "fastify";
import type { Config } from "./config.js";
import type { Database } from "./database/database.js";
import { openDatabase } from "./database/open.js";
import { buildGateway } from "./server/http.js";

export interface Running {
  app: FastifyInstance;
  url: string;
  close(): Promise<void>;
}

/** `prepare` runs on the open database before the service listens, and may answer a key for the explorer. */
export async function serve(
  config: Config,
  say: (line: string) => void,
  prepare?: (database: Database) => Promise<string | undefined>,
): Promise<Running> {
  const database = await openDatabase(config, say);
  let app: FastifyInstance | undefined;
  const close = async () => {
    await app?.close();
    await database.close();
  };
  try {
    app = await buildGateway({ config, database, demoKey: await prepare?.(database) });
    await app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as { port: number };
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST;
  return { app, url: `http://${host}:${port}`, close };
}
