import type { GraphQLField } from "graphql";
import type { Table } from "../database/rows/catalogue.js";
import type { List } from "../database/rows/page.js";
import type { Length, Link } from "../database/rows/rows.js";
import type { Role } from "../schema/access/enums.js";
import type { PageRequest } from "../schema/connection.js";
import type { Declaration } from "../schema/relation.js";

/** A declared field, bound to its table. Stands in the GraphQL field's `extensions.relation`. */
export interface Relation {
  /** Parent type and field. */
  name: string;
  kind: Declaration["kind"];
  /** GraphQL type of the records. */
  type: string;
  table: Table;
  /** None for a root list. The parent of a root record are the field's arguments. */
  link?: Link;
  /** The field is this column of the records. */
  column?: string;
  list(args: any): List;
  /** The page that the arguments ask for. */
  request(args: any): PageRequest;
  /** Path to the records in the connection, e.g. `nodes`. */
  nodes: string[];
  length?: Length;
  role?: Role;
  forRequesters?: boolean;
  /** The error for a root record that does not exist. */
  unknown?(args: any): Error;
}

export const relationOf = (field: GraphQLField<any, any>): Relation | undefined => field.extensions.relation as Relation | undefined;

/** The name under which a plan puts a relation's rows into their parent's. */
export const plannedAs = (responseKey: string): string => `$${responseKey}`;

/** A field that is a decimal column as text, with the columns that its resolver reads. */
export interface Exact {
  column: string;
  needed: string[];
}

export const exactOf = (field: GraphQLField<any, any>): Exact | undefined => field.extensions.exact as Exact | undefined;

/** The columns that make a type's id; undefined if its rows have an id that is unique across all types. */
const idColumns = (field: GraphQLField<unknown, unknown>): string[] | undefined => field.extensions.idColumns as string[] | undefined;

/** The SQL of an object's id below an alias; undefined if it is the column. */
export function idSql(type: string, field: GraphQLField<unknown, unknown>, alias: string): { sql: string; columns: string[] } | undefined {
  const columns = idColumns(field);
  return columns && { sql: `concat_ws(':', '${type}', ${columns.map((name) => `${alias}."${name}"`).join(", ")})`, columns };
}
