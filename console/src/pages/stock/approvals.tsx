import { CheckCheck } from "lucide-react";
import { ApproveAdjustment, RejectAdjustment, type StockPageQuery } from "../../generated/stock.js";
import { useChange } from "../../parts/change.js";
import { Empty } from "../../parts/states.js";
import { ago, figure, money, wordOf } from "../../parts/words.js";
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
      <section className="card" aria-label="To approve">
        <Empty icon={CheckCheck} title="Nothing to approve">
          Counts and adjustments appear here until someone else approves them.
        </Empty>
      </section>
    );
  return (
    <div className="stack">
      {counts.length > 0 && (
        <section className="card" aria-labelledby="counts-to-approve">
          <header>
            <h2 id="counts-to-approve">Stock counts</h2>
          </header>
          <div className="body flush">
            <CountLines counts={counts} currency={currency} />
          </div>
        </section>
      )}
      {adjustments.length > 0 && (
        <section className="card" aria-label="Adjustments to approve">
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
          {wordOf(adjustmentType)} at {site} by {performedByPrincipal?.name ?? "somebody"}, {ago(performedAt)}
          {reason && `: ${reason}`}
        </span>
      </div>
      <span className="num right nowrap">
        <span className="strong">
          {quantity > 0 ? "+" : ""}
          {figure(quantity)}
        </span>{" "}
        <span className="muted small">
          {figure(previousBalance)} → {figure(newBalance)}
        </span>
        <br />
        <span className="muted small">{money(totalValue, part.currency)}</span>
      </span>
      {approved || rejectedAt ? (
        <span className="muted small">{approved ? "Approved" : "Rejected"}</span>
      ) : can("approveAdjustment") && !isOwn ? (
        <span className="row">
          <button
            type="button"
            className="button small"
            disabled={reject.isBusy}
            onClick={() => void reject.run({ id }, "Rejected, and taken back")}
          >
            Reject
          </button>
          <button
            type="button"
            className="button small primary"
            disabled={approve.isBusy}
            onClick={() => void approve.run({ id }, "Approved")}
          >
            Approve
          </button>
        </span>
      ) : (
        <span className="muted small">{isOwn ? "Your own: someone else must approve it" : "Waiting for approval"}</span>
      )}
    </li>
  );
}
