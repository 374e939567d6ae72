/**
 * Stock that a work order may issue and return (docs/stock.md, "Material of a work order"). It may take the allocation of its own
 * reservations and stock that is available to all, but not the allocation of other owners.
 */

import type { TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { firstToExpire } from "../../inventory/stock/first-to-expire.js";
import { guardEntries, lockPlaces, postEntries } from "../../inventory/stock/ledger.js";
import { inRounds, type Posted, type SitedEntry } from "../../inventory/stock/ledger-entry.js";
import { insufficient } from "../../inventory/stock/ledger-refusals.js";
import { allowances, placeOf } from "../../inventory/stock/reservations.js";
import { checkNumbers } from "../../inventory/stock/serials.js";
import { stockSettings } from "../../inventory/stock/stock-settings.js";
import type { Issue, Return, Wanted } from "./entries.js";
import { foundOf, moveAll } from "./numbers.js";

const round = (quantity: number) => Math.round(quantity * 10_000) / 10_000;

/**
 * Posts issues to an order and related entries, at most one per level. `write` updates the order's lines after the allowances are checked.
 * Call with the order locked. Throws FORBIDDEN for another site, CONFLICT with `partId`, `site`, `available` and `requested`.
 */
export async function issueStock(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  issues: Issue[],
  others: SitedEntry[],
  write: () => Promise<unknown>,
  alsoLocked: { partId: string; site: string }[] = [],
): Promise<Posted[]> {
  await guardEntries(tx, actor, [...issues, ...others]);
  await lockPlaces(tx, [...issues, ...others, ...alsoLocked]);
  const allowed = issues.length ? await allowances(tx, id, issues) : new Map<string, number>();
  const lackOf = (issue: Issue) => round(Math.max(0, -issue.quantity - (allowed.get(placeOf(issue)) ?? 0)));
  const refused = issues.find((issue) => !issue.bookDiscrepancy && lackOf(issue) > 0);
  if (refused) {
    const { partId, site, quantity } = refused;
    throw await insufficient(tx, refused, { partId, site }, allowed.get(placeOf(refused)) ?? 0, -quantity);
  }
  const found = issues.filter((issue) => lackOf(issue) > 0);
  if (found.length && !(await stockSettings(tx)).bookDiscrepancyAllowed)
    throw badInput(
      Object.fromEntries(
        found.map(({ field }) => [
          field?.replace(/quantity$/, "bookDiscrepancy") ?? "bookDiscrepancy",
          "is not allowed by the stock settings; have the stock counted",
        ]),
      ),
    );
  const unnamed = issues.find(({ takesFirst }) => takesFirst);
  if (unnamed) {
    const { partId, site } = unnamed;
    // The batch of pieces that the books do not know must be named.
    if (lackOf(unnamed) === 0) unnamed.batchNumber = await firstToExpire(tx, unnamed, { partId, site });
    await checkNumbers(tx, unnamed);
  }
  await postFound(tx, actor, await Promise.all(found.map((issue) => foundOf(tx, issue, lackOf(issue)))));
  await write();
  const posted = await postEntries(tx, actor, [...issues, ...others]);
  await moveAll(tx, posted);
  return posted;
}

/** Posts used stock that is missing in the books as a gain pending approval, and requests a recount. */
async function postFound(tx: TenantQueryable, actor: Actor, found: Issue[]): Promise<void> {
  if (!found.length) return;
  const gains = found.map(({ partId, site, quantity, reference, field, serialNumbers, batchNumber }): SitedEntry => {
    const reason = "Used by a work order, not in the books";
    const gain = { partId, site, quantity, reference, field, reason, serialNumbers, batchNumber };
    return { ...gain, type: "cycle_count", adjustmentType: "count", isUsed: true };
  });
  await moveAll(tx, await postEntries(tx, actor, gains));
  await tx.query(
    `update "StockLevel" set "recountRequestedAt" = coalesce("recountRequestedAt", now())
     where "tenantId" = $1 and ("partId", site) in (select k.id, k.site from unnest($2::text[], $3::text[]) k(id, site))`,
    gains.map(({ partId }) => partId),
    gains.map(({ site }) => site),
  );
}

/**
 * Locks the issues to an order and distributes the requested returns among them, latest first. Throws BAD_USER_INPUT for parts that were
 * never issued, CONFLICT with `requested` and `available`, the quantity that was issued and not returned.
 */
export async function returnable(tx: TenantQueryable, id: string, wanted: Wanted[]): Promise<Return[]> {
  if (!wanted.length) return [];
  const ofOrder = `m."tenantId" = $1 and m."workOrderId" = $2 and m.type = 'issue'`;
  await tx.query(`select 1 from "StockMovement" m where ${ofOrder} order by m.id for update`, id);
  const rows = await tx.query<Return & { at: number; left: number }>(
    `with issue as (
       select m.id, m."partId", m.site, m."performedAt", -m.quantity - coalesce((
         select sum(r.quantity) from "StockMovement" r where r."tenantId" = $1 and r."originId" = m.id and r.type = 'return'
           and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = r.id)), 0) as rest
       from "StockMovement" m where ${ofOrder} and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = m.id)
     ), matched as (
       select w.at::int as at, w.quantity as wanted, i.id, i."partId", i.site, i.rest, sum(i.rest) over (partition by w.at) as total,
         sum(i.rest) over (partition by w.at order by i."performedAt" desc, i.id desc rows unbounded preceding) - i.rest as before
       from rows from (jsonb_to_recordset($3::jsonb) as ("partId" text, "movementId" text, quantity numeric)) with ordinality w("partId", "movementId", quantity, at)
       join issue i on i."partId" = coalesce(w."partId", i."partId") and i.id = coalesce(w."movementId", i.id)
     ) select at, id as "originId", "partId", site, least(rest, wanted - before) as quantity, total as left from matched where before < wanted order by at, before`,
    id,
    JSON.stringify(wanted),
  );
  for (const [i, { quantity, field, partId }] of wanted.entries()) {
    const found = rows.find(({ at }) => at === i + 1);
    if (!found) throw badInput({ [partId == null ? "movementId" : "partId"]: "names nothing that was issued to the work order" });
    const { left } = found;
    if (left < quantity)
      throw conflict("Quantity exceeds what was issued to the work order and not returned", {
        ...(partId != null && { partId }),
        available: left,
        requested: quantity,
      }).about(field ?? "quantity");
  }
  const taken = rows.filter(({ quantity }) => quantity > 0);
  return taken.map(({ originId, partId, site, quantity, at }) => ({ originId, partId, site, quantity, field: wanted[at - 1]!.field }));
}

/**
 * Posts returns, by default to the site of each issue. Posts in rounds with one entry per level, because several issues may come from the
 * same level. Usually one round suffices.
 */
export async function postReturns(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  returns: Return[],
  { site, ...words }: { site?: string | null; reason: string; notes?: string | null },
): Promise<Rows["StockMovement"][]> {
  const all = returns.map(({ site: from, ...one }): SitedEntry => {
    const to = site ?? from;
    return { ...words, ...one, site: to, type: "return", reference: id, workOrderId: id, isPlanned: to === from };
  });
  await guardEntries(tx, actor, all);
  await lockPlaces(tx, all);
  const posted: Posted[] = [];
  for (const entries of inRounds(all)) posted.push(...(await postEntries(tx, actor, entries)));
  await moveAll(tx, posted);
  return posted.map(({ movement }) => movement);
}
