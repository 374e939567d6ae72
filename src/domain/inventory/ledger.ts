/**
 * The stock ledger (docs/interface.md 2.4–2.6, 4.3). Only this module writes quantity, reserved, sequence and unitCost. Every change is
 * one conditional statement that updates the balance and inserts its movement. Therefore newBalance = previousBalance + quantity
 * always holds, and concurrent writers cannot oversell stock.
 */
import { insertSelect, type Rows, rowColumns, rowFromJson } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/ids.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { AdjustmentType, MovementType } from "../../schema/inventory/enums.js";
import type { Actor } from "../access/keys.js";
import { foreignSite, guardSite, isForeign } from "../access/site-guard.js";

/** A change of the stock of one part at one site. Set `quantity`, `target` or `reserve`; `reserve` may accompany `quantity`. */
export interface Entry {
  partId: string;
  /** If absent, see `siteOf`. */
  site?: string | null;
  type: MovementType;
  /** Signed change of the quantity on hand. */
  quantity?: number;
  /** New quantity on hand: posts the difference, if any. */
  target?: number;
  /** Signed change of the reserved quantity. */
  reserve?: number;
  /** Limits the change to available stock (on hand minus reserved) instead of stock on hand. */
  limit?: "available";
  unitCost?: number | null;
  reason?: string | null;
  reference?: string | null;
  notes?: string | null;
  location?: string | null;
  /** Compare-and-set: posts only if the quantity on hand equals this. */
  expectedBalance?: number | null;
  /** Also creates an adjustment pending approval. */
  adjustmentType?: AdjustmentType;
}

/** An entry of several, for `postEntries`. */
export interface SitedEntry extends Entry {
  site: string;
  /** The plan of a work order of the key's sites covers it, so it follows the order to any site (docs/decisions.md, "parts of a work order"). */
  isPlanned?: boolean;
  /** The field of the caller's input that it comes from; errors name it. */
  field?: string;
}

export interface Posted {
  movement: Rows["StockMovement"];
  adjustment?: AdjustmentRecord;
}

export type AdjustmentRecord = Rows["StockAdjustment"];

/**
 * CTE `e`: the entries with their sites (`at`). An unknown part yields no row, an ambiguous site a null. A single entry is a record, not a
 * set of them: PostgreSQL expects 100 rows of a set, and would read all stock levels to join them.
 */
const entries = (many: boolean) => `
with e as (
  select input.*, p."unitCost" as "partCost", coalesce(input.site, (
      select case count(*) when 0 then coalesce(p.site, 'main') when 1 then min(l.site) end
      from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null)) as at
  from jsonb_to_record${many ? "set" : ""}($2::jsonb) as input(id text, "adjustmentId" text, "partId" text, site text, type text, quantity numeric, target numeric, reserve numeric,
    "limit" text, "unitCost" numeric, reason text, reference text, notes text, location text, "expectedBalance" numeric, "adjustmentType" text)
  join "Part" p on p."tenantId" = $1 and p.id = input."partId"
)`;

/** Locks stock levels in key order to avoid deadlocks. */
const lockedLevels = `, locked as materialized (
  select s."partId", s.site from "StockLevel" s join e on e."partId" = s."partId" and e.at = s.site
  where s."tenantId" = $1 order by s."partId", s.site for update of s
)`;

/** SQL of the new quantity, the new reserved quantity, and the change of available stock. */
const quantity = `coalesce(e.target, s.quantity + coalesce(e.quantity, 0))`;
const reserved = `s.reserved + coalesce(e.reserve, 0)`;
const availableChange = `${quantity} - s.quantity - coalesce(e.reserve, 0)`;

const isReservation = `type in ('reserve', 'unreserve')`;

const insertMovement = insertSelect(
  "StockMovement",
  {
    ...{ id: "id", partId: `"partId"`, site: "site", sequence: "sequence", type: "type" },
    quantity: `case when ${isReservation} then reserve else quantity - "previousQuantity" end`,
    ...{ previousBalance: `"previousQuantity"`, newBalance: "quantity", reservedBalance: "reserved", unitCost: "cost" },
    totalValue: `case when ${isReservation} then 0 else round((quantity - "previousQuantity") * cost, 4) end`,
    ...{ reason: "reason", reference: "reference", notes: "notes", performedBy: "$3", performedByName: "$4", performedAt: `"updatedAt"` },
  },
  "moved",
);

const insertAdjustment = insertSelect(
  "StockAdjustment",
  {
    ...{ id: `m."adjustmentId"`, movementId: "v.id", partId: `v."partId"`, site: "v.site", adjustmentType: `m."adjustmentType"` },
    ...{ quantity: "v.quantity", previousBalance: `v."previousBalance"`, newBalance: `v."newBalance"` },
    ...{ unitCost: `v."unitCost"`, totalValue: `v."totalValue"`, reason: "v.reason", notes: "v.notes", location: `m."atLocation"` },
    ...{ performedBy: "$3", performedAt: `v."performedAt"`, approvedBy: "null", approvedAt: "null::timestamptz" },
    ...{ rejectedBy: "null", rejectedAt: "null::timestamptz" },
  },
  `movement v join moved m on m.id = v.id where m."adjustmentId" is not null`,
);

const post = (many: boolean) => `${entries(many)}${many ? lockedLevels : ""}, moved as (
  update "StockLevel" s set
    "previousQuantity" = s.quantity, "previousReserved" = s.reserved, quantity = ${quantity}, reserved = ${reserved}, sequence = s.sequence + 1,
    -- Incoming stock with a cost changes the moving average; outgoing stock does not.
    "unitCost" = case when ${quantity} > s.quantity and e."unitCost" is not null
      then round((s.quantity * coalesce(s."unitCost", e."unitCost") + (${quantity} - s.quantity) * e."unitCost") / ${quantity}, 4) else s."unitCost" end,
    location = coalesce(e.location, s.location), "deletedAt" = null,
    -- Also the movement's time. Read under the row lock and always later than before, so that time increases with the sequence.
    "updatedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')
  from e${many ? ` join locked on locked."partId" = e."partId" and locked.site = e.at` : ""}
  where s."tenantId" = $1 and s."partId" = e."partId" and s.site = e.at
    and (e.target is null or e.target <> s.quantity) and ${quantity} >= 0 and ${reserved} >= 0
    and (e."limit" is null or ${quantity} - (${reserved}) >= 0 or ${availableChange} >= 0)
    and (e."expectedBalance" is null or e."expectedBalance" = s.quantity)
  returning s."partId", s.site, s.quantity, s."previousQuantity", s.reserved, s.sequence, s."updatedAt", e.id, e."adjustmentId", e.type, e.reserve, e.reason, e.reference, e.notes, e."adjustmentType", e.location as "atLocation",
    case when s.quantity > s."previousQuantity" then coalesce(e."unitCost", s."unitCost", e."partCost") else coalesce(s."unitCost", e."partCost") end as cost
), movement as (
  ${insertMovement} returning ${rowColumns("StockMovement")}
), adjustment as (
  ${insertAdjustment} returning ${rowColumns("StockAdjustment")}
)
select to_jsonb(movement) as movement, to_jsonb(adjustment) as adjustment from movement left join adjustment on adjustment."movementId" = movement.id`;

const postOne = post(false);
const postMany = post(true);

/** Creates missing stock levels with quantity 0, only for entries that can succeed on an empty level. */
const createLevels = (many: boolean) => `${entries(many)}
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

/**
 * Posts one entry in one statement. Returns undefined if the quantity on hand already equals `target`. Throws NOT_FOUND for an unknown
 * part, BAD_USER_INPUT naming site if it is ambiguous, CONFLICT with `available` and `requested`, or with `expectedBalance` and
 * `currentBalance`, FORBIDDEN for another site.
 */
export async function postEntry(db: TenantQueryable, actor: Actor, entry: Entry): Promise<Posted | undefined> {
  const located = actor.sites.length ? { ...entry, site: await siteOf(db, entry) } : entry;
  if (actor.sites.length) guardSite(actor, located.site!);
  const values = [JSON.stringify(rowOf(located)), actor.principalId, actor.principalName];
  const [posted] = await db.query<PostedJson>(postOne, ...values);
  if (posted) return postedOf(posted);
  await db.query(createLevelsOne, values[0]);
  const [retried] = await db.query<PostedJson>(postOne, ...values);
  return retried ? postedOf(retried) : refuse(db, located);
}

/**
 * Posts all entries in two statements; no two may have the same part and site. Call in a transaction. Throws FORBIDDEN naming all entries
 * at other sites that are not planned, and the error of `postEntry` for the first one that fails, with `partId` and `site`.
 */
export async function postEntries(tx: TenantQueryable, actor: Actor, all: SitedEntry[]): Promise<Posted[]> {
  if (!all.length) return [];
  const foreign = all.filter(({ site, isPlanned }) => !isPlanned && isForeign(actor, site));
  if (foreign.length) {
    const remedy = `enter at most that, and take more only at this key's sites: ${actor.sites.join(", ")}`;
    throw foreignSite(await detailsOf(tx, foreign, (part) => `exceeds what the work order plans of ${part}; ${remedy}`));
  }
  const rows = JSON.stringify(all.map(rowOf));
  await tx.query(createLevelsMany, rows);
  const posted = (await tx.query<PostedJson>(postMany, rows, actor.principalId, actor.principalName)).map(postedOf);
  if (posted.length < all.length) {
    const postedParts = new Set(posted.map(({ movement }) => movement.partId));
    const refused = all.find(({ partId }) => !postedParts.has(partId)) ?? all[0]!;
    await refuse(tx, refused, { partId: refused.partId, site: refused.site });
  }
  return posted;
}

/** The details of an error about entries that come from fields of an input. `textOf` is given the names of part and site. */
async function detailsOf(
  db: TenantQueryable,
  entries: SitedEntry[],
  textOf: (partAndSite: string) => string,
): Promise<{ details?: Record<string, string> }> {
  const named = entries.filter(({ field }) => field);
  if (!named.length) return {};
  const parts = await db.query<{ id: string; partNumber: string }>(
    `select id, "partNumber" from "Part" where "tenantId" = $1 and id = any($2)`,
    named.map(({ partId }) => partId),
  );
  const numbers = new Map(parts.map(({ id, partNumber }) => [id, partNumber]));
  return {
    details: Object.fromEntries(
      named.map(({ field, partId, site }) => [field, textOf(`part ${numbers.get(partId)} at stock site ${site}`)]),
    ),
  };
}

/**
 * Returns `site`, or the default site of a part: its only stock level, else the part's own site, else main (docs/decisions.md, "which
 * site"). Throws NOT_FOUND, BAD_USER_INPUT naming site if the part has several stock levels.
 */
export async function siteOf(db: TenantQueryable, { partId, site }: { partId: string; site?: string | null }): Promise<string> {
  const [part] = await db.query<{ site: string | null; sites: string[] }>(
    `select p.site, array(select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null order by 1) as sites
     from "Part" p where p."tenantId" = $1 and p.id = $2`,
    partId,
  );
  if (!part) throw notFound("Part", { partId });
  if (site != null) return site;
  if (part.sites.length > 1) throw badInput({ site: `is required, because the part is kept at ${part.sites.join(", ")}` });
  return part.sites[0] ?? part.site ?? "main";
}

/** Throws the reason why an entry was not posted, with `where` in a CONFLICT; returns if there was nothing to post. */
async function refuse(
  db: TenantQueryable,
  entry: Entry & Pick<SitedEntry, "field">,
  where?: { partId: string; site: string },
): Promise<undefined> {
  const site = await siteOf(db, entry);
  const [level] = await db.query<{ quantity: number; reserved: number; available: number }>(
    `select quantity, reserved, quantity - reserved as available from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = $3`,
    entry.partId,
    site,
  );
  const onHand = level?.quantity ?? 0;
  const available = level?.available ?? 0;
  if (entry.expectedBalance != null && entry.expectedBalance !== onHand) {
    throw conflict("The balance is not the one expected", { expectedBalance: entry.expectedBalance, currentBalance: onHand });
  }
  if (entry.target !== undefined && entry.target === onHand) return undefined;
  const released = Math.max(0, -(entry.reserve ?? 0));
  const reserved = level?.reserved ?? 0;
  if (released > reserved)
    throw conflict("Not that much is reserved", { ...where, available: reserved, requested: released }).about("quantity");
  throw conflict("Insufficient stock", {
    ...where,
    ...(await detailsOf(
      db,
      [{ ...entry, site }],
      (part) => `exceeds what is available of ${part}; enter what was used, or have the stock there corrected`,
    )),
    // An entry may issue the stock whose reservation it releases.
    available: entry.limit ? Math.min(onHand, released + Math.max(0, available)) : onHand,
    requested: Math.abs(entry.quantity ?? entry.reserve ?? entry.target ?? 0),
  }).about("quantity");
}

/** Creates missing stock levels and locks all in key order until the transaction ends. */
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

export interface Fault {
  partId: string;
  site: string;
  problem: string;
}

/**
 * Verifies the movements up to `asOf`, or all. Returns up to 1,000 faults: sequence gaps, movements that do not add up and, without
 * `asOf`, stock levels that differ from their last movement; and the totals of all movements.
 */
export async function verifyLedger(db: TenantQueryable, asOf?: Date | null) {
  const faults = await db.query<Fault>(
    `with chain as (
       select "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance",
         lag(sequence, 1, 0) over w as before, lag("newBalance", 1, 0) over w as balance, lag("reservedBalance", 1, 0) over w as reserved,
         row_number() over (partition by "partId", site order by sequence desc) as back
       from "StockMovement" where "tenantId" = $1 and ($2::timestamptz is null or "performedAt" <= $2) window w as (partition by "partId", site order by sequence)
     ), jumps as (
       select "partId", site, case
         when sequence <> before + 1 then 'movement ' || before + 1 || ' is missing'
         when "previousBalance" <> balance then 'movement ' || sequence || ' begins at ' || "previousBalance" || ', not at ' || balance
         when "newBalance" <> "previousBalance" + case when type in ('reserve', 'unreserve') then 0 else quantity end then 'movement ' || sequence || ' does not add up'
         when type in ('reserve', 'unreserve') and "reservedBalance" <> reserved + quantity then 'reservation ' || sequence || ' does not add up' end as problem from chain
     )
     select "partId", site, problem from jumps where problem is not null
     union all
     select s."partId", s.site, 'the balance is ' || s.quantity || ' with ' || s.reserved || ' reserved, the movements say ' || coalesce(c."newBalance", 0) || ' with ' || coalesce(c."reservedBalance", 0)
     from "StockLevel" s left join chain c on c."partId" = s."partId" and c.site = s.site and c.back = 1
     where s."tenantId" = $1 and $2::timestamptz is null
       and (s.quantity <> coalesce(c."newBalance", 0) or s.reserved <> coalesce(c."reservedBalance", 0) or s.sequence <> coalesce(c.sequence, 0))
     order by 1, 2 limit 1000`,
    asOf ?? null,
  );
  const [totals] = await db.query<{ levels: number; movements: number; quantity: number; value: number }>(
    `select count(distinct ("partId", site))::int as levels, count(*)::int as movements,
       coalesce(sum(quantity) filter (where type not in ('reserve', 'unreserve')), 0) as quantity, coalesce(sum("totalValue"), 0) as value
     from "StockMovement" where "tenantId" = $1 and ($2::timestamptz is null or "performedAt" <= $2)`,
    asOf ?? null,
  );
  const { levels, movements, quantity, value } = totals!;
  return { balanced: !faults.length, stockLevels: levels, movements, faults, totalQuantity: quantity, totalValue: value };
}
