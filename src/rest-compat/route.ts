/** A documented endpoint (docs/interface.md 4) as data: method, path, GraphQL operation, and what the operation cannot express. */

/** How a request body maps to the operation's `$input`, or to its variables if it has none (docs/decisions.md, "names on write"). */
export interface BodyRule {
  /** Names that a client may use for a field, by its GraphQL name. The first is the documented one. */
  names?: Record<string, string[]>;
  /** Fields that are required here but not in GraphQL. */
  required?: string[];
  /** Response fields that writes ignore, so that a client can PUT a response it received. */
  readOnly?: string[];
  /** The body may be omitted, although its fields are variables. */
  optional?: true;
  /** Name of the body's schema. Needed if another route takes the same input type with other fields. */
  schema?: string;
}

/** Building blocks of a hand-written schema: the fields that the operation selects at a path in the root field's value. */
export interface Selected {
  /** The schema of the field; undefined for the record itself. */
  at(path: string): object;
  /** The fields, except those in `but`. */
  fields(path: string, but?: string[]): { properties: Record<string, object>; required: string[] };
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path parameter `:name` is bound to the variable of that name. */
  path: string;
  /** Its variables are the parameters (query parameters if there is an `$input`). The value of its only root field is the response. */
  operation: string;
  /** The previous release's operation, whose list had another order. Its `nextToken` continues in that order. */
  operationBefore?: string;
  summary: string;
  /** Details beyond the summary, in Markdown. */
  description?: string;
  /** Name in generated clients. Default: the mutation's name. */
  operationId?: string;
  /** A path outside of the 59 of docs/interface.md 4; see docs/rest.md, "Additions". */
  addition?: true;
  /**
   * Names of the response's schemas in /openapi.json by path in the response ("" for the response itself), if a type is selected in several
   * shapes. Default: the noun.
   */
  schemas?: Record<string, string>;
  /** Status of a successful response. Default: 200. */
  status?: 201;
  body?: BodyRule;
  /** The body is a file of this type, streamed into the variable `file`. Other variables come from the query. */
  file?: "text/csv";
  /** Query parameters that are lists, separated by commas. All others select a single item of a GraphQL list. */
  lists?: string[];
  /** Clients that accept JSON lines receive progress. */
  progress?: true;
  /** The response is a text of this type instead of JSON. */
  answer?: "text/csv";
  /** Path to the response in the root field's value, e.g. `nodes` for a bare array. */
  responsePath?: string;
  /** Parameter names by the names in GraphQL errors, if they differ. */
  renamed?: Record<string, string>;
  /** Fields that are null instead of absent when empty: docs/interface.md says "or null". */
  nullable?: string[];
  /**
   * The body of a GET is one record, whose version is in its ETag: the value of the root field, or of a field in it. For writes, the
   * mutation decides: if it takes `expectedVersion`, the route takes If-Match.
   */
  versioned?: true | string;
  /** Points that the operation costs beyond its selection, e.g. for a tree that is returned whole. */
  price?: number;
  /**
   * Transforms responses that a selection cannot express. `schema` is the JSON Schema of the result, under `name`; `others` are named
   * schemas that it refers to.
   */
  shape?: {
    of: (value: any) => unknown;
    name: string;
    schema: (selected: Selected) => object;
    others?: (selected: Selected) => Record<string, object>;
  };
}
