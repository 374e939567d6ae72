/** Approval of purchase orders (docs/supply.md, "Approval"): submission, decisions, rules and delegations. */
import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, atVersionSql, versionConflict } from "../../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { storedId } from "../../../schema/access/principal.js";
import { badInput, conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { PurchaseApprovalRuleInput } from "../../../schema/inventory/supply/purchase-approval.js";
import type { Actor } from "../../access/keys.js";
import { checkLines } from "./purchase-lines.js";
import { changeOrder, notChanged, type PurchaseOrder } from "./purchase-orders.js";

type Rule = Rows["PurchaseApprovalRule"];
type Delegation = Rows["PurchaseDelegation"];

/**
 * The strictest rule that applies to an order: with the highest amount, then for its site, then for a category. The amount of a rule with a
 * category is that of its parts. Without a known exchange rate, every rule applies.
 */
const strictestRule = `select ${rowColumns("PurchaseApprovalRule", "r")}, s.currency as "stockCurrency"
  from "PurchaseOrder" o join "PurchaseApprovalRule" r on r."tenantId" = $1 and (r.site is null or r.site = o.site)
  left join "StockSettings" s on s."tenantId" = $1
  cross join lateral (
    select sum(l.amount) * case when o.currency = coalesce(s.currency, o.currency) then 1 else o."exchangeRate" end as amount, count(*) as lines
    from "PurchaseOrderLine" l left join "Part" p on p."tenantId" = $1 and p.id = l."partId"
    where l."tenantId" = $1 and l."orderId" = o.id and (r.category is null or p.category = r.category)
  ) a
  where o."tenantId" = $1 and o.id = $2 and a.lines > 0 and coalesce(a.amount >= r."minimumAmount", true)
  order by r."minimumAmount" desc, r.site is null, r.category is null, r.id limit 1`;

/** A rule as the order keeps it. */
const textOf = ({ minimumAmount, category, site, stockCurrency }: Rule & { stockCurrency: string | null }) =>
  [`From ${minimumAmount}${stockCurrency === null ? "" : ` ${stockCurrency}`}`, category && `category ${category}`, site && `site ${site}`]
    .filter(Boolean)
    .join(", ");

/** A draft, locked until the transaction ends. Throws NOT_FOUND, FORBIDDEN for another site, CONFLICT with the status. */
async function lockDraft(tx: TenantQueryable, actor: Actor, id: string, expected: Expected) {
  const [draft] = await tx.query<PurchaseOrder & { lines: number; isActive: boolean }>(
    `select ${rowColumns("PurchaseOrder", "o")}, a."isActive",
       (select count(*)::int from "PurchaseOrderLine" l where l."tenantId" = $1 and l."orderId" = o.id) as lines
     from "PurchaseOrder" o join "SupplierAccount" a on a."tenantId" = $1 and a.id = o."supplierId"
     where o."tenantId" = $1 and o.id = $2 and o.status = 'draft' for no key update of o`,
    id,
  );
  if (!draft) throw await notChanged(tx, actor, id, expected);
  return draft;
}

/**
 * Submits a draft: it awaits approval if a rule applies, and is approved otherwise. If the rule's approver is the author or submitter, any
 * other manager may approve. Throws NOT_FOUND, FORBIDDEN, CONFLICT with the status or version, for an order without lines, an inactive supplier
 * or part, and BAD_USER_INPUT naming the lines with a quantity that the supplier does not sell.
 */
export const submitPurchaseOrder = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const draft = await lockDraft(tx, actor, id, expected);
    if (!draft.lines) throw conflict("The purchase order has no lines; add one first", { purchaseOrderId: id });
    if (!draft.isActive) throw conflict("The supplier is inactive; activate it first", { supplierId: draft.supplierId });
    await checkLines(tx, draft);
    const [rule] = await tx.query<Rule & { stockCurrency: string | null }>(strictestRule, id);
    const approverId = rule?.approverId ?? null;
    const isOwn = approverId === draft.createdBy || approverId === actor.principalId;
    const changes = {
      status: rule ? ("awaiting_approval" as const) : ("approved" as const),
      submittedAt: nowDate(),
      submittedBy: actor.principalId,
      approvalRule: rule ? textOf(rule) : null,
      approverId: isOwn ? null : approverId,
      approvedAt: null,
      approvedBy: null,
      approvedFor: null,
    };
    return changeOrder(tx, actor, id, ["draft"], changes, expected);
  });

/** Whether `$3` is the approver, or stands for it by a delegation in force. Any manager decides for an approver who has become inactive. */
const mayDecide = `(o."approverId" is null or o."approverId" = $3
  or exists (select from "Principal" p where p."tenantId" = $1 and p.id = o."approverId" and not p."isActive") or exists (select from "PurchaseDelegation" d
  where d."tenantId" = $1 and d."principalId" = o."approverId" and d."delegateId" = $3 and d."endsAt" > now()))`;

const decisions = {
  approve: `status = 'approved', "approvedAt" = now(), "approvedBy" = $3, "approvedFor" = nullif(o."approverId", $3)`,
  decline: `status = 'draft', "declinedAt" = now(), "declinedBy" = $3`,
};

/** The error for an order that was not decided. */
async function notDecided(tx: TenantQueryable, actor: Actor, id: string, expected: Expected): Promise<Error> {
  const order = await tx.records.PurchaseOrder.find({ id, status: "awaiting_approval" });
  if (!order) return notChanged(tx, actor, id, expected);
  const refused = await notChanged(tx, actor, id, expected);
  if (expected != null && order.version !== expected) return refused;
  if (order.createdBy === actor.principalId || order.submittedBy === actor.principalId)
    return forbidden("A purchase order must be decided by another person than its author and the one who submitted it");
  return forbidden("This purchase order must be decided by the person that its approval rule names, or a delegate");
}

/**
 * Approves or declines a submitted order. A declined one is a draft again. Throws NOT_FOUND, CONFLICT with the status or version, FORBIDDEN
 * for the author, the submitter, another site, or a person other than the rule's approver and its delegates.
 */
export const decidePurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  decision: keyof typeof decisions,
  reason: string | null,
  expected?: Expected,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const [decided] = await tx.query<PurchaseOrder>(
      `update "PurchaseOrder" o set ${decisions[decision]}, "decisionReason" = $4, "updatedBy" = $3
       where o."tenantId" = $1 and o.id = $2 and o.status = 'awaiting_approval' and o."createdBy" <> $3 and o."submittedBy" <> $3 and ${mayDecide}
         and ${atVersionSql("o", "$5")} and ($6::text[] = '{}' or o.site = any($6)) returning ${rowColumns("PurchaseOrder", "o")}`,
      id,
      actor.principalId,
      reason,
      expected ?? null,
      actor.sites,
    );
    return decided ?? Promise.reject(await notDecided(tx, actor, id, expected));
  });

const unknownRule = (purchaseApprovalRuleId: string) => notFound("Purchase approval rule", { purchaseApprovalRuleId });

/** The values of a rule. Throws BAD_USER_INPUT unless approverId names an active person. */
async function valuesOf(db: TenantQueryable, { minimumAmount, category = null, site = null, approverId }: PurchaseApprovalRuleInput) {
  const id = approverId == null ? null : storedId(approverId);
  if (id !== null && !(await db.records.Principal.find({ id, kind: "person", isActive: true })))
    throw badInput({ approverId: "names no active person; use the id of an existing one" });
  return { minimumAmount, category, site, approverId: id };
}

/** Throws BAD_USER_INPUT naming an unknown approver, FORBIDDEN for a key limited to sites. */
export const createApprovalRule = async (db: TenantQueryable, actor: Actor, input: PurchaseApprovalRuleInput): Promise<Rule> =>
  db.records.PurchaseApprovalRule.create(actor.principalId, await valuesOf(db, input));

/** Replaces all values of a rule. Throws NOT_FOUND, CONFLICT for another version, and the errors of `createApprovalRule`. */
export async function updateApprovalRule(
  db: TenantQueryable,
  actor: Actor,
  id: string,
  input: PurchaseApprovalRuleInput,
  expected?: Expected,
): Promise<Rule> {
  const where = { id, ...atVersion(expected) };
  const rule = await db.records.PurchaseApprovalRule.update(actor.principalId, where, await valuesOf(db, input));
  return rule ?? Promise.reject((await versionConflict(db, "PurchaseApprovalRule", id, expected)) ?? unknownRule(id));
}

/** Deletes a rule. Returns the time. Throws NOT_FOUND, CONFLICT for another version, FORBIDDEN for a key limited to sites. */
export async function deleteApprovalRule(db: TenantQueryable, id: string, expected?: Expected): Promise<Date> {
  const removed = await db.records.PurchaseApprovalRule.remove({ id, ...atVersion(expected) });
  if (!removed) throw (await versionConflict(db, "PurchaseApprovalRule", id, expected)) ?? unknownRule(id);
  return nowDate();
}

const delegate = `${insertSelect(
  "PurchaseDelegation",
  { id: "gen_random_uuid()", principalId: "$2", delegateId: "p.id", createdAt: "now()", endsAt: "$4::timestamptz" },
  `"Principal" p where p."tenantId" = $1 and p.id = $3 and p.kind = 'person' and p."isActive"`,
)} on conflict ("tenantId", "principalId", "delegateId") do update set "endsAt" = excluded."endsAt" returning ${rowColumns("PurchaseDelegation")}`;

/** Lets another person approve for the caller until an end. A second call sets another end. Throws BAD_USER_INPUT naming delegateId or endsAt. */
export async function delegateApproval(db: TenantQueryable, actor: Actor, delegateId: string, endsAt: Date): Promise<Delegation> {
  const id = storedId(delegateId);
  if (id === actor.principalId) throw badInput({ delegateId: "must name another person" });
  if (endsAt <= nowDate()) throw badInput({ endsAt: "must be in the future" });
  const [delegation] = await db.query<Delegation>(delegate, actor.principalId, id, endsAt);
  if (!delegation) throw badInput({ delegateId: "names no active person; use the id of an existing one" });
  return delegation;
}

/** Ends a delegation now. Throws NOT_FOUND, also for another person's delegation unless the caller is an admin for all sites, CONFLICT if it has ended. */
export async function endDelegation(db: TenantQueryable, actor: Actor, id: string): Promise<Delegation> {
  const isAdmin = actor.role === "admin" && !actor.sites.length;
  const [ended] = await db.query<Delegation>(
    `update "PurchaseDelegation" d set "endsAt" = now() where d."tenantId" = $1 and d.id = $2 and d."endsAt" > now() and (d."principalId" = $3 or $4)
     returning ${rowColumns("PurchaseDelegation", "d")}`,
    id,
    actor.principalId,
    isAdmin,
  );
  if (ended) return ended;
  const found = await db.records.PurchaseDelegation.find({ id });
  if (!found || (found.principalId !== actor.principalId && !isAdmin)) throw notFound("Purchase delegation", { purchaseDelegationId: id });
  throw conflict("The delegation has ended", { endsAt: found.endsAt });
}
