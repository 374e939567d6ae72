/** Migrations in prisma/migrations: folders in Prisma's own format. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "./package-files.js";

export interface Migration {
  /** `<time>_<name>`. The names define the order of application. */
  name: string;
  sql: string;
  /** As Prisma records it. */
  checksum: string;
  /** Begins with `-- online`: applied statement by statement, without an enclosing transaction. */
  isOnline: boolean;
}

export const checksumOf = (sql: string): string => createHash("sha256").update(sql).digest("hex");

/** In the function headers of two migrations, where only a superuser may set it. `plain_owner` moves it to the bodies. */
const superuserClause = " SET gateway.moving = 'on'";

/**
 * Adapts a script or statement to a database without concurrent writers: PGlite runs whole scripts in a transaction, where concurrent index
 * builds fail.
 */
export const withoutConcurrency = (sql: string): string => sql.replace(/^(create\s+(?:unique\s+)?index)\s+concurrently\b/gim, "$1");

export const readMigrations = (folder = migrationsFolder): Migration[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name, "migration.sql"), "utf8");
      const sql = text.replaceAll(superuserClause, "");
      return { name, sql, checksum: checksumOf(text), isOnline: /^-- online\s*$/m.test(sql.split("\n", 1)[0]!) };
    });
