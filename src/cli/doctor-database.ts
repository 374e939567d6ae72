/** Database checks of `doctor`, by the same code as startup and `migrate check`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { schedulerOff, schedulerWarnings } from "../background/scheduler-state.js";
import { type Config, workersOf } from "../config.js";
import { clockOffset } from "../database/clock.js";
import { createPglite } from "../database/connection/embedded.js";
import { lockFolder } from "../database/connection/folder-lock.js";
import { waitFor } from "../database/connection/open.js";
import { type Secrets, secretsOf, secretsOfFolder } from "../database/connection/secrets.js";
import { refuseMissingKey } from "../database/connection/secrets-at-start.js";
import { refuseUnfit } from "../database/connection/unfit.js";
import type { Queryable } from "../database/database.js";
import { connectToMigrate, type MigrationConnection } from "../database/migrations/connection.js";
import { readMigrations } from "../database/migrations/files.js";
import { missingOf, standings } from "../database/migrations/history.js";
import { missingLine, ownerUrl, ownerUrlName } from "../database/migrations/migrate.js";
import { refuseOldVersion } from "../database/migrations/versions.js";
import { checkRowSecurity } from "../database/records/row-security.js";
import { receiptApproval } from "../domain/inventory/stock/stock-settings.js";
import { type Finding, type Findings, failure, ok, reasonOf, warning } from "./doctor-checks.js";

/** The oldest major version that the tests cover. */
const oldestTested = 15;
/** Larger differences make times in logs and in the database inconsistent. */
const clockToleranceMs = 2_000;
const extensions = ["pg_trgm", "btree_gin", "btree_gist"];

export async function* checkDatabase(config: Config): Findings {
  if (config.DATABASE_URL) yield* checkServer(config);
  else yield* checkEmbedded(config);
}

async function* checkEmbedded(config: Config): Findings {
  const folder = join(config.DATA_DIR, "postgresql");
  if (!existsSync(join(folder, "PG_VERSION"))) {
    yield ok("database", `embedded; no database in ${config.DATA_DIR} yet: created at the first start`);
    return;
  }
  let release: () => Promise<void>;
  try {
    release = await lockFolder(config.DATA_DIR);
  } catch (error) {
    const isInUse = /in use/.test(reasonOf(error));
    if (isInUse) yield warning("database", "embedded, not checked: in use by another process", "stop the service to run this check");
    else yield failure("database", reasonOf(error), "grant the service's user write access to DATA_DIR");
    return;
  }
  try {
    const pglite = await createPglite(folder);
    const db: Queryable = { query: async (text, values) => (await pglite.query(text, values as unknown[])).rows as never };
    try {
      yield ok("database", `embedded, in ${config.DATA_DIR}`);
      yield* checkMigrations(db, config);
      yield* checkAssetCounts(db);
      yield* checkReceipts(db);
      yield* checkScheduler(config);
      // Checking without the file would create a new key.
      if (existsSync(join(config.DATA_DIR, "secrets.key"))) yield* checkSecrets(db, secretsOfFolder(config.DATA_DIR, config));
    } finally {
      await pglite.close();
    }
  } catch (error) {
    yield failure(
      "database",
      `the embedded database cannot be opened: ${reasonOf(error)}`,
      "restore DATA_DIR from a backup: docs/operations/backup.md",
    );
  } finally {
    await release();
  }
}

/** Connects like startup, but with a short timeout. */
async function connected(url: string, name: string): Promise<MigrationConnection> {
  let connection: MigrationConnection | undefined;
  const query = async () => {
    connection ??= await connectToMigrate(url, name);
    return [];
  };
  await waitFor({ query }, 2, () => {}, name);
  return connection!;
}

interface Server {
  version: string;
  number: number;
  role: string;
  database: string;
  isReadOnly: boolean;
  mayCreate: boolean;
  installed: string[];
  available: string[];
}

async function* checkServer(config: Config): Findings {
  const url = ownerUrl(config)!;
  const name = ownerUrlName(config);
  let db: MigrationConnection;
  try {
    db = await connected(url, name);
  } catch (error) {
    yield failure("database", reasonOf(error), `start PostgreSQL, or correct ${name}: host, port, user, password, database`);
    return;
  }
  try {
    const [server] = await db.query<Server>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number, current_user as role,
         current_database() as database, pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
         has_schema_privilege(current_user, 'public', 'CREATE') and has_database_privilege(current_user, current_database(), 'CREATE') as "mayCreate",
         array(select extname::text from pg_extension) as installed, array(select name::text from pg_available_extensions) as available`,
    );
    yield* checkFit(server!, db);
    yield* checkExtensions(server!);
    yield* checkConnections(db, config);
    yield* checkMigrations(db, config, server!);
    yield* checkAssetCounts(db);
    yield* checkReceipts(db);
    yield* checkScheduler(config, db);
    if (name === "DATABASE_URL") yield* checkPolicies(db, config);
    const offset = await clockOffset(db);
    const clocks = offset ? `the database's clock is ${Math.abs(offset)} ms ${offset > 0 ? "ahead of" : "behind"} this machine's` : "agree";
    if (Math.abs(offset) > clockToleranceMs)
      yield warning(
        "clock",
        clocks,
        "synchronize both with NTP: stored times use the database's clock, the expiry of access tokens uses this machine's",
      );
    else yield ok("clock", offset ? clocks : "this machine's and the database's agree");
    yield* checkSecrets(db, secretsOf(config));
  } catch (error) {
    yield failure("database", reasonOf(error), `grant the role of ${name} the privileges in docs/operations/database.md#postgresql`);
  } finally {
    await db.close();
  }
  yield* checkOthers(config, name);
}

async function* checkFit({ version, number, role, database, isReadOnly }: Server, db: Queryable): Findings {
  const server = `PostgreSQL ${version}, database ${database}, role ${role}`;
  if (isReadOnly) yield failure("database", `${server}: read-only`, "connect to the primary, or turn off default_transaction_read_only");
  else if (number < oldestTested * 10_000)
    yield warning("database", `${server}: older than the oldest tested version`, `use PostgreSQL ${oldestTested} or newer`);
  else yield ok("database", server);
  try {
    await refuseUnfit(db);
  } catch (error) {
    yield failure("database", reasonOf(error), "do this before you start the service");
  }
}

function* checkExtensions({ installed, available, mayCreate }: Server): Generator<Finding> {
  const lacking = extensions.filter((name) => !installed.includes(name));
  const absent = lacking.filter((name) => !available.includes(name));
  if (absent.length)
    yield failure("extensions", `the server does not have ${absent.join(", ")}`, "install PostgreSQL's contrib package on the server");
  else if (lacking.length && !mayCreate)
    yield failure(
      "extensions",
      `the database lacks ${lacking.join(", ")}, which this role may not create`,
      `as an administrator: ${lacking.map((name) => `create extension ${name}`).join("; ")}`,
    );
  else yield ok("extensions", lacking.length ? `${lacking.join(", ")}: the first start creates them` : extensions.join(", "));
}

/** Connections of a process besides its pool: one for notifications, and one for migrations. */
const connectionsBesidePool = 2;

/** Other processes and programs also take connections, so this check only finds settings that can never work. */
async function* checkConnections(db: Queryable, config: Config): Findings {
  const workers = workersOf(config);
  // A pooler shares the connections of the pools.
  const each = (config.DATABASE_DIRECT_URL ? 0 : config.DATABASE_CONNECTIONS) + connectionsBesidePool;
  const [server] = await db.query<{ allowed: number }>(
    `select least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int,
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`,
  );
  const { allowed } = server!;
  const needed = workers * each;
  const message = `${workers === 1 ? "1 process takes" : `${workers} workers take`} up to ${needed} connections of ${allowed} that the database allows`;
  if (needed <= allowed) yield ok("database", message);
  else yield warning("database", message, "lower WORKERS or DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL");
}

async function* checkMigrations(db: Queryable, { MIGRATE }: Config, server?: Server): Findings {
  try {
    await refuseOldVersion(db);
  } catch (error) {
    yield failure("migrations", reasonOf(error), 'put the later version in place: docs/operations/upgrade.md, "Upgrade steps"');
    return;
  }
  const all = await standings(db, readMigrations());
  const missing = missingLine(all);
  if (!missing) yield ok("migrations", `all ${all.length} are applied`);
  else if (server && !server.mayCreate)
    yield failure(
      "migrations",
      `${missingOf(all).length} missing, and the role ${server.role} may not create in the database`,
      `as an administrator: grant create on database ${server.database} to ${server.role}; grant create on schema public to ${server.role}`,
    );
  else {
    const message =
      missingOf(all).length === all.length ? "the database is new: no migration is applied" : missing.replace(/; apply by.*/, "");
    if (MIGRATE === "auto") yield warning("migrations", message, "the next start applies them, or run: migrate apply");
    else yield failure("migrations", `${message}, and MIGRATE is ${MIGRATE}`, "run: migrate apply");
  }
}

/** Maximum number of tenants that a finding names. */
const mostNamed = 10;

/** The tenants of a finding, given up to one more than it names. */
const namesOf = (found: { tenantId: string }[]) =>
  `${found
    .slice(0, mostNamed)
    .map(({ tenantId }) => tenantId)
    .join(", ")}${found.length > mostNamed ? " and more" : ""}`;

/** Triggers keep the counts of assets, except where assets were loaded without triggers. */
async function* checkAssetCounts(db: Queryable): Findings {
  const [there] = await db.query(`select 1 from pg_trigger where tgrelid = to_regclass('"Asset"') and tgname = 'Asset_count_insert'`);
  if (!there) return;
  const wrong = await db.query<{ tenantId: string }>(
    `select distinct "tenantId" from (
       select "tenantId" from (
         select "tenantId", site, area, count from "AssetCount"
         union all select "tenantId", site, area, -1 from "Asset" where "deletedAt" is null
       ) c group by "tenantId", site, area having sum(count) <> 0
     ) w join "Tenant" t using ("tenantId") where t.state in ('active', 'suspended') order by 1 limit ${mostNamed + 1}`,
  );
  if (!wrong.length) return;
  yield failure(
    "assets",
    `the counts of assets that sites show are wrong: ${namesOf(wrong)}`,
    "as the owner of the tables: select recount_assets(). Writers of assets wait meanwhile",
  );
}

/** Tenants that predate the setting: their technicians may receive stock at any price without an order. */
async function* checkReceipts(db: Queryable): Findings {
  const [there] = await db.query(
    `select 1 from pg_attribute where attrelid = to_regclass('"StockSettings"') and attname = 'receiptApproval' and not attisdropped`,
  );
  if (!there) return;
  const lax = await db.query<{ tenantId: string }>(
    `select t."tenantId" from "Tenant" t left join "StockSettings" s on s."tenantId" = t."tenantId"
     where t.state = 'active' and not ${receiptApproval} order by 1 limit ${mostNamed + 1}`,
  );
  if (!lax.length) return;
  yield warning(
    "stock",
    `technicians can receive stock without an order or an approval: ${namesOf(lax)}`,
    'set receiptApproval with updateStockSettings: docs/stock.md, "Approvals"',
  );
}

/** `db` is given for a database with several processes, any of which may run the scheduler. */
async function* checkScheduler({ SCHEDULER }: Config, db?: Queryable): Findings {
  const [there] = db
    ? await db.query(
        `select 1 from pg_attribute where attrelid = to_regclass('"Procedure"') and attname = 'dueFrom' and to_regclass('"SchedulerLease"') is not null`,
      )
    : [];
  const warnings = there ? await schedulerWarnings(db!, SCHEDULER) : SCHEDULER ? [] : [schedulerOff];
  for (const { code, message } of warnings)
    yield warning(
      "scheduler",
      message,
      code === "SCHEDULER_OFF"
        ? "set SCHEDULER=true in at least one process, or unset it"
        : 'start the service, or check its log: docs/operations/background.md, "Due work gets no work orders"',
    );
  if (!warnings.length) yield ok("scheduler", SCHEDULER ? "work orders are created for due procedures" : "another process runs it");
}

async function* checkSecrets(db: Queryable, secrets: Secrets): Findings {
  const [there] = await db.query(`select 1 from pg_class where relname = 'Webhook' and pg_table_is_visible(oid)`);
  if (!there) return;
  try {
    await refuseMissingKey(db, secrets);
    if (secrets.isEncrypting) yield ok("secrets", "every secret in the database can be read with the keys that are set");
  } catch (error) {
    yield failure("secrets", reasonOf(error), "add the previous key to SECRETS_KEY_PREVIOUS");
  }
}

/** Checks the role that the service connects as. */
async function* checkPolicies(db: Queryable, { ROW_SECURITY }: Config): Findings {
  const [there] = await db.query(`select 1 from pg_proc where proname = 'tables_held_by_tenant' and pg_function_is_visible(oid)`);
  if (!there) return;
  try {
    await checkRowSecurity(db, ROW_SECURITY === "on");
    if (ROW_SECURITY === "on") yield ok("database", "row-level security restricts the service's role to one tenant at a time");
  } catch (error) {
    yield failure(
      "database",
      reasonOf(error),
      'the service does not start until this is fixed: docs/operations/database.md, "Row-level security"',
    );
  }
}

/** Checks the further connections that startup opens. */
async function* checkOthers(config: Config, checked: string): Findings {
  for (const name of ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"] as const) {
    const url = config[name];
    if (!url || name === checked) continue;
    try {
      const db = await connected(url, name);
      try {
        const [at] = await db.query<{ role: string; isStandby: boolean }>(
          `select current_user as role, pg_is_in_recovery() as "isStandby"`,
        );
        if (name === "DATABASE_REPLICA_URL" && !at!.isStandby)
          yield failure(
            "database",
            `${name} names a server that accepts writes, not a replica of this database`,
            'name a standby that follows the primary, or unset it: docs/operations/scale.md, "Read replica"',
          );
        else yield ok("database", `${name} is reachable, role ${at!.role}${at!.isStandby ? ", a standby" : ""}`);
        if (name === "DATABASE_URL") yield* checkPolicies(db, config);
      } finally {
        await db.close();
      }
    } catch (error) {
      yield failure("database", `${name}: ${reasonOf(error)}`, `correct ${name}, or start that server`);
    }
  }
}
