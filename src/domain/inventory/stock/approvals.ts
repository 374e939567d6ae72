/** Approval of stock changes by a second person (docs/stock.md, "Approvals"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, rowColumns } from "../../../database/rows/catalogue.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { AdjustmentType } from "../../../schema/inventory/enums.js";
import type { PendingApprovals } from "../../../schema/inventory/stock/stock-settings.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { changeBlocked, unblock } from "./ledger.js";
import type { AdjustmentRecord, Posted } from "./ledger-entry.js";
import { reverseMovement } from "./reversal.js";

/** Kinds of changes that require approval above a threshold: column of the threshold, and type of the adjustment. */
const kinds = {
  count: { column: "countThreshold", adjustmentType: "count" },
  writeOff: { column: "writeOffThreshold", adjustmentType: "loss" },
  revaluation: { column: "revaluationThreshold", adjustmentType: "correction" },
} as const satisfies Record<string, { column: string; adjustmentType: AdjustmentType }>;

type Kind = keyof typeof kinds;

/**
 * Statements by kind. Each returns a row if there is a threshold, and locks the person's changes of the part: changes at different sites do
 * not share a level's lock.
 */
const thresholdOf = Object.fromEntries(
  Object.entries(kinds).map(([kind, { column }]) => [
    kind,
    `select pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'stock', $1::text, $2::text, $3::text), 0)) as locked from "StockSettings"
     where "tenantId" = $1 and "${column}" is not null`,
  ]),
) as Record<Kind, string>;

/** Value of the person's changes of the part within 24 hours, across kinds, except reversed ones. */
const changedValue = `(
  select coalesce(sum(abs(d.value)), 0) from "StockMovement" d
  where d."tenantId" = $1 and d."partId" = $3 and d."performedBy" = $4 and d."performedAt" > clock_timestamp() - interval '24 hours'
    and d.type in ('cycle_count', 'write_off', 'adjustment', 'revaluation') and d."reversalOf" is null
    and not exists (select 1 from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = d.id))`;

const insertAdjustments = (condition: string) =>
  insertSelect(
    "StockAdjustment",
    {
      id: "n.id",
      movementId: "m.id",
      partId: `m."partId"`,
      site: "m.site",
      adjustmentType: "$5::text",
      quantity: "m.quantity",
      previousBalance: `m."previousBalance"`,
      newBalance: `m."newBalance"`,
      unitCost: `m."unitCost"`,
      totalValue: `m."totalValue"`,
      reason: "m.reason",
      notes: "m.notes",
      location: "null",
      performedBy: `m."performedBy"`,
      performedAt: `m."performedAt"`,
      approvedBy: "null",
      approvedAt: "null::timestamptz",
      rejectedBy: "null",
      rejectedAt: "null::timestamptz",
      blockedQuantity: "greatest(m.quantity, 0)",
      decisionReason: "null",
    },
    `unnest($2::text[], $6::text[]) n(movement, id) join "StockMovement" m on m."tenantId" = $1 and m.id = n.movement where ${condition}`,
  );

const awaiting = Object.fromEntries(
  Object.entries(kinds).map(([kind, { column }]) => {
    // A write-up always requires approval by another person (IAS 2).
    const isRaised = kind === "revaluation" ? "m.value > 0 or " : "";
    const isBeyond = `${changedValue} > (select s."${column}" from "StockSettings" s where s."tenantId" = $1)`;
    return [kind, `${insertAdjustments(`(${isRaised}${isBeyond})`)} returning "partId", site, "blockedQuantity" as quantity`];
  }),
) as Record<Kind, string>;

/**
 * Marks movements of one part as pending approval if they exceed the threshold together with their author's changes of the last 24 hours. A
 * gain is blocked until it is approved. Call in the transaction that posted the movements and still holds the levels' locks.
 */
export async function awaitApproval(tx: TenantQueryable, actor: Actor, kind: Kind, posted: (Posted | undefined)[]): Promise<void> {
  const movements = posted.flatMap((one) => one?.movement ?? []);
  if (!movements.length) return;
  const [{ partId }] = movements as [(typeof movements)[0]];
  const [limited] = await tx.query(thresholdOf[kind], actor.principalId, partId);
  const isWriteUp = kind === "revaluation" && movements.some(({ value }) => value > 0);
  if (!limited && !isWriteUp) return;
  const ids = movements.map(({ id }) => id);
  const added = await tx.query<{ partId: string; site: string; quantity: number }>(
    awaiting[kind],
    ids,
    partId,
    actor.principalId,
    kinds[kind].adjustmentType,
    ids.map(newId),
  );
  await changeBlocked(
    tx,
    added.filter(({ quantity }) => quantity > 0),
  );
}

/**
 * Approves or rejects an adjustment. A rejection posts the reverse movement (docs/decisions.md, "approval"), after `takeBackUse` has
 * reversed the use. Throws NOT_FOUND, FORBIDDEN for the adjustment's creator or another site, CONFLICT with reason if it is already
 * decided.
 */
export const decideAdjustment = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  decision: "approved" | "rejected",
  reason?: string | null,
  takeBackUse?: (tx: TenantQueryable, actor: Actor, decided: AdjustmentRecord) => Promise<void>,
): Promise<AdjustmentRecord> =>
  db.transaction(async (tx) => {
    const [decided] = await tx.query<AdjustmentRecord>(
      `update "StockAdjustment" set "${decision}By" = $3, "${decision}At" = now(), "decisionReason" = $4
       where "tenantId" = $1 and id = $2 and "approvedAt" is null and "rejectedAt" is null and "performedBy" <> $3
       returning ${rowColumns("StockAdjustment")}`,
      id,
      actor.principalId,
      reason ?? null,
    );
    if (!decided) await refuseDecision(tx, actor, id);
    guardSite(actor, decided!.site);
    const { movementId, partId, site, blockedQuantity } = decided!;
    if (decision === "rejected") await takeBackUse?.(tx, actor, decided!);
    if (decision === "rejected" && (await isReversible(tx, decided!)))
      await reverseMovement(tx, actor, movementId, { reason: reason ?? "Adjustment rejected", reference: id, unblock: blockedQuantity });
    else if (blockedQuantity) await unblock(tx, partId, site, blockedQuantity);
    return decided!;
  });

/** A revaluation cannot be reversed after the stock has left: the new value left with it. */
async function isReversible(tx: TenantQueryable, { partId, site, quantity }: AdjustmentRecord): Promise<boolean> {
  if (quantity !== 0) return true;
  const stocked = await tx.query(
    `select 1 from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = $3 and quantity > 0 for update`,
    partId,
    site,
  );
  return stocked.length > 0;
}

/** Throws the reason why an adjustment was not updated. */
async function refuseDecision(tx: TenantQueryable, actor: Actor, id: string): Promise<never> {
  const found = await tx.records.StockAdjustment.find({ id });
  if (!found) throw notFound("Adjustment", { adjustmentId: id });
  if (found.performedBy === actor.principalId) throw forbidden("An adjustment must be decided by another person than its creator");
  throw conflict("The adjustment is already decided", { reason: found.approvedAt ? "approved" : "rejected" });
}

/** Totals of pending adjustments and counts. */
export async function pendingApprovals(db: TenantQueryable): Promise<PendingApprovals> {
  const [totals] = await db.query<PendingApprovals>(
    `with adjusted as (
       select m.value from "StockAdjustment" a join "StockMovement" m on m."tenantId" = $1 and m.id = a."movementId"
       where a."tenantId" = $1 and a."approvedAt" is null and a."rejectedAt" is null
     ), pending as (
       select c.id from "StockCount" c where c."tenantId" = $1 and c.status = 'posted' and c."differingLines" > 0 and c."approvedAt" is null and c."rejectedAt" is null
     ), counted as (
       select m.value from pending c join "StockCountLine" l on l."tenantId" = $1 and l."countId" = c.id
       join "StockMovement" m on m."tenantId" = $1 and m.id = l."movementId"
     ), changed as (select value from adjusted union all select value from counted)
     select (select count(*)::int from adjusted) as adjustments, (select count(*)::int from pending) as "stockCounts",
       gains, losses, ${exactText("gains")} as "gainsExact", ${exactText("losses")} as "lossesExact"
     from (select coalesce(sum(value) filter (where value > 0), 0) as gains, coalesce(-sum(value) filter (where value < 0), 0) as losses from changed) c`,
  );
  return totals!;
}
