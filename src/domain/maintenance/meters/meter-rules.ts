/** Computes the total of a meter reading from its neighbors, as a pure function (docs/work.md, "Meters"). */
import type { MeterReadingKind } from "../../../schema/maintenance/enums.js";

export interface KnownReading {
  takenAt: Date;
  kind: MeterReadingKind;
  value: number;
  total: number;
}

export interface NewReading {
  takenAt: Date;
  value: number;
  rollover?: boolean | null;
  /** The last value of a replaced meter. */
  finalValue?: number | null;
}

/** Upper limit of values and totals, so that they are exact with 4 decimal places. */
export const mostCounted = 1e11;

const scale = 10_000;
/** To 4 decimal places, as in the database. */
export const rounded = (value: number): number => Math.round(value * scale) / scale;

const sum = (...values: number[]) => values.reduce((total, value) => total + Math.round(value * scale), 0) / scale;

export type Counted = Pick<KnownReading, "kind" | "total"> | { field: "value" | "rollover" | "finalValue"; message: string };

/**
 * The total of a reading, or the problem. `before` and `after` are the adjacent readings, which do not change: a late reading counts as
 * before a subsequent rollover or replacement.
 */
export function countOf(
  { rolloverAt, unit }: { rolloverAt: number | null; unit: string },
  { value, rollover, finalValue }: NewReading,
  before: KnownReading | undefined,
  after: KnownReading | undefined,
): Counted {
  const described = ({ value: shown, takenAt }: KnownReading) => `${shown} ${unit} of ${takenAt.toISOString()}`;
  const wrong = (field: "value" | "rollover" | "finalValue", message: string) => ({ field, message });
  if (rolloverAt !== null && value >= rolloverAt)
    return wrong("value", `must be below ${rolloverAt} ${unit}, where the meter begins again`);
  if (value >= mostCounted) return wrong("value", "must be below 100,000,000,000");
  if (rollover || finalValue != null) {
    if (rollover && finalValue != null) return wrong("finalValue", "must be left out for a rollover");
    const field = rollover ? "rollover" : "finalValue";
    if (!before) return wrong(field, "must be left out for the first reading");
    if (after) return wrong(field, `must be left out for a reading before another one, ${described(after)}`);
    if (rollover && rolloverAt === null) return wrong(field, "needs a meter with rolloverAt; set it first");
    if (finalValue != null && finalValue < before.value) return wrong(field, `must be at least ${described(before)}, the last reading`);
    if (finalValue != null && rolloverAt !== null && finalValue > rolloverAt) return wrong(field, `must be at most ${rolloverAt} ${unit}`);
    const total = rollover ? sum(before.total, rolloverAt!, -before.value, value) : sum(before.total, finalValue!, -before.value);
    if (total >= mostCounted) return wrong("value", "makes a total that must be below 100,000,000,000");
    return { kind: rollover ? "rollover" : "replacement", total };
  }
  if (before && value < before.value) {
    const declare = after ? "" : "; declare a rollover, or a replacement by finalValue";
    return wrong("value", `must be at least ${described(before)}, the reading before${declare}`);
  }
  const total = before ? sum(before.total, value, -before.value) : after ? sum(after.total, value, -after.value) : value;
  if (after && (total > after.total || total < 0 || (!before && value > after.value)))
    return wrong("value", `must be at most ${described(after)}, the reading after`);
  if (total >= mostCounted) return wrong("value", "makes a total that must be below 100,000,000,000");
  return { kind: "normal", total };
}
