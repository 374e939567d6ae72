/** A purchase order on paper, or as a PDF by the browser, for the supplier. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, Printer } from "lucide-react";
import type { ReactNode } from "react";
import { useQuery } from "urql";
import { PrintedPurchase, type PrintedPurchaseQuery } from "../../generated/printed-purchase.js";
import { useTitle } from "../../parts/hooks.js";
import { Scrolled } from "../../parts/scrolled.js";
import { NoRecord } from "../../parts/states.js";
import { amount, day, exact, unitWord } from "../../parts/words.js";
import { lineName, promiseOf } from "./types.js";

type Order = NonNullable<PrintedPurchaseQuery["purchaseOrder"]>;
type Line = Order["lines"][number];

export function PrintedPurchasePage(): ReactNode {
  const { id } = useParams({ from: "/purchases/$id/print" });
  const [{ data, error, fetching }, retry] = useQuery({ query: PrintedPurchase, variables: { id } });
  const order = data?.purchaseOrder?.id === id ? data.purchaseOrder : undefined;
  useTitle(order && t`Purchase order ${order.number}`);
  if (!order)
    return (
      <NoRecord
        isLoading={fetching}
        error={error}
        title={t`Purchase order not found`}
        onRetry={() => retry({ requestPolicy: "network-only" })}
      />
    );
  return (
    <>
      <div className="row wrap spread printed-order-buttons">
        <Link className="button" to="/purchases/$id" params={{ id }}>
          <ArrowLeft className="icon" aria-hidden />
          {t`Purchase order`}
        </Link>
        <button type="button" className="button primary" onClick={() => print()}>
          <Printer className="icon" aria-hidden />
          {t`Print`}
        </button>
      </div>
      <Sheet order={order} />
    </>
  );
}

function Sheet({ order }: { order: Order }) {
  const { supplier, site, currency, lines, notes } = order;
  const facts: [string, ReactNode][] = [
    [t`Supplier`, [supplier.name, supplier.number].filter(Boolean).join(" · ")],
    [t`Email address`, supplier.contact?.email],
    [t`Phone`, supplier.contact?.phone],
    [t`Date`, day(order.sentAt ?? order.createdAt, site)],
    [t`Deliver to`, site],
    [t`Ordered by`, order.createdByPrincipal?.name],
    [t`Payment terms`, supplier.paymentTerms],
    [t`Delivery terms`, supplier.deliveryTerms],
  ];
  return (
    <article className="printed-order">
      <div className="printed-order-head">
        <div>
          <p className="small">{t`Purchase order`}</p>
          <h1>{order.number}</h1>
          {notSent.has(order.status) && <p className="strong">{t`Not an order yet: the purchase order has not been sent.`}</p>}
          {order.status === "CANCELLED" && <p className="strong">{t`Cancelled`}</p>}
        </div>
      </div>
      <dl className="facts">
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Scrolled label={t`Lines`}>
        <table>
          <thead>
            <tr>
              <th className="right">{t`No.`}</th>
              <th>{t`Part or service`}</th>
              <th className="right">{t`Quantity`}</th>
              <th className="right">{t`Price`}</th>
              <th className="right">{t`Amount`}</th>
              <th>{t`Delivery`}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <LineRow key={line.id} line={line} order={order} />
            ))}
          </tbody>
          <tfoot>
            <tr className="strong">
              <td />
              <td colSpan={3}>{t`Total`}</td>
              <td className="right num nowrap">{amount(order.total, currency)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      </Scrolled>
      {notes && <p className="said">{notes}</p>}
    </article>
  );
}

const notSent = new Set<Order["status"]>(["DRAFT", "AWAITING_APPROVAL", "APPROVED"]);

function LineRow({ line, order }: { line: Line; order: Order }) {
  const { part, description, unit, unitFactor, quantity, cancelled, site } = line;
  const promise = promiseOf(line);
  const partUnit = part ? unitWord(part.unitOfMeasure) : "";
  const theirs = part?.supplierParts.find(({ supplierId }) => supplierId === order.supplier.id)?.partNumber;
  const details = [
    theirs && t`Your number ${theirs}`,
    part && (theirs ? t`Our number ${part.partNumber}` : part.partNumber),
    part && description,
    unitFactor !== 1 && t`${exact(unitFactor, partUnit)} in a unit`,
    cancelled > 0 && t`${exact(cancelled, partUnit)} cancelled`,
  ];
  return (
    <tr>
      <td className="right num">{line.position}</td>
      <td>
        {lineName(line)}
        <div className="small">{details.filter(Boolean).join(" · ")}</div>
      </td>
      <td className="right num">{exact(quantity, unit ?? partUnit)}</td>
      <td className="right num nowrap">{amount(line.price, order.currency)}</td>
      <td className="right num nowrap">{amount(line.amount, order.currency)}</td>
      <td>{[promise && day(promise, site), site !== order.site && site].filter(Boolean).join(", ")}</td>
    </tr>
  );
}
