/** Times between failures of the same asset, as a distribution. A mean of the whole fleet hides both the weak and the sound assets. */
import { t } from "@lingui/core/macro";
import type { SpreadFragment } from "../generated/reports.js";
import { figure } from "./words.js";

/** Class of intervals, from and to in hours. */
export interface Bucket {
  from: number;
  to: number | null;
}

/** Name of a class in the address. */
export const bucketId = ({ from }: Bucket) => `gap:${from / 24}`;

export const bucketShort = ({ from, to }: Bucket) => (to === null ? `≥ ${from / 24}` : `< ${to / 24}`);

export function bucketName({ from, to }: Bucket): string {
  const [start, end] = [from / 24, (to ?? 0) / 24];
  if (to === null) return t`${start} days or more`;
  return from ? t`${start} to less than ${end} days` : t`less than 1 day`;
}

/** Numbers of a distribution, in the order of their columns. */
export const timesOf = ({ shortest, p10, median, p90, longest }: Omit<SpreadFragment, "count">) => [shortest, p10, median, p90, longest];

/** Days, or hours if shorter than two days. */
export const length = (hours: number | null): string => (hours == null ? "–" : hours < 48 ? figure(hours, "h") : figure(hours / 24, "d"));
