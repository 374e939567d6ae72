/** Binds the declarations of relations and root fields to tables, and derives their resolvers. */

import { type GraphQLField, type GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema, getNamedType } from "graphql";
import { type ClassType, Query } from "type-graphql";
import { type Table, tables } from "../database/rows/catalogue.js";
import { type List, pageOfPlan, selectAll, selectPage } from "../database/rows/page.js";
import type { Link, Sort } from "../database/rows/rows.js";
import { requireLogged } from "../domain/changes/instant.js";
import { PageArgs, type PageRequest, usualSize } from "../schema/connection.js";
import { badInput } from "../schema/errors.js";
import { whereOf } from "../schema/filter.js";
import { type AnyListOf, type ListArgs, listOf, type OrderBy, type Ordering } from "../schema/list.js";
import { type Declaration, declareArgs, declaredRelations, fieldType, type Pages, type RelationsOf } from "../schema/relation.js";
import { Where } from "../schema/where.js";
import type { ComplexityEstimator } from "./complexity.js";
import type { Context } from "./context.js";
import { listCost, pageCost, pageCostAt, price, priced } from "./cost.js";
import { plannedAs, type Relation } from "./relation.js";
import { refuseRequester, requireRole } from "./roles.js";

const roots = new Map<string, Declaration>();

/** Declares fields of Query. Returns the resolver class for type-graphql. */
export function declareRoots(fields: Record<string, Declaration>): ClassType {
  class Roots {}
  for (const [name, root] of Object.entries(fields)) {
    roots.set(name, root);
    Query(fieldType(root), { nullable: root.kind === "one", description: root.description })(Roots.prototype, name, { value() {} });
    declareArgs(Roots.prototype, name, root, (type) => listOf(type)?.Args ?? PageArgs);
  }
  return Roots;
}

/** Table or view from which rows of a type are read. */
export const viewOf = (type: string): Table => (declaredRelations.get(type)?.view ?? type) as Table;

/** Link of a field through one Prisma relation, or through two of them and a join table. */
function linkOf(parent: string, field: string, { on, subtree, relation = field, type }: Declaration): Link {
  if (subtree) return { on: [["path", "path"]], isSubtree: true };
  if (on) return { on: Object.entries(on) };
  const [first, second] = relation.split(".").map((name, i, path) => {
    const from = i ? tables[parent as Table].relations[path[0]!]!.table : parent;
    const found = tables[from as Table]?.relations[name];
    if (!found) throw new Error(`${parent}.${field}: ${from} has no relation ${name} in schema.prisma`);
    return found;
  });
  const pairs = first!.on.map(([own, other]): [string, string] => [other, own]);
  if ((second ?? first)!.table !== type) throw new Error(`${parent}.${field}: ${relation} leads to ${(second ?? first)!.table}`);
  return second ? { on: pairs, through: { table: first!.table, to: second.on.map(([join, own]) => [own, join]) } } : { on: pairs };
}

function lengthOf(parent: string, field: string, { length }: Pages<any>): Relation["length"] {
  if (!length) return undefined;
  const { relation, sum } = length;
  const { table } = tables[parent as Table].relations[relation]!;
  return { table: table as Table, link: linkOf(parent, field, { kind: "many", type: table, relation, order: [] }), sum };
}

interface RequestArgs {
  first?: number | null;
  limit?: number;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number | null;
}

const requestOf =
  (usual: number) =>
  ({ first, limit, after, last, before, offset }: RequestArgs): PageRequest => ({
    first: first ?? limit ?? usual,
    after,
    last,
    before,
    offset,
  });

/** Maximum number of nested orders. */
const maxOrders = 5;

/** Columns of `orderBy` with their directions. Throws BAD_USER_INPUT for more than five orders. */
function sortsOf(table: Table, { orders, key }: AnyListOf, orderBy: OrderBy): Sort[] {
  const sorts = new Map<string, Sort>();
  const add = (columns: readonly Ordering[], descending: boolean) => {
    for (const sort of columns.map((ordering) => sortOf(table, ordering, descending)))
      if (!sorts.has(sort.column)) sorts.set(sort.column, sort);
  };
  let last = orderBy;
  let count = 0;
  for (let by: OrderBy | null | undefined = orderBy; by; by = by.thenBy) {
    if (++count > maxOrders) throw badInput({ orderBy: `must have at most ${maxOrders} orders` });
    add(orders[by.field ?? ""] ?? Object.values(orders)[0]!, by.direction === "desc");
    last = by;
  }
  add(key, last.direction === "desc");
  return [...sorts.values()];
}

function sortOf(table: Table, ordering: Ordering, descending: boolean): Sort {
  const { column, ...ranked } = typeof ordering === "string" ? { column: ordering } : ordering;
  return { column, descending, ...(tables[table].columns[column]?.nullable && { nullable: true }), ...ranked };
}

function bind(parent: string, field: string, declaration: Declaration, isRoot: boolean): Relation {
  const { kind, type, column, where, role, forRequesters } = declaration;
  const table = viewOf(type);
  const list = kind === "pages" ? listOf(type) : undefined;
  const usual: readonly Ordering[] = list ? [...Object.values(list.orders)[0]!, ...list.key] : [];
  const { order = usual, descending = false }: { order?: readonly Ordering[]; descending?: boolean } = kind === "one" ? {} : declaration;
  const ownOrder = order.map((ordering) => sortOf(table, ordering, descending));
  const at = (args: object) => (kind === "pages" && declaration.at?.(args)) || undefined;
  const relation: Relation = {
    name: `${parent}.${field}`,
    kind,
    type,
    table,
    column,
    role,
    forRequesters,
    nodes: ((kind === "pages" && declaration.connection?.nodes) || "nodes").split("."),
    request: (kind === "pages" && declaration.request) || requestOf(isRoot ? usualSize.root : usualSize.nested),
    length: kind === "pages" ? lengthOf(parent, field, declaration) : undefined,
    unknown: kind === "one" ? declaration.unknown : undefined,
    isByKey: isRoot && kind === "one" && !where,
    link: isRoot && kind !== "one" ? undefined : linkOf(parent, field, isRoot ? { on: { id: "id" }, ...declaration } : declaration),
    at,
    list(args: ListArgs<object>) {
      const { filter, orderBy } = args;
      const conditions = list && filter ? whereOf(list.Filter, filter) : new Where();
      if (where) conditions.and(where(args));
      return { table, where: conditions, order: list && orderBy ? sortsOf(table, list, orderBy) : ownOrder, at: at(args) } as List;
    },
  };
  const columnsOf = (orderings: readonly Ordering[]) => orderings.map((one) => sortOf(table, one, false).column);
  for (const columns of [order, ...Object.values(list?.orders ?? {}).map((one) => [...one, ...list!.key])])
    checkColumns(relation, columnsOf(columns));
  return relation;
}

/** Throws for an unknown column, so that startup fails. */
function checkColumns({ name, kind, table, link }: Relation, order: string[]): void {
  const ordered = (link?.through?.table ?? table) as Table;
  const wrong =
    order.find((column) => !(column in tables[ordered].columns)) ??
    (link?.through ? undefined : link?.on.map(([own]) => own).find((column) => !(column in tables[table].columns)));
  if (wrong) throw new Error(`${name}: there is no column ${wrong}`);
  // Without a unique order, rows with equal values would be lost between two pages.
  const selected = [...order, ...(link?.on.map(([own]) => own) ?? [])];
  if (kind === "pages" && tables[table].key.some((column) => column !== "tenantId" && !selected.includes(column)))
    throw new Error(`${name}: the order does not end with a unique column`);
}

/** Rows that a plan has read for a field. Undefined without a plan. */
const plannedIn = (source: any, { path }: GraphQLResolveInfo): any => source?.[plannedAs(String(path.key))];

type ConnectionClass = new (page: unknown, args: unknown) => unknown;

function resolverOf(relation: Relation, Connection: ConnectionClass | undefined) {
  const isRoot = relation.name.startsWith("Query.");
  return async (source: any, args: any, context: Context, info: GraphQLResolveInfo) => {
    if (relation.role) requireRole(context.caller.actor, [relation.role]);
    if (!relation.forRequesters) refuseRequester(context.caller.actor);
    const at = relation.at(args);
    if (at) requireLogged(at, context.services.keptChangesMs);
    const planned = plannedIn(source, info);
    if (planned instanceof Error) throw planned;
    if (planned !== undefined && relation.kind === "pages") {
      const key = isRoot ? [] : relation.link!.on.map(([, column]) => source[column]);
      return new Connection!(pageOfPlan(planned, relation.request(args), relation.list(args), context.data.db.tenantId, key), args);
    }
    if (planned) return planned;
    if (isRoot && relation.kind === "pages")
      return new Connection!(await selectPage(context.data.db, relation.list(args), relation.request(args)), args);
    if (isRoot && relation.kind === "many") return selectAll(context.data.db, relation.list(args));
    const found = planned === undefined ? await context.data.loaders.related(relation, args, isRoot ? args : source) : null;
    if (found === null && relation.unknown) throw relation.unknown(args);
    return Connection ? new Connection(found, args) : found;
  };
}

/** Length of a list whose declaration sets none. */
const usualLength = 5;

const costOf = (declaration: Declaration): ComplexityEstimator | undefined => {
  if (declaration.kind === "pages") return declaration.at ? pageCostAt : pageCost;
  return declaration.kind === "many" ? listCost(declaration.usual ?? usualLength) : undefined;
};

/** Counting a list takes a statement that reads all of it, an estimate the first 10,000 rows. */
function priceTotals(connection: GraphQLObjectType): void {
  for (const name of ["totalCount", "totalCountEstimate", "pagination"]) {
    const field = connection.getFields()[name];
    if (field) field.extensions = { ...field.extensions, complexity: priced(price.total) };
  }
}

/** Sets the resolvers and costs of all declared fields. */
export function bindRelations(schema: GraphQLSchema): void {
  const declared: (RelationsOf & { isRoot?: boolean })[] = [
    ...declaredRelations.values(),
    { parent: "Query", fields: Object.fromEntries(roots), isRoot: true },
  ];
  for (const { parent, fields, isRoot = false } of declared) {
    const type = schema.getType(parent);
    if (!type || !("getFields" in type)) continue;
    for (const [name, declaration] of Object.entries(fields)) {
      const field = type.getFields()[name] as GraphQLField<unknown, Context> | undefined;
      if (!field) throw new Error(`${parent}.${name} is declared, but is no field of the schema; run npm run generate`);
      const relation = bind(parent, name, declaration, isRoot);
      const Connection = declaration.kind === "pages" ? (fieldType(declaration)() as ConnectionClass) : undefined;
      field.resolve = resolverOf(relation, Connection);
      field.extensions = { ...field.extensions, relation, complexity: costOf(declaration) };
      if (declaration.kind === "pages") priceTotals(getNamedType(field.type) as GraphQLObjectType);
    }
  }
}
