/** Scalars that validate their values. /openapi.json shows their `jsonSchema` extension. */
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from "graphql";
import { Temporal } from "temporal-polyfill";

const fail = (message: string): never => {
  throw new GraphQLError(message);
};

/** Parses a literal. Errors contain its location in the document. */
function literal<T>(node: ValueNode, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new GraphQLError((error as Error).message, { nodes: node });
  }
}

interface TextRule {
  name: string;
  description: string;
  min: number;
  max: number;
  specifiedByURL?: string;
  /** Required format of a value, and the error message for other values. */
  form?: { pattern: RegExp; message: string };
}

function textScalar({ name, description, min, max, specifiedByURL, form }: TextRule): GraphQLScalarType {
  const parse = (value: unknown): string => {
    if (typeof value !== "string") return fail("must be a string");
    if (min > 0 && value.trim() === "") return fail("must not be empty");
    if (value.length > max) return fail(`must have at most ${max} characters`);
    if (form && !form.pattern.test(value)) return fail(form.message);
    return value;
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    specifiedByURL,
    serialize: String,
    parseValue: parse,
    parseLiteral: (node) => literal(node, () => parse(node.kind === Kind.STRING ? node.value : undefined)),
    extensions: { jsonSchema: { type: "string", ...(min && { minLength: min }), maxLength: max } },
  });
}

export const Name = textScalar({ name: "Name", description: "A string that is not blank, at most 255 characters.", min: 1, max: 255 });
export const Url = textScalar({
  name: "URL",
  description: "An absolute URL. URLs in input have at most 255 characters.",
  min: 1,
  max: 255,
  specifiedByURL: "https://url.spec.whatwg.org/",
});
export const EmailAddress = textScalar({
  name: "EmailAddress",
  description: "An e-mail address. Addresses in input have at most 254 characters. Deliverability is not checked.",
  min: 1,
  max: 254,
  specifiedByURL: "https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2",
  form: { pattern: /^[^\s@]+@[^\s@]+$/, message: "must be an e-mail address such as anna@example.com" },
});
export const ShortText = textScalar({ name: "ShortText", description: "A string of at most 255 characters.", min: 0, max: 255 });
export const Place = textScalar({ name: "Place", description: "The name of a site or area, of at most 150 characters.", min: 0, max: 150 });
export const PlaceName = textScalar({
  name: "PlaceName",
  description: "The name of a recorded site or area: not blank, at most 150 characters.",
  min: 1,
  max: 150,
});
export const PlaceCode = textScalar({
  name: "PlaceCode",
  description: "The code of a site or area: not blank, at most 50 characters.",
  min: 1,
  max: 50,
});
export const StockSite = textScalar({
  name: "StockSite",
  description: "The name of a site with stock: not blank, at most 150 characters.",
  min: 1,
  max: 150,
});
export const Text = textScalar({ name: "Text", description: "A string of at most 10,000 characters.", min: 0, max: 10_000 });
export const RequiredText = textScalar({
  name: "RequiredText",
  description: "A string that is not blank, at most 10,000 characters.",
  min: 1,
  max: 10_000,
});
export const CodeWord = textScalar({
  name: "CodeWord",
  description: "A word of code lists: lower-case letters, digits and hyphens, at most 50 characters.",
  min: 1,
  max: 50,
  form: {
    pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
    message: "must be small letters and digits, words joined by hyphens, such as heat-exchanger",
  },
});
export const Currency = textScalar({
  name: "Currency",
  description: "A currency code: three capital letters as in ISO 4217, such as EUR.",
  min: 1,
  max: 3,
  specifiedByURL: "https://www.iso.org/iso-4217-currency-codes.html",
  form: { pattern: /^[A-Z]{3}$/, message: "must be three capital letters as in ISO 4217, such as EUR" },
});

/** Parses ISO 8601 with or without a zone (default: UTC), or a calendar date. Throws GraphQLError, also for 30 February. */
export function parseDateTime(value: unknown): Date {
  if (typeof value !== "string") return fail("must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z");
  try {
    const instant =
      /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value) && value.includes("T")
        ? Temporal.Instant.from(value)
        : Temporal.PlainDateTime.from(value, { overflow: "reject" }).toZonedDateTime("UTC").toInstant();
    const date = new Date(instant.epochMilliseconds);
    const year = date.getUTCFullYear();
    if (year >= 1 && year <= 9999) return date;
  } catch {
    // The error below replaces Temporal's.
  }
  return fail(`must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z`);
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: "DateTime",
  specifiedByURL: "https://www.rfc-editor.org/rfc/rfc3339",
  description: "A point in time in UTC, as ISO 8601 (2024-05-01T08:00:00.000Z). A calendar date is accepted and means midnight.",
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  parseValue: parseDateTime,
  parseLiteral: (node) => literal(node, () => parseDateTime(node.kind === Kind.STRING ? node.value : undefined)),
  extensions: { jsonSchema: { type: "string", format: "date-time" } },
});

const parseCalendarDate = (value: unknown): string => {
  try {
    if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) return Temporal.PlainDate.from(value).toString();
  } catch {
    // The error below replaces Temporal's.
  }
  return fail("must be a calendar date such as 2024-05-01");
};

export const CalendarDate = new GraphQLScalarType<string, string>({
  name: "CalendarDate",
  specifiedByURL: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
  description: "A calendar date without a time zone, such as 2024-05-01.",
  serialize: String,
  parseValue: parseCalendarDate,
  parseLiteral: (node) => literal(node, () => parseCalendarDate(node.kind === Kind.STRING ? node.value : undefined)),
  extensions: { jsonSchema: { type: "string", format: "date" } },
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

export const jsonSpecification = "https://www.rfc-editor.org/rfc/rfc8259";

/** Maximum size of a stored JSON value in bytes. */
const maxJson = 65_536;

export class JsonTooLarge extends GraphQLError {}

/**
 * Returns the value if it is small enough to store. Each change stores it twice, before and after, and responses contain hundreds of
 * records.
 */
function bounded<T>(value: T): T {
  if (Buffer.byteLength(JSON.stringify(value)) > maxJson) throw new JsonTooLarge(`must be at most ${maxJson} bytes of JSON`);
  return value;
}

const parseStringMap = (value: unknown): Record<string, string> => {
  if (!isObject(value)) return fail("must be an object from name to string");
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== "string") fail(`must map names to strings; "${key.slice(0, 50)}" is not a string`);
  }
  return bounded(value as Record<string, string>);
};

export const StringMap = new GraphQLScalarType({
  name: "StringMap",
  specifiedByURL: jsonSpecification,
  description: "A JSON object whose values are strings. Objects in input have at most 64 KB.",
  serialize: (value) => value,
  parseValue: parseStringMap,
  parseLiteral: (node, variables) => literal(node, () => parseStringMap(valueFromASTUntyped(node, variables))),
  extensions: { jsonSchema: { type: "object", additionalProperties: { type: "string" } } },
});

const parseProperties = (value: unknown): Record<string, unknown> => (isObject(value) ? bounded(value) : fail("must be an object"));

export const JSONObject = new GraphQLScalarType({
  name: "JSONObject",
  specifiedByURL: jsonSpecification,
  description: "A JSON object with custom keys and values. Objects in input have at most 64 KB.",
  serialize: (value) => value,
  parseValue: parseProperties,
  parseLiteral: (node, variables) => literal(node, () => parseProperties(valueFromASTUntyped(node, variables))),
  extensions: { jsonSchema: { type: "object" } },
});

/** Any JSON value. Output only. */
export const JSONValue = new GraphQLScalarType({
  name: "JSON",
  specifiedByURL: jsonSpecification,
  description: "Any JSON value.",
  serialize: (value) => value,
  extensions: { jsonSchema: {} },
});

interface NumberRule {
  name: string;
  description: string;
  check(value: number): string | undefined;
  jsonSchema: object;
}

/** Decimals below 10^12 with at most 4 places, which the database stores exactly. */
const numberScalar = (rule: NumberRule) =>
  numberOf({
    ...rule,
    check(value) {
      if (Math.abs(value) >= 1e12) return "must be below 1,000,000,000,000";
      return Number(value.toFixed(4)) === value ? rule.check(value) : "must have at most 4 decimal places";
    },
  });

function numberOf({ name, description, check, jsonSchema }: NumberRule): GraphQLScalarType<number, number> {
  const parse = (value: unknown): number => {
    if (typeof value !== "number" || !Number.isFinite(value)) return fail("must be a number");
    const problem = check(value);
    return problem ? fail(problem) : value;
  };
  return new GraphQLScalarType({
    name,
    description,
    serialize: Number,
    parseValue: parse,
    parseLiteral: (node) => literal(node, () => parse(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined)),
    extensions: { jsonSchema: { type: "number", ...jsonSchema } },
  });
}

export const Decimal = new GraphQLScalarType<string, string>({
  name: "Decimal",
  specifiedByURL: "https://www.w3.org/TR/xmlschema11-2/#decimal",
  description: "An exact decimal as text, such as `12.5`: all digits as stored, without trailing zeros.",
  serialize: String,
  extensions: { jsonSchema: { type: "string" } },
});

export const NonZero = numberScalar({
  name: "NonZero",
  description: "A number other than 0, with at most 4 decimal places.",
  check: (value) => (value === 0 ? "must not be 0" : undefined),
  jsonSchema: {},
});
export const Positive = numberScalar({
  name: "Positive",
  description: "A number above 0, with at most 4 decimal places.",
  check: (value) => (value > 0 ? undefined : "must be a positive number"),
  jsonSchema: { exclusiveMinimum: 0 },
});
export const NonNegative = numberScalar({
  name: "NonNegative",
  description: "A number of at least 0, with at most 4 decimal places.",
  check: (value) => (value >= 0 ? undefined : "must not be negative"),
  jsonSchema: { minimum: 0 },
});

export const Days = numberScalar({
  name: "Days",
  description: "A number from 0 to 3,660, with at most 4 decimal places.",
  check: (value) => (value >= 0 && value <= 3660 ? undefined : "must be a number from 0 to 3660"),
  jsonSchema: { minimum: 0, maximum: 3660 },
});

export const Measure = numberOf({
  name: "Measure",
  description: "A measured value: any finite number.",
  check: () => undefined,
  jsonSchema: {},
});

const wholeNumber = (name: string, description: string, min: number, max: number) =>
  numberScalar({
    name,
    description,
    check: (value) =>
      Number.isInteger(value) && value >= min && value <= max ? undefined : `must be a whole number from ${min} to ${max}`,
    jsonSchema: { type: "integer", minimum: min, maximum: max },
  });

export const WholeNumber = wholeNumber("WholeNumber", "A whole number from 1 to 100,000.", 1, 100_000);
export const Rating = wholeNumber("Rating", "A whole number from 1 to 5.", 1, 5);

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const parseWeekday = (value: unknown): string =>
  typeof value === "string" && (weekdays as readonly string[]).includes(value.toLowerCase())
    ? value
    : fail(`must be one of ${weekdays.join(", ")}`);

export const Weekday = new GraphQLScalarType<string, string>({
  name: "Weekday",
  description: "A day of the week in English. Case-insensitive.",
  serialize: String,
  parseValue: parseWeekday,
  parseLiteral: (node) => literal(node, () => parseWeekday(node.kind === Kind.STRING ? node.value : undefined)),
  extensions: { jsonSchema: { type: "string" } },
});
