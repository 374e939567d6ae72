/** Serial numbers and batches of transfers (docs/stock.md, "Serial and batch numbers"). */

import type { TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import { checkFit, names, without } from "../stock/serials.js";

type Transfer = Rows["StockTransfer"];

export interface CarriedInput {
  serialNumbers?: string[] | null;
  batchNumber?: string | null;
}

/** Numbers selected for a transfer from a site. */
interface Chosen {
  partId: string;
  site: string;
  quantity: number;
  serialNumbers: string[];
  batchNumber: string | null;
}

/** Throws BAD_USER_INPUT if the numbers do not match the quantity, CONFLICT if the site does not hold them. */
export async function checkPresent(tx: TenantQueryable, chosen: Chosen): Promise<void> {
  if (!names(chosen)) return;
  checkFit(chosen);
  const { partId, site, quantity, serialNumbers, batchNumber } = chosen;
  const [found] = await tx.query<{ serials: string[]; held: number | null }>(
    `select array(select s."serialNumber" from "Unit" s
         where s."tenantId" = $1 and s."partId" = $2 and s.site = $3 and s."serialNumber" = any($4::text[]) and ($5::text is null or s."batchNumber" = $5)) as serials,
       (select b.quantity from "StockBatch" b where b."tenantId" = $1 and b."partId" = $2 and b.site = $3 and b."batchNumber" = $5) as held`,
    partId,
    site,
    serialNumbers,
    batchNumber,
  );
  const absent = without(serialNumbers, found!.serials);
  if (absent.length) throw conflict("Serial numbers are not at the site", { serialNumbers: absent, site }).about("serialNumbers");
  if (batchNumber !== null && (found!.held ?? 0) < quantity)
    throw conflict("Quantity exceeds the batch's stock at the site", { batchNumber, site, requested: quantity }).about("batchNumber");
}

/**
 * The numbers of a quantity that arrives from a transfer: those in `named`, or all remaining ones if everything arrives. Numbers missing at
 * shipment may be supplied on arrival. Throws BAD_USER_INPUT naming serialNumbers or batchNumber, CONFLICT with numbers that the transfer
 * does not carry.
 */
export async function carriedOf(
  tx: TenantQueryable,
  { serialNumbers, batchNumber, outgoingId, inTransit }: Transfer,
  quantity: number,
  named: CarriedInput,
): Promise<CarriedInput> {
  if (batchNumber !== null && named.batchNumber != null && named.batchNumber !== batchNumber)
    throw conflict("The transfer carries another batch", { batchNumber }).about("batchNumber");
  if (!serialNumbers.length) return { serialNumbers: named.serialNumbers ?? [], batchNumber: batchNumber ?? named.batchNumber ?? null };
  if (batchNumber === null && named.batchNumber != null)
    throw badInput({ batchNumber: "must be left out: pieces stay in the batch they came with" });
  const left = await tx.query<{ number: string }>(
    `select n.number from unnest($3::text[]) with ordinality n(number, place)
     where not exists (select 1 from "StockMovement" m where m."tenantId" = $1 and m."originId" = $2 and n.number = any(m."serialNumbers")) order by n.place`,
    outgoingId,
    serialNumbers,
  );
  const underWay = left.map(({ number }) => number);
  if (!named.serialNumbers?.length) {
    if (quantity < inTransit) throw badInput({ serialNumbers: "is required of a part of it, because the transfer carries pieces" });
    return { serialNumbers: underWay, batchNumber };
  }
  const others = without(named.serialNumbers, underWay);
  if (others.length) throw conflict("Serial numbers are not in transit", { serialNumbers: others }).about("serialNumbers");
  return { serialNumbers: named.serialNumbers, batchNumber };
}
