import { t } from "@lingui/core/macro";
/** Uploads a CSV file over REST, which reports import progress (docs/rest.md, "Import"). */

export interface Change {
  column: string;
  before: string;
  after: string;
}

export interface Row {
  row: number;
  outcome: "created" | "updated" | "unchanged" | "failed";
  id?: string;
  cells: string[];
  changes: Change[];
}

export interface Problem {
  row: number;
  field?: string;
  value?: string;
  message: string;
}

export interface Outcome {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: Problem[];
  failedRows: string;
  rows: Row[];
}

export interface Inspected {
  encoding: string;
  separator: string;
  fileColumns: { header: string; column?: string; samples: string[] }[];
  sheetColumns: { name: string; required: boolean }[];
}

interface Refusal {
  error?: string;
  details?: Record<string, string> | string;
  message?: string;
}

interface Format {
  encoding?: string;
  separator?: string;
}

interface Sent {
  token: string;
  sheet: string;
  file: Blob;
  format: Format;
}

const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "text/csv" });

/** Detects the format and columns of a file. Throws an error whose message is for the user. */
export async function inspectFile({ token, sheet, file, format }: Sent): Promise<Inspected> {
  const query = new URLSearchParams({ ...format });
  const response = await fetch(`/import/${sheet}/inspection?${query}`, { method: "POST", headers: headersOf(token), body: file });
  return bodyOf<Inspected>(response.status, await response.json());
}

interface SentImport extends Sent {
  /** The sheet's column for each column of the file. */
  columns: string[];
  dryRun: boolean;
  onRows(rows: number): void;
}

/** Throws an error whose message is for the user. */
export async function importFile({ token, sheet, file, format, columns, dryRun, onRows }: SentImport): Promise<Outcome> {
  const query = new URLSearchParams({ ...format, columns: columns.join(","), dryRun: String(dryRun), failedRows: "true", rows: "true" });
  const headers = { ...headersOf(token), accept: "application/jsonl, application/json" };
  const response = await fetch(`/import/${sheet}?${query}`, { method: "POST", headers, body: file });
  if (!response.headers.get("content-type")?.startsWith("application/jsonl"))
    return bodyOf<Outcome>(response.status, await response.json());
  for await (const line of linesOf(response.body!)) {
    const { rows, status, body } = JSON.parse(line);
    if (status !== undefined) return bodyOf<Outcome>(status, body);
    onRows(rows);
  }
  throw new Error(
    t`The connection was lost before the import finished. Check whether the records are there. If not, import the file again.`,
  );
}

function bodyOf<T>(status: number, body: T | Refusal): T {
  if (status === 200) return body as T;
  const { error = t`The file could not be sent`, details = {}, message } = body as Refusal;
  const said =
    typeof details === "string"
      ? [details]
      : Object.entries(details).map(([field, text]) => (field === "body" ? t`It ${text}` : `${field} ${text}`));
  throw new Error([`${error}.`, ...(said.length ? said : message ? [message] : [])].join(" "));
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
