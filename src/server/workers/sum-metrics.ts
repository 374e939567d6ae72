/** Sums the metrics of the workers, as if one process served all requests. */
import { AggregatorRegistry } from "prom-client";
import type { Snapshot } from "./messages.js";

/** Metrics without a meaningful sum: states, and values that each worker reads from the same database, clock or machine. */
const highest = [
  /^gateway_(info|clock_seconds|database_server|replica_state|replica_lag_seconds|storage_left_alone)$/,
  /^gateway_(webhook_deliveries_pending|webhook_oldest_pending_seconds|mails_pending|mails_failed|job_last_duration_seconds)$/,
  // A worker that starts again and again, or runs out of files, must not disappear behind the others.
  /^process_(start_time_seconds|open_fds)$/,
  /^nodejs_(version_info|eventloop_lag_.*)$/,
];
const lowest = [/^process_max_fds$/, /^nodejs_eventloop_lag_min_seconds$/];

const isOneOf = (patterns: RegExp[], name: string): boolean => patterns.some((pattern) => pattern.test(name));
const aggregatorOf = (name: string): string => (isOneOf(lowest, name) ? "min" : isOneOf(highest, name) ? "max" : "sum");

const registryOf = (snapshots: Snapshot[]) =>
  AggregatorRegistry.aggregate(
    snapshots.map((snapshot) => snapshot.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric.name) }))),
  );

/** Sums snapshots into one. */
const sumOf = (snapshots: Snapshot[]) => registryOf(snapshots).getMetricsAsArray() as unknown as Snapshot;

const grows = ({ type }: { type: unknown }): boolean => type === "counter" || type === "histogram";

/** Metrics of the workers by number of the worker. */
export class MetricsSum {
  /** A worker that does not answer in time counts with its last snapshot. */
  private readonly last = new Map<number, Snapshot>();
  /** Counters of workers that have ended. Without them the sum would shrink, which Prometheus takes for a restart from zero. */
  private ended: Snapshot = [];

  note(worker: number, snapshot: Snapshot): void {
    this.last.set(worker, snapshot);
  }

  /** Call when a worker has ended. */
  end(worker: number): void {
    const snapshot = this.last.get(worker);
    this.last.delete(worker);
    if (snapshot) this.ended = sumOf([this.ended, snapshot.filter(grows)]);
  }

  text(): Promise<string> {
    return registryOf([...this.last.values(), this.ended]).metrics();
  }
}
