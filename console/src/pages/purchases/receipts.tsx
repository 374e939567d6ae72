/** Receipts of an order line, newest first, their reversal, and their rejected goods. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ReverseReceipt } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, moment } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { RejectedActions } from "./rejected.js";
import { type PurchaseLine, partUnit, type Receipt } from "./types.js";

interface Props {
  line: PurchaseLine;
  receipts: Receipt[];
  onChanged: () => void;
}

export const Receipts = ({ line, receipts, onChanged }: Props) => (
  <ul className="receipts" aria-label={t`Receipts`}>
    {receipts.map((receipt) => (
      <ReceiptEntry key={receipt.id} line={line} receipt={receipt} onChanged={onChanged} />
    ))}
  </ul>
);

function ReceiptEntry({ line, receipt, onChanged }: { line: PurchaseLine; receipt: Receipt; onChanged: () => void }) {
  const { can } = useSession();
  const [isAsked, setAsked] = useState(false);
  const { accepted, rejected, receivedAt, receivedByPrincipal, reversedAt, movementId, inQuarantine, releaseReason, returns, site } =
    receipt;
  const unit = partUnit(line);
  const quantities = [
    accepted > 0 && t`${exact(accepted, unit)} accepted`,
    rejected > 0 && t`${exact(rejected, unit)} rejected: ${receipt.rejectionReason ?? ""}`,
    inQuarantine > 0 && t`${exact(inQuarantine, unit)} in quarantine`,
    releaseReason && t`Released from quarantine: ${releaseReason}`,
  ];
  const facts = [moment(receivedAt, site), receivedByPrincipal?.name, receipt.deliveryNote && t`Delivery note ${receipt.deliveryNote}`];
  return (
    <li>
      <div className="grow stack tight" style={{ minWidth: 200 }}>
        <span className="small anywhere">{quantities.filter(Boolean).join(" · ")}</span>
        <span className="muted small anywhere">{facts.filter(Boolean).join(" · ")}</span>
        {returns.map((one) => (
          <span key={one.id} className="small anywhere">
            {[
              t`${exact(one.quantity, unit)} sent back: ${one.reason}`,
              one.returnNote && t`Return note ${one.returnNote}`,
              moment(one.returnedAt, site),
              one.returnedByPrincipal?.name,
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
        ))}
        {reversedAt && <span className="small">{t`Reversed ${moment(reversedAt, site)}`}</span>}
      </div>
      <RejectedActions receipt={receipt} line={line} onChanged={onChanged} />
      <span className="row wrap">
        {movementId && line.part && (
          <Link className="small" to="/stock/$id" params={{ id: line.part.id }}>
            {t`Stock movements`}
          </Link>
        )}
        {movementId && !reversedAt && can("reverseMovement") && (
          <button type="button" className="button small" onClick={() => setAsked(true)}>
            {t`Reverse`} <span className="hidden-text">{quantities[0]}</span>
          </button>
        )}
      </span>
      {isAsked && <ReverseDialog id={movementId!} onChanged={onChanged} onClose={() => setAsked(false)} />}
    </li>
  );
}

function ReverseDialog({ id, onChanged, onClose }: { id: string; onChanged: () => void; onClose: () => void }) {
  const reverse = useChange(ReverseReceipt, { onRefused: onChanged });
  const [reason, setReason] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await reverse.run({ id, reason: reason.trim() }, t`Receipt reversed`))) return;
    onChanged();
    onClose();
  };
  return (
    <Dialog title={t`Reverse the receipt`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{t`The goods leave the stock, and the line is open again. The receipt stays listed.`}</p>
        <Refusal text={messageBeside(reverse.error, "reason")} />
        <TextField
          label={t`Reason`}
          required
          value={reason}
          wrong={reverse.wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Back`}
          </button>
          <button type="submit" className="button danger" disabled={reverse.isBusy || !reason.trim()}>
            {t`Reverse`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
