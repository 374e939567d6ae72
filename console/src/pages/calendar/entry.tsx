import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ClipboardPlus, TriangleAlert, UserRoundPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { OrderDueWork } from "../../generated/calendar.js";
import { AssignDialog } from "../../parts/assign.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { isPending } from "../../parts/orders.js";
import { doerOf } from "../../parts/people.js";
import { Status } from "../../parts/status.js";
import { useToast } from "../../parts/toast.js";
import { day } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { canMove, dayOf, type Entry, isLate } from "./types.js";

interface Props {
  entry: Entry;
  onRefused: () => void;
  /** The procedure's next occurrence: the one that gets the next work order. */
  isNext: boolean;
  onMove: (entry: Entry, day: string) => void;
  onClose: () => void;
}

export function EntryDialog({ entry, isNext, onMove, onRefused, onClose }: Props) {
  const { workOrder, procedure, asset, dueDate, date, gapWarning } = entry;
  const { can, role } = useSession();
  const order = useChange(OrderDueWork, { onRefused });
  const toast = useToast();
  const [isAssigning, setAssigning] = useState(false);
  const [to, setTo] = useState(dayOf(entry));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onMove(entry, to);
    onClose();
  };
  return (
    <>
      <Dialog title={workOrder?.title ?? procedure?.name ?? t`Due`} onClose={onClose}>
        <form className="dialog-body" onSubmit={submit}>
          <div className="row wrap">
            {workOrder ? <Status value={workOrder.status} filled /> : <span className="muted">{t`Due, no work order yet`}</span>}
            {isLate(entry) && (
              <span className="status bad">
                <TriangleAlert className="icon" aria-hidden />
                {t`Overdue`}
              </span>
            )}
            {workOrder && <span className="muted anywhere">{doerOf(workOrder) ?? t`Not assigned`}</span>}
          </div>
          <dl className="facts">
            {asset && (
              <>
                <dt>{t`Asset`}</dt>
                <dd>
                  <Link to="/asset/$id" params={{ id: asset.id }}>
                    {asset.name}
                  </Link>
                  , {asset.site}
                </dd>
              </>
            )}
            {procedure && (
              <>
                <dt>{t`Procedure`}</dt>
                <dd>
                  <Link to="/procedures/$id" params={{ id: procedure.id }}>
                    {procedure.name}
                  </Link>
                </dd>
              </>
            )}
            {(dueDate ?? !workOrder) && (
              <>
                <dt>{t`Due`}</dt>
                <dd>{day(dueDate ?? date, asset?.site)}</dd>
              </>
            )}
          </dl>
          {gapWarning && <p className="note warn">{t`The previous work was done early. Gap: ${gapWarning.text}.`}</p>}
          {workOrder && canMove(entry) && can("updateWorkOrder") && (
            <TextField
              label={t`Planned for`}
              type="date"
              required
              max="9999-12-31"
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
          <div className="actions">
            {workOrder && isPending(workOrder.status) && can("assignWorkOrder") && role !== "TECHNICIAN" && (
              <button type="button" className="button" onClick={() => setAssigning(true)}>
                <UserRoundPlus className="icon" aria-hidden />
                {t`Assign`}
              </button>
            )}
            {!workOrder && procedure && asset && isNext && can("createWorkOrder") && (
              <button
                type="button"
                className="button primary"
                disabled={order.isBusy}
                onClick={async () => {
                  const made = (await order.run({ procedureId: procedure.id, input: { assetId: asset.id } }))?.createWorkOrder;
                  if (!made) return;
                  toast(t`Work order created, planned for ${day(made.scheduledDate, asset.site)}`);
                  onRefused();
                  onClose();
                }}
              >
                <ClipboardPlus className="icon" aria-hidden />
                {t`Create work order`}
              </button>
            )}
            {workOrder && (
              <Link className="button" to="/work/$id" params={{ id: workOrder.id }}>
                {t`Open work order`}
              </Link>
            )}
            {workOrder && canMove(entry) && can("updateWorkOrder") && (
              <button type="submit" className="button primary">
                {t`Move`}
              </button>
            )}
          </div>
        </form>
      </Dialog>
      {isAssigning && workOrder && <AssignDialog order={workOrder} onRefused={onRefused} onClose={() => setAssigning(false)} />}
    </>
  );
}
