/** Receives, counts or adjusts stock. Counts and adjustments require another person's approval. */
import { type FormEvent, useState } from "react";
import { AdjustStock, type PartPageQuery, ReceiveStock } from "../../generated/stock.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { figure, wordOf } from "../../parts/words.js";

type Part = NonNullable<PartPageQuery["part"]>;

export type Movement = "receive" | "count" | "adjust";

const titles = { receive: "Receive stock", count: "Count stock", adjust: "Adjust stock" };
const kinds = ["CORRECTION", "DAMAGE", "EXPIRY", "LOSS", "QUALITY"] as const;

interface Props {
  part: Part;
  level: Part["stockLevels"][number];
  kind: Movement;
  onClose: () => void;
  onDone: () => void;
}

export function MoveDialog({ part, level, kind, onClose, onDone }: Props) {
  const receive = useChange(ReceiveStock);
  const adjust = useChange(AdjustStock);
  const [amount, setAmount] = useState("");
  const [text, setText] = useState("");
  const [adjustmentType, setAdjustmentType] = useState<(typeof kinds)[number]>("CORRECTION");
  const { isBusy, error, wrong } = kind === "receive" ? receive : adjust;
  const number = Number(amount);
  const difference = kind === "count" ? number - level.quantity : number;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const reason = text.trim() || undefined;
    const done =
      kind === "receive"
        ? await receive.run(
            { partId: part.id, input: { site: level.site, quantity: number, reference: reason } },
            `${figure(number)} received`,
          )
        : await adjust.run(
            {
              partId: part.id,
              input: {
                site: level.site,
                quantity: difference,
                adjustmentType: kind === "count" ? "COUNT" : adjustmentType,
                // Stock may have been taken since it was counted.
                expectedBalance: level.quantity,
                reason,
              },
            },
            "Saved. Waiting for approval.",
          );
    if (done) onDone();
  };

  return (
    <Dialog title={`${titles[kind]} at ${level.site}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {part.name}: {figure(level.quantity)} on hand.
        </p>
        {kind === "adjust" && (
          <Select label="Why" value={adjustmentType} onChange={(event) => setAdjustmentType(event.target.value as typeof adjustmentType)}>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {wordOf(one)}
              </option>
            ))}
          </Select>
        )}
        <TextField
          label={kind === "receive" ? "Quantity received" : kind === "count" ? "Quantity counted" : "Change of quantity, such as -2"}
          type="number"
          step="any"
          min={kind === "adjust" ? undefined : 0}
          required
          inputMode="decimal"
          value={amount}
          wrong={wrong.quantity ?? wrong.expectedBalance}
          hint={
            kind === "count" && amount
              ? difference === 0
                ? "Same as in the books: nothing to save."
                : `${difference > 0 ? "+" : ""}${figure(difference)} to the books`
              : undefined
          }
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label={kind === "receive" ? "Delivery note or order" : "Reason"}
          value={text}
          wrong={wrong.reason ?? wrong.reference}
          onChange={(event) => setText(event.target.value)}
        />
        {error && !Object.keys(wrong).length && (
          <p className="note bad" role="alert">
            {error.graphQLErrors[0]?.message ?? "The change could not be sent. Check the connection and try again."}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !amount || difference === 0}>
            {isBusy ? "Saving …" : "Save"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
