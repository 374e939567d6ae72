/**
 * Parts of work orders (docs/interface.md 2.8). They are reserved on creation and settled on completion, through the ledger;
 * work-order-material.ts handles issues and returns in between. Planned parts may come from any stock site, other parts only from the
 * caller's sites (docs/decisions.md, "parts of a work order").
 */

import type { TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows } from "../../../database/rows/catalogue.js";
import { badInput } from "../../../schema/errors.js";
import type { StepPartInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import type { UsedPartInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { Actor } from "../../access/keys.js";
import { expiredStock } from "../../inventory/stock/expired.js";
import { lockPlaces, postEntries } from "../../inventory/stock/ledger.js";
import type { SitedEntry } from "../../inventory/stock/ledger-entry.js";
import type { Issue } from "./entries.js";
import { withNumbers } from "./numbers.js";
import { issueStock, postReturns, returnable } from "./stock.js";

/**
 * SQL of the site that supplies part `p` for asset `a` (docs/decisions.md, "reservation by work orders"). In order of precedence: the
 * asset's site if it stocks the part, one of `preferred`, the part's own site, the one with the most available stock. Without any stock,
 * the part's own site, else main.
 */
export const siteOfPart = (preferred: string) => `coalesce(
  (select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null
   order by l.site = a.site desc, l.site = any(${preferred}) desc, l.site = p.site desc nulls last, l.quantity - l.blocked - ${expiredStock("l")} - l.reserved desc, l.site limit 1), p.site, 'main')`;

/** `field`: its path in the input, if it is not that in the list. */
type RequestedPart = StepPartInput & { field?: string };

/**
 * Reserves the procedure's required parts and the `requested` ones (docs/decisions.md, "required parts"). A step's part counts only if the
 * procedure's own list does not contain it. Throws BAD_USER_INPUT naming an unknown part, FORBIDDEN naming each requested part outside the
 * key's sites.
 */
export async function reserveParts(
  tx: TenantQueryable,
  actor: Actor,
  { id, procedureId }: Pick<Rows["WorkOrder"], "id" | "procedureId">,
  requested: RequestedPart[],
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
         reserved: "t.quantity",
         reservedAt: "now()",
         issuedQuantity: "0",
         returnedQuantity: "0",
         issuedValue: "0",
         substituteFor: "null",
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
  const fieldOf = (i: number) => requested[i]!.field ?? `parts.${i}`;
  const known = new Set(parts.map(({ partId }) => partId));
  const unknown = requested.flatMap(({ partId }, i) =>
    known.has(partId) ? [] : [[`${fieldOf(i)}.partId`, "names no part; use the id of an existing one"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
  const entries = parts.map(({ partId, site, quantity }): SitedEntry => {
    const at = requested.findIndex((part) => part.partId === partId);
    const asked = at < 0 ? { isPlanned: true } : { field: `${fieldOf(at)}.quantity` };
    return { partId, site, type: "reserve", reserve: quantity, reason: "Work order", reference: id, ...asked };
  });
  await postEntries(tx, actor, entries);
}

/** Releases the reservations of a cancelled work order. Issued parts stay issued until they are returned. */
export async function releaseParts(tx: TenantQueryable, actor: Actor, id: string): Promise<void> {
  const reserved = await tx.query<Pick<Rows["WorkOrderPart"], "partId" | "site" | "reserved">>(
    `select "partId", site, reserved from "WorkOrderPart" where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved'`,
    id,
  );
  if (!reserved.length) return;
  // Levels are locked before lines, in the same order as in the reversal of an issue to the order.
  await lockPlaces(tx, reserved);
  await tx.query(
    `update "WorkOrderPart" set status = case when "issuedQuantity" > "returnedQuantity" then 'issued' else 'released' end
     where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved'`,
    id,
  );
  const entries = reserved.flatMap(({ partId, site, reserved }): SitedEntry[] =>
    reserved
      ? [{ partId, site, type: "unreserve", reserve: -reserved, reason: "Work order cancelled", reference: id, isPlanned: true }]
      : [],
  );
  await postEntries(tx, actor, entries);
}

interface Line {
  partId: string;
  site: string;
  reserved: number;
  used: number;
  /** Quantity to issue. Negative for a return. */
  change: number;
  bookDiscrepancy: boolean | null;
}

/**
 * Settles the parts of a completed work order. Earlier issues count: the remaining used quantity is issued, an excess is returned, and
 * reservations are released. Omitted parts count as used in the quantity issued and reserved. `occurredAt` is the actual time if the work
 * is recorded afterwards. Throws BAD_USER_INPUT naming an unknown or duplicate part. Throws FORBIDDEN naming each part used beyond its
 * reservation from a site outside the key's sites. Throws CONFLICT with `partId`, `site`, `available` and `requested`.
 */
export async function settleParts(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  used: UsedPartInput[],
  occurredAt: Date | null | undefined,
): Promise<void> {
  const details: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [i, { partId }] of used.entries()) {
    if (seen.has(partId)) details[`usedParts.${i}.partId`] = "is duplicated";
    seen.add(partId);
  }
  const lines = await tx.query<Line>(
    `with used as (
       select distinct on ("partId") "partId", quantity, "bookDiscrepancy", at
       from rows from (jsonb_to_recordset($3::jsonb) as ("partId" text, quantity numeric, "bookDiscrepancy" boolean)) with ordinality used("partId", quantity, "bookDiscrepancy", at)
     ), line as (
       select "partId", site, reserved, "issuedQuantity" - "returnedQuantity" as net from "WorkOrderPart" where "tenantId" = $1 and "workOrderId" = $2
     )
     select p.id as "partId", coalesce(l.site, ${siteOfPart("$4::text[]")}) as site, coalesce(l.reserved, 0) as reserved, u."bookDiscrepancy",
       coalesce(u.quantity, l.net + l.reserved) as used, coalesce(u.quantity - coalesce(l.net, 0), l.reserved) as change
     from used u full join line l on l."partId" = u."partId" join "Part" p on p."tenantId" = $1 and p.id = coalesce(u."partId", l."partId")
     join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId" order by u.at, p.id`,
    id,
    JSON.stringify(used),
    actor.sites,
  );
  const known = new Set(lines.map(({ partId }) => partId));
  for (const [i, { partId }] of used.entries())
    if (!known.has(partId)) details[`usedParts.${i}.partId`] ??= "names no part; use the id of an existing one";
  if (Object.keys(details).length) throw badInput(details);
  if (!lines.length) return;
  const fieldOf = (partId: string) => {
    const at = used.findIndex((part) => part.partId === partId);
    return at < 0 ? "usedParts" : `usedParts.${at}.quantity`;
  };
  const reason = "Work order completed";
  const issues = lines.flatMap(({ partId, site, reserved, change, bookDiscrepancy }): Issue[] => {
    if (change <= 0) return [];
    const entry = {
      partId,
      site,
      reason,
      reference: id,
      workOrderId: id,
      occurredAt,
      field: fieldOf(partId),
      ...(reserved && { reserve: -reserved }),
    };
    return [{ ...entry, type: "issue", quantity: -change, isPlanned: change <= reserved, bookDiscrepancy: bookDiscrepancy ?? false }];
  });
  const releases = lines.flatMap(({ partId, site, reserved, change }): SitedEntry[] =>
    change <= 0 && reserved ? [{ partId, site, type: "unreserve", reserve: -reserved, reason, reference: id, isPlanned: true }] : [],
  );
  const excess = lines.flatMap(({ partId, change }) => (change < 0 ? [{ partId, quantity: -change, field: fieldOf(partId) }] : []));
  const returns = await withNumbers(tx, await returnable(tx, id, excess), [], false);
  await issueStock(tx, actor, id, issues, releases, () => settleLines(tx, id, lines), returns);
  await postReturns(tx, actor, id, returns, { reason });
}

const settleLines = (tx: TenantQueryable, id: string, lines: Line[]) =>
  tx.query(
    `${insertSelect(
      "WorkOrderPart",
      {
        workOrderId: "$2",
        partId: `used."partId"`,
        site: "used.site",
        quantity: "0",
        usedQuantity: "used.used",
        status: "case when used.used > 0 then 'issued' else 'released' end",
        reserved: "0",
        reservedAt: "null::timestamptz",
        issuedQuantity: "0",
        returnedQuantity: "0",
        issuedValue: "0",
        substituteFor: "null",
      },
      `jsonb_to_recordset($3::jsonb) as used("partId" text, site text, used numeric)`,
      "k",
    )} on conflict ("tenantId", "workOrderId", "partId") do update set status = excluded.status, "usedQuantity" = excluded."usedQuantity"`,
    id,
    JSON.stringify(lines),
  );
