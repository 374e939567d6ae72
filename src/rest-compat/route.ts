/** A documented endpoint as a row: where it is, the GraphQL operation it runs, and the few words a GraphQL document cannot say. */

/** How a request body becomes the operation's `$input`, or its variables where it has none (decisions.md, "names on write"). */
export interface BodyRule {
  /** Names a caller may use for a field, by the field's name in the graph. The first is the documented one. */
  names?: Record<string, string[]>;
  /** Fields that answers carry and writes ignore, so that what GET returned can be PUT back. */
  readOnly?: string[];
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path parameters are written `:name` and bound to the variable of that name. */
  path: string;
  /** Its variables are the parameters (beside an `$input`, of the query), its selection is the answer; the answer is the value of its one root field. */
  operation: string;
  summary: string;
  /** Status of success; 200 where left out. */
  status?: 201;
  body?: BodyRule;
  /** The body is a file of this type, streamed into the variable `file`; its other variables come from the query. */
  file?: "text/csv";
  /** Where in the root field's value the answer is, e.g. the nodes of a connection answered as a bare array. */
  answer?: string;
  /** Parameters by the name that the graph's complaints give them, where that is another. */
  renamed?: Record<string, string>;
  /** Fields that are null rather than absent when empty: where interface.md says "or null". */
  nullable?: string[];
  /** For the rare answer whose form no selection has, with the JSON Schema of that form. */
  shape?: { of: (value: any) => unknown; schema: object };
}
