/** Parts of an order: planned, and used without a plan. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { isPending } from "../../parts/orders.js";
import { Status } from "../../parts/status.js";
import { exact, unitWord } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { heldOf } from "./held.js";
import { MovePart } from "./move-part.js";
import type { Line, Order } from "./types.js";

export function OrderParts({ order, onRefused }: { order: Order; onRefused: () => void }) {
  const { can } = useSession();
  const [asked, setAsked] = useState<"issue" | "return">();
  const { status, requiredParts } = order;
  return (
    <section className="card" aria-labelledby="order-parts">
      <header>
        <h2 id="order-parts">{t`Parts`}</h2>
        <span className="row wrap">
          {status !== "CLOSED" && can("returnFromWorkOrder") && requiredParts.some((line) => heldOf(line) > 0) && (
            <button type="button" className="button small" onClick={() => setAsked("return")}>
              {t`Return part`}
            </button>
          )}
          {isPending(status) && can("issueToWorkOrder") && (
            <button type="button" className="button small" onClick={() => setAsked("issue")}>
              {t`Issue part`}
            </button>
          )}
        </span>
      </header>
      <div className="body flush">
        {requiredParts.length ? (
          <ul className="list">
            {requiredParts.map((line) => (
              <PartLine key={line.id} line={line} />
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`No parts are planned.`}
          </p>
        )}
      </div>
      {asked && <MovePart order={order} kind={asked} onRefused={onRefused} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

function PartLine({ line }: { line: Line }) {
  const { part, quantity, usedQuantity, short, site, status } = line;
  const held = heldOf(line);
  return (
    <li>
      <div className="grow">
        <div className="strong clip">{part.name}</div>
        <div className="muted small anywhere">
          <span className="mono">{part.partNumber}</span> · {site}
          {quantity === 0 && ` · ${t`not planned`}`}
          {usedQuantity == null && held > 0 && ` · ${t`${exact(held)} issued`}`}
        </div>
      </div>
      {short > 0 && <span className="status bad">{t`${exact(short)} missing`}</span>}
      <span className="num nowrap">
        {exact(usedQuantity ?? (quantity || held))} <span className="muted small">{unitWord(part.unitOfMeasure)}</span>
      </span>
      <Status value={status} />
    </li>
  );
}
