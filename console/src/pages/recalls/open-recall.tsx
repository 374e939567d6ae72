/** Opens a recall by a part and a batch, serial numbers or a range of them. */
import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { OpenRecall } from "../../generated/recalls.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { type ChosenPart, PartChoice } from "../../parts/part-choice.js";
import { messageBeside, Refusal } from "../../parts/states.js";

type Choice = "batch" | "list" | "range";

export function OpenRecallDialog({ onClose }: { onClose: () => void }) {
  const open = useChange(OpenRecall);
  const navigate = useNavigate();
  const [part, setPart] = useState<ChosenPart>();
  const [choice, setChoice] = useState<Choice>("batch");
  const [batch, setBatch] = useState("");
  const [list, setList] = useState("");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [reason, setReason] = useState("");
  const numbers = list.split(/[\s,;]+/).filter(Boolean);
  const isChosen = { batch: batch.trim() !== "", list: numbers.length > 0, range: from.trim() !== "" && to.trim() !== "" }[choice];
  const { wrong, error, isBusy } = open;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const units = {
      batch: { batchNumber: batch.trim() },
      list: { serialNumbers: numbers },
      range: { serialFrom: from.trim(), serialTo: to.trim() },
    }[choice];
    const done = await open.run({ input: { partId: part!.id, reason: reason.trim(), ...units } }, t`The recall is open`);
    if (done?.openRecall) void navigate({ to: "/recalls/$id", params: { id: done.openRecall.id } });
  };
  return (
    <Dialog title={t`Open recall`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {part ? (
          <p className="row wrap">
            <span className="strong anywhere">{part.name}</span>
            <span className="muted small mono">{part.partNumber}</span>
            <button type="button" className="button small" onClick={() => setPart(undefined)}>
              {t`Change part`}
            </button>
          </p>
        ) : (
          <PartChoice label={t`Part`} onChoose={setPart} />
        )}
        <Select label={t`Recalled units`} value={choice} onChange={(event) => setChoice(event.target.value as Choice)}>
          <option value="batch">{t`A batch`}</option>
          <option value="list">{t`Serial numbers`}</option>
          <option value="range">{t`A range of serial numbers`}</option>
        </Select>
        {choice === "batch" && (
          <TextField
            label={t`Batch number`}
            required
            value={batch}
            wrong={wrong.batchNumber}
            onChange={(event) => setBatch(event.target.value)}
          />
        )}
        {choice === "list" && (
          <TextArea
            label={t`Serial numbers, separated by spaces or commas`}
            rows={3}
            required
            value={list}
            wrong={wrong.serialNumbers}
            onChange={(event) => setList(event.target.value)}
          />
        )}
        {choice === "range" && (
          <div className="field-grid">
            <TextField label={t`First`} required value={from} wrong={wrong.serialFrom} onChange={(event) => setFrom(event.target.value)} />
            <TextField label={t`Last`} required value={to} wrong={wrong.serialTo} onChange={(event) => setTo(event.target.value)} />
          </div>
        )}
        <TextArea
          label={t`Reason`}
          rows={2}
          required
          value={reason}
          wrong={wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Refusal text={messageBeside(error, "batchNumber", "serialNumbers", "serialFrom", "serialTo", "reason")} />
        <DialogActions verb={t`Open recall`} isDisabled={isBusy || !part || !isChosen || !reason.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}
