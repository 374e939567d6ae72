import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";

/** /health: the process responds. /ready: the database responds too, and takes writes. */
export function registerHealth(app: FastifyInstance, database: Database): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    try {
      const [found] = await database.query<{ isReadOnly: boolean }>(
        `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
      );
      if (!found!.isReadOnly) return { status: "ready", database: database.kind };
      return reply.code(503).header("retry-after", "2").send({ status: "unavailable", error: "The database takes no writes" });
    } catch {
      return reply.code(503).header("retry-after", "2").send({ status: "unavailable", error: "The database cannot be reached" });
    }
  });
}
