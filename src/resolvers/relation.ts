import type { GraphQLField } from "graphql";
import type { Table } from "../database/rows/catalogue.js";
import type { List } from "../database/rows/page.js";
import type { Length, Link } from "../database/rows/rows.js";
import type { Role } from "../schema/access/enums.js";
import type { PageRequest } from "../schema/connection.js";
import type { Declaration } from "../schema/relation.js";

/** A declared field, bound to its table. Stored in the GraphQL field's `extensions.relation`. */
export interface Relation {
  /** Parent type and field. */
  name: string;
  kind: Declaration["kind"];
  /** GraphQL type of the records. */
  type: string;
  table: Table;
  /** Undefined for a root list. The parent of a root record consists of the field's arguments. */
  link?: Link;
  /** Column of the records that the field returns. */
  column?: string;
  list(args: any): List;
  /** Whether the arguments only identify the record. */
  isByKey?: boolean;
  /** The instant at which the records are read. Undefined for now. */
  at(args: any): Date | undefined;
  /** The requested page. */
  request(args: any): PageRequest;
  /** Path to the records in the connection, e.g. `nodes`. */
  nodes: string[];
  length?: Length;
  role?: Role;
  forRequesters?: boolean;
  /** The error for an unknown root record. */
  unknown?(args: any): Error;
}

export const relationOf = (field: GraphQLField<any, any>): Relation | undefined => field.extensions.relation as Relation | undefined;

/** Name under which a plan stores a relation's rows in their parent. */
export const plannedAs = (responseKey: string): string => `$${responseKey}`;

/** A field that returns a decimal column as text, with the columns that its resolver reads. */
export interface Exact {
  column: string;
  needed: string[];
}

export const exactOf = (field: GraphQLField<any, any>): Exact | undefined => field.extensions.exact as Exact | undefined;

/** Columns that form a type's id. Undefined if its rows have an id that is unique across all types. */
const idColumns = (field: GraphQLField<unknown, unknown>): string[] | undefined => field.extensions.idColumns as string[] | undefined;

/** SQL of an object's id for an alias. Undefined if the id is a column. */
export function idSql(type: string, field: GraphQLField<unknown, unknown>, alias: string): { sql: string; columns: string[] } | undefined {
  const columns = idColumns(field);
  return columns && { sql: `concat_ws(':', '${type}', ${columns.map((name) => `${alias}."${name}"`).join(", ")})`, columns };
}
