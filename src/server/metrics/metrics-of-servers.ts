/** Metrics of the servers behind the service: PostgreSQL and its pool, the read replica, S3. */
import type { Database } from "../../database/database.js";
import type { Storage } from "../../storage/storage.js";
import type { Labelled, Meters } from "./meters.js";

const replicaStates = ["serving", "behind", "gone"] as const;

/** Servers that are not configured have no values. */
export function addServers(metrics: Meters, database: Database, storage: Storage): void {
  const pool = () => database.load().pool;
  const replica = () => database.replica?.load;
  const one = (value: number | undefined): Labelled[] => (value === undefined ? [] : [[{}, value]]);

  metrics.gauge("database_connections", "Connections of the pool.", [], () => one(pool()?.open));
  metrics.gauge("database_connections_idle", "Connections of the pool that nobody uses.", [], () => one(pool()?.idle));
  metrics.gauge("database_connections_max", "Connections that the pool may have.", [], () => one(pool()?.size));
  metrics.gauge("database_connections_awaited", "Statements and transactions that wait for a connection.", [], () => one(pool()?.waiting));
  metrics.gauge("database_server", "1 for the server that is used, 0 for others and while none can be.", ["server"], () =>
    (pool()?.servers ?? []).map(({ name, isUsed }) => [{ server: name }, Number(isUsed)]),
  );
  metrics.counter("database_moves_total", "How often all connections were made anew, as to another server.", [], () => one(pool()?.moves));

  metrics.gauge("replica_state", "1 for what the read replica is, 0 for what it is not.", ["state"], () => {
    const load = replica();
    return load ? replicaStates.map((state) => [{ state }, Number(state === load.state)]) : [];
  });
  metrics.gauge("replica_lag_seconds", "By how much the read replica may be older than the primary, at most.", [], () =>
    one(replica()?.lag),
  );
  metrics.counter("replica_reads_total", "Statements that the read replica might answer, by who did.", ["server"], () =>
    Object.entries(replica()?.reads ?? {}).map(([server, count]) => [{ server }, count]),
  );

  const calls = () => storage.load?.();
  metrics.gauge("storage_left_alone", "1 while S3 is not asked because it did not answer.", [], () => {
    const load = calls();
    return load ? one(Number(load.isOpen)) : [];
  });
  metrics.counter("storage_failures_total", "Calls that S3 did not answer.", [], () => one(calls()?.failed));
  metrics.counter("storage_refused_total", "Calls that were not made because of it.", [], () => one(calls()?.refused));
}
