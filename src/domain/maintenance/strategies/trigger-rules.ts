/**
 * Rules for tripping and resetting triggers, as pure functions of readings (docs/decisions.md, "a trigger that has tripped", "time of
 * readings").
 */
import type { TriggerOperator } from "../../../schema/maintenance/enums.js";
import { converterOf } from "../meters/units.js";

export interface Rule {
  operator: TriggerOperator;
  threshold: number;
  hysteresis: number;
  violations: number;
  samples: number;
  /** In minutes. Null or absent for none. */
  minimumDuration?: number | null;
}

/** Readings of one parameter of one asset, oldest first. */
export interface Series {
  values: number[];
  /** Whether each value belongs to this batch. */
  fresh: boolean[];
  /** Required only for a minimum duration. */
  times?: string[];
}

export interface Outcome {
  /** Whether the trigger trips and therefore raises a notification. True even if a later reading resets it. */
  trips: boolean;
  /** Whether a reading of the batch is beyond the threshold while an earlier batch keeps the trigger tripped. */
  repeats: boolean;
  /** Whether the trigger is tripped after the batch. */
  tripped: boolean;
  /** Index of the value in the notification's message. */
  at: number;
}

/**
 * Maximum number of readings considered for a minimum duration. This many consecutive readings beyond the threshold satisfy any duration.
 */
export const maxInDuration = 10_000;

function isBeyond({ operator, threshold }: Rule, value: number): boolean {
  if (operator === "greater_than") return value > threshold;
  return operator === "less_than" ? value < threshold : value === threshold;
}

/**
 * Whether the value resets a tripped trigger. With a hysteresis, it must be back from the threshold by more than that; without one, it must
 * not be beyond the threshold.
 */
function isBack(rule: Rule, value: number): boolean {
  const { operator, threshold, hysteresis } = rule;
  if (hysteresis === 0) return !isBeyond(rule, value);
  if (operator === "greater_than") return value < threshold - hysteresis;
  return operator === "less_than" ? value > threshold + hysteresis : Math.abs(value - threshold) > hysteresis;
}

/** Returns a function that takes readings one by one, and tells whether the condition is met by the readings so far. */
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
 * Evaluates readings in order of time. A late reading can trip a trigger, also because a known later reading now meets the condition. It
 * cannot reset a tripped trigger, because newer readings are known. These newer readings can reset a trigger tripped by a late one.
 */
export function outcomeOf(watch: Rule & Series & { notificationId: string | null }): Outcome {
  const { values, fresh, times } = watch;
  const outcome: Outcome = { trips: false, repeats: false, tripped: watch.notificationId !== null, at: values.length - 1 };
  const lastKnown = fresh.lastIndexOf(false);
  const firstFresh = fresh.indexOf(true);
  const isMet = judgeOf(watch);
  // Evaluates the known readings without late ones: their notification already exists.
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

/** Readings with the units sent, and the unit of evaluation. */
export interface Measured extends Series {
  /** Unit of the threshold. Null if it has none. */
  unit: string | null;
  /** Null if the threshold has no unit. */
  units: (string | null)[] | null;
  sensors: (string | null)[];
  times: string[];
}

export interface Converted {
  /** Original values and units of converted readings. */
  sent?: ({ value: number; unit: string } | undefined)[];
  /** Units of this batch that cannot be converted. */
  misfits: Set<string>;
}

/** A blank unit counts as missing. */
const isBlank = (unit: string | null) => unit === null || unit.trim() === "";

/**
 * Converts readings to the unit of the threshold. Omits known readings that cannot be converted, which were recorded for another quantity
 * before the condition existed. A reading without a unit is assumed to be in the unit of the threshold.
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

/** A condition in words, without its parameter: limit, number of readings and duration. */
export function limitText(
  { operator, violations, samples, minimumDuration }: Omit<Rule, "threshold" | "hysteresis">,
  threshold: string,
): string {
  const ofLast = samples > 1 ? ` (${violations} of the last ${samples} readings)` : "";
  const lasting = minimumDuration ? `, for at least ${minimumDuration} min` : "";
  return `${symbols[operator]} ${threshold}${ofLast}${lasting}`;
}
