/** Figures of the reports: value, reason where unknown, definition, and the records behind. */
import { plural, t } from "@lingui/core/macro";
import { plus } from "../../parts/decimals.js";
import { explanations } from "../../parts/explanation.js";
import { length } from "../../parts/gaps.js";
import { count, hours, money, percent } from "../../parts/words.js";
import type { Measured } from "./use-figures.js";

export interface Measure {
  /** Also the name of its rows in the address. */
  id: string;
  label: string;
  explanation: string;
  readOf: (data: Measured) => number | null;
  format: (value: number, currency?: string | null) => string;
  /** Compared in percentage points. */
  isShare?: boolean;
  /** Why the value is null. */
  unknown?: (data: Measured) => string;
  note?: (data: Measured) => string | undefined;
}

export const totalOf = (data: Measured): number => plus(...(data.work ?? []).map((one) => one.totalCost));

function spreadNote({ reliability }: Measured): string | undefined {
  const between = reliability?.betweenFailures;
  if (!between || between.count < 2) return between?.count ? t`1 interval` : undefined;
  return t`Most of ${count(between.count)} intervals: ${length(between.p10)} to ${length(between.p90)}`;
}

const boundOf = (bound: number | null | undefined): string =>
  bound == null
    ? t`Unknown because there was no operating time.`
    : t`Unknown because nothing failed. With 90% confidence at least ${hours(bound)}.`;

export const measures: Measure[] = [
  {
    id: "costs",
    label: t`Cost of completed work`,
    explanation: explanations.costs,
    readOf: totalOf,
    format: (value, currency) => money(value, currency),
    note: (data) => {
      const orders = (data.work ?? []).reduce((sum, one) => sum + one.count, 0);
      return plural(orders, { one: "# work order", other: "# work orders" });
    },
  },
  {
    id: "compliance",
    label: t`Planned work done in time`,
    explanation: explanations.compliance,
    readOf: (data) => data.compliance?.percentage ?? null,
    format: percent,
    isShare: true,
    unknown: (data) =>
      data.compliance ? t`Unknown because no planned date fell due.` : t`Unknown because it is not computed by area or type of asset.`,
    note: ({ compliance }) => (compliance ? t`${count(compliance.done)} of ${count(compliance.due)} dates` : undefined),
  },
  {
    id: "planned",
    label: t`Share of planned work`,
    explanation: explanations.planned,
    readOf: (data) => data.reliability?.plannedWorkShare ?? null,
    format: percent,
    isShare: true,
    unknown: () => t`Unknown because no completed order has labor entries or a duration.`,
    note: () => t`By man-hours approved before their week`,
  },
  {
    id: "availability",
    label: t`Availability`,
    explanation: explanations.availability,
    readOf: (data) => data.reliability?.availability ?? null,
    format: percent,
    isShare: true,
    unknown: () => t`Unknown because no asset was required.`,
    note: ({ reliability }) =>
      reliability ? t`${hours(reliability.downtime)} down of ${hours(reliability.requiredTime)} required` : undefined,
  },
  {
    id: "failures",
    label: t`Failures`,
    explanation: explanations.failures,
    readOf: (data) => data.reliability?.failures ?? null,
    format: count,
    unknown: () => t`Unknown because the figures could not be read.`,
    note: ({ reliability }) => (reliability && reliability.assets > 1 ? t`${count(reliability.assets)} assets` : undefined),
  },
  {
    id: "gaps",
    label: t`Median time between failures`,
    explanation: explanations.gaps,
    readOf: (data) => data.reliability?.betweenFailures.median ?? null,
    format: length,
    unknown: (data) => (data.reliability?.failures ? t`Unknown because no asset failed twice.` : t`Unknown because nothing failed.`),
    note: spreadNote,
  },
  {
    id: "mtbf",
    label: t`Mean time between failures (MTBF)`,
    explanation: explanations.mtbf,
    readOf: (data) => data.reliability?.mtbf ?? null,
    format: hours,
    unknown: (data) => boundOf(data.reliability?.mtbfLowerBound90),
  },
  {
    id: "mttr",
    label: t`Mean time to restore (MTTR)`,
    explanation: explanations.mttr,
    readOf: (data) => data.reliability?.mttr ?? null,
    format: hours,
    unknown: () => t`Unknown because no failure ended.`,
  },
];

/** `12% more than €1,000 before`. Undefined if both values are unknown. */
export function changeOf(
  { readOf, format, isShare }: Measure,
  now: Measured,
  before: Measured,
  currency?: string | null,
): string | undefined {
  const [value, was] = [readOf(now), readOf(before)];
  if (was == null) return value == null ? undefined : t`Unknown in the period before`;
  if (value == null) return t`${format(was, currency)} before`;
  return t`${differenceOf(value, was, isShare)} ${format(was, currency)} before`;
}

/** `12% more than`, `3.1 points less than`, `the same as`. */
export function differenceOf(value: number, other: number, isShare?: boolean): string {
  const word = value > other ? t`more than` : t`less than`;
  const size = Math.abs(value - other);
  if (isShare) return size < 0.05 ? t`the same as` : t`${points.format(size)} points ${word}`;
  if (value === other) return t`the same as`;
  return other === 0 ? word : `${percent((size / Math.abs(other)) * 100)} ${word}`;
}

const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
