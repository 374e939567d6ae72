/** Reserved stock that is not covered, with dates (docs/stock.md, "Shortages"). */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import type { ShortageFilter } from "../../../schema/inventory/parts/shortage.js";
import { expiredStock } from "../stock/expired.js";

interface OrderRow {
  orderedAt: string;
  expectedAt: string | null;
  quantity: number;
  counts: boolean;
  isLate: boolean;
  /** Null for the order recorded on the part. */
  purchaseOrderLineId: string | null;
  purchaseOrderId: string | null;
}

interface ShortageRow {
  partId: string;
  site: string;
  date: Date;
  missing: number;
  onHand: number;
  blocked: number;
  expired: number;
  held: number;
  demand: number;
  expected: number;
  neededFor: { workOrderId: string; assetId: string; procedureId: string | null; quantity: number }[];
  orders: OrderRow[];
}

/** Maximum rows of a response. */
const most = 1_000;

/**
 * A level can have a shortage only if its reservations exceed its available stock. For these levels, requirements and expected receipts are
 * accumulated by date. Reservations without a visible date are due now: holds, transfers, and work orders of assets that the key cannot
 * see. Levels without reserved or blocked stock are skipped, so that batches are looked up for few levels.
 */
const statement = `${plannedEachTime}with place as materialized (
  select s."partId", s.site, s.quantity, s.blocked, x.expired, s.reserved, p."partNumber" from "StockLevel" s join "Part" p on p."tenantId" = $1 and p.id = s."partId"
  cross join lateral (select ${expiredStock("s")} as expired) x
  where s."tenantId" = $1 and (s.reserved > 0 or s.blocked > 0) and s.quantity - s.blocked - x.expired - s.reserved < 0 and ($2::text is null or s."partId" = $2) and ($3::text is null or s.site = $3)
), line as materialized (
  select s."partId", s.site, w.id, w."assetId", w."procedureId", w."scheduledDate" as due, k.reserved as quantity from place s
  join "WorkOrderPart" k on k."tenantId" = $1 and k."partId" = s."partId" and k.site = s.site and k.status = 'reserved' and k.reserved > 0
  join "WorkOrder" w on w."tenantId" = $1 and w.id = k."workOrderId"
), supply as materialized (
  -- "offset 0" has them looked up by the part.
  select o."partId", o.site, o.quantity, o."orderedAt", o."expectedAt", o."isLate", o."lineId", o."orderId", coalesce(o."expectedAt" >= now(), false) as "isCounted" from place s cross join lateral (
    select o."partId", o.site, o.quantity, o."orderedAt", o."expectedAt", o."isLate", o."lineId", o."orderId"
    from "OpenOrder" o where o."tenantId" = $1 and o."partId" = s."partId" and o.site = s.site offset 0
  ) o
), start as (
  select s."partId", s.site, s."partNumber", s.quantity, s.blocked, s.expired, s.reserved - coalesce((select sum(k.quantity) from line k where k."partId" = s."partId" and k.site = s.site), 0) as held from place s
), event as (
  select "partId", site, due as at, id, "assetId", "procedureId", quantity as needed, 0 as expected, true as "isShown" from line
  union all select "partId", site, "expectedAt", null, null, null, 0, quantity, false from supply where "isCounted"
  union all select "partId", site, date_trunc('milliseconds', now()), null, null, null, 0, 0, true from start where quantity - blocked - expired - held < 0
), running as (
  select e."partId", e.site, e.at, e.id, e."assetId", e."procedureId", e.needed, e."isShown", s."partNumber", s.quantity as "onHand", s.blocked, s.expired, s.held, sum(e.needed) over due as demand, sum(e.expected) over due as arrived
  from event e join start s using ("partId", site) window due as (partition by e."partId", e.site order by e.at)
)
select "partId", site, at as date, demand + held + blocked + expired - "onHand" - arrived as missing, "onHand", blocked, expired, held, demand, arrived as expected,
  coalesce(jsonb_agg(jsonb_build_object('workOrderId', id, 'assetId', "assetId", 'procedureId', "procedureId", 'quantity', needed) order by id) filter (where id is not null), '[]') as "neededFor",
  coalesce((select jsonb_agg(jsonb_build_object('orderedAt', o."orderedAt", 'expectedAt', o."expectedAt", 'quantity', o.quantity, 'counts', o."isCounted" and o."expectedAt" <= at,
    'isLate', o."isLate", 'purchaseOrderLineId', o."lineId", 'purchaseOrderId', o."orderId") order by o."expectedAt", o."orderedAt", o."lineId") from supply o where o."partId" = running."partId" and o.site = running.site), '[]') as orders
from running
where "isShown" and demand + held + blocked + expired - "onHand" - arrived > 0 and at <= coalesce($4::timestamptz, 'infinity')
group by "partId", site, "partNumber", at, "onHand", blocked, expired, held, demand, arrived
order by at, "partNumber", site limit ${most}`;

const orderOf = ({ orderedAt, expectedAt, ...order }: OrderRow) => ({
  ...order,
  orderedAt: new Date(orderedAt),
  expectedAt: expectedAt == null ? null : new Date(expectedAt),
});

/** Returns the first 1,000 dates at which stock does not cover the work orders due, in one statement. */
export async function shortages(db: TenantQueryable, { partId, site, until }: ShortageFilter) {
  const rows = await db.query<ShortageRow>(statement, partId ?? null, site ?? null, until ?? null);
  return rows.map(({ neededFor, orders, ...row }) => ({
    ...row,
    neededFor: neededFor.map((need) => ({ ...need, occurrences: 1, dueAt: row.date })),
    orders: orders.map(orderOf),
  }));
}
