/** Count sheets: scope, recording and recounts (docs/stock.md, "Counts"). count-posting.ts posts them. */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { CountedLineInput, CreateStockCountInput } from "../../../schema/inventory/counts/count-input.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";

export type CountRecord = Rows["StockCount"];

/** Maximum lines of a sheet, and of one recording. */
const maxLines = 10_000;
const maxRecorded = 1_000;

/** Serializes the numbering of counts. */
const lockNumbers = `select pg_advisory_xact_lock(hashtextextended('stock count:' || $1::text, 0))`;

const insertCount = insertSelect(
  "StockCount",
  {
    id: "r.id",
    site: "r.site",
    area: "r.area",
    location: "r.location",
    category: "r.category",
    abcClass: `r."abcClass"`,
    number: `coalesce((select max(o.number) from "StockCount" o where o."tenantId" = $1), 0) + 1`,
    partIds: `r."partIds"`,
    blind: "r.blind",
    reason: "r.reason",
    status: "case when r.draft then 'draft' else 'open' end",
    openedAt: "case when not r.draft then date_trunc('milliseconds', clock_timestamp()) end",
    createdBy: "$3",
    postedAt: "null::timestamptz",
    postedBy: "null",
    cancelledAt: "null::timestamptz",
    cancelledBy: "null",
    differingLines: "null::int",
    valueDifference: "null::numeric",
    approvedAt: "null::timestamptz",
    approvedBy: "null",
    rejectedAt: "null::timestamptz",
    rejectedBy: "null",
    decisionReason: "null",
  },
  `jsonb_to_record($2::jsonb) as r(id text, site text, area text, location text, category text, "abcClass" text, "partIds" text[], blind boolean, reason text, draft boolean)`,
);

/** The parts in the scope of count $2, with their position on the sheet. Classes as in the ABC report, by usage at the site. */
const scope = `
with asked as (select ${rowColumns("StockCount", "c")} from "StockCount" c where c."tenantId" = $1 and c.id = $2),
usage as (
  select m."partId", -sum(m.value) as value from "StockMovement" m join asked c on c."abcClass" is not null and m.site = c.site
  where m."tenantId" = $1 and m.type in ('issue', 'return') and m."performedAt" > clock_timestamp() - interval '365 days' group by 1
), ranked as (
  select u."partId", u.value, sum(u.value) over () as total,
    coalesce(sum(u.value) over (order by u.value desc, p."partNumber" rows between unbounded preceding and 1 preceding), 0) as before
  from usage u join "Part" p on p."tenantId" = $1 and p.id = u."partId" where u.value > 0
), classed as (
  select "partId", case when before < total * 0.8 then 'A' when before < total * 0.95 then 'B' else 'C' end as class from ranked
), sheet as (
  select p.id as "partId", c.id as "countId", c.site, c.blind, coalesce(s.quantity, 0) as quantity, coalesce(s.location, p.location) as location, p."partNumber"
  from asked c join "Part" p on p."tenantId" = $1 left join "StockLevel" s on s."tenantId" = $1 and s."partId" = p.id and s.site = c.site and s."deletedAt" is null
    left join classed k on k."partId" = p.id
  where case when c."partIds" = '{}' then s."partId" is not null and (p."isActive" or s.quantity > 0) else p.id = any(c."partIds") end
    and (c.area is null or starts_with(coalesce(s.location, p.location), c.area)) and (c.location is null or coalesce(s.location, p.location) = c.location)
    and (c.category is null or p.category = c.category) and (c."abcClass" is null or coalesce(k.class, 'C') = c."abcClass")
)`;

const insertSheet = `${scope} ${insertSelect(
  "StockCountLine",
  {
    id: "gen_random_uuid()::text",
    countId: `"countId"`,
    partId: `"partId"`,
    site: "site",
    location: "location",
    position: `(row_number() over (order by location, "partNumber"))::int`,
    expected: "case when not blind then quantity end",
    expectedQuantity: "quantity",
    round: "1",
    recountOf: "null",
    current: "true",
    counted: "null::numeric",
    countedAt: "null::timestamptz",
    countedBy: "null",
    countedSequence: "null::int",
    bookAtCount: "null::numeric",
    difference: "null::numeric",
    note: "null",
    movementId: "null",
    blockedQuantity: "0",
  },
  `(select ${["partId", "countId", "site", "blind", "quantity", "location", "partNumber"].map((name) => `"${name}"`).join(", ")} from sheet limit ${maxLines + 1}) sheet`,
)} returning 1`;

/**
 * Creates the sheet of a count. Throws BAD_USER_INPUT naming site if its scope is empty or too large, or partIds. Throws FORBIDDEN for
 * another site.
 */
export const createStockCount = (db: TenantDatabase, actor: Actor, input: CreateStockCountInput): Promise<CountRecord> => {
  guardSite(actor, input.site);
  return db.transaction(async (tx) => {
    const partIds = [...new Set(input.partIds ?? [])];
    if (partIds.length) {
      const known = await tx.query<{ id: string }>(`select id from "Part" where "tenantId" = $1 and id = any($2)`, partIds);
      if (known.length < partIds.length) throw badInput({ partIds: "names no part; use the ids of existing ones" });
    }
    await tx.query(lockNumbers);
    const id = newId();
    const record = JSON.stringify({ ...input, id, partIds, blind: input.blind ?? false, draft: input.draft ?? false });
    await tx.query(insertCount, record, actor.principalId);
    const lines = await tx.query(insertSheet, id);
    if (!lines.length) throw badInput({ site: "has no stock in this scope" });
    if (lines.length > maxLines) throw badInput({ site: `has more than ${maxLines} stock levels in this scope; narrow it` });
    return (await tx.records.StockCount.find({ id }))!;
  });
};

/**
 * Locks a count until the transaction ends: `share` for concurrent recording, `update` for exclusive access. Throws NOT_FOUND, FORBIDDEN
 * for another site, CONFLICT with status unless the count is in one of `states`.
 */
export async function lockCount(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  lock: "share" | "update",
  states: string[],
): Promise<CountRecord> {
  const [count] = await tx.query<CountRecord>(
    `select ${rowColumns("StockCount")} from "StockCount" where "tenantId" = $1 and id = $2 for ${lock}`,
    id,
  );
  if (!count) throw notFound("Stock count", { stockCountId: id });
  guardSite(actor, count.site);
  if (!states.includes(count.status)) throw conflict(`The stock count is ${count.status}`, { status: count.status });
  return count;
}

/** Opens a draft with the current book quantities as expected. Throws the errors of `lockCount`. */
export const openStockCount = (db: TenantDatabase, actor: Actor, id: string): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    await lockCount(tx, actor, id, "update", ["draft"]);
    await tx.query(
      `update "StockCount" set status = 'open', "openedAt" = date_trunc('milliseconds', clock_timestamp()) where "tenantId" = $1 and id = $2`,
      id,
    );
    await tx.query(
      `update "StockCountLine" l set "expectedQuantity" = b.quantity, expected = case when l.expected is not null then b.quantity end
       from (select o.id, coalesce(s.quantity, 0) as quantity from "StockCountLine" o
         left join "StockLevel" s on s."tenantId" = $1 and s."partId" = o."partId" and s.site = o.site where o."tenantId" = $1 and o."countId" = $2) b
       where l."tenantId" = $1 and l.id = b.id`,
      id,
    );
    return (await tx.records.StockCount.find({ id }))!;
  });

/** Throws the errors of `lockCount`. */
export const cancelStockCount = (db: TenantDatabase, actor: Actor, id: string): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    await lockCount(tx, actor, id, "update", ["draft", "open"]);
    const [cancelled] = await tx.query<CountRecord>(
      `update "StockCount" set status = 'cancelled', "cancelledAt" = now(), "cancelledBy" = $3 where "tenantId" = $1 and id = $2 returning ${rowColumns("StockCount")}`,
      id,
      actor.principalId,
    );
    return cancelled!;
  });

/**
 * SQL of the book quantity of the lines `l` at the time of counting. The balance after the last movement until then, plus later postings of
 * movements that took place before.
 */
export const bookOf = `cross join lateral (
  select coalesce(b.sequence, 0) as sequence, coalesce(b."newBalance", 0) + coalesce((
    select sum(m.quantity) from "StockMovement" m where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site
      and m.sequence > coalesce(b.sequence, 0) and m."occurredAt" <= l."countedAt" and m.type not in ('reserve', 'unreserve')), 0) as quantity
  from (select 1) one left join lateral (
    select m.sequence, m."newBalance" from "StockMovement" m where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site
      and (l."countedSequence" is null or m.sequence <= l."countedSequence") and (l."countedSequence" is not null or m."performedAt" <= l."countedAt")
    order by m.sequence desc limit 1
  ) b on true
) book`;

const recordLines = `
with input as (
  select "partId", counted, "countedAt", note from jsonb_to_recordset($3::jsonb) as r("partId" text, counted numeric, "countedAt" timestamptz, note text)
), found as (
  select l.id, i.counted, i.note, case when i."countedAt" is null then coalesce(s.sequence, 0) end as sequence,
    -- Not before the last movement, whose time may be some milliseconds ahead.
    coalesce(i."countedAt", greatest(date_trunc('milliseconds', clock_timestamp()), s."movedAt")) as at
  from input i join "StockCountLine" l on l."tenantId" = $1 and l."countId" = $2 and l."partId" = i."partId" and l.current
    left join "StockLevel" s on s."tenantId" = $1 and s."partId" = l."partId" and s.site = l.site
)
update "StockCountLine" l set counted = f.counted, note = f.note, "countedAt" = f.at, "countedBy" = $4, "countedSequence" = f.sequence
from found f where l."tenantId" = $1 and l.id = f.id and l.counted is null and l.current returning l."partId"`;

const showDifference = `
update "StockCountLine" l set "bookAtCount" = d.book, difference = l.counted - d.book
from (select l.id, book.quantity as book from "StockCountLine" l ${bookOf}
  where l."tenantId" = $1 and l."countId" = $2 and l."partId" = any($3) and l.current) d
where l."tenantId" = $1 and l.id = d.id`;

/** The current time of the database, and which of the parts are on the sheet. */
async function sheetOf(tx: TenantQueryable, id: string, partIds: string[]): Promise<{ now: Date; onSheet: Set<string> }> {
  const [found] = await tx.query<{ now: Date; onSheet: string[] }>(
    `select clock_timestamp() as now,
       array(select l."partId" from "StockCountLine" l where l."tenantId" = $1 and l."countId" = $2 and l."partId" = any($3) and l.current) as "onSheet"`,
    id,
    partIds,
  );
  return { now: found!.now, onSheet: new Set(found!.onSheet) };
}

/** Problems of a line that can be detected before recording, by line number and field. */
function problemsOf(lines: CountedLineInput[], { openedAt }: CountRecord, now: Date): Record<string, string> {
  const seen = new Set<string>();
  const details: Record<string, string> = {};
  for (const [i, { partId, countedAt }] of lines.entries()) {
    if (seen.has(partId)) details[`lines.${i}.partId`] = "is duplicated";
    seen.add(partId);
    if (countedAt && countedAt < openedAt!)
      details[`lines.${i}.countedAt`] = `must not be before the sheet was opened, ${openedAt!.toISOString()}`;
    if (countedAt && countedAt > now) details[`lines.${i}.countedAt`] = "must not be in the future";
  }
  return details;
}

/**
 * Records counted quantities. Throws BAD_USER_INPUT naming a line whose part is duplicated or not on the sheet, or whose time is outside
 * the count. Throws CONFLICT with `partIds` for parts counted already, and the errors of `lockCount`.
 */
export const recordCount = (db: TenantDatabase, actor: Actor, id: string, lines: CountedLineInput[]): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    if (!lines.length || lines.length > maxRecorded) throw badInput({ lines: `must be 1 to ${maxRecorded}` });
    const count = await lockCount(tx, actor, id, "share", ["open"]);
    const partIds = lines.map(({ partId }) => partId);
    const { now, onSheet } = await sheetOf(tx, id, partIds);
    const details = problemsOf(lines, count, now);
    for (const [i, { partId }] of lines.entries())
      if (!onSheet.has(partId)) details[`lines.${i}.partId`] ??= "is not on this sheet; make another count for it";
    if (Object.keys(details).length) throw badInput(details);
    const recorded = await tx.query<{ partId: string }>(recordLines, id, JSON.stringify(lines), actor.principalId);
    if (recorded.length < lines.length) {
      const done = new Set(recorded.map(({ partId }) => partId));
      const counted = partIds.filter((partId) => !done.has(partId));
      throw conflict("These parts are already counted; request a recount", { partIds: counted }).about("lines");
    }
    if (!count.blind) await tx.query(showDifference, id, partIds);
    return count;
  });

const nextRound = `
with again as (
  update "StockCountLine" o set current = false
  from (select l.id, l.counted - book.quantity as difference from "StockCountLine" l ${bookOf}
    where l."tenantId" = $1 and l."countId" = $2 and l.current and l.counted is not null and ($3::text[] is null or l."partId" = any($3))) d
  where o."tenantId" = $1 and o.id = d.id and o.current and (not $4::boolean or d.difference <> 0)
  returning ${rowColumns("StockCountLine", "o")}
), line as (
  ${insertSelect(
    "StockCountLine",
    {
      id: "gen_random_uuid()::text",
      countId: `a."countId"`,
      partId: `a."partId"`,
      site: "a.site",
      position: "a.position",
      location: "a.location",
      expected: "a.expected",
      expectedQuantity: `a."expectedQuantity"`,
      round: "a.round + 1",
      recountOf: "a.id",
      current: "true",
      counted: "null::numeric",
      countedAt: "null::timestamptz",
      countedBy: "null",
      countedSequence: "null::int",
      bookAtCount: "null::numeric",
      difference: "null::numeric",
      note: "null",
      movementId: "null",
      blockedQuantity: "0",
    },
    "again a",
  )} returning "partId"
)
select "partId" from line`;

/**
 * Requests a recount of counted parts: those in `partIds`, or all. With `differing`, only parts whose count differs from the books. Throws
 * BAD_USER_INPUT, CONFLICT with `partIds` for parts not counted yet, and the errors of `lockCount`.
 */
export const requestRecount = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { partIds, differing = false }: { partIds?: string[] | null | undefined; differing?: boolean | null | undefined },
): Promise<CountRecord> =>
  db.transaction(async (tx) => {
    if (!partIds?.length && !differing) throw badInput({ partIds: "must name parts, unless `differing` is true" });
    const count = await lockCount(tx, actor, id, "share", ["open"]);
    const named = partIds ?? [];
    const { onSheet } = await sheetOf(tx, id, named);
    if (!named.every((partId) => onSheet.has(partId))) throw badInput({ partIds: "must be on this sheet" });
    const asked = await tx.query<{ partId: string }>(nextRound, id, named.length ? named : null, differing ?? false);
    const again = new Set(asked.map(({ partId }) => partId));
    const uncounted = differing ? [] : named.filter((partId) => !again.has(partId));
    if (uncounted.length) throw conflict("These parts are not counted yet", { partIds: uncounted }).about("partIds");
    return count;
  });
