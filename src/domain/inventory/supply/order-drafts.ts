/** Drafts of purchase orders from order proposals (docs/supply.md, "Reorder"). */
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertRows } from "../../../database/rows/writer.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { DraftProposalInput, DraftPurchaseOrdersInput } from "../../../schema/inventory/parts/reorder-proposal.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { type ReadPlans, type ReorderProposal, reorderProposals } from "../parts/reorder.js";
import { type PlacedLine, placeLines, setTotals } from "./purchase-lines.js";
import { inactiveSupplier, nextNumbers, type PurchaseOrder } from "./purchase-orders.js";

/** Maximum number of proposals of a request, and therefore of lines of an order. */
const mostProposals = 200;

const placeOf = ({ partId, site }: Pick<DraftProposalInput, "partId" | "site">) => JSON.stringify([partId, site]);

function checkProposals(actor: Actor, proposals: DraftProposalInput[]): void {
  if (!proposals.length || proposals.length > mostProposals) throw badInput({ proposals: `must have 1 to ${mostProposals} entries` });
  const seen = new Set<string>();
  for (const [i, proposal] of proposals.entries()) {
    guardSite(actor, proposal.site);
    if (seen.has(placeOf(proposal))) throw badInput({ [`proposals.${i}`]: "is duplicated; name each part and site once" });
    seen.add(placeOf(proposal));
  }
}

/** Locks the parts until the drafts are stored, so that a request at the same time finds the drafts. Throws BAD_USER_INPUT naming unknown parts. */
async function lockProposedParts(tx: TenantQueryable, proposals: DraftProposalInput[]): Promise<void> {
  const ids = [...new Set(proposals.map(({ partId }) => partId))];
  const locked = await tx.query<{ id: string }>(
    `select p.id from "Part" p where p."tenantId" = $1 and p.id = any($2) order by p.id for no key update of p`,
    ids,
  );
  const known = new Set(locked.map(({ id }) => id));
  const unknown = proposals.flatMap(({ partId }, i) =>
    known.has(partId) ? [] : [[`proposals.${i}.partId`, "names no part; use the id of an existing one"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
}

/** Locks suppliers, so that none becomes inactive before its orders are stored. */
async function lockSuppliers(tx: TenantQueryable, ids: string[]): Promise<void> {
  const suppliers = await tx.query<{ id: string; isActive: boolean }>(
    `select a.id, a."isActive" from "SupplierAccount" a where a."tenantId" = $1 and a.id = any($2) order by a.id for share of a`,
    ids,
  );
  const inactive = suppliers.find(({ isActive }) => !isActive);
  if (inactive) throw inactiveSupplier(inactive.id);
}

interface Draft {
  supplierId: string;
  site: string;
  currency: string;
  lines: Omit<PlacedLine, "order">[];
}

const withoutSupplier = "has no supplier to order from; set its supplier part, and prefer one of several";
const withoutCurrency = "has a supplier without a currency; set that of the supplier or of the stock";

/** The drafts by supplier, site and currency. Throws CONFLICT for a part that is not proposed, BAD_USER_INPUT naming parts without a supplier. */
function draftsOf(proposals: DraftProposalInput[], current: ReorderProposal[]): Draft[] {
  const byPlace = new Map(current.map((one) => [placeOf(one), one]));
  const drafts = new Map<string, Draft>();
  const details: Record<string, string> = {};
  for (const [i, proposal] of proposals.entries()) {
    const { partId, site, quantity, price } = proposal;
    const found = byPlace.get(placeOf(proposal));
    if (!found)
      throw conflict("The stock with open orders and drafts suffices; nothing is proposed", { partId, site }).about(`proposals.${i}`);
    const { offer } = found;
    if (!offer) details[`proposals.${i}.partId`] = withoutSupplier;
    else if (offer.currency === null) details[`proposals.${i}.partId`] = withoutCurrency;
    else {
      const { supplierId, currency } = offer;
      const key = JSON.stringify([supplierId, site, currency]);
      const draft = drafts.get(key) ?? { supplierId, site, currency, lines: [] };
      drafts.set(key, draft);
      const line = { partId, quantity: quantity ?? offer.quantity, price };
      draft.lines.push({ line, position: draft.lines.length + 1, at: `proposals.${i}` });
    }
  }
  if (Object.keys(details).length) throw badInput(details);
  return [...drafts.values()];
}

/**
 * Creates a draft per supplier, site and currency from proposals, which are computed again. Throws BAD_USER_INPUT naming a duplicated
 * proposal, an unknown part, a part without a supplier or price, or an invalid quantity; CONFLICT for a part that is not proposed any more;
 * FORBIDDEN for another site.
 */
export function draftPurchaseOrders(
  db: TenantDatabase,
  actor: Actor,
  readPlans: ReadPlans,
  { proposals }: DraftPurchaseOrdersInput,
): Promise<PurchaseOrder[]> {
  checkProposals(actor, proposals);
  return db.transaction(async (tx) => {
    await lockProposedParts(tx, proposals);
    const drafts = draftsOf(proposals, await reorderProposals(tx, readPlans, { partIds: proposals.map(({ partId }) => partId) }));
    await lockSuppliers(tx, [...new Set(drafts.map(({ supplierId }) => supplierId))]);
    const numbers = await nextNumbers(tx, drafts.length);
    const author = { createdBy: actor.principalId, updatedBy: actor.principalId };
    const orders = await insertRows(
      tx,
      "PurchaseOrder",
      drafts.map(({ supplierId, site, currency }, i) => ({ id: newId(), ...numbers[i]!, supplierId, site, currency, ...author })),
    );
    const byNumber = new Map(orders.map((order) => [order.number, order]));
    await placeLines(
      tx,
      actor,
      drafts.flatMap(({ lines }, i) => lines.map((line) => ({ ...line, order: byNumber.get(numbers[i]!.number)! }))),
    );
    return setTotals(
      tx,
      orders.map(({ id }) => id),
    );
  });
}
