/** Suppliers that sell a part, and the prices at which it was ordered last. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { amount, day, figure } from "../../parts/words.js";
import type { Part, Price } from "./types.js";

export function PartSuppliers({ part: { supplierParts, site }, prices }: { part: Part; prices: Price[] }) {
  if (!supplierParts.length && !prices.length) return null;
  return (
    <section className="card" aria-labelledby="part-suppliers">
      <header>
        <h2 id="part-suppliers">{t`Suppliers`}</h2>
      </header>
      <div className="body stack tight">
        {supplierParts.map(({ id, supplier, partNumber, leadTime, isPreferred }) => (
          <div key={id} className="anywhere">
            <Link to="/suppliers/$id" params={{ id: supplier.id }}>
              {supplier.name}
            </Link>{" "}
            <span className="muted small">
              {[partNumber, leadTime != null && t`${figure(leadTime)} days`, isPreferred && t`Preferred`].filter(Boolean).join(" · ")}
            </span>
          </div>
        ))}
        {prices.length > 0 && (
          <>
            <h3 className="small muted">{t`Last prices of a unit`}</h3>
            <ul className="stack tight" aria-label={t`Last prices of a unit`}>
              {prices.map(({ lineId, orderedAt, unitPrice, currency, supplier, order }) => (
                <li key={lineId} className="row spread small">
                  <span className="anywhere">
                    <Link to="/purchases/$id" params={{ id: order.id }}>
                      {day(orderedAt, site)}
                    </Link>{" "}
                    {supplier.name}
                  </span>
                  <span className="num nowrap">{amount(unitPrice, currency)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}
