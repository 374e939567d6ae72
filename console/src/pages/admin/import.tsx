/** CSV export and import of every record type. An import starts with a dry run that writes nothing. */
import { CircleCheckBig, Download, FileUp, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { useClient } from "urql";
import { ExportFile, type ExportFileQueryVariables } from "../../generated/admin.js";
import { saveText } from "../../parts/csv.js";
import { Select } from "../../parts/field.js";
import { messageOf } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { importFile, type Outcome } from "./import-file.js";

type Sheet = ExportFileQueryVariables["sheet"];

/** The name used in paths and files. */
const nameOf = (sheet: Sheet) => sheet.toLowerCase().replace("_", "-");

/** Sheets, and the columns that each row requires. */
const sheets: [sheet: Sheet, name: string, needed: string][] = [
  ["ASSETS", "Assets", "name and type are required"],
  ["COMPONENTS", "Components", "type and path are required"],
  ["PARTS", "Parts", "partNumber and name are required"],
  ["STOCK", "Stock", "partNumber, site and quantity are required"],
  ["PROCEDURES", "Procedures", "name, asset and frequency are required"],
  ["READINGS", "Readings", "asset, parameter, value and recordedAt are required"],
  ["WORK_ORDERS", "Work-order history", "asset, title, type, startedAt and completedAt are required"],
];

const shownErrors = 200;

export function Import() {
  const { token } = useSession();
  const client = useClient();
  const toast = useToast();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [sheet, setSheet] = useState<Sheet>("ASSETS");
  const [isExporting, setExporting] = useState(false);
  const [tried, setTried] = useState<Outcome>();
  const [done, setDone] = useState<Outcome>();
  /** Rows that the service has read from the current file. */
  const [rows, setRows] = useState<number>();
  const [error, setError] = useState<string>();
  const isBusy = rows !== undefined;

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setError(undefined);
    setTried(undefined);
    setDone(undefined);
  };
  const send = async (dryRun: boolean) => {
    if (dryRun) setTried(undefined);
    setRows(0);
    setError(undefined);
    const sent = { token: token(), sheet: nameOf(sheet), file: file!, dryRun, onRows: setRows };
    const outcome = await importFile(sent).catch((problem: Error) => {
      // The browser's own message for a broken connection doesn't help a user.
      setError(problem instanceof TypeError ? "The service cannot be reached. Check the connection and try again." : problem.message);
      return undefined;
    });
    setRows(undefined);
    if (!outcome) return;
    if (dryRun) setTried(outcome);
    else {
      setDone(outcome);
      setTried(undefined);
    }
  };
  const save = async () => {
    setExporting(true);
    const { data, error } = await client.query(ExportFile, { sheet }, { requestPolicy: "network-only" }).toPromise();
    setExporting(false);
    if (error) toast(messageOf(error), true);
    else saveText(nameOf(sheet), data?.exportRecords ?? "");
  };
  const outcome = done ?? tried;
  const writes = tried ? tried.created + tried.updated : 0;
  const said = ({ created, updated, unchanged, failed }: Outcome) =>
    `${count(created)} new, ${count(updated)} changed, ${count(unchanged)} unchanged, ${count(failed)} with errors`;

  return (
    <div className="stack narrow-wide">
      <section className="card" aria-labelledby="import">
        <header>
          <h2 id="import">Import and export</h2>
          <button type="button" className="button small plain" disabled={isExporting} onClick={() => void save()}>
            <Download className="icon" aria-hidden />
            {isExporting ? "Exporting …" : "Export as CSV"}
          </button>
        </header>
        <div className="body stack">
          <Select
            label="Records in the file"
            value={sheet}
            onChange={(event) => {
              setSheet(event.target.value as Sheet);
              choose(undefined);
            }}
          >
            {sheets.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
          <button
            type="button"
            className="drop"
            disabled={isBusy}
            onClick={() => input.current?.click()}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              choose(event.dataTransfer.files[0]);
            }}
          >
            <FileUp className="icon" aria-hidden />
            <span className="strong">{file ? file.name : "Choose a CSV file, or drop it here"}</span>
            <span className="muted small">
              {file
                ? `${count(Math.ceil(file.size / 1024))} KB`
                : `Same format as an export, in UTF-8 with a header row: ${sheets.find(([one]) => one === sheet)![2]}`}
            </span>
          </button>
          <input
            ref={input}
            type="file"
            accept=".csv,text/csv"
            className="hidden-text"
            tabIndex={-1}
            aria-label="CSV file"
            onChange={(event) => {
              choose(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
          {error && (
            <p className="note bad" role="alert">
              {error}
            </p>
          )}
          <p className="muted small" role="status">
            {rows ? `${count(rows)} rows so far …` : ""}
          </p>
          <div className="actions">
            <button type="button" className="button" disabled={!file || isBusy} onClick={() => void send(true)}>
              {isBusy && !tried ? "Checking …" : "Check without storing"}
            </button>
            <button type="button" className="button primary" disabled={!writes || isBusy} onClick={() => void send(false)}>
              {tried ? (isBusy ? "Importing …" : `Import ${count(writes)} rows`) : "Import"}
            </button>
          </div>
        </div>
      </section>
      {outcome && (
        <section className="card" aria-label="Result" aria-live="polite">
          <header>
            <p className={`status ${outcome.failed ? "warn" : "good"}`}>
              {outcome.failed ? <TriangleAlert className="icon" aria-hidden /> : <CircleCheckBig className="icon" aria-hidden />}
              {done ? `Imported: ${said(done)}` : `Would be imported: ${said(outcome)}`}
            </p>
            {outcome.failedRows && (
              <button type="button" className="button small plain" onClick={() => saveText("failed-rows", outcome.failedRows)}>
                <Download className="icon" aria-hidden />
                Save failed rows as CSV
              </button>
            )}
          </header>
          {outcome.errors.length > 0 && (
            <div className="table-wrap">
              <table>
                <thead>
                  <tr>
                    <th className="right">Row</th>
                    <th>Column</th>
                    <th>Value</th>
                    <th>Problem</th>
                  </tr>
                </thead>
                <tbody>
                  {outcome.errors.slice(0, shownErrors).map(({ row, field, value, message }, index) => (
                    <tr key={`${row}-${field}-${index}`}>
                      <td className="right">{row}</td>
                      <td>{field ?? "–"}</td>
                      <td className="mono">{value ?? ""}</td>
                      <td>{message}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      )}
    </div>
  );
}
