import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { dayOfOrder, type Lane, laneOf, type PlannedOrder } from "./lanes.js";
import type { Target } from "./plan.js";

interface Props {
  orders: readonly PlannedOrder[];
  lanes: readonly Lane[];
  canAssign: boolean;
  onMove: (target: Target) => void;
  onClose: () => void;
}

/** The value that all orders share. */
function shared(values: readonly string[]): string {
  const [first = "", ...others] = new Set(values);
  return others.length ? "" : first;
}

export function PlanDialog({ orders, lanes, canAssign, onMove, onClose }: Props) {
  const commonDay = shared(orders.map(dayOfOrder));
  const commonLane = shared(orders.map((order) => laneOf(order, lanes).key));
  const [day, setDay] = useState(commonDay);
  const [lane, setLane] = useState(commonLane);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onMove({ day: day || undefined, lane: lanes.find(({ key }) => key === lane) });
    onClose();
  };
  return (
    <Dialog title={plural(orders.length, { one: "Move the work order", other: "Move # work orders" })} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted anywhere">{orders.map(({ title }) => title).join(", ")}</p>
        <TextField
          label={t`Day`}
          type="date"
          required={!!commonDay}
          max="9999-12-31"
          hint={commonDay ? undefined : t`Without a day, each order keeps its own.`}
          value={day}
          onChange={(event) => setDay(event.target.value)}
        />
        {canAssign && (
          <Select label={t`Person`} value={lane} onChange={(event) => setLane(event.target.value)}>
            {!commonLane && <option value="">{t`As before`}</option>}
            {lanes.map(({ key, name, crew }) => (
              <option key={key} value={key}>
                {crew ? t`${name} (crew)` : name}
              </option>
            ))}
          </Select>
        )}
        <DialogActions verb={t`Move`} onClose={onClose} />
      </form>
    </Dialog>
  );
}
