/** The schema of the REST operations: the same resolvers, with enum values as in docs/interface.md (`bi-weekly`, not `BI_WEEKLY`). */
import { MapperKind, mapSchema } from "@graphql-tools/utils";
import { type GraphQLEnumType, GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind } from "graphql";
import { enumSynonyms, graphOnlyFields, graphOnlyValues } from "../schema/enums.js";

function valueScalar(type: GraphQLEnumType): GraphQLScalarType {
  const values = type
    .getValues()
    .map(({ value }) => value as string)
    .filter((value) => !graphOnlyValues[type.name]?.includes(value));
  const accepted = new Map<unknown, string>([
    ...values.map((value) => [value, value] as const),
    ...Object.entries(enumSynonyms[type.name] ?? {}),
  ]);
  const parse = (value: unknown): string => {
    const canonical = accepted.get(value);
    if (canonical === undefined) throw new GraphQLError(`must be one of ${values.join(", ")}`);
    return canonical;
  };
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    serialize: (value) => value,
    parseValue: parse,
    // Only the routes' own operations contain literals. They may also use GraphQL's names.
    parseLiteral: (node) => {
      const text = node.kind === Kind.ENUM || node.kind === Kind.STRING ? node.value : "";
      return parse(type.getValue(text)?.value ?? text);
    },
    extensions: { jsonSchema: { type: "string", enum: values } },
  });
}

/**
 * Returns a copy of the schema in which each enum is a scalar of its values, except values that REST does not have. The error for an
 * invalid value lists all values.
 */
export const withEnumValues = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.INPUT_OBJECT_FIELD]: (_, field, input) => (graphOnlyFields[input]?.includes(field) ? null : undefined),
    [MapperKind.ENUM_TYPE]: valueScalar as never,
  });
