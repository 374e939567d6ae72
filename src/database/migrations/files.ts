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

export const readMigrations = (folder = migrationsFolder): Migration[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: checksumOf(sql), isOnline: /^-- online\s*$/m.test(sql.split("\n", 1)[0]!) };
    });
