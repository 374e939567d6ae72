/** Numbers and evidence of recalls. Each function reads the values of all keys in one statement. */
import type { TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns, rowFromJson } from "../../../database/rows/catalogue.js";
import type { RecallCounts, RecallReplacement, RecallStock } from "../../../schema/maintenance/recalls/recall.js";

/** Numbers of units of each recall. */
export async function recallCounts(db: TenantQueryable, ids: readonly string[]): Promise<RecallCounts[]> {
  const inState = (state: string, name: string) => `count(*) filter (where p.state = '${state}')::int as "${name}"`;
  const rows = await db.query<RecallCounts & { id: string }>(
    `select k.id, count(n.id)::int as total, ${inState("installed", "installed")}, ${inState("in_stock", "inStock")}, ${inState("in_transit", "inTransit")},
       ${inState("with_work_order", "withWorkOrder")}, ${inState("removed", "removed")}, ${inState("in_repair", "inRepair")},
       ${inState("scrapped", "scrapped")}, ${inState("lost", "lost")}, count(n.id) filter (where p.state is null)::int as elsewhere,
       count(*) filter (where i."wasInstalled")::int as "toReplace",
       count(*) filter (where i."wasInstalled" and p.state is distinct from 'installed')::int as replaced,
       count(*) filter (where w.id is not null)::int as ordered
     from unnest($2::text[]) k(id) left join "RecallUnit" n on n."tenantId" = $1 and n."recallId" = k.id
     left join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = n."unitId" and p."endedAt" is null
     left join "WorkOrder" w on w."tenantId" = $1 and w.id = n."workOrderId" and w."endedAt" is null
     left join lateral (select exists (select from "UnitPeriod" q where q."tenantId" = $1 and q."unitId" = n."unitId" and q.state = 'installed'
       and (q."endedAt" is null or q."endedAt" > n."locatedAt")) as "wasInstalled") i on true
     group by 1`,
    ids,
  );
  const byId = new Map(rows.map(({ id, ...counts }) => [id, counts]));
  return ids.map((id) => byId.get(id)!);
}

/** Stock of the batch of each recall by site, of sites that have some. Empty without a batch. */
export async function recallStock(db: TenantQueryable, ids: readonly string[]): Promise<RecallStock[][]> {
  const rows = await db.query<RecallStock & { id: string }>(
    `select r.id, b.site, b.quantity::float8 as quantity, (b.quantity - (select count(*) from "Unit" u where u."tenantId" = $1 and u."partId" = b."partId"
       and u.site = b.site and u."batchNumber" = b."batchNumber"))::float8 as "withoutSerialNumbers"
     from "Recall" r join "StockBatch" b on b."tenantId" = $1 and b."partId" = r."partId" and b."batchNumber" = r."batchNumber" and b.quantity > 0
     where r."tenantId" = $1 and r.id = any($2) order by b.site`,
    ids,
  );
  return ids.map((id) => rows.filter((row) => row.id === id));
}

type Period = Rows["UnitPeriod"];
const columns = rowColumns("UnitPeriod", "p");
type Located = readonly [unitId: string, locatedAt: Date];

/** The last installation of each unit, if it ended after the unit was located. */
export async function replacementsOf(db: TenantQueryable, keys: readonly Located[]): Promise<(RecallReplacement | null)[]> {
  type Json = Record<string, unknown>;
  const rows = await db.query<{ place: number; installation: Json; removal: Json | null; successor: Json | null }>(
    `select k.place::int as place, to_jsonb(i) as installation, to_jsonb(n) as removal, to_jsonb(s) as successor
     from unnest($2::text[], $3::timestamptz[]) with ordinality k("unitId", at, place)
     join lateral (select ${columns} from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = k."unitId" and p.state = 'installed'
       order by p."startedAt" desc limit 1) i on i."endedAt" > k.at
     left join lateral (select ${columns} from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = k."unitId" and p."startedAt" = i."endedAt") n on true
     left join lateral (select ${columns} from "UnitPeriod" p where p."tenantId" = $1 and p."componentId" = i."componentId" and p."startedAt" >= i."endedAt"
       order by p."startedAt" limit 1) s on true`,
    keys.map(([unitId]) => unitId),
    keys.map(([, at]) => at),
  );
  const period = (json: Json | null): Period | null => json && rowFromJson("UnitPeriod", json);
  const found = new Map(
    rows.map(({ place, installation, removal, successor }) => [
      place,
      { installation: period(installation)!, removal: period(removal), successor: period(successor) },
    ]),
  );
  return keys.map((_, i) => found.get(i + 1) ?? null);
}
