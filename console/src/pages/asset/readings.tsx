/** Forms that record a meter reading, and delete the last one. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { RecordReading, TakeBackReading } from "../../generated/meters.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { useOnline } from "../../parts/hooks.js";
import { useSite } from "../../parts/site.js";
import { messageOf } from "../../parts/states.js";
import { exact, moment, numberOf, withDates } from "../../parts/words.js";
import { instantAt } from "../../parts/zones.js";
import type { Meter, Plan, Reading } from "./types.js";

type Kind = "NORMAL" | "ROLLOVER" | "REPLACEMENT";

export function ReadingForm({ meter, plans, onStored }: { meter: Meter; plans: Plan[]; onStored: () => void }) {
  const site = useSite();
  const isOnline = useOnline();
  const record = useChange(RecordReading, { waits: true });
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind>("NORMAL");
  const [end, setEnd] = useState("");
  const [takenAt, setTakenAt] = useState("");
  const value = numberOf(text);
  const finalValue = numberOf(end);
  const { wrong, error, isBusy } = record;
  const wrongOf = (field: string) => withDates(wrong[`0.${field}`], site);
  const [last] = meter.readings.nodes;
  const isBack = !!wrongOf("value") && kind === "NORMAL" && !takenAt && !!last && value !== undefined && value < last.value;
  const elsewhere = error && !["value", "takenAt", "finalValue", "rollover"].some(wrongOf);
  const isMissing = value === undefined || (kind === "REPLACEMENT" && finalValue === undefined);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isMissing) return;
    const [day = "", time = ""] = takenAt.split("T");
    const at = takenAt ? instantAt(day, time, site) : isOnline ? undefined : new Date();
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
    <form className="reading-form" onSubmit={submit} aria-label={t`New reading of ${meter.name}`}>
      <NumberField
        label={t`New reading, ${meter.unit}`}
        value={text}
        wrong={
          isBack
            ? t`Less than the last reading, ${exact(last.value, meter.unit)}. If the meter rolled over or was replaced, select that option.`
            : wrongOf("value")
        }
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        label={t`Meter since the last reading`}
        value={kind}
        wrong={wrongOf("rollover")}
        onChange={(event) => {
          setKind(event.target.value as Kind);
          setEnd("");
        }}
      >
        <option value="NORMAL">{t`Counted on`}</option>
        {meter.rolloverAt != null && <option value="ROLLOVER">{t`Rolled over to 0`}</option>}
        <option value="REPLACEMENT">{t`Was replaced`}</option>
      </Select>
      {kind === "REPLACEMENT" && (
        <NumberField
          label={t`Final value of the old meter`}
          value={end}
          wrong={wrongOf("finalValue")}
          onChange={(event) => setEnd(event.target.value)}
        />
      )}
      <TextField
        label={t`Read at (default: now)`}
        type="datetime-local"
        value={takenAt}
        wrong={wrongOf("takenAt")}
        onChange={(event) => setTakenAt(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={isMissing || isBusy}>
        {isBusy ? t`Saving …` : t`Save`}
      </button>
      {elsewhere && (
        <p className="note bad" role="alert">
          {messageOf(error)}
        </p>
      )}
      {due.length > 0 && (
        <p className="muted small whole">{t`Now due: ${due.map(({ name }) => name).join(", ")}. The scheduler creates the work order.`}</p>
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

export function TakeBack({ meter, reading, onClose, onDone }: TakeBackProps) {
  const site = useSite();
  const takeBack = useChange(TakeBackReading);
  const [reason, setReason] = useState("");
  const { error, wrong, isBusy } = takeBack;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await takeBack.run({ meterId: meter.id, takenAt: reading.takenAt, reason: reason.trim() }, t`Reading deleted`)) {
      onClose();
      onDone();
    }
  };
  return (
    <Dialog title={t`Delete the last reading of ${meter.name}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>
          {t`${exact(reading.value, meter.unit)}, ${moment(reading.takenAt, site)}. Procedures that became due by this reading and have no work order yet are no longer due.`}
        </p>
        <TextField
          label={t`Why it was wrong`}
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
            {t`Cancel`}
          </button>
          <button type="submit" className="button danger" disabled={isBusy || !reason.trim()}>
            {t`Delete reading`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
