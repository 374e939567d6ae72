/** Validates search parameters of addresses. Invalid values become undefined. */

export type Raw = Record<string, unknown>;
/** A search parameter as text. Numbers become text. */
export const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value).slice(0, 200) : undefined;
/** At most four different texts. Undefined if none is given. */
export function texts(value: unknown): string[] | undefined {
  const found = (Array.isArray(value) ? value : [value]).flatMap((one) => text(one) ?? []);
  return found.length ? [...new Set(found)].slice(0, 4) : undefined;
}
export const oneOf =
  <const T extends readonly string[]>(...words: T) =>
  (value: unknown): T[number] | undefined =>
    words.includes(value as string) ? (value as T[number]) : undefined;

/** Optional parameters can also be omitted from links. */
export const known = <T extends Raw>(values: T): { [K in keyof T]?: T[K] } => values;

export const monthText = (value: unknown) => (typeof value === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : undefined);

export const dayText = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
