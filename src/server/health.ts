import type { FastifyInstance } from "fastify";
import { type SchedulerWarning, schedulerWarnings } from "../background/scheduler-state.js";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { unreadiness } from "../database/watch/readiness.js";
import { isStopping } from "./drain.js";

const stopping = { code: "STOPPING", message: "The service is ending" };

/** A probe does not wait for them longer. */
const warningsMs = 1_000;

/** None where the database gives no answer in time. */
async function warningsOf(database: Database, isSchedulerOn: boolean): Promise<SchedulerWarning[]> {
  let timer: NodeJS.Timeout;
  const late = new Promise<SchedulerWarning[]>((resolve) => {
    timer = setTimeout(resolve, warningsMs, []);
  });
  const asked = schedulerWarnings(database, isSchedulerOn).catch(() => []);
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** /health: the process responds. /ready: requests are answered, or why not, and what does not keep them from being answered but needs a person. */
export function registerHealth(app: FastifyInstance, database: Database, { SCHEDULER }: Pick<Config, "SCHEDULER">): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    const reasons = [...(isStopping(app.server) ? [stopping] : []), ...(await unreadiness(database))];
    const [first] = reasons;
    if (!first) {
      const warnings = await warningsOf(database, SCHEDULER);
      return { status: "ready", database: database.kind, ...(warnings.length && { warnings }) };
    }
    reply.code(503).header("retry-after", "2");
    return { status: "unavailable", error: first.message, database: database.kind, reasons };
  });
}
