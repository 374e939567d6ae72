/** Labels for the scope and status of a stock count. */
import type { CountPageQuery } from "../../generated/count.js";
import { Status } from "../../parts/status.js";
import { count } from "../../parts/words.js";

export type Count = NonNullable<CountPageQuery["stockCount"]>;
export type CountHead = Omit<Count, "differing" | "lines">;

/** Posted with differences and awaiting a decision. */
export const isWaiting = ({ status, differingLines, approvedAt, rejectedAt }: CountHead): boolean =>
  status === "POSTED" && !!differingLines && !approvedAt && !rejectedAt;

export function CountState({ of, filled }: { of: CountHead; filled?: boolean }) {
  const { status, approvedAt, rejectedAt } = of;
  const [value, label] =
    status === "DRAFT"
      ? ["SCHEDULED", "Draft"]
      : status === "OPEN"
        ? ["IN_PROGRESS", "Counting"]
        : status === "CANCELLED"
          ? ["CANCELLED", "Cancelled"]
          : rejectedAt
            ? ["DECLINED", "Rejected"]
            : approvedAt
              ? ["COMPLETED", "Approved"]
              : isWaiting(of)
                ? ["PENDING", "Waiting for approval"]
                : ["COMPLETED", "Posted"];
  return <Status value={value!} label={label} filled={filled} />;
}

/** Scope of the sheet: `area A-, class A`. */
export function scopeOf({ area, location, category, abcClass, partIds }: CountHead): string {
  const parts = [
    location && `location ${location}`,
    area && `locations ${area}…`,
    category,
    abcClass && `class ${abcClass}`,
    partIds.length > 0 && (partIds.length === 1 ? "one chosen part" : `${count(partIds.length)} chosen parts`),
  ].filter(Boolean);
  return parts.join(", ") || "all stock";
}

export const nameOf = ({ number }: Pick<CountHead, "number">): string => `Count ${number}`;
