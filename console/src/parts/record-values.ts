/** Values of a form over a record, as texts, and the input that stores them. */
import { t } from "@lingui/core/macro";
import { notANumber, numberOf, numberText } from "./words.js";
import { dayAt, instantAt } from "./zones.js";

type Option = string | readonly [value: string, label: string];

export interface FieldSpec {
  /** Path in the record and in the input, such as `supplier.name`. */
  name: string;
  label: string;
  /** `pairs` are names and values, one pair a line. Default: a line of text. */
  kind?: "number" | "day" | "long" | "choice" | "flag" | "pairs";
  required?: boolean;
  /** Empty means an empty text, not null. */
  keepsEmpty?: boolean;
  hint?: string;
  /** Suggestions. A `choice` accepts nothing else. */
  options?: readonly Option[];
}
export type Values = Record<string, string>;

export const optionOf = (option: Option): readonly [value: string, label: string] =>
  typeof option === "string" ? [option, option] : option;

const read = (record: unknown, name: string): unknown =>
  name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], record);

function textOf({ kind }: FieldSpec, value: unknown, site: string | undefined): string {
  if (value == null || value === false) return "";
  if (kind === "day") return dayAt(value as string, site);
  if (kind === "pairs")
    return Object.entries(value)
      .map((pair) => pair.join(": "))
      .join("\n");
  return typeof value === "number" ? numberText(value) : String(value);
}

/** The record's values. Without a record, all are empty. */
export const valuesOf = (specs: readonly FieldSpec[], record?: object, site?: string): Values =>
  Object.fromEntries(specs.map((spec) => [spec.name, textOf(spec, read(record, spec.name), site)]));

/** Why a text cannot be stored. The service checks everything else. */
export function unreadable({ kind }: FieldSpec, text: string): string | undefined {
  if (!text.trim()) return undefined;
  if (kind === "number") return notANumber(text);
  if (kind === "pairs" && text.split("\n").some((line) => line.trim() && !/^[^:]*\S[^:]*:/.test(line)))
    return t`Each line needs a name, a colon and a value`;
  return undefined;
}

/** The value for the input. Days are sent as noon at the site, which is the same day in nearly every time zone. */
function inputValue({ kind, required, keepsEmpty }: FieldSpec, text: string, site: string | undefined): unknown {
  if (kind === "flag") return text !== "";
  if (kind === "pairs")
    return Object.fromEntries(
      text
        .split("\n")
        .filter((line) => line.trim())
        .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]),
    );
  if (!text) return required || keepsEmpty ? "" : null;
  if (kind === "number") return numberOf(text);
  return kind === "day" ? instantAt(text, "12:00", site).toISOString() : text;
}

/** The changed values. Of an object such as `supplier`, all are sent, because the service replaces it as a whole. */
export function inputOf(specs: readonly FieldSpec[], before: Values, after: Values, site?: string): Record<string, unknown> {
  const isChanged = ({ name }: FieldSpec) => after[name]!.trim() !== before[name];
  const rootOf = ({ name }: FieldSpec) => name.split(".")[0];
  const roots = new Set(specs.filter(isChanged).map(rootOf));
  const input: Record<string, unknown> = {};
  for (const spec of specs.filter((one) => roots.has(rootOf(one)))) {
    const path = spec.name.split(".");
    let at = input;
    for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[path.at(-1)!] = inputValue(spec, after[spec.name]!.trim(), site);
  }
  return input;
}
