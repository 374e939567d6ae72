/**
 * Material of work orders in progress (docs/stock.md, "Material of a work order"). Parts are issued from any site, also as substitutes for
 * planned parts, and returned at their issue value. The database maintains the sums of a line's movements (trigger
 * StockMovement_work_order).
 */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { enumName } from "../../../schema/enums.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import { materialCost } from "../../../schema/maintenance/work-orders/cost-sql.js";
import type { IssueToWorkOrderInput, ReturnFromWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-material.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import type { SitedEntry } from "../../inventory/stock/ledger-entry.js";
import { checkTimes } from "../../inventory/stock/posting-times.js";
import { checkNumbers, names } from "../../inventory/stock/serials.js";
import type { Issue } from "./entries.js";
import { issuesOfPieces, withNumbers } from "./numbers.js";
import { siteOfPart } from "./parts.js";
import { issueStock, postReturns, returnable } from "./stock.js";

type Movement = Rows["StockMovement"];

/** Locks a work order. Throws NOT_FOUND, FORBIDDEN for an asset of another site. */
export async function lockWorkOrder(tx: TenantQueryable, actor: Actor, id: string): Promise<Rows["WorkOrder"]> {
  const [order] = await tx.query<Rows["WorkOrder"]>(
    `select ${rowColumns("WorkOrder")} from "WorkOrder" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  if (!order) throw notFound("Work order", { workOrderId: id });
  await guardAssets(tx, actor, [order.assetId], "all");
  return order;
}

interface Planned {
  partId: string;
  site: string;
  /** The site of the order's own line, and the quantity reserved there. */
  ownSite: string | null;
  own: number;
  replacedSite: string | null;
  replaced: number | null;
  isAlternative: boolean;
}

/**
 * The source of a part, and the line that its issue replaces. Throws BAD_USER_INPUT naming a part that is unknown or not an alternative.
 */
async function planned(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  { partId, site, substituteFor }: IssueToWorkOrderInput,
): Promise<Planned> {
  const [found] = await tx.query<Planned>(
    `select p.id as "partId", coalesce($5, l.site, ${siteOfPart("$6::text[]")}) as site, l.site as "ownSite", coalesce(l.reserved, 0) as own,
       r.site as "replacedSite", r.reserved as replaced,
       exists (select 1 from "PartAlternative" o where o."tenantId" = $1 and o."partId" = $4 and o."alternativeId" = p.id) as "isAlternative"
     from "Part" p join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     left join "WorkOrderPart" l on l."tenantId" = $1 and l."workOrderId" = w.id and l."partId" = p.id
     left join "WorkOrderPart" r on r."tenantId" = $1 and r."workOrderId" = w.id and r."partId" = $4 and r.quantity > 0
     where p."tenantId" = $1 and p.id = $3`,
    id,
    partId,
    substituteFor ?? null,
    site ?? null,
    actor.sites,
  );
  if (!found) throw badInput({ partId: "names no part; use the id of an existing one" });
  if (substituteFor != null) {
    if (found.replaced === null) throw badInput({ substituteFor: "names no part that the work order plans" });
    if (!found.isAlternative) throw badInput({ partId: "is not among the alternatives of the part that it substitutes" });
  }
  return found;
}

/** `issueToOrder` in a new transaction. */
export const issueToWorkOrder = (db: TenantDatabase, actor: Actor, id: string, input: IssueToWorkOrderInput): Promise<Movement> =>
  db.transaction((tx) => issueToOrder(tx, actor, id, input));

/**
 * Issues a part to a pending work order. Releases the reservation of that part, or of the substituted one, up to the issued quantity. `write`
 * runs before the movement, while the stock is locked. Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT, CONFLICT with `available`
 * and `requested`, or with `status` for a finished order.
 */
export async function issueToOrder(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  input: IssueToWorkOrderInput,
  write?: () => Promise<void>,
): Promise<Movement> {
  const { partId, quantity, substituteFor, bookDiscrepancy, notes, serialNumbers, batchNumber } = input;
  const { occurredAt, performedAt } = input;
  checkTimes(actor, input);
  const order = await lockWorkOrder(tx, actor, id);
  if (order.endedAt)
    throw conflict("Parts can be issued to a work order only until it is completed or cancelled", {
      status: enumName(order.status),
    }).about("id");
  const { site, ownSite, own, replacedSite, replaced } = await planned(tx, actor, id, input);
  // Releases the reservation of the substituted part or, without one, of the part itself.
  const released = Math.min(substituteFor == null ? own : replaced!, quantity);
  const releasedPart = substituteFor ?? partId;
  const releasedSite = substituteFor == null ? ownSite : replacedSite;
  const isOwn = substituteFor == null && site === ownSite;
  const words = { reference: id, notes };
  const issue: Issue = {
    ...words,
    partId,
    site,
    type: "issue",
    quantity: -quantity,
    reason: "Issued to a work order",
    workOrderId: id,
    occurredAt,
    performedAt,
    field: "quantity",
    isPlanned: isOwn && quantity <= own,
    ...(isOwn && released && { reserve: -released }),
    serialNumbers,
    batchNumber,
    bookDiscrepancy: bookDiscrepancy ?? false,
  };
  if (names(issue)) await checkNumbers(tx, issue);
  else issue.takesFirst = true;
  const release: SitedEntry = {
    ...words,
    partId: releasedPart,
    site: releasedSite!,
    type: "unreserve",
    reserve: -released,
    reason: "Issued to a work order",
    isPlanned: true,
  };
  const posted = await issueStock(tx, actor, id, [issue], released && !isOwn ? [release] : [], async () => {
    await write?.();
    await addLine(tx, id, { partId, site, substituteFor });
    if (released) await reduceLine(tx, id, releasedPart, released, releasedPart === partId);
  });
  return posted.find(({ movement }) => movement.type === "issue")!.movement;
}

/** Adds a line for a used part, if the order has none. */
const addLine = (
  tx: TenantQueryable,
  id: string,
  { partId, site, substituteFor }: { partId: string; site: string; substituteFor?: string | null },
) =>
  tx.query(
    `${insertSelect(
      "WorkOrderPart",
      {
        workOrderId: "$2",
        partId: "$3",
        site: "$4",
        quantity: "0",
        status: "'issued'",
        usedQuantity: "null::numeric",
        reserved: "0",
        reservedAt: "null::timestamptz",
        issuedQuantity: "0",
        returnedQuantity: "0",
        issuedValue: "0",
        substituteFor: "$5",
      },
      "(values (1)) one",
      "k",
    )} on conflict ("tenantId", "workOrderId", "partId") do update
       set status = case when k.reserved > 0 then k.status else 'issued' end, "substituteFor" = coalesce(excluded."substituteFor", k."substituteFor")`,
    id,
    partId,
    site,
    substituteFor ?? null,
  );

const reduceLine = (tx: TenantQueryable, id: string, partId: string, released: number, isIssued: boolean) =>
  tx.query(
    `update "WorkOrderPart" set reserved = reserved - $4,
       status = case when reserved > $4 then 'reserved' when $5 or "issuedQuantity" > "returnedQuantity" then 'issued' else 'released' end
     where "tenantId" = $1 and "workOrderId" = $2 and "partId" = $3`,
    id,
    partId,
    released,
    isIssued,
  );

/**
 * Returns parts to stock at their issue value, latest issue first. Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT, CONFLICT
 * with `requested` and `available`, the quantity that was issued and not returned.
 */
export const returnFromWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { movementId, partId, quantity, site, notes, serialNumbers }: ReturnFromWorkOrderInput,
): Promise<Movement[]> =>
  db.transaction(async (tx) => {
    if ((movementId == null) === (partId == null)) throw badInput({ movementId: "or partId is required, and not both" });
    const order = await lockWorkOrder(tx, actor, id);
    if (order.status === "closed") throw conflict("The work order is closed", { status: enumName(order.status) }).about("id");
    const wanted = serialNumbers?.length
      ? await issuesOfPieces(tx, id, { partId, movementId, quantity, serialNumbers })
      : [{ partId, movementId, quantity, field: "quantity" }];
    const returns = await withNumbers(tx, await returnable(tx, id, wanted), wanted, true);
    const posted = await postReturns(tx, actor, id, returns, { site, reason: "Returned from a work order", notes });
    const parts = posted.map((movement) => movement.partId);
    await costFollows(tx, actor, id, parts);
    return posted;
  });

/** Updates the used quantities and the parts cost of a completed order from its movements. */
export const costFollows = (tx: TenantQueryable, actor: Actor, id: string, parts: string[]) =>
  tx.query(
    `with line as (
       update "WorkOrderPart" k set "usedQuantity" = k."issuedQuantity" - k."returnedQuantity" from "WorkOrder" w
       where w."tenantId" = $1 and w.id = $2 and w."completedAt" is not null and k."tenantId" = $1 and k."workOrderId" = $2 and k."partId" = any($4)
     ) update "WorkOrder" w set "partsCost" = ${materialCost("w")}, "updatedBy" = $3 where "tenantId" = $1 and id = $2 and "completedAt" is not null`,
    id,
    actor.principalId,
    parts,
  );
