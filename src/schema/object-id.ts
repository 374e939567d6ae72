/** Ids of objects whose rows have none that is unique across all types. */

/** The id of an object that is identified by these values among those of its type. Only the last may contain a colon. */
export const composedId = (type: string, parts: readonly unknown[]): string => [type, ...parts].join(":");

/** The `count` values of an id that `composedId` made for the type; undefined for any other id. */
export function partsOfId(type: string, id: string, count: number): string[] | undefined {
  const parts = id.split(":");
  if (parts.shift() !== type || parts.length < count) return undefined;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(":")];
}
