/** Ids of objects whose rows have no id that is unique across all types. */

/** Returns the id of an object from values that identify it within its type. Only the last value may contain a colon. */
export const composedId = (type: string, parts: readonly unknown[]): string => [type, ...parts].join(":");

/** Returns the `count` values of an id that `composedId` made for the type. Undefined for any other id. */
export function partsOfId(type: string, id: string, count: number): string[] | undefined {
  const parts = id.split(":");
  if (parts.shift() !== type || parts.length < count) return undefined;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(":")];
}
