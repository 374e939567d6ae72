/** Times between failures of the same asset, as a distribution. A mean of the whole fleet hides both the weak and the sound assets. */
import { t } from "@lingui/core/macro";
import { figure } from "./words.js";

export interface Failure {
  id: string;
  assetId: string;
  startedAt: string;
  endedAt: string | null;
}

/** Time without failure, from the end of a failure to the start of the asset's next one. */
export interface Gap<One extends Failure = Failure> {
  from: One;
  to: One;
  days: number;
}

const dayLength = 86_400_000;

/** Failures that overlap are one failure, as in the reliability figures. */
export function gapsOf<One extends Failure>(failures: readonly One[]): Gap<One>[] {
  const gaps: Gap<One>[] = [];
  const last = new Map<string, { failure: One; end: number }>();
  const sorted = [...failures].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  for (const failure of sorted) {
    const start = Date.parse(failure.startedAt);
    const end = failure.endedAt ? Date.parse(failure.endedAt) : Number.POSITIVE_INFINITY;
    const before = last.get(failure.assetId);
    if (before && start > before.end) gaps.push({ from: before.failure, to: failure, days: (start - before.end) / dayLength });
    last.set(failure.assetId, before && before.end > end ? before : { failure, end });
  }
  return gaps;
}

/** Classes of the histogram, by their upper end in days. */
const ends = [1, 3, 7, 14, 30, 60, 90, 180, 365, Number.POSITIVE_INFINITY];

export interface GapClass<One extends Failure = Failure> {
  id: string;
  short: string;
  name: string;
  gaps: Gap<One>[];
}

export const classesOf = <One extends Failure>(gaps: readonly Gap<One>[]): GapClass<One>[] =>
  ends.map((end, index) => {
    const start = ends[index - 1] ?? 0;
    return {
      id: `gap:${start}`,
      short: Number.isFinite(end) ? `≤ ${end}` : `> ${start}`,
      name: !Number.isFinite(end) ? t`more than ${start} days` : index ? t`more than ${start} to ${end} days` : t`up to 1 day`,
      gaps: gaps.filter(({ days }) => days <= end && (days > start || !index)),
    };
  });

/** Quantile of sorted values, interpolated between neighbours. Null without values. */
function quantile(sorted: readonly number[], share: number): number | null {
  if (!sorted.length) return null;
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}

export interface Spread {
  count: number;
  least: number | null;
  quarter: number | null;
  median: number | null;
  threeQuarters: number | null;
  most: number | null;
}

/** Five-number summary, as in a box plot. */
export function spreadOf(gaps: readonly Gap[]): Spread {
  const sorted = gaps.map(({ days }) => days).sort((a, b) => a - b);
  const at = (share: number) => quantile(sorted, share);
  return { count: sorted.length, least: at(0), quarter: at(0.25), median: at(0.5), threeQuarters: at(0.75), most: at(1) };
}

/** Days, or hours if shorter. */
export const length = (days: number | null): string => (days == null ? "–" : days < 2 ? figure(days * 24, "h") : figure(days, "d"));
