/** The schema as REST clients speak it: the same resolvers, but enumerated values are interface.md's words (`bi-weekly`). */
import { MapperKind, mapSchema } from "@graphql-tools/utils";
import { type GraphQLEnumType, GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind } from "graphql";
import { synonyms } from "../schema/vocabulary.js";

function wordsOf(type: GraphQLEnumType): GraphQLScalarType {
  const words = type.getValues().map(({ value }) => value as string);
  const accepted = new Map<unknown, string>([...words.map((word) => [word, word] as const), ...Object.entries(synonyms[type.name] ?? {})]);
  const parse = (value: unknown): string => {
    const word = accepted.get(value);
    if (word === undefined) throw new GraphQLError(`must be one of ${words.join(", ")}`);
    return word;
  };
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    serialize: (value) => value,
    parseValue: parse,
    // Only the operations of the routes have literals: they may write names too.
    parseLiteral: (node) => {
      const text = node.kind === Kind.ENUM || node.kind === Kind.STRING ? node.value : "";
      return parse(type.getValue(text)?.value ?? text);
    },
    extensions: { jsonSchema: { type: "string", enum: words } },
  });
}

export const inWords = (schema: GraphQLSchema): GraphQLSchema => mapSchema(schema, { [MapperKind.ENUM_TYPE]: wordsOf as never });
