/** Accepts a reported fault: creates its work order with a plan. */
import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Priority } from "../../../../packages/client/src/generated/schema.js";
import { AssignOrder } from "../../generated/assign.js";
import { AcceptRequest } from "../../generated/work.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useSession } from "../../session/session.js";
import { DoerFields, nobody } from "./doer-fields.js";
import { dateInput, PrioritySelect } from "./plan-fields.js";

interface Props {
  request: { id: string; description: string; urgency: Priority; asset?: { id: string; site: string } | null };
  onRefused: () => void;
  onClose: () => void;
}

export function Accept({ request, onRefused, onClose }: Props) {
  const { can } = useSession();
  const navigate = useNavigate();
  const accept = useChange(AcceptRequest, { onRefused });
  const assign = useChange(AssignOrder);
  const [title, setTitle] = useState("");
  const [priority, setPriority] = useState(request.urgency);
  const [day, setDay] = useState("");
  const [doer, setDoer] = useState(nobody);
  const site = request.asset?.site;
  const { wrong } = accept;
  const refusal = messageBeside(accept.error, "title", "priority", "scheduledDate", "assignedTechnician");
  const isBusy = accept.isBusy || assign.isBusy;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      priority,
      ...(title.trim() && { title: title.trim() }),
      ...dateInput(day, site),
      ...(doer.crew.trim() && { assignedTechnician: doer.crew.trim() }),
    };
    const done = await accept.run({ id: request.id, input }, t`Work order created`);
    const orderId = done?.acceptWorkRequest?.workOrderId;
    if (!orderId) return;
    if (doer.personId) await assign.run({ id: orderId, principalId: doer.personId });
    void navigate({ to: "/work/$id", params: { id: orderId } });
  };
  return (
    <Dialog title={t`Create a work order`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted said">{request.description}</p>
        <Refusal text={refusal} />
        <TextField
          label={t`Title`}
          hint={t`Leave empty for the beginning of the report.`}
          maxLength={255}
          value={title}
          wrong={wrong.title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <div className="grid-2">
          <PrioritySelect value={priority} wrong={wrong.priority} onChange={setPriority} />
          <TextField
            label={t`Planned for`}
            type="date"
            max="9999-12-31"
            hint={t`Leave empty for today.`}
            value={day}
            wrong={wrong.scheduledDate}
            onChange={(event) => setDay(event.target.value)}
          />
        </div>
        <ZoneNote site={site} />
        {can("assignWorkOrder") && (
          <DoerFields assetId={request.asset?.id} draft={doer} wrong={wrong.assignedTechnician} onChange={setDoer} />
        )}
        <DialogActions verb={isBusy ? t`Creating …` : t`Create work order`} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
