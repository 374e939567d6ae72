/**
 * Metrics (docs/operations/monitor.md, "Metrics"). Requests only increment plain counters; the text is generated on request. Labels come from a
 * fixed set, so that names chosen by clients create no series.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { GraphQLError } from "graphql";
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { Database } from "../../database/database.js";
import { type PendingDeliveries, pendingDeliveries } from "../../domain/alerts/deliveries.js";
import { type UnsentMails, unsentMails } from "../../domain/alerts/outbox.js";
import type { Admission } from "../../execution/admission/admission.js";
import type { Outcome } from "../../resolvers/context.js";
import type { Storage } from "../../storage/storage.js";
import { commit, version } from "../../version.js";
import type { LiveLimits } from "../live/live-limits.js";
import type { Labelled, Meters } from "./meters.js";
import { addServers } from "./metrics-of-servers.js";

export type Transport = "graphql" | "rest" | "websocket" | "sse" | "file" | "other";

/** Upper bounds in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Number of tenants with a series of their own. */
const topTenants = 20;

/** Every other tenant, path or method; and operations that were refused before they were parsed. */
const other = "other";
const unread = "unread";

const pendingMs = 15_000;

interface Counted {
  value: number;
}

/** Requests of one transport with the same name. */
interface Series {
  byStatus: Map<number, Counted>;
  /** Requests per bucket (not cumulative), with an extra one above the last. */
  durations: number[];
  seconds: number;
}

interface Place {
  transport: Transport;
  /** Undefined if the operation provides the name. */
  name?: string;
}

interface JobRuns {
  runs: number;
  failures: number;
  lastSeconds: number;
}

interface Route {
  method: string;
  path: string;
}

/** Further sources of metrics. */
export interface Watched {
  app: FastifyInstance;
  database: Database;
  storage: Storage;
  admission: Admission;
  limits: LiveLimits;
  sockets: () => number;
  streams: () => number;
}

export class Metrics implements Meters {
  readonly registry = new Registry();
  private readonly series = new Map<Transport, Map<string, Series>>();
  private readonly errors = new Map<Transport, Map<string, Counted>>();
  /** By the router's path and the method, so that their number is that of the routes. */
  private readonly places = new Map<string, Map<string, Place>>();
  private readonly routes: Set<string>;
  private readonly points = new Map<string, Counted>();
  private readonly jobs = new Map<string, JobRuns>();
  private slowOperations = 0;
  private pending: PendingDeliveries | undefined;
  private unsent: UnsentMails | undefined;

  constructor(routes: Route[]) {
    this.routes = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    collectDefaultMetrics({ register: this.registry });
    this.gauge("processes", "Processes that serve requests.", [], () => [[{}, 1]]);
    this.addRequests();
    this.addJobs();
  }

  /** Counts a request over HTTP, including requests that open a stream. */
  countRequest(request: FastifyRequest, status: number, milliseconds: number): void {
    const { url } = request.routeOptions;
    const { outcome } = request;
    const { transport, name } = this.placeOf(request.method, url);
    // The status of a GraphQL response with errors is 200.
    const code = name === undefined || status >= 400 ? (request.errorCode ?? outcome?.errorCode) : undefined;
    this.count(transport, name ?? outcome?.rootField ?? unread, status, milliseconds, code);
  }

  /** Counts an operation over WebSocket or server-sent events. */
  countOperation(
    transport: Transport,
    outcome: Outcome | undefined,
    status: number,
    milliseconds: number,
    errors: readonly GraphQLError[] = [],
  ): void {
    this.count(transport, outcome?.rootField ?? unread, status, milliseconds, errors[0]?.extensions.code as string | undefined);
  }

  private count(transport: Transport, name: string, status: number, milliseconds: number, code: string | undefined): void {
    let ofTransport = this.series.get(transport);
    if (!ofTransport) this.series.set(transport, (ofTransport = new Map()));
    let series = ofTransport.get(name);
    if (!series) {
      series = { byStatus: new Map(), durations: new Array<number>(buckets.length + 1).fill(0), seconds: 0 };
      ofTransport.set(name, series);
    }
    add(series.byStatus, status, 1);
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (bucket < buckets.length && seconds > buckets[bucket]!) bucket++;
    series.durations[bucket]!++;
    series.seconds += seconds;
    if (code === undefined && status < 400) return;
    let codes = this.errors.get(transport);
    if (!codes) this.errors.set(transport, (codes = new Map()));
    add(codes, code ?? other, 1);
  }

  countPoints = (tenantId: string, points: number): void => add(this.points, tenantId, points);

  countSlowOperation = (): void => void this.slowOperations++;

  countJobRun = (job: string, seconds: number): void => {
    const ofJob = this.ofJob(job);
    ofJob.runs++;
    ofJob.lastSeconds = seconds;
  };

  countJobFailure(job: string): void {
    this.ofJob(job).failures++;
  }

  /** Adds the further sources. Returns a function that removes them. */
  watch({ app, database, storage, admission, limits, sockets, streams }: Watched): () => void {
    this.gauge(
      "info",
      "1, with the version, the commit that was built and the kind of database.",
      ["version", "commit", "database"],
      () => [[{ version: version(), commit: commit() ?? "", database: database.kind }, 1]],
    );
    const bySource = (part: "count" | "seconds"): Labelled[] => {
      const { requests, background } = database.load();
      return [
        [{ source: "requests" }, requests[part]],
        [{ source: "background" }, background[part]],
      ];
    };
    this.gauge("clock_seconds", "The clock of the process, in seconds since 1970.", [], () => [[{}, Date.now() / 1000]]);
    this.counter("statements_total", "Statements sent to the database.", ["source"], () => bySource("count"));
    this.counter("statement_seconds_total", "Seconds until they were answered, together.", ["source"], () => bySource("seconds"));
    this.counter("slow_operations_total", "Operations that took longer than SLOW_OPERATION_MS.", [], () => [[{}, this.slowOperations]]);
    addServers(this, database, storage);
    const byLane = (part: "running" | "waiting"): Labelled[] => admission.load.lanes.map((load) => [{ lane: load.lane }, load[part]]);
    this.gauge("admission_running", "Operations that have a turn.", ["lane"], () => byLane("running"));
    this.gauge("admission_queued", "Operations that wait for a turn.", ["lane"], () => byLane("waiting"));
    this.counter("admission_refused_total", "Requests and operations that were not admitted.", ["reason"], () =>
      Object.entries(admission.load.refused).map(([reason, value]) => [{ reason }, value]),
    );
    this.counter("points_total", "Points that were spent.", [], () => [[{}, sumOf(this.points.values())]]);
    this.gauge("tenant_points", "Points that a tenant spent since the start.", ["tenant"], () => this.pointsByTenant());

    this.gauge("subscriptions", "Subscriptions that are open.", [], () => [[{}, limits.open]]);
    this.gauge("sockets", "WebSockets that are open.", [], () => [[{}, sockets()]]);
    this.gauge("event_streams", "Streams of server-sent events that are open.", [], () => [[{}, streams()]]);
    this.gauge("connections", "Connections of clients.", [], () => connectionsOf(app).then((count): Labelled[] => [[{}, count]]));

    this.gauge("webhook_deliveries_pending", "Deliveries that are not settled.", [], () =>
      this.pending ? [[{}, this.pending.count]] : [],
    );
    this.gauge("webhook_oldest_pending_seconds", "Age of the oldest of these.", [], () =>
      this.pending ? [[{}, this.pending.oldestSeconds]] : [],
    );
    this.gauge("mails_pending", "E-mails that are not settled.", [], () => (this.unsent ? [[{}, this.unsent.pending]] : []));
    this.gauge("mails_failed", "E-mails that were given up in the last day.", [], () => (this.unsent ? [[{}, this.unsent.failed]] : []));
    return this.readPending(database);
  }

  private readPending(database: Database): () => void {
    let isStopped = false;
    let timer: NodeJS.Timeout | undefined;
    const read = async () => {
      // No value while the database is unavailable, instead of an outdated one.
      [this.pending, this.unsent] = await Promise.all([
        pendingDeliveries(database).catch(() => undefined),
        unsentMails(database).catch(() => undefined),
      ]);
      if (!isStopped) timer = setTimeout(() => void read(), pendingMs).unref();
    };
    void read();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  private placeOf(method: string, url: string | undefined): Place {
    if (url === undefined) return unknownPlace;
    let ofPath = this.places.get(url);
    if (!ofPath) this.places.set(url, (ofPath = new Map()));
    let place = ofPath.get(method);
    if (!place) ofPath.set(method, (place = this.newPlace(method, url)));
    return place;
  }

  private newPlace(method: string, url: string): Place {
    if (url === "/graphql") return { transport: "graphql" };
    if (url === "/graphql/stream") return { transport: "sse" };
    const name = `${method === "HEAD" ? "GET" : method} ${url}`;
    const shown = name.replace(/:(\w+)/g, "{$1}");
    if (this.routes.has(name)) return { transport: "rest", name: shown };
    if (/^\/(uploads|files)(\/|$)/.test(url)) return { transport: "file", name: shown };
    return method === "GET" || method === "HEAD" ? { transport: "other", name: shown } : unknownPlace;
  }

  private ofJob(job: string): JobRuns {
    let runs = this.jobs.get(job);
    if (!runs) this.jobs.set(job, (runs = { runs: 0, failures: 0, lastSeconds: 0 }));
    return runs;
  }

  private addRequests(): void {
    const each = (labelsOf: (transport: Transport, operation: string, series: Series) => Labelled[]): Labelled[] =>
      [...this.series].flatMap(([transport, ofTransport]) =>
        [...ofTransport].flatMap(([operation, series]) => labelsOf(transport, operation, series)),
      );
    this.counter("requests_total", "Requests that were answered.", ["transport", "operation", "status"], () =>
      each((transport, operation, { byStatus }) =>
        [...byStatus].map(([status, { value }]) => [{ transport, operation, status: String(status) }, value]),
      ),
    );
    this.counter("errors_total", "Answers with an error, by the code of the first.", ["transport", "code"], () =>
      [...this.errors].flatMap(([transport, codes]) => [...codes].map(([code, { value }]): Labelled => [{ transport, code }, value])),
    );
    const name = "gateway_request_duration_seconds";
    const valuesOf = (transport: Transport, operation: string, { durations, seconds }: Series) => {
      const labels = { transport, operation };
      let count = 0;
      const cumulated = durations.map((ofBucket, i) => {
        count += ofBucket;
        return { metricName: `${name}_bucket`, labels: { ...labels, le: i < buckets.length ? buckets[i]! : "+Inf" }, value: count };
      });
      return [...cumulated, { metricName: `${name}_sum`, labels, value: seconds }, { metricName: `${name}_count`, labels, value: count }];
    };
    // The library's histogram would serialize the labels on each request.
    this.registry.registerMetric({
      name,
      get: async () => ({
        name,
        help: "Time until a request was answered.",
        type: "histogram",
        values: [...this.series].flatMap(([transport, ofTransport]) =>
          [...ofTransport].flatMap(([operation, series]) => valuesOf(transport, operation, series)),
        ),
      }),
    } as unknown as Metric);
  }

  private addJobs(): void {
    // Not `job`, which Prometheus uses as its own label.
    const each = (part: keyof JobRuns): Labelled[] => [...this.jobs].map(([name, runs]) => [{ name }, runs[part]]);
    this.counter("job_runs_total", "Runs of a background job.", ["name"], () => each("runs"));
    this.counter("job_failures_total", "Failures in a background job.", ["name"], () => each("failures"));
    this.gauge("job_last_duration_seconds", "How long its last run took.", ["name"], () => each("lastSeconds"));
  }

  private pointsByTenant(): Labelled[] {
    // A tenant named `other` must not produce a duplicate series.
    const ranked = [...this.points].filter(([tenant]) => tenant !== other).sort(([, a], [, b]) => b.value - a.value);
    const top = ranked.slice(0, topTenants).map(([tenant, { value }]): Labelled => [{ tenant }, value]);
    const rest = sumOf(this.points.values()) - top.reduce((sum, [, value]) => sum + value, 0);
    return [...top, [{ tenant: other }, rest]];
  }

  counter(name: string, help: string, labelNames: string[], read: () => Labelled[]): void {
    new Counter({
      name: `gateway_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        const values = read();
        this.reset();
        if (!values.length) this.remove({});
        for (const [labels, value] of values) this.inc(labels, value);
      },
    });
  }

  gauge(name: string, help: string, labelNames: string[], read: () => Labelled[] | Promise<Labelled[]>): void {
    new Gauge({
      name: `gateway_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const values = await read();
        this.reset();
        if (!values.length) this.remove({});
        for (const [labels, value] of values) this.set(labels, value);
      },
    });
  }
}

const unknownPlace: Place = { transport: "other", name: other };

function add<K>(counts: Map<K, Counted>, key: K, value: number): void {
  const counted = counts.get(key);
  if (counted) counted.value += value;
  else counts.set(key, { value });
}

const sumOf = (counts: Iterable<Counted>): number => {
  let sum = 0;
  for (const { value } of counts) sum += value;
  return sum;
};

const connectionsOf = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_, count) => resolve(count ?? 0)));
