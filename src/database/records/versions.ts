/**
 * Expected record versions. The writing statement has the version as a condition, so that only one of several writers with the same version
 * succeeds. The record is read, for the error, only if that statement finds no row.
 */
import { conflict, type ServiceError } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { TenantQueryable } from "../database.js";
import { type Table, tables } from "../rows/catalogue.js";
import { idOfRow, keyOf, typeOfTable } from "./logged.js";

/** The condition of a write by `db.records`. */
export const atVersion = <V extends number | string>(expected: Expected<V>): { version?: V } =>
  expected == null ? {} : { version: expected };

/** The condition of a statement. `value` is the placeholder of the expected version, which may be null. */
export const atVersionSql = (alias: string, value: string): string => `(${value}::int is null or ${alias}.version = ${value})`;

/**
 * The error for a record that a write did not find at the expected version: CONFLICT with the current version and the fields changed since.
 * Undefined if no version was expected, the record has that version, or the record is unknown or deleted. `key` is its id, or the columns
 * of its key.
 */
export async function versionConflict(
  db: TenantQueryable,
  table: Table,
  key: string | string[],
  expected: Expected<number | string>,
): Promise<ServiceError | undefined> {
  if (expected == null) return undefined;
  const { noun, columns } = tables[table];
  const keys = [key].flat();
  const matches = keyOf(table).map((column, i) => ` and r."${column}" = $${i + 4}`);
  const live = columns.deletedAt ? ` and r."deletedAt" is null` : "";
  const isNumbered = columns.version!.type === "Int";
  const ofRecord = `c."tenantId" = $1 and c."recordType" = '${typeOfTable(table)}' and c."recordId" = $2`;
  // Parts of a record have log entries without a version, in the transaction of the record's entry. A template's version is text, so its
  // entry is looked up.
  const since = isNumbered
    ? `c."logTransaction" in (select c."logTransaction" from "Change" c where ${ofRecord} and c.version > $3::int)`
    : `(c."logTransaction", c."logSequence") > (select c."logTransaction", c."logSequence" from "Change" c where ${ofRecord} and c.after ->> 'version' = $3 limit 1)`;
  const [found] = await db.query<{ version: number | string; changedFields: string[] }>(
    `select r.version, array(
       select distinct split_part(field, '.', 1) from "Change" c, jsonb_object_keys(coalesce(c.before, '{}') || coalesce(c.after, '{}')) field
       where ${ofRecord} and field <> 'version' and ${since} order by 1
     ) as "changedFields"
     from "${table}" r where r."tenantId" = $1${matches.join("")}${live} and r.version <> $3${isNumbered ? "::int" : ""}`,
    idOfRow(table, keys),
    expected,
    ...keys,
  );
  if (!found) return undefined;
  const message = `The ${noun} is at version ${found.version} now, not at ${expected}`;
  return conflict(message, { expectedVersion: expected, ...found }).about("expectedVersion");
}
