import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";

/** /health: the process responds. /ready: the database responds too. */
export function registerHealth(app: FastifyInstance, database: Database): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    try {
      await database.query("select 1");
      return { status: "ready", database: database.kind };
    } catch {
      return reply.code(503).header("retry-after", "2").send({ status: "unavailable", error: "The database cannot be reached" });
    }
  });
}
