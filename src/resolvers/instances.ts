/**
 * Turns records into instances of their type's class once. Otherwise type-graphql copies the record for each field with a resolver, which
 * takes most of the time of large responses.
 */
import { type GraphQLSchema, isObjectType } from "graphql";
import { objectClasses } from "../schema/type-graphql.js";

/** Fields with a resolver of a class receive instances. */
export function bindInstances(schema: GraphQLSchema): void {
  const classes = new Map(objectClasses().map(({ name, target }) => [name, target]));
  for (const type of Object.values(schema.getTypeMap())) {
    const prototype = isObjectType(type) && classes.get(type.name)?.prototype;
    if (!prototype) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (!resolve) continue;
      field.resolve = (source, args, context, info) => {
        // Other classes and frozen objects are left to type-graphql.
        if (source !== null && typeof source === "object" && Object.getPrototypeOf(source) === Object.prototype)
          Reflect.setPrototypeOf(source, prototype);
        return resolve(source, args, context, info);
      };
    }
  }
}
