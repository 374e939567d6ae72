/** A documented endpoint (docs/interface.md 4) as data: method, path, GraphQL operation, and what the operation cannot express. */

/** How a request body maps to the operation's `$input`, or to its variables if it has none (docs/decisions.md, "names on write"). */
export interface BodyRule {
  /** Names that a client may use for a field, by its GraphQL name. The first is the documented one. */
  names?: Record<string, string[]>;
  /** Fields that are required here and not in GraphQL. */
  required?: string[];
  /** Response fields that writes ignore, so that a client can PUT a response it received. */
  readOnly?: string[];
  /** The body may be left out although its fields are variables. */
  optional?: true;
  /** Name of the body's schema. Needed where another route takes the same input type with other fields. */
  schema?: string;
}

/** What a hand-written schema is made from: the fields that the operation selects at a path in the root field's value. */
export interface Selected {
  /** The schema of the field, or undefined names the record itself. */
  at(path: string): object;
  /** Its fields, without those in `but`. */
  fields(path: string, but?: string[]): { properties: Record<string, object>; required: string[] };
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path parameter `:name` is bound to the variable of that name. */
  path: string;
  /** Its variables are the parameters (query parameters if there is an `$input`). The value of its only root field is the response. */
  operation: string;
  /** The operation of the release before, whose list had another order: in that a `nextToken` of its lists goes on. */
  operationBefore?: string;
  summary: string;
  /** What the summary does not say, in Markdown. */
  description?: string;
  /** Name in generated clients. Default: that of the mutation. */
  operationId?: string;
  /** Not one of the 59 of docs/interface.md 4: a path that docs/rest.md, "Additions" describes. */
  addition?: true;
  /**
   * Names of the answer's schemas in /openapi.json by path in the answer ("" for the answer itself), where a type is selected in several shapes. Default:
   * the noun.
   */
  schemas?: Record<string, string>;
  /** Status of a successful response. Default: 200. */
  status?: 201;
  body?: BodyRule;
  /** The body is a file of this type, streamed into the variable `file`. Other variables come from the query. */
  file?: "text/csv";
  /** Who accepts lines of JSON is told how far the work is. */
  progress?: true;
  /** The response is a text of this type, and no JSON. */
  answer?: "text/csv";
  /** Path to the response in the root field's value, e.g. `nodes` for a bare array. */
  responsePath?: string;
  /** Parameter names by the names in GraphQL errors, if they differ. */
  renamed?: Record<string, string>;
  /** Fields that are null rather than absent when empty: where docs/interface.md says "or null". */
  nullable?: string[];
  /**
   * The body of a GET is one record, whose version is in its ETag: the value of the root field, or of a field in it. Of writes this follows
   * from the mutation: where it takes `expectedVersion`, the route takes If-Match.
   */
  versioned?: true | string;
  /** Points that the operation costs beyond what its selection says, e.g. for a tree that is answered whole. */
  price?: number;
  /** Transforms responses that a selection cannot express. `schema` is the JSON Schema of the result, under `name`; `others` are named schemas that it refers to. */
  shape?: {
    of: (value: any) => unknown;
    name: string;
    schema: (selected: Selected) => object;
    others?: (selected: Selected) => Record<string, object>;
  };
}
