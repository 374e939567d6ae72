export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue | undefined;
}

/** The text of a GraphQL document, which carries the types of its answer and of its variables. */
export type TypedDocument<Data, Variables> = string & TypesOf<Data, Variables>;

interface TypesOf<Data, Variables> {
  readonly __apiType?: (variables: Variables) => Data;
}

/** A string, a `TypedDocument`, or a `TypedDocumentString` of graphql-codegen (`documentMode: "string"`). */
export interface Document<Data, Variables> extends TypesOf<Data, Variables> {
  toString(): string;
}

/** The arguments after the document: variables may be left out where none is required. */
export type Rest<Variables, Options> =
  Record<string, never> extends Variables ? [variables?: Variables, options?: Options] : [variables: Variables, options?: Options];
