/** The stock statements of release 0.2.0, which knows only quantities and costs. They are verbatim except for their results. */

/** Posts entries. Parameters: tenant, entries as JSON, key and its name. */
export const postBy02 = `with e as (
  select input.*, p."unitCost" as "partCost", coalesce(input.site, (
      select case count(*) when 0 then coalesce(p.site, 'main') when 1 then min(l.site) end
      from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null)) as at
  from jsonb_to_recordset($2::jsonb) as input(id text, "adjustmentId" text, "partId" text, site text, type text, quantity numeric, target numeric, reserve numeric,
    "limit" text, "unitCost" numeric, reason text, reference text, notes text, location text, "expectedBalance" numeric, "adjustmentType" text)
  join "Part" p on p."tenantId" = $1 and p.id = input."partId"
), moved as (
  update "StockLevel" s set
    "previousQuantity" = s.quantity, "previousReserved" = s.reserved, quantity = coalesce(e.target, s.quantity + coalesce(e.quantity, 0)), reserved = s.reserved + coalesce(e.reserve, 0), sequence = s.sequence + 1,
    "unitCost" = case when coalesce(e.target, s.quantity + coalesce(e.quantity, 0)) > s.quantity and e."unitCost" is not null
      then round((s.quantity * coalesce(s."unitCost", e."unitCost") + (coalesce(e.target, s.quantity + coalesce(e.quantity, 0)) - s.quantity) * e."unitCost") / coalesce(e.target, s.quantity + coalesce(e.quantity, 0)), 4) else s."unitCost" end,
    location = coalesce(e.location, s.location), "deletedAt" = null,
    "updatedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')
  from e
  where s."tenantId" = $1 and s."partId" = e."partId" and s.site = e.at
    and (e.target is null or e.target <> s.quantity) and coalesce(e.target, s.quantity + coalesce(e.quantity, 0)) >= 0 and s.reserved + coalesce(e.reserve, 0) >= 0
    and (e."limit" is null or coalesce(e.target, s.quantity + coalesce(e.quantity, 0)) - (s.reserved + coalesce(e.reserve, 0)) >= 0 or coalesce(e.target, s.quantity + coalesce(e.quantity, 0)) - s.quantity - coalesce(e.reserve, 0) >= 0)
    and (e."expectedBalance" is null or e."expectedBalance" = s.quantity)
  returning s."partId", s.site, s.quantity, s."previousQuantity", s.reserved, s.sequence, s."updatedAt", e.id, e."adjustmentId", e.type, e.reserve, e.reason, e.reference, e.notes, e."adjustmentType", e.location as "atLocation",
    case when s.quantity > s."previousQuantity" then coalesce(e."unitCost", s."unitCost", e."partCost") else coalesce(s."unitCost", e."partCost") end as cost
), movement as (
  insert into "StockMovement" ("tenantId", "id", "partId", "site", "sequence", "type", "quantity", "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue", "reason", "reference", "notes", "performedBy", "performedByName", "performedAt") select $1, id, "partId", site, sequence, type, case when type in ('reserve', 'unreserve') then reserve else quantity - "previousQuantity" end, "previousQuantity", quantity, reserved, cost, case when type in ('reserve', 'unreserve') then 0 else round((quantity - "previousQuantity") * cost, 4) end, reason, reference, notes, $3, $4, "updatedAt" from moved returning id
)
select id from movement`;

/** Creates missing levels. Parameters: tenant and entries. */
export const createLevelsBy02 = `with e as (
  select input.*, p."unitCost" as "partCost", coalesce(input.site, (
      select case count(*) when 0 then coalesce(p.site, 'main') when 1 then min(l.site) end
      from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null)) as at
  from jsonb_to_recordset($2::jsonb) as input(id text, "adjustmentId" text, "partId" text, site text, type text, quantity numeric, target numeric, reserve numeric,
    "limit" text, "unitCost" numeric, reason text, reference text, notes text, location text, "expectedBalance" numeric, "adjustmentType" text)
  join "Part" p on p."tenantId" = $1 and p.id = input."partId"
)
insert into "StockLevel" ("tenantId", "partId", site)
select distinct $1, "partId", at from e where at is not null and (coalesce(quantity, 0) > 0 or target > 0 or (reserve > 0 and "limit" is null))
  and coalesce("expectedBalance", 0) = 0 order by 2, 3 on conflict do nothing`;
