/** A procedure: its steps, parts and schedule, the next dates, and its work orders. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronRight, ClipboardCheck, Scale } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { ProcedurePage as Document } from "../../generated/procedure.js";
import { FactsCard } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { NoCurrency } from "../../parts/no-currency.js";
import { OrderLines } from "../../parts/orders.js";
import { Description } from "../../parts/said.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, day, money, percent, timeSpent, wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { ProcedureActions } from "./actions.js";
import { CoveredAssets } from "./covered-assets.js";
import { NeededParts } from "./needed-parts.js";
import { NextDates } from "./next-dates.js";
import { rulesOf, triggersOf } from "./schedule-words.js";
import { StepList } from "./step-list.js";
import type { Procedure } from "./types.js";

export function ProcedurePage(): ReactNode {
  const { id } = useParams({ from: "/procedures/$id" });
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  // Until the request completes, `data` belongs to the previous page.
  const procedure = data?.procedure?.id === id ? data.procedure : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PROCEDURE", "WORK_ORDER", "METER", "PART"], readAgain);
  useTitle(procedure?.name);

  if (!procedure)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Procedure not found`} onRetry={readAgain}>
        {t`It may have been deleted. Check the address, or find it in the list of procedures.`}
      </NoRecord>
    );
  const { name, status, priority, statutory, description, steps, parts, workOrders, asset } = procedure;
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/procedures">{t`Procedures`}</Link>
        {asset && (
          <>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/asset/$id" params={{ id: asset.id }}>
              {asset.name}
            </Link>
          </>
        )}
      </nav>
      <div className="page-head">
        <div>
          <h1>{name}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={status} filled />
            <Status value={priority} label={t`${wordOf(priority)} priority`} />
            {statutory && (
              <span className="status info">
                <Scale className="icon" aria-hidden />
                {t`Required by law`}
              </span>
            )}
          </div>
        </div>
        <ProcedureActions procedure={procedure} onReload={readAgain} />
      </div>
      <div className="columns">
        <div className="stack">
          {description && <Description text={description} />}
          <section className="card" aria-labelledby="procedure-steps">
            <header>
              <h2 id="procedure-steps">{t`Steps`}</h2>
              <span className="muted small">{steps.length > 0 && count(steps.length)}</span>
            </header>
            <div className="body flush">
              <StepList steps={steps} />
            </div>
          </section>
          {parts.length > 0 && (
            <section className="card" aria-labelledby="procedure-parts">
              <header>
                <h2 id="procedure-parts">{t`Parts`}</h2>
              </header>
              <div className="body">
                <NeededParts parts={parts} label={t`Parts of the procedure`} />
              </div>
            </section>
          )}
          <section className="card" aria-labelledby="procedure-orders">
            <header>
              <h2 id="procedure-orders">{t`Work orders`}</h2>
              <span className="muted small">
                {workOrders.totalCount > workOrders.nodes.length
                  ? t`The last ${workOrders.nodes.length} of ${count(workOrders.totalCount)}`
                  : count(workOrders.totalCount)}
              </span>
            </header>
            <div className="body flush">
              {workOrders.nodes.length ? (
                <OrderLines orders={workOrders.nodes} />
              ) : (
                <Empty icon={ClipboardCheck} title={t`No work orders yet`} />
              )}
            </div>
          </section>
        </div>
        <div className="stack">
          <Schedule procedure={procedure} />
          <NextDates key={procedure.id} procedure={procedure} />
          <CoveredAssets procedure={procedure} />
          <Facts procedure={procedure} currency={data?.stockSettings?.currency} />
        </div>
      </div>
      <ZoneNote site={asset?.site} />
    </>
  );
}

function Schedule({ procedure }: { procedure: Procedure }) {
  const triggers = triggersOf(procedure);
  return (
    <section className="card" aria-labelledby="schedule">
      <header>
        <h2 id="schedule">{t`Schedule`}</h2>
      </header>
      <div className="body stack tight">
        {triggers.length > 1 && <p className="muted">{t`Whichever comes first:`}</p>}
        {triggers.map((text) => (
          <p key={text} className="strong">
            {text}
          </p>
        ))}
        {!triggers.length && <p className="strong">{t`No schedule`}</p>}
        {rulesOf(procedure).map((text) => (
          <p key={text} className="muted">
            {text}
          </p>
        ))}
      </div>
    </section>
  );
}

function Facts({ procedure, currency }: { procedure: Procedure; currency?: string | null }) {
  const { estimatedDuration, requiredSkills, safetyRequirements, externalId, performance, updatedAt, updatedByPrincipal } = procedure;
  const { averageDuration, averageCost, completionRate } = performance;
  const site = procedure.asset?.site;
  const facts: [string, string | null | undefined | false][] = [
    [t`Planned duration`, estimatedDuration != null && timeSpent(estimatedDuration)],
    [t`Average duration`, averageDuration != null && timeSpent(averageDuration)],
    [t`Average cost`, averageCost != null && money(averageCost, currency)],
    [t`Completed`, completionRate != null && percent(completionRate)],
    [t`Skills`, requiredSkills.join(", ")],
    [t`Safety`, safetyRequirements.map(wordOf).join(", ")],
    [t`Id in another system`, externalId],
    [t`Last change`, [day(updatedAt, site), updatedByPrincipal?.name].filter(Boolean).join(" · ")],
  ];
  return <FactsCard facts={facts}>{averageCost != null && <NoCurrency currency={currency} />}</FactsCard>;
}
