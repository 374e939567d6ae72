/** Order proposals: parts, quantities, suppliers and dates, each with the source of its figures (docs/supply.md, "Reorder"). */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { ReorderFigure, ReorderSource } from "../../../schema/inventory/parts/reorder-enums.js";
import { serviceLevelOf } from "../stock/stock-settings.js";
import { expiring, leadTime, measured, packOf, priceAt, used } from "./reorder-sql.js";

/** Parts and sites that proposals are limited to. */
export interface ReorderScope {
  site?: string | null;
  partIds?: string[] | null;
}

/** Demand of plans within the lead times of parts. Not complete if the plans have too many due dates. */
export interface PlannedDemand {
  needs: { partId: string; site: string; quantity: number }[];
  isComplete: boolean;
}

/** Reads the demand of plans. The caller passes that of domain/maintenance. */
export type ReadPlans = (db: TenantQueryable, scope: ReorderScope) => Promise<PlannedDemand>;

interface NextBreak {
  quantity: number;
  price: number;
  cost: number;
}

export interface Offer {
  supplierId: string;
  quantity: number;
  unit: string | null;
  unitFactor: number;
  price: number | null;
  currency: string | null;
  cost: number | null;
  nextBreak: NextBreak | null;
}

interface ReorderRow {
  partId: string;
  site: string;
  projectedStock: number;
  onOrder: number;
  inDrafts: number;
  expiringStock: number;
  reorderPoint: number | null;
  computedReorderPoint: number | null;
  effectiveReorderPoint: number;
  safetyStock: number | null;
  minimumStock: number | null;
  maximumStock: number | null;
  leadTime: number | null;
  averageDailyUse: number;
  plannedDemand: number;
  quantity: number;
  orderUntil: Date | null;
  unitCost: number | null;
  estimatedCost: number | null;
  currency: string | null;
  offer: Offer | null;
}

/** Facts of a row that only explain its figures. */
interface Basis {
  leadSource: "supplier_part" | "part" | "purchase_orders" | null;
  leadDeviation: number | null;
  unplannedDailyUse: number;
  dailyDeviation: number;
  isBlended: boolean;
  isSlow: boolean;
  isSitesPoint: boolean;
  serviceLevel: number;
  isSetLevel: boolean;
}

export interface FigureSource {
  figure: ReorderFigure;
  value: number;
  source: ReorderSource;
}

export type ReorderProposal = ReorderRow & { sources: FigureSource[] };

/** Maximum rows of a response. */
const most = 1_000;

/** Rounded to four decimal places, as quantities. */
const four = (value: string) => `round((${value})::numeric, 4)`;

/**
 * A level is proposed if its projected stock, with the quantity in drafts and without stock that expires first, is at or below the reorder
 * point or the minimum. The movements of a level are read only if an entered figure proposes it, or if its point must be computed.
 */
const statement = `${plannedEachTime}with draft as materialized (
  select l."partId", l.site, sum(l."openQuantity") as quantity from "PurchaseOrder" o join "PurchaseOrderLine" l on l."tenantId" = $1 and l."orderId" = o.id
  where o."tenantId" = $1 and o.status in ('draft', 'awaiting_approval', 'approved') and l."partId" is not null group by 1, 2
), plan as materialized (
  select n."partId", n.site, n.quantity from jsonb_to_recordset($4::jsonb) as n("partId" text, site text, quantity numeric)
), place as (
  select s."partId", s.site, s."partNumber", s."projectedStock", s."onOrder", s."reorderPoint", s."minimumStock", s."maximumStock", s."unitCost" as "averageCost",
    coalesce(i.quantity, 0) as "inDrafts", coalesce(n.quantity, 0) as planned
  from "Stock" s left join draft i on i."partId" = s."partId" and i.site = s.site left join plan n on n."partId" = s."partId" and n.site = s.site
  where s."tenantId" = $1 and s."deletedAt" is null and s."isActive" and ($2::text is null or s.site = $2) and ($3::text[] is null or s."partId" = any($3))
)
select s."partId", s.site, s."projectedStock", s."onOrder", s."inDrafts", x.quantity as "expiringStock", s."reorderPoint", ${four("r.point")} as "computedReorderPoint",
  e.point as "effectiveReorderPoint", ${four("r.safety")} as "safetyStock", s."minimumStock", s."maximumStock", ${four("t.lead")} as "leadTime",
  round(u.daily, 4) as "averageDailyUse", s.planned as "plannedDemand", q.quantity, p.currency, c.cost as "unitCost", round(q.quantity * c.cost, 4) as "estimatedCost",
  case when h.stock <= coalesce(s."minimumStock", 0) then date_trunc('milliseconds', now())
    when u.daily > 0 then date_trunc('milliseconds', greatest(now(), now() + make_interval(
      secs => greatest(-36500, least(36500, (h.stock - coalesce(s."minimumStock", 0)) / u.daily - coalesce(t.lead, 0)))::float8 * 86400))) end as "orderUntil",
  t."leadSource" as "leadSource", ${four("sqrt(d.variance)")} as "leadDeviation", ${four("r.daily")} as "unplannedDailyUse", ${four("r.deviation")} as "dailyDeviation",
  u.entered is not null and u.days < 90 as "isBlended", r."isSlow" as "isSlow", l."reorderPoint" is not null as "isSitesPoint", ${serviceLevelOf("g", "p")} as "serviceLevel",
  case when p."isCritical" then g."criticalServiceLevel" else g."serviceLevel" end is not null as "isSetLevel",
  case when o."supplierId" is not null then jsonb_build_object('supplierId', o."supplierId", 'quantity', f.quantity, 'unit', o."orderUnit", 'unitFactor', o."unitFactor",
    'price', f.price, 'currency', f.currency, 'cost', f.cost, 'nextBreak', b.shown) end as offer
from place s join "Part" p on p."tenantId" = $1 and p.id = s."partId" join "StockLevel" l on l."tenantId" = $1 and l."partId" = s."partId" and l.site = s.site
left join "StockSettings" g on g."tenantId" = $1
${leadTime}
cross join lateral (${expiring}) x
cross join lateral (select s."projectedStock" + s."inDrafts" - x.quantity as stock) h
cross join lateral (${used}) u
cross join lateral reorder_rule(u.unplanned::float8, u.squares::float8, u.issues, u.days::float8, u.entered::float8, s.planned::float8, t.lead::float8,
  d.variance::float8, ${serviceLevelOf("g", "p")}::float8 / 100) r
cross join lateral (select ${four(`greatest(coalesce(s."reorderPoint"::float8, r.point), s."minimumStock"::float8)`)} as point) e
cross join lateral (select coalesce(s."maximumStock", e.point + u.daily * coalesce(t.lead, 0)) - h.stock as missing) k
cross join lateral (
  select case when k.missing <= 0 then 1 when p."unitOfMeasure" in ${measured} then round(k.missing, 4) else ceil(k.missing) end as quantity
) q cross join lateral (select coalesce(p."unitCost", s."averageCost") as cost) c
cross join lateral (select ${packOf("o")} as pack) w
cross join lateral (select greatest(q.quantity / o."unitFactor", o."minimumQuantity") as least) y
cross join lateral (select coalesce(ceil(round(y.least / w.pack, 8)) * w.pack, ceil(y.least * 10000) / 10000) as quantity) z
cross join lateral (
  select z.quantity, coalesce(o.currency, g.currency) as currency, ${priceAt(`o."priceBreaks"`, "z.quantity")} as price
) v cross join lateral (
  select v.quantity, v.currency, v.price, round(v.quantity * v.price::numeric, currency_digits(v.currency)) as cost
) f left join lateral (
  select jsonb_build_object('quantity', a.quantity, 'price', a.price, 'cost', a.cost) as shown from (
    select n.quantity, n.price, round(n.quantity * n.price::numeric, currency_digits(f.currency)) as cost from (
      select j.quantity, ${priceAt(`o."priceBreaks"`, "j.quantity")} as price from (
        select coalesce(ceil(min((m.item ->> 'quantity')::numeric) / w.pack) * w.pack, min((m.item ->> 'quantity')::numeric)) as quantity
        from jsonb_array_elements(o."priceBreaks") m(item) where (m.item ->> 'quantity')::numeric > f.quantity
      ) j
    ) n
  ) a where a.cost < f.cost
) b on true
where (s."reorderPoint" is null and t.lead is not null or h.stock <= greatest(s."reorderPoint", s."minimumStock"))
  and h.stock <= e.point
order by p."isCritical" desc, s."partNumber", s.site limit case when $3::text[] is null then ${most} end`;

/** The figures of a proposal, each with the place that it comes from. */
function sourcesOf(row: ReorderRow & Basis, arePlansComplete: boolean): FigureSource[] {
  const found: [ReorderFigure, number | null, ReorderSource | null][] = [
    [ReorderFigure.AVERAGE_DAILY_USE, row.averageDailyUse, row.isBlended ? ReorderSource.LEDGER_AND_PART : ReorderSource.LEDGER],
    [ReorderFigure.UNPLANNED_DAILY_USE, row.unplannedDailyUse, row.isBlended ? ReorderSource.LEDGER_AND_PART : ReorderSource.LEDGER],
    [ReorderFigure.DAILY_DEVIATION, row.dailyDeviation, row.isBlended ? ReorderSource.LEDGER_AND_PART : ReorderSource.LEDGER],
    [ReorderFigure.LEAD_TIME, row.leadTime, row.leadSource],
    [ReorderFigure.LEAD_TIME_DEVIATION, row.leadDeviation, ReorderSource.PURCHASE_ORDERS],
    [ReorderFigure.SERVICE_LEVEL, row.serviceLevel, row.isSetLevel ? ReorderSource.STOCK_SETTINGS : ReorderSource.DEFAULT],
    [ReorderFigure.PLANNED_DEMAND, row.plannedDemand, arePlansComplete ? ReorderSource.PLANS : ReorderSource.PLANS_IN_PART],
    [ReorderFigure.SAFETY_STOCK, row.safetyStock, row.isSlow ? ReorderSource.POISSON_DISTRIBUTION : ReorderSource.NORMAL_DISTRIBUTION],
    [
      ReorderFigure.COMPUTED_REORDER_POINT,
      row.computedReorderPoint,
      row.isSlow ? ReorderSource.POISSON_DISTRIBUTION : ReorderSource.NORMAL_DISTRIBUTION,
    ],
    [ReorderFigure.EFFECTIVE_REORDER_POINT, row.effectiveReorderPoint, pointSource(row)],
    [ReorderFigure.IN_DRAFTS, row.inDrafts, ReorderSource.PURCHASE_ORDERS],
    [ReorderFigure.EXPIRING_STOCK, row.expiringStock, ReorderSource.BATCHES],
    [ReorderFigure.PRICE, row.offer?.price ?? null, ReorderSource.SUPPLIER_PART],
  ];
  return found.flatMap(([figure, value, source]) => (value == null || source == null ? [] : [{ figure, value, source }]));
}

/** The place that the effective reorder point comes from. */
function pointSource({ effectiveReorderPoint, minimumStock, reorderPoint, isSitesPoint, isSlow }: ReorderRow & Basis): ReorderSource {
  if (reorderPoint !== null && effectiveReorderPoint === reorderPoint) return isSitesPoint ? ReorderSource.SITE : ReorderSource.PART;
  if (effectiveReorderPoint === minimumStock) return ReorderSource.MINIMUM_STOCK;
  return isSlow ? ReorderSource.POISSON_DISTRIBUTION : ReorderSource.NORMAL_DISTRIBUTION;
}

/** Returns the first 1,000 proposals, or all of named parts, critical parts first, in a constant number of statements. */
export async function reorderProposals(db: TenantQueryable, readPlans: ReadPlans, scope: ReorderScope): Promise<ReorderProposal[]> {
  const { needs, isComplete } = await readPlans(db, scope);
  const rows = await db.query<ReorderRow & Basis>(statement, scope.site ?? null, scope.partIds ?? null, JSON.stringify(needs));
  return rows.map((row) => ({ ...row, sources: sourcesOf(row, isComplete) }));
}
