/** Creates a work order of a procedure now, for one of its assets. */
import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { OrderDueWork } from "../../generated/calendar.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { instantAt, today } from "../../parts/zones.js";
import type { Procedure } from "./types.js";

interface Props {
  procedure: Procedure;
  onClose: () => void;
  onRefused: () => void;
}

export function MakeOrder({ procedure, onClose, onRefused }: Props) {
  const navigate = useNavigate();
  const order = useChange(OrderDueWork, { onRefused });
  // An asset has at most one pending order of a procedure.
  const free = procedure.assets.filter(({ asset, pendingWorkOrder }) => asset && !pendingWorkOrder);
  const [assetId, setAssetId] = useState(free[0]?.assetId);
  const site = free.find((one) => one.assetId === assetId)?.asset?.site;
  const [date, setDate] = useState(today(site));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const scheduledDate = date === today(site) ? new Date() : instantAt(date, "08:00", site);
    const input = { assetId, scheduledDate: scheduledDate.toISOString() };
    const made = (await order.run({ procedureId: procedure.id, input }, t`Work order created`))?.createWorkOrder;
    if (made) void navigate({ to: "/work/$id", params: { id: made.id } });
  };
  return (
    <Dialog title={t`Work order of ${procedure.name}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {free.length > 1 && (
          <Select label={t`Asset`} value={assetId} wrong={order.wrong.assetId} onChange={({ target }) => setAssetId(target.value)}>
            {free.map(({ assetId: id, asset }) => (
              <option key={id} value={id}>
                {asset!.name}
              </option>
            ))}
          </Select>
        )}
        <TextField
          label={t`Planned for`}
          type="date"
          max="9999-12-31"
          required
          value={date}
          wrong={order.wrong.scheduledDate}
          onChange={({ target }) => setDate(target.value)}
        />
        <p className="muted">{t`It counts as the next due date of the procedure.`}</p>
        <ZoneNote site={site} />
        <Refusal text={messageBeside(order.error, "assetId", "scheduledDate")} />
        <DialogActions verb={t`Create work order`} isDisabled={!assetId || !date || order.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
