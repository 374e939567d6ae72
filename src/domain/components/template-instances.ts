/** Instances of templates. An instance consists of the components created by one application of a template. */

import type { TenantQueryable } from "../../database/database.js";
import { type Column, pick, type Rows } from "../../database/rows/catalogue.js";
import { groupBy } from "../../database/rows/group.js";
import { badInput } from "../../schema/errors.js";

/** Columns read for the comparison of instances. */
const compared = [
  "id",
  "name",
  "type",
  "specifications",
  "maintenanceInterval",
  "assetId",
  "parentId",
  "path",
  "templateId",
  "templateVersion",
  "templateItem",
  "templateKey",
  "templateInstance",
] as Column<"Component">[];

export type BuiltComponent = Pick<
  Rows["Component"],
  | "id"
  | "name"
  | "type"
  | "specifications"
  | "maintenanceInterval"
  | "assetId"
  | "parentId"
  | "path"
  | "templateId"
  | "templateVersion"
  | "templateItem"
  | "templateKey"
  | "templateInstance"
> & {
  instance: string;
  /** The newest version among those that the instance's components were built from, including deleted components. */
  builtFrom: string;
};

/**
 * The instance of a component. Release 0.2.0 did not store instances: components created in one transaction form one instance. An
 * application creates its ids in sequence. The first component of each item therefore belongs to the first of the applications that began
 * at the same instant, and so on.
 */
const instanceSql = `coalesce("templateInstance", md5(concat_ws(' ', "templateId", "templateVersion", (extract(epoch from "createdAt") * 1000)::bigint,
  row_number() over (partition by "templateId", "templateVersion", "createdAt", "templateItem", "templateInstance" is null order by id))))`;

const builtFromSql = `first_value("templateVersion") over (partition by "templateId", instance order by length("templateVersion") desc, "templateVersion" desc)`;

/** The components of templates, including deleted ones, each with its instance and the version that the instance was built from. */
const builtSql = `made as (
       select ${pick("Component", [...compared, "createdAt", "deletedAt"])}, ${instanceSql} as instance
       from "Component" where "tenantId" = $1 and "templateId" = any($2)
     ), built as (
       select ${pick("Component", [...compared, "createdAt", "deletedAt"])}, instance, ${builtFromSql} as "builtFrom" from made
     )`;

/** Bounds the memory of one operation. */
export const maxComponents = 50_000;

/** A selection of a template's instances. */
export type Instances = { ids: readonly string[] } | { assetId: string } | "all";

const conditions: Record<"ids" | "assetId" | "all", string> = {
  ids: "instance = any($3)",
  assetId: `instance in (select instance from built where "assetId" = $3 and "deletedAt" is null)`,
  all: "$3::text is null",
};

/** The live components of instances, oldest first. Throws BAD_USER_INPUT naming instanceIds for more than 50,000. */
export async function builtComponents(
  db: TenantQueryable,
  templateIds: readonly string[],
  which: Instances = "all",
): Promise<BuiltComponent[]> {
  const [condition, value] =
    which === "all" ? [conditions.all, null] : "ids" in which ? [conditions.ids, which.ids] : [conditions.assetId, which.assetId];
  const rows = await db.query<BuiltComponent>(
    `with ${builtSql} select ${pick("Component", compared)}, instance, "builtFrom" from built where "deletedAt" is null and ${condition} order by "createdAt", id limit $4`,
    templateIds,
    value,
    maxComponents + 1,
  );
  if (rows.length > maxComponents)
    throw badInput({ instanceIds: `has more than ${maxComponents} components in all; take fewer instances at a time` });
  return rows;
}

/**
 * The live components of each template's instances after a given id. Reads at most `most` instances per template, and as many as fit into
 * `maxComponents` in total, but at least one per template. `isLast` marks the template's last instance.
 */
export const nextInstances = (
  db: TenantQueryable,
  places: readonly { templateId: string; after: string | null }[],
  most?: number,
): Promise<(BuiltComponent & { isLast: boolean })[]> =>
  db.query(
    `with ${builtSql}, numbered as (
       select ${pick("Component", [...compared, "createdAt"])}, instance, "builtFrom", dense_rank() over by_instance as number, count(*) over by_instance as total,
         instance collate "C" = max(instance collate "C") over (partition by "templateId") as "isLast"
       from built where "deletedAt" is null and instance collate "C" > coalesce(($3::text[])[array_position($2::text[], "templateId")], '')
       window by_instance as (partition by "templateId" order by instance collate "C")
     ) select ${pick("Component", compared)}, instance, "builtFrom", "isLast"
     from numbered where (number = 1 or total <= $4) and ($5::int is null or number <= $5) order by "createdAt", id`,
    places.map(({ templateId }) => templateId),
    places.map(({ after }) => after),
    Math.floor(maxComponents / Math.max(places.length, 1)),
    most ?? null,
  );

export interface Instance {
  id: string;
  components: BuiltComponent[];
}

/** Groups components by instance, in id order. */
export const instancesOf = (components: BuiltComponent[]): Instance[] =>
  [...groupBy(components, ({ instance }) => instance)]
    .map(([id, components]) => ({ id, components }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** Stores the derived instances of components created by release 0.2.0, so that later changes of components do not alter them. */
export async function storeInstances(tx: TenantQueryable, templateId: string): Promise<void> {
  await tx.query(
    `update "Component" c set "templateInstance" = b.instance
     from (select id, ${instanceSql} as instance from "Component" where "tenantId" = $1 and "templateId" = $2 and "templateInstance" is null) b
     where c."tenantId" = $1 and c.id = b.id`,
    templateId,
  );
}
