/** Labels for the scope and status of a stock count. */
import { plural, t } from "@lingui/core/macro";
import type { CountPageQuery } from "../../generated/count.js";
import { Status } from "../../parts/status.js";

export type Count = NonNullable<CountPageQuery["stockCount"]>;
export type CountHead = Omit<Count, "differing" | "lines">;

/** Posted with differences and awaiting a decision. */
export const isWaiting = ({ status, differingLines, approvedAt, rejectedAt }: CountHead): boolean =>
  status === "POSTED" && !!differingLines && !approvedAt && !rejectedAt;

export function CountState({ of, filled }: { of: CountHead; filled?: boolean }) {
  const { status, approvedAt, rejectedAt } = of;
  const [value, label] =
    status === "DRAFT"
      ? ["SCHEDULED", t`Draft`]
      : status === "OPEN"
        ? ["IN_PROGRESS", t`Counting`]
        : status === "CANCELLED"
          ? ["CANCELLED", t`Cancelled`]
          : rejectedAt
            ? ["DECLINED", t`Rejected`]
            : approvedAt
              ? ["COMPLETED", t`Approved`]
              : isWaiting(of)
                ? ["PENDING", t`Waiting for approval`]
                : ["COMPLETED", t`Posted`];
  return <Status value={value!} label={label} filled={filled} />;
}

/** Scope of the sheet: `area A-, class A`. */
export function scopeOf({ area, location, category, abcClass, partIds }: CountHead): string {
  const parts = [
    location && t`location ${location}`,
    area && t`locations ${area}…`,
    category,
    abcClass && t`class ${abcClass}`,
    partIds.length > 0 && plural(partIds.length, { one: "one chosen part", other: "# chosen parts" }),
  ].filter(Boolean);
  return parts.join(", ") || t`all stock`;
}

export const nameOf = ({ number }: Pick<CountHead, "number">): string => t`Count ${number}`;
