/** Messages between the primary process and its workers (WORKERS). */
import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** The metrics of one process. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[];

export type ToPrimary =
  /** The worker serves requests. */
  | { type: "up"; url: string }
  | { type: "metrics"; snapshot: Snapshot }
  /** The worker needs the metrics of all workers. */
  | { type: "sum" };

export type ToWorker =
  /** The primary process needs the worker's metrics. */
  { type: "metrics" } | { type: "sum"; text: string };
