/** Serial numbers and batches that work orders issue and return (docs/stock.md, "Serial and batch numbers"). */
import type { TenantQueryable } from "../../../database/database.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Posted } from "../../inventory/stock/ledger-entry.js";
import { checkFit, moveNumbers, names, without } from "../../inventory/stock/serials.js";
import type { Issue, Return, Wanted } from "./entries.js";

/** Updates the locations of the serial numbers and batches in movements. */
export async function moveAll(tx: TenantQueryable, posted: Posted[]): Promise<void> {
  for (const { movement } of posted) if (names(movement)) await moveNumbers(tx, movement);
}

/** The part of an issue that is missing in the books. Its serial numbers are those not known to be at the site. */
export async function foundOf(tx: TenantQueryable, issue: Issue, lack: number): Promise<Issue> {
  const found = { ...issue, quantity: lack };
  if (!issue.serialNumbers?.length) return found;
  const absent = await tx.query<{ number: string }>(
    `select n.number from unnest($4::text[]) with ordinality n(number, place)
     where not exists (select 1 from "Unit" s where s."tenantId" = $1 and s."partId" = $2 and s.site = $3 and s."serialNumber" = n.number) order by n.place`,
    issue.partId,
    issue.site,
    issue.serialNumbers,
  );
  return { ...found, serialNumbers: absent.slice(0, lack).map(({ number }) => number) };
}

interface NamedReturn {
  partId?: string | null;
  movementId?: string | null;
  quantity: number;
  serialNumbers: string[];
}

/**
 * The issues of serial numbers that the order currently holds. Throws BAD_USER_INPUT naming serialNumbers, CONFLICT with numbers that it
 * does not hold.
 */
export async function issuesOfPieces(
  tx: TenantQueryable,
  id: string,
  { partId, movementId, quantity, serialNumbers }: NamedReturn,
): Promise<Wanted[]> {
  checkFit({ quantity, serialNumbers });
  const found = await tx.query<{ movementId: string; serialNumbers: string[] }>(
    `select m.id as "movementId", array_agg(s."serialNumber" order by s."serialNumber") as "serialNumbers"
     from "Unit" s join "StockMovement" m on m."tenantId" = $1 and m.id = s."movementId" and m."partId" = s."partId" and m."workOrderId" = $2 and m.type = 'issue'
     where s."tenantId" = $1 and s."serialNumber" = any($3) and ($4::text is null or s."partId" = $4) and ($5::text is null or m.id = $5) group by 1 order by 1`,
    id,
    serialNumbers,
    partId ?? null,
    movementId ?? null,
  );
  const absent = without(
    serialNumbers,
    found.flatMap((issue) => issue.serialNumbers),
  );
  if (absent.length) throw conflict("Serial numbers are not issued to the work order", { serialNumbers: absent }).about("serialNumbers");
  return found.map((issue) => ({ ...issue, quantity: issue.serialNumbers.length, field: "quantity" }));
}

/**
 * Adds batch and serial numbers to returns: the requested numbers or, if an issue is returned completely, all of its outstanding ones. With
 * `isNamed`, throws BAD_USER_INPUT if only some of an issue's serial numbers are returned and none are given.
 */
export async function withNumbers(tx: TenantQueryable, returns: Return[], wanted: Wanted[], isNamed: boolean): Promise<Return[]> {
  if (!returns.length) return returns;
  const issues = await tx.query<{ id: string; batchNumber: string | null; hasPieces: boolean; out: string[] }>(
    `select m.id, m."batchNumber", m."serialNumbers" <> '{}' as "hasPieces", array(
       select n.number from unnest(m."serialNumbers") with ordinality n(number, place)
       join "Unit" s on s."tenantId" = $1 and s."partId" = m."partId" and s."serialNumber" = n.number and s."movementId" = m.id order by n.place) as out
     from "StockMovement" m where m."tenantId" = $1 and m.id = any($2)`,
    returns.map(({ originId }) => originId),
  );
  const byId = new Map(issues.map((issue) => [issue.id, issue]));
  return returns.map((one) => {
    const { batchNumber, hasPieces, out } = byId.get(one.originId)!;
    if (!hasPieces) return { ...one, batchNumber };
    const serialNumbers = wanted.find(({ movementId }) => movementId === one.originId)?.serialNumbers;
    if (serialNumbers?.length) return { ...one, serialNumbers };
    if (out.length === one.quantity) return { ...one, serialNumbers: out };
    if (isNamed) throw badInput({ serialNumbers: "is required of a part of it, because the issue named pieces" });
    return one;
  });
}
