import { type GraphQLOutputType, type GraphQLSchema, getNamedType, isObjectType } from "graphql";

/** Whether a result of the type can contain a secret field (`@Extensions({ shownOnce: true })`). */
function holdsSecret(type: GraphQLOutputType, seen = new Set<string>()): boolean {
  const named = getNamedType(type);
  if (!isObjectType(named) || seen.has(named.name)) return false;
  seen.add(named.name);
  return Object.values(named.getFields()).some((field) => field.extensions.shownOnce === true || holdsSecret(field.type, seen));
}

/** Names of the mutations that read a file while they write (`@Extensions({ importsFile: true })`): a repeated run would find it empty. */
export const importingFiles = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getMutationType()?.getFields() ?? {})
    .filter(({ extensions }) => extensions.importsFile === true)
    .map(({ name }) => name);

/** Names of the mutations that return a secret which is shown only once. Their responses must not be stored. */
export const issuingSecrets = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getMutationType()?.getFields() ?? {})
    .filter(({ type }) => holdsSecret(type))
    .map(({ name }) => name);
