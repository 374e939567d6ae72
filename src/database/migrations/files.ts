/** Migrations as they lie in prisma/migrations: folders in Prisma's own format. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "../package-files.js";

export interface Migration {
  /** `<time>_<name>`: they are applied in this order. */
  name: string;
  sql: string;
  /** As Prisma records it. */
  checksum: string;
  /** Begins with `-- online`: applied statement by statement, without a transaction around them. */
  isOnline: boolean;
}

export const checksumOf = (sql: string): string => createHash("sha256").update(sql).digest("hex");

/** In the heads of functions of two migrations, where only a superuser may say it; `plain_owner` has it in their bodies. */
const superuserClause = " SET gateway.moving = 'on'";

/** A script, or a statement of it, for a database that nobody else writes to: PGlite runs whole scripts, which no index is made beside. */
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
