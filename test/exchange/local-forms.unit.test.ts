/** Dates and numbers as spreadsheets write them (src/domain/exchange/local-forms.ts), and header names. */
import { describe, expect, test } from "vitest";
import { columnFinder } from "../../src/domain/exchange/header-names.js";
import { decimalOf, instantOf } from "../../src/domain/exchange/local-forms.js";
import { sheets } from "../../src/domain/exchange/sheets.js";
import type { CsvSeparator } from "../../src/schema/exchange/enums.js";

describe("dates", () => {
  test.each([
    ["2020-12-31", "2020-12-31T00:00:00.000Z"],
    ["2020-12-31 14:30", "2020-12-31T14:30:00.000Z"],
    ["2020-12-31T14:30:00+02:00", "2020-12-31T12:30:00.000Z"],
    ["31.12.2020", "2020-12-31T00:00:00.000Z"],
    ["03.04.2020", "2020-04-03T00:00:00.000Z"],
    [" 3. 4. 2020 ", "2020-04-03T00:00:00.000Z"],
    ["31.12.2020 7:05", "2020-12-31T07:05:00.000Z"],
    ["31.12.2020, 14:30:59", "2020-12-31T14:30:59.000Z"],
    ["31.12.2020 7:05:09", "2020-12-31T07:05:09.000Z"],
    ["31/12/2020", "2020-12-31T00:00:00.000Z"],
    ["12/31/2020 08:00", "2020-12-31T08:00:00.000Z"],
    ["31-12-2020", "2020-12-31T00:00:00.000Z"],
    ["04/04/2020", "2020-04-04T00:00:00.000Z"],
  ])("%j is %s", (cell, time) => expect(instantOf(cell).toISOString()).toBe(time));

  const twofold = "can be read as two dates; write the date as 2020-12-31 or 31.12.2020";
  const missing = "is not a date of the calendar; write the date as 2020-12-31 or 31.12.2020";
  test.each([
    ["03/04/2020", twofold],
    ["3-4-2020 10:00", twofold],
    ["31.02.2020", missing],
    ["13/13/2020", missing],
    ["31.12.2020 25:00", missing],
    ["31.12.20", "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z"],
  ])("%j is refused", (cell, message) => expect(() => instantOf(cell)).toThrow(message));
});

describe("numbers", () => {
  test.each<[string, CsvSeparator, string]>([
    ["12,5", "semicolon", "12.5"],
    ["-0,125", "semicolon", "-0.125"],
    [",5", "tab", ".5"],
    ["1.234,5", "semicolon", "1234.5"],
    ["1.234.567,25", "tab", "1234567.25"],
    ["1,234", "semicolon", "1.234"],
    ["12.5", "semicolon", "12.5"],
    ["0.125", "semicolon", "0.125"],
    ["1500", "semicolon", "1500"],
    ["1.234", "comma", "1.234"],
    ["12,5", "comma", "12,5"],
  ])("%j with %s is %s", (cell, separator, digits) => expect(decimalOf(cell, separator)).toBe(digits));

  test.each<[string, CsvSeparator, string]>([
    ["1.500", "semicolon", "can be read as two numbers; write 1500, or 1.5000 for a fraction"],
    ["1,500", "tab", "can be read as two numbers; write 1500, or 1.5000 for a fraction"],
  ])("%j with %s is refused", (cell, separator, message) => expect(() => decimalOf(cell, separator)).toThrow(message));
});

describe("header names", () => {
  test.each([
    ["assets", "NAME", "name"],
    ["assets", "Serial Number", "serialNumber"],
    ["assets", "serial_number", "serialNumber"],
    ["assets", "Serien-Nr.", "serialNumber"],
    ["assets", "Inbetriebnahme", "installDate"],
    ["parts", "Part no.", "partNumber"],
    ["parts", "Unit", "unitOfMeasure"],
    ["readings", "Unit", "unit"],
    ["stock", "Lagerplatz", "location"],
    ["stock", "Qty", "quantity"],
  ] as const)("of %s: %s is %s", (sheet, header, name) => expect(columnFinder(sheets[sheet].columns)(header)?.names[0]).toBe(name));

  test.each(Object.values(sheets))("every column of $name is found by its own name", ({ columns }) => {
    const columnOf = columnFinder(columns);
    for (const column of columns) for (const name of column.names) expect(columnOf(name)).toBe(column);
  });
});
