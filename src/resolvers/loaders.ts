/** The DataLoaders of a request. Each reads one relation for all objects of a level in one statement. */
import DataLoader from "dataloader";
import { type Column, pick, type Rows, rowColumns } from "../database/catalogue.js";
import type { TenantDatabase } from "../database/database.js";
import { type List, Where } from "../database/page.js";
import { assetWhere, countPlaces, locationOrder } from "../domain/assets/places.js";
import { subtreePredicate } from "../domain/components/tree.js";
import { stockOfParts } from "../domain/inventory/parts.js";
import { checkPeriod } from "../domain/inventory/reports.js";
import type { AssetFilter } from "../schema/assets/asset.js";
import type { ComponentScope } from "../schema/components/enums.js";
import type { PastStock } from "../schema/inventory/inventory.js";
import type { MovementFilter } from "../schema/inventory/movement.js";
import type { PartStock } from "../schema/inventory/part.js";
import { groupBy, joinLoader, type Key, listLoader, pageLoader, perArguments, recordLoader } from "./loading.js";
import { makeWorkLoaders } from "./work-loaders.js";

/** The list of movements that match a filter, oldest first. Throws BAD_USER_INPUT if the period ends before it starts. */
export function movementList(filter?: MovementFilter | null): List<"StockMovement"> {
  const { site, type, startDate, endDate } = filter ?? {};
  checkPeriod({ startDate, endDate });
  const where = new Where().equal({ site, type });
  if (startDate) where.add(`"performedAt" >= ?`, startDate);
  if (endDate) where.add(`"performedAt" <= ?`, endDate);
  return { table: "StockMovement", where, order: ["performedAt", "id"] };
}

/** Sorts the rows of a subtree, ordered by position, level by level. */
function levelByLevel<T extends { id: string; parentId: string | null }>(rootId: string, rows: T[]): T[] {
  const childrenOf = groupBy(rows, (row) => row.parentId);
  const sorted: T[] = [...(childrenOf.get(rootId) ?? [])];
  for (let i = 0; i < sorted.length; i++) sorted.push(...(childrenOf.get(sorted[i]!.id) ?? []));
  return sorted;
}

/** Condition for photos that are uploaded and registered. */
const registered = ` and "uploadedAt" is not null and "deletedAt" is null`;

export function makeLoaders(db: TenantDatabase) {
  let places: ReturnType<typeof countPlaces> | undefined;
  const assetsIn = (filter: AssetFilter | undefined): List<"Asset"> => ({
    table: "Asset",
    where: assetWhere(filter),
    order: locationOrder,
  });
  return {
    asset: recordLoader(db, "Asset"),
    component: recordLoader(db, "Component"),
    statusHistory: listLoader(db, "AssetStatusChange", "assetId", "id"),
    photosOfAsset: listLoader(db, "Photo", "assetId", `"uploadedAt", id`, registered),
    template: recordLoader(db, "ComponentTemplate"),
    templateVersions: listLoader(db, "ComponentTemplateVersion", "templateId", "ordinal desc"),
    componentsOfTemplate: listLoader(db, "Component", "templateId", `"createdAt", id`),
    /** Includes inactive parts: they stay readable by id. */
    part: recordLoader(db, "Part"),
    stockOfPart: new DataLoader<string, PartStock>(async (ids) => {
      const stock = await stockOfParts(db, ids);
      return ids.map((id) => stock.get(id)!);
    }),
    stockAsOf: perArguments(
      ({ at, site }: { at: Date; site?: string | null }) =>
        new DataLoader<string, PastStock>(async (ids) => {
          const rows = await db.query<PastStock & { partId: string }>(
            `select "partId", sum(quantity) as quantity, coalesce(sum("totalValue"), 0) as "totalValue" from "StockMovement"
           where "tenantId" = $1 and "partId" = any($2) and "performedAt" <= $3 and ($4::text is null or site = $4) and type not in ('reserve', 'unreserve') group by 1`,
            ids,
            at,
            site ?? null,
          );
          const byPart = new Map(rows.map((row) => [row.partId, row]));
          return ids.map((id) => byPart.get(id) ?? { quantity: 0, totalValue: 0 });
        }),
    ),
    stockLevels: listLoader(db, "Stock", "partId", "site"),
    stockLevel: new DataLoader<Key, Rows["Stock"] | null, string>(
      async (keys) => {
        const rows = await db.query<Rows["Stock"]>(
          `select ${rowColumns("Stock")} from "Stock" where "tenantId" = $1 and ("partId", site) in (select k.id, k.site from unnest($2::text[], $3::text[]) k(id, site)) and "deletedAt" is null`,
          keys.map((key) => key[0]),
          keys.map((key) => key[1]),
        );
        const byKey = new Map(rows.map((row) => [JSON.stringify([row.partId, row.site]), row]));
        return keys.map((key) => byKey.get(JSON.stringify(key)) ?? null);
      },
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    alternatives: joinLoader(db, "PartAlternative", "partId", "alternativeId", "Part", `t."isActive"`),
    compatibleAssets: joinLoader(db, "PartAsset", "partId", "assetId", "Asset", `t."deletedAt" is null`),
    componentsOfPart: joinLoader(db, "PartComponent", "partId", "componentId", "Component", `t."deletedAt" is null`),
    partsOfAsset: joinLoader(db, "PartAsset", "assetId", "partId", "Part", `t."isActive"`),
    partsOfComponent: joinLoader(db, "PartComponent", "componentId", "partId", "Part", `t."isActive"`),
    movementsOfPart: pageLoader<"StockMovement", MovementFilter | undefined>(db, ["partId"], movementList),
    movementsOfLevel: pageLoader<"StockMovement", MovementFilter | undefined>(db, ["partId", "site"], movementList),
    stockOfSite: pageLoader<"Stock">(db, ["site"], () => ({ table: "Stock", where: new Where(), order: ["partId"] })),
    photosOfPart: listLoader(db, "Photo", "partId", `"uploadedAt", id`, registered),
    ...makeWorkLoaders(db),
    places: () => (places ??= countPlaces(db)),
    assetsOfSite: pageLoader<"Asset", AssetFilter | undefined>(db, ["site"], assetsIn),
    assetsOfArea: pageLoader<"Asset", AssetFilter | undefined>(db, ["site", "area"], assetsIn),
    children: pageLoader<"Component">(db, ["parentId"], () => ({ table: "Component", where: new Where(), order: ["position", "id"] })),
    componentsOfAsset: pageLoader<"Component", ComponentScope>(db, ["assetId"], (scope) => ({
      table: "Component",
      where: scope === "roots" ? new Where().add(`level = 0`) : new Where(),
      order: ["level", "position", "id"],
    })),
    childIds: new DataLoader<string, string[]>(async (ids) => {
      const rows = await db.query<{ id: string; parentId: string }>(
        `select id, "parentId" from "Component" where "tenantId" = $1 and "parentId" = any($2) and "deletedAt" is null order by position, id`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.parentId);
      return ids.map((id) => (groups.get(id) ?? []).map((row) => row.id));
    }),
    /** From the root down to the parent. */
    ancestors: new DataLoader<string, Rows["Component"][]>(async (ids) => {
      const rows = await db.query<Rows["Component"] & { $of: string }>(
        `with recursive up as (
           select id as of, "parentId" from "Component" where "tenantId" = $1 and id = any($2)
           union all select up.of, c."parentId" from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId"
         ) select up.of as "$of", ${rowColumns("Component", "c")} from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId" and c."deletedAt" is null order by c.level`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.$of);
      return ids.map((id) => groups.get(id) ?? []);
    }),
    /** Level by level, siblings by position. Reads only the selected columns. */
    descendants: perArguments(
      ({ maxDepth, columns }: { maxDepth?: number | null; columns: Column<"Component">[] }) =>
        new DataLoader<string, Rows["Component"][]>(async (ids) => {
          // With one root, its id is not needed in each of possibly thousands of rows.
          const single = ids.length === 1;
          const rows = await db.query<Rows["Component"] & { $of: string }>(
            `select ${single ? "" : `r.id as "$of", `}${pick("Component", columns, "c")} from "Component" r
           join "Component" c on c."tenantId" = $1 and ${subtreePredicate("r", "c")} and c.id <> r.id and c."deletedAt" is null
           where r."tenantId" = $1 and r.id = any($2) and c.level - r.level <= $3 order by c.position`,
            ids,
            maxDepth ?? 2147483647,
          );
          const groups = single ? new Map([[ids[0]!, rows]]) : groupBy(rows, (row) => row.$of);
          return ids.map((id) => levelByLevel(id, groups.get(id) ?? []));
        }),
    ),
  };
}

export type Loaders = ReturnType<typeof makeLoaders>;
