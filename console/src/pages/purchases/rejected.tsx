/** Rejected goods in quarantine: their release to the stock, and their return to the supplier. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { ReleaseGoods, ReturnGoods } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, TextArea, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, numberOf, numberText } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { NumberFields, noNumbers, numbersInput } from "../stock/numbers.js";
import { lineName, type PurchaseLine, partUnit, type Receipt } from "./types.js";

interface Line extends Pick<PurchaseLine, "description" | "unit" | "site"> {
  part: Pick<NonNullable<PurchaseLine["part"]>, "name" | "unitOfMeasure" | "tracksBatches" | "tracksSerials"> | null;
}

interface Props {
  receipt: Pick<Receipt, "id" | "inQuarantine" | "rejectionReason">;
  line: Line;
  /** Reloads the receipt. */
  onChanged: () => void;
}

/** Nothing if no goods are in quarantine. */
export function RejectedActions(props: Props) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"release" | "return">();
  const { receipt, line } = props;
  if (!(receipt.inQuarantine > 0)) return null;
  const close = () => setAsked(undefined);
  return (
    <>
      <span className="row wrap">
        {can("returnRejectedGoods") && (
          <button type="button" className="button small" onClick={() => setAsked("return")}>
            {t`Send back`} <span className="hidden-text">{lineName(line)}</span>
          </button>
        )}
        {can("releaseRejectedGoods") && (
          <button type="button" className="button small" onClick={() => setAsked("release")}>
            {t({ context: "rejected goods", message: "Release" })} <span className="hidden-text">{lineName(line)}</span>
          </button>
        )}
      </span>
      {asked === "release" && <ReleaseDialog {...props} onClose={close} />}
      {asked === "return" && <ReturnDialog {...props} onClose={close} />}
    </>
  );
}

/** The texts of both dialogs. */
function useGoods({ receipt, line }: Props) {
  const [quantityText, setQuantity] = useState(numberText(receipt.inQuarantine));
  const [reason, setReason] = useState("");
  const quantity = numberOf(quantityText);
  const isMissing = !quantity || !reason.trim();
  const fields = (wrong: Record<string, string>) => (
    <>
      <NumberField
        label={[t`Quantity`, partUnit(line)].filter(Boolean).join(", ")}
        required
        min={0}
        value={quantityText}
        wrong={wrong.quantity}
        onChange={(event) => setQuantity(event.target.value)}
      />
      <TextArea label={t`Reason`} required value={reason} wrong={wrong.reason} onChange={(event) => setReason(event.target.value)} />
    </>
  );
  const found = t`${exact(receipt.inQuarantine, partUnit(line))} in quarantine: ${receipt.rejectionReason ?? ""}`;
  return { quantity: quantity ?? 0, reason: reason.trim(), isMissing, fields, found };
}

function ReleaseDialog(props: Props & { onClose: () => void }) {
  const { receipt, line, onChanged, onClose } = props;
  const release = useChange(ReleaseGoods, { onRefused: onChanged });
  const { quantity, reason, isMissing, fields, found } = useGoods(props);
  const [numbers, setNumbers] = useState(noNumbers);
  const { part, site } = line;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { quantity, reason, ...(part && numbersInput(numbers, site)) };
    if (!(await release.run({ id: receipt.id, input }, t`${exact(quantity)} released`))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog title={t`Release ${lineName(line)}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">{found}</p>
        <p>{t`A further receipt adds the goods to the stock at the line's price. The open quantity decreases.`}</p>
        {fields(release.wrong)}
        {part && <NumberFields part={part} batches={[]} values={numbers} wrong={release.wrong} isArrival onChange={setNumbers} />}
        <Refusal text={messageBeside(release.error, "quantity", "reason", "batchNumber", "expiryDate", "serialNumbers")} />
        <DialogActions
          verb={t({ context: "rejected goods", message: "Release" })}
          isDisabled={release.isBusy || isMissing}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function ReturnDialog(props: Props & { onClose: () => void }) {
  const { receipt, line, onChanged, onClose } = props;
  const send = useChange(ReturnGoods, { onRefused: onChanged });
  const { quantity, reason, isMissing, fields, found } = useGoods(props);
  const [note, setNote] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const variables = { id: receipt.id, quantity, reason, returnNote: note.trim() || undefined };
    if (!(await send.run(variables, t`${exact(quantity)} sent back`))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog title={t`Send back ${lineName(line)}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">{found}</p>
        <p>{t`The goods stay open on the line: the supplier owes them.`}</p>
        {fields(send.wrong)}
        <TextField label={t`Return note`} value={note} wrong={send.wrong.returnNote} onChange={(event) => setNote(event.target.value)} />
        <Refusal text={messageBeside(send.error, "quantity", "reason", "returnNote")} />
        <DialogActions verb={t`Send back`} isDisabled={send.isBusy || isMissing} onClose={onClose} />
      </form>
    </Dialog>
  );
}
