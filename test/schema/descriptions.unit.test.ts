/** The schema documents itself: every element has a description. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from "graphql";
import { expect, it } from "vitest";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";

/** All elements that can have a description, by coordinate. */
function* described(schema: GraphQLSchema): Generator<[string, string | null | undefined]> {
  yield ["schema", schema.description];
  for (const directive of schema.getDirectives().filter((one) => !isSpecifiedDirective(one))) {
    yield [`@${directive.name}`, directive.description];
    for (const { name, description } of directive.args) yield [`@${directive.name}(${name}:)`, description];
  }
  for (const type of Object.values(schema.getTypeMap()))
    if (!isIntrospectionType(type) && !isSpecifiedScalarType(type)) {
      yield [type.name, type.description];
      yield* membersOf(type);
    }
}

function* membersOf(type: GraphQLNamedType): Generator<[string, string | null | undefined]> {
  if (isEnumType(type)) for (const { name, description } of type.getValues()) yield [`${type.name}.${name}`, description];
  if (isInputObjectType(type))
    for (const { name, description } of Object.values(type.getFields())) yield [`${type.name}.${name}`, description];
  if (isObjectType(type) || isInterfaceType(type))
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.description];
      for (const { name, description } of field.args) yield [`${type.name}.${field.name}(${name}:)`, description];
    }
}

const all = [...described(buildGatewaySchema())];
const wrong = (isWrong: (description: string) => boolean) => all.filter(([, text]) => isWrong(text?.trim() ?? "")).map(([name]) => name);

it("the whole schema is checked", () => {
  expect(all.map(([name]) => name)).toEqual(
    expect.arrayContaining(["schema", "Asset.name", "Asset.readings(filter:)", "AssetFilter.site", "Role.ADMIN", "DateTime", "PageInfo"]),
  );
});

it("everything has a description", () => {
  expect(wrong((text) => !text)).toEqual([]);
});

it("a description consists of whole sentences", () => {
  expect(wrong((text) => !/^[^a-z].*\.$/s.test(text))).toEqual([]);
});

it("no description refers to a file, which clients cannot open", () => {
  expect(wrong((text) => /\b(docs|src|test|prisma)\/|\.(md|ts|sql)\b/.test(text))).toEqual([]);
});
