/** The next dates of a procedure on one of its assets, as the scheduler computes them. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import type { ProcedureFrequency } from "../../../../packages/client/src/generated/schema.js";
import { NextDates as Document } from "../../generated/procedure.js";
import { Select } from "../../parts/field.js";
import { Failed, Loading } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { day, wordOf } from "../../parts/words.js";
import { addDays, dayAt, instantAt, today } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import type { NextDate, Procedure } from "./types.js";

/** Days in which a procedure has a few dates. A longer forecast would cost more. */
const horizons: Record<Exclude<ProcedureFrequency, "CUSTOM">, number> = {
  DAILY: 7,
  WEEKLY: 45,
  BI_WEEKLY: 90,
  MONTHLY: 190,
  QUARTERLY: 560,
  SEMI_ANNUAL: 920,
  ANNUAL: 1500,
};
const shown = 6;

const horizonOf = ({ frequency, customIntervalDays }: { frequency: ProcedureFrequency; customIntervalDays: number | null }) =>
  frequency === "CUSTOM" ? Math.min(1500, (customIntervalDays || 60) * (shown + 1)) : horizons[frequency];

/** The longest period that the service computes, in days. */
const longest = 3650;

export function NextDates({ procedure }: { procedure: Procedure }): ReactNode {
  const { id, assets } = procedure;
  const [assetId, setAssetId] = useState(procedure.assetId);
  const covered = assets.find((one) => one.assetId === assetId) ?? assets[0];
  const site = covered?.asset?.site;
  const days = horizonOf(procedure);
  // Whole days, so that the variables stay the same.
  const [from, to] = useMemo(() => {
    const now = today(site);
    const due = covered?.nextDue ? dayAt(covered.nextDue, site) : now;
    const [first, last] = due < now ? [due, now] : [now, due];
    const end = [addDays(last, days), addDays(first, longest)].sort()[0]!;
    return [first, end].map((one) => instantAt(one, "00:00", site).toISOString()) as [string, string];
  }, [site, days, covered?.nextDue]);
  const [{ data, error, fetching }, retry] = useQuery({
    query: Document,
    variables: { procedureId: id, assetId: covered?.assetId, from, to },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PROCEDURE", "WORK_ORDER", "METER"], readAgain);
  const dates = data?.previewSchedule;
  return (
    <section className="card" aria-labelledby="next-dates" aria-busy={fetching}>
      <header>
        <h2 id="next-dates">{t`Next dates`}</h2>
      </header>
      <div className="body stack">
        {assets.length > 1 && (
          <Select label={t`Asset`} value={covered?.assetId} onChange={({ target }) => setAssetId(target.value)}>
            {assets.map((one) => (
              <option key={one.assetId} value={one.assetId}>
                {one.asset?.name ?? t`Deleted asset`}
              </option>
            ))}
          </Select>
        )}
        {!dates && (fetching ? <Loading lines={4} /> : <Failed error={error} onRetry={readAgain} />)}
        {dates && <DateList dates={dates.filter(({ isRecorded }) => !isRecorded)} site={site} />}
      </div>
    </section>
  );
}

/** Upcoming dates with the reasons why they were moved or get no work order. */
export function DateList({ dates, site }: { dates: NextDate[]; site?: string }) {
  if (!dates.length) return <p className="muted">{t`No dates. Work becomes due by meter, by readings or by hand.`}</p>;
  return (
    <ol className="stack tight" aria-label={t`Next dates`}>
      {dates.slice(0, shown).map(({ number, dueAt, outcome, reasons, workOrder }) => (
        <li key={`${number} ${dueAt}`} className="stack tight">
          <span className="row wrap">
            <span className="strong num">{day(dueAt, site)}</span>
            {outcome && <Status value="SKIPPED" label={outcome === "SUPPRESSED" ? t`Left out` : wordOf(outcome)} />}
            {workOrder && (
              <Link to="/work/$id" params={{ id: workOrder.id }}>
                {t`Work order`}
              </Link>
            )}
          </span>
          {reasons
            .filter(({ kind }) => kind !== "INTERVAL")
            .map(({ text }) => (
              <span key={text} className="muted small anywhere">
                {text}
              </span>
            ))}
        </li>
      ))}
    </ol>
  );
}
