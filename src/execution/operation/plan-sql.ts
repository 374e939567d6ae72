/** Renders a plan as an SQL statement for the values of one request. */
import { type ColumnInfo, rowColumns, tables } from "../../database/rows/catalogue.js";
import { jsonColumn } from "../../database/rows/json-columns.js";
import { boundsOf } from "../../database/rows/page.js";
import { type Below, Bindings, briefCountSql, countSql, type Link, type List, rowsSql } from "../../database/rows/rows.js";
import { requireLogged } from "../../domain/changes/instant.js";
import { mostCounted } from "../../schema/connection.js";
import { isRelation, type Key, type PageField, type Plan, type RelationPart, type Statement } from "./plan.js";

/** Thrown for arguments that only loaders support. */
export class NeedsLoaders extends Error {}

/** The caller's tenant, and the retention of its change log in milliseconds. */
export interface PlanScope {
  tenantId: string;
  keptChangesMs: number;
}

/** The statement of a plan. Throws NeedsLoaders, and the conditions' errors for invalid arguments. */
export function statementOf(plan: Plan, variables: Record<string, unknown>, scope: PlanScope): Statement {
  if (!plan.fixed) return rendered(plan, variables, scope);
  const { sql, values, texts, keys } = plan.fixed;
  if (!keys.length) return plan.fixed;
  const ownValues = values.slice();
  for (const { at, part, argument } of keys) ownValues[at] = part.args(variables)[argument];
  return { sql, values: ownValues, texts };
}

/** Renders a plan, and keeps the statement in the plan if it is fixed. */
function rendered(plan: Plan, variables: Record<string, unknown>, scope: PlanScope): Statement {
  const { roots, output } = plan;
  const renderer = new Renderer(output === "rows", variables, scope);
  const columns: string[] = [];
  // Root fields and their connections are concatenated here, because PostgreSQL would copy the text at each level.
  const texts = [""];
  const text = (part: string) => (texts[texts.length - 1] += part);
  const column = (sql: string) => texts.push("") && columns.push(`(${sql})::text as c${columns.length}`);
  for (const [i, root] of roots.entries()) {
    text(`${i ? "," : "{"}"${root.key}":`);
    const value = renderer.root(root);
    if (typeof value === "string") column(value);
    else {
      for (const [j, { key, sql }] of value.entries()) {
        text(`${j ? "," : "{"}"${key}":`);
        column(sql);
      }
      text("}");
    }
  }
  text("}");
  const statement = { sql: `select ${columns.join(", ")}`, values: renderer.bindings.values, texts };
  if (renderer.isFixed) plan.fixed = { ...statement, keys: renderer.keys };
  return statement;
}

const quoted = (name: string) => `"${name}"`;

class Renderer {
  readonly bindings = new Bindings();
  readonly keys: Key[] = [];
  /** Whether the text and all values except keys are the same for every request. A cursor belongs to one tenant. */
  isFixed = true;

  constructor(
    private readonly asRows: boolean,
    private readonly variables: Record<string, unknown>,
    private readonly scope: PlanScope,
  ) {}

  /** An expression, or the fields of a connection. */
  root(part: RelationPart): string | { key: string; sql: string }[] {
    const args = part.args(this.variables);
    const { link, kind, list, isByKey } = part.relation;
    if (!part.isConstant && !isByKey) this.isFixed = false;
    if (kind === "pages") return this.page(part, list(args), args, undefined);
    // A root record is joined to the arguments instead of a parent.
    return this.below(part, args, link && { link, parent: (name) => this.bindKey(part, name, args[name]) });
  }

  private bindKey(part: RelationPart, argument: string, value: unknown): string {
    this.keys.push({ at: this.bindings.values.length, part, argument });
    return this.bindings.bind(value);
  }

  private nested(part: RelationPart, parentAlias: string): string {
    const args = part.args(this.variables);
    if (!part.isConstant) this.isFixed = false;
    if (args.after != null) throw new NeedsLoaders();
    return this.below(part, args, { link: part.relation.link as Link, parent: (name) => `${parentAlias}.${quoted(name)}` });
  }

  /** An expression: the record, the array of records or the connection as JSON. */
  private below(part: RelationPart, args: Record<string, unknown>, below: Below | undefined): string {
    const { relation, alias } = part;
    const list = relation.list(args);
    if (relation.column) {
      const value = rowsSql(list, alias, this.bindings, { columns: `${alias}.${quoted(relation.column)}`, below });
      return relation.kind === "one" ? `(${value})` : `array_to_json(array(${value}))`;
    }
    if (relation.kind === "pages") {
      const fields = this.page(part, list, args, below).map(({ key, sql }) => `${sql} as ${quoted(key)}`);
      return `(select row_to_json(${alias}p) from (select ${fields.join(", ")}) ${alias}p)`;
    }
    const rows = rowsSql(list, alias, this.bindings, { columns: this.columns(part), below });
    const row = `${alias}r`;
    return relation.kind === "one" ? `(select row_to_json(${row}) from (${rows}) ${row})` : arrayOf(rows, row);
  }

  /** The selected fields of a connection. */
  private page(part: RelationPart, list: List, args: Record<string, unknown>, below: Below | undefined): { key: string; sql: string }[] {
    const { alias, relation, page = [], hasMore } = part;
    const request = relation.request(args);
    const { first, after, last, before, offset } = request;
    if (last != null || before != null) throw new NeedsLoaders();
    // Also checks the cursor of a page whose records are not selected.
    const { after: start } = boundsOf(list, request, this.scope.tenantId);
    if (start) this.isFixed = false;
    if (list.at) {
      requireLogged(list.at, this.scope.keptChangesMs);
      // The instant may leave the retention before the next request.
      this.isFixed = false;
    }
    const count = () => countSql(list, `${alias}c`, this.bindings, below, relation.length);
    const briefCount = () => briefCountSql(list, `${alias}c`, this.bindings, mostCounted, below, relation.length);
    const isPeeking = hasMore || (this.asRows && page.some(({ field }) => field === "pagination"));
    return (this.asRows ? rowsOfPage(page) : page).map(({ key, field, position = [] }) => {
      if (field === "totalCount") return { key, sql: `(${count()})` };
      if (field === "countedBriefly") return { key, sql: `(${briefCount()})` };
      if (field === "totalCountEstimate") return { key, sql: estimateSql(position, briefCount()) };
      if (field === "pagination") {
        // The total does not show whether a page follows after a cursor.
        if (after) throw new NeedsLoaders();
        return { key, sql: paginationSql(position, count(), first, offset ?? 0) };
      }
      const columns = this.columns(part, hasMore ? list.order.map(({ column }) => column) : []);
      const page = { below, after: start, offset, limit: isPeeking ? first + 1 : first };
      // Otherwise PostgreSQL would also compute the columns of the rows before the offset.
      const rows = offset
        ? `select ${columns} from (${rowsSql(list, alias, this.bindings, { columns: rowColumns(list.table, alias), ...page })}) ${alias}`
        : rowsSql(list, alias, this.bindings, { columns, ...page });
      return { key, sql: arrayOf(rows, `${alias}r`) };
    });
  }

  /** The select list of a record. */
  private columns(part: RelationPart, order: readonly string[] = []): string {
    const { alias, relation, parts, columns } = part;
    const info: Record<string, ColumnInfo> = tables[relation.table].columns;
    const names = this.asRows ? [...new Set([...columns, ...order])] : [];
    const selected = names.map((name) => `${jsonColumn(`${alias}.${quoted(name)}`, info[name]!)} as ${quoted(name)}`);
    for (const one of parts) selected.push(`${isRelation(one) ? this.nested(one, alias) : one.sql} as ${quoted(one.key)}`);
    return selected.join(", ") || `null as "$none"`;
  }
}

type Fields = { key: string; name: string }[];

const paginationSql = (position: Fields, count: string, limit: number, offset: number) =>
  ofCount(position, count, {
    __typename: "'Pagination'::text",
    total: "n.count",
    limit: String(limit),
    offset: String(offset),
    hasMore: `n.count > ${offset + limit}`,
  });

const estimateSql = (position: Fields, count: string) =>
  ofCount(position, count, {
    __typename: "'CountEstimate'::text",
    count: `least(n.count, ${mostCounted})`,
    isExact: `n.count <= ${mostCounted}`,
  });

/** An object of values computed from one count. */
function ofCount(position: Fields, count: string, values: Record<string, string>): string {
  const fields = position.map(({ key, name }) => `${values[name]} as ${quoted(key)}`);
  return `(select row_to_json(p) from (select ${fields.join(", ")} from (${count}) n) p)`;
}

/** Input of `pageOfPlan`: the records, and the length of the list if requested. */
function rowsOfPage(page: PageField[]): PageField[] {
  const fields = new Set(page.map(({ field }) => field));
  const read: PageField["field"][] = ["nodes"];
  if (fields.has("totalCount") || fields.has("pagination")) read.push("totalCount");
  if (fields.has("totalCountEstimate")) read.push("countedBriefly");
  return read.map((field) => ({ key: field, field }));
}

/** A JSON array without white space, unlike that of json_agg. */
const arrayOf = (rows: string, alias: string) => `array_to_json(array(select row_to_json(${alias}) from (${rows}) ${alias}))`;
