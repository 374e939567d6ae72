/**
 * Relations, declared once on the class of their parent (`@Relations`). Resolver, loader, cost and plan derive from the declaration: see
 * database/rows/rows.ts for the SQL and resolvers/relations.ts for the rest.
 */
import { Args, ArgsType, type ClassType, Field, ID } from "type-graphql";
import type { Role } from "./access/enums.js";
import type { NestedPageArgs, PageRequest } from "./connection.js";
import { nestedArgsOf } from "./list.js";
import { objectClasses } from "./type-graphql.js";
import type { Where } from "./where.js";

@ArgsType()
export class IdArgs {
  @Field(() => ID, { description: "Id of the record." })
  id!: string;
}

interface Shared<A> {
  /** Name of the GraphQL type. */
  type: string;
  description?: string;
  /** The replacement and the removal date of the field (docs/graphql.md, "Changes and deprecations"). */
  deprecationReason?: string;
  /** A Prisma relation, or two of them through a join table, e.g. `assets.asset`. Default: the field's name. */
  relation?: string;
  /** Join columns where Prisma has no relation: columns of the type's table by the parent's fields that they equal. */
  on?: Record<string, string>;
  /** Reads all components below the parent, at every level, instead of a relation. */
  subtree?: boolean;
  /** Column of the record that the field returns instead of the record. */
  column?: string;
  args?: ClassType<A & object>;
  where?(args: A): Where;
  /** Least role that may read the field. Default: any role except REQUESTER. */
  role?: Role;
  /** Whether requesters may read the field. They can read no other fields. */
  forRequesters?: boolean;
}

/** A single record, or null. */
export interface One<A = object> extends Shared<A> {
  kind: "one";
  /** Whether the record always exists. */
  required?: boolean;
  /** Error if the record does not exist. Default: null. */
  unknown?(args: A): Error;
}

export interface Ordered {
  /** Columns, the last one unique. Through a join table: the join's columns, then the id. Default: the first order of the type's list. */
  order?: readonly string[];
  descending?: boolean;
}

/** All records of a list that is always short. */
export interface Many<A = object> extends Shared<A>, Ordered {
  kind: "many";
  /** Usual length, for cost estimation. Default: 5. */
  usual?: number;
}

/**
 * A connection. The arguments `first` or `limit` set the page size. Without `args`, the field takes those of the type's list (list.ts).
 * `filter` and `orderBy` apply to every connection with arguments of these names.
 */
export interface Pages<A = NestedPageArgs> extends Shared<A>, Ordered {
  kind: "pages";
  /**
   * Type of the connection, constructed from a page and the arguments, and the path to its records. Default: `<type>Connection` with
   * `nodes`.
   */
  connection?: { type: string; nodes: string };
  /** The requested page, if the arguments are not those of a connection. */
  request?(args: A): PageRequest;
  /** Without a filter, the length of the list equals the sum of a column of another relation's rows, including deleted ones. */
  length?: { relation: string; sum: string };
  /** For components of an asset: the instant at which they are read. Null and undefined mean now. */
  at?(args: A): Date | null | undefined;
}

export type Declaration = One<any> | Many<any> | Pages<any>;

export const one = <A = object>(type: string, options: Omit<One<A>, "kind" | "type"> = {}): One<A> => ({ kind: "one", type, ...options });
/** Relation to the principal whose id is in a column. */
export const author = (column: string, description: string): One =>
  one("Principal", { on: { id: column }, description: `${description} Null for commands and jobs, and if unknown.` });
export const many = <A = object>(type: string, options: Omit<Many<A>, "kind" | "type">): Many<A> => ({ kind: "many", type, ...options });
export const pages = <A = NestedPageArgs>(type: string, options: Omit<Pages<A>, "kind" | "type"> = {}): Pages<A> => ({
  kind: "pages",
  type,
  ...options,
});

export interface RelationsOf {
  /** Name of the parent's type. */
  parent: string;
  /** Table or view from which rows of the parent's type are read, if its name differs from the type. */
  view?: string;
  fields: Record<string, Declaration>;
}

const declared = new Map<string, RelationsOf>();

/** The declarations by parent type. */
export const declaredRelations: ReadonlyMap<string, RelationsOf> = declared;

/** Looks up a type by name, because types that refer to each other cannot import each other. */
function typeNamed(name: string): ClassType {
  // The last one: a connection class extends one of the same name.
  const type = objectClasses().findLast((one) => one.name === name);
  if (!type) throw new Error(`no object type is named ${name}; is its class imported by a resolver?`);
  return type.target;
}

/** Returns the GraphQL type of a declared field in the form that type-graphql expects. */
export const fieldType = (field: Declaration) => () => {
  const { type, column } = field;
  if (field.kind === "pages") return typeNamed(field.connection?.type ?? `${type}Connection`);
  const item = column ? (column === "id" ? ID : String) : typeNamed(type);
  return field.kind === "many" ? [item] : item;
};

/** Declares the arguments of a field that has no method. */
export function declareArgs(prototype: object, name: string, declaration: Declaration, listArgs: (type: string) => ClassType): void {
  const { kind, type, args } = declaration;
  if (!args && kind !== "pages") return;
  // A function, because the type's list may not be declared yet.
  Args(() => args ?? listArgs(type))(prototype, name, 0);
}

/** Declares relations of an object type. */
export function Relations(fields: Record<string, Declaration>, { view }: { view?: string } = {}): ClassDecorator {
  return (target) => {
    declared.set(target.name, { parent: target.name, view, fields });
    for (const [name, field] of Object.entries(fields)) {
      const nullable = field.kind === "one" && !field.required;
      const { description, deprecationReason } = field;
      Field(fieldType(field), { nullable, description, deprecationReason })(target.prototype, name);
      declareArgs(target.prototype, name, field, nestedArgsOf);
    }
  };
}
