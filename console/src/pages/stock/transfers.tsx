/** Transfers of a part that are reserved or in transit, and their next steps. */

import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { PartPageQuery } from "../../generated/stock.js";
import { CancelTransfer, ReceiveTransfer, ShipTransfer } from "../../generated/transfers.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, TextArea } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { ago, exact, numberOf, numberText } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { serialsOf } from "./numbers.js";

type Transfer = NonNullable<PartPageQuery["stockTransfers"]>["nodes"][number];

interface Props {
  transfers: Transfer[];
  onReload: () => void;
}

export const Transfers = ({ transfers, onReload }: Props) => (
  <section className="card" aria-labelledby="transfers">
    <header>
      <h2 id="transfers">{t`Transfers`}</h2>
    </header>
    <ul className="list">
      {transfers.map((one) => (
        <TransferLine key={one.id} transfer={one} onReload={onReload} />
      ))}
    </ul>
  </section>
);

interface LineProps {
  transfer: Transfer;
  onReload: () => void;
  /** Named where transfers of several parts are listed. */
  part?: { id: string; name: string };
}

export function TransferLine({ transfer, onReload, part }: LineProps) {
  const { can, sites } = useSession();
  const ship = useChange(ShipTransfer);
  const cancel = useChange(CancelTransfer);
  const [isReceiving, setReceiving] = useState(false);
  const { id, status, fromSite, toSite, quantity, inTransit, batchNumber, shippedAt, reservedAt, reservedByPrincipal } = transfer;
  const isShipped = status === "SHIPPED";
  const isOwn = (site: string) => can("transferStock") && (!sites.length || sites.includes(site));
  const facts = [
    isShipped && shippedAt ? t`shipped ${ago(shippedAt)}` : t`reserved ${ago(reservedAt)}`,
    reservedByPrincipal?.name,
    batchNumber && t`batch ${batchNumber}`,
  ];
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 200 }}>
        {part && (
          <Link className="strong" to="/stock/$id" params={{ id: part.id }}>
            {part.name}
          </Link>
        )}
        <div className={`row wrap ${part ? "" : "strong"}`}>
          {fromSite} <ArrowRight className="icon" aria-label={t`to`} /> {toSite}
        </div>
        <div className="muted small">{facts.filter(Boolean).join(" · ")}</div>
      </div>
      <span className="num strong">{exact(isShipped ? inTransit : quantity)}</span>
      <Status value={isShipped ? "IN_PROGRESS" : "RESERVED"} label={isShipped ? t`In transit` : t`Reserved`} />
      <span className="row">
        {!isShipped && isOwn(fromSite) && (
          <>
            <button
              type="button"
              className="button small"
              disabled={cancel.isBusy}
              onClick={() => void cancel.run({ id }, t`Transfer cancelled`).then(onReload)}
            >
              {t`Cancel`}
            </button>
            <button
              type="button"
              className="button small primary"
              disabled={ship.isBusy}
              onClick={() => void ship.run({ id }, t`${exact(quantity)} shipped to ${toSite}`).then(onReload)}
            >
              {t`Ship`}
            </button>
          </>
        )}
        {isShipped && isOwn(toSite) && (
          <button type="button" className="button small primary" onClick={() => setReceiving(true)}>
            {t`Receive`} <span className="hidden-text">{t`from ${fromSite}`}</span>
          </button>
        )}
      </span>
      {isReceiving && <ReceiveDialog transfer={transfer} onClose={() => setReceiving(false)} onReload={onReload} />}
    </li>
  );
}

function ReceiveDialog({ transfer, onClose, onReload }: { transfer: Transfer; onClose: () => void; onReload: () => void }) {
  const receive = useChange(ReceiveTransfer);
  const { id, fromSite, toSite, inTransit, serialNumbers } = transfer;
  const [text, setText] = useState(numberText(inTransit));
  const [serials, setSerials] = useState("");
  const quantity = numberOf(text);
  const { wrong, error, isBusy } = receive;
  const wrongQuantity = wrong.quantity ?? wrong["0.quantity"];
  const message = messageBeside(error, "quantity", "serialNumbers");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (quantity === undefined) return;
    const variables = { id, quantity, serialNumbers: quantity < inTransit ? serialsOf(serials) : undefined };
    if (await receive.run(variables, t`${exact(quantity)} received at ${toSite}`)) onClose();
    onReload();
  };
  return (
    <Dialog title={t`Receive from ${fromSite}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <NumberField
          label={t`Quantity received`}
          hint={t`${exact(inTransit)} in transit. The rest stays in transit.`}
          required
          value={text}
          wrong={wrongQuantity}
          onChange={(event) => setText(event.target.value)}
        />
        {serialNumbers.length > 0 && quantity !== undefined && quantity < inTransit && (
          <TextArea
            label={t`Serial numbers`}
            hint={t`One a line, as many as the quantity`}
            rows={3}
            required
            value={serials}
            wrong={wrong.serialNumbers}
            onChange={(event) => setSerials(event.target.value)}
          />
        )}
        <Refusal text={message} />
        <DialogActions verb={t`Receive`} isDisabled={isBusy || quantity === undefined} onClose={onClose} />
      </form>
    </Dialog>
  );
}
