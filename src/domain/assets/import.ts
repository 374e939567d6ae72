/**
 * CSV import of assets (docs/interface.md 4.1; docs/decisions.md, "import"). The file is spooled to disk first, so that a slow client
 * does not keep a transaction open, then imported in one transaction. Invalid rows are reported; valid rows are imported.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { insertColumns, insertValues, setFromJson } from "../../database/catalogue.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/ids.js";
import type { ImportMode } from "../../schema/assets/enums.js";
import type { ImportError, ImportedAsset, ImportOutcome } from "../../schema/assets/import.js";
import { badInput, tooLarge } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { recalculateDueDates } from "../maintenance/procedures.js";
import { type AssetFields, columnOf, columns, type HeaderCell, readRow } from "./csv.js";

export interface ImportOptions {
  dryRun: boolean;
  mode: ImportMode;
  maxBytes: number;
  maxRows: number;
  /** Called with the number of rows read so far. */
  progress?: (rows: number) => void;
}

/** Small, so that the garbage collector frees the text of a batch early. */
const batchSize = 200;
/** Larger than any valid asset: a longer row means an unclosed quote. */
const maxRowBytes = 4_000_000;

/** Thrown to roll back a dry run. */
class DryRun extends Error {}

/** Throws BAD_USER_INPUT for an unreadable file or header, PAYLOAD_TOO_LARGE with maxSize and receivedSize in bytes. */
export async function importAssets(db: TenantDatabase, actor: Actor, source: Readable, options: ImportOptions): Promise<ImportOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-import-"));
  try {
    const path = join(folder, "assets.csv");
    await spool(source, path, options.maxBytes);
    const delimiter = await delimiterOf(path);
    const emptyOutcome = (): ImportOutcome => ({ imported: 0, failed: 0, errors: [], assets: [] });
    let outcome = emptyOutcome();
    let runs = 0;
    await db
      .transaction(async (tx) => {
        outcome = emptyOutcome();
        // One import per tenant at a time: two imports of the same rows in a different order would deadlock.
        await tx.query(`select pg_advisory_xact_lock(hashtextextended('import ' || $1, 0))`);
        // Others lock assets by id, the file has another order: after a deadlock all are locked before, so that the second run is the last.
        if (++runs > 1) await tx.query(`select from "Asset" where "tenantId" = $1 and "deletedAt" is null order by id for no key update`);
        let rowsAtLastPlan = 0;
        const moved: string[][] = [];
        for await (const batch of readAhead(batches(path, delimiter, options))) {
          moved.push(await importBatch(tx, actor, batch, options.mode, outcome));
          const rows = outcome.imported + outcome.failed;
          if (rows >= rowsAtLastPlan * 2) {
            await tx.replan();
            rowsAtLastPlan = rows;
          }
          options.progress?.(rows);
        }
        if (options.dryRun) throw new DryRun();
        // At the end: from here on nobody else can write a procedure of the tenant.
        for (const ids of moved) if (ids.length) await recalculateDueDates(tx, ids);
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

/** Writes the source to a file. Throws BAD_USER_INPUT unless it is UTF-8 and not empty, PAYLOAD_TOO_LARGE above `maxBytes`. */
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
    // Kept out of the pipeline, which would destroy the source on failure and close the connection before the response.
    source.on("error", (error) => counted.destroy(error));
    await pipeline(source.pipe(counted), createWriteStream(path));
  } catch (error) {
    source.unpipe(counted).resume();
    throw error;
  }
  if (!size) throw badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");
}

/** Returns comma or semicolon, whichever is more frequent in the header line. */
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

/** Reads the next batch while one is written. */
async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = () => {
    const next = source.next();
    // A failure is thrown where the batch is awaited, which may be after the write before it failed.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await source.return(undefined).catch(() => {});
  }
}

interface Entry {
  row: number;
  fields: AssetFields;
}

interface Batch {
  entries: Entry[];
  errors: ImportError[];
  /** Number of rows with errors. */
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
  let header: HeaderCell[] | undefined;
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
      if (!header) {
        header = readHeader(cells);
        continue;
      }
      if (++count > maxRows) throw badInput({ body: `has more than ${maxRows} rows; split the file` }, "Invalid CSV");
      if (cells.length !== header.length) {
        refuse([{ message: `has ${cells.length} columns, the header ${header.length}` }]);
      } else {
        const { fields, problems } = readRow(cells, header);
        const serial = fields.serialNumber ?? undefined;
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
    const isQuoteOpen = error.code === "CSV_MAX_RECORD_SIZE" || error.code === "CSV_QUOTE_NOT_CLOSED";
    // The parser may not have emitted the rows before the error yet, so its own row count is used.
    const at = (error as CsvError & { records: number }).records + 1;
    throw badInput(
      {
        body: `cannot be read at row ${at}: ${isQuoteOpen ? "a quote is left open" : "a cell with a quote inside stands in quotes, with the quote doubled"}`,
      },
      "Invalid CSV",
    );
  } finally {
    source.destroy();
  }
  if (!header) throw badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");
  yield batch;
}

function readHeader(cells: string[]): HeaderCell[] {
  const details: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  const header = cells.map((cell) => {
    const name = cell.trim();
    const column = columnOf.get(name);
    if (!column) details[name || "(blank)"] = `is no column; use ${columns.map(({ names }) => names[0]).join(", ")}`;
    else if (seen.has(column.field)) details[name] = "stands in the header twice";
    else seen.add(column.field);
    return { name, column: column! };
  });
  for (const field of ["name", "type"]) if (!seen.has(field)) details[field] ??= "is missing in the header";
  if (Object.keys(details).length) throw badInput(details, "Invalid CSV header");
  return header;
}

const insert = `
  insert into "Asset" ("tenantId", ${insertColumns("Asset")}) select $1, ${insertValues("Asset", "r")} from jsonb_populate_recordset(null::"Asset", $2::jsonb) r
  on conflict ("tenantId", "serialNumber") where "deletedAt" is null do nothing returning id, name, type`;

/**
 * Absent fields keep their value. A row without changes does not update its asset and is not returned. Each row finds its asset by index: a join
 * reads all assets of the tenant for each batch, where the statistics do not know yet that there are many. Row-level security finds by index only
 * what was computed before, hence `materialized`.
 */
const update = `
  with sent as materialized (select fields, fields->>'serialNumber' as serial from jsonb_array_elements($2::jsonb) f(fields)),
  changed as (
    select a."tenantId", a.id, a.site, f.fields from sent f cross join lateral (
      select "tenantId", id, site from "Asset" a where "tenantId" = $1 and "serialNumber" = f.serial and "deletedAt" is null
        and a is distinct from jsonb_populate_record(a, f.fields) for no key update) a
  )
  update "Asset" a set ${setFromJson("Asset", "a", "c.fields")}, "updatedBy" = $3 from changed c where a."tenantId" = c."tenantId" and a.id = c.id
  returning a.id, a.name, a.type, a.site <> c.site as moved`;

/** Imports a batch into `outcome`, and returns the ids of the assets whose site changed. */
async function importBatch(tx: TenantQueryable, actor: Actor, batch: Batch, mode: ImportMode, outcome: ImportOutcome): Promise<string[]> {
  const movedIds: string[] = [];
  const refuse = ({ row }: Entry, problem: Omit<ImportError, "row">) => {
    outcome.failed++;
    outcome.errors.push({ row, ...problem });
  };
  outcome.failed += batch.failed;
  outcome.errors.push(...batch.errors);
  let entries = await withinSites(tx, actor, batch.entries, refuse);
  if (!entries.length) return movedIds;
  if (mode === "upsert") {
    entries = await withoutIsolated(tx, entries, refuse);
    const fields = entries.flatMap((entry) => (entry.fields.serialNumber === undefined ? [] : [entry.fields]));
    const updated = await tx.query<ImportedAsset & { moved: boolean }>(update, JSON.stringify(fields), actor.principalId);
    for (const { moved, ...asset } of updated) {
      outcome.assets.push(asset);
      if (moved) movedIds.push(asset.id);
    }
  }
  if (!entries.length) return movedIds;
  const rows = entries.map(({ fields }) => ({ ...fields, id: newId(), updatedBy: actor.principalId }));
  const inserted = await tx.query<ImportedAsset>(insert, JSON.stringify(rows));
  outcome.assets.push(...inserted);
  if (mode === "create" && inserted.length < entries.length) {
    const insertedIds = new Set(inserted.map(({ id }) => id));
    entries = entries.filter((entry, i) => {
      if (insertedIds.has(rows[i]!.id)) return true;
      refuse(entry, {
        field: "serialNumber",
        message: "already exists; use mode=upsert to update",
        value: entry.fields.serialNumber,
      });
      return false;
    });
  }
  outcome.imported += entries.length;
  return movedIds;
}

/** Returns the entries without those that would make an isolated asset operational, which the database refuses; reports these to `refuse`. */
async function withoutIsolated(
  tx: TenantQueryable,
  entries: Entry[],
  refuse: (entry: Entry, problem: Omit<ImportError, "row">) => void,
): Promise<Entry[]> {
  const serials = entries.flatMap(({ fields }) => (fields.status === "operational" && fields.serialNumber) || []);
  if (!serials.length) return entries;
  const isolated = await tx.query<{ serialNumber: string; workOrderId: string }>(
    `select a."serialNumber", w.id as "workOrderId" from "WorkOrder" w join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     where w."tenantId" = $1 and w."isolatedBy" is not null and a."deletedAt" is null and a.status <> 'operational' and a."serialNumber" = any($2)`,
    serials,
  );
  const isolating = new Map(isolated.map(({ serialNumber, workOrderId }) => [serialNumber, workOrderId]));
  return entries.filter((entry) => {
    const workOrderId = entry.fields.status === "operational" && isolating.get(entry.fields.serialNumber ?? "");
    if (workOrderId)
      refuse(entry, { field: "status", message: `the asset is isolated by work order ${workOrderId}`, value: "operational" });
    return !workOrderId;
  });
}

/** Returns the entries whose current and new sites are among the key's sites; reports the others to `refuse`. */
async function withinSites(
  tx: TenantQueryable,
  actor: Actor,
  entries: Entry[],
  refuse: (entry: Entry, problem: Omit<ImportError, "row">) => void,
): Promise<Entry[]> {
  if (!actor.sites.length) return entries;
  const existing = await tx.query<{ serialNumber: string; site: string }>(
    `select a."serialNumber", a.site from unnest($2::text[]) k(serial) cross join lateral (
       select "serialNumber", site from "Asset" where "tenantId" = $1 and "serialNumber" = k.serial and "deletedAt" is null limit 1) a`,
    entries.flatMap(({ fields }) => fields.serialNumber ?? []),
  );
  const siteOf = new Map(existing.map(({ serialNumber, site }) => [serialNumber, site]));
  return entries.filter((entry) => {
    const currentSite = siteOf.get(entry.fields.serialNumber ?? "");
    const newSite = entry.fields.site ?? currentSite ?? "";
    const allowed = actor.sites.includes(newSite) && (currentSite === undefined || actor.sites.includes(currentSite));
    if (!allowed) refuse(entry, { field: "site", message: "is not one of this key's sites", value: newSite });
    return allowed;
  });
}
