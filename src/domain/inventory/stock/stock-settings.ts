/** Rules of a tenant's stock ledger (docs/stock.md, "Approvals"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersionSql, versionConflict } from "../../../database/records/versions.js";
import { insertColumns, insertValues, pick, setFromJson } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { StockSettings, UpdateStockSettingsInput } from "../../../schema/inventory/stock/stock-settings.js";
import type { Actor } from "../../access/keys.js";

/** Id of the settings, also before any are stored. */
export const settingsId = "stock-settings";

/** SQL of the settings `s` of the tenant `t`. Null until some are stored. */
const settingsOfTenant = `"Tenant" t left join "StockSettings" s on s."tenantId" = t."tenantId" where t."tenantId" = $1`;

/** SQL of whether technicians' receipts without an order require approval: the settings `s`, else the default of the tenant `t`. */
export const receiptApproval = `coalesce(s."receiptApproval", t."receiptApproval")`;

export async function needsReceiptApproval(db: TenantQueryable): Promise<boolean> {
  const [found] = await db.query<{ needed: boolean }>(`select ${receiptApproval} as needed from ${settingsOfTenant}`);
  return found?.needed ?? false;
}

/** Service levels in percent until others are stored. */
const serviceLevels = { serviceLevel: 95, criticalServiceLevel: 98 };

/** SQL of the service level in percent of a part, by the stored settings `s` or the default. */
export const serviceLevelOf = (s: string, p: string) =>
  `case when ${p}."isCritical" then coalesce(${s}."criticalServiceLevel", ${serviceLevels.criticalServiceLevel}) else coalesce(${s}."serviceLevel", ${serviceLevels.serviceLevel}) end`;

/** The stored settings, or the defaults. */
export async function stockSettings(db: TenantQueryable): Promise<StockSettings> {
  const columns = pick("StockSettings", [
    ...(["id", "currency", "countThreshold", "writeOffThreshold", "revaluationThreshold"] as const),
    ...(["bookDiscrepancyAllowed", "overReceiptTolerance", "invoiceTolerance", "letterhead"] as const),
    ...(["updatedAt", "updatedBy", "version"] as const),
  ]);
  const [found] = await db.query<Omit<StockSettings, "id"> & { id: string | null }>(
    `select ${columns}, ${receiptApproval} as "receiptApproval", coalesce(s."serviceLevel", ${serviceLevels.serviceLevel}) as "serviceLevel",
       coalesce(s."criticalServiceLevel", ${serviceLevels.criticalServiceLevel}) as "criticalServiceLevel" from ${settingsOfTenant}`,
  );
  if (found?.id != null) return { ...found, id: found.id };
  const defaults = { ...serviceLevels, bookDiscrepancyAllowed: true, overReceiptTolerance: 0, version: 0 };
  return { id: settingsId, ...defaults, receiptApproval: found?.receiptApproval ?? false };
}

/**
 * SQL of a part's reference price as a ledger value. Null if it is in another currency. A part's currency is free text; only a three-letter
 * code counts as another currency.
 */
export const partCost = (p: string) => `case when ${p}.currency !~* '^[a-z]{3}$' is not false or upper(${p}.currency) = (
      select coalesce(c.currency, upper(${p}.currency)) from (values (1)) one left join "StockSettings" c on c."tenantId" = $1) then ${p}."unitCost" end`;

/** Throws BAD_USER_INPUT naming currency unless it is the ledger's. */
export async function checkCurrency(db: TenantQueryable, currency: string | null | undefined): Promise<void> {
  if (currency == null) return;
  const { currency: ledgers } = await stockSettings(db);
  if (!ledgers) throw badInput({ currency: "cannot be given before the ledger has one; set it with updateStockSettings" });
  if (currency !== ledgers) throw badInput({ currency: `must be the ledger's, ${ledgers}; convert the cost first` });
}

/**
 * Throws BAD_USER_INPUT naming currency or overReceiptTolerance, CONFLICT with `version` for another version, or with `currency` if stock has values in another
 * currency.
 */
export const updateStockSettings = (
  db: TenantDatabase,
  actor: Actor,
  input: UpdateStockSettingsInput,
  expected: Expected,
): Promise<StockSettings> =>
  db.transaction(async (tx) => {
    const { currency, overReceiptTolerance } = input;
    if (currency != null && !/^[A-Z]{3}$/.test(currency)) throw badInput({ currency: "must be three capital letters such as EUR" });
    if (overReceiptTolerance != null && overReceiptTolerance > 100) throw badInput({ overReceiptTolerance: "must be from 0 to 100" });
    for (const level of ["serviceLevel", "criticalServiceLevel"] as const) {
      const percent = input[level];
      if (percent != null && !(percent >= 50 && percent <= 99.99)) throw badInput({ [level]: "must be a percentage from 50 to 99.99" });
    }
    const written = await tx.query(
      `insert into "StockSettings" as s ("tenantId", ${insertColumns("StockSettings")})
       select $1, ${insertValues("StockSettings", "r")} from jsonb_populate_record(null::"StockSettings", $2::jsonb) r
       where coalesce($3::int, 0) = 0 or exists (select 1 from "StockSettings" where "tenantId" = $1)
       on conflict ("tenantId", id) do update set ${setFromJson("StockSettings", "s", "$2")}, "updatedBy" = excluded."updatedBy"
       where ${atVersionSql("s", "$3")} and (not $5::boolean or s.currency is null or s.currency = $4::text
         or not exists (select 1 from "StockLevel" l where l."tenantId" = $1 and l.sequence > 0)) returning 1`,
      JSON.stringify({ ...input, id: settingsId, updatedBy: actor.principalId }),
      expected,
      currency ?? null,
      currency !== undefined,
    );
    if (written.length) return stockSettings(tx);
    const found = await versionConflict(tx, "StockSettings", settingsId, expected);
    if (found) throw found;
    const now = await stockSettings(tx);
    if (now.version !== (expected ?? now.version))
      throw conflict(`The stock settings are at version ${now.version} now, not at ${expected}`, {
        expectedVersion: expected,
        version: now.version,
        changedFields: [],
      }).about("expectedVersion");
    throw conflict("The stock has values in another currency", { currency: now.currency }).about("currency");
  });
