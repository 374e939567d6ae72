/**
 * Asset rows as CSV cells, written and read back. A value that a spreadsheet would run as a formula gets an apostrophe (docs/interface.md
 * 4.1, import).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assetColumns } from "../../src/domain/exchange/asset-sheet.js";
import { headerOf, readRow, writeRow } from "../../src/domain/exchange/cells.js";
import { columnFinder } from "../../src/domain/exchange/header-names.js";

const columnOf = columnFinder(assetColumns);
const header = headerOf(assetColumns);

const read = (given: Record<string, string>) => {
  const names = Object.keys(given);
  return readRow(
    Object.values(given),
    names.map((name) => ({ name, column: columnOf(name)! })),
  );
};
/** In addition to the required cells. */
const fieldsOf = (given: Record<string, string>) => {
  const { fields, problems } = read({ name: "N", type: "T", ...given });
  expect(problems).toEqual([]);
  const { name, type, ...others } = fields;
  expect([name, type]).toEqual([given.name ?? "N", given.type ?? "T"]);
  return others;
};
const written = (asset: Record<string, unknown>) => {
  const cells = writeRow(assetColumns, { name: "N", type: "T", ...asset });
  return Object.fromEntries(header.flatMap((name, i) => (cells[i] && !["name", "type"].includes(name) ? [[name, cells[i]]] : [])));
};

test("the header consists of the documented names", () => {
  expect(header).toEqual([
    "name",
    "type",
    "location",
    "serialNumber",
    "manufacturer",
    "model",
    "installDate",
    "description",
    "category",
    "criticality",
    "status",
    "site",
    "area",
    "lastMaintenanceDate",
    "nextMaintenanceDate",
    "customFields",
  ]);
});

test.each([
  ["installDate", "installationDate"],
  ["installationDate", "installationDate"],
  ["customFields", "customFields"],
  ["specifications", "customFields"],
  ["name", "name"],
])("the column %s is the field %s", (name, field) => expect(columnOf(name)?.field).toBe(field));

test.each(["id", "tenantId", "assetId", ""])("there is no column %j", (name) => expect(columnOf(name)).toBeUndefined());

describe("cells are read", () => {
  test.each<[Record<string, string>, Record<string, unknown>]>([
    [{}, {}],
    [{ location: "", serialNumber: "  ", description: "\t" }, {}],
    [{ location: " Hall 1 " }, { location: " Hall 1 " }],
    [{ serialNumber: "007" }, { serialNumber: "007" }],
    [{ description: "two\nlines" }, { description: "two\nlines" }],
    [{ installDate: "2024-05-01" }, { installationDate: "2024-05-01T00:00:00.000Z" }],
    [{ installationDate: "2024-05-01T08:00:00+02:00" }, { installationDate: "2024-05-01T06:00:00.000Z" }],
    [{ lastMaintenanceDate: "2024-05-01T08:00" }, { lastMaintenanceDate: "2024-05-01T08:00:00.000Z" }],
    [{ status: "operational" }, { status: "operational" }],
    [{ specifications: '{"power":"5 kW"}' }, { customFields: { power: "5 kW" } }],
    [{ customFields: "{}" }, { customFields: {} }],
    [
      { site: "North", area: "Hall" },
      { site: "North", area: "Hall" },
    ],
    // The import removes an apostrophe before a formula. Any other apostrophe belongs to the text.
    [{ location: "'=1+1" }, { location: "=1+1" }],
    [{ location: "''=1+1" }, { location: "'=1+1" }],
    [{ location: "=1+1" }, { location: "=1+1" }],
    [{ location: "'-5" }, { location: "-5" }],
    [{ location: "'t Hof" }, { location: "'t Hof" }],
    [{ location: "'" }, { location: "'" }],
  ])("%j", (given, fields) => expect(fieldsOf(given)).toEqual(fields));

  test.each<[Record<string, string>, field: string, message: string, value: string]>([
    [{ name: "" }, "name", "is required", ""],
    [{ name: "   " }, "name", "is required", "   "],
    [{ type: "" }, "type", "is required", ""],
    [{ name: "x".repeat(256) }, "name", "must have at most 255 characters", "x".repeat(200)],
    [{ site: "x".repeat(151) }, "site", "must have at most 150 characters", "x".repeat(151)],
    [{ description: "x".repeat(10_001) }, "description", "must have at most 10000 characters", "x".repeat(200)],
    [{ location: "a\0b" }, "location", "has characters that cannot be stored", "a\0b"],
    [{ location: "\ud800" }, "location", "has characters that cannot be stored", "\ud800"],
    [{ installDate: "2024-02-30" }, "installDate", "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", "2024-02-30"],
    [{ installationDate: "soon" }, "installationDate", "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", "soon"],
    [{ specifications: "power" }, "specifications", 'must be a JSON object from name to string, such as {"power":"5 kW"}', "power"],
    [{ customFields: '{"n":1}' }, "customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}', '{"n":1}'],
    [{ customFields: "[]" }, "customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}', "[]"],
    [{ customFields: '{"a":"\\u0000"}' }, "customFields", "has characters that cannot be stored", '{"a":"\\u0000"}'],
  ])("%j is rejected", (given, field, message, value) => {
    expect(read({ name: "N", type: "T", ...given }).problems).toEqual([{ field, message, value }]);
  });

  test("an invalid status lists the valid ones", () => {
    const [problem, ...more] = read({ name: "N", type: "T", status: "Broken" }).problems;
    expect(more).toEqual([]);
    expect(problem).toEqual({ field: "status", message: expect.stringMatching(/^must be one of \w+(, \w+)+$/), value: "Broken" });
  });

  test("every problem of a row is reported, and the valid cells are kept", () => {
    expect(read({ name: "", type: "pump", installDate: "x", site: "North" })).toEqual({
      fields: { type: "pump", site: "North" },
      problems: [
        { field: "name", message: "is required", value: "" },
        { field: "installDate", message: "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z", value: "x" },
      ],
    });
  });
});

describe("cells are written", () => {
  test.each<[Record<string, unknown>, Record<string, string>]>([
    [{}, {}],
    [{ location: null, installationDate: null, customFields: null, specifications: "no field" }, {}],
    [{ customFields: {} }, {}],
    [{ customFields: { power: "5 kW", "a,b": '"' } }, { customFields: '{"power":"5 kW","a,b":"\\""}' }],
    [{ installationDate: new Date("2024-05-01") }, { installDate: "2024-05-01" }],
    [{ lastMaintenanceDate: new Date("2024-05-01T08:00:00Z") }, { lastMaintenanceDate: "2024-05-01T08:00:00.000Z" }],
    ...["=1+1", "+1", "-1", "@x", "＝1", "＋1", "－1", "＠x", "\tx", "\rx", "\nx", " ", "'=1", "''@"].map(
      (text): [Record<string, unknown>, Record<string, string>] => [{ location: text }, { location: `'${text}` }],
    ),
    ...["a=1", "1-1", "'t Hof", "'", " =1", "x "].map((text): [Record<string, unknown>, Record<string, string>] => [
      { location: text },
      { location: text },
    ]),
  ])("%j", (asset, cells) => expect(written(asset)).toEqual(cells));
});

test("written cells are read back unchanged", () => {
  const marked = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "＝", " ", "\t", "\n", ",", '"', "a"), maxLength: 6 });
  const text = fc.oneof(marked, fc.string({ unit: "grapheme", maxLength: 20 })).filter((value) => value !== "" && !value.includes("\0"));
  fc.assert(
    fc.property(text, text, (location, value) => {
      const cells = writeRow(assetColumns, { name: "N", type: "T", location, customFields: { [value]: value } });
      const { fields, problems } = read(Object.fromEntries(header.map((name, i) => [name, cells[i]!])));
      expect(problems).toEqual([]);
      expect(fields.location).toBe(location);
      expect(fields.customFields).toEqual({ [value]: value });
    }),
    { numRuns: 500 },
  );
});
