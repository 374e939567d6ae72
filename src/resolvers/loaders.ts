/** Everything a request reads by reference, each batched into one statement for all objects of a level. Born per request. */
import DataLoader from "dataloader";
import type { Row, TenantDatabase } from "../database/database.js";
import { type List, Where } from "../database/page.js";
import { stockOfParts } from "../domain/parts.js";
import type { PhotoRecord } from "../domain/photos.js";
import { assetWhere, countPlaces, locationOrder } from "../domain/places.js";
import { checkPeriod } from "../domain/reports.js";
import type { TemplateRecord } from "../domain/templates.js";
import { atOrBelow } from "../domain/tree.js";
import type { Asset, AssetFilter, AssetStatusChange } from "../schema/asset.js";
import type { Component } from "../schema/component.js";
import type { PastStock, StockLevel } from "../schema/inventory.js";
import type { MovementFilter, StockMovement } from "../schema/movement.js";
import type { Part, PartStock } from "../schema/part.js";
import type { ComponentTemplateVersion } from "../schema/template.js";
import type { ComponentScope } from "../schema/vocabulary.js";
import { groupBy, type Key, many, one, pages, perArguments, referred } from "./loading.js";
import { makeWorkLoaders } from "./work-loaders.js";

/** Movements, oldest first. */
export function movementList(filter?: MovementFilter | null): List {
  const { site, type, startDate, endDate } = filter ?? {};
  checkPeriod({ startDate, endDate });
  const where = new Where().equal({ site, type });
  if (startDate) where.add(`"performedAt" >= ?`, startDate);
  if (endDate) where.add(`"performedAt" <= ?`, endDate);
  return { table: "StockMovement", where, order: ["performedAt", "id"], keepsDeletes: false };
}

/** Rows of a subtree, sorted by position, in the order of a walk down its levels. */
function levelByLevel<T extends Row>(rootId: string, rows: T[]): T[] {
  const below = groupBy(rows, (row) => row.parentId as string);
  const walk: T[] = [...(below.get(rootId) ?? [])];
  for (let i = 0; i < walk.length; i++) walk.push(...(below.get(walk[i]!.id) ?? []));
  return walk;
}

export function makeLoaders(db: TenantDatabase) {
  let places: ReturnType<typeof countPlaces> | undefined;
  const assetsIn = (filter: AssetFilter | undefined): List => ({ table: "Asset", where: assetWhere(filter), order: locationOrder });
  return {
    asset: one<Asset & Row>(db, "Asset"),
    component: one<Component & Row>(db, "Component"),
    statusHistory: many<AssetStatusChange & Row>(db, "AssetStatusChange", "assetId", "id"),
    photosOfAsset: many<PhotoRecord>(db, "Photo", "assetId", `"uploadedAt", id`, `"uploadedAt" is not null and "deletedAt" is null`),
    template: one<TemplateRecord>(db, "ComponentTemplate"),
    templateVersions: many<ComponentTemplateVersion & Row>(db, "ComponentTemplateVersion", "templateId", "ordinal desc"),
    componentsOfTemplate: many<Component & Row>(db, "Component", "templateId", `"createdAt", id`, `"deletedAt" is null`),
    /** Inactive ones too: they stay readable by id. */
    part: one<Part & Row>(db, "Part", "true"),
    stockOfPart: new DataLoader<string, PartStock>(async (ids) => {
      const found = await stockOfParts(db, ids);
      return ids.map((id) => found.get(id)!);
    }),
    stockAsOf: perArguments(
      ({ at, site }: { at: Date; site?: string | null }) =>
        new DataLoader<string, PastStock>(async (ids) => {
          const rows = await db.query<PastStock & Row>(
            `select "partId", sum(quantity) as quantity, coalesce(sum("totalValue"), 0) as "totalValue" from "StockMovement"
           where "tenantId" = $1 and "partId" = any($2) and "performedAt" <= $3 and ($4::text is null or site = $4) and type not in ('reserve', 'unreserve') group by 1`,
            ids,
            at,
            site ?? null,
          );
          const byPart = new Map(rows.map((row) => [row.partId as string, row]));
          return ids.map((id) => byPart.get(id) ?? { quantity: 0, totalValue: 0 });
        }),
    ),
    stockLevels: many<StockLevel & Row>(db, "Stock", "partId", "site", `"deletedAt" is null`),
    stockLevel: new DataLoader<Key, (StockLevel & Row) | null, string>(
      async (keys) => {
        const rows = await db.query<StockLevel & Row>(
          `select * from "Stock" where "tenantId" = $1 and ("partId", site) in (select * from unnest($2::text[], $3::text[])) and "deletedAt" is null`,
          keys.map((key) => key[0]),
          keys.map((key) => key[1]),
        );
        const byKey = new Map(rows.map((row) => [JSON.stringify([row.partId, row.site]), row]));
        return keys.map((key) => byKey.get(JSON.stringify(key)) ?? null);
      },
      { cacheKeyFn: (key) => JSON.stringify(key) },
    ),
    alternatives: referred<Part & Row>(db, "PartAlternative", "partId", "alternativeId", "Part", `t."isActive"`),
    compatibleAssets: referred<Asset & Row>(db, "PartAsset", "partId", "assetId", "Asset", `t."deletedAt" is null`),
    componentsOfPart: referred<Component & Row>(db, "PartComponent", "partId", "componentId", "Component", `t."deletedAt" is null`),
    partsOfAsset: referred<Part & Row>(db, "PartAsset", "assetId", "partId", "Part", `t."isActive"`),
    partsOfComponent: referred<Part & Row>(db, "PartComponent", "componentId", "partId", "Part", `t."isActive"`),
    movementsOfPart: pages<StockMovement & Row, MovementFilter | undefined>(db, ["partId"], movementList),
    movementsOfLevel: pages<StockMovement & Row, MovementFilter | undefined>(db, ["partId", "site"], movementList),
    stockOfSite: pages<StockLevel & Row>(db, ["site"], () => ({ table: "Stock", where: new Where(), order: ["partId"] })),
    photosOfPart: many<PhotoRecord>(db, "Photo", "partId", `"uploadedAt", id`, `"uploadedAt" is not null and "deletedAt" is null`),
    ...makeWorkLoaders(db),
    places: () => (places ??= countPlaces(db)),
    assetsOfSite: pages<Asset & Row, AssetFilter | undefined>(db, ["site"], assetsIn),
    assetsOfArea: pages<Asset & Row, AssetFilter | undefined>(db, ["site", "area"], assetsIn),
    children: pages<Component & Row>(db, ["parentId"], () => ({ table: "Component", where: new Where(), order: ["position", "id"] })),
    componentsOfAsset: pages<Component & Row, ComponentScope>(db, ["assetId"], (scope) => ({
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
    ancestors: new DataLoader<string, Component[]>(async (ids) => {
      const rows = await db.query<Component & Row>(
        `with recursive up as (
           select id as of, "parentId" from "Component" where "tenantId" = $1 and id = any($2)
           union all select up.of, c."parentId" from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId"
         ) select up.of as "$of", c.* from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId" and c."deletedAt" is null order by c.level`,
        ids,
      );
      const groups = groupBy(rows, (row) => row.$of);
      return ids.map((id) => groups.get(id) ?? []);
    }),
    /** Level by level, siblings in their order; only the columns asked for. */
    descendants: perArguments(
      ({ maxDepth, columns }: { maxDepth?: number | null; columns: string[] }) =>
        new DataLoader<string, Component[]>(async (ids) => {
          // For one component alone its id need not travel with each of its thousands of rows.
          const single = ids.length === 1;
          const rows = await db.query<Component & Row>(
            `select ${single ? "" : `r.id as "$of", `}${columns.map((column) => `c."${column}"`).join(", ")} from "Component" r
           join "Component" c on c."tenantId" = $1 and ${atOrBelow("r", "c")} and c.id <> r.id and c."deletedAt" is null
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
