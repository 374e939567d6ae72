import { t } from "@lingui/core/macro";
import { CheckCheck } from "lucide-react";
import { ApproveAdjustment, RejectAdjustment, type StockPageQuery } from "../../generated/stock.js";
import { useChange } from "../../parts/change.js";
import { Empty } from "../../parts/states.js";
import { ago, exact, money, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { CountHead } from "./count-state.js";
import { CountLines } from "./counts.js";

type Adjustment = NonNullable<StockPageQuery["stockAdjustments"]>["nodes"][number];

interface Props {
  adjustments: Adjustment[];
  counts: CountHead[];
  currency?: string | null;
}

export function Approvals({ adjustments, counts, currency }: Props) {
  if (!adjustments.length && !counts.length)
    return (
      <section className="card" aria-label={t`To approve`}>
        <Empty icon={CheckCheck} title={t`Nothing to approve`}>
          {t`Counts and adjustments appear here until someone else approves them.`}
        </Empty>
      </section>
    );
  return (
    <div className="stack">
      {counts.length > 0 && (
        <section className="card" aria-labelledby="counts-to-approve">
          <header>
            <h2 id="counts-to-approve">{t`Stock counts`}</h2>
          </header>
          <div className="body flush">
            <CountLines counts={counts} currency={currency} />
          </div>
        </section>
      )}
      {adjustments.length > 0 && (
        <section className="card" aria-label={t`Adjustments to approve`}>
          <ul className="list">
            {adjustments.map((adjustment) => (
              <Line key={adjustment.id} adjustment={adjustment} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Line({ adjustment }: { adjustment: Adjustment }) {
  const { can, principalId } = useSession();
  const approve = useChange(ApproveAdjustment);
  const reject = useChange(RejectAdjustment);
  const {
    id,
    part,
    site,
    adjustmentType,
    quantity,
    previousBalance,
    newBalance,
    totalValue,
    reason,
    performedAt,
    performedByPrincipal,
    approved,
    rejectedAt,
  } = adjustment;
  const isOwn = performedByPrincipal?.id === principalId;
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow stack tight" style={{ minWidth: 220 }}>
        <span className="strong">{part.name}</span>
        <span className="muted small">
          {[t`${wordOf(adjustmentType)} at ${site}`, performedByPrincipal?.name ?? t`Somebody`, ago(performedAt)].join(", ")}
          {reason && `: ${reason}`}
        </span>
      </div>
      <span className="num right nowrap">
        <span className="strong">
          {quantity > 0 ? "+" : ""}
          {exact(quantity)}
        </span>{" "}
        <span className="muted small">
          {exact(previousBalance)} → {exact(newBalance)}
        </span>
        <br />
        <span className="muted small">{money(totalValue, part.currency)}</span>
      </span>
      {approved || rejectedAt ? (
        <span className="muted small">{approved ? t`Approved` : t`Rejected`}</span>
      ) : can("approveAdjustment") && !isOwn ? (
        <span className="row">
          <button
            type="button"
            className="button small"
            disabled={reject.isBusy}
            onClick={() => void reject.run({ id }, t`Rejected, and taken back`)}
          >
            {t`Reject`}
          </button>
          <button
            type="button"
            className="button small primary"
            disabled={approve.isBusy}
            onClick={() => void approve.run({ id }, t`Approved`)}
          >
            {t`Approve`}
          </button>
        </span>
      ) : (
        <span className="muted small">{isOwn ? t`Your own: someone else must approve it` : t`Waiting for approval`}</span>
      )}
    </li>
  );
}
