import type { MigrationConnection } from "./connection.js";
import type { Migration } from "./files.js";
import { missingOf, standings } from "./history.js";
import { applyOnline } from "./online.js";
import { type Patience, takeTurn } from "./others.js";
import { applyTogether } from "./together.js";

/** Groups migrations in order: consecutive transactional ones share a group, each online migration has its own. */
function groupsOf(migrations: Migration[]): Migration[][] {
  const groups: Migration[][] = [];
  for (const migration of migrations) {
    const last = groups.at(-1);
    if (last && !migration.isOnline && !last[0]!.isOnline) last.push(migration);
    else groups.push([migration]);
  }
  return groups;
}

const missingAmong = async (connection: MigrationConnection, migrations: Migration[]): Promise<Migration[]> => {
  const names = new Set(missingOf(await standings(connection, migrations)).map(({ name }) => name));
  return migrations.filter(({ name }) => names.has(name));
};

/** Applies migrations on a server, under the lock. Rereads the history, since another process may have applied them before. */
async function applyInTurn(connection: MigrationConnection, migrations: Migration[], patience: Patience): Promise<string[]> {
  const missing = await missingAmong(connection, migrations);
  for (const group of groupsOf(missing)) {
    if (group[0]!.isOnline) await applyOnline(connection, group[0]!, patience);
    else await applyTogether(connection, group, patience);
  }
  return missing.map(({ name }) => name);
}

async function refuseServiceRole(connection: MigrationConnection): Promise<void> {
  const [role] = await connection.query<{ mayCreate: boolean }>(`select has_schema_privilege(current_schema(), 'CREATE') as "mayCreate"`);
  if (!role!.mayCreate)
    throw new Error(
      "the database lacks migrations that the role in DATABASE_URL may not apply: name its owner's URL in DATABASE_MIGRATE_URL",
    );
}

/** Applies the missing migrations and returns their names. Processes that start at the same time do so one after the other. */
export async function applyMissing(connection: MigrationConnection, migrations: Migration[], patience: Patience): Promise<string[]> {
  if (!(await missingAmong(connection, migrations)).length) return [];
  if (connection.kind === "embedded") return applyInTurn(connection, migrations, patience);
  await refuseServiceRole(connection);
  const giveBack = await takeTurn(connection, patience);
  try {
    return await applyInTurn(connection, migrations, patience);
  } finally {
    // Losing the connection has released the lock.
    await giveBack().catch(() => {});
  }
}
