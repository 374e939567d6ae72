/** Parts that are valued by unit, and fixed assets (docs/stock.md, "Valuation by unit"). */
import type { TenantQueryable } from "../../../database/database.js";
import { CheckViolation } from "../../../database/errors.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { UpdatePartInput } from "../../../schema/inventory/parts/part-input.js";
import { splitValues } from "../stock/unit-values.js";

type Valuation = Pick<Rows["Part"], "isRepairable" | "isCapital">;

/** The error for flags that exclude each other, naming a field of the input. Other errors stay as they are. */
export function notValued(error: unknown, { isRepairable, isCapital }: Partial<Valuation> | UpdatePartInput): unknown {
  const constraint = error instanceof CheckViolation ? error.constraint : undefined;
  if (constraint === "Part_repairable_check")
    return badInput(
      isRepairable
        ? { isRepairable: "needs tracksSerials, because the part is valued by unit" }
        : { tracksSerials: "must be true, because the part is valued by unit" },
    );
  if (constraint !== "Part_valuation_check") return error;
  return badInput(
    isCapital
      ? { isCapital: "must be false, because the part is repairable" }
      : { isRepairable: "must be false, because the part is a fixed asset" },
  );
}

/** Locks the part and its levels if the input may change how it is valued. Returns the previous flags. */
export async function checkValuation(
  tx: TenantQueryable,
  id: string,
  { isRepairable, isCapital }: UpdatePartInput,
): Promise<Valuation | undefined> {
  if (isRepairable == null && isCapital == null) return undefined;
  // Against new levels, which refer to the part.
  const [before] = await tx.query<Valuation>(
    `select "isRepairable", "isCapital" from "Part" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  await tx.query(`select 1 from "StockLevel" where "tenantId" = $1 and "partId" = $2 order by site for update`, id);
  return before;
}

interface Unfit {
  site: string;
  quantity: number;
  value: number;
  units: number;
}

/**
 * Values the stock of a part as its new flags say. Throws CONFLICT with the site of stock that is under way, that has no serial numbers, or that
 * has a value although the part becomes a fixed asset.
 */
export async function setValuation(tx: TenantQueryable, before: Valuation, part: Rows["Part"]): Promise<void> {
  const { id, isRepairable, isCapital } = part;
  const becomesCapital = isCapital && !before.isCapital;
  if (isRepairable === before.isRepairable && !becomesCapital) return;
  const [moving] = await tx.query<{ id: string }>(
    `select id from "StockTransfer" where "tenantId" = $1 and "partId" = $2 and status = 'shipped' order by "reservedAt", id limit 1`,
    id,
  );
  const field = isRepairable === before.isRepairable ? "isCapital" : "isRepairable";
  if (moving) throw conflict("Stock of the part is in transit; receive it first", { transferId: moving.id }).about(field);
  const [unfit] = await tx.query<Unfit>(
    `select site, quantity, value, units from (
       select s.site, s.quantity, s.value, (select count(*)::int from "Unit" u where u."tenantId" = $1 and u."partId" = s."partId" and u.site = s.site) as units
       from "StockLevel" s where s."tenantId" = $1 and s."partId" = $2
     ) l where case when $3 then units <> quantity else value <> 0 end order by site limit 1`,
    id,
    isRepairable,
  );
  if (unfit && isRepairable)
    throw conflict("Some of the stock has no serial numbers; adjust it until each piece has one", {
      site: unfit.site,
      quantity: unfit.quantity,
      serialNumbers: unfit.units,
    }).about("isRepairable");
  if (unfit && becomesCapital)
    throw conflict("The stock has a value; set the unit cost of its inventory record to 0 first", {
      site: unfit.site,
      value: unfit.value,
    }).about("isCapital");
  if (isRepairable !== before.isRepairable) await splitValues(tx, id, isRepairable);
}
