/** Lines of a purchase order with their receipts, and the changes of a line. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ScanButton } from "../../parts/scan-button.js";
import { useToast } from "../../parts/toast.js";
import { amount, day, exact } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { ReasonDialog } from "./reason.js";
import { Receipts } from "./receipts.js";
import { ReceiveDialog } from "./receive.js";
import { RepromiseDialog } from "./repromise.js";
import { lineOfCode } from "./scanned-line.js";
import { isSent, lineName, type Purchase, type PurchaseLine, partUnit, type Receipt } from "./types.js";

interface Props {
  order: Purchase;
  /** Receipts of the order, newest first. */
  receipts: Receipt[];
  /** Currency of the stock. */
  currency: string | null | undefined;
  /** Reloads the order. */
  onChanged: () => void;
}

export function PurchaseLines(props: Props) {
  const { order, currency, onChanged } = props;
  const { can } = useSession();
  const toast = useToast();
  const [receivedId, setReceived] = useState<string>();
  const received = order.lines.find(({ id }) => id === receivedId);
  const canReceive = isSent(order) && can("receivePurchaseOrderLine");
  const scanned = (code: string) => {
    const line = lineOfCode(order.lines, code);
    if (line) setReceived(line.id);
    else toast(t`No open line has the code ${code.slice(0, 100)}.`, true);
  };
  return (
    <section className="card" aria-labelledby="purchase-lines">
      <header>
        <h2 id="purchase-lines">{t`Lines`}</h2>
        {canReceive && order.lines.some(({ part, openQuantity }) => part && openQuantity > 0) && (
          <ScanButton verb={t`Receive by scan`} onCode={scanned} />
        )}
      </header>
      <ul className="list">
        {order.lines.map((line) => (
          <Line key={line.id} {...props} line={line} onReceive={canReceive ? () => setReceived(line.id) : undefined} />
        ))}
        <li className="strong">
          <span className="grow">{t`Total`}</span>
          <span className="num nowrap">{amount(order.total, order.currency)}</span>
        </li>
      </ul>
      {received && (
        <ReceiveDialog
          order={order}
          line={received}
          currency={currency}
          onDone={onChanged}
          onRefused={onChanged}
          onClose={() => setReceived(undefined)}
        />
      )}
    </section>
  );
}

function Line({ line, order, receipts, onChanged, onReceive }: Props & { line: PurchaseLine; onReceive?: () => void }) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"repromise" | "cancel">();
  const { part, workOrder, site, openQuantity, accepted, cancelled, promisedAt, repromisedAt } = line;
  const name = lineName(line);
  const isOpen = openQuantity > 0;
  const close = () => setAsked(undefined);
  const own = receipts.filter(({ lineId }) => lineId === line.id);
  const facts = [
    part?.partNumber,
    part && line.description,
    [exact(line.quantity, unitOf(line)), amount(line.price, order.currency)].join(" × "),
    line.unitFactor !== 1 && t`${exact(line.unitFactor, partUnit(line))} in a unit`,
    site !== order.site && site,
  ];
  const state = [
    isOpen && t`${exact(openQuantity, partUnit(line))} open`,
    accepted > 0 && t`${exact(accepted, partUnit(line))} accepted`,
    line.invoicedQuantity > 0 && t`${exact(line.invoicedQuantity, partUnit(line))} invoiced`,
    cancelled > 0 && t`${exact(cancelled, partUnit(line))} cancelled`,
    line.cancellationReason,
    promisedAt && t`promised ${day(promisedAt, site)}`,
    repromisedAt && t`now promised ${day(repromisedAt, site)}`,
  ];
  const differences = differencesOf(line, order.currency);
  return (
    <li className="unit-line">
      <div className="grow stack tight" style={{ minWidth: 200 }}>
        {part ? (
          <Link className="strong anywhere" to="/stock/$id" params={{ id: part.id }}>
            {name}
          </Link>
        ) : (
          <span className="strong anywhere">{name}</span>
        )}
        <span className="muted small anywhere">{facts.filter(Boolean).join(" · ")}</span>
        <span className="small anywhere">{state.filter(Boolean).join(" · ")}</span>
        {differences.length > 0 && <span className="strong small anywhere">{differences.join(" · ")}</span>}
        {workOrder && (
          <Link className="small anywhere" to="/work/$id" params={{ id: workOrder.id }}>
            {workOrder.title}
          </Link>
        )}
      </div>
      <span className="num nowrap">{amount(line.amount, order.currency)}</span>
      <span className="row wrap">
        {isOpen && isSent(order) && can("repromisePurchaseOrderLine") && (
          <button type="button" className="button small" onClick={() => setAsked("repromise")}>
            {t`Change date`} <span className="hidden-text">{name}</span>
          </button>
        )}
        {isOpen && (order.status === "APPROVED" || isSent(order)) && can("cancelPurchaseOrderLine") && (
          <button type="button" className="button small" onClick={() => setAsked("cancel")}>
            {t`Cancel line`} <span className="hidden-text">{name}</span>
          </button>
        )}
        {isOpen && onReceive && (
          <button type="button" className="button small primary" onClick={onReceive}>
            {t`Receive`} <span className="hidden-text">{name}</span>
          </button>
        )}
      </span>
      {own.length > 0 && <Receipts line={line} receipts={own} onChanged={onChanged} />}
      {asked === "repromise" && <RepromiseDialog line={line} onRefused={onChanged} onClose={close} />}
      {asked === "cancel" && <ReasonDialog id={line.id} change="cancelLine" onRefused={onChanged} onClose={close} />}
    </li>
  );
}

/** The differences of the line's posted invoices. */
function differencesOf(line: PurchaseLine, currency: string): string[] {
  const { invoicesOnHold, quantityDifference, priceDifference } = line;
  const sum = amount(Math.abs(priceDifference), currency);
  const words = [
    invoicesOnHold > 0 && plural(invoicesOnHold, { one: "# invoice line on hold", other: "# invoice lines on hold" }),
    quantityDifference > 0 && t`${exact(quantityDifference, partUnit(line))} invoiced without a matched receipt`,
    priceDifference > 0 && t`${sum} more invoiced than ordered`,
    priceDifference < 0 && t`${sum} less invoiced than ordered`,
  ];
  return words.filter((one) => one !== false);
}

const unitOf = (line: PurchaseLine): string => line.unit ?? partUnit(line);
