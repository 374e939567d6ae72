/** The named schemas of /openapi.json. Each shape has exactly one name, and no two shapes share a name. */
import { type GraphQLNamedType, isEnumType, isScalarType } from "graphql";

export type Schema = Record<string, unknown>;

/** GraphQL's own scalars. */
const builtIn: Record<string, Schema> = {
  String: { type: "string" },
  ID: { type: "string" },
  Int: { type: "integer" },
  Float: { type: "number" },
  Boolean: { type: "boolean" },
};

/** Compares shapes without their descriptions. */
const shapeOf = (schema: Schema): string =>
  JSON.stringify(schema, (key, value) => (key === "description" && typeof value === "string" ? undefined : value));

const referenceTo = (name: string) => `#/components/schemas/${name}`;

const isFree = (schema: Schema | undefined) => schema?.type === "object" && !schema.properties;
/** States explicitly that an object may have any fields, because generators assume none otherwise. */
const freed = (schema: Schema): Schema => (isFree(schema) ? { additionalProperties: true, ...schema } : schema);

export class Schemas {
  private readonly named = new Map<string, Schema>();
  private readonly shapes = new Map<string, string>();
  private readonly names = new Map<string, string>();
  /** Names of the schemas under construction, so that a shape may contain itself. */
  private readonly open = new Set<string>();

  constructor(private readonly textOf: (description: string | null | undefined) => string | undefined) {}

  /** Describes a shape under its name and returns a reference. `of` is the source of the shape; `where` locates it in error messages. */
  refer(name: string, of: string, where: string, describe: () => Schema): Schema {
    const reference = { $ref: referenceTo(name) };
    if (this.open.has(name)) return reference;
    this.open.add(name);
    const schema = describe();
    this.open.delete(name);
    const shape = shapeOf(schema);
    const known = this.shapes.get(name);
    if (known !== undefined && known !== shape)
      throw new Error(`${where}: another shape has the name ${name} in /openapi.json; give this one its own in the route's schemas`);
    const other = this.names.get(`${of} ${shape}`);
    if (other !== undefined && other !== name)
      throw new Error(`${where}: the shape ${name} of ${of} has the name ${other} already; use that in the route's schemas`);
    if (known === undefined) this.named.set(name, schema);
    this.shapes.set(name, shape);
    this.names.set(`${of} ${shape}`, name);
    return reference;
  }

  /** A scalar. Enums and objects with arbitrary keys are named schemas; others are inlined. */
  scalar(type: GraphQLNamedType): Schema {
    if (isEnumType(type)) throw new Error(`${type.name} is an enum: routes are compiled with enum-names`);
    if (!isScalarType(type)) return {};
    const schema = builtIn[type.name] ?? (type.extensions.jsonSchema as Schema | undefined) ?? {};
    const items = schema.items as Schema | undefined;
    if (items?.properties) return { ...schema, items: this.item(type.name.replace(/s$/, ""), items) };
    if (!schema.enum && !isFree(schema)) return schema;
    return this.refer(type.name, type.name, type.name, () => ({ ...freed(schema), description: this.textOf(type.description) }));
  }

  /** An item of a list that is a single scalar in GraphQL. Nested lists of objects have items of the same shape. */
  private item(name: string, schema: Schema): Schema {
    return this.refer(name, name, name, () => ({
      ...schema,
      properties: Object.fromEntries(
        Object.entries(schema.properties as Record<string, Schema>).map(([field, of]) => [
          field,
          isFree(of.items as Schema) ? { ...of, items: { $ref: referenceTo(name) } } : freed(of),
        ]),
      ),
    }));
  }

  all(): Record<string, Schema> {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  // An empty schema already includes null.
  if (!Object.keys(schema).length) return schema;
  if (typeof schema.type === "string" && !schema.enum) return { ...schema, type: [schema.type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}
