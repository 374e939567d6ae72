/**
 * Relations, declared once on the class of their parent (`@Relations`). Resolver, loader, cost and place in a plan follow from the
 * declaration: see database/rows/rows.ts for its SQL and resolvers/relations.ts for the rest.
 */
import { Args, ArgsType, type ClassType, Field, getMetadataStorage, ID } from "type-graphql";
import type { Role } from "./access/enums.js";
import type { NestedPageArgs, PageRequest } from "./connection.js";
import { nestedArgsOf } from "./list.js";
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
  /** What to use instead, and until when the field works (docs/graphql.md, "Changes and deprecations"). */
  deprecationReason?: string;
  /** Prisma's relation, or two of them through a join table, e.g. `assets.asset`. Default: the field's name. */
  relation?: string;
  /** Instead of a relation that Prisma does not have: columns of the type's table by the parent's fields that they equal. */
  on?: Record<string, string>;
  /** Instead of a relation: all components below the parent, at every level. */
  subtree?: boolean;
  /** The field is not the record but this column of it. */
  column?: string;
  args?: ClassType<A & object>;
  where?(args: A): Where;
  /** The least role that may read it. Default: any, but requesters. */
  role?: Role;
  /** Whether requesters may read it, who read nothing else. */
  forRequesters?: boolean;
}

/** One record, or null. */
export interface One<A = object> extends Shared<A> {
  kind: "one";
  /** The record always exists. */
  required?: boolean;
  /** The error if the record does not exist. Default: null. */
  unknown?(args: A): Error;
}

export interface Ordered {
  /** Columns, the last one unique. Through a join table: the join's columns, then the id. Default: the first order of the type's list. */
  order?: readonly string[];
  descending?: boolean;
}

/** All records of a list that stays short. */
export interface Many<A = object> extends Shared<A>, Ordered {
  kind: "many";
  /** Usual length, for the query's cost. Default: 5. */
  usual?: number;
}

/**
 * A connection: records page by page. The size of a page is the argument `first` or `limit`. Without `args` it takes those of the type's list
 * (list.ts), whose `filter` and `orderBy` apply to every connection with arguments of these names.
 */
export interface Pages<A = NestedPageArgs> extends Shared<A>, Ordered {
  kind: "pages";
  /** The connection's type, made of a page and the arguments, and the path to its records. Default: `<type>Connection` with `nodes`. */
  connection?: { type: string; nodes: string };
  /** The page that the arguments ask for, if they are not those of a connection. */
  request?(args: A): PageRequest;
  /** Without a filter, the list is as long as the sum of a column of another relation's rows, deleted ones included. */
  length?: { relation: string; sum: string };
}

export type Declaration = One<any> | Many<any> | Pages<any>;

export const one = <A = object>(type: string, options: Omit<One<A>, "kind" | "type"> = {}): One<A> => ({ kind: "one", type, ...options });
/** Whoever a column names as the author. */
export const author = (column: string, description: string): One =>
  one("Principal", { on: { id: column }, description: `${description} Null for a command or a job, and where nobody is known.` });
export const many = <A = object>(type: string, options: Omit<Many<A>, "kind" | "type">): Many<A> => ({ kind: "many", type, ...options });
export const pages = <A = NestedPageArgs>(type: string, options: Omit<Pages<A>, "kind" | "type"> = {}): Pages<A> => ({
  kind: "pages",
  type,
  ...options,
});

export interface RelationsOf {
  /** Name of the parent's type. */
  parent: string;
  /** The table or view that rows of the parent's type are read from, if it is not named like the type. */
  view?: string;
  fields: Record<string, Declaration>;
}

const declared = new Map<string, RelationsOf>();

/** The declarations by the name of the parent's type. */
export const declaredRelations: ReadonlyMap<string, RelationsOf> = declared;

/** By name, because types that refer to each other cannot import each other. */
function typeNamed(name: string): ClassType {
  // The last one: a connection class extends one of the same name.
  const type = getMetadataStorage().objectTypes.findLast((one) => one.name === name);
  if (!type) throw new Error(`no object type is named ${name}; is its resolver in the list of resolvers/schema.ts?`);
  return type.target as ClassType;
}

/** Returns the GraphQL type of a declared field, as type-graphql wants it. */
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
  Reflect.defineMetadata("design:paramtypes", [Object], prototype, name);
  // A function, because the list of the type may not be declared yet.
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
