/** Numbers typed in the console: decimal signs and thousands by language, and texts with two meanings. */
import { expect, test } from "vitest";
import { typedNumber, writtenNumber } from "../../console/src/parts/typed-number.js";

const twice = (fraction: number, whole: number) => ({ fraction, whole });

test.each([
  ["de", "15,7", 15.7],
  ["de", "15.7", 15.7],
  ["de", " -2 ", -2],
  ["de", "+0,25", 0.25],
  ["de", "5,", 5],
  ["de", ",5", 0.5],
  ["de", "1.000", twice(1, 1000)],
  ["de", "-1.234", twice(-1.234, -1234)],
  ["de", "1,000", 1],
  ["de", "0.125", 0.125],
  ["de", "1234.567", 1234.567],
  ["de", "1.234,5", 1234.5],
  ["nl", "1.234,5", 1234.5],
  ["es", "1.234,5", 1234.5],
  ["de", "12.345.678", 12_345_678],
  ["de", "1.23.456", undefined],
  ["de", "1,234.5", undefined],
  ["de-CH", "1’234.5", 1234.5],
  ["fr", "1 234,5", 1234.5],
  ["fr", "1\u202f234\u202f567", 1_234_567],
  ["fr", "1.234", twice(1.234, 1234)],
  ["fr", "12 34", undefined],
  ["en", "1,234.5", 1234.5],
  ["en", "15,7", 15.7],
  ["en", "1,000", twice(1, 1000)],
  ["en", "1.000", 1],
  ["en", "", undefined],
  ["en", "-", undefined],
  ["en", "1e3", undefined],
  ["en", "0x10", undefined],
  ["en", "12 kg", undefined],
])("%s: %s", (locale, text, value) => expect(typedNumber(text, locale)).toEqual(value));

test.each([
  ["de", 1234.5, "1234,5"],
  ["en", 1234.5, "1234.5"],
  ["fr", -0.0000001, "-0,0000001"],
  ["es", 1_000_000, "1000000"],
])("%s: %s is shown as %s and read again", (locale, value, text) => {
  expect(writtenNumber(value, locale)).toBe(text);
  expect(typedNumber(text, locale)).toBe(value);
});
