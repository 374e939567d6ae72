/** Closed months of the stock ledger (docs/stock.md, "Periods"). The database rejects postings into a closed month. */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";

type Period = Rows["StockPeriod"];

const monthForm = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;

/** Throws BAD_USER_INPUT for an invalid month, FORBIDDEN for a key limited to sites, because a month is closed for all sites. */
function check(actor: Actor, month: string): void {
  if (!monthForm.test(month)) throw badInput({ month: "must be a month, such as 2026-11" });
  if (actor.sites.length) throw forbidden("A month is closed for all sites; this key may change only records of its own");
}

/** Waits for movements that are being posted, and blocks others until the transaction ends. */
const lockPeriods = (tx: TenantQueryable) => tx.query(`select pg_advisory_xact_lock(stock_period_lock($1))::text as locked`);

interface State {
  last: string | null;
  /** The month to close: the one after the last closed month or, without one, the month of the first movement. */
  next: string | null;
  endsAt: Date;
  hasEnded: boolean;
}

async function stateOf(tx: TenantQueryable, month: string): Promise<State> {
  const [state] = await tx.query<State>(
    `with closed as (
       select max(month) as last from "StockPeriod" where "tenantId" = $1 and "reopenedAt" is null
     ), ends as (
       select (($2 || '-01')::date + interval '1 month') at time zone 'UTC' as at
     )
     select last, case when last is not null then to_char((last || '-01')::date + interval '1 month', 'YYYY-MM')
         else (select to_char(min(month), 'YYYY-MM') from "StockBalance" where "tenantId" = $1) end as next,
       ends.at as "endsAt", ends.at <= clock_timestamp() as "hasEnded" from closed, ends`,
    month,
  );
  return state!;
}

/** Pending adjustments and counts that prevent closing, by the name of the error's field. At most 100 each. */
async function blockers(tx: TenantQueryable, endsAt: Date): Promise<Record<string, string[]>> {
  const pending = await tx.query<{ id: string }>(
    `select id from "StockAdjustment" where "tenantId" = $1 and "performedAt" < $2 and "approvedAt" is null and "rejectedAt" is null
     order by "performedAt", id limit 100`,
    endsAt,
  );
  const counts = await tx.query<{ id: string }>(
    `select id from "StockCount" where "tenantId" = $1 and (
       status in ('draft', 'open') and "createdAt" < $2
       or status = 'posted' and "postedAt" < $2 and "differingLines" > 0 and "approvedAt" is null and "rejectedAt" is null)
     order by "createdAt", id limit 100`,
    endsAt,
  );
  const ids = { adjustments: pending.map(({ id }) => id), counts: counts.map(({ id }) => id) };
  return Object.fromEntries(Object.entries(ids).filter(([, found]) => found.length));
}

/**
 * Closes a month and stores its balances. Throws BAD_USER_INPUT naming month, FORBIDDEN. Throws CONFLICT with:
 * - `last` for a closed month,
 * - `endsAt` for a month that has not ended,
 * - `next` unless it is the next month,
 * - `adjustments` and `counts` that are open or undecided.
 */
export const closeStockPeriod = (db: TenantDatabase, actor: Actor, month: string): Promise<Period> =>
  db.transaction(async (tx) => {
    check(actor, month);
    await lockPeriods(tx);
    const { last, next, endsAt, hasEnded } = await stateOf(tx, month);
    if (last != null && month <= last) throw conflict("The month is already closed", { last }).about("month");
    if (!hasEnded) throw conflict("The month has not ended", { endsAt }).about("month");
    // Before the first movement there is nothing to close, so any month is accepted.
    if (next != null && (last == null ? month > next : month !== next))
      throw conflict("Months are closed in order", { next }).about("month");
    const open = await blockers(tx, endsAt);
    if (Object.keys(open).length) throw conflict("The month has undecided adjustments", open).about("month");
    const [closed] = await tx.query<Period>(
      `with balance as (
         select distinct on ("partId", site) quantity, value from "StockBalance"
         where "tenantId" = $1 and month <= ($3 || '-01')::date order by "partId", site, month desc
       )
       ${insertSelect(
         "StockPeriod",
         {
           id: "$2",
           month: "$3",
           endsAt: "$4::timestamptz",
           quantity: "coalesce(sum(quantity), 0)",
           value: "coalesce(sum(value), 0)",
           levels: "count(*) filter (where quantity > 0)",
           closedAt: "clock_timestamp()",
           closedBy: "$5",
           reopenedAt: "null::timestamptz",
           reopenedBy: "null",
           reason: "null",
         },
         "balance",
       )} returning ${rowColumns("StockPeriod")}`,
      newId(),
      month,
      endsAt,
      actor.principalId,
    );
    return closed!;
  });

/**
 * Reopens the last closed month. Throws BAD_USER_INPUT naming month or reason, NOT_FOUND if the month is not closed, CONFLICT with `last`
 * for an earlier one, FORBIDDEN for the principal who closed it.
 */
export const reopenStockPeriod = (db: TenantDatabase, actor: Actor, month: string, reason: string): Promise<Period> =>
  db.transaction(async (tx) => {
    check(actor, month);
    if (!reason.trim()) throw badInput({ reason: "must not be empty" });
    await lockPeriods(tx);
    const { last } = await stateOf(tx, month);
    const [period] = await tx.query<Pick<Period, "closedBy">>(
      `select "closedBy" from "StockPeriod" where "tenantId" = $1 and month = $2 and "reopenedAt" is null`,
      month,
    );
    if (!period) throw notFound("Closed month", { month });
    if (month !== last) throw conflict("Only the last closed month can be reopened", { last }).about("month");
    if (period.closedBy === actor.principalId) throw forbidden("A month must be reopened by another person than the one who closed it");
    const [reopened] = await tx.query<Period>(
      `update "StockPeriod" set "reopenedAt" = clock_timestamp(), "reopenedBy" = $3, reason = $4 where "tenantId" = $1 and month = $2 and "reopenedAt" is null
       returning ${rowColumns("StockPeriod")}`,
      month,
      actor.principalId,
      reason,
    );
    return reopened!;
  });
