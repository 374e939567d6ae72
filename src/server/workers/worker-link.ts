/** The worker's side of the channel between a worker and the primary process. */
import cluster, { type Worker } from "node:cluster";
import { Socket } from "node:net";
import { ServiceError } from "../../schema/errors.js";
import { type Snapshot, stopSocket, type ToPrimary, type ToWorker } from "./messages.js";

export class WorkerLink {
  /** Requests that wait for the sum of the metrics. */
  private waiting: { resolve(text: string): void; reject(error: Error): void }[] = [];
  private readMetrics: () => Promise<Snapshot> = async () => [];

  private readonly stopping = new Socket({ fd: stopSocket });

  constructor(private readonly worker: Worker) {
    this.stopping.on("error", () => {});
    worker.on("message", (message: ToWorker) => {
      if (message.type === "metrics") void this.readMetrics().then((snapshot) => this.send({ type: "metrics", snapshot }));
      else for (const { resolve } of this.waiting.splice(0)) resolve(message.text);
    });
    worker.once("disconnect", () => {
      for (const { reject } of this.waiting.splice(0)) reject(stopping());
    });
  }

  /** The first worker starts before the others. It migrates the database and loads the demo plant. */
  get isFirst(): boolean {
    return this.worker.id === 1;
  }

  /** Calls `stop` when the primary process stops or is killed. The worker must then exit. */
  onStop(stop: () => void): void {
    this.worker.once("disconnect", () => {
      // Without this, Node.js exits at once.
      this.worker.exitedAfterDisconnect = true;
    });
    this.stopping.once("data", stop).once("close", stop).unref();
  }

  /** Call when this worker has stopped listening. Resolves when all workers have, or if the primary process was killed. */
  allStopped(): Promise<void> {
    return new Promise((resolve) => {
      if (this.stopping.destroyed) return resolve();
      this.stopping.once("close", resolve).write("stopped");
    });
  }

  reportUp(url: string): void {
    this.send({ type: "up", url });
  }

  provideMetrics(read: () => Promise<Snapshot>): void {
    this.readMetrics = read;
  }

  /** The metrics of all workers, in Prometheus text format. */
  metricsOfAll(): Promise<string> {
    if (!this.worker.isConnected()) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.send({ type: "sum" });
    });
  }

  /** A message to a primary process that has ended is lost. */
  private send(message: ToPrimary): void {
    this.worker.send(message, () => {});
  }
}

const stopping = () => new ServiceError("SERVICE_UNAVAILABLE", "The service is shutting down");

/** Undefined in a process that is not a worker. */
export const linkOfProcess = (): WorkerLink | undefined => cluster.worker && new WorkerLink(cluster.worker);
