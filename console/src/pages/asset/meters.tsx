/** An asset's meters, their readings, and the plans that are due by them. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Gauge, Plus, Undo2 } from "lucide-react";
import { useState } from "react";
import { useClient } from "urql";
import { Meters as Document } from "../../generated/meters.js";
import { minus } from "../../parts/decimals.js";
import { useSite } from "../../parts/site.js";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { StepsChart } from "../../parts/steps-chart.js";
import { ago, day, exact, figure, moment, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { MeterActions, NewMeter } from "./meter-edit.js";
import { ReadingForm, TakeBack } from "./readings.js";
import type { Asset, Meter, Plan, Reading } from "./types.js";

export function Meters({ asset, onReload }: { asset: Asset; onReload: () => void }) {
  const { can } = useSession();
  const client = useClient();
  const [isMaking, setMaking] = useState(false);
  const plansOf = (meter: Meter): Plan[] =>
    asset.procedures
      .filter(({ status }) => status === "ACTIVE")
      .flatMap(({ id, name, meters }) => meters.filter(({ meterId }) => meterId === meter.id).map((one) => ({ id, name, meter: one })));
  const reload = () => void client.query(Document, { id: asset.id }, { requestPolicy: "network-only" }).toPromise();
  const add = can("createMeter") && (
    <button type="button" className="button" onClick={() => setMaking(true)}>
      <Plus className="icon" aria-hidden />
      {t`New meter`}
    </button>
  );
  return (
    <div className="stack">
      {asset.meters.length ? (
        add && <div className="actions">{add}</div>
      ) : (
        <section className="card" aria-label={t`Meters`}>
          <Empty icon={Gauge} title={t`No meters`} action={add}>
            {t`A meter counts the use of an asset, such as hours or kilometers. Procedures can be due by meter reading.`}
          </Empty>
        </section>
      )}
      {asset.meters.map((meter) => (
        <MeterCard key={meter.id} meter={meter} plans={plansOf(meter)} onChanged={reload} onReload={onReload} />
      ))}
      {isMaking && <NewMeter assetId={asset.id} onClose={() => setMaking(false)} onReload={onReload} />}
    </div>
  );
}

interface Props {
  meter: Meter;
  plans: Plan[];
  onChanged: () => void;
  /** Reloads the page. */
  onReload: () => void;
}

/** Readings shown before the user asks for more. */
const fewest = 5;

function MeterCard({ meter, plans, onChanged, onReload }: Props) {
  const site = useSite();
  const { can } = useSession();
  const [takingBack, setTakingBack] = useState<Reading>();
  const [isAll, setAll] = useState(false);
  const { id, name, kind, unit, usage, readings } = meter;
  const [last] = readings.nodes;
  // After a rollover or a replacement, only the total use goes on.
  const isCounted = readings.nodes.some(({ kind }) => kind in kinds);
  const facts: [string, string][] = [
    [t`Recent use per day`, usage.perDay != null ? figure(usage.perDay, unit) : "–"],
    ...(last && last.value !== usage.total ? [[t`Total use`, exact(usage.total, unit)] as [string, string]] : []),
  ];
  return (
    <section className="card" aria-labelledby={`meter-${id}`}>
      <header>
        <h2 id={`meter-${id}`}>{name}</h2>
        <span className="row">
          <span className="muted small">{wordOf(kind)}</span>
          <MeterActions meter={meter} onReload={onReload} />
        </span>
      </header>
      <div className="body stack">
        <div className="row wrap" style={{ gap: 24, alignItems: "flex-end" }}>
          <div>
            <div className="big num">
              {last ? exact(last.value) : "–"} <small className="muted">{unit}</small>
            </div>
            <div className="muted small">{last ? t`Read ${ago(last.takenAt)}` : t`Not read yet`}</div>
          </div>
          {facts.map(([label, value]) => (
            <div key={label}>
              <div className="num strong">{value}</div>
              <div className="muted small">{label}</div>
            </div>
          ))}
        </div>
        {readings.nodes.length > 1 && (
          <StepsChart
            label={t`Readings of ${name}`}
            unit={isCounted ? t`Total use in ${unit}` : t`Reading in ${unit}`}
            format={(value) => exact(value, unit)}
            isSloped
            points={readings.nodes.map(({ takenAt, value, total }) => ({ at: takenAt, value: isCounted ? total : value })).reverse()}
          />
        )}
        {plans.length > 0 && (
          <ul className="stack tight" aria-label={t`Due by ${name}`}>
            {plans.map((plan) => (
              <PlanLine key={plan.id} plan={plan} meter={meter} />
            ))}
          </ul>
        )}
        {can("recordMeterReadings") && <ReadingForm meter={meter} plans={plans} onStored={onChanged} />}
      </div>
      {readings.nodes.length > 0 && (
        <div className="body flush">
          <ul className="list readings" aria-label={t`Readings of ${name}`}>
            {readings.nodes.slice(0, isAll ? undefined : fewest).map((reading, index) => (
              <li key={reading.id}>
                <span className="grow">
                  <span className="num strong">{exact(reading.value, unit)}</span>
                  {reading.kind !== "NORMAL" && <span className="muted small"> {kinds[reading.kind]}</span>}
                </span>
                <span className="muted small right">
                  {moment(reading.takenAt, site)}
                  {reading.recordedByPrincipal && ` · ${reading.recordedByPrincipal.name}`}
                </span>
                {index === 0 && can("deleteMeterReading") && (
                  <button type="button" className="button plain small" onClick={() => setTakingBack(reading)}>
                    <Undo2 className="icon" aria-hidden />
                    {t`Delete reading`}
                  </button>
                )}
              </li>
            ))}
          </ul>
          {!isAll && readings.nodes.length > fewest && (
            <div className="state" style={{ padding: 12 }}>
              <button type="button" className="button small" style={{ marginTop: 0 }} onClick={() => setAll(true)}>
                {t`Show the last ${readings.nodes.length}`}
              </button>
            </div>
          )}
        </div>
      )}
      {takingBack && <TakeBack meter={meter} reading={takingBack} onClose={() => setTakingBack(undefined)} onDone={onChanged} />}
    </section>
  );
}

const kinds: Record<string, string> = { ROLLOVER: t`rolled over to 0`, REPLACEMENT: t`meter replaced` };

function PlanLine({ plan: { id, name, meter: due }, meter: { unit, usage } }: { plan: Plan; meter: Meter }) {
  const site = useSite();
  const left = minus(due.dueAtTotal, usage.total);
  return (
    <li className="meter-plan">
      <span className="grow">
        <Link className="title" to="/procedures/$id" params={{ id }}>
          {name}
        </Link>{" "}
        <span className="muted small">{t`every ${exact(due.interval, unit)}`}</span>
      </span>
      <progress
        max={due.interval}
        value={Math.min(due.interval, Math.max(0, due.interval - left))}
        aria-label={t`${name}: due at ${exact(due.dueAtTotal, unit)}`}
      />
      <span className="small right">
        {due.dueSince || left <= 0 ? (
          <Status value="WARNING" label={due.dueSince ? t`Due since ${day(due.dueSince, site)}` : t`Due`} />
        ) : (
          <>
            <span className="num">{t`${exact(left, unit)} left`}</span>
            {due.forecastAt && <span className="muted">{t`, about ${day(due.forecastAt, site)}`}</span>}
          </>
        )}
      </span>
    </li>
  );
}
