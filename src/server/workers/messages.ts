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

/**
 * File descriptor of a socket to the primary process in each worker, for the stop of the service. The channel cannot serve it: Node.js
 * closes the primary process's copy of the listening socket only when the workers have disconnected.
 *
 * 1. The primary process writes once its copy is closed. Each worker stops listening and writes that it has.
 * 2. The primary process ends the sockets when all have. Only then do the workers ask their clients to close connections: clients
 *    connect again at once, and a connection that arrives while the last worker stops listening would be reset.
 */
export const stopSocket = 4;
