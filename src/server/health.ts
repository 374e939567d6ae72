import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";
import { unreadiness } from "../database/watch/readiness.js";
import { isStopping } from "./drain.js";

const stopping = { code: "STOPPING", message: "The service is ending" };

/** /health: the process responds. /ready: requests are answered, or why not. */
export function registerHealth(app: FastifyInstance, database: Database): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    const reasons = [...(isStopping(app.server) ? [stopping] : []), ...(await unreadiness(database))];
    const [first] = reasons;
    if (!first) return { status: "ready", database: database.kind };
    reply.code(503).header("retry-after", "2");
    return { status: "unavailable", error: first.message, database: database.kind, reasons };
  });
}
