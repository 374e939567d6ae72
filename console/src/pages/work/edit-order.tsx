/** Form of a pending order. A concurrent change by another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { UpdateOrder, type UpdateOrderMutationVariables } from "../../generated/order-actions.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea, TextField } from "../../parts/field.js";
import { changedMeanwhile, Meanwhile } from "../../parts/meanwhile.js";
import { messageBeside } from "../../parts/states.js";

import { ZoneNote } from "../../parts/zone-note.js";
import { instantAt, localAt } from "../../parts/zones.js";
import { useWaiting } from "../../session/session.js";
import { PrioritySelect, TypeSelect } from "./plan-fields.js";
import type { Order } from "./types.js";

const valuesOf = ({ title, type, priority, scheduledDate, assignedTechnician, notes, productionStopped, asset }: Order) => {
  const [day, time] = localAt(scheduledDate, asset?.site);
  return { title, type, priority, day, time: time.slice(0, 5), crew: assignedTechnician ?? "", notes: notes ?? "", productionStopped };
};
type Values = ReturnType<typeof valuesOf>;

/** Changed fields only. */
function inputOf(before: Values, after: Values, site: string | undefined): UpdateOrderMutationVariables["input"] {
  const { title, type, priority, day, time, crew, notes, productionStopped } = after;
  return {
    ...(title.trim() !== before.title && { title: title.trim() }),
    ...(type !== before.type && { type }),
    ...(priority !== before.priority && { priority }),
    ...((day !== before.day || time !== before.time) && { scheduledDate: instantAt(day, time, site).toISOString() }),
    ...(crew.trim() !== before.crew && { assignedTechnician: crew.trim() || null }),
    ...(notes.trim() !== before.notes && { notes: notes.trim() || null }),
    ...(productionStopped !== before.productionStopped && { productionStopped }),
  };
}

interface Props {
  order: Order;
  /** Reloads the order. */
  onRefused: () => void;
  onClose: () => void;
}

export function EditOrder({ order, onRefused, onClose }: Props) {
  const update = useChange(UpdateOrder, { waits: true, onRefused });
  const waiting = useWaiting();
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(order);
  const [values, setValues] = useState(() => valuesOf(order));
  const site = order.asset?.site;
  const before = valuesOf(base);
  const isComplete = values.title.trim() && values.day && values.time;
  const input = isComplete ? inputOf(before, values, site) : {};
  const { wrong, error, isBusy } = update;
  const meanwhile = changedMeanwhile(error);
  const isRead = order.version !== base.version;
  const refusal = messageBeside(error, "title", "type", "priority", "scheduledDate", "assignedTechnician", "notes");

  const set = (change: Partial<Values>) => setValues({ ...values, ...change });
  /** Takes over the changes of others and keeps what the user typed. */
  const takeOver = () => {
    const now = valuesOf(order);
    const typed = Object.entries(values).filter(([name, value]) => value !== before[name as keyof Values]);
    setValues({ ...now, ...Object.fromEntries(typed) });
    setBase(order);
    update.forget();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // Changes that wait for a connection will change the version first.
    const expectedVersion = waiting ? undefined : base.version;
    if (await update.run({ id: order.id, expectedVersion, input }, t`Saved`)) onClose();
  };
  return (
    <Dialog title={t`Edit the work order`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label={t`Title`}
          required
          maxLength={255}
          value={values.title}
          wrong={wrong.title}
          onChange={(event) => set({ title: event.target.value })}
        />
        <div className="grid-2 keep">
          <TypeSelect value={values.type} wrong={wrong.type} onChange={(type) => set({ type })} />
          <PrioritySelect value={values.priority} wrong={wrong.priority} onChange={(priority) => set({ priority })} />
          <TextField
            label={t`Planned for`}
            type="date"
            required
            max="9999-12-31"
            value={values.day}
            wrong={wrong.scheduledDate}
            onChange={(event) => set({ day: event.target.value })}
          />
          <TextField label={t`Time`} type="time" required value={values.time} onChange={(event) => set({ time: event.target.value })} />
        </div>
        <ZoneNote site={site} />
        <TextField
          label={t`Crew`}
          hint={order.assignee ? t`${order.assignee.name} is assigned, and takes precedence.` : t`A crew, or the name of a person outside`}
          maxLength={255}
          value={values.crew}
          wrong={wrong.assignedTechnician}
          onChange={(event) => set({ crew: event.target.value })}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={values.productionStopped}
            onChange={(event) => set({ productionStopped: event.target.checked })}
          />
          {t`Production has stopped`}
        </label>
        <TextArea label={t`Notes`} value={values.notes} wrong={wrong.notes} onChange={(event) => set({ notes: event.target.value })} />
        {meanwhile ? (
          <Meanwhile changed={meanwhile} labels={labels} isRead={isRead} onTakeOver={takeOver} />
        ) : (
          refusal && (
            <p className="note bad" role="alert">
              {refusal}
            </p>
          )
        )}
        <div className="actions stays">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !!meanwhile || !Object.keys(input).length}>
            {isBusy ? t`Saving …` : t`Save`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const labels: Record<string, string> = { scheduledDate: t`Planned for`, assignedTechnician: t`Crew` };
