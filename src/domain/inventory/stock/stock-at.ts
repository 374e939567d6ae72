/** SQL of the stock at an instant: the balances after the last movement until then (docs/stock.md, "Reports"). */

/** SQL of the start of an instant's month, in UTC. */
export const monthOf = (instant: string) => `date_trunc('month', ${instant}, 'UTC')`;

/** SQL of whether a movement took place in an earlier month than that of its posting. Written as in the index `StockMovement_late_idx`. */
export const isLate = (row: string) =>
  `date_trunc('month', ${row}."occurredAt" at time zone 'UTC') < date_trunc('month', ${row}."performedAt" at time zone 'UTC')`;

/**
 * Lateral subquery: quantity, value and sequence number of the level `l` at an instant. No row before its first movement. Reads the month's
 * balance if it has no later movement, else the last movement of the month until the instant. The cost does not depend on the length of the
 * history.
 */
export const stockAt = (instant: string) => `lateral (
    select quantity, value, sequence from (
      (select b.quantity, b.value, b.sequence, b."movedAt" from "StockBalance" b
        where b."tenantId" = $1 and b."partId" = l."partId" and b.site = l.site and b.month <= (${monthOf(instant)} at time zone 'UTC')::date and b."movedAt" <= ${instant}
        order by b.month desc limit 1)
      union all
      (select m."newBalance", m."valueBalance", m.sequence, m."performedAt" from "StockMovement" m
        where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site and m."performedAt" between ${monthOf(instant)} and ${instant}
        order by m."performedAt" desc, m.id desc limit 1)
    ) last order by "movedAt" desc limit 1
  )`;
