/**
 * Codes and limits of `extensions.fieldErrors`, derived from the messages: scalars, resolvers and the domain phrase each mistake
 * identically for literals and variables. test/execution/field-codes.unit.test.ts checks the table against the messages in the source.
 */
import type { Code } from "../schema/errors.js";

export type FieldCode =
  | "REQUIRED"
  | "BLANK"
  | "TOO_LONG"
  | "OUT_OF_RANGE"
  | "INVALID_FORMAT"
  | "NOT_FOUND"
  | "TAKEN"
  | "CONFLICT"
  | "FORBIDDEN"
  | "INVALID";

/** Limits that the value exceeds. `exclusiveMin` and `exclusiveMax` are not valid values themselves. */
export interface FieldParams {
  min?: number;
  max?: number;
  exclusiveMin?: number;
  exclusiveMax?: number;
  multipleOf?: number;
  /** Counted unit: characters, items, days. Absent if the limit applies to the value itself. */
  unit?: string;
}

const number = String.raw`(-?[\d,]*\d(?:\.\d+)?)`;
const unit = "(?: ([a-zA-Z°%/³²]+))?";
const rule = (pattern: string) => new RegExp(`^${pattern}`);
const numberOf = (text: string | undefined) => Number(text!.replaceAll(",", ""));

type Rule = [pattern: RegExp, code: FieldCode, params?: (match: string[]) => FieldParams];

/** The first match applies. */
const rules: Rule[] = [
  [/^(or \w+ )?is required|^must not be null|^needs |^is missing|^is needed|^must (name|hold) at least one/, "REQUIRED"],
  [/^must not be (empty|blank)|^is empty/, "BLANK"],
  [rule(`must have at most ${number} decimal places`), "INVALID_FORMAT", ([, max]) => ({ max: numberOf(max), unit: "decimal places" })],
  [rule(`must (?:have|hold) at most ${number}${unit}`), "TOO_LONG", ([, max, of]) => ({ max: numberOf(max), unit: of ?? "items" })],
  [rule(`must not have more than ${number}${unit}`), "TOO_LONG", ([, max, of]) => ({ max: numberOf(max), unit: of ?? "items" })],
  [rule(`must be at most ${number} bytes of JSON`), "TOO_LONG", ([, max]) => ({ max: numberOf(max), unit: "bytes" })],
  [rule(`has more than ${number}${unit}`), "TOO_LONG", ([, max, of]) => ({ max: numberOf(max), unit: of ?? "items" })],
  [
    rule(`must (?:be|hold) (?:an integer |a number |a whole number )?(?:of (\\w+) )?(?:from )?${number} to ${number}${unit}`),
    "OUT_OF_RANGE",
    ([, of, min, max, counted]) => ({ min: numberOf(min), max: numberOf(max), ...((of ?? counted) && { unit: of ?? counted! }) }),
  ],
  [rule(`must be at least ${number}${unit}`), "OUT_OF_RANGE", ([, min, of]) => ({ min: numberOf(min), ...(of && { unit: of }) })],
  [rule(`must be at most ${number}${unit}`), "OUT_OF_RANGE", ([, max, of]) => ({ max: numberOf(max), ...(of && { unit: of }) })],
  [rule(`must be above ${number}`), "OUT_OF_RANGE", ([, min]) => ({ exclusiveMin: numberOf(min) })],
  [rule(`must be below ${number}${unit}`), "OUT_OF_RANGE", ([, max, of]) => ({ exclusiveMax: numberOf(max), ...(of && { unit: of }) })],
  [rule(`must be a multiple of ${number}`), "OUT_OF_RANGE", ([, of]) => ({ multipleOf: numberOf(of) })],
  [/^must be a positive number/, "OUT_OF_RANGE", () => ({ exclusiveMin: 0 })],
  [/^must not be negative/, "OUT_OF_RANGE", () => ({ min: 0 })],
  [/^must be negative/, "OUT_OF_RANGE", () => ({ exclusiveMax: 0 })],
  [/^must not be 0$|^must not be less than/, "OUT_OF_RANGE"],
  [/^must (not )?(be|lie) (before|after|above|below|in the future|at (least|most)) ?/, "OUT_OF_RANGE"],
  [/^(makes|takes|would (make|get)) more than|^exceeds|^come to more than/, "OUT_OF_RANGE"],
  [/^must ask for less than/, "OUT_OF_RANGE"],
  [/^names (no|nothing|nobody|something unknown)|^is no instance of|^is not on this sheet/, "NOT_FOUND"],
  [
    /^is (duplicated|the (order|number|date|key) of (another|\w+))|^is that of another record|already exists|^must not name one twice/,
    "TAKEN",
  ],
  [/^is not (a|one of) (this key's )?(cursor|token|time zone|JPG)|^is not text|^is not the SHA-256|^is no column/, "INVALID_FORMAT"],
  [
    /^must be (a|an|one of|true or false|valid|three|small|names|visible|UTF-8|CSV)\b|^must (map names|not contain)|^has a name that must not/,
    "INVALID_FORMAT",
  ],
  [/^must be ([A-Z]+, )*[A-Z]+ or [A-Z]+$|^must not be nested deeper/, "INVALID_FORMAT"],
  [/does not exist in "|cannot represent|^Expected value of type|is not defined by type|must specify exactly one key/, "INVALID_FORMAT"],
  [/^cannot be (read|converted)|^must have a letter|^must end with/, "INVALID_FORMAT"],
];

/** The code of a refused value. `code` is that of the whole error. */
export function fieldCodeOf(code: Code | string, message: string): { code: FieldCode; params?: FieldParams } {
  if (code === "FORBIDDEN") return { code };
  if (code === "CONFLICT") return { code: /already (exists|in stock)|in use already/.test(message) ? "TAKEN" : "CONFLICT" };
  for (const [pattern, found, paramsOf] of rules) {
    const match = pattern.exec(message);
    if (match) return { code: found, ...(paramsOf && { params: paramsOf(match) }) };
  }
  return { code: "INVALID" };
}
