/** Deliveries and spend of a supplier in the last year, and what it owes. */
import { t } from "@lingui/core/macro";
import { useQuery } from "urql";
import { SupplierFigures as Document } from "../../generated/purchase-figures.js";
import { Explanation, explanations } from "../../parts/explanation.js";
import { FactList } from "../../parts/facts.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { exact, figure, money, percent } from "../../parts/words.js";
import { Commitments } from "../reports/commitments.js";

export function SupplierFigures({ id }: { id: string }) {
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  if (!data?.supplierPerformance)
    return fetching ? <LoadingCard lines={4} /> : <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
  const [found] = data.supplierPerformance;
  return (
    <>
      <section className="card" aria-labelledby="supplier-figures">
        <header>
          <h2 id="supplier-figures">{t`Last 12 months`}</h2>
        </header>
        <div className="body stack">
          {found ? (
            <FactList
              facts={[
                [t`On time in full`, found.linesDue > 0 && t`${percent(found.onTimeInFull)} of ${exact(found.linesDue)} lines`],
                [t`Lead time`, found.linesCompleted > 0 && t`${figure(found.medianLeadTime)} days`],
                [t`90 % within`, found.linesCompleted > 0 && t`${figure(found.leadTimeP90)} days`],
                [t`Spend`, money(found.spend, data.stockSettings?.currency)],
              ]}
            />
          ) : (
            <p className="muted">{t`No deliveries yet.`}</p>
          )}
          <Explanation of={t`On time in full`} text={explanations.onTimeInFull} />
        </div>
      </section>
      <Commitments rows={data.purchaseCommitments ?? []} />
    </>
  );
}
