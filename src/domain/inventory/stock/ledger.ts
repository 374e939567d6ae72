/**
 * The stock ledger (docs/stock.md; docs/interface.md 2.4–2.6, 4.3). Only this module writes quantity, value, reserved, blocked, sequence
 * and unitCost. Every change is one conditional statement that updates the balances and inserts its movement. Therefore both balances
 * always equal the sum of the movements, and concurrent writers cannot oversell stock.
 */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, rowColumns, rowFromJson } from "../../../database/rows/catalogue.js";
import type { Actor } from "../../access/keys.js";
import { foreignSite, guardSite, isForeign } from "../../access/site-guard.js";
import { expiredStock } from "./expired.js";
import type { Entry, Posted, SitedEntry } from "./ledger-entry.js";
import { detailsOf, refuse, refuseClosedPeriod } from "./ledger-refusals.js";
import { partCost } from "./stock-settings.js";
import { siteOf } from "./stock-site.js";
import { average, costIsKnown, fitsValuation, given, quantity, valuation, value } from "./valuation.js";

/**
 * CTE `e`: the entries with their sites (`at`). An unknown part yields no row, an ambiguous site a null. A single entry is read as a
 * record, because PostgreSQL estimates 100 rows for a record set and would scan all stock levels to join them.
 */
const entries = (many: boolean, isPlain: boolean) => `
with e as materialized (
  select input.*, ${partCost("p")} as price, ${valuation} as valuation, ${given(isPlain)} as given, coalesce(input.site, (
      select case count(*) when 0 then coalesce(p.site, 'main') when 1 then min(l.site) end
      from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null)) as at
  from jsonb_to_record${many ? "set" : ""}($2::jsonb) as input(id text, "adjustmentId" text, "partId" text, site text, type text, quantity numeric, target numeric, reserve numeric,
    "limit" text, "unitCost" numeric, value numeric, "reversalOf" text, "originId" text, unblock numeric, "workOrderId" text, reason text, reference text, notes text, location text,
    "occurredAt" timestamptz, "performedAt" timestamptz, "expectedBalance" numeric, "adjustmentType" text, "isUsed" boolean, expensed numeric, layers jsonb,
    "serialNumbers" text[], "batchNumber" text, "expiryDate" timestamptz, "isUnnumbered" boolean)
  join "Part" p on p."tenantId" = $1 and p.id = input."partId" and (input."isUnnumbered" is not true or not (p."tracksSerials" or p."tracksBatches"))
    and ${fitsValuation(isPlain)}
)`;

/** Locks stock levels in key order to avoid deadlocks. */
const lockedLevels = `, locked as materialized (
  select s."partId", s.site from "StockLevel" s join e on e."partId" = s."partId" and e.at = s.site
  where s."tenantId" = $1 order by s."partId", s.site for update of s
)`;

/** SQL of the other new balances, and of the change of available stock. */
const reserved = `s.reserved + coalesce(e.reserve, 0)`;
const gain = `case when e."adjustmentType" is not null and e."isUsed" is not true then greatest(${quantity} - s.quantity, 0) else 0 end`;
const blocked = `s.blocked + ${gain} - coalesce(e.unblock, 0)`;
const availableChange = `${quantity} - s.quantity - coalesce(e.reserve, 0) - ${gain} + coalesce(e.unblock, 0)`;

const isReservation = (type = "type") => `${type} in ('reserve', 'unreserve')`;

const insertMovement = insertSelect(
  "StockMovement",
  {
    id: "id",
    partId: `"partId"`,
    site: "site",
    sequence: "sequence",
    type: "type",
    quantity: `case when ${isReservation()} then reserve else quantity - "previousQuantity" end`,
    previousBalance: `"previousQuantity"`,
    newBalance: "quantity",
    reservedBalance: "reserved",
    unitCost: `case when "costMissing" then null when valuation = 'none' then "unitCost" when valuation = 'unit' then round((value - "previousValue") / (quantity - "previousQuantity"), 4)
      when quantity > "previousQuantity" then coalesce("unitCost", round((value - "previousValue") / (quantity - "previousQuantity"), 4))
      when quantity < "previousQuantity" and "previousValue" > 0 then round("previousValue" / "previousQuantity", 4) else cost end`,
    totalValue: `case when ${isReservation()} or valuation = 'none' then 0 when "costMissing" or cost is null then null else value - "previousValue" end`,
    value: `value - "previousValue"`,
    valueBalance: "value",
    costMissing: `"costMissing"`,
    reason: "reason",
    reference: "reference",
    notes: "notes",
    performedBy: "$3",
    performedByName: "$4",
    performedAt: `"movedAt"`,
    occurredAt: `"occurredAt"`,
    reversalOf: `"reversalOf"`,
    originId: `"originId"`,
    workOrderId: `"workOrderId"`,
    expensed: `case when type = 'price_difference' then "previousValue" - value else expensed end`,
    layers: "layers",
    serialNumbers: `coalesce("serialNumbers", '{}')`,
    batchNumber: `"batchNumber"`,
    expiryDate: `"expiryDate"`,
    valuation: "valuation",
  },
  "moved",
);

const insertAdjustment = insertSelect(
  "StockAdjustment",
  {
    id: `m."adjustmentId"`,
    movementId: "v.id",
    partId: `v."partId"`,
    site: "v.site",
    adjustmentType: `m."adjustmentType"`,
    quantity: "v.quantity",
    previousBalance: `v."previousBalance"`,
    newBalance: `v."newBalance"`,
    unitCost: `v."unitCost"`,
    totalValue: `v."totalValue"`,
    reason: "v.reason",
    notes: "v.notes",
    location: `m."atLocation"`,
    performedBy: "$3",
    performedAt: `v."performedAt"`,
    approvedBy: "null",
    approvedAt: "null::timestamptz",
    rejectedBy: "null",
    rejectedAt: "null::timestamptz",
    blockedQuantity: "m.gain",
    decisionReason: "null",
  },
  // Starts from the few rows with an adjustment. PostgreSQL estimates one row, and a join would compare every movement with all others.
  `moved m cross join lateral (select ${rowColumns("StockMovement")} from movement where id = m.id offset 0) v where m."adjustmentId" is not null`,
);

const post = (many: boolean, isPlain: boolean) => `${entries(many, isPlain)}${many ? lockedLevels : ""}, moved as (
  update "StockLevel" s set
    "previousQuantity" = s.quantity, "previousReserved" = s.reserved, "previousValue" = s.value,
    quantity = ${quantity}, reserved = ${reserved}, blocked = ${blocked}, value = ${value}, sequence = s.sequence + 1, "valuedSequence" = s.sequence + 1,
    "unitCost" = case when ${isReservation("e.type")} then s."unitCost" when e.valuation = 'none' then null when ${quantity} > 0 and (e.valuation = 'unit' or ${costIsKnown(quantity, "s.quantity", `s."unitCost"`)}) then ${average} else s."unitCost" end,
    location = coalesce(e.location, s.location),
    -- What is released of a deleted record, or ends by itself, does not bring it back.
    "deletedAt" = case when e.type = 'unreserve' then s."deletedAt" end,
    -- Read under the row lock and always later than before, so that time increases with the sequence.
    "movedAt" = coalesce(e."performedAt", greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')),
    "updatedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')
  from e${many ? ` join locked on locked."partId" = e."partId" and locked.site = e.at` : ""}
  where s."tenantId" = $1 and s."partId" = e."partId" and s.site = e.at
    and (e.target is null or e.target <> s.quantity) and ${quantity} >= 0 and ${reserved} >= 0 and ${blocked} >= 0
    and (e."limit" is null or ${quantity} - (${reserved}) - (${blocked}) - ${expiredStock("s")} >= 0 or ${availableChange} >= 0)
    and (e.given is null or s.value + e.given >= 0 and (${quantity} > 0 or s.value + e.given = 0))
    and (e."performedAt" is null or s."movedAt" is null or e."performedAt" > s."movedAt")
    and (e."expectedBalance" is null or e."expectedBalance" = s.quantity)
  returning s."partId", s.site, s.quantity, s."previousQuantity", s.reserved, s.value, s."previousValue", s.sequence, s."movedAt", e.id, e."adjustmentId", e.type, e.reserve, e."unitCost",
    e.reason, e.reference, e.notes, e."adjustmentType", e.location as "atLocation", e."occurredAt", e."reversalOf", e."originId", e."workOrderId", e.expensed, e.layers,
    e."serialNumbers", e."batchNumber", e."expiryDate", e.valuation,
    case when s.quantity > s."previousQuantity" and e."adjustmentType" is not null and e."isUsed" is not true then s.quantity - s."previousQuantity" else 0 end as gain,
    s.quantity > s."previousQuantity" and not (${costIsKnown("s.quantity", `s."previousQuantity"`, `s."unitCost"`)}) as "costMissing",
    case when ${isReservation("e.type")} then coalesce(s."unitCost", e.price) else s."unitCost" end as cost
), movement as (
  ${insertMovement} returning ${rowColumns("StockMovement")}
), adjustment as (
  ${insertAdjustment} returning ${rowColumns("StockAdjustment")}
)
select to_jsonb(movement) as movement, to_jsonb(adjustment) as adjustment from movement left join adjustment on adjustment."movementId" = movement.id`;

/** Variants by number of entries, and by whether one derives from another movement or names units. */
const statements = { one: [post(false, true), post(false, false)], many: [post(true, true), post(true, false)] } as const;

const statementFor = (number: keyof typeof statements, entries: Entry[]): string =>
  statements[number][entries.some(({ reversalOf, originId, serialNumbers }) => reversalOf ?? originId ?? serialNumbers?.length) ? 1 : 0];

/** Creates missing stock levels with quantity 0, but only for entries that can succeed on an empty level. */
const createLevels = (many: boolean) => `${entries(many, false)}
insert into "StockLevel" ("tenantId", "partId", site)
select distinct $1, "partId", at from e where at is not null and (coalesce(quantity, 0) > 0 or target > 0 or (reserve > 0 and "limit" is null))
  and coalesce("expectedBalance", 0) = 0 order by 2, 3 on conflict do nothing`;

const createLevelsOne = createLevels(false);
const createLevelsMany = createLevels(true);

const rowOf = (entry: Entry) => ({ ...entry, id: newId(), adjustmentId: entry.adjustmentType ? newId() : null });

/** Rows of a posting, as JSON. */
interface PostedJson {
  movement: Record<string, unknown>;
  adjustment: Record<string, unknown> | null;
}

const postedOf = ({ movement, adjustment }: PostedJson): Posted => ({
  movement: rowFromJson("StockMovement", movement),
  ...(adjustment && { adjustment: rowFromJson("StockAdjustment", adjustment) }),
});

/** An entry with its site, its statement and the statement's parameters. */
interface Located {
  entry: Entry;
  statement: string;
  values: [entry: string, principalId: string, principalName: string];
}

async function locate(db: TenantQueryable, actor: Actor, entry: Entry): Promise<Located> {
  const located = actor.sites.length ? { ...entry, site: await siteOf(db, entry) } : entry;
  if (actor.sites.length) guardSite(actor, located.site!);
  return {
    entry: located,
    statement: statementFor("one", [located]),
    values: [JSON.stringify(rowOf(located)), actor.principalId, actor.principalName],
  };
}

async function postToLevel(db: TenantQueryable, { statement, values }: Located): Promise<Posted | undefined> {
  const [posted] = await db.query<PostedJson>(statement, ...values).catch(refuseClosedPeriod);
  return posted && postedOf(posted);
}

/** Call in a transaction, so that a refused entry does not leave a new level behind. */
async function postToNewLevel(tx: TenantQueryable, located: Located): Promise<Posted | undefined> {
  await tx.query(createLevelsOne, located.values[0]);
  return (await postToLevel(tx, located)) ?? refuse(tx, located.entry);
}

/**
 * Posts one entry. Call in a transaction. Returns undefined if the quantity on hand already equals `target`. Throws NOT_FOUND for an
 * unknown part, BAD_USER_INPUT naming site if it is ambiguous, CONFLICT with `available` and `requested`, or with `expectedBalance` and
 * `currentBalance`, FORBIDDEN for another site.
 */
export async function postEntry(tx: TenantQueryable, actor: Actor, entry: Entry): Promise<Posted | undefined> {
  const located = await locate(tx, actor, entry);
  return (await postToLevel(tx, located)) ?? postToNewLevel(tx, located);
}

/** Posts an entry in a single statement. If that posts nothing, for example because the level is missing, `otherwise` posts it. */
export async function postAlone(
  db: TenantDatabase,
  actor: Actor,
  entry: Entry,
  otherwise: (tx: TenantQueryable) => Promise<Posted | undefined>,
): Promise<Posted | undefined> {
  return (await postToLevel(db, await locate(db, actor, entry))) ?? db.transaction(otherwise);
}

/** Throws FORBIDDEN naming all entries at other sites that are not planned. */
export async function guardEntries(tx: TenantQueryable, actor: Actor, all: SitedEntry[]): Promise<void> {
  const foreign = all.filter(({ site, isPlanned }) => !isPlanned && isForeign(actor, site));
  if (!foreign.length) return;
  const remedy = `enter at most that, and take more only at this key's sites: ${actor.sites.join(", ")}`;
  throw foreignSite(await detailsOf(tx, foreign, (part) => `exceeds what the work order plans of ${part}; ${remedy}`));
}

/**
 * Posts all entries in two statements; no two may have the same part and site. Call in a transaction. Throws the errors of `guardEntries`,
 * and the error of `postEntry` for the first one that fails, with `partId` and `site`.
 */
export async function postEntries(tx: TenantQueryable, actor: Actor, all: SitedEntry[]): Promise<Posted[]> {
  if (!all.length) return [];
  await guardEntries(tx, actor, all);
  const rows = JSON.stringify(all.map(rowOf));
  await tx.query(createLevelsMany, rows);
  const rowsPosted = await tx
    .query<PostedJson>(statementFor("many", all), rows, actor.principalId, actor.principalName)
    .catch(refuseClosedPeriod);
  const posted = rowsPosted.map(postedOf);
  if (posted.length < all.length) {
    const postedParts = new Set(posted.map(({ movement }) => movement.partId));
    const refused = all.find(({ partId }) => !postedParts.has(partId)) ?? all[0]!;
    await refuse(tx, refused, { partId: refused.partId, site: refused.site });
  }
  return posted;
}

/** Creates missing stock levels and locks all of them in key order until the transaction ends. */
export async function lockLevels(tx: TenantQueryable, partId: string, sites: string[]): Promise<void> {
  await tx.query(
    `insert into "StockLevel" ("tenantId", "partId", site) select $1, $2, site from unnest($3::text[]) site order by site on conflict do nothing`,
    partId,
    sites,
  );
  await tx.query(
    `select 1 from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = any($3) order by site for update`,
    partId,
    sites,
  );
}

/** Locks the existing stock levels of these places in key order until the transaction ends. */
export async function lockPlaces(tx: TenantQueryable, places: { partId: string; site: string }[]): Promise<void> {
  if (!places.length) return;
  await tx.query(
    `select 1 from "StockLevel" where "tenantId" = $1 and ("partId", site) in (select k.id, k.site from unnest($2::text[], $3::text[]) k(id, site)) order by "partId", site for update`,
    places.map(({ partId }) => partId),
    places.map(({ site }) => site),
  );
}

/** Locks the part until the transaction ends, against others that depend on its orders or issues. Call before locking its levels. */
export const holdPart = (tx: TenantQueryable, partId: string) =>
  tx.query(`select 1 from "Part" where "tenantId" = $1 and id = $2 for no key update`, partId);

/** Releases approved gains from blocked stock. */
export const unblock = (tx: TenantQueryable, partId: string, site: string, quantity: number) =>
  tx.query(
    `update "StockLevel" set blocked = greatest(blocked - $4, 0) where "tenantId" = $1 and "partId" = $2 and site = $3`,
    partId,
    site,
    quantity,
  );

/** Blocks the quantities of several levels; a negative quantity unblocks. The caller holds the locks of the levels. */
export const changeBlocked = (tx: TenantQueryable, changes: { partId: string; site: string; quantity: number }[]) =>
  changes.length
    ? tx.query(
        `update "StockLevel" s set blocked = greatest(s.blocked + c.quantity, 0) from jsonb_to_recordset($2::jsonb) c("partId" text, site text, quantity numeric)
         where s."tenantId" = $1 and s."partId" = c."partId" and s.site = c.site`,
        JSON.stringify(changes),
      )
    : [];

/** Clears the recount requests of counted levels. */
export const clearRecounts = (tx: TenantQueryable, places: { partId: string; site: string }[]) =>
  tx.query(
    `update "StockLevel" set "recountRequestedAt" = null where "tenantId" = $1 and "recountRequestedAt" is not null
       and ("partId", site) in (select k.id, k.site from unnest($2::text[], $3::text[]) k(id, site))`,
    places.map(({ partId }) => partId),
    places.map(({ site }) => site),
  );
