/** What work orders do to stock: parts are reserved when one is made, issued or let go of when it is completed. The ledger moves them. */
import type { TenantQueryable } from "../database/database.js";
import { badInput } from "../schema/errors.js";
import type { StepPartInput } from "../schema/procedure-input.js";
import type { UsedPartInput, WorkOrderPart } from "../schema/work-order.js";
import type { Actor } from "./keys.js";
import { type Entry, postEntries } from "./ledger.js";
import type { WorkOrderRecord } from "./work-orders.js";

/**
 * The site a part is taken from: the asset's where it is kept there, else the part's own, else where most of it is available,
 * else the part's own without any stock, else main.
 */
const siteOfPart = `coalesce(
  (select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null
   order by l.site = a.site desc, l.site = p.site desc nulls last, l.quantity - l.reserved desc, l.site limit 1), p.site, 'main')`;

/**
 * Reserves what the procedure needs and what is asked for beside it. Parts that a step names count where the procedure's own list
 * does not name them; optional ones are not reserved. Throws BAD_USER_INPUT naming an unknown part.
 */
export async function reserveParts(
  tx: TenantQueryable,
  actor: Actor,
  { id, procedureId }: WorkOrderRecord,
  asked: StepPartInput[],
): Promise<void> {
  const parts = await tx.query<{ partId: string; site: string; quantity: number }>(
    `with own as (
       select "partId", quantity, "isOptional", "stepOrder" from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $3
     ), needed as (
       select "partId", quantity from own where "stepOrder" is null and not "isOptional"
       union all select "partId", quantity from own s where "stepOrder" is not null and not exists (select 1 from own o where o."partId" = s."partId" and o."stepOrder" is null)
       union all select "partId", quantity from jsonb_to_recordset($4::jsonb) as asked("partId" text, quantity numeric)
     ), total as (
       select "partId", sum(quantity) as quantity from needed group by 1
     )
     insert into "WorkOrderPart" ("tenantId", "workOrderId", "partId", site, quantity)
     select $1, w.id, p.id, ${siteOfPart}, t.quantity from total t join "Part" p on p."tenantId" = $1 and p.id = t."partId"
     join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     returning "partId", site, quantity`,
    id,
    procedureId ?? null,
    JSON.stringify(asked),
  );
  const known = new Set(parts.map(({ partId }) => partId));
  const unknown = asked.flatMap(({ partId }, i) =>
    known.has(partId) ? [] : [[`parts.${i}.partId`, "names no part; use the id of an existing one"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
  const entries = parts.map(
    ({ partId, site, quantity }): Entry => ({
      partId,
      site,
      type: "reserve",
      reserve: Number(quantity),
      reason: "Work order",
      reference: id,
    }),
  );
  if (entries.length) await postEntries(tx, actor, entries);
}

/** Takes what was used out of stock and lets go of what was reserved; answers the ids of the issues. */
export async function issueParts(tx: TenantQueryable, actor: Actor, id: string, used: UsedPartInput[]): Promise<string[]> {
  const details: Record<string, string> = {};
  const named = new Set<string>();
  for (const [i, { partId }] of used.entries()) {
    if (named.has(partId)) details[`usedParts.${i}.partId`] = "is named twice";
    named.add(partId);
  }
  const parts = await tx.query<WorkOrderPart & { reserved: number }>(
    `insert into "WorkOrderPart" as k ("tenantId", "workOrderId", "partId", site, quantity, status, "usedQuantity")
     select $1, w.id, p.id, ${siteOfPart}, 0, case when used.quantity > 0 then 'issued' else 'released' end, used.quantity
     from jsonb_to_recordset($3::jsonb) as used("partId" text, quantity numeric) join "Part" p on p."tenantId" = $1 and p.id = used."partId"
     join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     on conflict ("tenantId", "workOrderId", "partId") do update set status = excluded.status, "usedQuantity" = excluded."usedQuantity"
     returning k."partId", k.site, k.quantity as reserved, k."usedQuantity"`,
    id,
    // What is named twice is refused below, with what is unknown.
    JSON.stringify([...new Map(used.map((one) => [one.partId, one])).values()]),
  );
  const known = new Set(parts.map(({ partId }) => partId));
  for (const [i, { partId }] of used.entries())
    if (!known.has(partId)) details[`usedParts.${i}.partId`] ??= "names no part; use the id of an existing one";
  if (Object.keys(details).length) throw badInput(details);
  const rest = await tx.query<WorkOrderPart & { reserved: number }>(
    `update "WorkOrderPart" set status = 'issued', "usedQuantity" = quantity where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved'
     returning "partId", site, quantity as reserved, "usedQuantity"`,
    id,
  );
  const entries = [...parts, ...rest].flatMap(({ partId, site, reserved, usedQuantity }): Entry[] => {
    const [kept, quantity] = [Number(reserved), Number(usedQuantity)];
    const entry = { partId, site, reason: "Work order completed", reference: id, ...(kept && { reserve: -kept }) };
    if (quantity) return [{ ...entry, type: "issue", quantity: -quantity, limit: "available" }];
    return kept ? [{ ...entry, type: "unreserve" }] : [];
  });
  const posted = entries.length ? await postEntries(tx, actor, entries) : [];
  return posted.flatMap(({ movement }) => (movement.type === "issue" ? [movement.id] : []));
}
