/**
 * Posting of a stock count as one document, and its approval (docs/stock.md, "Counts"). The number of statements does not depend on the
 * number of lines.
 */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { rowColumns } from "../../../database/rows/catalogue.js";
import { conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { changeBlocked, clearRecounts, postEntries } from "../stock/ledger.js";
import type { SitedEntry } from "../stock/ledger-entry.js";
import { bookOf, type CountRecord, lockCount } from "./counts.js";

/** Locks the stock levels of a count's lines in key order. */
const lockLevelsOf = `
select 1 from "StockLevel" s where s."tenantId" = $1 and (s."partId", s.site) in (
  select l."partId", l.site from "StockCountLine" l where l."tenantId" = $1 and l."countId" = $2 and l.current)
order by s."partId", s.site for update`;

interface CountedLine {
  id: string;
  partId: string;
  partNumber: string;
  site: string;
  position: number;
  current: boolean;
  isCounted: boolean;
  countedAt: Date;
  difference: number;
  /** Quantity on hand now. */
  quantity: number;
  isShort: boolean;
  isOutdated: boolean;
}

/**
 * SQL predicate: a line's count is outdated, and posting its difference would count it twice. Either a later count movement was posted for
 * a time after the line's count. Or a posted count covers the same stock at a later time.
 */
const isOutdated = `l.current and l.counted is not null and (exists (
    select 1 from "StockMovement" m where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site and m.sequence > book.sequence and m.type = 'cycle_count'
      and coalesce(m."occurredAt" > l."countedAt", true) and not exists (select 1 from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = m.id)
  ) or exists (
    select 1 from "StockCountLine" o join "StockCount" c on c."tenantId" = $1 and c.id = o."countId" and c.status = 'posted' and c."rejectedAt" is null
    where o."tenantId" = $1 and o."partId" = l."partId" and o.site = l.site and o.current and o."countedAt" > l."countedAt"
  ))`;

/**
 * Stores the expected quantity and the book quantity at each line's instant. Runs before posting, because the count's movements take effect
 * at that instant.
 */
const settleLines = `
update "StockCountLine" l set expected = l."expectedQuantity", "bookAtCount" = d.book, difference = d.difference
from (
  select l.id, p."partNumber", case when l.counted is not null then book.quantity end as book, l.counted - book.quantity as difference, coalesce(s.quantity, 0) as quantity,
    ${isOutdated} as "isOutdated"
  from "StockCountLine" l join "Part" p on p."tenantId" = $1 and p.id = l."partId"
    left join "StockLevel" s on s."tenantId" = $1 and s."partId" = l."partId" and s.site = l.site ${bookOf}
  where l."tenantId" = $1 and l."countId" = $2
) d where l."tenantId" = $1 and l.id = d.id
returning l.id, l."partId", d."partNumber", l.site, l.position, l.current, l.counted is not null as "isCounted", l."countedAt", d.difference, d.quantity,
  d.quantity + d.difference < 0 as "isShort", d."isOutdated"`;

const linkMovements = `
update "StockCountLine" l set "movementId" = m."movementId", "blockedQuantity" = greatest(l.difference, 0)
from jsonb_to_recordset($3::jsonb) m(id text, "movementId" text) where l."tenantId" = $1 and l."countId" = $2 and l.id = m.id`;

const postCount = `
update "StockCount" c set status = 'posted', "postedAt" = now(), "postedBy" = $3, "differingLines" = $4,
  "valueDifference" = (select coalesce(sum(m.value), 0) from "StockMovement" m where m."tenantId" = $1 and m.id = any($5))
where c."tenantId" = $1 and c.id = $2 returning ${rowColumns("StockCount", "c")}`;

/** In a blind count, book quantities are hidden in errors too. */
const inDetail =
  (blind: boolean) =>
  ({ partId, partNumber, quantity, difference }: CountedLine) => ({ partId, partNumber, ...(!blind && { quantity, difference }) });

/**
 * Posts the differences of a count, all or none. Throws CONFLICT with status unless the count is open, with `partIds` for uncounted or
 * outdated lines, and with `lines` if stock would fall below zero. Also throws the errors of `lockCount`.
 */
export const postStockCount = (db: TenantDatabase, actor: Actor, id: string, leaveUncounted: boolean): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    const { number, reason, blind } = await lockCount(tx, actor, id, "update", ["open"]);
    await tx.query(lockLevelsOf, id);
    const settled = await tx.query<CountedLine>(settleLines, id);
    const lines = settled.filter(({ current }) => current).sort((a, b) => a.position - b.position);
    const counted = lines.filter(({ isCounted }) => isCounted);
    if (!counted.length || (!leaveUncounted && counted.length < lines.length)) {
      const partIds = lines.filter(({ isCounted }) => !isCounted).map(({ partId }) => partId);
      throw conflict("Some lines are not counted; count them or post without them", { partIds });
    }
    const outdated = counted.filter((line) => line.isOutdated);
    if (outdated.length)
      throw conflict("Some counts are outdated; request a recount", {
        partIds: outdated.map(({ partId }) => partId),
      });
    const short = counted.filter(({ isShort }) => isShort);
    if (short.length) throw conflict("The stock would fall below zero", { lines: short.map(inDetail(blind)) });
    const differing = counted.filter(({ difference }) => difference !== 0);
    const posted = await postEntries(
      tx,
      actor,
      differing.map(
        ({ partId, site, difference, countedAt }): SitedEntry => ({
          partId,
          site,
          type: "cycle_count",
          quantity: difference,
          occurredAt: countedAt,
          reason: reason ?? `Stock count ${number}`,
          reference: id,
        }),
      ),
    );
    const movements = new Map(posted.map(({ movement }) => [movement.partId, movement]));
    await changeBlocked(
      tx,
      differing.flatMap(({ partId, site, difference }) => (difference > 0 ? { partId, site, quantity: difference } : [])),
    );
    await clearRecounts(
      tx,
      counted.map(({ partId, site }) => ({ partId, site })),
    );
    const ids = differing.map((line) => ({ id: line.id, movementId: movements.get(line.partId)!.id }));
    await tx.query(linkMovements, id, JSON.stringify(ids));
    const [count] = await tx.query<CountRecord>(
      postCount,
      id,
      actor.principalId,
      differing.length,
      ids.map(({ movementId }) => movementId),
    );
    return count!;
  });

/** The acting principal neither created nor posted the count, and counted in none of its rounds. */
const isOther = `c."createdBy" <> $3 and c."postedBy" <> $3 and not exists (
  select 1 from "StockCountLine" l where l."tenantId" = $1 and l."countId" = c.id and l."countedBy" = $3)`;

const decide = (decision: "approved" | "rejected") => `
update "StockCount" c set "${decision}By" = $3, "${decision}At" = now(), "decisionReason" = $4
where c."tenantId" = $1 and c.id = $2 and c.status = 'posted' and c."differingLines" > 0 and c."approvedAt" is null and c."rejectedAt" is null and ${isOther}
returning ${rowColumns("StockCount", "c")}`;

const decisions = { approved: decide("approved"), rejected: decide("rejected") };

/** Throws the reason why a count was not decided. */
async function refuseDecision(tx: TenantQueryable, actor: Actor, id: string): Promise<never> {
  const [found] = await tx.query<CountRecord & { isOther: boolean }>(
    `select ${rowColumns("StockCount", "c")}, (${isOther}) is not false as "isOther" from "StockCount" c where c."tenantId" = $1 and c.id = $2`,
    id,
    actor.principalId,
  );
  if (!found) throw notFound("Stock count", { stockCountId: id });
  guardSite(actor, found.site);
  if (found.status !== "posted") throw conflict(`The stock count is ${found.status}`, { status: found.status });
  if (found.approvedAt || found.rejectedAt)
    throw conflict("The stock count is already decided", { reason: found.approvedAt ? "approved" : "rejected" });
  if (!found.isOther) throw forbidden("A stock count must be decided by a person who neither created, posted nor counted it");
  throw conflict("The stock count changed no stock, so there is nothing to decide", { differingLines: 0 });
}

/** Reversals of a count's movements, as in reversal.ts: the price differences to be posted first, and the opposite movements. */
const reversals = `
select l."partId", l.site, l."movementId", -m.quantity as quantity, l."blockedQuantity" as blocked,
  case when (s.quantity = m.quantity or s.value < m.value) and m.value <> s.value and s.quantity > 0 and s.quantity >= m.quantity then (m.value - s.value)::text end as difference
from "StockCountLine" l join "StockMovement" m on m."tenantId" = $1 and m.id = l."movementId"
  join "StockLevel" s on s."tenantId" = $1 and s."partId" = l."partId" and s.site = l.site
where l."tenantId" = $1 and l."countId" = $2 and l.current order by l.position`;

interface Reversal {
  partId: string;
  site: string;
  movementId: string;
  quantity: number;
  blocked: number;
  difference: string | null;
}

/** Reverses all lines. Throws CONFLICT with `partId` and `site` if stock or value would fall below zero. */
async function reverseLines(tx: TenantQueryable, actor: Actor, { id }: CountRecord, reason: string): Promise<void> {
  const lines = await tx.query<Reversal>(reversals, id);
  const words = { reason, reference: id };
  const valued = lines.flatMap(({ partId, site, movementId, difference }): SitedEntry[] =>
    difference === null ? [] : [{ partId, site, type: "price_difference", value: difference, originId: movementId, ...words }],
  );
  await postEntries(tx, actor, valued);
  await postEntries(
    tx,
    actor,
    lines.map(
      ({ partId, site, movementId, quantity, blocked }): SitedEntry => ({
        partId,
        site,
        type: "adjustment",
        quantity,
        reversalOf: movementId,
        ...words,
        ...(blocked > 0 && { unblock: blocked }),
      }),
    ),
  );
}

/**
 * Approves a posted count and unblocks its gains, or rejects it and reverses every line. Throws NOT_FOUND, FORBIDDEN for its author, a
 * counter or another site, CONFLICT with reason if it is already decided, with status unless it is posted.
 */
export const decideStockCount = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  decision: "approved" | "rejected",
  reason?: string | null,
): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    const [decided] = await tx.query<CountRecord>(decisions[decision], id, actor.principalId, reason ?? null);
    if (!decided) return refuseDecision(tx, actor, id);
    await tx.query(lockLevelsOf, id);
    if (decision === "rejected") await reverseLines(tx, actor, decided, reason ?? "Stock count rejected");
    else {
      const gains = await tx.query<{ partId: string; site: string; quantity: number }>(
        `select "partId", site, -"blockedQuantity" as quantity from "StockCountLine" where "tenantId" = $1 and "countId" = $2 and "blockedQuantity" > 0`,
        id,
      );
      await changeBlocked(tx, gains);
    }
    return decided;
  });
