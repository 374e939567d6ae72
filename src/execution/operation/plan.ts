/**
 * Plans: an operation's records with all relations, read by one statement that writes the JSON itself. Plans are built from the relations'
 * declarations and rendered by database/rows/rows.ts, like the loaders' statements. For the exceptions, see docs/architecture.md, "Plans".
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
  visit,
} from "graphql";
import { type ColumnInfo, columnsOf, type Table, tables } from "../../database/rows/catalogue.js";
import { exactOf, idSql, plannedAs, type Relation, relationOf } from "../../resolvers/relation.js";
import { jsonValueOf, type PlanOutput } from "./plan-value.js";

type Variables = Record<string, unknown>;

/** A value of a record: a column's SQL, or the part below a relation. */
export type Part = { key: string; sql: string } | RelationPart;

export const isRelation = (part: Part): part is RelationPart => "relation" in part;

export interface PageField {
  key: string;
  field: "nodes" | "totalCount" | "totalCountEstimate" | "pagination" | "countedBriefly";
  /** The selected fields of `pagination` or `totalCountEstimate`, by response key. */
  position?: { key: string; name: string }[];
}

export interface RelationPart {
  key: string;
  relation: Relation;
  args(variables: Variables): Record<string, unknown>;
  /** Whether the arguments use no variables. */
  isConstant: boolean;
  alias: string;
  /** Values of the records. Empty if the relation is a column of its parent. */
  parts: Part[];
  /** Columns that the executor needs in a row. */
  columns: Set<string>;
  /** The selected fields of a connection, by response key. */
  page?: PageField[];
  /** Rows of a page: whether to read one more row to detect a next page. */
  hasMore?: boolean;
}

/** A statement that returns one row of JSON texts. The response is those texts, joined with the parts between the columns. */
export interface Statement {
  sql: string;
  values: unknown[];
  texts: string[];
}

/** A statement that differs between requests only by the keys of its root records. */
export interface FixedStatement extends Statement {
  keys: Key[];
}

/** A value of a statement that is an argument of a root field. */
export interface Key {
  /** Index of the value. */
  at: number;
  part: RelationPart;
  argument: string;
}

export interface Plan {
  roots: RelationPart[];
  /** Response keys of the root fields. */
  fields: string[];
  output: PlanOutput;
  /** Fields because of which the response differs from the statement's text. */
  because: string[];
  /** The statement once it was rendered, if every request sends the same one. */
  fixed?: FixedStatement;
}

/** Plans of the root fields, one for each. */
export const splitPlan = (plan: Plan): Plan[] =>
  plan.roots.map((root) => ({ roots: [root], fields: [root.key], output: plan.output, because: plan.because }));

/** PostgreSQL truncates longer names. */
const maxName = 60;

class NotPlanned extends Error {}

class Planner {
  private aliases = 0;
  output: PlanOutput = "text";
  readonly because: string[] = [];
  private readonly fragments = new Map<string, FragmentDefinitionNode>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Variables,
  ) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
  }

  roots(operation: OperationDefinitionNode): RelationPart[] {
    const query = this.schema.getQueryType()!;
    const roots: RelationPart[] = [];
    for (const [key, nodes] of this.collect(query, [operation.selectionSet])) {
      const field = query.getFields()[nodes[0]!.name.value];
      const relation = field && relationOf(field);
      if (relation) roots.push(this.relation(key, field, relation, nodes));
      else this.lower("rows", `Query.${nodes[0]!.name.value}`);
    }
    return roots;
  }

  private lower(output: PlanOutput, because: string): void {
    const order: PlanOutput[] = ["text", "data", "rows"];
    if (order.indexOf(output) > order.indexOf(this.output)) this.output = output;
    if (!this.because.includes(because)) this.because.push(because);
  }

  /** The fields of a selection by response key, in order, with fragments and directives resolved. */
  private collect(type: GraphQLObjectType, sets: SelectionSetNode[], fields = new Map<string, FieldNode[]>()) {
    for (const set of sets)
      for (const selection of set.selections) {
        if (!this.isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value;
          if (key.length > maxName || key === "__proto__") throw new NotPlanned();
          const others = fields.get(key);
          // `a: nodes { x: id } b: nodes { x: name }` select the same records, but in different ways.
          if (others && !isSame(others[0]!, selection)) throw new NotPlanned();
          others?.push(selection) ?? fields.set(key, [selection]);
          continue;
        }
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value)!;
        if (this.applies(fragment, type)) this.collect(type, [fragment.selectionSet], fields);
      }
    return fields;
  }

  /** Whether a fragment applies to a type: its type condition is the type or one of its interfaces. */
  private applies({ typeCondition }: { typeCondition?: NamedTypeNode }, type: GraphQLObjectType): boolean {
    const name = typeCondition?.name.value;
    return !name || name === type.name || type.getInterfaces().some((implemented) => implemented.name === name);
  }

  private isIncluded(selection: SelectionSetNode["selections"][number]): boolean {
    if (!selection.directives?.length) return true;
    if (getDirectiveValues(GraphQLSkipDirective, selection, this.variables)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, selection, this.variables)?.if !== false;
  }

  /** As `collect`. Throws for a selection that directives leave empty, which SQL cannot express. */
  private selected(type: GraphQLObjectType, sets: SelectionSetNode[]): Map<string, FieldNode[]> {
    const fields = this.collect(type, sets);
    if (!fields.size) throw new NotPlanned();
    return fields;
  }

  private relation(key: string, field: GraphQLField<unknown, unknown>, relation: Relation, nodes: FieldNode[]): RelationPart {
    const part: RelationPart = {
      key,
      relation,
      ...argumentsOf(field, nodes[0]!),
      alias: `t${this.aliases++}`,
      parts: [],
      columns: new Set(),
    };
    if (relation.column) return part;
    const type = getNamedType(field.type) as GraphQLObjectType;
    const sets = nodes.map(({ selectionSet }) => selectionSet!);
    if (relation.kind === "pages") this.connection(part, type, sets);
    else this.record(part, type, sets);
    return part;
  }

  private connection(part: RelationPart, type: GraphQLObjectType, sets: SelectionSetNode[]): void {
    part.page = [];
    const records: SelectionSetNode[] = [];
    for (const [key, nodes] of this.selected(type, sets)) {
      const name = nodes[0]!.name.value;
      const { nodes: path } = part.relation;
      if (name === path[0]) records.push(...this.selectionsAt(type, nodes, path));
      // The same records; cursors are computed from the rows.
      else if (name === "edges") records.push(...this.selectionsAt(type, nodes, ["edges", "node"]));
      if (name === path[0] && path.length === 1) part.page.push({ key, field: "nodes" });
      else if (name === "totalCount") part.page.push({ key, field: name });
      else if (name === "pagination" || name === "totalCountEstimate")
        part.page.push({ key, field: name, position: this.position(type, name, nodes) });
      else {
        this.lower("rows", `${type.name}.${name}`);
        part.hasMore = true;
      }
    }
    // The executor resolves each from the same rows, so that PostgreSQL reads or counts them once.
    const repeated = part.page.find(({ field }, i) => part.page!.findIndex((other) => other.field === field) < i);
    if (repeated) this.lower("rows", `${type.name}.${repeated.field} twice`);
    this.record(part, this.schema.getType(part.relation.type) as GraphQLObjectType, records);
  }

  private position(parent: GraphQLObjectType, field: string, nodes: FieldNode[]): { key: string; name: string }[] {
    const type = getNamedType(parent.getFields()[field]!.type) as GraphQLObjectType;
    const selected = this.selected(
      type,
      nodes.map(({ selectionSet }) => selectionSet!),
    );
    return [...selected].map(([key, [node]]) => ({ key, name: node!.name.value }));
  }

  /** The selections of the fields at the end of a path, whose first field has `nodes`. */
  private selectionsAt(parent: GraphQLObjectType, nodes: FieldNode[], [name, ...rest]: string[]): SelectionSetNode[] {
    const sets = nodes.map(({ selectionSet }) => selectionSet!);
    if (!rest.length) return sets;
    const type = getNamedType(parent.getFields()[name!]!.type) as GraphQLObjectType;
    const below = [...this.collect(type, sets).values()].flat().filter((node) => node.name.value === rest[0]);
    return below.length ? this.selectionsAt(type, below, rest) : [];
  }

  private record({ relation, alias, parts, columns: needed }: RelationPart, type: GraphQLObjectType, sets: SelectionSetNode[]): void {
    const columns: Record<string, ColumnInfo> = tables[relation.table].columns;
    if (!sets.length) return;
    for (const [key, nodes] of this.selected(type, sets)) {
      const name = nodes[0]!.name.value;
      if (name === "__typename") {
        parts.push({ key, sql: `'${type.name}'::text` });
        continue;
      }
      const field = type.getFields()[name]!;
      const below = relationOf(field);
      if (below) {
        // Roles are checked on root fields only.
        if (below.role || !below.link!.on.every(([, parent]) => parent in columns)) throw new NotPlanned();
        const part = this.relation(key, field, below, nodes);
        parts.push(part);
        // Cursors are bound to the parent's key.
        if (part.hasMore) for (const [, column] of below.link!.on) needed.add(column);
        continue;
      }
      const id = idSql(type.name, field, alias);
      if (id) {
        for (const column of id.columns) needed.add(column);
        parts.push({ key, sql: id.sql });
        continue;
      }
      // A field with code may need any column.
      const exact = exactOf(field);
      for (const column of exact?.needed ?? (field.resolve ? visibleColumns(relation.table) : [name]))
        if (column in columns) needed.add(column);
      const source = exact?.column ?? name;
      const column = field.resolve && !exact ? undefined : columns[source];
      const value = column && jsonValueOf(`${alias}."${source}"`, field.type, column);
      if (!value) this.lower("rows", `${type.name}.${name}`);
      else {
        if (value.output !== "text") this.lower(value.output, `${type.name}.${name}`);
        parts.push({ key, sql: value.sql });
      }
    }
  }
}

function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Pick<RelationPart, "args" | "isConstant"> {
  let usesVariables = false;
  for (const argument of node.arguments ?? []) visit(argument, { Variable: () => void (usesVariables = true) });
  if (usesVariables) return { args: (variables) => getArgumentValues(field, node, variables), isConstant: false };
  const args = getArgumentValues(field, node);
  return { args: () => args, isConstant: true };
}

/** Names of the variables in @skip and @include: a plan depends on their values. */
export function directiveVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: (directive) => visit(directive, { Variable: ({ name }) => void names.add(name.value) }),
  });
  return [...names].sort();
}

/** The plan of a query. Undefined if no root field has one. The document must be valid. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Plan | undefined {
  if (operation.operation !== "query") return undefined;
  const planner = new Planner(schema, document, variables);
  try {
    const roots = planner.roots(operation);
    if (!roots.length) return undefined;
    const { output, because } = planner;
    return { roots: output === "rows" ? roots.map(asRows) : roots, fields: roots.map(({ key }) => key), output, because };
  } catch (error) {
    if (error instanceof NotPlanned) return undefined;
    throw error;
  }
}

/** The same records as rows: columns by name, relations as `plannedAs`. */
function asRows(part: RelationPart): RelationPart {
  const parts = part.parts.filter(isRelation).map(asRows);
  return { ...part, key: plannedAs(part.key), parts };
}

const visibleColumns = (table: Table) => columnsOf(table).flatMap(([name, { hidden }]) => (hidden ? [] : [name]));

const isSame = (a: FieldNode, b: FieldNode): boolean =>
  a === b ||
  (a.name.value === b.name.value && (a.arguments ?? []).map(print).sort().join() === (b.arguments ?? []).map(print).sort().join());
