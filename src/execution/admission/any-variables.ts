/** Documents with variables of any type, for variables that were coerced before or are not known yet. */
import { type DocumentNode, GraphQLScalarType, GraphQLSchema, Kind, visit } from "graphql";

const anyVariable = new GraphQLScalarType({ name: "AnyVariable" });

const extendedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema extended with the type of these variables. */
export function schemaWithAnyVariable(schema: GraphQLSchema): GraphQLSchema {
  let extended = extendedSchemas.get(schema);
  if (!extended) {
    const config = schema.toConfig();
    extended = new GraphQLSchema({ ...config, types: [...config.types, anyVariable], assumeValid: true });
    extendedSchemas.set(schema, extended);
  }
  return extended;
}

/** The document with all variables of this type, without defaults. */
export const withUntypedVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: (node) => ({
      ...node,
      defaultValue: undefined,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: anyVariable.name } },
    }),
  });

/** Names of the variables that are the value of an input object's field. */
export function variablesInObjects(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, { ObjectField: ({ value }) => void (value.kind === Kind.VARIABLE && names.add(value.name.value)) });
  return [...names];
}

/** The document without the input object fields whose variables are `unsent`. */
export const withoutFieldsOf = (document: DocumentNode, unsent: readonly string[]): DocumentNode =>
  visit(document, { ObjectField: ({ value }) => (value.kind === Kind.VARIABLE && unsent.includes(value.name.value) ? null : undefined) });
