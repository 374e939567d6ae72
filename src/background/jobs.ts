/** The registry of background jobs. */
import type { Config } from "../config.js";
import { deleteOldDeliveries } from "../domain/alerts/webhooks.js";
import { deleteExpiredKeys } from "../execution/idempotency.js";
import type { Services } from "../resolvers/context.js";
import { createDueWorkOrders } from "./scheduler.js";
import { sweepUploads } from "./upload-sweeper.js";
import { WebhookSender } from "./webhook-sender.js";

/** `job` is the name of the job. */
export type LogJobFailure = (error: unknown, job: string) => void;

export interface Job {
  /** Name in the log. */
  name: string;
  /** Milliseconds between the end of a run and the start of the next. */
  intervalMs: number;
  enabled: boolean;
  run(): Promise<unknown>;
  /** Ends the current run early; resolves when its work in flight is done. */
  stop?(): Promise<void>;
}

const cleanupMs = 600_000;

/** Returns all jobs. Several processes can run them concurrently: row locks give each row to one process. */
export function jobsOf({ database, storage }: Services, config: Config, logFailure: LogJobFailure): Job[] {
  const sender = new WebhookSender(
    database,
    { allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, timeoutMs: config.WEBHOOK_TIMEOUT_MS },
    (error) => logFailure(error, "webhooks"),
  );
  return [
    {
      name: "scheduler",
      intervalMs: config.SCHEDULER_SECONDS * 1000,
      enabled: config.SCHEDULER,
      run: () => createDueWorkOrders(database, new Date(), (error) => logFailure(error, "scheduler")),
    },
    {
      name: "webhooks",
      intervalMs: config.WEBHOOK_POLL_MS,
      enabled: true,
      run: () => sender.sendDue(),
      stop: () => sender.stop(),
    },
    { name: "old uploads", intervalMs: cleanupMs, enabled: true, run: () => sweepUploads(database, storage) },
    { name: "old idempotency keys", intervalMs: cleanupMs, enabled: true, run: () => deleteExpiredKeys(database) },
    { name: "old deliveries", intervalMs: cleanupMs, enabled: true, run: () => deleteOldDeliveries(database) },
  ];
}

/** Starts the enabled jobs. The returned function stops them and waits for the current runs. */
export function startJobs(jobs: Job[], logFailure: LogJobFailure): () => Promise<void> {
  const stops = jobs.filter(({ enabled }) => enabled).map((job) => start(job, logFailure));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Runs a job repeatedly. A failed run is logged under the job's name and does not stop the job. */
function start(job: Job, logFailure: LogJobFailure): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let current: Promise<void> = Promise.resolve();
  const run = async () => {
    await job.run().catch((error) => logFailure(error, job.name));
    if (!stopped) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => (current = run()), job.intervalMs).unref();
  };
  schedule();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await Promise.all([job.stop?.(), current]);
  };
}
