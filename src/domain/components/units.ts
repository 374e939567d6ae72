/** Units and where they are and were (docs/units.md). */

import type { TenantQueryable } from "../../database/database.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { notFound } from "../../schema/errors.js";

type Unit = Rows["Unit"];
type Period = Rows["UnitPeriod"];

export const unknownUnit = (unitId: string) => notFound("Unit", { unitId });

/** Null for what has not ended. */
export type AtInstant = readonly [id: string, at: Date | null];

const periodsAt = (db: TenantQueryable, column: "unitId" | "componentId", keys: readonly AtInstant[], columns: string) =>
  db.query<{ place: number } & Record<string, unknown>>(
    `select k.place::int as place, ${columns} from unnest($2::text[], $3::timestamptz[]) with ordinality k(id, at, place)
     join "UnitPeriod" p on p."tenantId" = $1 and p."${column}" = k.id and (p."startedAt" <= k.at or k.at is null) and (p."endedAt" is null or p."endedAt" > k.at)
     join "Unit" u on u."tenantId" = $1 and u.id = p."unitId"`,
    keys.map(([id]) => id),
    keys.map(([, at]) => at),
  );

const inOrder = <T>(keys: readonly AtInstant[], rows: ({ place: number } & Record<string, unknown>)[]): (T | null)[] => {
  const found = new Map(rows.map((row) => [row.place, row as T]));
  return keys.map((_, i) => found.get(i + 1) ?? null);
};

/** The unit in each component at an instant. */
export const unitsAt = async (db: TenantQueryable, keys: readonly AtInstant[]): Promise<(Unit | null)[]> =>
  inOrder(keys, await periodsAt(db, "componentId", keys, rowColumns("Unit", "u")));

/** The period of each unit at an instant. */
export const whereaboutsAt = async (db: TenantQueryable, keys: readonly AtInstant[]): Promise<(Period | null)[]> =>
  inOrder(keys, await periodsAt(db, "unitId", keys, rowColumns("UnitPeriod", "p")));
