/** Uploads a CSV file over REST, which reports import progress (docs/rest.md, "Import"). */

export interface Outcome {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { row: number; field?: string; value?: string; message: string }[];
  failedRows: string;
}

interface Refusal {
  error?: string;
  details?: Record<string, string> | string;
  message?: string;
}

interface Sent {
  token: string;
  sheet: string;
  file: Blob;
  dryRun: boolean;
  onRows(rows: number): void;
}

/** Throws an error whose message is for the user. */
export async function importFile({ token, sheet, file, dryRun, onRows }: Sent): Promise<Outcome> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "text/csv", accept: "application/jsonl, application/json" };
  const response = await fetch(`/import/${sheet}?dryRun=${dryRun}&failedRows=true`, { method: "POST", headers, body: file });
  if (!response.headers.get("content-type")?.startsWith("application/jsonl")) return outcomeOf(response.status, await response.json());
  for await (const line of linesOf(response.body!)) {
    const { rows, status, body } = JSON.parse(line);
    if (status !== undefined) return outcomeOf(status, body);
    onRows(rows);
  }
  throw new Error(
    "The connection was lost before the import finished. Check whether the records are there. If not, import the file again.",
  );
}

function outcomeOf(status: number, body: Outcome | Refusal): Outcome {
  if (status === 200) return body as Outcome;
  const { error = "The file could not be sent", details = {}, message } = body as Refusal;
  const said =
    typeof details === "string"
      ? [details]
      : Object.entries(details).map(([field, text]) => (field === "body" ? `It ${text}` : `${field} ${text}`));
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
