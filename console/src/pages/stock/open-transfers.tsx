/** Transfers of all parts that are reserved or in transit. */
import { t } from "@lingui/core/macro";
import { ArrowLeftRight } from "lucide-react";
import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { OpenTransfers as Document } from "../../generated/transfers.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { useLiveData } from "../../session/live.js";
import { TransferLine } from "./transfers.js";

export function OpenTransfers() {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching, stale }, retry] = useQuery({ query: Document, variables: { after } });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["STOCK_LEVEL", "STOCK_MOVEMENT"], readAgain);
  const transfers = data?.stockTransfers;
  if (!transfers) return fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <section className="card" aria-label={t`Transfers`} aria-busy={fetching || stale}>
      {transfers.nodes.length ? (
        <ul className="list">
          {transfers.nodes.map((one) => (
            <TransferLine key={one.id} transfer={one} part={one.part} onReload={readAgain} />
          ))}
        </ul>
      ) : (
        <Empty icon={ArrowLeftRight} title={t`No transfers under way`}>
          {t`Start a transfer on the page of a part. It appears here until the receiving site has it.`}
        </Empty>
      )}
      <More hasMore={transfers.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(transfers.pageInfo.endCursor)} />
    </section>
  );
}
