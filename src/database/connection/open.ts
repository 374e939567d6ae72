import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.js";
import { type Log, reasonOf, throttled } from "../../log.js";
import { followClock } from "../clock.js";
import type { Database } from "../database.js";
import { migrateAtStart } from "../migrations/migrate.js";
import { renewLogEpoch } from "../migrations/upgrade-copy.js";
import { checkRowSecurity } from "../records/row-security.js";
import { openEmbedded } from "./embedded.js";
import { openPostgresql } from "./postgresql.js";
import { closeToOthers } from "./private-folder.js";
import { Replica } from "./replica.js";
import { secretsOf } from "./secrets.js";
import { refreshSecrets } from "./secrets-at-start.js";
import { isTlsRefusal } from "./server-url.js";

/** Interval in which only the first of several lost connections is logged. */
const connectionsLostMs = 10_000;

/**
 * Opens and migrates the configured database. Waits for PostgreSQL to start; after DATABASE_WAIT_SECONDS, fails with an error of one line.
 */
export async function openDatabase(config: Config, log: Log): Promise<Database> {
  closeToOthers(config.DATA_DIR);
  const lostConnection = throttled(log, connectionsLostMs);
  // Until the database first responds, `waitFor` reports the reason.
  let wasReached = false;
  const database = config.DATABASE_URL
    ? openPostgresql({
        url: config.DATABASE_URL,
        directUrl: config.DATABASE_DIRECT_URL,
        connections: config.DATABASE_CONNECTIONS,
        statementTimeout: config.STATEMENT_TIMEOUT_MS,
        rowSecurity: config.ROW_SECURITY === "on",
        secrets: secretsOf(config),
        log: (line, level) => wasReached && log(line, level),
        onError: (error) => lostConnection(`lost a database connection: ${error.message}`, "warn"),
      })
    : await openEmbedded(config.DATA_DIR, config);
  try {
    await waitFor(database, config.DATABASE_WAIT_SECONDS, log);
    wasReached = true;
    if (database.kind === "postgresql") beforeClose(database, await followClock(database, log));
    await migrateAtStart(database, config, log);
    if (database.kind === "embedded") await renewLogEpoch(database, config.DATA_DIR);
    if (database.kind === "postgresql") await checkRowSecurity(database, config.ROW_SECURITY === "on");
    const encrypted = await refreshSecrets(database);
    if (encrypted)
      log(
        `stored ${encrypted} ${encrypted === 1 ? "record's secrets" : "records' secrets"} ${database.secrets.isEncrypting ? "encrypted" : "as plain text"}`,
      );
    if (config.DATABASE_REPLICA_URL) addReplica(database, config, config.DATABASE_REPLICA_URL, log);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function beforeClose(database: Database, work: () => void): void {
  const { close } = database;
  database.close = () => {
    work();
    return close();
  };
}

/** Adds the standby, which may be unavailable. Closing the database closes it, too. Its URL may point to a pooler if the primary's does. */
function addReplica(database: Database, config: Config, url: string, log: Log): void {
  const lostConnection = throttled(log, connectionsLostMs);
  const standby = openPostgresql({
    url,
    urlName: "DATABASE_REPLICA_URL",
    directUrl: config.DATABASE_DIRECT_URL && url,
    connections: config.DATABASE_CONNECTIONS,
    // On timeout, the primary is used.
    patienceMs: 1_000,
    statementTimeout: config.STATEMENT_TIMEOUT_MS,
    rowSecurity: config.ROW_SECURITY === "on",
    onError: (error) => lostConnection(`lost a connection to the replica: ${error.message}`, "warn"),
  });
  const replica = new Replica(database, standby, config.REPLICA_MAX_LAG_SECONDS, log);
  const close = database.close.bind(database);
  Object.assign(database, { replica, close: () => replica.close().then(close) });
}

export async function waitFor(database: Pick<Database, "query">, seconds: number, log: Log, name = "DATABASE_URL"): Promise<void> {
  const end = performance.now() + seconds * 1000;
  // With several servers, the first may be a standby; the next attempt can succeed immediately.
  for (let attempts = 1; ; attempts++) {
    try {
      await database.query("select 1");
      return;
    } catch (error) {
      const { cause } = error as Error;
      const reason = reasonOf((cause ?? error) as Error);
      if (isTlsRefusal((cause ?? error) as Error))
        throw new Error(
          `TLS connection to the database failed (${reason}). Check sslmode and sslrootcert in ${name}, and the server's certificate`,
        );
      if (performance.now() >= end)
        throw new Error(`the database does not answer (${reason}); timed out after ${seconds} s. Check ${name}`);
      if (attempts === 2) log(`waiting up to ${seconds} s for the database: ${reason}`);
      await sleep(500);
    }
  }
}
