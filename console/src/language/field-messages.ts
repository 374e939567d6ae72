/** Texts of rejected fields in the console's language, by the codes of docs/graphql.md ("Field errors"). */
import { plural, t } from "@lingui/core/macro";
import { language, locale } from "./language.js";

export interface FieldError {
  path: (string | number)[];
  message: string;
  code?: string;
  params?: { min?: number; max?: number; exclusiveMin?: number; exclusiveMax?: number; multipleOf?: number; unit?: string };
}

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 10 });

function tooLong(max: number, unit: string | undefined): string | undefined {
  if (unit === "characters") return plural(max, { one: "at most # character", other: "at most # characters" });
  if (unit === "items") return plural(max, { one: "at most # entry", other: "at most # entries" });
  return undefined;
}

function outOfRange({
  min,
  max,
  exclusiveMin,
  exclusiveMax,
  multipleOf,
  unit = "",
}: NonNullable<FieldError["params"]>): string | undefined {
  const figure = (value: number) => numbers.format(value);
  if (unit && !/^[°%/³²]|^.{1,3}$/.test(unit)) return undefined;
  if (multipleOf !== undefined) return t`a multiple of ${figure(multipleOf)} ${unit}`.trim();
  if (min !== undefined && max !== undefined) return t`from ${figure(min)} to ${figure(max)} ${unit}`.trim();
  if (min !== undefined) return t`at least ${figure(min)} ${unit}`.trim();
  if (max !== undefined) return t`at most ${figure(max)} ${unit}`.trim();
  if (exclusiveMin !== undefined) return t`more than ${figure(exclusiveMin)} ${unit}`.trim();
  if (exclusiveMax !== undefined) return t`less than ${figure(exclusiveMax)} ${unit}`.trim();
  return undefined;
}

/** The service's message is English and more specific. Other languages say what the code says, and fall back to the message. */
export function fieldMessage({ code, message, params }: FieldError): string {
  if (language === "en") return message;
  switch (code) {
    case "REQUIRED":
    case "BLANK":
      return t`is required`;
    case "INVALID_FORMAT":
      return t`has the wrong format`;
    case "NOT_FOUND":
      return t`is unknown`;
    case "TAKEN":
      return t`is already in use`;
    case "TOO_LONG":
      return (params?.max !== undefined && tooLong(params.max, params.unit)) || message;
    case "OUT_OF_RANGE":
      return (params && outOfRange(params)) || message;
    default:
      return message;
  }
}
