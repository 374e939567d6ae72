/** Counts or adjusts stock. Both require another person's approval. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { AdjustStock } from "../../generated/stock.js";
import { useChange } from "../../parts/change.js";
import { minus } from "../../parts/decimals.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { exact, numberOf, signed, wordOf } from "../../parts/words.js";
import type { MoveProps, Part } from "./types.js";

const titles = { count: t`Count stock`, adjust: t`Adjust stock` };
const kinds = ["CORRECTION", "DAMAGE", "EXPIRY", "LOSS", "QUALITY"] as const;

interface Props extends Pick<MoveProps, "part" | "onClose" | "onDone"> {
  level: Part["stockLevels"][number];
  kind: "count" | "adjust";
}

export function AdjustDialog({ part, level, kind, onClose, onDone }: Props) {
  const adjust = useChange(AdjustStock);
  const [amount, setAmount] = useState("");
  const [text, setText] = useState("");
  const [adjustmentType, setAdjustmentType] = useState<(typeof kinds)[number]>("CORRECTION");
  const { isBusy, error, wrong } = adjust;
  const number = numberOf(amount);
  const difference = kind === "count" && number !== undefined ? minus(number, level.quantity) : number;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (difference === undefined) return;
    const reason = text.trim() || undefined;
    const input = {
      site: level.site,
      quantity: difference,
      adjustmentType: kind === "count" ? ("COUNT" as const) : adjustmentType,
      // Stock may have been taken since it was counted.
      expectedBalance: level.quantity,
      reason,
    };
    const done = await adjust.run({ partId: part.id, input }, t`Saved. Waiting for approval.`);
    if (done) onDone();
  };

  return (
    <Dialog title={t`${titles[kind]} at ${level.site}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">{t`${part.name}: ${exact(level.quantity)} on hand.`}</p>
        {kind === "adjust" && (
          <Select
            label={t`Why`}
            value={adjustmentType}
            onChange={(event) => setAdjustmentType(event.target.value as typeof adjustmentType)}
          >
            {kinds.map((one) => (
              <option key={one} value={one}>
                {wordOf(one)}
              </option>
            ))}
          </Select>
        )}
        <NumberField
          label={kind === "count" ? t`Quantity counted` : t`Change of quantity, such as -2`}
          min={kind === "adjust" ? undefined : 0}
          required
          value={amount}
          wrong={wrong.quantity ?? wrong.expectedBalance}
          hint={
            kind === "count" && difference !== undefined
              ? difference === 0
                ? t`Same as in the books: nothing to save.`
                : t`${signed(difference)} to the books`
              : undefined
          }
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField label={t`Reason`} value={text} wrong={wrong.reason} onChange={(event) => setText(event.target.value)} />
        {error && !Object.keys(wrong).length && (
          <p className="note bad" role="alert">
            {error.graphQLErrors[0]?.message ?? t`The change could not be sent. Check the connection and try again.`}
          </p>
        )}
        <DialogActions verb={isBusy ? t`Saving …` : t`Save`} isDisabled={isBusy || !difference} onClose={onClose} />
      </form>
    </Dialog>
  );
}
