/**
 * Serial and batch numbers (docs/stock.md). They are updated after the movement, in the same transaction. The lock of the stock level
 * serializes movements of the same items.
 */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { CheckViolation } from "../../../database/errors.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { firstToExpire } from "./first-to-expire.js";
import { lockPlaces, postAlone, postEntry } from "./ledger.js";
import type { Entry, Posted } from "./ledger-entry.js";
import { siteOf } from "./stock-site.js";
import { bringValues, shareValue } from "./unit-values.js";

type Movement = Rows["StockMovement"];

/** Per movement. */
const maxSerials = 1000;

type Numbers = Pick<Entry, "serialNumbers" | "batchNumber" | "expiryDate">;

export const names = ({ serialNumbers, batchNumber, expiryDate }: Numbers): boolean =>
  Boolean(serialNumbers?.length || batchNumber != null || expiryDate != null);

/** The same error for each given number, and for each of the given `others`. */
export function eachNumber<T extends Numbers>(input: T, error: string, others: (keyof T & string)[] = []): Record<string, string> {
  const given = (["serialNumbers", "batchNumber", "expiryDate", ...others] as const).filter((name) => {
    const value: unknown = input[name];
    return Array.isArray(value) ? value.length : value != null;
  });
  return Object.fromEntries(given.map((name) => [name, error]));
}

/**
 * Throws BAD_USER_INPUT naming fields that a reservation does not support. Serial numbers and batches are named when the stock is issued.
 */
export function refuseNumbers<T extends Numbers>(input: T, others: (keyof T & string)[] = []): void {
  const details = eachNumber(input, "is not kept of a reservation; leave it out", others);
  if (Object.keys(details).length) throw badInput(details);
}

/** Throws BAD_USER_INPUT naming a field that does not match the movement. */
export function checkFit({ quantity = 0, serialNumbers, batchNumber, expiryDate }: Pick<Entry, "quantity"> & Numbers): void {
  const serials = serialNumbers ?? [];
  const details: Record<string, string> = {};
  if (serials.length > maxSerials) details.serialNumbers = `must have at most ${maxSerials} items`;
  else if (new Set(serials).size < serials.length) details.serialNumbers = "must not name one twice";
  else if (serials.length && serials.length !== Math.abs(quantity))
    details.serialNumbers = `must be as many as the quantity, ${Math.abs(quantity)}`;
  if (expiryDate && quantity < 0) details.expiryDate = "is that of the receipt; leave it out";
  else if (expiryDate && !serials.length && batchNumber == null) details.expiryDate = "needs a batch number or serial numbers";
  if (Object.keys(details).length) throw badInput(details);
}

/** Throws BAD_USER_INPUT naming a field that does not match the movement, or that the part's tracking requires. */
export async function checkNumbers(db: TenantQueryable, entry: Entry): Promise<{ isRepairable: boolean }> {
  checkFit(entry);
  const { partId, quantity = 0, serialNumbers, batchNumber, type } = entry;
  const serials = serialNumbers ?? [];
  const details: Record<string, string> = {};
  const [part] = await db.query<{ tracksSerials: boolean; tracksBatches: boolean; isRepairable: boolean }>(
    `select "tracksSerials", "tracksBatches", "isRepairable" from "Part" where "tenantId" = $1 and id = $2`,
    partId,
  );
  if (part?.tracksSerials && !serials.length) details.serialNumbers = "is required, because the part tracks serial numbers";
  if (part?.tracksSerials && !Number.isInteger(quantity)) details.quantity = "must be whole, because the part tracks serial numbers";
  // Items received in a batch stay in it when they are issued, returned and transferred.
  const isKnown = serials.length && (quantity < 0 || type === "return" || type === "transfer");
  if (part?.tracksBatches && batchNumber == null && !isKnown) details.batchNumber = "is required, because the part tracks batches";
  if (Object.keys(details).length) throw badInput(details);
  return { isRepairable: part?.isRepairable ?? false };
}

/** Locks where the units are, so that nobody installs or moves them before they come into stock. */
const lockUnits = `select p.id from "Unit" u join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null and p.state <> 'installed'
  where u."tenantId" = $1 and u."partId" = $2 and u."serialNumber" = any($3::text[]) order by p.id for update of p`;

// Units that are in a position, unserviceable or in transit do not come into stock, unless it is taken back that they left.
const comeIn = `with known as (
  select max("expiryDate") as "expiryDate" from "StockBatch" where "tenantId" = $1 and "partId" = $2 and "batchNumber" = $7
), came as (
  ${insertSelect(
    "Unit",
    {
      id: "gen_random_uuid()",
      partId: "$2",
      serialNumber: "n.number",
      manufacturer: "p.manufacturer",
      model: `p."manufacturerPartNumber"`,
      site: "$3",
      batchNumber: "$7",
      expiryDate: `coalesce($8::timestamptz, known."expiryDate")`,
      value: "null::numeric",
      movementId: "$4",
      movedAt: "$5::timestamptz",
      distinctSince: "null::timestamptz",
    },
    `known join "Part" p on p."tenantId" = $1 and p.id = $2 cross join (select number from unnest($6::text[]) number order by number) n`,
    "s",
  )}
  on conflict ("tenantId", "partId", "serialNumber") do update set site = excluded.site, "movementId" = excluded."movementId", "movedAt" = excluded."movedAt",
    "batchNumber" = coalesce(excluded."batchNumber", s."batchNumber"), "expiryDate" = coalesce(excluded."expiryDate", s."expiryDate")
  where s.site is null and not exists (select from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = s.id and p."endedAt" is null
    and (p.state = 'installed' or $10::text is null and (p.condition = 'unserviceable' or p.state = 'in_transit' and $11 <> 'transfer')))
  returning "serialNumber", "batchNumber", "expiryDate"
), of_batches as (
  select "batchNumber", count(*)::numeric as quantity, max("expiryDate") as "expiryDate" from came where "batchNumber" is not null group by 1
  union all select $7::text, $9::numeric, coalesce($8::timestamptz, (select "expiryDate" from known)) where $7::text is not null and cardinality($6::text[]) = 0
), batches as (
  ${insertSelect(
    "StockBatch",
    {
      partId: "$2",
      site: "$3",
      batchNumber: `o."batchNumber"`,
      quantity: "o.quantity",
      expiryDate: `o."expiryDate"`,
      writtenOff: "null::numeric",
      writtenOffBy: "null",
    },
    "of_batches o",
    "b",
  )}
  on conflict ("tenantId", "partId", site, "batchNumber") do update set quantity = b.quantity + excluded.quantity, "expiryDate" = coalesce(b."expiryDate", excluded."expiryDate")
  returning 1
)
select "serialNumber" from came`;

const goOut = `with gone as (
  update "Unit" s set site = null, "movementId" = $4, "movedAt" = $5
  where s."tenantId" = $1 and s."partId" = $2 and s.site = $3 and s."serialNumber" = any($6::text[]) and ($7::text is null or s."batchNumber" = $7)
  returning s.id, s."serialNumber", s."batchNumber"
), of_batches as (
  select "batchNumber", count(*)::numeric as quantity from gone where "batchNumber" is not null group by 1
  union all select $7::text, $8::numeric where $7::text is not null and cardinality($6::text[]) = 0
), batches as (
  update "StockBatch" b set quantity = b.quantity - o.quantity from of_batches o
  where b."tenantId" = $1 and b."partId" = $2 and b.site = $3 and b."batchNumber" = o."batchNumber" returning b."batchNumber", b."expiryDate"
)
select array(select "serialNumber" from gone) as serials, array(select "batchNumber" from batches) as batches,
  (select jsonb_build_object('batchNumber', "batchNumber", 'expiryDate', "expiryDate") from batches where "expiryDate" < now() order by 1 limit 1) as expired,
  (select r.id from "Recall" r where r."tenantId" = $1 and r."partId" = $2 and r."closedAt" is null and (r."batchNumber" = any(array(select "batchNumber" from batches))
    or exists (select from "RecallUnit" n join gone on gone.id = n."unitId" where n."tenantId" = $1 and n."recallId" = r.id)) order by r."openedAt" limit 1) as "recallId"`;

/** Throws CONFLICT if the batch is known with another expiry date. */
async function checkExpiry(tx: TenantQueryable, { partId, batchNumber, expiryDate }: Movement): Promise<void> {
  if (batchNumber === null || expiryDate === null) return;
  const [batch] = await tx.query<{ expiryDate: Date | null }>(
    `select max("expiryDate") as "expiryDate" from "StockBatch" where "tenantId" = $1 and "partId" = $2 and "batchNumber" = $3`,
    partId,
    batchNumber,
  );
  const known = batch?.expiryDate;
  if (known && known.getTime() !== expiryDate.getTime())
    throw conflict("The batch has another expiry date", { batchNumber, expiryDate: known }).about("expiryDate");
}

/** The refusal of serial numbers that are in stock, installed, in transit or unserviceable. */
async function notReceived(tx: TenantQueryable, partId: string, serialNumbers: string[]): Promise<Error> {
  const held = await tx.query<{ serialNumber: string; state: string }>(
    `select u."serialNumber", p.state from "Unit" u join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null
     where u."tenantId" = $1 and u."partId" = $2 and u."serialNumber" = any($3::text[]) and u.site is null and (p.state in ('installed', 'in_transit') or p.condition = 'unserviceable') order by 1`,
    partId,
    serialNumbers,
  );
  const numbers = (isThere: (state: string) => boolean) =>
    held.filter(({ state }) => isThere(state)).map(({ serialNumber }) => serialNumber);
  if (!held.length) return conflict("Serial numbers are already in stock", { serialNumbers }).about("serialNumbers");
  const installed = numbers((state) => state === "installed");
  if (installed.length)
    return conflict("Serial numbers are installed; remove their units with exchangeUnit first", { serialNumbers: installed }).about(
      "serialNumbers",
    );
  const inTransit = numbers((state) => state === "in_transit");
  if (inTransit.length)
    return conflict("Serial numbers are in transit; receive or cancel their transfer first", { serialNumbers: inTransit }).about(
      "serialNumbers",
    );
  return conflict("Serial numbers are unserviceable; record their inspection with moveUnit first", {
    serialNumbers: numbers(() => true),
  }).about("serialNumbers");
}

/**
 * Updates the location of the serial numbers and batches of a posted movement. Throws CONFLICT with `serialNumbers` that are already in
 * stock, installed, unserviceable or not at the site. Throws CONFLICT with a batch that does not hold the quantity, or that has expired
 * and is issued or transferred, and with the open recall of what is issued. With `isCosted`, units get equal shares of the value.
 */
export async function moveNumbers(tx: TenantQueryable, movement: Movement, isCosted = false): Promise<void> {
  const { id, partId, site, type, quantity, performedAt, serialNumbers, batchNumber, expiryDate, reversalOf } = movement;
  if (!names(movement)) return;
  const shared = [partId, site, id, performedAt, serialNumbers, batchNumber];
  if (quantity > 0) {
    await checkExpiry(tx, movement);
    if (serialNumbers.length) await tx.query(lockUnits, partId, serialNumbers);
    if (movement.valuation === "unit") await bringValues(tx, movement, isCosted);
    const came = await tx.query<{ serialNumber: string }>(comeIn, ...shared, expiryDate, quantity, reversalOf, type);
    const present = without(
      serialNumbers,
      came.map((row) => row.serialNumber),
    );
    if (present.length) throw await notReceived(tx, partId, present);
    if (movement.valuation === "unit") await shareValue(tx, movement);
    return;
  }
  const short = () =>
    conflict("Quantity exceeds the batch's stock at the site", { batchNumber, site, requested: -quantity }).about("batchNumber");
  const [gone] = await tx
    .query<{ serials: string[]; batches: string[]; expired: { batchNumber: string; expiryDate: string } | null; recallId: string | null }>(
      goOut,
      ...shared,
      -quantity,
    )
    .catch((error) => {
      throw error instanceof CheckViolation && error.constraint === "StockBatch_quantity_check" ? short() : error;
    });
  const absent = without(serialNumbers, gone!.serials);
  if (absent.length) throw conflict("Serial numbers are not at the site", { serialNumbers: absent, site }).about("serialNumbers");
  if (!serialNumbers.length && !gone!.batches.length) throw short();
  if (gone!.recallId !== null && type === "issue" && reversalOf === null)
    throw conflict("The stock is recalled; issue other pieces, or close the recall", { recallId: gone!.recallId, site }).about(
      serialNumbers.length ? "serialNumbers" : "batchNumber",
    );
  const isTaken = (type === "issue" || type === "transfer") && reversalOf === null;
  if (gone!.expired && isTaken) {
    const { batchNumber: expired, expiryDate: since } = gone!.expired;
    throw conflict("The batch has expired; write it off, or correct its expiry date", {
      batchNumber: expired,
      expiryDate: new Date(since),
      site,
    }).about("batchNumber");
  }
}

export const without = (numbers: string[], done: string[]): string[] => {
  const found = new Set(done);
  return numbers.filter((number) => !found.has(number));
};

/**
 * An entry without numbers: an issue of the batch that expires first, or one that is refused if the part requires numbers. The caller has
 * guarded the site.
 */
async function unnamed(tx: TenantQueryable, entry: Entry): Promise<Entry> {
  if (entry.type !== "issue") return withoutNumbers(entry);
  const site = await siteOf(tx, entry);
  await lockPlaces(tx, [{ partId: entry.partId, site }]);
  const batchNumber = await firstToExpire(tx, { ...entry, site });
  return batchNumber === null ? withoutNumbers(entry) : { ...entry, site, batchNumber };
}

const withoutNumbers = (entry: Entry): Entry => ({ ...entry, isUnnumbered: Boolean(entry.quantity) });

/**
 * Posts an entry with its serial numbers and batch. An issue that names none takes the batch that expires first. Call in a transaction.
 * Throws the errors of `postEntry`, `checkNumbers`, `firstToExpire` and `moveNumbers`.
 */
export async function postNumbered(tx: TenantQueryable, actor: Actor, given: Entry): Promise<Posted | undefined> {
  const entry = names(given) ? given : await unnamed(tx, given);
  if (!names(entry)) return postEntry(tx, actor, entry);
  const { isRepairable } = await checkNumbers(tx, entry);
  // The entry reads the values of its units, which others change under this lock only.
  if (isRepairable) await lockPlaces(tx, [{ partId: entry.partId, site: await siteOf(tx, entry) }]);
  const posted = await postEntry(tx, actor, entry);
  if (posted) await moveNumbers(tx, posted.movement, entry.unitCost != null);
  return posted;
}

/** `postNumbered` in a new transaction, or in a single statement for an entry without numbers. */
export const postByHand = (db: TenantDatabase, actor: Actor, entry: Entry): Promise<Posted | undefined> =>
  names(entry)
    ? db.transaction((tx) => postNumbered(tx, actor, entry))
    : postAlone(db, actor, withoutNumbers(entry), (tx) => postNumbered(tx, actor, entry));

/** The movements of a serial number, oldest first. At most the last 1,000. */
export async function movementsOf(
  db: TenantQueryable,
  keys: readonly (readonly [partId: string, number: string])[],
): Promise<Movement[][]> {
  const rows = await db.query<Movement & { place: number }>(
    `select k.place::int as place, ${rowColumns("StockMovement", "m")} from unnest($2::text[], $3::text[]) with ordinality k("partId", number, place) cross join lateral (
       select ${rowColumns("StockMovement", "v")} from "StockMovement" v where v."tenantId" = $1 and v."partId" = k."partId" and v."serialNumbers" @> array[k.number]
       order by v."performedAt" desc, v.id desc limit 1000
     ) m order by m."performedAt", m.id`,
    keys.map(([partId]) => partId),
    keys.map(([, number]) => number),
  );
  return keys.map((_, i) => rows.filter(({ place }) => place === i + 1));
}
