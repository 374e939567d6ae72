import { type GraphQLOutputType, type GraphQLSchema, getNamedType, isObjectType } from "graphql";

/** Whether an answer of the type can have a field that is declared as a secret (`@Extensions({ shownOnce: true })`). */
function holdsSecret(type: GraphQLOutputType, seen = new Set<string>()): boolean {
  const named = getNamedType(type);
  if (!isObjectType(named) || seen.has(named.name)) return false;
  seen.add(named.name);
  return Object.values(named.getFields()).some((field) => field.extensions.shownOnce === true || holdsSecret(field.type, seen));
}

/** Names of the mutations that return a secret which cannot be read again, and so must not be stored in an answer. */
export const issuingSecrets = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getMutationType()?.getFields() ?? {})
    .filter(({ type }) => holdsSecret(type))
    .map(({ name }) => name);
