/** Periods of units (docs/units.md). Writes of periods come before those of components and stock, whose triggers then find nothing to do. */

import { nowDate } from "../../database/clock.js";
import type { TenantQueryable } from "../../database/database.js";
import { ExclusionViolation } from "../../database/errors.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { type Role, roleOrder } from "../../schema/access/enums.js";
import type { UnitState } from "../../schema/components/enums.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";

export type Period = Rows["UnitPeriod"];
type Key = "unitId" | "componentId";

/** Throws BAD_USER_INPUT naming `at` for a future time. */
export function instantOf(at: Date | null | undefined): Date {
  const now = nowDate();
  if (at && at > now) throw badInput({ at: "must not be in the future" });
  return at ?? now;
}

/** Whether the caller may install what is unserviceable, scrapped or not accepted: managers with notes. */
export const mayForce = ({ role }: Actor, notes: string | null | undefined): boolean =>
  roleOrder.indexOf(role) >= roleOrder.indexOf("manager" satisfies Role) && Boolean(notes?.trim());

/** Ends open periods `p` of `keys` at `at`, if they began before it and `where` holds. Returns them with the columns `returning`. */
export function endPeriods<T>(
  tx: TenantQueryable,
  key: Key,
  keys: string[],
  at: Date,
  {
    removalReason = null,
    where = "true",
    returning,
  }: { removalReason?: Period["removalReason"]; where?: string; returning: (keyof Period & string)[] },
): Promise<T[]> {
  return tx.query<T>(
    `update "UnitPeriod" p set "endedAt" = $3, "removalReason" = case when p.state = 'installed' then $4::text end
     where p."tenantId" = $1 and p."${key}" = any($2) and p."endedAt" is null and p."startedAt" < $3 and ${where}
     returning ${returning.map((column) => `p."${column}"`).join(", ")}`,
    keys,
    at,
    removalReason,
  );
}

export const openPeriod = async (tx: TenantQueryable, key: Key, id: string): Promise<Period | undefined> => {
  const [open] = await tx.query<Period>(
    `select ${rowColumns("UnitPeriod", "p")} from "UnitPeriod" p where p."tenantId" = $1 and p."${key}" = $2 and p."endedAt" is null`,
    id,
  );
  return open;
};

export const cameLater = (open: Period) =>
  conflict("The unit came there later; name a time after that", { since: open.startedAt }).about("at");

type Begun = Pick<Period, "unitId" | "state" | "condition"> &
  Partial<Pick<Period, "componentId" | "site" | "workOrderId" | "notes" | "supplier" | "endedAt">>;

export const beginPeriod = (tx: TenantQueryable, actor: Actor, at: Date, period: Begun) =>
  tx.records.UnitPeriod.create(actor.principalId, { ...period, startedAt: at, recordedBy: actor.principalId });

/** Rethrows an overlap with a later period as CONFLICT. */
export const refusingOverlaps = (details: Record<string, unknown>) => (error: unknown) => {
  throw error instanceof ExclusionViolation
    ? conflict("Another unit was in the component after that time; name a later one", details).about("at")
    : error;
};

/** Why the ledger, and nobody else, moves a unit in a state. */
export const inBooks: Partial<Record<UnitState, string>> = {
  in_stock: "The unit is in stock; adjust, issue or transfer its stock instead",
  in_transit: "The unit is in transit; receive or cancel its transfer first",
};

/** SQL of whether a component accepts a part: it has no active parts (`Component.parts`), or this one. Units without a part are accepted. */
export const accepts = (componentId: string, partId: string) => {
  const listed = `from "PartComponent" pc join "Part" listed on listed."tenantId" = $1 and listed.id = pc."partId" and listed."isActive" where pc."tenantId" = $1 and pc."componentId" = ${componentId}`;
  return `(${partId} is null or not exists (select 1 ${listed}) or exists (select 1 ${listed} and pc."partId" = ${partId}))`;
};

export const notAccepted = (componentId: string, partId: string | null) =>
  conflict("The component accepts other parts, listed as its parts; let a manager install the unit with notes", { componentId, partId });

export const unfit = ({ state, condition }: Pick<Period, "state" | "condition">) =>
  conflict("The unit is unserviceable or scrapped; inspect it first, or let a manager install it with notes", { state, condition });
