/** Two-step transfers: reserved, shipped, received (docs/stock.md, "Transfers"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { StartTransferInput } from "../../../schema/inventory/transfers/transfer.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { layersOfTransfer, oldestLayers } from "../stock/layers.js";
import { lockLevels, postEntry } from "../stock/ledger.js";
import type { Entry } from "../stock/ledger-entry.js";
import { insufficient } from "../stock/ledger-refusals.js";
import { allowances } from "../stock/reservations.js";
import { checkNumbers, moveNumbers, names, postNumbered } from "../stock/serials.js";
import { siteOf } from "../stock/stock-site.js";
import { type CarriedInput, carriedOf, checkPresent } from "./transfer-numbers.js";

type Transfer = Rows["StockTransfer"];

const insertStarted = insertSelect(
  "StockTransfer",
  {
    id: "$2",
    partId: "$3",
    fromSite: "$4",
    toSite: "$5",
    quantity: "$6::numeric",
    status: "'reserved'",
    inTransit: "0",
    inTransitValue: "0",
    value: "null::numeric",
    layers: "null::jsonb",
    outgoingId: "null",
    reason: "$7",
    reference: "$8",
    notes: "$9",
    serialNumbers: "$11::text[]",
    batchNumber: "$12",
    reservedAt: "now()",
    reservedBy: "$10",
    shippedAt: "null::timestamptz",
    shippedBy: "null",
    receivedAt: "null::timestamptz",
    receivedBy: "null",
    cancelledAt: "null::timestamptz",
    cancelledBy: "null",
  },
  "(select 1) one",
);

/**
 * Reserves stock for a transfer, optionally with serial numbers or a batch. Throws BAD_USER_INPUT naming toSite if it equals fromSite,
 * NOT_FOUND, FORBIDDEN for another site. Throws CONFLICT with `available` and `requested`, or with serial numbers that are not at the
 * sending site.
 */
export const startTransfer = (db: TenantDatabase, actor: Actor, partId: string, input: StartTransferInput): Promise<Transfer> =>
  db.transaction(async (tx) => {
    const { fromSite, toSite, quantity, reason, reference, notes, serialNumbers, batchNumber } = input;
    if (fromSite === toSite) throw badInput({ toSite: "must be another site than fromSite" });
    await siteOf(tx, { partId, site: fromSite });
    const id = newId();
    const words = { reason: reason ?? "Transfer", reference: reference ?? id, notes };
    await postEntry(tx, actor, { partId, site: fromSite, type: "reserve", reserve: quantity, limit: "available", ...words });
    const carried = { serialNumbers: serialNumbers ?? [], batchNumber: batchNumber ?? null };
    await checkPresent(tx, { partId, site: fromSite, quantity, ...carried });
    const [started] = await tx.query<Transfer>(
      `${insertStarted} returning ${rowColumns("StockTransfer")}`,
      id,
      partId,
      fromSite,
      toSite,
      quantity,
      reason ?? null,
      reference ?? null,
      notes ?? null,
      actor.principalId,
      carried.serialNumbers,
      carried.batchNumber,
    );
    return started!;
  });

/** Locks a transfer. Throws NOT_FOUND, CONFLICT with `status` unless it has one of the given states. */
async function lockTransfer(tx: TenantQueryable, id: string, ...at: Transfer["status"][]): Promise<Transfer> {
  const [found] = await tx.query<Transfer>(
    `select ${rowColumns("StockTransfer")} from "StockTransfer" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  if (!found) throw notFound("Transfer", { transferId: id });
  if (!at.includes(found.status)) throw conflict("The transfer has another status", { status: found.status.toUpperCase() });
  return found;
}

const wordsOf = ({ id, reason, reference, notes }: Transfer) => ({ reason: reason ?? "Transfer", reference: reference ?? id, notes });

/**
 * Takes the reserved quantity out of the sending site's stock. It may use the transfer's own allocation and stock that is available to all.
 * Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT and CONFLICT naming serial numbers or batch, CONFLICT with `status`, or with
 * `available` and `requested`.
 */
export const shipTransfer = (db: TenantDatabase, actor: Actor, id: string, named: CarriedInput = {}): Promise<Transfer> =>
  db.transaction(async (tx) => {
    const transfer = await lockTransfer(tx, id, "reserved");
    const { partId, fromSite: site, quantity } = transfer;
    guardSite(actor, site);
    await lockLevels(tx, partId, [site]);
    const allowed = (await allowances(tx, id, [{ partId, site }])).values().next().value ?? 0;
    const layers = await oldestLayers(tx, partId, site, quantity);
    const out: Entry & { site: string } = {
      partId,
      site,
      type: "transfer",
      quantity: -quantity,
      reserve: -quantity,
      limit: "available",
      ...wordsOf(transfer),
      ...(names(named) ? named : { serialNumbers: transfer.serialNumbers, batchNumber: transfer.batchNumber }),
    };
    if (quantity > allowed) throw await insufficient(tx, out, undefined, allowed, quantity);
    const { movement } = (await postNumbered(tx, actor, out))!;
    const [shipped] = await tx.query<Transfer>(
      `update "StockTransfer" t set status = 'shipped', value = -m.value, "inTransit" = t.quantity, "inTransitValue" = -m.value, layers = $4::jsonb,
         "outgoingId" = m.id, "shippedAt" = m."performedAt", "shippedBy" = $5, "serialNumbers" = m."serialNumbers", "batchNumber" = m."batchNumber"
       from "StockMovement" m where m."tenantId" = $1 and m.id = $3 and t."tenantId" = $1 and t.id = $2 returning ${rowColumns("StockTransfer", "t")}`,
      id,
      movement.id,
      JSON.stringify(layers),
      actor.principalId,
    );
    return shipped!;
  });

/**
 * Adds a quantity in transit to a site's stock at its share of the value; the last part gets the remaining value. The caller checks the
 * actor's sites.
 */
async function arrive(tx: TenantQueryable, actor: Actor, transfer: Transfer, entry: Arrival): Promise<void> {
  const { id, partId, outgoingId } = transfer;
  const { site, quantity } = entry;
  await lockLevels(tx, partId, [site]);
  const [share] = await tx.query<{ value: string }>(
    `select (case when "inTransit" = $3::numeric then "inTransitValue" else least(round(value * $3::numeric / quantity, 4), "inTransitValue") end)::text as value
     from "StockTransfer" where "tenantId" = $1 and id = $2`,
    id,
    quantity,
  );
  const layers = await layersOfTransfer(tx, id, quantity);
  const { value } = share!;
  const posted = await postEntry(tx, actor, {
    ...entry,
    partId,
    type: "transfer",
    value,
    layers,
    originId: outgoingId!,
    ...wordsOf(transfer),
  });
  await moveNumbers(tx, posted!.movement);
  // Units bring values of their own.
  await tx.query(
    `update "StockTransfer" t set "inTransit" = t."inTransit" - m.quantity, "inTransitValue" = t."inTransitValue" - m.value
     from "StockMovement" m where m."tenantId" = $1 and m.id = $3 and t."tenantId" = $1 and t.id = $2`,
    id,
    posted!.movement.id,
  );
}

type Arrival = CarriedInput & { site: string; quantity: number };

/**
 * Receives stock in transit, by default all of it. Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT and CONFLICT naming serial
 * numbers or batch. Throws CONFLICT with `status`, or with `available` and `requested` for more than is in transit.
 */
export const receiveTransfer = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  quantity?: number | null,
  named: CarriedInput = {},
): Promise<Transfer> =>
  db.transaction(async (tx) => {
    const transfer = await lockTransfer(tx, id, "shipped");
    guardSite(actor, transfer.toSite);
    const received = quantity ?? transfer.inTransit;
    if (received > transfer.inTransit)
      throw conflict("Quantity exceeds what is in transit", { available: transfer.inTransit, requested: received }).about("quantity");
    const carried = await carriedOf(tx, transfer, received, named);
    await checkNumbers(tx, { partId: transfer.partId, type: "transfer", quantity: received, ...carried });
    await arrive(tx, actor, transfer, { site: transfer.toSite, quantity: received, ...carried });
    const [updated] = await tx.query<Transfer>(
      `update "StockTransfer" set status = case when "inTransit" = 0 then 'received' else status end,
         "receivedAt" = case when "inTransit" = 0 then clock_timestamp() end, "receivedBy" = case when "inTransit" = 0 then $3 end
       where "tenantId" = $1 and id = $2 returning ${rowColumns("StockTransfer")}`,
      id,
      actor.principalId,
    );
    return updated!;
  });

/**
 * Releases the reservation, or returns stock in transit to the sending site. Throws NOT_FOUND, FORBIDDEN for another site, CONFLICT with
 * `status`.
 */
export const cancelTransfer = (db: TenantDatabase, actor: Actor, id: string): Promise<Transfer> =>
  db.transaction(async (tx) => {
    const transfer = await lockTransfer(tx, id, "reserved", "shipped");
    const { partId, fromSite: site, quantity, status, inTransit } = transfer;
    if (status === "shipped") {
      guardSite(actor, site);
      // Returns the carried numbers without `checkNumbers`, because the part may be tracked only since the shipment.
      await arrive(tx, actor, transfer, { site, quantity: inTransit, ...(await carriedOf(tx, transfer, inTransit, {})) });
    } else await postEntry(tx, actor, { partId, site, type: "unreserve", reserve: -quantity, ...wordsOf(transfer) });
    const [cancelled] = await tx.query<Transfer>(
      `update "StockTransfer" set status = 'cancelled', "cancelledAt" = clock_timestamp(), "cancelledBy" = $3 where "tenantId" = $1 and id = $2
       returning ${rowColumns("StockTransfer")}`,
      id,
      actor.principalId,
    );
    return cancelled!;
  });

interface UnderWay {
  quantity: number;
  value: number;
  quantityExact: string;
  valueExact: string;
}

const quantity = `coalesce(sum("inTransit"), 0)`;
const value = `coalesce(sum("inTransitValue"), 0)`;

/** The quantity and value of each part in transit between sites. */
export async function inTransitOfEach(db: TenantQueryable, partIds: readonly string[]): Promise<UnderWay[]> {
  const rows = await db.query<UnderWay & { partId: string }>(
    `select "partId", ${quantity} as quantity, ${value} as value, ${exactText(quantity)} as "quantityExact", ${exactText(value)} as "valueExact" from "StockTransfer"
     where "tenantId" = $1 and "partId" = any($2) and status = 'shipped' group by 1`,
    partIds,
  );
  const found = new Map(rows.map((row) => [row.partId, row]));
  return partIds.map((id) => found.get(id) ?? { quantity: 0, value: 0, quantityExact: "0", valueExact: "0" });
}
