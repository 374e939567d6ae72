/** A documented endpoint (docs/interface.md 4) as data: method, path, GraphQL operation, and what the operation cannot express. */

/** How a request body maps to the operation's `$input`, or to its variables if it has none (docs/decisions.md, "names on write"). */
export interface BodyRule {
  /** Names that a client may use for a field, by its GraphQL name. The first is the documented one. */
  names?: Record<string, string[]>;
  /** Fields that are required here and not in GraphQL. */
  required?: string[];
  /** Response fields that writes ignore, so that a client can PUT a response it received. */
  readOnly?: string[];
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path parameter `:name` is bound to the variable of that name. */
  path: string;
  /** Its variables are the parameters (query parameters if there is an `$input`). The value of its only root field is the response. */
  operation: string;
  summary: string;
  /** Status of a successful response. Default: 200. */
  status?: 201;
  body?: BodyRule;
  /** The body is a file of this type, streamed into the variable `file`. Other variables come from the query. */
  file?: "text/csv";
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
  /** Transforms responses that a selection cannot express. `schema` is the JSON Schema of the result. */
  shape?: { of: (value: any) => unknown; schema: object };
}
