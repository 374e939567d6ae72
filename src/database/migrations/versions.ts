/**
 * Compatibility of service versions with a database. Migrations expand the schema; later migrations contract it and thereby exclude older
 * versions.
 */

import { version } from "../../version.js";
import type { Queryable } from "../database.js";
import { tables } from "../rows/catalogue.js";

const numbers = (text: string) => text.split(/[.-]/, 3).map(Number);

/** Whether version `one` precedes `other`. Suffixes after the three numbers are ignored. */
export function isBefore(one: string, other: string): boolean {
  const [a, b] = [numbers(one), numbers(other)];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}

/** Throws if a later version's migrations removed objects that this version uses. */
export async function refuseOldVersion(db: Queryable, own = version()): Promise<void> {
  const [there] = await db.query(`select 1 from pg_proc where proname = 'least_service_version' and pg_function_is_visible(oid)`);
  if (!there) return;
  const [least] = await db.query<{ version: string }>(`select least_service_version() as version`);
  if (isBefore(own, least!.version))
    throw new Error(
      `this is version ${own}, and the database needs ${least!.version} or later since its last migration: start that version`,
    );
}

/** Throws if the database lacks a table or column that this version reads, regardless of its recorded migrations. */
export async function refuseMissingColumns(db: Queryable): Promise<void> {
  const needed = Object.entries(tables).flatMap(([table, { columns }]) => Object.keys(columns).map((column) => [table, column] as const));
  const missing = await db.query<{ name: string }>(
    `select relation || '.' || attribute as name from unnest($1::text[], $2::text[]) needed(relation, attribute)
     where not exists (select 1 from pg_attribute where attrelid = to_regclass(quote_ident(relation)) and attname = attribute and not attisdropped)
     order by 1`,
    [needed.map(([table]) => table), needed.map(([, column]) => column)],
  );
  if (missing.length) {
    const what =
      missing.length === 1
        ? `1 column that this version reads (${missing[0]!.name})`
        : `${missing.length} columns that this version reads (${missing[0]!.name}, …)`;
    throw new Error(`MIGRATE=off, and the database lacks ${what}; apply its migrations by: npm run -s cli -- migrate apply`);
  }
}
