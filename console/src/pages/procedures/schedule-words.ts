/** A procedure's schedule in words. */
import { plural, t } from "@lingui/core/macro";
import type { ProcedureFrequency, TriggerOperator } from "../../../../packages/client/src/generated/schema.js";
import { day, exact, timeSpent, weekdayName } from "../../parts/words.js";
import type { Procedure } from "./types.js";

export const intervals: Record<Exclude<ProcedureFrequency, "CUSTOM">, string> = {
  DAILY: t`Every day`,
  WEEKLY: t`Every week`,
  BI_WEEKLY: t`Every 2 weeks`,
  MONTHLY: t`Every month`,
  QUARTERLY: t`Every 3 months`,
  SEMI_ANNUAL: t`Every 6 months`,
  ANNUAL: t`Every year`,
};

type Interval = Pick<Procedure, "frequency" | "customIntervalDays">;

/** Undefined for a procedure without dates. */
export function intervalWords({ frequency, customIntervalDays: days }: Interval): string | undefined {
  if (frequency !== "CUSTOM") return intervals[frequency];
  return days ? plural(days, { one: "Every day", other: "Every # days" }) : undefined;
}

interface ByMeter {
  interval: number;
  meter: { unit: string; name: string } | null;
}
export const meterWords = ({ interval, meter }: ByMeter): string =>
  t`Every ${exact(interval, meter?.unit)} of ${meter?.name ?? t`a deleted meter`}`;

export const operatorWords: Record<TriggerOperator, string> = {
  GREATER_THAN: t`above`,
  LESS_THAN: t`below`,
  EQUAL: t`equal to`,
};

function conditionWords({ parameter, operator, threshold, unit, violations, samples, minimumDuration }: Procedure["conditions"][number]) {
  const limit = `${operatorWords[operator]} ${exact(threshold, unit ?? "")}`;
  const often = samples > 1 ? t`When ${violations} of ${samples} readings of ${parameter} are ${limit}` : t`When ${parameter} is ${limit}`;
  return minimumDuration ? t`${often}, for at least ${timeSpent(minimumDuration)}` : often;
}

/** The triggers in short, for lists. */
export const triggersInShort = ({
  meters,
  conditions,
  ...interval
}: Interval & { meters: ByMeter[]; conditions: { parameter: string }[] }): string =>
  [intervalWords(interval), ...meters.map(meterWords), ...conditions.map(({ parameter }) => t`By ${parameter}`)]
    .filter(Boolean)
    .join(" · ") || t`No schedule`;

/** Every trigger of a procedure. */
export const triggersOf = ({ meters, conditions, ...interval }: Procedure): string[] =>
  [intervalWords(interval), ...meters.map(meterWords), ...conditions.map(conditionWords)].filter((one) => one !== undefined);

const missedWords = {
  COLLAPSE: t`Missed dates are collapsed into the latest.`,
  SKIP: t`Missed dates are skipped.`,
  CATCH_UP: t`Missed dates are done one after the other.`,
};

/** The rules that move dates, each as a sentence. */
export function rulesOf(procedure: Procedure): string[] {
  const { anchor, schedulingBasis, schedulingRules: rules, missedPolicy, workingDaysOnly, shift, statutory, suppressedBy } = procedure;
  const hasDates = intervalWords(procedure) !== undefined;
  const isEarlier = statutory || shift === "EARLIER";
  const weekend = statutory ? t`Dates on a weekend move to Friday.` : t`Dates on a weekend move to Monday.`;
  return [
    hasDates &&
      (schedulingBasis === "FIXED" ? t`Counted from ${day(anchor, procedure.asset?.site)}.` : t`Counted from the last completion.`),
    workingDaysOnly &&
      (isEarlier ? t`Dates on days off move to the previous working day.` : t`Dates on days off move to the next working day.`),
    rules?.avoidWeekends && weekend,
    rules?.preferredDay && t`Dates move to ${weekdayName(rules.preferredDay)}.`,
    hasDates && schedulingBasis === "FIXED" && missedWords[missedPolicy],
    rules?.leadTime &&
      plural(rules.leadTime, {
        one: "Work orders are created # day before the due date.",
        other: "Work orders are created # days before the due date.",
      }),
    suppressedBy && t`Left out where “${suppressedBy.name}” is due at about the same time.`,
  ].filter((one) => typeof one === "string");
}
