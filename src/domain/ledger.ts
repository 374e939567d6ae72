/**
 * The stock ledger (interface.md 2.4–2.6, 4.3): the one writer of quantity, reserved, sequence and unitCost. Every change is one
 * guarded statement that moves the balance and inserts its movement, so newBalance = previousBalance + quantity holds by
 * arithmetic and stock cannot be oversold, however many write at once.
 */
import type { Row, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import type { StockAdjustment } from "../schema/adjustment.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type { StockMovement } from "../schema/movement.js";
import type { AdjustmentType, MovementType } from "../schema/vocabulary.js";
import type { Actor } from "./keys.js";
import { guardSite } from "./site-guard.js";

/** What is to be moved at one place. One of `quantity`, `target` and `reserve` says how much. */
export interface Entry {
  partId: string;
  /** Left out: the part's only stock level, else the part's site, else main. */
  site?: string | null;
  type: MovementType;
  /** Signed change of the quantity. */
  quantity?: number;
  /** The quantity that is to be: the difference is moved; nothing where it is so already. */
  target?: number;
  /** Signed change of what is reserved. */
  reserve?: number;
  /** What leaves is limited to what is available, not only to what is there. */
  limit?: "available";
  unitCost?: number | null;
  reason?: string | null;
  reference?: string | null;
  notes?: string | null;
  location?: string | null;
  /** Compare-and-set: only where this is the balance. */
  expectedBalance?: number | null;
  /** Makes it an adjustment that waits for approval. */
  adjustmentType?: AdjustmentType;
}

export interface Posted {
  movement: StockMovement & Row;
  adjustment?: StockAdjustment & Row;
}

/** The entries with their sites; one whose part is unknown, or whose site is ambiguous, finds no level. */
const entries = `
with e as (
  select given.*, p."unitCost" as "partCost", coalesce(given.site, (
      select case count(*) when 0 then coalesce(p.site, 'main') when 1 then min(l.site) end
      from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null)) as at
  from jsonb_to_recordset($2::jsonb) as given(id text, "adjustmentId" text, "partId" text, site text, type text, quantity numeric, target numeric, reserve numeric,
    "limit" text, "unitCost" numeric, reason text, reference text, notes text, location text, "expectedBalance" numeric, "adjustmentType" text)
  join "Part" p on p."tenantId" = $1 and p.id = given."partId"
)`;

/** Several writers that post to the same levels take them in the order of their keys, so that none waits in a circle. */
const held = `, held as materialized (
  select s."partId", s.site from "StockLevel" s join e on e."partId" = s."partId" and e.at = s.site
  where s."tenantId" = $1 order by s."partId", s.site for update of s
)`;

/** The new quantity and reservation, and by how much they differ from the old. */
const quantity = `coalesce(e.target, s.quantity + coalesce(e.quantity, 0))`;
const reserved = `s.reserved + coalesce(e.reserve, 0)`;
const moreAvailable = `${quantity} - s.quantity - coalesce(e.reserve, 0)`;

const post = (many: boolean) => `${entries}${many ? held : ""}, moved as (
  update "StockLevel" s set
    "previousQuantity" = s.quantity, "previousReserved" = s.reserved, quantity = ${quantity}, reserved = ${reserved}, sequence = s.sequence + 1,
    -- What comes in at a cost is averaged over what is there; what goes out goes at the average.
    "unitCost" = case when ${quantity} > s.quantity and e."unitCost" is not null
      then round((s.quantity * coalesce(s."unitCost", e."unitCost") + (${quantity} - s.quantity) * e."unitCost") / ${quantity}, 4) else s."unitCost" end,
    location = coalesce(e.location, s.location), "deletedAt" = null,
    -- Read while the level is held and later than before, so that time runs along the chain: it dates the movement.
    "updatedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')
  from e${many ? ` join held on held."partId" = e."partId" and held.site = e.at` : ""}
  where s."tenantId" = $1 and s."partId" = e."partId" and s.site = e.at
    and (e.target is null or e.target <> s.quantity) and ${quantity} >= 0 and ${reserved} >= 0
    and (e."limit" is null or ${quantity} - (${reserved}) >= 0 or ${moreAvailable} >= 0)
    and (e."expectedBalance" is null or e."expectedBalance" = s.quantity)
  returning s.*, e.id, e."adjustmentId", e.type, e.reserve, e.reason, e.reference, e.notes, e."adjustmentType", e.location as "atLocation",
    case when s.quantity > s."previousQuantity" then coalesce(e."unitCost", s."unitCost", e."partCost") else coalesce(s."unitCost", e."partCost") end as cost
), movement as (
  insert into "StockMovement" ("tenantId", id, "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue",
    reason, reference, notes, "performedBy", "performedByName", "performedAt")
  select $1, id, "partId", site, sequence, type, case when type in ('reserve', 'unreserve') then reserve else quantity - "previousQuantity" end,
    "previousQuantity", quantity, reserved, cost, case when type in ('reserve', 'unreserve') then 0 else round((quantity - "previousQuantity") * cost, 4) end,
    reason, reference, notes, $3, $4, "updatedAt" from moved returning *
), adjustment as (
  insert into "StockAdjustment" ("tenantId", id, "movementId", "partId", site, "adjustmentType", quantity, "previousBalance", "newBalance", "unitCost", "totalValue",
    reason, notes, location, "performedBy", "performedAt")
  select $1, m."adjustmentId", v.id, v."partId", v.site, m."adjustmentType", v.quantity, v."previousBalance", v."newBalance", v."unitCost", v."totalValue",
    v.reason, v.notes, m."atLocation", $3, v."performedAt" from movement v join moved m on m.id = v.id where m."adjustmentId" is not null returning *
)
select to_jsonb(movement) as movement, to_jsonb(adjustment) as adjustment from movement left join adjustment on adjustment."movementId" = movement.id`;

const postOne = post(false);
const postMany = post(true);

/** Levels for what can come in where there are none yet; a level begins with nothing. What would be refused there makes none. */
const makeLevels = `${entries}
insert into "StockLevel" ("tenantId", "partId", site)
select distinct $1, "partId", at from e where at is not null and (coalesce(quantity, 0) > 0 or target > 0 or (reserve > 0 and "limit" is null))
  and coalesce("expectedBalance", 0) = 0 order by 2, 3 on conflict do nothing`;

const rowOf = (entry: Entry): Row => ({ ...entry, id: newId(), adjustmentId: entry.adjustmentType ? newId() : null });

const asDate = (text: string | null) => (text === null ? null : new Date(text));

function revived({ movement, adjustment }: Row): Posted {
  return {
    movement: { ...movement, performedAt: asDate(movement.performedAt) },
    ...(adjustment && {
      adjustment: { ...adjustment, performedAt: asDate(adjustment.performedAt), approved: false },
    }),
  };
}

/** The channel on which every process hears of movements. */
export const stockChannel = "stock";

export interface StockNotice {
  tenantId: string;
  movementId: string;
  partId: string;
  site: string;
  previousBalance: number;
  newBalance: number;
}

function announced(db: TenantQueryable, posted: Posted): Posted {
  const { id, partId, site, previousBalance, newBalance } = posted.movement;
  db.notify(stockChannel, { movementId: id, partId, site, previousBalance, newBalance });
  return posted;
}

/**
 * Posts one entry in one statement; undefined where the target is reached already. Throws NOT_FOUND for an unknown part,
 * BAD_USER_INPUT naming site where it is ambiguous, CONFLICT with available and requested, or with the current balance.
 */
export async function postEntry(db: TenantQueryable, actor: Actor, entry: Entry): Promise<Posted | undefined> {
  const given = actor.sites.length ? { ...entry, site: await siteOf(db, entry) } : entry;
  if (actor.sites.length) guardSite(actor, given.site!);
  const values = [JSON.stringify([rowOf(given)]), actor.keyId, actor.keyName];
  const [posted] = await db.query(postOne, ...values);
  if (posted) return announced(db, revived(posted));
  await db.query(makeLevels, values[0]);
  const [second] = await db.query(postOne, ...values);
  return second ? announced(db, revived(second)) : refuse(db, given);
}

/** Posts all entries, each for another part or site, or throws what `postEntry` throws for the first that cannot be. Call in a transaction. */
export async function postEntries(tx: TenantQueryable, actor: Actor, all: Entry[]): Promise<Posted[]> {
  const rows = JSON.stringify(all.map(rowOf));
  await tx.query(makeLevels, rows);
  const posted = (await tx.query(postMany, rows, actor.keyId, actor.keyName)).map(revived);
  if (posted.length < all.length) {
    const done = new Set(posted.map(({ movement }) => movement.partId));
    await refuse(tx, all.find(({ partId }) => !done.has(partId)) ?? all[0]!);
  }
  for (const { movement } of posted) guardSite(actor, movement.site);
  return posted.map((one) => announced(tx, one));
}

/** Where stock of a part is meant where a caller names no site (decisions.md, "which site"). */
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

/** Says why an entry was not posted; answers where nothing was to be done. */
async function refuse(db: TenantQueryable, entry: Entry): Promise<undefined> {
  const site = await siteOf(db, entry);
  const [level] = await db.query<{ quantity: string; reserved: string; free: string }>(
    `select quantity, reserved, quantity - reserved as free from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = $3`,
    entry.partId,
    site,
  );
  const there = Number(level?.quantity ?? 0);
  const free = Number(level?.free ?? 0);
  if (entry.expectedBalance != null && entry.expectedBalance !== there) {
    throw conflict("The balance is not the one expected", { expectedBalance: entry.expectedBalance, currentBalance: there });
  }
  if (entry.target !== undefined && entry.target === there) return undefined;
  const kept = Math.max(0, -(entry.reserve ?? 0));
  if (kept > Number(level?.reserved ?? 0))
    throw conflict("Not that much is reserved", { available: Number(level?.reserved ?? 0), requested: kept });
  throw conflict("Insufficient stock", {
    // What the entry lets go of is its own to take.
    available: entry.limit ? Math.min(there, kept + Math.max(0, free)) : there,
    requested: Math.abs(entry.quantity ?? entry.reserve ?? entry.target ?? 0),
  });
}

/** Makes levels where there are none, and locks all in the order of their keys, for work of several statements on them. */
export async function holdLevels(tx: TenantQueryable, partId: string, sites: string[]): Promise<void> {
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

/** Movements of a part at all sites: each level numbers its own, so that none need be counted. */
export async function countMovements(db: TenantQueryable, partId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select coalesce(sum(sequence), 0)::int as count from "StockLevel" where "tenantId" = $1 and "partId" = $2`,
    partId,
  );
  return row!.count;
}

export interface Fault {
  partId: string;
  site: string;
  problem: string;
}

/**
 * Replays the movements up to a moment and names every level whose chain has a gap or a jump, or (now) whose balance is
 * not the last movement's.
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
  const [totals] = await db.query<{ levels: number; movements: number; quantity: string; value: string }>(
    `select count(distinct ("partId", site))::int as levels, count(*)::int as movements,
       coalesce(sum(quantity) filter (where type not in ('reserve', 'unreserve')), 0) as quantity, coalesce(sum("totalValue"), 0) as value
     from "StockMovement" where "tenantId" = $1 and ($2::timestamptz is null or "performedAt" <= $2)`,
    asOf ?? null,
  );
  const { levels, movements, quantity, value } = totals!;
  return { balanced: !faults.length, stockLevels: levels, movements, faults, totalQuantity: Number(quantity), totalValue: Number(value) };
}
