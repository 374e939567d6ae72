/**
 * Sites and areas (docs/decisions.md, "sites and areas"). A place is a text on assets; its record, if any, adds display settings. The text
 * never changes, so that assets, stock and REST do not depend on the records.
 */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { UniqueViolation } from "../../database/errors.js";
import { atVersionSql, versionConflict } from "../../database/records/versions.js";
import { insertColumns, insertValues, setFromJson, type Table } from "../../database/rows/catalogue.js";
import type { Area, CreateAreaInput, CreateSiteInput, Holiday, Site, UpdateAreaInput, UpdateSiteInput } from "../../schema/assets/place.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import { weekdays } from "../../schema/scalars.js";
import type { Actor } from "../access/keys.js";
import { guardSite } from "../access/site-guard.js";
import { changeTimeZone } from "../maintenance/procedures/due-dates.js";
import { isTimeZone, unknownTimeZone } from "../maintenance/procedures/schedule.js";

interface PlaceRow {
  site: string;
  /** Null in the row of a recorded site. */
  area: string | null;
  count: number;
  displayName: string | null;
  code: string | null;
  position: number | null;
  version: number | null;
  timeZone: string | null;
  workingDays: string[] | null;
  holidays: Holiday[] | null;
  address: string | null;
  areaDisplayName: string | null;
  areaCode: string | null;
  areaPosition: number | null;
  areaVersion: number | null;
}

/**
 * Returns every site with its areas and their asset counts, in one statement: places used by assets and recorded places. Assets without a
 * site are counted under the empty text. That entry is omitted if there are none.
 */
export async function countPlaces(db: TenantQueryable): Promise<Site[]> {
  const rows = await db.query<PlaceRow>(
    `with used as (
       select site, area, sum(count)::int as count from "AssetCount" where "tenantId" = $1 group by site, area having sum(count) > 0
     ), place as (
       select site, area from used union select site, area from "AreaSetting" where "tenantId" = $1
       union select site, null from "SiteSetting" where "tenantId" = $1 and site <> ''
     )
     select p.site, p.area, coalesce(u.count, 0) as count, s."displayName", s.code, s.position, s.version, s."timeZone", s."workingDays", s.holidays, s.address,
       a."displayName" as "areaDisplayName", a.code as "areaCode", a.position as "areaPosition", a.version as "areaVersion"
     from place p left join used u on u.site = p.site and u.area = p.area
     left join "SiteSetting" s on s."tenantId" = $1 and s.site = p.site
     left join "AreaSetting" a on a."tenantId" = $1 and a.site = p.site and a.area = p.area
     order by s.position, p.site, a.position, p.area`,
  );
  const sites = new Map<string, Site>();
  for (const { site, area, count, displayName, code, position, version, timeZone, workingDays, holidays, address, ...row } of rows) {
    const shown = {
      displayName: displayName ?? site,
      code,
      position,
      version,
      timeZone: timeZone ?? "UTC",
      workingDays: workingDays ?? weekdays.slice(0, 5),
      holidays: holidays ?? [],
      address,
    };
    const entry = sites.get(site) ?? { name: site, ...shown, assetCount: 0, areas: [] };
    sites.set(site, entry);
    entry.assetCount += count;
    if (area === null) continue;
    const shownArea = {
      displayName: row.areaDisplayName ?? area,
      code: row.areaCode,
      position: row.areaPosition,
      version: row.areaVersion,
    };
    entry.areas.push({ name: area, site, ...shownArea, assetCount: count });
  }
  return [...sites.values()];
}

/** `countPlaces` as a batch: the same sites for every key. */
export async function places(db: TenantQueryable, keys: readonly string[]): Promise<Site[][]> {
  const sites = await countPlaces(db);
  return keys.map(() => sites);
}

export const unknownSite = (site: string) => notFound("Site", { site });
export const unknownArea = (site: string, area: string) => notFound("Area", { site, area });

type PlaceTable = Table & ("SiteSetting" | "AreaSetting");

/** Inserts the record given as the JSON object `$2`, provided that the condition holds. */
const insertPlace = (table: PlaceTable, condition: string) =>
  `insert into "${table}" as p ("tenantId", ${insertColumns(table)})
   select $1, ${insertValues(table, "r")} from jsonb_populate_record(null::"${table}", $2::jsonb) r where ${condition}`;

/** Columns absent from the JSON object keep their values. `expected` is the placeholder of the expected version. */
const updatePlace = (table: PlaceTable, expected: string) =>
  `do update set ${setFromJson(table, "p", "$2")}, "updatedBy" = excluded."updatedBy" where ${atVersionSql("p", expected)}`;

// The conditions bind the names instead of reading them from the JSON object, so that each is looked up by index. `min` uses the index
// where many assets are at a site; `exists` would scan the table up to the first match.

/** Holds if `sites` lists the site `$3`. A concurrent deletion of its record waits. */
const siteIsKnown = (lock: "share" | "update") => `(
  (select min(area) from "Asset" where "tenantId" = $1 and site = $3 and "deletedAt" is null) is not null
  or $3 <> '' and (exists (select 1 from "SiteSetting" where "tenantId" = $1 and site = $3 for ${lock})
    or exists (select 1 from "AreaSetting" where "tenantId" = $1 and site = $3)))`;

/** Holds if the site `$3` has the area `$4`. */
const areaIsKnown = `(
  exists (select 1 from "Asset" where "tenantId" = $1 and site = $3 and area = $4 and "deletedAt" is null)
  or exists (select 1 from "AreaSetting" where "tenantId" = $1 and site = $3 and area = $4 for update))`;

/**
 * Writes one record with the bound values of its condition. Returns whether the condition held. Throws CONFLICT with the field `code` if
 * another place has the code.
 */
async function writes(tx: TenantQueryable, actor: Actor, sql: string, record: object, ...bound: unknown[]): Promise<boolean> {
  try {
    const rows = await tx.query(`${sql} returning 1`, JSON.stringify({ ...record, updatedBy: actor.principalId }), ...bound);
    return rows.length > 0;
  } catch (error) {
    throw error instanceof UniqueViolation ? error.about("code") : error;
  }
}

const mostHolidays = 1_000;

/** The columns of the input. Throws BAD_USER_INPUT for a week without working days and for duplicate holidays. */
function calendarOf<T extends UpdateSiteInput>({ workingDays, holidays, ...fields }: T) {
  if (workingDays && !workingDays.length) throw badInput({ workingDays: "must name at least one day of the week" });
  if (holidays && holidays.length > mostHolidays) throw badInput({ holidays: `must be at most ${mostHolidays}` });
  const dates = new Set<string>();
  for (const [i, { date }] of (holidays ?? []).entries()) {
    if (dates.has(date)) throw badInput({ [`holidays.${i}.date`]: "is the date of another holiday" });
    dates.add(date);
  }
  return {
    ...fields,
    ...(workingDays !== undefined && {
      workingDays: workingDays && weekdays.filter((day) => workingDays.some((one) => one.toLowerCase() === day)),
    }),
    ...(holidays !== undefined && { holidays: holidays && [...holidays].sort((a, b) => (a.date < b.date ? -1 : 1)) }),
  };
}

/**
 * Writes a site's record. A change of time zone or working days changes the due dates at the site. Throws BAD_USER_INPUT for an unknown
 * time zone.
 */
async function writeSite(
  db: TenantDatabase,
  name: string,
  { timeZone, workingDays, holidays }: UpdateSiteInput,
  write: (tx: TenantQueryable) => Promise<void>,
) {
  if (timeZone != null && !isTimeZone(timeZone)) throw badInput({ timeZone: unknownTimeZone });
  if (timeZone === undefined && workingDays === undefined && holidays === undefined) return write(db);
  return db.transaction((tx) => changeTimeZone(tx, name, () => write(tx)));
}

/** Throws FORBIDDEN, CONFLICT with name if the site has a record, with code if another site has the code. */
export function createSite(db: TenantDatabase, actor: Actor, { name, ...fields }: CreateSiteInput): Promise<void> {
  guardSite(actor, name);
  const record = { ...calendarOf(fields), site: name };
  return writeSite(db, name, fields, async (tx) => {
    const sql = `${insertPlace("SiteSetting", "true")} on conflict ("tenantId", site) do nothing`;
    if (!(await writes(tx, actor, sql, record))) throw conflict("A site with this name already exists", { name });
  });
}

/** Creates the record if only assets name the site. Throws NOT_FOUND, FORBIDDEN, CONFLICT with code if another site has the code. */
export function updateSite(db: TenantDatabase, actor: Actor, name: string, fields: UpdateSiteInput, expected: Expected): Promise<void> {
  guardSite(actor, name);
  const record = { ...calendarOf(fields), site: name };
  return writeSite(db, name, fields, async (tx) => {
    const isExpected = `($4::int is null or exists (select 1 from "SiteSetting" where "tenantId" = $1 and site = $3))`;
    const sql = `${insertPlace("SiteSetting", `${siteIsKnown("update")} and ${isExpected}`)} on conflict ("tenantId", site) ${updatePlace("SiteSetting", "$4")}`;
    if (await writes(tx, actor, sql, record, name, expected)) return;
    throw (await versionConflict(tx, "SiteSetting", name, expected)) ?? unknownSite(name);
  });
}

const counted = (count: number, noun: string) => (count ? [`${count} ${noun}${count === 1 ? "" : "s"}`] : []);

/**
 * Returns the time of deletion. Throws NOT_FOUND, FORBIDDEN, and CONFLICT while the site has live assets, stock levels or recorded areas.
 */
export function deleteSite(db: TenantDatabase, actor: Actor, name: string, expected: Expected): Promise<Date> {
  guardSite(actor, name);
  // Deleted assets may remain. Their procedures then belong to a site without a time zone.
  const remove = async (tx: TenantQueryable) => {
    // A separate statement, so that the next one sees concurrently created areas.
    await tx.query(`select 1 from "SiteSetting" where "tenantId" = $1 and site = $2 for update`, name);
    const [found] = await tx.query<{ assets: number; stockLevels: number; areas: number; isDeleted: boolean; deletedAt: Date }>(
      `with used as (select
         (select count(*)::int from "Asset" where "tenantId" = $1 and site = $2 and "deletedAt" is null) as assets,
         (select count(*)::int from "StockLevel" where "tenantId" = $1 and site = $2 and "deletedAt" is null) as "stockLevels",
         (select count(*)::int from "AreaSetting" where "tenantId" = $1 and site = $2) as areas
       ), deleted as (
         delete from "SiteSetting" s using used u where s."tenantId" = $1 and s.site = $2 and u.assets + u."stockLevels" + u.areas = 0 and ${atVersionSql("s", "$3")} returning 1
       ) select assets, "stockLevels", areas, exists (select 1 from deleted) as "isDeleted", transaction_timestamp() as "deletedAt" from used`,
      name,
      expected,
    );
    const { assets, stockLevels, areas, isDeleted, deletedAt } = found!;
    if (isDeleted) return deletedAt;
    const outdated = await versionConflict(tx, "SiteSetting", name, expected);
    if (outdated) throw outdated;
    const there = [...counted(assets, "asset"), ...counted(areas, "area"), ...counted(stockLevels, "stock level")];
    if (!there.length) throw unknownSite(name);
    throw conflict(`The site still has ${there.join(", ")}`, { assets, areas, stockLevels });
  };
  return db.transaction((tx) => changeTimeZone(tx, name, () => remove(tx)));
}

/**
 * Throws NOT_FOUND for the site, FORBIDDEN, CONFLICT with name if the area has a record, with code if another area of the site has the
 * code.
 */
export async function createArea(db: TenantDatabase, actor: Actor, site: string, { name, ...fields }: CreateAreaInput): Promise<void> {
  guardSite(actor, site);
  const record = { ...fields, site, area: name };
  await db.transaction(async (tx) => {
    const sql = `${insertPlace("AreaSetting", siteIsKnown("share"))} on conflict ("tenantId", site, area) do nothing`;
    if (await writes(tx, actor, sql, record, site)) return;
    if (await tx.records.AreaSetting.find({ site, area: name })) throw conflict("An area with this name already exists", { name });
    throw unknownSite(site);
  });
}

/**
 * Creates the record if only assets name the area. Throws NOT_FOUND, FORBIDDEN, CONFLICT with code if another area of the site has the
 * code.
 */
export async function updateArea(
  db: TenantDatabase,
  actor: Actor,
  { site, name }: Pick<Area, "site" | "name">,
  fields: UpdateAreaInput,
  expected: Expected,
): Promise<void> {
  guardSite(actor, site);
  const isExpected = `($5::int is null or exists (select 1 from "AreaSetting" where "tenantId" = $1 and site = $3 and area = $4))`;
  const sql = `${insertPlace("AreaSetting", `${areaIsKnown} and ${isExpected}`)} on conflict ("tenantId", site, area) ${updatePlace("AreaSetting", "$5")}`;
  if (await writes(db, actor, sql, { ...fields, site, area: name }, site, name, expected)) return;
  throw (await versionConflict(db, "AreaSetting", [site, name], expected)) ?? unknownArea(site, name);
}

/** Returns the time of deletion. Throws NOT_FOUND, FORBIDDEN, and CONFLICT while the area has live assets. */
export async function deleteArea(
  db: TenantDatabase,
  actor: Actor,
  { site, name }: Pick<Area, "site" | "name">,
  expected: Expected,
): Promise<Date> {
  guardSite(actor, site);
  const [found] = await db.query<{ assets: number; isDeleted: boolean; deletedAt: Date }>(
    `with used as (
       select count(*)::int as assets from "Asset" where "tenantId" = $1 and site = $2 and area = $3 and "deletedAt" is null
     ), deleted as (
       delete from "AreaSetting" a using used u where a."tenantId" = $1 and a.site = $2 and a.area = $3 and u.assets = 0 and ${atVersionSql("a", "$4")} returning 1
     ) select assets, exists (select 1 from deleted) as "isDeleted", transaction_timestamp() as "deletedAt" from used`,
    site,
    name,
    expected,
  );
  const { assets, isDeleted, deletedAt } = found!;
  if (isDeleted) return deletedAt;
  const outdated = await versionConflict(db, "AreaSetting", [site, name], expected);
  if (outdated) throw outdated;
  if (!assets) throw unknownArea(site, name);
  throw conflict(`The area still has ${counted(assets, "asset").join()}`, { assets });
}
