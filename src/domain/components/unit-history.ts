/** Work orders of units, and the units beside them (docs/units.md). */
import type { TenantQueryable } from "../../database/database.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";

/** Per unit. */
export const mostOrdersOfUnit = 100;

/** Work orders that name each unit in a period or in a stock movement of its serial number, newest first. At most the last 100. */
export async function ordersOfUnits(db: TenantQueryable, unitIds: readonly string[]): Promise<Rows["WorkOrder"][][]> {
  const rows = await db.query<Rows["WorkOrder"] & { unitId: string }>(
    `select k.id as "unitId", ${rowColumns("WorkOrder", "o")} from unnest($2::text[]) k(id) cross join lateral (
       select ${rowColumns("WorkOrder", "w")} from "WorkOrder" w where w."tenantId" = $1 and w.id in (
         select p."workOrderId" from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = k.id
         union select m."workOrderId" from "Unit" u join "StockMovement" m on m."tenantId" = $1 and m."partId" = u."partId" and m."serialNumbers" @> array[u."serialNumber"]
           where u."tenantId" = $1 and u.id = k.id
       ) order by w."createdAt" desc, w.id desc limit ${mostOrdersOfUnit}
     ) o order by o."createdAt" desc, o.id desc`,
    unitIds,
  );
  return unitIds.map((id) => rows.filter(({ unitId }) => unitId === id));
}

/** Per installation. */
export const mostNeighbours = 50;

type Installation = readonly [componentId: string | null | undefined, startedAt: Date, endedAt: Date | null | undefined];

/**
 * Installations of other units in the components of the same asset that overlap each installation, oldest first. At most 50. A component
 * belongs to the asset that it belongs to now.
 */
export async function neighboursOf(db: TenantQueryable, keys: readonly Installation[]): Promise<Rows["UnitPeriod"][][]> {
  const rows = await db.query<Rows["UnitPeriod"] & { place: number }>(
    `select k.place::int as place, ${rowColumns("UnitPeriod", "q")} from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality k("componentId", "startedAt", "endedAt", place)
     join "Component" c on c."tenantId" = $1 and c.id = k."componentId" cross join lateral (
       select ${rowColumns("UnitPeriod", "p")} from "Component" o join "UnitPeriod" p on p."tenantId" = $1 and p."componentId" = o.id
       where o."tenantId" = $1 and o."assetId" = c."assetId" and o.id <> c.id and tstzrange(p."startedAt", p."endedAt") && tstzrange(k."startedAt", k."endedAt")
       order by p."startedAt", p.id limit ${mostNeighbours}
     ) q order by q."startedAt", q.id`,
    keys.map(([componentId]) => componentId ?? null),
    keys.map(([, startedAt]) => startedAt),
    keys.map(([, , endedAt]) => endedAt ?? null),
  );
  return keys.map((_, i) => rows.filter(({ place }) => place === i + 1));
}
