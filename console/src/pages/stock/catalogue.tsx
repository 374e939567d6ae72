/** All parts, also those without stock, and those that were deactivated. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { PackageSearch } from "lucide-react";
import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { Catalogue as Document } from "../../generated/catalogue.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useCursor } from "../../parts/hooks.js";
import { LongList } from "../../parts/long-list.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status, StockState } from "../../parts/status.js";
import { exact, unitWord } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";

export function Catalogue({ search }: { search?: string }) {
  const [active, setActive] = useState(true);
  const list = JSON.stringify([search, active]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { filter: { search, active }, after },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PART", "STOCK_LEVEL"], readAgain);
  const parts = data?.parts;
  return (
    <>
      <ButtonGroup className="chips" aria-label={t`State`} style={{ marginBottom: 14 }}>
        {[true, false].map((one) => (
          <button key={String(one)} type="button" className="chip" aria-pressed={active === one} onClick={() => setActive(one)}>
            {one ? t`In use` : t`Deactivated`}
          </button>
        ))}
      </ButtonGroup>
      {!parts && (fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />)}
      {parts && (
        <section className="card" aria-label={t`Parts`} aria-busy={fetching || stale}>
          {parts.nodes.length ? (
            <LongList rows={parts.nodes} kind="part">
              {({ id, name, partNumber, category, manufacturer, unitOfMeasure, isCritical, isActive, stockLevel, stockStatus }, item) => (
                <li {...item} className="clickable">
                  <div className="grow">
                    <Link className="title clip block" to="/stock/$id" params={{ id }}>
                      {name}
                    </Link>
                    <div className="muted small clip">
                      <span className="mono">{partNumber}</span> {[category, manufacturer].filter(Boolean).join(" · ")}
                    </div>
                  </div>
                  {isCritical && <Status value="CRITICAL" />}
                  <span className="num right nowrap">{exact(stockLevel, unitWord(unitOfMeasure))}</span>
                  <span className="stock-state">
                    {isActive ? <StockState value={stockStatus} /> : <Status value="DECOMMISSIONED" label={t`Deactivated`} />}
                  </span>
                </li>
              )}
            </LongList>
          ) : (
            <Empty icon={PackageSearch} title={t`No parts match these filters`} />
          )}
          <More hasMore={parts.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(parts.pageInfo.endCursor)} />
        </section>
      )}
    </>
  );
}
