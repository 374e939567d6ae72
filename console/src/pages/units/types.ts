/** The records of the pages of units, as their queries select them, and what is said of them. */
import { t } from "@lingui/core/macro";
import type { PositionPageQuery, UnitPageQuery, WorkshopQuery } from "../../generated/units.js";
import type { Tone } from "../../parts/status.js";
import { figure, percent, wordOf } from "../../parts/words.js";

export type Position = NonNullable<PositionPageQuery["component"]>;
export type Installation = Position["installations"]["nodes"][number];
export type Unit = NonNullable<UnitPageQuery["unit"]>;
/** A place of a unit. */
export type Period = NonNullable<Unit["whereabouts"]>;
/** A place in a table, with the corrections of it. */
export type RecordedPeriod = Unit["periods"]["nodes"][number];
export type UnitName = Pick<Unit, "id" | "serialNumber">;
export type UnitOfList = NonNullable<WorkshopQuery["toInspect"]>["nodes"][number];

/** The site of a place, whose time zone its dates are in. */
export const siteOf = (period: Pick<Period, "site" | "component"> | null | undefined): string | undefined =>
  period?.site ?? period?.component?.asset?.site;

export const makerOf = ({ manufacturer, model }: Pick<Unit, "manufacturer" | "model">): string =>
  [manufacturer, model].filter(Boolean).join(" ");

/** A removed unit is unserviceable until inspected. */
export function stateWord({ state, condition }: Pick<Period, "state" | "condition">): string {
  if (state !== "REMOVED") return wordOf(state);
  return condition === "UNSERVICEABLE" ? t`To inspect` : t`Serviceable`;
}

export function toneOfUnit({ state, condition }: Pick<Period, "state" | "condition">): Tone {
  if (state === "INSTALLED") return "good";
  if (state === "REMOVED") return condition === "UNSERVICEABLE" ? "warn" : "good";
  return state === "IN_REPAIR" ? "info" : state === "LOST" ? "bad" : "calm";
}

/** The largest share of the limits, and each of them. */
export function lifeText({ share, hours, months, installations }: NonNullable<Unit["lifeUsed"]>): string {
  const parts = [
    hours && t`${figure(hours.used)} of ${figure(hours.limit)} h`,
    months && t`${figure(months.used)} of ${figure(months.limit)} months`,
    installations && t`${figure(installations.used)} of ${figure(installations.limit)} installations`,
  ];
  return `${percent(share * 100)} (${parts.filter(Boolean).join(", ")})`;
}
