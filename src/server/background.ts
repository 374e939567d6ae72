/** What the service does by itself: removes what is over, sends webhooks, and, where it is set, makes due work orders. */
import type { Config } from "../config.js";
import { forgetOldKeys } from "../domain/idempotency.js";
import { sweepUploads } from "../domain/photo-sweeper.js";
import { createDueWorkOrders } from "../domain/scheduler.js";
import { forgetOldDeliveries } from "../domain/webhooks.js";
import type { Services } from "../resolvers/context.js";
import { WebhookSender } from "../webhooks/sender.js";
import type { LogFailure } from "./executor.js";

const sweepMs = 600_000;

/** Runs `work` again and again, `everyMs` after its end. The answer stops it and waits for a run under way. */
function repeat(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let run: Promise<void> = Promise.resolve();
  const next = () => {
    timer = setTimeout(() => {
      run = work()
        .catch(onError)
        .then(() => {
          if (!stopped) next();
        });
    }, everyMs).unref();
  };
  next();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await run;
  };
}

/** Answers how to stop it; what is under way is waited for. */
export function startBackground({ database, storage }: Services, config: Config, logFailure: LogFailure): () => Promise<void> {
  const failedIn = (what: string) => (error: unknown) => logFailure(error, what);
  const options = { allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, timeoutMs: config.WEBHOOK_TIMEOUT_MS };
  const sender = new WebhookSender(database, options, failedIn("webhooks"));
  const stops = [
    repeat(
      sweepMs,
      () => Promise.all([sweepUploads(database, storage), forgetOldKeys(database), forgetOldDeliveries(database)]),
      failedIn("sweep"),
    ),
    repeat(config.WEBHOOK_POLL_MS, () => sender.sendDue(), failedIn("webhooks")),
  ];
  if (config.SCHEDULER) {
    const onError = failedIn("scheduler");
    stops.push(repeat(config.SCHEDULER_SECONDS * 1000, () => createDueWorkOrders(database, new Date(), onError), onError));
  }
  return async () => {
    await Promise.all([sender.stop(), ...stops.map((stop) => stop())]);
  };
}
