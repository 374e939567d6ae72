/** The codes of rejected fields are derived from messages: every message in the source maps to the expected code. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { fieldCodeOf } from "../../src/execution/field-codes.js";

it.each<[string, string, object?]>([
  ["or componentId is required", "REQUIRED"],
  ["needs a batch number or serial numbers", "REQUIRED"],
  ["must not be blank", "BLANK"],
  ["must have at most 65536 characters", "TOO_LONG", { max: 65536, unit: "characters" }],
  ["must hold at most 4", "TOO_LONG", { max: 4, unit: "items" }],
  ["has more than 5,000 rows; split the file", "TOO_LONG", { max: 5000, unit: "rows" }],
  ["must be at most 65536 bytes of JSON", "TOO_LONG", { max: 65536, unit: "bytes" }],
  ["must have at most 4 decimal places", "INVALID_FORMAT", { max: 4, unit: "decimal places" }],
  ["must be a whole number from 1 to 5", "OUT_OF_RANGE", { min: 1, max: 5 }],
  ["must be a whole number of seconds from 0 to 300", "OUT_OF_RANGE", { min: 0, max: 300, unit: "seconds" }],
  ["must hold 1 to 1000 ids", "OUT_OF_RANGE", { min: 1, max: 1000, unit: "ids" }],
  ["must be at most 400 days after from", "OUT_OF_RANGE", { max: 400, unit: "days" }],
  ["must be below 500.5 h, where the meter begins again", "OUT_OF_RANGE", { exclusiveMax: 500.5, unit: "h" }],
  ["must not be above maximumStock", "OUT_OF_RANGE"],
  ["must be in the future", "OUT_OF_RANGE"],
  ["must not be before from", "OUT_OF_RANGE"],
  ["names no active person who may work at the asset's site", "NOT_FOUND"],
  ["is the number of another part", "TAKEN"],
  ["must be a calendar date such as 2024-05-01", "INVALID_FORMAT"],
  ["must not contain NUL characters", "INVALID_FORMAT"],
  ["must be CSV, but is an Excel workbook; in Excel, save it with the file type CSV UTF-8 (comma delimited)", "INVALID_FORMAT"],
  ["must be the notification's asset, or left out", "INVALID"],
  ["must be left out where instanceIds are given", "INVALID"],
])("%s", (message, code, params) => expect(fieldCodeOf("BAD_USER_INPUT", message)).toEqual({ code, ...(params && { params }) }));

it.each([
  ["CONFLICT", "A site with this name already exists", "TAKEN"],
  ["CONFLICT", "Insufficient stock", "CONFLICT"],
  ["FORBIDDEN", "is required", "FORBIDDEN"],
])("%s: %s", (whole, message, code) => expect(fieldCodeOf(whole, message)).toEqual({ code }));

/** Messages of scalars, and literal messages of input errors. */
const messages = ["schema", "domain", "resolvers", "execution", "database"].flatMap((layer) =>
  readdirSync(new URL(`../../src/${layer}/`, import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("generated"))
    .flatMap((file) => [
      ...readFileSync(new URL(`../../src/${layer}/${file}`, import.meta.url), "utf8").matchAll(
        /(?:badInput\(\{ [\w".\][]+: |fail\()"([^"]+)"/g,
      ),
    ])
    .map(([, message]) => message!),
);

test("few messages say no more than INVALID", () => {
  expect(messages.length).toBeGreaterThan(100);
  const invalid = messages.filter((message) => fieldCodeOf("BAD_USER_INPUT", message).code === "INVALID");
  expect(
    invalid.filter((message) =>
      /^(is required|names no|must not be (empty|blank|null|before|after|in the future)|must be (a|an) )/.test(message),
    ),
  ).toEqual([]);
  expect(invalid.length / messages.length).toBeLessThan(0.4);
});
