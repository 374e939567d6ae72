/** Recalls: units of a bad batch or of bad serial numbers, from their location to the last replacement. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { PackageX } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { RecallList } from "../../generated/recalls.js";
import { useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { day } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { OpenRecallDialog } from "./open-recall.js";
import { choiceText, progressText } from "./types.js";

export function RecallsPage(): ReactNode {
  const { can } = useSession();
  const [isOpening, setOpening] = useState(false);
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching, stale }, retry] = useQuery({ query: RecallList, variables: { after } });
  const readAgain = useCallback(() => {
    setAfter(undefined);
    retry({ requestPolicy: "network-only" });
  }, [retry]);
  // An exchange changes its component.
  useLiveData(["COMPONENT"], readAgain);
  useTitle(t`Recalls`);
  const recalls = data?.recalls;
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Recalls`}</h1>
          <p>{t`Units of a bad batch, from their location to the last replacement.`}</p>
        </div>
        {can("openRecall") && (
          <button type="button" className="button primary" onClick={() => setOpening(true)}>
            <PackageX className="icon" aria-hidden />
            {t`Open recall`}
          </button>
        )}
      </div>
      {!recalls && fetching && <LoadingCard lines={6} />}
      {!recalls && !fetching && <Failed error={error} onRetry={readAgain} />}
      {recalls && (
        <section className="card" aria-label={t`Recalls`} aria-busy={fetching || stale}>
          {recalls.nodes.length ? (
            <ul className="list">
              {recalls.nodes.map((recall) => (
                <li key={recall.id} className="clickable unit-line">
                  <div className="grow stack tight">
                    <Link className="title anywhere" to="/recalls/$id" params={{ id: recall.id }}>
                      {recall.part.name}, {choiceText(recall)}
                    </Link>
                    <span className="muted small anywhere">
                      {[recall.reason, plural(recall.counts.total, { one: "# unit", other: "# units" }), progressText(recall.counts)].join(
                        " · ",
                      )}
                    </span>
                  </div>
                  <span className="muted small nowrap">
                    {recall.closedAt ? t`closed ${day(recall.closedAt)}` : t`open since ${day(recall.openedAt)}`}
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <Empty icon={PackageX} title={t`No recalls`}>
              {t`Open a recall to find all units of a batch, wherever they are.`}
            </Empty>
          )}
          <More hasMore={recalls.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(recalls.pageInfo.endCursor)} />
        </section>
      )}
      {isOpening && <OpenRecallDialog onClose={() => setOpening(false)} />}
    </>
  );
}
