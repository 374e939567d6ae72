/** Lines of an invoice with the three-way match: ordered, received and invoiced. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Status } from "../../parts/status.js";
import { amount, exact, moment } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { ReasonDialog } from "../purchases/reason.js";
import { lineName, partUnit } from "../purchases/types.js";
import { differencesOf, type Invoice, type InvoiceLine, lineLabels, orderedQuantity, priceOf } from "./types.js";

interface Props {
  invoice: Invoice;
  onRefused: () => void;
}

export const InvoiceLines = ({ invoice, onRefused }: Props) => (
  <section className="card" aria-labelledby="invoice-lines">
    <header>
      <h2 id="invoice-lines">{t`Lines`}</h2>
    </header>
    <ul className="list">
      {invoice.lines.map((line) => (
        <Line key={line.id} line={line} invoice={invoice} onRefused={onRefused} />
      ))}
      <li className="strong">
        <span className="grow">{t`Total`}</span>
        <span className="num nowrap">{amount(invoice.total, invoice.currency)}</span>
      </li>
    </ul>
  </section>
);

function Line({ line, invoice, onRefused }: Props & { line: InvoiceLine }) {
  const { can } = useSession();
  const [isAsked, setAsked] = useState(false);
  const { orderLine, order, site, status, acceptedAt, acceptanceReason, acceptedByPrincipal } = line;
  const name = lineName(orderLine);
  const acceptance = acceptedAt && [moment(acceptedAt, site), acceptedByPrincipal?.name, acceptanceReason].filter(Boolean).join(" · ");
  return (
    <li className="unit-line">
      <div className="grow stack tight" style={{ minWidth: 200 }}>
        {orderLine.part ? (
          <Link className="strong anywhere" to="/stock/$id" params={{ id: orderLine.part.id }}>
            {name}
          </Link>
        ) : (
          <span className="strong anywhere">{name}</span>
        )}
        <span className="muted small anywhere">
          {[orderLine.part?.partNumber, order.number, site !== invoice.site && site].filter(Boolean).join(" · ")}
        </span>
      </div>
      <Status value={status} label={lineLabels[status]} />
      {status === "ON_HOLD" && can("acceptInvoiceDifference") && (
        <button type="button" className="button small primary" onClick={() => setAsked(true)}>
          {t`Accept the difference`} <span className="hidden-text">{name}</span>
        </button>
      )}
      <div className="match stack tight">
        <MatchTable line={line} currency={invoice.currency} />
        {differencesOf(line, invoice.currency).map((one) => (
          <span key={one} className="strong small anywhere">
            {one}
          </span>
        ))}
        {acceptance && <span className="small anywhere">{t`Accepted: ${acceptance}`}</span>}
      </div>
      {isAsked && <ReasonDialog id={line.id} change="acceptDifference" onRefused={onRefused} onClose={() => setAsked(false)} />}
    </li>
  );
}

/** Quantities in the unit of the part, and amounts. Received quantities have the ordered price. */
function MatchTable({ line, currency }: { line: InvoiceLine; currency: string }) {
  const { orderLine } = line;
  const unit = partUnit(orderLine);
  const rows: [string, number, number | undefined][] = [
    [t`Ordered`, orderedQuantity(orderLine), orderLine.amount],
    [t`Received`, orderLine.accepted, priceOf(orderLine.accepted, orderLine, currency)],
    [t`Invoiced`, line.quantity, line.amount],
    [t`Matched`, line.matchedQuantity, undefined],
  ];
  return (
    <table>
      <caption className="hidden-text">{t`Match of ${lineName(orderLine)}`}</caption>
      <thead>
        <tr>
          <td />
          <th className="right" scope="col">
            {t`Quantity`}
          </th>
          <th className="right" scope="col">
            {t`Amount`}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, quantity, sum]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className="right num">{exact(quantity, unit)}</td>
            <td className="right num">{sum === undefined ? "" : amount(sum, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
