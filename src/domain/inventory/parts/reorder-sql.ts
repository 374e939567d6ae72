/** SQL of the figures behind order proposals (docs/supply.md, "Reorder"). $1 is the tenant. */
import { isUsage } from "./usage.js";

const year = `now() - interval '365 days'`;

/** Units of measure with fractional order quantities. Other parts are ordered in whole units. */
export const measured = `('meter', 'kilogram', 'liter')`;

/**
 * SQL of the pack of supplier part `s` of part `p`. A pack of 1 does not restrict parts that are measured, such as hoses, unless the supplier
 * sells them in a unit of its own.
 */
export const packOf = (s: string) =>
  `case when ${s}."packSize" = 1 and ${s}."orderUnit" is null and p."unitOfMeasure" in ${measured} then null else ${s}."packSize" end`;

/** SQL of the price for a quantity in order units, from price breaks. */
export const priceAt = (breaks: string, quantity: string) =>
  `(select (r.item ->> 'price')::float8 from jsonb_array_elements(${breaks}) r(item)
    where (r.item ->> 'quantity')::numeric <= ${quantity} order by (r.item ->> 'quantity')::numeric desc limit 1)`;

/** SQL of the supplier part from which part `p` is ordered: the preferred one, else the only one. Inactive suppliers get no orders. */
const offer = `select k."supplierId", k."orderUnit", k."unitFactor", k."packSize", k."minimumQuantity", k."priceBreaks", k."leadTime", k.currency,
    k."supplierCurrency", k."isPreferred", k.offers
  from (
    select s."supplierId", s."orderUnit", s."unitFactor", s."packSize", s."minimumQuantity", s."priceBreaks", s."leadTime",
      coalesce(s.currency, a.currency) as currency, a.currency as "supplierCurrency", s."isPreferred", count(*) over () as offers
    from "SupplierPart" s join "SupplierAccount" a on a."tenantId" = $1 and a.id = s."supplierId" and a."isActive"
    where s."tenantId" = $1 and s."partId" = p.id
  ) k where k."isPreferred" or k.offers = 1`;

/** Deliveries from which a lead time is measured: at least this many, and at most the last ones. */
const deliveries = { fewest: 3, most: 20 };

/** SQL of the lead time of line `l` of order `r` in days: from sending to the last of its receipts. */
export const lineLeadTime = `extract(epoch from max(g."receivedAt") - r."sentAt") / 86400`;

/** Joins the receipts `g` of line `l` of which something was accepted. */
export const lineReceipts = `join "GoodsReceipt" g on g."tenantId" = $1 and g."lineId" = l.id and g.accepted > 0 and g."reversedAt" is null`;

/** Condition that nothing of line `l` is open, and something was accepted. */
export const isCompleted = `l."openQuantity" = 0 and l.accepted > 0`;

/** SQL of the measured lead time of part `p` from the supplier of `o`: days from sending to the last receipt of lines without open quantity. */
const measuredLead = `select avg(t.days) as mean, var_samp(t.days) as variance from (
    select ${lineLeadTime} as days
    from "PurchaseOrderLine" l join "PurchaseOrder" r on r."tenantId" = $1 and r.id = l."orderId" and r."supplierId" = o."supplierId" and r."sentAt" is not null
    ${lineReceipts}
    where l."tenantId" = $1 and l."partId" = p.id and ${isCompleted} and l."createdAt" > now() - interval '1095 days'
    group by l.id, l."createdAt", r."sentAt" order by l."createdAt" desc, l.id limit ${deliveries.most}
  ) t having count(*) >= ${deliveries.fewest}`;

/** Joins of part `p`: its supplier part `o`, the measured lead time `d`, and the lead time `t` in days, null if unknown. */
export const leadTime = `left join lateral (${offer}) o on true left join lateral (${measuredLead}) d on true
  cross join lateral (select coalesce(o."leadTime", p."leadTime", d.mean) as days) n
  cross join lateral (select case when n.days > 36500 then 36500 else n.days end as lead,
    case when o."leadTime" is not null then 'supplier_part' when p."leadTime" is not null then 'part' when d.mean is not null then 'purchase_orders' end as "leadSource") t`;

/** SQL of the daily usage entered for part `p`. */
const entered = `p."averageUsage" / case lower(btrim(p."usageUnit")) when 'day' then 1 when 'week' then 7 when 'month' then 365 / 12.0 when 'quarter' then 365 / 4.0 when 'year' then 365 end`;

/** Condition that movement `m` belongs to the work of a plan that lists the part: its demand is known from the plan. */
const isPlanned = `exists (select 1 from "WorkOrder" w join "ProcedurePart" k on k."tenantId" = $1 and k."procedureId" = w."procedureId" and k."partId" = m."partId"
    where w."tenantId" = $1 and w.id = coalesce(m."workOrderId", (select t."workOrderId" from "StockMovement" t where t."tenantId" = $1 and t.id = m."reversalOf")))`;

/**
 * SQL of the use of part and site `s` in the last year: `daily`, the use in all, divided by the days since stock first existed there; and
 * the unplanned use, its daily sums squared, its issues, the days, and the daily usage entered for the part in equal shares per site. Below
 * 90 days, `daily` is blended with the usage entered.
 */
export const used = `select case when e.daily is null then b.daily else (b.daily * b.weight + e.daily * (1 - b.weight)) end as daily, b.days, b.unplanned, b.squares, b.issues, e.daily as entered
    from (
      select greatest(-u.quantity, 0) / greatest(d.days, 1) as daily, least(d.days / 90, 1) as weight, d.days, u.unplanned, u.squares, u.issues from (
        select coalesce(sum(y.quantity), 0) as quantity, coalesce(-sum(y.unplanned), 0) as unplanned, coalesce(sum(y.unplanned * y.unplanned), 0) as squares,
          coalesce(sum(y.issues), 0)::bigint as issues, min(y.since) as since
        from (
          select sum(m.quantity) as quantity, coalesce(sum(m.quantity) filter (where not m.planned), 0) as unplanned,
            count(*) filter (where m.type = 'issue' and not m.planned) - count(*) filter (where m."takenBack" = 'issue' and not m.planned) as issues, min(m.at) as since
          from (
            select m.quantity, m.type, coalesce(m."occurredAt", m."performedAt") as at, ${isPlanned} as planned,
              case when m."reversalOf" is not null then (select t.type from "StockMovement" t where t."tenantId" = $1 and t.id = m."reversalOf") end as "takenBack"
            from "StockMovement" m where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and ${isUsage("m", year)}
          ) m group by date_trunc('day', m.at at time zone 'UTC')
        ) y
      ) u left join lateral (
        select coalesce(m."occurredAt", m."performedAt") as since from "StockMovement" m
        where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and m."newBalance" > 0 order by m.sequence limit 1
      ) f on true cross join lateral (
        select least(coalesce(extract(epoch from now() - least(f.since, u.since)) / 86400, 0), 365) as days
      ) d
    ) b cross join lateral (
      select ${entered} / (select count(*) from "StockLevel" l where l."tenantId" = $1 and l."partId" = s."partId" and l."deletedAt" is null) as daily
    ) e`;

/** SQL of the stock of level `s` in batches that expire within the days `t.lead`. It does not cover the demand of the lead time. */
export const expiring = `select coalesce(sum(b.quantity), 0) as quantity from "StockBatch" b
  where b."tenantId" = $1 and b."partId" = s."partId" and b.site = s.site and b."expiryDate" >= now()
    and b."expiryDate" < now() + make_interval(secs => t.lead::float8 * 86400)`;
