/** Documents whose variables may have any value: where they are coerced before, or not known yet. */
import { type DocumentNode, GraphQLScalarType, GraphQLSchema, Kind, visit } from "graphql";

const anyVariable = new GraphQLScalarType({ name: "AnyVariable" });

const extendedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema with the type of these variables. */
export function schemaWithAnyVariable(schema: GraphQLSchema): GraphQLSchema {
  let extended = extendedSchemas.get(schema);
  if (!extended) {
    const config = schema.toConfig();
    extended = new GraphQLSchema({ ...config, types: [...config.types, anyVariable], assumeValid: true });
    extendedSchemas.set(schema, extended);
  }
  return extended;
}

/** The document with all its variables of this type, without defaults. */
export const withUntypedVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: (node) => ({
      ...node,
      defaultValue: undefined,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: anyVariable.name } },
    }),
  });
