/** Random valid queries for a schema, from a seed. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";

/** Reproducible numbers in [0, 1) from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Samples {
  /** Values for arguments and filter fields, by name or type. */
  [nameOrType: string]: unknown[];
}

export interface RandomDocument {
  query: string;
  variables: Record<string, unknown>;
}

export interface DocumentOptions {
  roots: string[];
  /** Coordinates `Type.field` whose value differs between two runs: signed links, figures up to now. */
  skip: Set<string>;
  samples: Samples;
  maxDepth: number;
  /** True for fields that a plan reads with its statement only. Half of the documents have no others. */
  isPlain(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean;
}

export class DocumentMaker {
  private fragments: string[] = [];
  private variables: Record<string, unknown> = {};
  private declarations: string[] = [];

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly random: () => number,
    private readonly options: DocumentOptions,
  ) {}

  make(): RandomDocument {
    this.fragments = [];
    this.variables = {};
    this.declarations = [];
    this.plain = this.chance(0.5);
    const query = this.schema.getQueryType()!;
    const count = this.chance(0.8) ? 1 : 2;
    const fields = Array.from({ length: count }, (_, i) =>
      this.field(query.getFields()[this.pick(this.options.roots)]!, this.options.maxDepth, `r${i}: `),
    );
    const head = this.declarations.length ? `query (${this.declarations.join(", ")})` : "query";
    return { query: [`${head} { ${fields.join(" ")} }`, ...this.fragments].join("\n"), variables: this.variables };
  }

  private readonly chance = (probability: number) => this.random() < probability;
  private readonly pick = <T>(items: readonly T[]): T => items[Math.floor(this.random() * items.length)]!;

  private field(field: GraphQLField<unknown, unknown>, depth: number, alias: string): string {
    const args = field.args.flatMap((argument) => this.argument(field, argument));
    const type = getNamedType(field.type);
    const selection = isObjectType(type) ? ` ${this.selection(type, depth - 1)}` : isInterfaceType(type) ? " { __typename id }" : "";
    return `${alias}${field.name}${args.length ? `(${args.join(", ")})` : ""}${selection}`;
  }

  private argument(field: GraphQLField<unknown, unknown>, { name, type }: GraphQLArgument): string[] {
    if (!isNonNullType(type) && !this.chance(name === "first" ? 0.9 : 0.3)) return [];
    if (name === "first" || name === "limit") return [this.given(name, "Int!", 1 + Math.floor(this.random() * 4))];
    if (name === "after") return this.chance(0.1) ? [this.given(name, String(type), this.pick(this.options.samples.after!))] : [];
    const known = this.options.samples[`${field.name}.${name}`];
    return [this.given(name, String(type), known && this.chance(0.95) ? this.pick(known) : this.input(name, type, 2))];
  }

  /** A literal if JSON syntax allows it, otherwise a variable. */
  private given(name: string, type: string, value: unknown): string {
    if (this.chance(0.4) && ["Int", "Int!", "String", "ID!", "ID"].includes(type)) return `${name}: ${JSON.stringify(value)}`;
    const variable = `v${this.declarations.length}`;
    this.declarations.push(`$${variable}: ${type}`);
    this.variables[variable] = value;
    return `${name}: $${variable}`;
  }

  private input(name: string, type: GraphQLInputType, depth: number): unknown {
    if (!isNonNullType(type) && this.chance(0.1)) return null;
    const nullable = getNullableType(type);
    if (isListType(nullable))
      return Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => this.input(name, nullable.ofType, depth));
    if (isEnumType(nullable)) return this.pick(nullable.getValues()).name;
    if (isInputObjectType(nullable))
      return Object.fromEntries(
        Object.values(nullable.getFields())
          .filter((field) => isNonNullType(field.type) || (depth > 0 && this.chance(0.25)))
          .map((field) => [field.name, this.input(field.name, field.type, depth - 1)]),
      );
    const known = this.options.samples[name] ?? this.options.samples[String(nullable)];
    return known ? this.pick(known) : null;
  }

  private selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        !this.options.skip.has(`${type.name}.${field.name}`) &&
        (!this.plain || this.options.isPlain(type, field)) &&
        (depth > 0 || isLeafType(getNamedType(field.type))),
    );
    // The only leaf of a connection is its count.
    if (!fields.length) return "{ __typename }";
    const chosen: string[] = [];
    const count = 1 + Math.floor(this.random() * 6);
    for (let i = 0; i < count; i++) {
      const field = this.pick(fields);
      const text = this.field(field, depth, this.chance(0.5) ? `x${this.count++}: ` : `${field.name}${this.count++}: `);
      chosen.push(this.wrapped(type, text));
    }
    if (this.chance(0.15)) chosen.push("__typename");
    return `{ ${chosen.join(" ")} }`;
  }

  private count = 0;
  private plain = false;

  private wrapped(type: GraphQLObjectType, text: string): string {
    if (this.chance(0.1)) {
      const [directive, value] = [this.pick(["include", "skip"]), this.chance(0.5)];
      return `${text.includes("{") ? `... @${directive}(if: ${this.switch(value)}) { ${text} }` : `${text} @${directive}(if: ${this.switch(value)})`}`;
    }
    if (this.chance(0.08)) return `... on ${type.name} { ${text} }`;
    if (this.chance(0.05)) {
      const name = `F${this.fragments.length}`;
      this.fragments.push(`fragment ${name} on ${type.name} { ${text} }`);
      return `...${name}`;
    }
    return text;
  }

  private switch(value: boolean): string {
    if (this.chance(0.3)) return String(value);
    const variable = `v${this.declarations.length}`;
    this.declarations.push(`$${variable}: Boolean!`);
    this.variables[variable] = value;
    return `$${variable}`;
  }
}
