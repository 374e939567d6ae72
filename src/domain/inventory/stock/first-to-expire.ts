/** First expired, first out: the batch of an issue that names none (docs/stock.md, "Serial and batch numbers"). */
import type { TenantQueryable } from "../../../database/database.js";
import { conflict } from "../../../schema/errors.js";
import { expiredStock } from "./expired.js";
import type { SitedEntry } from "./ledger-entry.js";
import { insufficient } from "./ledger-refusals.js";

interface Held {
  /** Null if no batch can be issued. */
  batchNumber: string | null;
  quantity: number;
  /** All batches of the level that can be issued. */
  total: number;
  available: number;
}

// Goods whose receipt awaits approval are blocked.
const inBatches = `select b."batchNumber", b.usable::float8 as quantity, coalesce(b.total, 0)::float8 as total, l.available::float8 as available from (
    select s.blocked, s.quantity - s.blocked - ${expiredStock("s")} - s.reserved + $5::numeric as available
    from "StockLevel" s where s."tenantId" = $1 and s."partId" = $2 and s.site = $3
  ) l left join lateral (
    select u."batchNumber", u.usable, sum(u.usable) over () as total, sum(u.usable) over (order by u."expiryDate", u."batchNumber") - u.usable as before from (
      select b."batchNumber", b."expiryDate", b.quantity - case when l.blocked > 0 then coalesce((
          select sum(a."blockedQuantity") from "StockAdjustment" a join "StockMovement" m on m."tenantId" = $1 and m.id = a."movementId" and m."batchNumber" = b."batchNumber"
          where a."tenantId" = $1 and a."partId" = $2 and a.site = $3 and a."approvedAt" is null and a."rejectedAt" is null), 0) else 0 end as usable
      from "StockBatch" b where b."tenantId" = $1 and b."partId" = $2 and b.site = $3 and b.quantity > 0 and (b."expiryDate" >= now()) is not false
        and not exists (select from "Recall" r where r."tenantId" = $1 and r."partId" = $2 and r."batchNumber" = b."batchNumber" and r."closedAt" is null)
    ) u where u.usable > 0
  ) b on b.before < $4::numeric order by b.before`;

/**
 * The batch for an issue that names none: of those that are neither expired nor recalled nor await approval, the one that expires first, and
 * of several the first by number. Null if the part tracks no batches, or pieces. Call with the level locked. Throws CONFLICT with
 * `available` if the batches hold less than the quantity, with `batches` if the first one does.
 */
export async function firstToExpire(
  tx: TenantQueryable,
  entry: SitedEntry,
  where?: { partId: string; site: string },
): Promise<string | null> {
  const { partId, site, quantity = 0, reserve = 0, limit } = entry;
  const tracked = await tx.query(
    `select 1 from "Part" p where p."tenantId" = $1 and p.id = $2 and p."tracksBatches" and not p."tracksSerials"`,
    partId,
  );
  if (!tracked.length) return null;
  const needed = await tx.query<Held>(inBatches, partId, site, -quantity, Math.max(0, -reserve));
  const { total, available } = needed[0] ?? { total: 0, available: 0 };
  const most = Math.max(0, limit ? Math.min(total, available) : total);
  if (-quantity > most) throw await insufficient(tx, entry, where, most, -quantity);
  if (needed.length === 1) return needed[0]!.batchNumber;
  const batches = needed.map(({ batchNumber, quantity }) => ({ batchNumber, quantity }));
  throw conflict("The batch that expires first holds less; issue the batches one after another", {
    batches,
    site,
    requested: -quantity,
  }).about("batchNumber");
}
