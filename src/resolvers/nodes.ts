/** Objects by id: the root fields `node` and `nodes`, and composed ids of types whose rows have no id that is unique across all types. */
import { type GraphQLSchema, isInterfaceType } from "graphql";
import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import type { TenantDatabase } from "../database/database.js";
import { idOfRow, sharingIds } from "../database/records/logged.js";
import { type ColumnInfo, rowColumns, type Table, tables } from "../database/rows/catalogue.js";
import { Bindings, parentKeys, rowsSql } from "../database/rows/rows.js";
import { places } from "../domain/assets/places.js";
import { settingsId, stockSettings } from "../domain/inventory/stock/stock-settings.js";
import { failureCode } from "../domain/reliability/failure-codes.js";
import type { Role } from "../schema/access/enums.js";
import { Area, Site } from "../schema/assets/place.js";
import { Deletion } from "../schema/deletion.js";
import { badInput } from "../schema/errors.js";
import { Node } from "../schema/node.js";
import { composedId, partsOfId } from "../schema/object-id.js";
import { FailureCode } from "../schema/reliability/failure-code.js";
import { Where } from "../schema/where.js";
import type { Context } from "./context.js";
import { viewOf } from "./relations.js";
import { requireRole } from "./roles.js";

type Row = Record<string, unknown>;

/** Least role that may read objects of a type. Types not listed are readable by every role. */
const roles: Record<string, Role> = { ApiKey: "admin", Webhook: "admin", WebhookEvent: "admin", WebhookDelivery: "admin" };

/** SQL condition: the record that a column refers to is not deleted. */
const liveOwner = (table: Table, column: string) =>
  `("${column}" is null or exists (select 1 from "${table}" o where o."tenantId" = $1 and o.id = "${column}" and o."deletedAt" is null))`;

/** Conditions on the rows of a type that are objects. Children of a deleted record count as deleted. */
const conditions: Record<string, string> = {
  Photo: `"uploadedAt" is not null and ${liveOwner("Asset", "assetId")}`,
  Attachment: `"uploadedAt" is not null and ("kind" is null or ${liveOwner("Asset", "assetId")})`,
  Reading: liveOwner("Asset", "assetId"),
  AssetStatusChange: liveOwner("Asset", "assetId"),
  ComponentTemplateVersion: liveOwner("ComponentTemplate", "templateId"),
  WebhookEvent: `exists (select 1 from "WebhookDelivery" o where o."tenantId" = $1 and o."eventId" = c.id)`,
};

/** Node types that are rows, with the columns of their ids. */
const typesWithId = new Map<string, string[] | undefined>();

/** Sets the resolvers of ids that consist of several columns or a number: of every node whose table has no unique text id. */
export function bindIds(schema: GraphQLSchema): void {
  const node = schema.getType(Node.name);
  if (!isInterfaceType(node)) throw new Error("there is no interface Node");
  // type-graphql's resolveType is asynchronous, which compiled queries do not support.
  for (const type of Object.values(schema.getTypeMap())) if (isInterfaceType(type)) type.resolveType = ({ __typename }) => __typename;
  for (const type of schema.getPossibleTypes(node)) {
    const table = tables[type.name as Table];
    if (!table) continue;
    const columns: Record<string, ColumnInfo> = table.columns;
    const key = table.key.filter((column) => column !== "tenantId");
    const isUnique = !sharingIds.includes(type.name) && key.join() === "id" && columns.id!.type === "String";
    typesWithId.set(type.name, isUnique ? undefined : key);
    if (isUnique) continue;
    const field = type.getFields().id!;
    field.resolve = (row: any) =>
      composedId(
        type.name,
        key.map((column) => row[column]),
      );
    field.extensions = { ...field.extensions, idColumns: key };
  }
}

/** Numeric key columns by type: the SQL type and the accepted texts. */
const numbers: Record<string, { sql: string; text: RegExp } | undefined> = {
  Int: { sql: "int", text: /^(0|[1-9]\d{0,8})$/ },
  BigInt: { sql: "bigint", text: /^(0|[1-9]\d{0,17})$/ },
};

/** Reads rows of a type by key values, in one statement. Impossible values find nothing. `select` lists columns of `c`. */
export async function rowsByKey(
  db: TenantDatabase,
  type: string,
  columns: string[],
  keys: string[][],
  select = rowColumns(viewOf(type), "c"),
): Promise<(Row | null)[]> {
  const table = viewOf(type);
  const infos: Record<string, ColumnInfo> = tables[table].columns;
  const link = { on: columns.map((column): [string, string] => [column, column]) };
  const numberOf = (column: string) => numbers[infos[column]!.type];
  const possible = keys.map((key) => key.every((value, i) => numberOf(columns[i]!)?.text.test(value) ?? true));
  const bindings = new Bindings();
  const below = parentKeys(
    link,
    keys.filter((_, i) => possible[i]),
    bindings,
  );
  const where = new Where();
  if (conditions[type]) where.add(conditions[type]);
  const sql = rowsSql({ table, where, order: [] }, "c", bindings, {
    columns: `k.at as "$at", ${select}`,
    below: { ...below, parent: (column) => `${below.parent(column)}::${numberOf(column)?.sql ?? "text"}` },
  });
  const rows = await db.query<Row & { $at: string }>(sql, ...bindings.values);
  const found = new Map(rows.map((row) => [Number(row.$at), row]));
  let at = 0;
  return possible.map((isPossible) => (isPossible ? (found.get(++at) ?? null) : null));
}

/** Returns the type that has a record with this id, among types with column ids. */
async function typesOf(db: TenantDatabase, ids: readonly string[]): Promise<(string | null)[]> {
  const names = [...typesWithId].flatMap(([type, key]) => (key ? [] : [type]));
  const found = await db.query<{ type: string; id: string }>(
    names.map((type) => `select '${type}' as type, id from "${type}" where "tenantId" = $1 and id = any($2)`).join(" union all "),
    ids,
  );
  const types = new Map(found.map(({ type, id }) => [id, type]));
  return ids.map((id) => types.get(id) ?? null);
}

/** Returns the objects of one type by key values, as a batch. */
const nodesOf = (db: TenantDatabase, keys: readonly string[][], [type, columns]: [string, string[]]) =>
  rowsByKey(db, type, columns, [...keys]);

const found = <T extends object>(type: string, object: T | null | undefined) => (object ? { ...object, __typename: type } : null);

/** Returns the object with an id, including its type. Null if there is none. Throws FORBIDDEN if the caller may not read it. */
export async function nodeOf(id: string, { caller: { actor }, data: { db, loaders } }: Context): Promise<object | null> {
  const [prefix] = id.split(":") as [string];
  if (prefix === Site.name || prefix === Area.name) {
    const sites = await loaders.load(places, "");
    const site = sites.find((one) => siteId(one) === id);
    if (site) return found("Site", site);
    return found(
      "Area",
      sites.flatMap(({ areas }) => areas).find((area) => areaId(area) === id),
    );
  }
  if (prefix === FailureCode.name) return found("FailureCode", await failureCode(db, id));
  if (id === settingsId) return found("StockSettings", await stockSettings(db));
  const columns = typesWithId.get(prefix);
  const parts = columns && partsOfId(prefix, id, columns.length);
  const type = parts ? prefix : await loaders.load(typesOf, id);
  if (!type) return null;
  if (roles[type]) requireRole(actor, [roles[type]]);
  const node: Row | null = await loaders.load(nodesOf, parts ?? [id], [type, columns ?? ["id"]]);
  const roleOfChanged = type === "Change" && node && roles[node.recordType as string];
  if (roleOfChanged) requireRole(actor, [roleOfChanged]);
  return found(type, node);
}

/** Returns the object of a type with column ids that every role may read. Null if there is none. */
export const recordNode = async (type: string, id: string, { data: { loaders } }: Context): Promise<object | null> =>
  found(type, await loaders.load(nodesOf, [id], [type, ["id"]]));

export const siteId = ({ name }: Pick<Site, "name">) => idOfRow("SiteSetting", [name]);
// A site name may contain a colon.
export const areaId = ({ site, name }: Pick<Area, "site" | "name">) => idOfRow("AreaSetting", [site, name]);

const maxIds = 100;

@Resolver()
export class NodeResolver {
  @Query(() => Node, { nullable: true, description: "Returns the object with an id, of any type. Null if there is none." })
  node(@Arg("id", () => ID, { description: "Id returned by this API." }) id: string, @Ctx() context: Context): Promise<object | null> {
    return nodeOf(id, context);
  }

  @Query(() => [Node], {
    nullable: "items",
    complexity: ({ args, childComplexity }) => 1 + (args.ids?.length ?? 1) * (1 + childComplexity),
    description: "Returns the objects with up to 100 ids, in order. Null for unknown ids.",
  })
  nodes(
    @Arg("ids", () => [ID], { description: "Up to 100 ids, of any types." }) ids: string[],
    @Ctx() context: Context,
  ): Promise<(object | null)[]> {
    if (ids.length > maxIds) throw badInput({ ids: `must hold at most ${maxIds} ids` });
    // An error returned as a value affects only its own item.
    return Promise.all(ids.map((id) => nodeOf(id, context).catch((error: Error) => error)));
  }
}

@Resolver(() => Deletion)
export class DeletionResolver {
  @FieldResolver(() => Node, {
    nullable: true,
    description:
      "Id of the record's former owner: a component's parent or asset, a procedure's asset, a photo's asset or part, an attachment's owner, an area's site. Null if there was none.",
  })
  async belongedTo(@Root() { owner }: Deletion, @Ctx() context: Context): Promise<object | null> {
    const id = await owner?.();
    return id ? nodeOf(id, context) : null;
  }
}

@Resolver(() => Site)
export class SiteIdResolver {
  @FieldResolver(() => ID, { description: "Id, unique across all objects of the tenant. Changes when the site is renamed." })
  id(@Root() site: Site): string {
    return siteId(site);
  }
}

@Resolver(() => Area)
export class AreaIdResolver {
  @FieldResolver(() => ID, { description: "Id, unique across all objects of the tenant. Changes when the site or area is renamed." })
  id(@Root() area: Area): string {
    return areaId(area);
  }
}
