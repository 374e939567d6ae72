/** Recalls of units (docs/units.md, "Recalls"): opening, work orders and closing. */
import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { CreateRecallOrdersInput, OpenRecallInput } from "../../../schema/maintenance/recalls/recall.js";
import type { Actor } from "../../access/keys.js";
import { foreignSite } from "../../access/site-guard.js";
import { insertOrders } from "../work-orders/creation.js";
import { recallCounts } from "./recall-evidence.js";

type Recall = Rows["Recall"];

/** Work orders that one call creates. */
export const mostOrders = 500;

export const unknownRecall = (recallId: string) => notFound("Recall", { recallId });

/** The text before the last digits of a serial number, and these digits. Undefined without digits at the end. */
const rangeEnd = (serial: string): [prefix: string, digits: string] | undefined => {
  const [digits] = /[0-9]+$/.exec(serial) ?? [];
  return digits === undefined ? undefined : [serial.slice(0, -digits.length), digits];
};

/** Throws BAD_USER_INPUT naming the fields that choose no units, or choose them in two ways. */
function checkChoice({ batchNumber, serialNumbers, serialFrom, serialTo }: OpenRecallInput): void {
  const isRange = serialFrom != null || serialTo != null;
  const choices = [batchNumber != null, Boolean(serialNumbers?.length), isRange].filter(Boolean).length;
  if (choices !== 1) throw badInput({ batchNumber: "must be set, or serialNumbers, or serialFrom and serialTo; only one of them" });
  if (!isRange) return;
  if (serialFrom == null) throw badInput({ serialFrom: "is required with serialTo" });
  if (serialTo == null) throw badInput({ serialTo: "is required with serialFrom" });
  const first = rangeEnd(serialFrom);
  const last = rangeEnd(serialTo);
  if (!first) throw badInput({ serialFrom: "must end with a digit" });
  if (!last) throw badInput({ serialTo: "must end with a digit" });
  if (first[0] !== last[0]) throw badInput({ serialTo: "must have the same text as serialFrom before its last digits" });
  if (BigInt(last[1]) < BigInt(first[1])) throw badInput({ serialTo: "must not be less than serialFrom" });
}

/** Adds the units that the recall chooses and that no trigger added, because they were received while it was opened. */
const locate = (tx: TenantQueryable, id: string) =>
  tx.query(
    `${insertSelect(
      "RecallUnit",
      {
        id: "gen_random_uuid()",
        recallId: "r.id",
        unitId: "u.id",
        serialNumber: `u."serialNumber"`,
        locatedAt: "now()",
        workOrderId: "null",
      },
      `"Recall" r join "Unit" u on u."tenantId" = $1 and u."partId" = r."partId"
         and is_recalled(u."serialNumber", u."batchNumber", r."batchNumber", r."serialNumbers", r."serialFrom", r."serialTo")
       where r."tenantId" = $1 and r.id = $2 and not exists (select from "RecallUnit" o where o."tenantId" = $1 and o."recallId" = r.id and o."unitId" = u.id)`,
    )} on conflict do nothing`,
    id,
  );

/**
 * Opens a recall and locates its units. Throws BAD_USER_INPUT naming partId or the fields that choose units, FORBIDDEN for a key limited to
 * sites.
 */
export async function openRecall(db: TenantDatabase, actor: Actor, { serialNumbers, ...input }: OpenRecallInput): Promise<Recall> {
  checkChoice({ serialNumbers, ...input });
  return db.transaction(async (tx) => {
    const recall = await tx.records.Recall.create(actor.principalId, {
      ...input,
      serialNumbers: [...new Set(serialNumbers)],
      openedBy: actor.principalId,
    });
    await locate(tx, recall.id);
    return recall;
  });
}

/** Locks an open recall until the transaction ends. Throws NOT_FOUND, CONFLICT for a closed one. */
async function lockOpen(tx: TenantQueryable, id: string, forUpdate = false): Promise<Recall> {
  const [recall] = await tx.query<Recall>(
    `select ${rowColumns("Recall", "r")} from "Recall" r where r."tenantId" = $1 and r.id = $2 for ${forUpdate ? "no key update" : "share"} of r`,
    id,
  );
  if (!recall) throw unknownRecall(id);
  if (recall.closedAt) throw conflict("The recall is closed", { recallId: id, closedAt: recall.closedAt });
  return recall;
}

interface Place {
  recallUnitId: string;
  serialNumber: string;
  componentId: string;
  assetId: string;
  partName: string;
}

// The lock of the unit's row in the recall makes a second call wait, which then finds the order of the first one.
const withoutOrder = `select n.id as "recallUnitId", n."serialNumber", p."componentId", a.id as "assetId", part.name as "partName"
  from "RecallUnit" n join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = n."unitId" and p."endedAt" is null and p.state = 'installed'
  join "Component" c on c."tenantId" = $1 and c.id = p."componentId"
  join "Asset" a on a."tenantId" = $1 and a.id = c."assetId" and a."deletedAt" is null and a.status <> 'decommissioned'
  join "Recall" r on r."tenantId" = $1 and r.id = n."recallId" join "Part" part on part."tenantId" = $1 and part.id = r."partId"
  where n."tenantId" = $1 and n."recallId" = $2 and ($3::text[] = '{}' or a.site = any($3))
    and (n."workOrderId" is null or exists (select from "WorkOrder" w where w."tenantId" = $1 and w.id = n."workOrderId" and w."endedAt" is not null))
  order by n."serialNumber", n.id limit ${mostOrders} for no key update of n`;

/** The longest title of a work order. */
const longestTitle = 255;

const titleOf = (title: string, serialNumber: string) => `${title.slice(0, longestTitle - serialNumber.length - 2)}: ${serialNumber}`;

/**
 * Creates a work order for each installed unit of a recall that has no pending one, at most `mostOrders`, in the order of the serial
 * numbers. Omits units at other sites than those of the key, and those in decommissioned assets. Throws NOT_FOUND for an unknown recall,
 * CONFLICT for a closed one.
 */
export const createRecallOrders = (
  db: TenantDatabase,
  actor: Actor,
  { recallId, title, description, priority, scheduledDate, type, assignedTechnician }: CreateRecallOrdersInput,
): Promise<Rows["WorkOrder"][]> =>
  db.transaction(async (tx) => {
    const recall = await lockOpen(tx, recallId);
    // A limited key writes no units of other sites. The trigger has added its own.
    if (!actor.sites.length) await locate(tx, recallId);
    const places = await tx.query<Place>(withoutOrder, recallId, actor.sites);
    if (!places.length) return [];
    const rows = places.map(({ serialNumber, componentId, assetId, partName }) => ({
      id: newId(),
      assetId,
      componentId,
      origin: "manual" as const,
      title: titleOf(title ?? partName, serialNumber),
      description: description ?? recall.reason,
      priority: priority ?? "high",
      scheduledDate: scheduledDate ?? nowDate(),
      type: type ?? "preventive",
      assignedTechnician,
      createdBy: actor.principalId,
      updatedBy: actor.principalId,
    }));
    const created = await insertOrders(tx, actor, rows);
    await tx.query(
      `update "RecallUnit" n set "workOrderId" = o."workOrderId" from unnest($2::text[], $3::text[]) o(id, "workOrderId") where n."tenantId" = $1 and n.id = o.id`,
      places.map(({ recallUnitId }) => recallUnitId),
      rows.map(({ id }) => id),
    );
    const byId = new Map(created.map((order) => [order.id, order]));
    return rows.map(({ id }) => byId.get(id)!);
  });

/** Closes a recall. Throws NOT_FOUND, CONFLICT for a closed one or with the number of installed units, FORBIDDEN for a key limited to sites. */
export const closeRecall = (db: TenantDatabase, actor: Actor, id: string): Promise<Recall> =>
  db.transaction(async (tx) => {
    // The refusal below tells the number of units at all sites.
    if (actor.sites.length) throw foreignSite();
    await lockOpen(tx, id, true);
    await locate(tx, id);
    const [closed] = await tx.query<Recall>(
      `update "Recall" r set "closedAt" = now(), "closedBy" = $3 where r."tenantId" = $1 and r.id = $2 and not exists (
         select from "RecallUnit" n join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = n."unitId" and p."endedAt" is null and p.state = 'installed'
         where n."tenantId" = $1 and n."recallId" = $2) returning ${rowColumns("Recall", "r")}`,
      id,
      actor.principalId,
    );
    if (closed) return closed;
    const [counts] = await recallCounts(tx, [id]);
    throw conflict("Units of the recall are still installed; replace them first", { recallId: id, installed: counts!.installed });
  });
