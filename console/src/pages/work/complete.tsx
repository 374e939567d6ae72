/** Completes an order: time spent, parts used, failure found. */
import { type FormEvent, useState } from "react";
import { CompleteOrder } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { messageBeside } from "../../parts/states.js";
import { figure, wordOf } from "../../parts/words.js";
import type { Code, Order } from "./types.js";

/** Codes of every class, and codes whose class occurs in the asset's type. */
const codesOf = (codes: Code[], kind: string, type: string | undefined) => [
  ...new Map(
    codes
      .filter((code) => code.kind === kind && (!code.equipmentClass || type?.toLowerCase().includes(code.equipmentClass.toLowerCase())))
      .map((code) => [code.code, code.name ?? wordOf(code.code)]),
  ),
];

interface Props {
  order: Order;
  codes: Code[];
  onRefused: () => void;
  onClose: () => void;
}

export function Complete({ order, codes, onRefused, onClose }: Props) {
  const complete = useChange(CompleteOrder, { waits: true, onRefused });
  const [minutes, setMinutes] = useState("");
  const [notes, setNotes] = useState("");
  const [mode, setMode] = useState("");
  const [remedy, setRemedy] = useState("");
  const [used, setUsed] = useState(() => order.requiredParts.map(({ quantity }) => String(quantity)));
  const open = order.steps.filter(({ status, required }) => required && status !== "COMPLETED" && status !== "SKIPPED").length;
  const type = order.ofType?.type;
  const refusal = messageBeside(complete.error, "duration", "usedParts", "failureMode", "remedy", "notes");
  const isRepair = order.type === "CORRECTIVE";

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await complete.run(
      {
        id: order.id,
        input: {
          ...(minutes && { duration: Number(minutes) }),
          ...(notes.trim() && { notes: notes.trim() }),
          ...(mode && { failureMode: mode }),
          ...(remedy && { remedy }),
          ...(order.requiredParts.length && {
            usedParts: order.requiredParts.map(({ partId }, index) => ({ partId, quantity: Number(used[index]) })),
          }),
        },
      },
      "Work completed",
    );
    if (done) onClose();
  };

  return (
    <Dialog title="Complete the work" onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {open > 0 && <p className="note warn">{open === 1 ? "One required step is open." : `${open} required steps are open.`}</p>}
        {refusal && (
          <p className="note bad" role="alert">
            {refusal}
          </p>
        )}
        <TextField
          label="Time spent, minutes"
          type="number"
          min={0}
          step="any"
          inputMode="decimal"
          value={minutes}
          wrong={complete.wrong.duration}
          hint="Leave empty to count from the start of the work."
          onChange={(event) => setMinutes(event.target.value)}
        />
        {order.requiredParts.length > 0 && (
          <fieldset className="stack tight">
            <legend className="strong">Parts used</legend>
            {order.requiredParts.map(({ id, part, quantity }, index) => (
              <TextField
                key={id}
                label={`${part.name}, planned ${figure(quantity)}`}
                type="number"
                min={0}
                step="any"
                required
                value={used[index]}
                wrong={complete.wrong[`usedParts.${index}.quantity`]}
                onChange={(event) => setUsed((was) => was.map((one, at) => (at === index ? event.target.value : one)))}
              />
            ))}
          </fieldset>
        )}
        {isRepair && (
          <div className="grid-2">
            <Select label="What failed" value={mode} wrong={complete.wrong.failureMode} onChange={(event) => setMode(event.target.value)}>
              <option value="">Not specified</option>
              {codesOf(codes, "MODE", type).map(([code, name]) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
            <Select label="What was done" value={remedy} wrong={complete.wrong.remedy} onChange={(event) => setRemedy(event.target.value)}>
              <option value="">Not specified</option>
              {codesOf(codes, "REMEDY", type).map(([code, name]) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
        )}
        <TextArea label="Notes" value={notes} wrong={complete.wrong.notes} onChange={(event) => setNotes(event.target.value)} />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={complete.isBusy}>
            {complete.isBusy ? "Completing …" : "Complete"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
