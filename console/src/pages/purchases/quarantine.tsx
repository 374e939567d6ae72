/** Receipts with rejected goods that were neither released nor sent back, oldest first. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useCallback } from "react";
import { useQuery } from "urql";
import { Quarantine as Document } from "../../generated/purchases.js";
import { useCursor } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { day, exact } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { RejectedActions } from "./rejected.js";
import { lineName, partUnit } from "./types.js";

export function Quarantine({ site }: { site: string | undefined }) {
  const [after, setAfter] = useCursor(site ?? "");
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { site, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["PURCHASE_ORDER"], readAgain);
  const receipts = data?.goodsReceipts;
  if (!receipts) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <section className="card" aria-label={t`Quarantine`} aria-busy={fetching || stale}>
      {receipts.nodes.length ? (
        <ul className="list">
          {receipts.nodes.map((receipt) => (
            <li key={receipt.id} className="clickable unit-line">
              <div className="grow stack tight" style={{ minWidth: 200 }}>
                <Link className="title anywhere" to="/purchases/$id" params={{ id: receipt.order.id }}>
                  {lineName(receipt.line)}
                </Link>
                <span className="muted small anywhere">
                  {[receipt.order.number, receipt.order.supplier.name, receipt.site, day(receipt.receivedAt, receipt.site)].join(" · ")}
                </span>
                <span className="small anywhere">{receipt.rejectionReason}</span>
              </div>
              <span className="num nowrap">{exact(receipt.inQuarantine, partUnit(receipt.line))}</span>
              <RejectedActions receipt={receipt} line={receipt.line} onChanged={readAgain} />
            </li>
          ))}
        </ul>
      ) : (
        <Empty icon={CircleCheck} title={t`No goods in quarantine`} />
      )}
      <More hasMore={receipts.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(receipts.pageInfo.endCursor)} />
    </section>
  );
}
