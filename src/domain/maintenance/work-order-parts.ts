/**
 * Parts of work orders (docs/interface.md 2.8): reserved on creation, issued or released at the end, through the ledger. What an order
 * plans follows it to any stock site; what its caller adds comes from the caller's sites (docs/decisions.md, "parts of a work order").
 */
import { insertSelect, type Rows } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";
import type { StepPartInput } from "../../schema/maintenance/procedure-input.js";
import type { UsedPartInput } from "../../schema/maintenance/work-order.js";
import type { Actor } from "../access/keys.js";
import { postEntries, type SitedEntry } from "../inventory/ledger.js";

/**
 * SQL of the site that supplies part `p` for asset `a` (docs/decisions.md, "reservation by work orders"): the asset's site if it stocks
 * the part, else one of `preferred`, else the part's own, else the one with the most available stock; without any stock the part's own,
 * else main.
 */
const siteOfPart = (preferred: string) => `coalesce(
  (select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null
   order by l.site = a.site desc, l.site = any(${preferred}) desc, l.site = p.site desc nulls last, l.quantity - l.reserved desc, l.site limit 1), p.site, 'main')`;

/**
 * Reserves the required parts of the procedure and the `requested` ones (docs/decisions.md, "required parts"). A step's part counts only
 * if the procedure's own list does not contain it. Throws BAD_USER_INPUT naming an unknown part, FORBIDDEN naming each requested part that
 * is at another site than the key's.
 */
export async function reserveParts(
  tx: TenantQueryable,
  actor: Actor,
  { id, procedureId }: Rows["WorkOrder"],
  requested: StepPartInput[],
): Promise<void> {
  const parts = await tx.query<Pick<Rows["WorkOrderPart"], "partId" | "site" | "quantity">>(
    `with own as (
       select "partId", quantity, "isOptional", "stepOrder" from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $3
     ), needed as (
       select "partId", quantity, false as requested from own where "stepOrder" is null and not "isOptional"
       union all select "partId", quantity, false from own s where "stepOrder" is not null and not exists (select 1 from own o where o."partId" = s."partId" and o."stepOrder" is null)
       union all select "partId", quantity, true from jsonb_to_recordset($4::jsonb) as requested("partId" text, quantity numeric)
     ), total as (
       select "partId", sum(quantity) as quantity, bool_or(requested) as requested from needed group by 1
     )
     ${insertSelect(
       "WorkOrderPart",
       {
         workOrderId: "w.id",
         partId: "p.id",
         site: siteOfPart("case when t.requested then $5::text[] else '{}' end"),
         quantity: "t.quantity",
         status: "'reserved'",
         usedQuantity: "null::numeric",
       },
       `total t join "Part" p on p."tenantId" = $1 and p.id = t."partId"
        join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"`,
     )}
     returning "partId", site, quantity`,
    id,
    procedureId ?? null,
    JSON.stringify(requested),
    actor.sites,
  );
  const known = new Set(parts.map(({ partId }) => partId));
  const unknown = requested.flatMap(({ partId }, i) =>
    known.has(partId) ? [] : [[`parts.${i}.partId`, "names no part; use the id of an existing one"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
  const entries = parts.map(({ partId, site, quantity }): SitedEntry => {
    const at = requested.findIndex((part) => part.partId === partId);
    const asked = at < 0 ? { isPlanned: true } : { field: `parts.${at}.quantity` };
    return { partId, site, type: "reserve", reserve: quantity, reason: "Work order", reference: id, ...asked };
  });
  await postEntries(tx, actor, entries);
}

/** Releases what a cancelled work order has reserved. */
export async function releaseParts(tx: TenantQueryable, actor: Actor, id: string): Promise<void> {
  const reserved = await tx.query<Pick<Rows["WorkOrderPart"], "partId" | "site" | "quantity">>(
    `update "WorkOrderPart" set status = 'released' where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved' returning "partId", site, quantity`,
    id,
  );
  const entries = reserved.map(({ partId, site, quantity }): SitedEntry => {
    return { partId, site, type: "unreserve", reserve: -quantity, reason: "Work order cancelled", reference: id, isPlanned: true };
  });
  await postEntries(tx, actor, entries);
}

type IssuedPart = Pick<Rows["WorkOrderPart"], "partId" | "site" | "usedQuantity"> & { reserved: number };

/**
 * Issues the used parts and releases what else was reserved for them; issues other reserved parts in full. Returns the ids of the issue
 * movements. Throws BAD_USER_INPUT naming an unknown or repeated part, FORBIDDEN naming each of which more is used than reserved, from
 * another site than the key's, CONFLICT with `partId`, `site`, `available` and `requested`.
 */
export async function issueParts(tx: TenantQueryable, actor: Actor, id: string, used: UsedPartInput[]): Promise<string[]> {
  const details: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [i, { partId }] of used.entries()) {
    if (seen.has(partId)) details[`usedParts.${i}.partId`] = "is named twice";
    seen.add(partId);
  }
  const parts = await tx.query<IssuedPart>(
    `${insertSelect(
      "WorkOrderPart",
      {
        ...{ workOrderId: "w.id", partId: "p.id", site: siteOfPart("$4::text[]"), quantity: "0", usedQuantity: "used.quantity" },
        status: "case when used.quantity > 0 then 'issued' else 'released' end",
      },
      `jsonb_to_recordset($3::jsonb) as used("partId" text, quantity numeric) join "Part" p on p."tenantId" = $1 and p.id = used."partId"
       join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"`,
      "k",
    )}
     on conflict ("tenantId", "workOrderId", "partId") do update set status = excluded.status, "usedQuantity" = excluded."usedQuantity"
     returning k."partId", k.site, k.quantity as reserved, k."usedQuantity"`,
    id,
    // Deduplicated, because one statement cannot update a row twice. Repeated parts are reported below, together with unknown ones.
    JSON.stringify([...new Map(used.map((part) => [part.partId, part])).values()]),
    actor.sites,
  );
  const known = new Set(parts.map(({ partId }) => partId));
  for (const [i, { partId }] of used.entries())
    if (!known.has(partId)) details[`usedParts.${i}.partId`] ??= "names no part; use the id of an existing one";
  if (Object.keys(details).length) throw badInput(details);
  const rest = await tx.query<IssuedPart>(
    `update "WorkOrderPart" set status = 'issued', "usedQuantity" = quantity where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved'
     returning "partId", site, quantity as reserved, "usedQuantity"`,
    id,
  );
  const entries = [...parts, ...rest].flatMap(({ partId, site, reserved, usedQuantity }): SitedEntry[] => {
    const at = used.findIndex((part) => part.partId === partId);
    const field = at < 0 ? "usedParts" : `usedParts.${at}.quantity`;
    const isPlanned = (usedQuantity ?? 0) <= reserved;
    const entry = {
      partId,
      site,
      reason: "Work order completed",
      reference: id,
      isPlanned,
      field,
      ...(reserved && { reserve: -reserved }),
    };
    if (usedQuantity) return [{ ...entry, type: "issue", quantity: -usedQuantity, limit: "available" }];
    return reserved ? [{ ...entry, type: "unreserve" }] : [];
  });
  const posted = await postEntries(tx, actor, entries);
  return posted.flatMap(({ movement }) => (movement.type === "issue" ? [movement.id] : []));
}
