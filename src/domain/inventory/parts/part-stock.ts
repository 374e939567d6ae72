/** Stock figures of parts across all sites (docs/interface.md 2.3). */
import type { TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import type { PartStockStatus } from "../../../schema/inventory/enums.js";
import { expiredStock } from "../stock/expired.js";
import { isUsage, takenBackType } from "./usage.js";

/** Quantities in the part's unit of measure. */
export interface PartStock {
  quantity: number;
  reserved: number;
  onOrder: number;
  projected: number;
  status: PartStockStatus;
  averageUsage: number | null;
  usageUnit: string | null;
  lastOrderDate: Date | null;
  lastOrderQuantity: number | null;
  /** The same figures as exact text. */
  quantityExact: string;
  reservedExact: string;
  onOrderExact: string;
  projectedExact: string;
  averageUsageExact: string | null;
  lastOrderQuantityExact: string | null;
}

const figures = ["quantity", "reserved", "onOrder", "projected", "averageUsage", "lastOrderQuantity"] as const;

/**
 * Returns stock figures by part id, in one statement. Average usage is issues less returns per month over the last year, by the time they
 * took place.
 */
export async function stockOfParts(db: TenantQueryable, ids: readonly string[]): Promise<Map<string, PartStock>> {
  const rows = await db.query<PartStock & { id: string }>(
    `select id, status, "usageUnit", "lastOrderDate", ${figures.map((name) => `"${name}", ${exactText(`"${name}"`)} as "${name}Exact"`).join(", ")} from (
     select p.id, coalesce(l.quantity, 0) as quantity, coalesce(l.reserved, 0) as reserved,
       coalesce(round(u.monthly, 4), p."averageUsage") as "averageUsage", case when u.monthly is not null then 'month' else p."usageUnit" end as "usageUnit",
       greatest(p."lastOrderDate", r."performedAt") as "lastOrderDate",
       case when r."performedAt" >= coalesce(p."lastOrderDate", '-infinity') then r.quantity else p."lastOrderQuantity" end as "lastOrderQuantity",
       o.quantity as "onOrder", j.available + o.expected as projected,
       case
         when coalesce(l.quantity, 0) = 0 then 'out-of-stock'
         when j.available + o.expected <= p."reorderPoint" then 'low-stock'
         when j.available <= p."reorderPoint" then 'on-order'
         when l.quantity > p."maximumStock" then 'excess-stock'
         when o."isOpen" then 'on-order'
         else 'in-stock' end as status
     from "Part" p
     -- One part after the other, by index: a part has few levels, and few movements in a year.
     cross join lateral (
       select sum(quantity) as quantity, sum(reserved) as reserved, sum(blocked + ${expiredStock("s")}) as unavailable from "StockLevel" s where s."tenantId" = $1 and s."partId" = p.id
     ) l cross join lateral (
       select coalesce(sum(o.quantity), 0) as quantity, coalesce(sum(o.quantity) filter (where not o."isLate"), 0) as expected, count(*) > 0 as "isOpen"
       from "OpenOrder" o where (p."lastOrderDate" is not null or o."lineId" is not null) and o."tenantId" = $1 and o."partId" = p.id
     ) o cross join lateral (
       select coalesce(l.quantity - l.unavailable - l.reserved, 0) as available
     ) j cross join lateral (
       -- Of issues that were all taken back nothing was used.
       select case when count(*) filter (where m.type = 'issue') > count(*) filter (where ${takenBackType("m")} = 'issue')
         then greatest(-sum(m.quantity), 0) / 12 end as monthly
       from "StockMovement" m where m."tenantId" = $1 and m."partId" = p.id and ${isUsage("m", "now() - interval '1 year'")}
     ) u left join lateral (
       select m."performedAt", m.quantity from "StockMovement" m
       where m."tenantId" = $1 and m."partId" = p.id and m.type = 'receipt'
         and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = m.id)
       order by m."performedAt" desc, m.id desc limit 1
     ) r on true
     where p."tenantId" = $1 and p.id = any($2)) p`,
    ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export async function stockOfEach(db: TenantQueryable, ids: readonly string[]): Promise<PartStock[]> {
  const stock = await stockOfParts(db, ids);
  return ids.map((id) => stock.get(id)!);
}
