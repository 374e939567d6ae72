/** Groups rows by key. Keeps their order. */
export function groupBy<T, K>(rows: T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) groups.get(keyOf(row))?.push(row) ?? groups.set(keyOf(row), [row]);
  return groups;
}

/** The rows of each key, in the order of `keys`. */
export function groupsOf<T, K>(keys: readonly K[], rows: T[], keyOf: (row: T) => K): T[][] {
  const groups = groupBy(rows, keyOf);
  return keys.map((key) => groups.get(key) ?? []);
}
