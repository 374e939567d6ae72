/** Stock counts: in progress, awaiting approval, or finished. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ClipboardList } from "lucide-react";
import type { ReactNode } from "react";
import type { StockPageQueryVariables } from "../../generated/stock.js";
import { Empty } from "../../parts/states.js";
import { ago, count, money, percent } from "../../parts/words.js";
import { type CountHead, CountState, nameOf, scopeOf } from "./count-state.js";

/** Keyed by the value in the URL. */
export const countFilters: Record<"open" | "pending" | "ended", NonNullable<StockPageQueryVariables["countFilter"]>> = {
  open: { statusIn: ["DRAFT", "OPEN"] },
  pending: { pending: true },
  ended: { or: [{ status: "CANCELLED" }, { status: "POSTED", not: { pending: true } }] },
};

export const countStates = [
  [undefined, t`All`],
  ["open", t`Under way`],
  ["pending", t`To approve`],
  ["ended", t`Closed`],
] as const;

export function CountLines({ counts, currency, empty }: { counts: CountHead[]; currency?: string | null; empty?: ReactNode }) {
  if (!counts.length) return empty ?? <Empty icon={ClipboardList} title={t`No count here`} />;
  return (
    <ul className="list">
      {counts.map((one) => {
        const { id, site, status, blind, reason, createdByPrincipal, createdAt, all, counted, differingLines, valueDifference } = one;
        return (
          <li key={id} className="clickable count-entry">
            <div className="grow">
              <Link className="title clip block" to="/stock/count/$id" params={{ id }}>
                {nameOf(one)} <span className="muted">{site}</span>
              </Link>
              <div className="muted small clip">
                {[scopeOf(one), blind && t`blind`, reason, [createdByPrincipal?.name, ago(createdAt)].filter(Boolean).join(", ")]
                  .filter(Boolean)
                  .join(" · ")}
              </div>
            </div>
            <span className="num small count-progress">
              {status === "POSTED" ? (
                differingLines ? (
                  <>
                    <span className="strong">{plural(differingLines, { one: "# line differs", other: "# lines differ" })}</span>
                    <br />
                    <span className="muted">{money(valueDifference, currency)}</span>
                  </>
                ) : (
                  <span className="muted">{t`No difference`}</span>
                )
              ) : (
                <>
                  <progress
                    max={all.totalCount || 1}
                    value={counted.totalCount}
                    aria-label={t`${nameOf(one)}: ${percent((100 * counted.totalCount) / (all.totalCount || 1))} counted`}
                  />
                  <br />
                  <span className="muted">{t`${count(counted.totalCount)} of ${count(all.totalCount)}`}</span>
                </>
              )}
            </span>
            <span className="count-state">
              <CountState of={one} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
