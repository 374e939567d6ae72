import type { FastifyInstance } from "fastify";
import { type SchedulerWarning, schedulerWarnings } from "../background/scheduler-state.js";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { unreadiness } from "../database/watch/readiness.js";
import { type DiskFault, diskFaultOf } from "../execution/errors.js";
import { unusable } from "../schema/errors.js";
import { isStopping } from "./drain.js";

const stopping = { code: "STOPPING", message: "The service is shutting down" };

/** Maximum time that a probe waits for warnings. */
const warningsMs = 1_000;

/** A disk's fault is reported for this long after the last write that encountered it. */
const faultMs = 30_000;

/** The last fault of the service's own disk. Reads and most writes do not need that disk, so a fault is a warning. */
export class DiskWatch {
  private last: { code: DiskFault; at: number } | undefined;

  /** Takes any error that a request encountered. */
  note(cause: unknown): void {
    const code = diskFaultOf(cause);
    if (code) this.last = { code, at: performance.now() };
  }

  get warnings(): { code: DiskFault; message: string }[] {
    if (!this.last || performance.now() - this.last.at > faultMs) return [];
    const { code } = this.last;
    return [{ code, message: unusable(code).message }];
  }
}

/** Empty if the database does not respond in time. */
async function schedulerWarningsOf(database: Database, isSchedulerOn: boolean): Promise<SchedulerWarning[]> {
  let timer: NodeJS.Timeout;
  const late = new Promise<SchedulerWarning[]>((resolve) => {
    timer = setTimeout(resolve, warningsMs, []);
  });
  const asked = schedulerWarnings(database, isSchedulerOn).catch(() => []);
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/**
 * /health: the process responds. /ready: whether the service can handle requests, with the reason if not, and warnings that need a person
 * but do not affect readiness.
 */
export function registerHealth(app: FastifyInstance, database: Database, { SCHEDULER }: Pick<Config, "SCHEDULER">, disk: DiskWatch): void {
  app.get("/health", async () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    const reasons = [...(isStopping(app.server) ? [stopping] : []), ...(await unreadiness(database))];
    const [first] = reasons;
    if (!first) {
      const warnings = [...(await schedulerWarningsOf(database, SCHEDULER)), ...disk.warnings];
      return { status: "ready", database: database.kind, ...(warnings.length && { warnings }) };
    }
    reply.code(503).header("retry-after", "2");
    return { status: "unavailable", error: first.message, database: database.kind, reasons };
  });
}
