/** Open lines whose last promised date has passed, by the date that was promised first. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useCallback } from "react";
import { useQuery } from "urql";
import { LatePurchases } from "../../generated/purchases.js";
import { useCursor } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { day, exact, unitWord } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { lineName, promiseOf } from "./types.js";

export function LateLines({ site }: { site: string | undefined }) {
  const [after, setAfter] = useCursor(site ?? "");
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: LatePurchases,
    variables: { site, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["PURCHASE_ORDER"], readAgain);
  const lines = data?.purchaseOrderLines;
  if (!lines) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <section className="card" aria-label={t`Late lines`} aria-busy={fetching || stale}>
      {lines.nodes.length ? (
        <ul className="list">
          {lines.nodes.map((line) => (
            <li key={line.id} className="clickable unit-line">
              <div className="grow stack tight">
                <Link className="title anywhere" to="/purchases/$id" params={{ id: line.order.id }}>
                  {lineName(line)}
                </Link>
                <span className="muted small anywhere">{[line.order.number, line.order.supplier.name, line.site].join(" · ")}</span>
              </div>
              <span className="num nowrap">{exact(line.openQuantity, unitWord(line.part?.unitOfMeasure))}</span>
              <span className="small nowrap">{t`promised ${day(promiseOf(line), line.site)}`}</span>
            </li>
          ))}
        </ul>
      ) : (
        <Empty icon={CircleCheck} title={t`No late lines`} />
      )}
      <More hasMore={lines.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(lines.pageInfo.endCursor)} />
    </section>
  );
}
