/** Purchase order lines of a part or a work order, with a link that orders another one. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { PurchasedLineFragment } from "../generated/stock.js";
import { useSession } from "../session/session.js";
import { Status } from "./status.js";
import { day, exact, unitWord } from "./words.js";

interface Props {
  lines: PurchasedLineFragment[];
  /** Ids for which the link creates an order. */
  forPart?: string;
  forWorkOrder?: string;
}

/** Nothing if there are no lines and the user cannot order. */
export function PurchasedLines({ lines, forPart, forWorkOrder }: Props) {
  const { can } = useSession();
  const canOrder = !!(forPart ?? forWorkOrder) && can("createPurchaseOrder");
  if (!lines.length && !canOrder) return null;
  return (
    <section className="card" aria-labelledby="purchased-lines">
      <header>
        <h2 id="purchased-lines">{t`Purchases`}</h2>
        {canOrder && (
          <Link className="button small" to="/purchases/new" search={{ part: forPart, workOrder: forWorkOrder }}>
            {t`New purchase order`}
          </Link>
        )}
      </header>
      <div className="body flush">
        {lines.length ? (
          <ul className="list">
            {lines.map((line) => (
              <li key={line.id} className="clickable unit-line">
                <div className="grow stack tight">
                  <Link className="title anywhere" to="/purchases/$id" params={{ id: line.order.id }}>
                    {forPart ? line.order.number : (line.part?.name ?? line.description)}
                  </Link>
                  <span className="muted small anywhere">{factsOf(line, !!forPart).filter(Boolean).join(" · ")}</span>
                </div>
                <Status value={line.order.status} />
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`Nothing is ordered.`}
          </p>
        )}
      </div>
    </section>
  );
}

function factsOf({ order, part, quantity, unit, openQuantity, promisedAt, repromisedAt, site }: PurchasedLineFragment, isOfPart: boolean) {
  const partUnit = unitWord(part?.unitOfMeasure);
  const promise = repromisedAt ?? promisedAt;
  return [
    !isOfPart && order.number,
    order.supplier.name,
    isOfPart && site,
    exact(quantity, unit ?? partUnit),
    openQuantity > 0 && t`${exact(openQuantity, partUnit)} open`,
    promise && t`promised ${day(promise, site)}`,
  ];
}
