/**
 * The primary process (WORKERS): starts the workers, replaces those that end, and sums their metrics. It opens no database and accepts no
 * connections: the workers share its listening socket.
 */
import cluster, { type Worker } from "node:cluster";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.js";
import type { Log } from "../../log.js";
import { openMetricsPort } from "../metrics/metrics-endpoint.js";
import { type Snapshot, stopSocket, type ToPrimary, type ToWorker } from "./messages.js";
import type { MetricsSum } from "./sum-metrics.js";

/** A worker that ends earlier than this is replaced after a pause, which doubles each time. */
const shortLifeMs = 10_000;
const [firstPauseMs, longestPauseMs] = [1_000, 30_000];

/** Maximum time for the workers to stop listening. */
const stopListeningMs = 5_000;

/** Maximum time that a request of metrics waits for the workers. */
const metricsMs = 2_000;

/** One of the `WORKERS`. It keeps its number when its process is replaced. */
interface Place {
  number: number;
  pauseMs: number;
  timer?: NodeJS.Timeout;
}

/** A worker ended before it served requests. Its own message has been printed, unless a signal ended it. */
export class WorkerFailed extends Error {
  constructor(
    readonly exitCode: number | null,
    signal: string | null,
  ) {
    super(`a worker ended during startup ${howOf(exitCode, signal)}`);
  }
}

const howOf = (exitCode: number | null, signal: string | null): string => (signal ? `by ${signal}` : `with exit code ${exitCode}`);

export class Primary {
  private hasStarted = false;
  private isStopping = false;
  private readonly running = new Set<Worker>();
  private readonly up = new Set<Worker>();
  private readonly places: Place[];
  private closePort: (() => Promise<void>) | undefined;
  private metrics: WorkerMetrics | undefined;

  constructor(
    private readonly config: Config,
    workers: number,
    private readonly log: Log,
  ) {
    this.places = Array.from({ length: workers }, (_, i) => ({ number: i + 1, pauseMs: 0 }));
  }

  /**
   * Resolves with the service's URL when all workers serve requests. The first worker starts before the others, because it migrates the
   * database and loads the demo plant. Rejects with `WorkerFailed` if a worker ends before that.
   */
  async start(): Promise<string> {
    if (this.config.METRICS_PORT !== undefined || this.config.METRICS_TOKEN !== undefined) {
      const { MetricsSum } = await import("./sum-metrics.js");
      this.metrics = new WorkerMetrics(new MetricsSum(), this.up);
      this.closePort = await openMetricsPort(this.config, this.metrics.read);
    }
    // Each worker accepts connections itself. With Node.js's other policy, connections on their way from the primary process to a worker
    // would be lost when the worker is killed or the service stops.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // Metrics may be NaN, which JSON does not have.
    cluster.setupPrimary({ serialization: "advanced", stdio: ["inherit", "inherit", "inherit", "ipc", "pipe"] });
    const [first, ...others] = this.places;
    try {
      const url = await this.launch(first!);
      await Promise.all(others.map((place) => this.launch(place)));
      this.hasStarted = true;
      return url;
    } catch (error) {
      // The caller of `close` ends the process.
      if (this.isStopping) return new Promise(() => {});
      await this.close().catch(() => {});
      throw error;
    }
  }

  /** Stops all workers, each of which finishes its requests. Rejects if a worker did not stop cleanly. */
  async close(): Promise<void> {
    this.isStopping = true;
    for (const { timer } of this.places) clearTimeout(timer);
    // If the time for stopping is over.
    process.once("exit", () => {
      for (const { process } of this.running) process.kill("SIGKILL");
    });
    const workers = [...this.running];
    const ends = workers.map(
      (worker) =>
        new Promise<string | undefined>((resolve) => {
          worker.once("exit", (code: number | null, signal: string | null) => resolve(code === 0 ? undefined : howOf(code, signal)));
        }),
    );
    await Promise.all(workers.map(disconnect));
    const sockets = workers.map(({ process }) => process.stdio[stopSocket] as Socket);
    await Promise.race([Promise.all(sockets.map(stopListening)), sleep(stopListeningMs, undefined, { ref: false })]);
    for (const socket of sockets) socket.destroy();
    const unclean = (await Promise.all(ends)).filter((how) => how !== undefined);
    await this.closePort?.();
    if (unclean.length) throw new Error(`a worker ended ${unclean[0]}`);
  }

  /** Resolves with the worker's URL when it serves requests. */
  private launch(place: Place): Promise<string> {
    const startedAt = performance.now();
    const worker = cluster.fork();
    this.running.add(worker);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: ToPrimary) => {
        if (message.type === "metrics") this.metrics?.note(worker, message.snapshot);
        else if (message.type === "sum") void this.metrics?.read().then((text) => send(worker, { type: "sum", text }));
        else {
          this.up.add(worker);
          resolve(message.url);
        }
      });
      worker.once("exit", (code: number | null, signal: string | null) => {
        this.running.delete(worker);
        const wasUp = this.up.delete(worker);
        this.metrics?.end(worker);
        reject(new WorkerFailed(code, signal));
        if (!this.isStopping && (wasUp || this.hasStarted))
          this.replace(place, worker.process.pid, howOf(code, signal), performance.now() - startedAt);
      });
    });
  }

  private replace(place: Place, pid: number | undefined, how: string, livedMs: number): void {
    place.pauseMs = livedMs < shortLifeMs ? Math.min(longestPauseMs, Math.max(firstPauseMs, place.pauseMs * 2)) : 0;
    const pause = place.pauseMs ? ` in ${place.pauseMs / 1000} s` : "";
    this.log(`worker ${place.number} (process ${pid}) ended ${how}; another starts${pause}`, "warn");
    place.timer = setTimeout(() => {
      // If the new worker fails, too, its end calls `replace` again.
      this.launch(place).then(
        () => this.log(`worker ${place.number} replaced`),
        () => {},
      );
    }, place.pauseMs);
  }
}

/** Lets a worker stop listening. Resolves when it has, or has ended. */
const stopListening = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("data", () => resolve()).once("close", () => resolve());
    if (socket.destroyed) resolve();
    else socket.write("stop");
  });

/** Closes the channel to a worker. Resolves when this process has let go of the worker's handles. */
const disconnect = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    if (!worker.isConnected()) return resolve();
    worker.once("disconnect", resolve);
    worker.process.disconnect();
  });

/** Reads the metrics of the workers over their channels. */
class WorkerMetrics {
  private readonly answered = new Map<Worker, () => void>();
  private reading: Promise<string> | undefined;

  constructor(
    private readonly sum: MetricsSum,
    private readonly workers: ReadonlySet<Worker>,
  ) {}

  /** Simultaneous requests share a result. */
  readonly read = (): Promise<string> => (this.reading ??= this.gather().finally(() => (this.reading = undefined)));

  private async gather(): Promise<string> {
    const answers = [...this.workers].map(
      (worker) =>
        new Promise<void>((resolve) => {
          this.answered.set(worker, resolve);
          send(worker, { type: "metrics" });
        }),
    );
    await Promise.race([Promise.all(answers), sleep(metricsMs, undefined, { ref: false })]);
    return this.sum.text();
  }

  note(worker: Worker, snapshot: Snapshot): void {
    // A message can arrive after its worker's end.
    if (!this.workers.has(worker)) return;
    this.sum.note(worker.id, snapshot);
    this.answered.get(worker)?.();
  }

  end(worker: Worker): void {
    this.sum.end(worker.id);
    this.answered.get(worker)?.();
    this.answered.delete(worker);
  }
}

/** A message to a worker that has ended is lost. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
