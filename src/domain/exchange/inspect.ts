/** Examines a CSV file before its import: format, columns, and the sheet's columns that they match. */
import type { Readable } from "node:stream";
import type { InspectedFile } from "../../schema/exchange/import.js";
import { columnFinder } from "./header-names.js";
import { cellsOf, checkHeader, noHeader } from "./rows.js";
import type { Sheet } from "./sheet.js";
import { type CsvForm, spooled } from "./spool.js";

const sampleRows = 3;
const maxSample = 100;

/** Throws BAD_USER_INPUT for an unreadable file, PAYLOAD_TOO_LARGE above `maxBytes`. */
export const inspectFile = (source: Readable, { columns }: Sheet, { maxBytes, ...form }: CsvForm & { maxBytes: number }) =>
  spooled(source, maxBytes, form, async (file): Promise<InspectedFile> => {
    const { encoding, separator } = file;
    const rows: string[][] = [];
    for await (const { cells } of cellsOf(file)) {
      rows.push(cells);
      if (rows.length > sampleRows) break;
    }
    const [header, ...samples] = rows;
    if (!header) throw noHeader();
    checkHeader(header, columns);
    const columnOf = columnFinder(columns);
    const suggested = new Set<string>();
    const fileColumns = header.map((cell, i) => {
      const name = columnOf(cell.trim())?.names[0];
      // A column is suggested once.
      const column = name === undefined || suggested.has(name) ? null : name;
      if (column !== null) suggested.add(column);
      return { header: cell.trim(), column, samples: samples.map((cells) => (cells[i] ?? "").slice(0, maxSample)) };
    });
    const sheetColumns = columns.map(({ names, isRequired = false }) => ({ name: names[0]!, required: isRequired }));
    return { encoding, separator, fileColumns, sheetColumns };
  });
