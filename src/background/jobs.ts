import type { Config } from "../config.js";
import { inBackground } from "../database/background.js";
import { nowDate } from "../database/clock.js";
import { gatherStatistics } from "../database/connection/statistics.js";
import { writeAs } from "../database/records/author.js";
import { deleteFullAccounts } from "../database/records/budgets.js";
import type { Tracing } from "../database/watch/span.js";
import { systemActor } from "../domain/access/keys.js";
import { removeEndedSessions } from "../domain/access/sessions.js";
import { cleanDeliveries } from "../domain/alerts/deliveries.js";
import { cleanMails } from "../domain/alerts/outbox.js";
import { maintainPartitions } from "../domain/changes/partitions.js";
import { expireHolds } from "../domain/inventory/stock/reservations.js";
import { makeReadingMonths } from "../domain/maintenance/meters/reading-months.js";
import { deleteTenants } from "../domain/tenants/deletion.js";
import { purge, retentionOf } from "../domain/tenants/purge.js";
import { deleteExpiredKeys } from "../execution/operation/idempotency.js";
import type { Selections } from "../execution/operation/selections.js";
import type { Log } from "../log.js";
import type { Services } from "../resolvers/context.js";
import { MailSender } from "./mail-sender.js";
import { createDueWorkOrders } from "./scheduler.js";
import { noteSchedulerRun, watchScheduler } from "./scheduler-state.js";
import { sweepUploads } from "./upload-sweeper.js";
import { WebhookEvents } from "./webhook-events.js";
import { WebhookSender } from "./webhook-sender.js";

export type LogJobFailure = (error: unknown, job: string) => void;

/** Called at the end of each run. */
export type NoteJobRun = (job: string, seconds: number) => void;

/** Observers of job runs. */
export interface JobWatchers {
  noteRun?: NoteJobRun | undefined;
  tracing?: Tracing | undefined;
}

export interface Job {
  name: string;
  /** Milliseconds between the end of a run and the start of the next. */
  intervalMs: number;
  /** Milliseconds before the first run; by default `intervalMs`. */
  firstMs?: number;
  enabled: boolean;
  /** Whether the job writes no records, so that change-feed subscribers need no notification. */
  isUnlogged?: boolean;
  run(): Promise<unknown>;
  /** Ends the current run early; resolves when its work in flight is done. */
  stop?(): Promise<void>;
}

const watchMs = 60_000;
const cleanupMs = 600_000;
const partitionsMs = 3_600_000;
/** Short, so that frequently restarted processes also run these jobs. */
const firstPartitionsMs = 60_000;
const deletionMs = 5_000;
const reservationsMs = 15_000;
const retentionMs = 3_600_000;

/** Returns all jobs. Several processes can run them concurrently: row locks give each row to one process. */
export function jobsOf(
  { database, storage }: Services,
  selections: Selections,
  config: Config,
  { logFailure, log, tracing }: { logFailure: LogJobFailure; log: Log; tracing?: Tracing | undefined },
): Job[] {
  const sender = new WebhookSender(
    database,
    {
      allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
      timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      tracing,
      readRecord: ({ tenantId, recordId, selection, sites }) =>
        selections.read({ ...systemActor(tenantId, "webhook"), role: "viewer", sites, readAll: !sites.length }, recordId, selection!),
    },
    (error) => logFailure(error, "webhooks"),
  );
  const events = new WebhookEvents(
    database,
    () => sender.sendDue().catch((error) => logFailure(error, "webhooks")),
    (error) => logFailure(error, "webhook events"),
  );
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl } = config;
  const mails = url && from ? new MailSender(database, { url, from, publicUrl }) : undefined;
  return [
    {
      name: "scheduler",
      intervalMs: config.SCHEDULER_SECONDS * 1000,
      enabled: config.SCHEDULER,
      run: async () => {
        await createDueWorkOrders(database, nowDate(), (error) => logFailure(error, "scheduler"), nowDate);
        await noteSchedulerRun(database);
      },
    },
    {
      name: "scheduler warnings",
      intervalMs: watchMs,
      enabled: true,
      isUnlogged: true,
      run: watchScheduler(database, config.SCHEDULER, log),
    },
    {
      name: "webhook events",
      intervalMs: config.WEBHOOK_POLL_MS,
      enabled: true,
      isUnlogged: true,
      run: () => events.run(),
      stop: () => events.stop(),
    },
    {
      name: "webhooks",
      intervalMs: config.WEBHOOK_POLL_MS,
      enabled: true,
      isUnlogged: true,
      run: () => sender.sendDue(),
      stop: () => sender.stop(),
    },
    {
      name: "mails",
      intervalMs: config.WEBHOOK_POLL_MS,
      enabled: mails !== undefined,
      isUnlogged: true,
      run: async () => mails?.run(),
      stop: async () => mails?.stop(),
    },
    {
      name: "reservations",
      intervalMs: reservationsMs,
      enabled: true,
      run: () => expireHolds(database, (error) => logFailure(error, "reservations")),
    },
    { name: "old uploads", intervalMs: cleanupMs, enabled: true, run: () => sweepUploads(database, storage) },
    { name: "old idempotency keys", intervalMs: cleanupMs, enabled: true, run: () => deleteExpiredKeys(database) },
    { name: "ended sessions", intervalMs: cleanupMs, enabled: true, run: () => removeEndedSessions(database) },
    { name: "full budgets", intervalMs: cleanupMs, enabled: true, run: () => deleteFullAccounts(database) },
    {
      name: "partitions of the log of changes",
      intervalMs: partitionsMs,
      firstMs: firstPartitionsMs,
      enabled: true,
      run: () => maintainPartitions(database, config.RETENTION_CHANGES_DAYS),
    },
    {
      name: "months of readings",
      intervalMs: partitionsMs,
      firstMs: firstPartitionsMs,
      enabled: true,
      isUnlogged: true,
      run: () => makeReadingMonths(database),
    },
    {
      name: "statistics",
      intervalMs: partitionsMs,
      firstMs: firstPartitionsMs,
      enabled: database.kind === "embedded",
      isUnlogged: true,
      run: () => gatherStatistics(database),
    },
    stoppable({ name: "deletion of tenants", intervalMs: deletionMs }, (isStopped) => deleteTenants(database, storage, { isStopped })),
    stoppable({ name: "retention", intervalMs: retentionMs }, (isStopped) => purge(database, storage, retentionOf(config), { isStopped })),
    {
      name: "old deliveries",
      intervalMs: cleanupMs,
      enabled: true,
      run: () => cleanDeliveries(database, config.RETENTION_DELIVERIES_DAYS),
    },
    {
      name: "old mails",
      intervalMs: cleanupMs,
      enabled: true,
      isUnlogged: true,
      run: () => cleanMails(database, config.RETENTION_DELIVERIES_DAYS),
    },
  ];
}

/** A job of many batches that writes no log. Stopping it leaves the rest to the next run, in any process. */
function stoppable(job: Pick<Job, "name" | "intervalMs">, run: (isStopped: () => boolean) => Promise<unknown>): Job {
  let isStopped = false;
  return {
    ...job,
    enabled: true,
    isUnlogged: true,
    run: () => run(() => isStopped),
    async stop() {
      isStopped = true;
    },
  };
}

/** Starts the enabled jobs. The returned function stops them and waits for the current runs. */
export function startJobs(jobs: Job[], logFailure: LogJobFailure, watchers: JobWatchers = {}): () => Promise<void> {
  const stops = jobs.filter(({ enabled }) => enabled).map((job) => start(job, logFailure, watchers));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Runs a job repeatedly. A failed run is logged under the job's name and does not stop the job. */
function start(job: Job, logFailure: LogJobFailure, { noteRun, tracing }: JobWatchers): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let current: Promise<void> = Promise.resolve();
  const run = async () => {
    const author = { by: job.name, source: "job", operation: job.name } as const;
    const startedAt = performance.now();
    const work = () => (job.isUnlogged ? job.run() : writeAs(author, () => job.run()));
    // The webhook jobs poll every second. Their traces contain the deliveries instead (webhook-sender.ts).
    const span = job.isUnlogged ? undefined : tracing?.begin("internal", `job ${job.name}`, { "gateway.job": job.name });
    await inBackground(work, span).then(
      () => span?.end(),
      (error) => {
        span?.end({}, "INTERNAL_SERVER_ERROR");
        logFailure(error, job.name);
      },
    );
    noteRun?.(job.name, (performance.now() - startedAt) / 1000);
    if (!stopped) schedule();
  };
  const schedule = (ms = job.intervalMs) => {
    timer = setTimeout(() => (current = run()), ms).unref();
  };
  schedule(job.firstMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await Promise.all([job.stop?.(), current]);
  };
}
