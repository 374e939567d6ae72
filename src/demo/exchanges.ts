/**
 * Two years of exchanges of cartridge seals. One seal fails wherever it is installed (a rogue unit), and one pump destroys seal after seal (a bad
 * position). Receipts and issues go through the domain functions, the exchanges are inserted in bulk.
 */
import type { TenantDatabase, TenantQueryable } from "../database/database.js";
import type { Inserts } from "../database/rows/catalogue.js";
import { insertRows } from "../database/rows/writer.js";
import type { Actor } from "../domain/access/keys.js";
import { createPart } from "../domain/inventory/parts/parts.js";
import { moveStock } from "../domain/inventory/stock/inventory.js";
import { createWorkOrder } from "../domain/maintenance/work-orders/creation.js";
import { issueToWorkOrder } from "../domain/maintenance/work-orders/material.js";
import { closeWorkOrder, completeWorkOrder } from "../domain/maintenance/work-orders/work-orders.js";
import { currency } from "./currency.js";

type Reason = Inserts["UnitPeriod"]["removalReason"];
type Fate = "repaired" | "in_repair" | "scrapped" | "removed";

/** A seal in a position. Times are shares of the history. Without `end`, it is still there. */
interface Installation {
  seal: number;
  start: number;
  end?: number;
  reason?: Reason;
  /** Default: repaired, and kept for another position. */
  fate?: Fate;
}

const failed = (seal: number, start: number, end: number, fate?: Fate): Installation => ({ seal, start, end, reason: "failure", fate });
const exchanged = (seal: number, start: number, end: number): Installation => ({ seal, start, end, reason: "preventive" });
const inPlace = (seal: number, start: number): Installation => ({ seal, start });

/** The seals of each position, one after the other. Seal 7 is the rogue unit, the first position the bad one. */
const positions: readonly Installation[][] = [
  [
    failed(1, 0.04, 0.22),
    failed(2, 0.22, 0.4),
    failed(3, 0.4, 0.58, "scrapped"),
    failed(4, 0.58, 0.76),
    failed(5, 0.76, 0.93, "in_repair"),
    inPlace(6, 0.93),
  ],
  [failed(7, 0.05, 0.12), exchanged(8, 0.12, 0.6), failed(7, 0.6, 0.66, "removed"), inPlace(9, 0.66)],
  [failed(7, 0.2, 0.26), inPlace(10, 0.26)],
  [failed(7, 0.4, 0.45), inPlace(11, 0.45)],
  [exchanged(12, 0.1, 0.62), inPlace(13, 0.62)],
  [failed(14, 0.15, 0.55), inPlace(15, 0.55)],
  [inPlace(16, 0.18)],
  [inPlace(17, 0.21)],
  [exchanged(18, 0.25, 0.75), inPlace(19, 0.75)],
  [inPlace(2, 0.5)],
  [inPlace(4, 0.85)],
  [inPlace(8, 0.7)],
  [inPlace(20, 0.3)],
  [inPlace(21, 0.33)],
  [failed(22, 0.36, 0.8), inPlace(23, 0.8)],
  [inPlace(24, 0.42)],
];

/** Deliveries with their batch, the share of the history at which they came, and their seals. The last two of each stay in stock. */
const deliveries = [
  { batchNumber: "CX-0831", at: 0, seals: [1, 2, 5, 7, 8, 10, 12, 14, 16, 17, 18, 25, 26] },
  { batchNumber: "CX-1147", at: 0.27, seals: [3, 4, 6, 9, 11, 13, 15, 19, 20, 21, 22, 23, 24, 27, 28] },
];
const leftInStock = 2;

const hour = 3_600_000;
const site = "main";
const maker = { manufacturer: "EagleBurgmann", model: "Cartex-SN 53" };
const numberOf = (seal: number) => `CTX-${String(20_400 + 37 * seal)}`;

interface Position {
  id: string;
  assetId: string;
  site: string;
  /** The unit that the component began with, known only from its serial number. */
  periodId: string;
  formerUnitId: string;
}

/** Mechanical seals of pumps that were installed before `since`. */
const positionsBefore = (db: TenantQueryable, since: Date) =>
  db.query<Position>(
    `select c.id, a.id as "assetId", a.site, p.id as "periodId", p."unitId" as "formerUnitId" from "Asset" a
     join "Component" c on c."tenantId" = $1 and c."assetId" = a.id and c.name = 'Mechanical seal' and c."deletedAt" is null
     join "UnitPeriod" p on p."tenantId" = $1 and p."componentId" = c.id and p."endedAt" is null and p."startedAt" < $2
     where a."tenantId" = $1 and a.type = 'Pump' and a.status <> all('{decommissioned,pending}') order by a."createdAt", a.id limit $3`,
    since,
    positions.length,
  );

/** Adds the seals and their history, unless the plant is too small for it. `since` and `until` are milliseconds since the epoch. */
export async function loadExchanges(db: TenantDatabase, actor: Actor, since: number, until: number): Promise<void> {
  const at = (share: number) => new Date(since + share * (until - since));
  const found = await positionsBefore(db, at(0));
  if (found.length < positions.length) return;
  await db.transaction(async (tx) => {
    await receive(db, actor, found, at);
    const units = new Map(
      (
        await tx.query<{ id: string; serialNumber: string }>(
          `select id, "serialNumber" from "Unit" where "tenantId" = $1 and "serialNumber" = any($2)`,
          deliveries.flatMap(({ seals }) => seals.map(numberOf)),
        )
      ).map(({ id, serialNumber }) => [serialNumber, id]),
    );
    await exchange(tx, actor, found, (seal) => units.get(numberOf(seal))!, at);
  });
}

/** The seals come to the store, and a work order takes those of a delivery. */
async function receive(db: TenantDatabase, actor: Actor, found: Position[], at: (share: number) => Date): Promise<void> {
  const { id: partId } = await createPart(db, actor, {
    partNumber: "SEA-CTX-53",
    name: "Cartridge seal Cartex-SN 53 mm",
    category: "Seals",
    manufacturer: maker.manufacturer,
    manufacturerPartNumber: maker.model,
    unitOfMeasure: "each",
    unitCost: 640,
    currency,
    minimumStock: 2,
    reorderPoint: 4,
    maximumStock: 16,
    tracksSerials: true,
    tracksBatches: true,
    site,
  });
  for (const [i, { batchNumber, at: share, seals }] of deliveries.entries()) {
    const received = { site, quantity: seals.length, serialNumbers: seals.map(numberOf), batchNumber, performedAt: at(share) };
    await moveStock(db, actor, partId, "receipt", { ...received, unitCost: 640, reason: "Delivery" });
    const { id } = await createWorkOrder(db, actor, null, {
      assetId: found[i]!.assetId,
      title: `Cartridge seals, delivery ${batchNumber}`,
    });
    const serialNumbers = seals.slice(0, -leftInStock).map(numberOf);
    const performedAt = new Date(at(share).getTime() + 2 * hour);
    await issueToWorkOrder(db, actor, id, { partId, site, quantity: serialNumbers.length, serialNumbers, batchNumber, performedAt });
    await completeWorkOrder(db, actor, id, {
      startedAt: at(share),
      completedAt: performedAt,
      duration: 120,
      failureMode: "seal-leak",
      failureCause: "seal-wear",
      remedy: "seal-replaced",
    });
    await closeWorkOrder(db, actor, id, {});
  }
}

/** Writes the periods of the exchanges, and the present seals to the components. */
async function exchange(
  tx: TenantQueryable,
  actor: Actor,
  found: Position[],
  unitOf: (seal: number) => string,
  at: (share: number) => Date,
): Promise<void> {
  const recordedBy = actor.principalId;
  const installations = positions.flatMap((list, i) => list.map((one) => ({ ...one, position: found[i]! })));
  installations.sort((a, b) => a.start - b.start);
  const periods: Inserts["UnitPeriod"][] = [];
  const lasts = new Map<string, Inserts["UnitPeriod"]>();
  const begin = (share: number, period: Omit<Inserts["UnitPeriod"], "startedAt">) => {
    const last = lasts.get(period.unitId);
    if (last) last.endedAt = at(share);
    const begun = { ...period, startedAt: at(share), recordedBy };
    lasts.set(period.unitId, begun);
    periods.push(begun);
  };
  const firsts = new Map<string, Date>();
  for (const { seal, start, end, reason, fate = "repaired", position } of installations) {
    const unitId = unitOf(seal);
    if (!firsts.has(unitId)) firsts.set(unitId, at(start));
    begin(start, {
      unitId,
      state: "installed",
      condition: firsts.get(unitId)! < at(start) ? "serviceable" : "new",
      componentId: position.id,
    });
    if (end === undefined) continue;
    lasts.get(unitId)!.removalReason = reason;
    const there = { unitId, site: position.site };
    begin(end, { ...there, state: "removed", condition: "unserviceable", ...(reason === "failure" && { notes: "Leaks at the shaft" }) });
    if (fate === "removed") continue;
    if (fate === "scrapped") begin(end + 0.002, { ...there, state: "scrapped", condition: "unserviceable", notes: "Housing cracked" });
    else if (reason === "failure")
      begin(end + 0.002, { ...there, state: "in_repair", condition: "unserviceable", notes: `To ${maker.manufacturer}` });
    if (fate === "repaired") begin(end + 0.022, { ...there, state: "removed", condition: "serviceable", notes: "Faces lapped, tested" });
  }
  const removals = positions.map(([first], i) => ({ ...found[i]!, at: at(first!.start) }));
  periods.push(
    ...removals.map(({ formerUnitId, site, at }) => ({
      unitId: formerUnitId,
      startedAt: at,
      state: "scrapped" as const,
      condition: "unserviceable" as const,
      site,
      notes: "Replaced by a cartridge seal",
      recordedBy,
    })),
  );
  const ended = [
    ...removals.map(({ periodId, at }) => ({ periodId, unitId: null, at, reason: "opportunity" })),
    ...[...firsts].map(([unitId, at]) => ({ periodId: null, unitId, at, reason: null })),
  ];
  await tx.query(
    `update "UnitPeriod" p set "endedAt" = e.at, "removalReason" = e.reason
     from jsonb_to_recordset($2::jsonb) e("periodId" text, "unitId" text, at timestamptz, reason text)
     where p."tenantId" = $1 and p."endedAt" is null and (p.id = e."periodId" or p."unitId" = e."unitId")`,
    JSON.stringify(ended),
  );
  await insertRows(tx, "UnitPeriod", periods);
  const present = installations.filter(({ end }) => end === undefined);
  await tx.query(
    `update "Component" c set "serialNumber" = n.number, manufacturer = $5, model = $6, "installDate" = n.at, "updatedBy" = $7
     from unnest($2::text[], $3::text[], $4::timestamptz[]) n(id, number, at) where c."tenantId" = $1 and c.id = n.id`,
    present.map(({ position }) => position.id),
    present.map(({ seal }) => numberOf(seal)),
    present.map(({ start }) => at(start)),
    maker.manufacturer,
    maker.model,
    recordedBy,
  );
}
