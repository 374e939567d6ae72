/** Reports the outcome of each row of an import, with the values that it changed. */
import type { TenantQueryable } from "../../database/database.js";
import type { ImportRow } from "../../schema/exchange/import.js";
import type { Entry, Fields, Sheet } from "./sheet.js";

export type ReportedRow = ImportRow;

const maxReported = 10_000;
/** Size of a row in a response, except its texts. */
const rowBytes = 120;

const sizeOf = (value: unknown) => 2 * Buffer.byteLength(JSON.stringify(value));

export class RowReport {
  private readonly rows = new Map<number, ReportedRow>();
  private before = new Map<string, Fields>();
  /** Changed rows of the current batch, by the id of the record. */
  private changed = new Map<string, ReportedRow>();
  private bytes = 0;

  /** Reports nothing if `maxBytes` is 0. */
  constructor(
    private readonly sheet: Sheet,
    private readonly maxBytes: number,
  ) {}

  add({ row, cells = [] }: Omit<Entry<any>, "fields">, outcome: ReportedRow["outcome"], id?: string): void {
    if (this.isFull || this.rows.has(row)) return;
    this.bytes += rowBytes + sizeOf(cells);
    const reported: ReportedRow = { row, outcome, id: id?.split(" ", 1)[0], cells, changes: [] };
    this.rows.set(row, reported);
    if (outcome === "updated" && id !== undefined) this.changed.set(id, reported);
  }

  private get isFull() {
    return this.bytes >= this.maxBytes || this.rows.size >= maxReported;
  }

  async remember(tx: TenantQueryable, ids: Iterable<string>): Promise<void> {
    const wanted = [...ids];
    if (wanted.length && !this.isFull && this.sheet.stored) this.before = await this.sheet.stored(tx, wanted);
  }

  /** Called after each batch. */
  async compare(tx: TenantQueryable): Promise<void> {
    const changed = this.changed;
    this.changed = new Map();
    if (!changed.size || !this.sheet.stored) return;
    const after = await this.sheet.stored(tx, [...changed.keys()]);
    for (const [id, row] of changed) {
      const [old, current] = [this.before.get(id) ?? {}, after.get(id) ?? {}];
      row.changes = this.sheet.columns.flatMap(({ field, names, write }) => {
        const change = { column: names[0]!, before: write(old[field]), after: write(current[field]) };
        return change.before === change.after ? [] : [change];
      });
      this.bytes += sizeOf(row.changes);
    }
  }

  end(): ReportedRow[] {
    return [...this.rows.values()].sort((a, b) => a.row - b.row);
  }
}
