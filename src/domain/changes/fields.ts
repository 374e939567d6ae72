import type { FieldChange } from "../../schema/changes/change.js";

type Values = Record<string, unknown> | null;

/** The changed fields of a log entry, sorted by name. */
export function changedFields({ before, after }: { before: Values; after: Values }): FieldChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((field) => ({ field, before: before?.[field] ?? null, after: after?.[field] ?? null }));
}
