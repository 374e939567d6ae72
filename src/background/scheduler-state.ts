/** Scheduler warnings for /ready and `doctor`. They come from the database, because any process may run the scheduler. */

import type { Queryable } from "../database/database.js";
import { insertSelect } from "../database/rows/catalogue.js";
import { behindMinutes, schedulerStatusOfAll } from "../domain/maintenance/procedures/work-without-order.js";
import type { Log } from "../log.js";

const noteRun = `${insertSelect("SchedulerLease", { holder: "''", leasedUntil: "null", servedAt: "clock_timestamp()" }, "(values (1)) one")}
  on conflict ("tenantId") do update set "servedAt" = excluded."servedAt"`;

/** Records a completed run in the row without a tenant, since a run may serve no tenant. */
export const noteSchedulerRun = (db: Queryable): Promise<unknown> => db.query(noteRun, [""]);

export interface SchedulerWarning {
  code: "SCHEDULER_OFF" | "SCHEDULER_BEHIND";
  message: string;
}

export const schedulerOff: SchedulerWarning = {
  code: "SCHEDULER_OFF",
  message: "No process makes the work orders of due procedures: SCHEDULER is false",
};

/** `isOn`: whether this process runs the scheduler. If so, "off" is not reported before its first run. */
export async function schedulerWarnings(db: Queryable, isOn: boolean): Promise<SchedulerWarning[]> {
  const [ran] = await db.query<{ ran: boolean }>(
    `select exists (select 1 from "SchedulerLease" where "servedAt" > now() - interval '${behindMinutes} minutes') as ran`,
  );
  const { dueSince } = await schedulerStatusOfAll(db);
  const warnings: SchedulerWarning[] = [];
  if (!isOn && !ran!.ran) warnings.push(schedulerOff);
  if (dueSince)
    warnings.push({ code: "SCHEDULER_BEHIND", message: `Work that is due since ${dueSince.toISOString()} has no work order yet` });
  return warnings;
}

/** Returns a job run that logs each warning when it appears and when it disappears. */
export function watchScheduler(db: Queryable, isOn: boolean, log: Log): () => Promise<void> {
  let known = new Set<SchedulerWarning["code"]>();
  return async () => {
    const warnings = await schedulerWarnings(db, isOn);
    for (const { code, message } of warnings) if (!known.has(code)) log(`scheduler ${codeWords[code]}: ${message}`, "warn");
    for (const code of known) if (!warnings.some((warning) => warning.code === code)) log(`scheduler no longer ${codeWords[code]}`);
    known = new Set(warnings.map(({ code }) => code));
  };
}

const codeWords = { SCHEDULER_OFF: "off", SCHEDULER_BEHIND: "behind" } as const;
