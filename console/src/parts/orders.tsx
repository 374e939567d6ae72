/** Work orders as list items. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { UserRoundPlus } from "lucide-react";
import { LongList } from "./long-list.js";
import { type Doer, doerOf } from "./people.js";
import { Status } from "./status.js";
import { day } from "./words.js";
import { isOverdue } from "./zones.js";

export interface OrderOfLine extends Doer {
  id: string;
  title: string;
  status: string;
  priority: string;
  scheduledDate: string;
  asset: { id: string; name: string; site: string; area: string } | null;
  completedAt?: string | null;
}

const siteOf = ({ asset }: OrderOfLine) => asset?.site;

/** Neither completed nor cancelled. */
export const isPending = (status: string) => ["SCHEDULED", "IN_PROGRESS", "ON_HOLD"].includes(status);

interface Props<Order> {
  orders: Order[];
  withAsset?: boolean;
  /** Shows a button that assigns the order. */
  onAssign?: (order: Order) => void;
  /** A figure of the order, such as its cost. */
  extraOf?: (order: Order) => string;
}

export function OrderLines<Order extends OrderOfLine>({ orders, withAsset = true, onAssign, extraOf }: Props<Order>) {
  return (
    <LongList rows={orders} kind="order">
      {(order, item) => (
        <li {...item} className="clickable order-line">
          <div className="grow">
            <Link className="title clip" to="/work/$id" params={{ id: order.id }}>
              {order.title}
            </Link>
            <div className="muted small clip">
              {[withAsset && order.asset?.name, withAsset && order.asset?.site, doerOf(order) ?? t`Not assigned`]
                .filter(Boolean)
                .join(" · ")}
            </div>
          </div>
          {extraOf && <span className="num nowrap">{extraOf(order)}</span>}
          {["HIGH", "CRITICAL"].includes(order.priority) && <Status value={order.priority} />}
          <span className="when small nowrap">
            {isPending(order.status) && isOverdue(order.scheduledDate, siteOf(order)) ? (
              <span className="status warn">{day(order.scheduledDate, siteOf(order))}</span>
            ) : (
              <span className="muted">{day(order.completedAt ?? order.scheduledDate, siteOf(order))}</span>
            )}
          </span>
          <span className="state-cell">
            <Status value={order.status} />
          </span>
          {onAssign && (
            <button
              type="button"
              className="button plain small icon-only"
              aria-label={t`Assign ${order.title}`}
              onClick={() => onAssign(order)}
            >
              <UserRoundPlus className="icon" aria-hidden />
            </button>
          )}
        </li>
      )}
    </LongList>
  );
}
