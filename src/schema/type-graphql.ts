/**
 * The only module that reads type-graphql's metadata storage, which is not part of its documented API. The metadata of a class exists once
 * its module is loaded.
 */
import { type ClassType, getMetadataStorage } from "type-graphql";

interface FieldMetadata {
  name: string;
  /** The declared type, not wrapped in a list. */
  getType: () => unknown;
  nullable: boolean | undefined;
}

type Key = "objectTypes" | "fields" | "queries" | "mutations" | "resolverClasses";

/** Entries of the storage. Throws if an update of type-graphql has moved them. */
function stored<K extends Key>(key: K): ReturnType<typeof getMetadataStorage>[K] {
  const entries = getMetadataStorage()[key];
  if (!Array.isArray(entries)) throw new Error(`type-graphql: its metadata storage has no list "${key}"; adapt src/schema/type-graphql.ts`);
  return entries;
}

/** All object types, in order of declaration. A name may occur twice: a connection class extends one of the same name. */
export const objectClasses = (): { name: string; target: ClassType }[] =>
  stored("objectTypes").map(({ name, target }) => ({ name, target: target as ClassType }));

/** Fields that a class declares, without inherited ones. */
export const fieldsOfClass = (target: object): FieldMetadata[] =>
  stored("fields")
    .filter((field) => field.target === target)
    .map(({ name, getType, typeOptions }) => ({ name, getType, nullable: typeOptions.nullable as boolean | undefined }));

/** Declared type of a field of a class. Throws for an unknown field. */
export function typeOfField(target: ClassType, name: string): unknown {
  const field = fieldsOfClass(target).findLast((one) => one.name === name);
  if (!field) throw new Error(`${target.name} declares no field ${name}`);
  return field.getType();
}

/** Roles of queries and mutations that methods declare, by name. They are known once the schema is built. */
export const rolesOfRoots = (): Map<string, readonly unknown[]> =>
  new Map([...stored("queries"), ...stored("mutations")].map(({ schemaName, roles }) => [schemaName, roles ?? []]));

/** All classes with `@Resolver`. */
export const resolverTargets = (): ClassType[] => stored("resolverClasses").map(({ target }) => target as ClassType);
