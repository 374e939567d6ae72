/** CSV export and import of every record type. An import starts with a preview by a dry run, which stores nothing. */
import { plural, t } from "@lingui/core/macro";
import { CircleCheckBig, Download, FileUp, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { useClient } from "urql";
import { ExportFile, type ExportFileQueryVariables } from "../../generated/admin.js";
import { saveText } from "../../parts/csv.js";
import { Select } from "../../parts/field.js";
import { messageOf, Refusal } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { count } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { ImportColumns } from "./import-columns.js";
import { type Inspected, importFile, inspectFile, type Outcome } from "./import-file.js";
import { ImportRows } from "./import-rows.js";

type Sheet = ExportFileQueryVariables["sheet"];

/** The name used in paths and files. */
const nameOf = (sheet: Sheet) => sheet.toLowerCase().replace("_", "-");

/** Sheets, and the columns that each row requires. */
const sheets: [sheet: Sheet, name: string, needed: string][] = [
  ["ASSETS", t`Assets`, t`name and type are required`],
  ["COMPONENTS", t`Components`, t`type and path are required`],
  ["PARTS", t`Parts`, t`partNumber and name are required`],
  ["SUPPLIERS", t`Suppliers`, t`name is required`],
  ["SUPPLIER_PARTS", t`Parts of suppliers`, t`supplier or supplierExternalId, and partNumber are required`],
  ["PURCHASE_ORDERS", t`Purchase orders`, t`orders are only exported, with a row for each line`],
  ["STOCK", t`Stock`, t`partNumber, site and quantity are required`],
  ["PROCEDURES", t`Procedures`, t`name, asset and frequency are required`],
  ["READINGS", t`Readings`, t`asset, parameter, value and recordedAt are required`],
  ["UNITS", t({ context: "serialised items", message: "Units" }), t`serialNumber is required`],
  ["INSTALLATIONS", t`Installations of units`, t`serialNumber, component and startedAt are required`],
  ["WORK_ORDERS", t`Work-order history`, t`asset, title, type, startedAt and completedAt are required`],
];

const messageFor = (problem: Error) =>
  // The browser's own message for a broken connection doesn't help a user.
  problem instanceof TypeError ? t`The service cannot be reached. Check the connection and try again.` : problem.message;

export function Import() {
  const { token } = useSession();
  const client = useClient();
  const toast = useToast();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [sheet, setSheet] = useState<Sheet>("ASSETS");
  const [inspected, setInspected] = useState<Inspected>();
  const [isReading, setReading] = useState(false);
  /** The last choice counts, because responses can arrive in another order. */
  const latest = useRef(0);
  /** The record column for each column of the file. */
  const [columns, setColumns] = useState<string[]>([]);
  const [isExporting, setExporting] = useState(false);
  const [tried, setTried] = useState<Outcome>();
  const [done, setDone] = useState<Outcome>();
  /** Rows that the service has read from the current file. */
  const [rows, setRows] = useState<number>();
  const [error, setError] = useState<string>();
  const isBusy = rows !== undefined || isReading;

  const clear = () => {
    setError(undefined);
    setTried(undefined);
    setDone(undefined);
  };
  const inspect = async (chosen: File, of: Sheet, format: { encoding?: string; separator?: string }) => {
    const choice = ++latest.current;
    clear();
    setReading(true);
    const found = await inspectFile({ token: token(), sheet: nameOf(of), file: chosen, format }).catch((problem: Error) => {
      if (choice === latest.current) setError(messageFor(problem));
      return undefined;
    });
    if (choice !== latest.current) return;
    setReading(false);
    if (!found) return;
    setInspected(found);
    setColumns(found.fileColumns.map(({ column }) => column ?? ""));
  };
  const choose = (chosen: File | undefined, of = sheet) => {
    // The running import is about the current file.
    if (rows !== undefined) return;
    latest.current++;
    setReading(false);
    setFile(chosen);
    setInspected(undefined);
    clear();
    if (chosen) void inspect(chosen, of, {});
  };
  const send = async (dryRun: boolean) => {
    clear();
    if (!dryRun) setTried(tried);
    setRows(0);
    const { encoding, separator } = inspected!;
    const sent = { token: token(), sheet: nameOf(sheet), file: file!, format: { encoding, separator }, columns, dryRun, onRows: setRows };
    const outcome = await importFile(sent).catch((problem: Error) => {
      setError(messageFor(problem));
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
  const isEmpty = tried && !writes && !tried.unchanged && !tried.failed;
  const isMapped = inspected?.sheetColumns.every(({ name, required }) => !required || columns.includes(name)) ?? false;
  const said = ({ created, updated, unchanged, failed }: Outcome) =>
    t`${count(created)} new, ${count(updated)} changed, ${count(unchanged)} unchanged, ${count(failed)} with errors`;

  return (
    <div className="stack narrow-wide">
      <section className="card" aria-labelledby="import">
        <header>
          <h2 id="import">{t`Import and export`}</h2>
          <button type="button" className="button small plain" disabled={isExporting} onClick={() => void save()}>
            <Download className="icon" aria-hidden />
            {isExporting ? t`Exporting …` : t`Export as CSV`}
          </button>
        </header>
        <div className="body stack">
          <Select
            label={t`Records in the file`}
            value={sheet}
            disabled={isBusy}
            onChange={(event) => {
              const chosen = event.target.value as Sheet;
              setSheet(chosen);
              choose(file, chosen);
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
            <span className="strong">{file ? file.name : t`Choose a CSV file, or drop it here`}</span>
            <span className="muted small">
              {file
                ? t`${count(Math.ceil(file.size / 1024))} KB`
                : t`With a header row, as exported here or saved by Excel: ${sheets.find(([one]) => one === sheet)![2]}`}
            </span>
          </button>
          <input
            ref={input}
            type="file"
            disabled={rows !== undefined}
            accept=".csv,text/csv"
            className="hidden-text"
            tabIndex={-1}
            aria-label={t`CSV file`}
            onChange={(event) => {
              choose(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
          {inspected && file && (
            <ImportColumns
              file={inspected}
              columns={columns}
              isBusy={isBusy}
              onFormat={(format) => void inspect(file, sheet, format)}
              onColumns={(chosen) => {
                clear();
                setColumns(chosen);
              }}
            />
          )}
          <Refusal text={error ?? (isEmpty ? t`The file has no rows below its header.` : undefined)} />
          <p className="muted small" role="status">
            {rows ? t`${count(rows)} rows so far …` : ""}
          </p>
          <div className="actions">
            <button type="button" className="button" disabled={!isMapped || isBusy} onClick={() => void send(true)}>
              {rows !== undefined && !tried ? t`Checking …` : t`Check without storing`}
            </button>
            <button type="button" className="button primary" disabled={!writes || isBusy} onClick={() => void send(false)}>
              {tried && writes
                ? rows !== undefined
                  ? t`Importing …`
                  : plural(writes, { one: "Import # row", other: "Import # rows" })
                : t`Import`}
            </button>
          </div>
        </div>
      </section>
      {outcome && inspected && (
        <section className="card import-result" aria-label={t`Result`} aria-live="polite">
          <header>
            <p className={`status ${outcome.failed ? "warn" : "good"}`}>
              {outcome.failed ? <TriangleAlert className="icon" aria-hidden /> : <CircleCheckBig className="icon" aria-hidden />}
              {done ? t`Imported: ${said(done)}` : t`Would be imported: ${said(outcome)}`}
            </p>
            {outcome.failedRows && (
              <button type="button" className="button small plain" onClick={() => saveText("failed-rows", outcome.failedRows)}>
                <Download className="icon" aria-hidden />
                {t`Save failed rows as CSV`}
              </button>
            )}
          </header>
          <ImportRows
            outcome={outcome}
            header={inspected.fileColumns.map(({ header }) => header)}
            columns={columns}
            isDone={!!done}
            sheet={nameOf(sheet)}
          />
        </section>
      )}
    </div>
  );
}
