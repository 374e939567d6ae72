import { t } from "@lingui/core/macro";
import { count } from "../../parts/words.js";
import { type Handles, OrderCard } from "./card.js";
import type { PlannedOrder } from "./lanes.js";

interface Props {
  late: readonly PlannedOrder[];
  later: readonly PlannedOrder[];
  /** Further orders are not shown. */
  isCut: boolean;
  handles: Handles | undefined;
}

export function Backlog({ late, later, isCut, handles }: Props) {
  const orders = [...late, ...later];
  return (
    <section className="card backlog" aria-labelledby="backlog">
      <header>
        <h2 id="backlog">{t`Backlog`}</h2>
        <span className="muted small num">{isCut ? t`${count(orders.length)} or more` : count(orders.length)}</span>
      </header>
      <div className="body">
        {orders.length > 0 ? (
          <ul className="entries">
            {orders.map((order) => (
              <li key={order.id}>
                <OrderCard order={order} handles={handles} withDay />
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted small">{t`No overdue orders, and none planned for other weeks.`}</p>
        )}
      </div>
    </section>
  );
}
