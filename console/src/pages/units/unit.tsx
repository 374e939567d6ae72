/** A unit: where it is now, and every place it was. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { UnitPage as Document } from "../../generated/units.js";
import { FactList } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SiteContext } from "../../parts/site.js";
import { NoRecord } from "../../parts/states.js";
import { moment, money, wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { UnitVerbs } from "./move-unit.js";
import { PeriodTable } from "./period-table.js";
import { Place } from "./place.js";
import { Segments } from "./segments.js";
import { SwapButton } from "./swap.js";
import { lifeText, makerOf, siteOf, stateWord } from "./types.js";
import { UnitFigures } from "./unit-figures.js";
import { UnitState } from "./unit-state.js";

export function UnitPage(): ReactNode {
  const { id } = useParams({ from: "/units/$id" });
  const [page, setPage] = useState<{ id: string; after?: string | null }>({ id });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { id, after: page.id === id ? page.after : undefined },
  });
  // Until the request completes, `data` belongs to the previous page.
  const unit = data?.unit?.id === id ? data.unit : undefined;
  const readAgain = useCallback(() => {
    setPage({ id });
    retry({ requestPolicy: "network-only" });
  }, [id, retry]);
  useLiveData(["UNIT"], readAgain, { id });
  useTitle(unit?.serialNumber);
  if (!unit)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Unit not found`} onRetry={readAgain}>
        {t`Check the address, or find the unit in the workshop.`}
      </NoRecord>
    );
  const { whereabouts, periods } = unit;
  const site = siteOf(whereabouts);
  const facts: [string, ReactNode][] = [
    [t`Serial number`, unit.serialNumber],
    [
      t`Part`,
      unit.part && (
        <Link key="part" to="/stock/$id" params={{ id: unit.part.id }}>
          {unit.part.name} <span className="mono">{unit.part.partNumber}</span>
        </Link>
      ),
    ],
    [t`Value`, unit.value !== null && money(unit.value, unit.part?.currency)],
    [t`Manufacturer`, unit.manufacturer],
    [t`Model`, unit.model],
    [t({ context: "unit", message: "Condition" }), whereabouts && wordOf(whereabouts.condition)],
    [t`Place`, whereabouts && <Place key="place" period={whereabouts} />],
    [t`Since`, whereabouts && moment(whereabouts.startedAt, site)],
    [t`Repaired by`, whereabouts?.supplier],
    [t`Notes`, whereabouts?.notes],
    [t`Life used`, unit.lifeUsed && lifeText(unit.lifeUsed)],
    [t`Next inspection`, unit.nextInspection && moment(unit.nextInspection, site)],
    [
      t`Components inside`,
      unit.components.length > 0 && (
        <span key="components">
          {unit.components.map(({ id, name, serialNumber }) => (
            <Link key={id} className="block" to="/component/$id" params={{ id }}>
              {[name, serialNumber].filter(Boolean).join(" · ")}
            </Link>
          ))}
        </span>
      ),
    ],
  ];
  return (
    <SiteContext value={site}>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/units" activeOptions={{ exact: true }}>
          {t`Workshop`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span>{t({ context: "serialised items", message: "Units" })}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{unit.serialNumber}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            {whereabouts && <UnitState period={whereabouts} filled />}
            <span className="muted">{makerOf(unit)}</span>
          </div>
        </div>
        {whereabouts?.component ? (
          <span className="row wrap">
            <SwapButton component={whereabouts.component} unit={unit} since={whereabouts.startedAt} onDone={readAgain} />
          </span>
        ) : (
          <UnitVerbs unit={unit} present={whereabouts} onDone={readAgain} />
        )}
      </div>
      <div className="stack">
        <section className="card" aria-labelledby="unit-now">
          <header>
            <h2 id="unit-now">{t`Now`}</h2>
          </header>
          <div className="body">
            <FactList facts={facts} />
          </div>
        </section>
        <section className="card" aria-labelledby="unit-places" aria-busy={fetching || stale}>
          <header>
            <h2 id="unit-places">{t`Places`}</h2>
          </header>
          <div className="body">
            <Segments
              label={t`Places over time`}
              periods={periods.nodes}
              nameOf={(index) => periods.nodes[index]!.component?.name ?? stateWord(periods.nodes[index]!)}
              site={site}
            />
          </div>
          <PeriodTable
            label={t`Places`}
            periods={periods.nodes}
            head={[t`State`, t`Place`]}
            cellsOf={(period) => [<UnitState key="state" period={period} />, <Place key="place" period={period} />]}
            unitOf={() => unit}
            onDone={readAgain}
          />
          <More
            hasMore={periods.pageInfo.hasNextPage}
            isBusy={fetching || stale}
            onMore={() => setPage({ id, after: periods.pageInfo.endCursor })}
          />
        </section>
        <UnitFigures figures={unit.reliability} hoursOfUnit={unit.hours} />
      </div>
      <ZoneNote site={site} />
    </SiteContext>
  );
}
