/** The sheet of readings. Existing readings are neither duplicated nor changed (docs/decisions.md, "key of readings"). */
import { now } from "../../database/clock.js";
import { ServiceError } from "../../schema/errors.js";
import type { ReadingInput } from "../../schema/maintenance/meters/reading.js";
import { Measure, Name, ShortText } from "../../schema/scalars.js";
import { maxMinutesAhead, storeReadings } from "../maintenance/meters/readings.js";
import { assetOf, assetRef, ofOwnAssets } from "./asset-refs.js";
import { date, number, required, text } from "./cells.js";
import { keysetPieces } from "./export.js";
import type { Entry as AnyEntry, Run, Sheet } from "./sheet.js";

interface Fields {
  asset: string;
  parameter: string;
  value: string;
  unit?: string;
  sensorID?: string;
  recordedAt: string;
}
type Entry = AnyEntry<Fields>;

interface Sent {
  entry: Entry;
  reading: ReadingInput;
  key: string;
}

const columns = [
  required(text(Name, "asset")),
  required(text(Name, "parameter")),
  required(number(Measure, "value")),
  text(ShortText, "unit"),
  text(ShortText, "sensorID"),
  required(date("recordedAt")),
];

type Value = Pick<ReadingInput, "value" | "unit">;

const isSame = (one: Value, other: Value) => one.value === other.value && (one.unit?.trim() || null) === (other.unit?.trim() || null);

const storedOnes = `
  select k.at, e.value, e.unit from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality k(asset, parameter, sensor, time, at)
  cross join lateral (select value, unit from "Reading" e where e."tenantId" = $1 and e."assetId" = k.asset and e.parameter = k.parameter
    and e."recordedAt" = k.time and e."recordedAt" between $6 and $7 and e."sensorID" is not distinct from k.sensor offset 0) e`;

class ReadingImporter {
  /** The first value of each key in the file. */
  private readonly seen = new Map<string, Value>();

  constructor(private readonly run: Run<any>) {}

  async write(entries: Entry[]): Promise<void> {
    const { done } = this.run;
    const sent = await this.readable(entries);
    const fresh = this.once(sent);
    const known = await this.stored(fresh);
    const added = fresh.filter(({ entry, reading }, i) => {
      const values = known.get(i);
      if (!values) return true;
      if (values.some((value) => isSame(value, reading))) done(entry, "unchanged");
      else this.refuseOther(entry, values[0]!);
      return false;
    });
    await this.store(added);
  }

  private refuseOther(entry: Entry, { value, unit }: Value): void {
    const message = `is ${value}${unit ? ` ${unit}` : ""} already; a reading is not changed`;
    this.run.refuse(entry, { field: "value", message, value: entry.fields.value });
  }

  private async readable(entries: Entry[]): Promise<Sent[]> {
    const latest = now() + maxMinutesAhead * 60_000;
    return (await ofOwnAssets(this.run, entries)).flatMap(([entry, asset]) => {
      const { parameter, value, unit, sensorID, recordedAt } = entry.fields;
      const time = new Date(recordedAt);
      if (time.getTime() > latest) {
        const message = `must be at most ${maxMinutesAhead} minutes ahead of now`;
        this.run.refuse(entry, { field: "recordedAt", message, value: recordedAt });
        return [];
      }
      const reading = { assetId: asset.id, parameter, value: Number(value), unit, sensorID, recordedAt: time };
      return [{ entry, reading, key: JSON.stringify([asset.id, parameter, sensorID ?? null, time.getTime()]) }];
    });
  }

  /** Filters out rows that repeat a key of the file. */
  private once(sent: Sent[]): Sent[] {
    return sent.filter(({ entry, key, reading }) => {
      const first = this.seen.get(key);
      if (!first) this.seen.set(key, reading);
      else if (isSame(first, reading)) this.run.done(entry, "unchanged");
      else this.refuseOther(entry, first);
      return !first;
    });
  }

  /** Stored values of the keys, by index in `sent`. */
  private async stored(sent: Sent[]): Promise<Map<number, Value[]>> {
    if (!sent.length) return new Map();
    const times = sent.map(({ reading }) => reading.recordedAt!.getTime());
    const rows = await this.run.tx.query<Value & { at: string }>(
      storedOnes,
      sent.map(({ reading }) => reading.assetId),
      sent.map(({ reading }) => reading.parameter),
      sent.map(({ reading }) => reading.sensorID ?? null),
      sent.map(({ reading }) => reading.recordedAt),
      // Restricts the lookup to the monthly partitions of these times.
      new Date(times.reduce((a, b) => Math.min(a, b))),
      new Date(times.reduce((a, b) => Math.max(a, b))),
    );
    const known = new Map<number, Value[]>();
    for (const { at, ...value } of rows) known.set(Number(at) - 1, [...(known.get(Number(at) - 1) ?? []), value]);
    return known;
  }

  /**
   * Stores readings. If a unit does not fit a threshold, refuses that row and stores the others again, because the savepoint was rolled
   * back.
   */
  private async store(sent: Sent[]): Promise<void> {
    if (!sent.length) return;
    const { savepoint, actor, refuse, done } = this.run;
    try {
      const readings = sent.map(({ reading }) => reading);
      const { recorded } = await savepoint((tx) => storeReadings(tx, actor, readings));
      // Others stored the same reading meanwhile.
      for (const [i, { entry }] of sent.entries()) done(entry, i < recorded ? "created" : "unchanged");
    } catch (error) {
      const details = error instanceof ServiceError ? (error.context.details as Record<string, string> | undefined) : undefined;
      const misfits = new Map(Object.entries(details ?? {}).map(([name, message]) => [Number(name.split(".")[1]), message]));
      const fitting = sent.filter((_, i) => !misfits.has(i));
      if (fitting.length === sent.length) throw error;
      for (const [at, message] of misfits) refuse(sent[at]!.entry, { field: "unit", message, value: sent[at]!.reading.unit });
      await this.store(fitting);
    }
  }
}

export const readingSheet: Sheet<ReadingImporter> = {
  name: "readings",
  roles: ["technician", "ingest"],
  columns,
  keysOf: () => [],
  batchSize: 1000,
  begin: (run) => new ReadingImporter(run),
  pieces: (db, write) =>
    keysetPieces<{ id: string }>(
      (last, limit) =>
        db.query(
          `select r.id, ${assetRef("a")} as asset, r.parameter, r.value, r.unit, r."sensorID", r."recordedAt" from "Reading" r
           ${assetOf("r")} where r."tenantId" = $1 and r.id > $2 and a."deletedAt" is null order by r.id limit ${limit}`,
          last?.id ?? "0",
        ),
      write,
    ),
};
