/** Creates the work orders of a recall. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import type { Priority } from "../../../../packages/client/src/generated/schema.js";
import { CreateRecallOrders } from "../../generated/recalls.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { PrioritySelect } from "../work/plan-fields.js";
import type { Recall } from "./types.js";

export function RecallOrdersDialog({ recall, onClose, onDone }: { recall: Recall; onClose: () => void; onDone: () => void }) {
  const create = useChange(CreateRecallOrders, { onRefused: onDone });
  const toast = useToast();
  const [title, setTitle] = useState(t`Replace ${recall.part.name}`);
  const [priority, setPriority] = useState<Priority>("HIGH");
  const { wrong, error, isBusy } = create;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await create.run({ input: { recallId: recall.id, title: title.trim(), priority } });
    if (!done) return;
    toast(plural(done.createRecallOrders?.length ?? 0, { one: "# work order created", other: "# work orders created" }));
    onClose();
    onDone();
  };
  return (
    <Dialog title={t`Create work orders`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">{t`One for each installed unit that has no pending one.`}</p>
        <TextField
          label={t`Title`}
          hint={t`The serial number is appended.`}
          required
          maxLength={255}
          value={title}
          wrong={wrong.title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <PrioritySelect value={priority} onChange={setPriority} />
        <Refusal text={messageBeside(error, "title")} />
        <DialogActions verb={t`Create work orders`} isDisabled={isBusy || !title.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}
