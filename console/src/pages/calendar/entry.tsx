import { Link } from "@tanstack/react-router";
import { UserRoundPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { AssignDialog } from "../../parts/assign.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { isPending } from "../../parts/orders.js";
import { doerOf } from "../../parts/people.js";
import { Status } from "../../parts/status.js";
import { day } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { keyOf } from "./days.js";
import { canMove, type Entry } from "./types.js";

interface Props {
  entry: Entry;
  onRefused: () => void;
  onMove: (order: NonNullable<Entry["workOrder"]>, day: string) => void;
  onClose: () => void;
}

export function EntryDialog({ entry, onMove, onRefused, onClose }: Props) {
  const { workOrder, procedure, asset, dueDate, date, gapWarning } = entry;
  const { can, role } = useSession();
  const [isAssigning, setAssigning] = useState(false);
  const [to, setTo] = useState(keyOf(new Date(workOrder?.scheduledDate ?? date)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (workOrder) onMove(workOrder, to);
    onClose();
  };
  return (
    <>
      <Dialog title={workOrder?.title ?? procedure?.name ?? "Due"} onClose={onClose}>
        <form className="dialog-body" onSubmit={submit}>
          <div className="row wrap">
            {workOrder ? <Status value={workOrder.status} filled /> : <span className="muted">Due, no work order yet</span>}
            {workOrder && <span className="muted anywhere">{doerOf(workOrder) ?? "Not assigned"}</span>}
          </div>
          <dl className="facts">
            {asset && (
              <>
                <dt>Asset</dt>
                <dd>
                  <Link to="/asset/$id" params={{ id: asset.id }}>
                    {asset.name}
                  </Link>
                  , {asset.site}
                </dd>
              </>
            )}
            {(dueDate ?? !workOrder) && (
              <>
                <dt>Due</dt>
                <dd>{day(dueDate ?? date)}</dd>
              </>
            )}
          </dl>
          {gapWarning && <p className="note warn">The previous work was done early. Gap: {gapWarning.text}.</p>}
          {workOrder && canMove(entry) && can("updateWorkOrder") && (
            <TextField
              label="Planned for"
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
                Assign
              </button>
            )}
            {workOrder && (
              <Link className="button" to="/work/$id" params={{ id: workOrder.id }}>
                Open work order
              </Link>
            )}
            {workOrder && canMove(entry) && can("updateWorkOrder") && (
              <button type="submit" className="button primary">
                Move
              </button>
            )}
          </div>
        </form>
      </Dialog>
      {isAssigning && workOrder && <AssignDialog order={workOrder} onRefused={onRefused} onClose={() => setAssigning(false)} />}
    </>
  );
}
