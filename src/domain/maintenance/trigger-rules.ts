/** When a trigger trips and resets, as a pure function of readings (docs/decisions.md, "a trigger that has tripped", "time of readings"). */
import type { TriggerOperator } from "../../schema/maintenance/enums.js";
import { converterOf } from "./units.js";

export interface Rule {
  operator: TriggerOperator;
  threshold: number;
  hysteresis: number;
  violations: number;
  samples: number;
  /** In minutes; null or absent for none. */
  minimumDuration?: number | null;
}

/** Readings of one parameter of one asset, oldest first. */
export interface Series {
  values: number[];
  /** Whether each value belongs to this batch. */
  fresh: boolean[];
  /** Needed for a minimum duration only. */
  times?: string[];
}

export interface Outcome {
  /** Whether it trips, and so raises a notification. True even if a later reading resets it. */
  trips: boolean;
  /** Whether a reading of the batch is beyond the threshold while the trigger is tripped by an earlier batch. */
  repeats: boolean;
  /** Whether it is tripped after the batch. */
  tripped: boolean;
  /** Index of the value in the notification's message. */
  at: number;
}

/** Readings of a minimum duration that are looked at, at most: as many in a row beyond the threshold are long enough. */
export const maxInDuration = 10_000;

function isBeyond({ operator, threshold }: Rule, value: number): boolean {
  if (operator === "greater_than") return value > threshold;
  return operator === "less_than" ? value < threshold : value === threshold;
}

/** Whether the value resets a tripped trigger: back from the threshold by more than the hysteresis, or without one, not beyond it. */
function isBack(rule: Rule, value: number): boolean {
  const { operator, threshold, hysteresis } = rule;
  if (hysteresis === 0) return !isBeyond(rule, value);
  if (operator === "greater_than") return value < threshold - hysteresis;
  return operator === "less_than" ? value > threshold + hysteresis : Math.abs(value - threshold) > hysteresis;
}

/** Judges one reading after the other: whether the condition is met by it and those before it. */
function judgeOf(rule: Rule): (value: number, time: string | undefined) => boolean {
  const recent: boolean[] = [];
  let violations = 0;
  let since: string | undefined;
  let inRow = 0;
  return (value, time) => {
    const beyond = isBeyond(rule, value);
    recent.push(beyond);
    if (beyond) violations++;
    if (recent.length > rule.samples && recent.shift()) violations--;
    if (!rule.minimumDuration) return beyond && violations >= rule.violations;
    inRow = beyond ? inRow + 1 : 0;
    if (inRow <= 1) since = time;
    const isLong = inRow > maxInDuration || Date.parse(time!) - Date.parse(since!) >= rule.minimumDuration * 60_000;
    return beyond && violations >= rule.violations && isLong;
  };
}

/**
 * Evaluates readings in order of time. A late reading can trip a trigger, also by way of a known reading after it that was not enough alone, but does not
 * reset one that is tripped, because newer readings are known. What a late reading trips is reset by these.
 */
export function outcomeOf(watch: Rule & Series & { notificationId: string | null }): Outcome {
  const { values, fresh, times } = watch;
  const outcome: Outcome = { trips: false, repeats: false, tripped: watch.notificationId !== null, at: values.length - 1 };
  const lastKnown = fresh.lastIndexOf(false);
  const firstFresh = fresh.indexOf(true);
  const isMet = judgeOf(watch);
  // The result of the known readings without the late ones: a notification about it exists already.
  const wasMet = lastKnown > firstFresh ? judgeOf(watch) : undefined;
  for (const [at, value] of values.entries()) {
    const isFresh = fresh[at]!;
    const met = isMet(value, times?.[at]);
    const known = !isFresh && wasMet?.(value, times?.[at]);
    if (!isFresh && at < firstFresh) continue;
    if (outcome.tripped) {
      const canReset = isFresh ? at > lastKnown : outcome.trips;
      if (canReset && isBack(watch, value)) outcome.tripped = false;
      else if (isFresh && isBeyond(watch, value) && !outcome.trips) Object.assign(outcome, { repeats: true, at });
    } else if (met && !known) Object.assign(outcome, { trips: true, tripped: true, at });
  }
  return outcome;
}

/** Readings with the units that they were sent in, and the unit to judge them in. */
export interface Measured extends Series {
  /** Unit of the threshold; null if it has none. */
  unit: string | null;
  /** Null where the threshold has no unit. */
  units: (string | null)[] | null;
  sensors: (string | null)[];
  times: string[];
}

export interface Converted {
  /** As sent, where a value was converted. */
  sent?: ({ value: number; unit: string } | undefined)[];
  /** Units of this batch that cannot be converted. */
  misfits: Set<string>;
}

/** A blank unit says nothing. */
const isBlank = (unit: string | null) => unit === null || unit.trim() === "";

/**
 * Returns the readings in the unit of the threshold, without known ones that cannot be: those are of another quantity, recorded when nothing watched them. A
 * reading without a unit is in the threshold's.
 */
export function inUnitOf<W extends Measured>(watch: W): W & Converted {
  const { unit, units } = watch;
  const misfits = new Set<string>();
  if (unit === null || !units?.some((own) => own !== null && own !== unit) || isBlank(unit)) return { ...watch, misfits };
  const kept: number[] = [];
  const values: number[] = [];
  const sent: Converted["sent"] = [];
  for (const [at, own] of units.entries()) {
    const value = watch.values[at]!;
    const isAsItIs = own === null || own === unit || isBlank(own);
    const convert = isAsItIs ? undefined : converterOf(own, unit);
    const isFit = isAsItIs || convert !== undefined;
    if (!isFit && watch.fresh[at]) misfits.add(own!);
    if (!isFit) continue;
    kept.push(at);
    values.push(convert ? convert(value) : value);
    sent.push(convert && { value, unit: own! });
  }
  const only = <T>(list: T[]) => kept.map((at) => list[at]!);
  return { ...watch, misfits, values, sent, fresh: only(watch.fresh), times: only(watch.times), sensors: only(watch.sensors) };
}

const symbols: Record<TriggerOperator, string> = { greater_than: ">", less_than: "<", equal: "=" };

export const withUnit = (value: number | undefined, unit: string | null): string => `${value}${unit ? ` ${unit}` : ""}`;

/** A condition in words, without its parameter: what a value must be, for how many readings and how long. */
export function limitText(
  { operator, violations, samples, minimumDuration }: Omit<Rule, "threshold" | "hysteresis">,
  threshold: string,
): string {
  const ofLast = samples > 1 ? ` (${violations} of the last ${samples} readings)` : "";
  const lasting = minimumDuration ? `, for at least ${minimumDuration} min` : "";
  return `${symbols[operator]} ${threshold}${ofLast}${lasting}`;
}
