/** An asset's meters, their readings, and the plans that are due by them. */
import { Gauge, Undo2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useClient } from "urql";
import { Meters as Document, RecordReading, TakeBackReading } from "../../generated/meters.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { useOnline } from "../../parts/hooks.js";
import { Sparkline } from "../../parts/sparkline.js";
import { Empty, messageOf } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { ago, day, exact, figure, moment, numberOf, withDates, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { Asset } from "./types.js";

type Meter = Asset["meters"][number];
type Reading = Meter["readings"]["nodes"][number];
interface Plan {
  id: string;
  name: string;
  meter: Asset["procedures"][number]["meters"][number];
}

export function Meters({ asset }: { asset: Asset }) {
  const client = useClient();
  const plansOf = (meter: Meter): Plan[] =>
    asset.procedures
      .filter(({ status }) => status === "ACTIVE")
      .flatMap(({ id, name, meters }) => meters.filter(({ meterId }) => meterId === meter.id).map((one) => ({ id, name, meter: one })));
  const reload = () => void client.query(Document, { id: asset.id }, { requestPolicy: "network-only" }).toPromise();
  if (!asset.meters.length)
    return (
      <section className="card" aria-label="Meters">
        <Empty icon={Gauge} title="No meters">
          A meter counts the use of an asset, such as hours or kilometers. Procedures can be due by meter reading.
        </Empty>
      </section>
    );
  return (
    <div className="stack">
      {asset.meters.map((meter) => (
        <MeterCard key={meter.id} meter={meter} plans={plansOf(meter)} onChanged={reload} />
      ))}
    </div>
  );
}

interface Props {
  meter: Meter;
  plans: Plan[];
  onChanged: () => void;
}

/** Readings shown before the user asks for more. */
const fewest = 5;

function MeterCard({ meter, plans, onChanged }: Props) {
  const { can } = useSession();
  const [takingBack, setTakingBack] = useState<Reading>();
  const [isAll, setAll] = useState(false);
  const { id, name, kind, unit, usage, readings } = meter;
  const [last] = readings.nodes;
  const oldest = readings.nodes.at(-1);
  const facts: [string, string][] = [
    ["Recent use per day", usage.perDay != null ? figure(usage.perDay, unit) : "–"],
    ...(last && last.value !== usage.total ? [["Total use", exact(usage.total, unit)] as [string, string]] : []),
  ];
  return (
    <section className="card" aria-labelledby={`meter-${id}`}>
      <header>
        <h2 id={`meter-${id}`}>{name}</h2>
        <span className="muted small">{wordOf(kind)}</span>
      </header>
      <div className="body stack">
        <div className="row wrap" style={{ gap: 24, alignItems: "flex-end" }}>
          <div>
            <div className="big num">
              {last ? exact(last.value) : "–"} <small className="muted">{unit}</small>
            </div>
            <div className="muted small">{last ? `Read ${ago(last.takenAt)}` : "Not read yet"}</div>
          </div>
          {facts.map(([label, value]) => (
            <div key={label}>
              <div className="num strong">{value}</div>
              <div className="muted small">{label}</div>
            </div>
          ))}
          <div className="grow" style={{ minWidth: 160 }}>
            {readings.nodes.length > 1 && (
              <Sparkline
                label={`${name}: ${exact(usage.total, unit)} counted`}
                width={320}
                height={44}
                points={readings.nodes.map(({ takenAt, total }) => ({ at: takenAt, value: total - oldest!.total })).reverse()}
              />
            )}
          </div>
        </div>
        {plans.length > 0 && (
          <ul className="stack tight" aria-label={`Due by ${name}`}>
            {plans.map((plan) => (
              <PlanLine key={plan.id} plan={plan} meter={meter} />
            ))}
          </ul>
        )}
        {can("recordMeterReadings") && <ReadingForm meter={meter} plans={plans} onStored={onChanged} />}
      </div>
      {readings.nodes.length > 0 && (
        <div className="body flush">
          <ul className="list readings" aria-label={`Readings of ${name}`}>
            {readings.nodes.slice(0, isAll ? undefined : fewest).map((reading, index) => (
              <li key={reading.id}>
                <span className="grow">
                  <span className="num strong">{exact(reading.value, unit)}</span>
                  {reading.kind !== "NORMAL" && <span className="muted small"> {kinds[reading.kind]}</span>}
                </span>
                <span className="muted small right">
                  {moment(reading.takenAt)}
                  {reading.recordedByPrincipal && ` · ${reading.recordedByPrincipal.name}`}
                </span>
                {index === 0 && can("deleteMeterReading") && (
                  <button type="button" className="button plain small" onClick={() => setTakingBack(reading)}>
                    <Undo2 className="icon" aria-hidden />
                    Delete reading
                  </button>
                )}
              </li>
            ))}
          </ul>
          {!isAll && readings.nodes.length > fewest && (
            <div className="state" style={{ padding: 12 }}>
              <button type="button" className="button small" style={{ marginTop: 0 }} onClick={() => setAll(true)}>
                Show the last {readings.nodes.length}
              </button>
            </div>
          )}
        </div>
      )}
      {takingBack && <TakeBack meter={meter} reading={takingBack} onClose={() => setTakingBack(undefined)} onDone={onChanged} />}
    </section>
  );
}

const kinds: Record<string, string> = { ROLLOVER: "rolled over to 0", REPLACEMENT: "meter replaced" };

function PlanLine({ plan: { name, meter: due }, meter: { unit, usage } }: { plan: Plan; meter: Meter }) {
  const left = due.dueAtTotal - usage.total;
  return (
    <li className="meter-plan">
      <span className="grow">
        <span className="strong">{name}</span> <span className="muted small">every {exact(due.interval, unit)}</span>
      </span>
      <progress
        max={due.interval}
        value={Math.min(due.interval, Math.max(0, due.interval - left))}
        aria-label={`${name}: due at ${exact(due.dueAtTotal, unit)}`}
      />
      <span className="small right">
        {due.dueSince || left <= 0 ? (
          <Status value="WARNING" label={due.dueSince ? `Due since ${day(due.dueSince)}` : "Due"} />
        ) : (
          <>
            <span className="num">{exact(left, unit)} left</span>
            {due.forecastAt && <span className="muted">, about {day(due.forecastAt)}</span>}
          </>
        )}
      </span>
    </li>
  );
}

type Kind = "NORMAL" | "ROLLOVER" | "REPLACEMENT";

function ReadingForm({ meter, plans, onStored }: { meter: Meter; plans: Plan[]; onStored: () => void }) {
  const isOnline = useOnline();
  const record = useChange(RecordReading, { waits: true });
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind>("NORMAL");
  const [end, setEnd] = useState("");
  const [takenAt, setTakenAt] = useState("");
  const value = numberOf(text);
  const finalValue = numberOf(end);
  const { wrong, error, isBusy } = record;
  const wrongOf = (field: string) => withDates(wrong[`0.${field}`]);
  const [last] = meter.readings.nodes;
  const isBack = !!wrongOf("value") && kind === "NORMAL" && !takenAt && !!last && value !== undefined && value < last.value;
  const elsewhere = error && !["value", "takenAt", "finalValue", "rollover"].some(wrongOf);
  const isMissing = value === undefined || (kind === "REPLACEMENT" && finalValue === undefined);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isMissing) return;
    const at = takenAt ? new Date(takenAt) : isOnline ? undefined : new Date();
    const reading = {
      meterId: meter.id,
      value,
      takenAt: at?.toISOString(),
      ...(kind === "ROLLOVER" && { rollover: true }),
      ...(kind === "REPLACEMENT" && { finalValue }),
    };
    const done = await record.run({ readings: [reading] });
    if (!done) return;
    setText("");
    setEnd("");
    setTakenAt("");
    setKind("NORMAL");
    if (done.recordMeterReadings) onStored();
  };
  // Until the page reloads, this shows the plans that the reading made due.
  const due = plans.filter(({ meter: { dueSince } }) => dueSince);
  return (
    <form className="reading-form" onSubmit={submit} aria-label={`New reading of ${meter.name}`}>
      <TextField
        label={`New reading, ${meter.unit}`}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        wrong={
          text.trim() && value === undefined
            ? "Not a number"
            : isBack
              ? `Less than the last reading, ${exact(last.value, meter.unit)}. If the meter rolled over or was replaced, select that option.`
              : wrongOf("value")
        }
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        label="Meter since the last reading"
        value={kind}
        wrong={wrongOf("rollover")}
        onChange={(event) => {
          setKind(event.target.value as Kind);
          setEnd("");
        }}
      >
        <option value="NORMAL">Counted on</option>
        {meter.rolloverAt != null && <option value="ROLLOVER">Rolled over to 0</option>}
        <option value="REPLACEMENT">Was replaced</option>
      </Select>
      {kind === "REPLACEMENT" && (
        <TextField
          label="Final value of the old meter"
          inputMode="decimal"
          value={end}
          wrong={end.trim() && finalValue === undefined ? "Not a number" : wrongOf("finalValue")}
          onChange={(event) => setEnd(event.target.value)}
        />
      )}
      <TextField
        label="Read at (default: now)"
        type="datetime-local"
        value={takenAt}
        wrong={wrongOf("takenAt")}
        onChange={(event) => setTakenAt(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={isMissing || isBusy}>
        {isBusy ? "Saving …" : "Save"}
      </button>
      {elsewhere && (
        <p className="note bad" role="alert">
          {messageOf(error)}
        </p>
      )}
      {due.length > 0 && (
        <p className="muted small whole">
          {due.map(({ name }) => name).join(", ")} {due.length === 1 ? "is" : "are"} due. The scheduler creates the work order.
        </p>
      )}
    </form>
  );
}

interface TakeBackProps {
  meter: Meter;
  reading: Reading;
  onClose: () => void;
  onDone: () => void;
}

function TakeBack({ meter, reading, onClose, onDone }: TakeBackProps) {
  const takeBack = useChange(TakeBackReading);
  const [reason, setReason] = useState("");
  const { error, wrong, isBusy } = takeBack;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await takeBack.run({ meterId: meter.id, takenAt: reading.takenAt, reason: reason.trim() }, "Reading deleted")) {
      onClose();
      onDone();
    }
  };
  return (
    <Dialog title={`Delete the last reading of ${meter.name}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>
          {exact(reading.value, meter.unit)}, {moment(reading.takenAt)}. Procedures that became due by this reading and have no work order
          yet are no longer due.
        </p>
        <TextField
          label="Why it was wrong"
          required
          value={reason}
          wrong={wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {error && !wrong.reason && (
          <p className="note bad" role="alert">
            {messageOf(error)}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button danger" disabled={isBusy || !reason.trim()}>
            Delete reading
          </button>
        </div>
      </form>
    </Dialog>
  );
}
