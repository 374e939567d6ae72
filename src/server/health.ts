import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";

/** /health: the process answers. /ready: the database answers too. */
export function registerHealth(app: FastifyInstance, database: Database): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    try {
      await database.query("select 1");
      return { status: "ready", database: database.home };
    } catch {
      return reply.code(503).header("retry-after", "2").send({ status: "unavailable", error: "The database cannot be reached" });
    }
  });
}
