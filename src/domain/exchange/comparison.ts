/** Compares rows with existing records, and maps domain errors to problems of rows. */
import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "../../schema/errors.js";
import type { Fields, Problem } from "./sheet.js";

const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

/** The fields of a row that differ from the record. Numbers are compared by value. */
export function differing(fields: Fields, record: Fields, numbers: ReadonlySet<string>): string[] {
  const isSame = (name: string) => {
    const [sent, stored] = [plain(fields[name]), plain(record[name])];
    if (numbers.has(name)) return stored != null && Number(sent) === Number(stored);
    return isDeepStrictEqual(sent, stored);
  };
  return Object.keys(fields).filter((name) => !isSame(name));
}

/** Maps an error about a row's values to a problem. Rethrows every other error. */
export function problemOf(error: unknown, fields: Fields): Problem {
  if (!(error instanceof ServiceError) || !["BAD_USER_INPUT", "CONFLICT", "NOT_FOUND", "FORBIDDEN"].includes(error.code)) throw error;
  const details = error.context.details;
  const [entry] = typeof details === "object" && details !== null ? Object.entries(details) : [];
  if (!entry) return { message: [error.message, error.context.reason].filter(Boolean).join(": ") };
  const [path, message] = entry as [string, string];
  const [field] = path.split(".");
  return { field, message: path === field ? message : `${path} ${message}`, value: shownCell(fields[field!]) };
}

/** A value for display, shortened. JSON cells are shown as JSON. */
const shownCell = (value: unknown): string =>
  (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "")).slice(0, 200);
