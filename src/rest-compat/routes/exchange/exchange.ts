/** Imports and exports of any sheet, in addition to those of docs/interface.md. */
import type { Route } from "../../route.js";

export const exchangeRoutes: Route[] = [
  {
    method: "POST",
    path: "/import/:sheet",
    summary: "Import records of a sheet from a CSV file",
    addition: true,
    file: "text/csv",
    progress: true,
    description:
      'Imports a file with the columns of the export: new rows create, others change what they find where it differs. Valid rows are imported, invalid ones reported. With `Accept: application/jsonl, application/json` an import that takes a while answers in lines of JSON, `{"rows":1200}` as it goes on and `{"status":200,"body":{…}}` at last. Components and readings need the role of what writes them one by one; all other sheets the role `manager`. `rows=true` adds the outcome of each row.',
    lists: ["columns"],
    operation: `mutation (
      $sheet: SheetName!, $file: Upload!, $dryRun: Boolean = false, $failedRows: Boolean = false, $rows: Boolean = false,
      $encoding: CsvEncoding, $separator: CsvSeparator, $columns: [String!]
    ) {
      importRecords(sheet: $sheet, file: $file, dryRun: $dryRun, encoding: $encoding, separator: $separator, columns: $columns) {
        created updated unchanged failed errors { row field message value } failedRows @include(if: $failedRows)
        rows @include(if: $rows) { row outcome id cells changes { column before after } }
      }
    }`,
  },
  {
    method: "POST",
    path: "/import/:sheet/inspection",
    summary: "Detect the format and columns of a CSV file",
    addition: true,
    file: "text/csv",
    description: "Stores nothing. The names of `columns` in an import are those of `sheetColumns`.",
    operationId: "inspectFile",
    operation: `query ($sheet: SheetName!, $file: Upload!, $encoding: CsvEncoding, $separator: CsvSeparator) {
      inspectFile(sheet: $sheet, file: $file, encoding: $encoding, separator: $separator) {
        encoding separator fileColumns { header column samples } sheetColumns { name required }
      }
    }`,
  },
  {
    method: "GET",
    path: "/export/:sheet",
    summary: "Export the records of a sheet as a CSV file",
    description: "The columns are those of the import: what is exported and imported again changes nothing.",
    operationId: "exportRecords",
    addition: true,
    answer: "text/csv",
    operation: `query ($sheet: SheetName!) { exportRecords(sheet: $sheet) }`,
  },
];
