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
      'Imports a file with the columns of the export: new rows create, others change what they find where it differs. Valid rows are imported, invalid ones reported. With `Accept: application/jsonl, application/json` an import that takes a while answers in lines of JSON, `{"rows":1200}` as it goes on and `{"status":200,"body":{…}}` at last. Components and readings need the role of what writes them one by one; all other sheets the role `manager`.',
    operation: `mutation ($sheet: SheetName!, $file: Upload!, $dryRun: Boolean = false, $failedRows: Boolean = false) {
      importRecords(sheet: $sheet, file: $file, dryRun: $dryRun) {
        created updated unchanged failed errors { row field message value } failedRows @include(if: $failedRows)
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
