/** The schema as REST clients speak it: the same resolvers, but enumerated values are interface.md's words (`bi-weekly`). */
import { MapperKind, mapSchema } from "@graphql-tools/utils";
import { type GraphQLEnumType, GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind } from "graphql";
import { synonyms } from "../schema/vocabulary.js";

function wordsOf(type: GraphQLEnumType): GraphQLScalarType {
  const words = type.getValues().map(({ value }) => value as string);
  const accepted = new Map<unknown, string>(words.map((word) => [word, word]));
  for (const { name, value } of type.getValues()) accepted.set(name, value);
  for (const [synonym, word] of Object.entries(synonyms[type.name] ?? {})) accepted.set(synonym, word);
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
    parseLiteral: (node) => parse(node.kind === Kind.ENUM || node.kind === Kind.STRING ? node.value : undefined),
    extensions: { jsonSchema: { type: "string", enum: words } },
  });
}

export const inWords = (schema: GraphQLSchema): GraphQLSchema => mapSchema(schema, { [MapperKind.ENUM_TYPE]: wordsOf as never });
