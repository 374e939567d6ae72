/**
 * CSV import of assets (interface.md 4.1). The file is first kept on disk, so that a slow sender holds no transaction, then
 * read row by row in one: a crash leaves all or nothing. Bad rows are answered beside good ones.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import type { ImportError, ImportedAsset, ImportMode, ImportOutcome } from "../schema/asset-import.js";
import { badInput, tooLarge } from "../schema/errors.js";
import { columnOf, columns, type HeaderCell, readRow } from "./asset-csv.js";
import type { Actor } from "./keys.js";

export interface ImportOptions {
  dryRun: boolean;
  mode: ImportMode;
  maxBytes: number;
  maxRows: number;
  /** Hears how many rows were read so far. */
  progress?: (rows: number) => void;
}

/** So few that the text of a batch is short-lived memory. */
const batchSize = 200;
/** Most that one row may hold, above what an asset of the largest request fills; more means a quote was left open. */
const maxRowBytes = 4_000_000;

class DryRun extends Error {}

/** Throws BAD_USER_INPUT for what is wrong with the file as a whole, PAYLOAD_TOO_LARGE with maxSize and receivedSize. */
export async function importAssets(db: TenantDatabase, actor: Actor, source: Readable, options: ImportOptions): Promise<ImportOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-import-"));
  try {
    const path = join(folder, "assets.csv");
    await spool(source, path, options.maxBytes);
    const delimiter = await delimiterOf(path);
    const outcome: ImportOutcome = { imported: 0, failed: 0, errors: [], assets: [] };
    await db
      .transaction(async (tx) => {
        // One import of a tenant after the other: two with the same rows in another order would wait for each other.
        await tx.query(`select pg_advisory_xact_lock(hashtextextended('import ' || $1, 0))`);
        let plannedFor = 0;
        for await (const batch of batches(path, delimiter, options)) {
          await importBatch(tx, actor, batch, options.mode, outcome);
          const rows = outcome.imported + outcome.failed;
          if (rows >= plannedFor * 2) {
            await tx.replan();
            plannedFor = rows;
          }
          options.progress?.(rows);
        }
        if (options.dryRun) throw new DryRun();
      })
      .catch((error) => {
        if (!(error instanceof DryRun)) throw error;
        outcome.assets = [];
      });
    outcome.errors.sort((a, b) => a.row - b.row);
    return outcome;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(source: Readable, path: string, maxBytes: number): Promise<void> {
  let size = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const check = (chunk: Buffer | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw badInput({ body: "must be UTF-8 text; save the file as CSV UTF-8" }, "Invalid CSV");
    }
  };
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes, size);
        check(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        check(undefined);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  try {
    // Not part of the pipeline, which would destroy it on failure, and the connection with it before the answer.
    source.on("error", (error) => counted.destroy(error));
    await pipeline(source.pipe(counted), createWriteStream(path));
  } catch (error) {
    source.unpipe(counted).resume();
    throw error;
  }
  if (!size) throw badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");
}

/** Comma or semicolon, whichever the header line has more of. */
async function delimiterOf(path: string): Promise<string> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(10_000), 0, 10_000, 0);
    const [line = ""] = buffer.toString("utf8", 0, bytesRead).split(/[\r\n]/, 1);
    return line.split(";").length > line.split(",").length ? ";" : ",";
  } finally {
    await handle.close();
  }
}

interface Entry {
  row: number;
  fields: Row;
}

interface Batch {
  entries: Entry[];
  errors: ImportError[];
  /** Rows with errors. */
  failed: number;
}

const emptyBatch = (): Batch => ({ entries: [], errors: [], failed: 0 });

async function* batches(path: string, delimiter: string, { maxRows }: ImportOptions): AsyncGenerator<Batch> {
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  const source = createReadStream(path);
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let wanted: HeaderCell[] | undefined;
  let row = 0;
  let count = 0;
  const firstRowOf = new Map<string, number>();
  let batch = emptyBatch();
  const refuse = (problems: Omit<ImportError, "row">[]) => {
    batch.failed++;
    for (const problem of problems) batch.errors.push({ row, ...problem });
  };
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row++;
      const isBlankLine = cells.length === 1 && cells[0] === "";
      if (isBlankLine) continue;
      if (!wanted) {
        wanted = readHeader(cells);
        continue;
      }
      if (++count > maxRows) throw badInput({ body: `has more than ${maxRows} rows; split the file` }, "Invalid CSV");
      if (cells.length !== wanted.length) {
        refuse([{ message: `has ${cells.length} columns, the header ${wanted.length}` }]);
      } else {
        const { fields, problems } = readRow(cells, wanted);
        const serial = fields.serialNumber as string | undefined;
        const first = serial === undefined ? undefined : firstRowOf.get(serial);
        if (first) problems.push({ field: "serialNumber", message: `stands in row ${first} already`, value: serial! });
        if (problems.length) refuse(problems);
        else {
          if (serial !== undefined) firstRowOf.set(serial, row);
          batch.entries.push({ row, fields });
        }
      }
      if (batch.entries.length + batch.failed >= batchSize) {
        yield batch;
        batch = emptyBatch();
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const open = error.code === "CSV_MAX_RECORD_SIZE" || error.code === "CSV_QUOTE_NOT_CLOSED";
    // Rows before the fault may not have come out of the parser: it counts them itself.
    const at = (error as CsvError & { records: number }).records + 1;
    throw badInput(
      {
        body: `cannot be read at row ${at}: ${open ? "a quote is left open" : "a cell with a quote inside stands in quotes, with the quote doubled"}`,
      },
      "Invalid CSV",
    );
  } finally {
    source.destroy();
  }
  if (!wanted) throw badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");
  yield batch;
}

function readHeader(cells: string[]): HeaderCell[] {
  const details: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  const wanted = cells.map((cell) => {
    const name = cell.trim();
    const column = columnOf.get(name);
    if (!column) details[name || "(blank)"] = `is no column; use ${columns.map(({ names }) => names[0]).join(", ")}`;
    else if (seen.has(column.field)) details[name] = "stands in the header twice";
    else seen.add(column.field);
    return { name, column: column! };
  });
  for (const field of ["name", "type"]) if (!seen.has(field)) details[field] ??= "is missing in the header";
  if (Object.keys(details).length) throw badInput(details, "Invalid CSV header");
  return wanted;
}

const quoted = columns.map(({ field }) => `"${field}"`).join(", ");
/** What a blank cell means for a column that has no null. */
const defaults: Record<string, string> = { status: "'operational'", customFields: "'{}'", site: "''", area: "''" };
const values = columns.map(({ field }) => (defaults[field] ? `coalesce(f."${field}", ${defaults[field]})` : `f."${field}"`)).join(", ");

const insert = `
  insert into "Asset" ("tenantId", id, "updatedBy", ${quoted})
  select $1, f.id, $3, ${values} from jsonb_populate_recordset(null::"Asset", $2::jsonb) f
  on conflict ("tenantId", "serialNumber") where "deletedAt" is null do nothing returning id, name, type`;

/** Blank cells leave a field as it is; a row that changes nothing leaves its asset untouched and is not answered. */
const update = `
  update "Asset" a set (${quoted}) = (select ${quoted} from jsonb_populate_record(a, f.fields)), "updatedAt" = now(), "updatedBy" = $3
  from (select fields, fields->>'serialNumber' as serial from jsonb_array_elements($2::jsonb) fields) f
  where a."tenantId" = $1 and a."serialNumber" = f.serial and a."deletedAt" is null and a is distinct from jsonb_populate_record(a, f.fields)
  returning a.id, a.name, a.type`;

async function importBatch(tx: TenantQueryable, actor: Actor, batch: Batch, mode: ImportMode, outcome: ImportOutcome): Promise<void> {
  const refuse = ({ row }: Entry, problem: Omit<ImportError, "row">) => {
    outcome.failed++;
    outcome.errors.push({ row, ...problem });
  };
  outcome.failed += batch.failed;
  outcome.errors.push(...batch.errors);
  let entries = await withinSites(tx, actor, batch.entries, refuse);
  if (!entries.length) return;
  if (mode === "upsert") {
    const fields = entries.flatMap((entry) => (entry.fields.serialNumber === undefined ? [] : [entry.fields]));
    outcome.assets.push(...(await tx.query<ImportedAsset & Row>(update, JSON.stringify(fields), actor.keyId)));
  }
  const rows = entries.map(({ fields }) => ({ ...fields, id: newId() }));
  const inserted = await tx.query<ImportedAsset & Row>(insert, JSON.stringify(rows), actor.keyId);
  outcome.assets.push(...inserted);
  if (mode === "create" && inserted.length < entries.length) {
    const taken = new Set(inserted.map(({ id }) => id));
    entries = entries.filter((entry, i) => {
      if (taken.has(rows[i]!.id)) return true;
      refuse(entry, {
        field: "serialNumber",
        message: "already exists; use mode=upsert to update",
        value: entry.fields.serialNumber as string,
      });
      return false;
    });
  }
  outcome.imported += entries.length;
}

/** The entries that a key limited to sites may write; the others are refused. */
async function withinSites(
  tx: TenantQueryable,
  actor: Actor,
  entries: Entry[],
  refuse: (entry: Entry, problem: Omit<ImportError, "row">) => void,
): Promise<Entry[]> {
  if (!actor.sites.length) return entries;
  const existing = await tx.query<{ serialNumber: string; site: string }>(
    `select "serialNumber", site from "Asset" where "tenantId" = $1 and "serialNumber" = any($2) and "deletedAt" is null`,
    entries.flatMap(({ fields }) => (fields.serialNumber as string | undefined) ?? []),
  );
  const siteOf = new Map(existing.map(({ serialNumber, site }) => [serialNumber, site]));
  return entries.filter((entry) => {
    const stands = siteOf.get(entry.fields.serialNumber);
    const goes: string = entry.fields.site ?? stands ?? "";
    const allowed = actor.sites.includes(goes) && (stands === undefined || actor.sites.includes(stands));
    if (!allowed) refuse(entry, { field: "site", message: "is not one of this key's sites", value: goes });
    return allowed;
  });
}
