/** Schema changes since the last release (docs/graphql.md, "Changes and deprecations"). */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CriticalityLevel, diff } from "@graphql-inspector/core";
import { buildSchema, type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from "graphql";
import { describe, expect, it } from "vitest";

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../src/schema/${name}`, import.meta.url)), "utf8");

const released = buildSchema(read("released.graphql"));
const present = buildSchema(read("schema.graphql"));

interface BreakingChanges {
  /** Changes that a comparison of the schemas finds, in its wording. */
  schema: { reason: string; changes: string[] }[];
  /** Changes that no schema shows. */
  behavior: { reason: string; changes: string[] }[];
}

const listed: BreakingChanges = JSON.parse(read("breaking-changes.json"));

const breakingBetween = async (before: GraphQLSchema, after: GraphQLSchema) =>
  (await diff(before, after)).filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking).map(({ message }) => message);

describe("breaking changes since the last release", () => {
  it("each is in breaking-changes.json with its reason, and each entry is a breaking change", async () => {
    const found = await breakingBetween(released, present);
    const known = listed.schema.flatMap(({ changes }) => changes);
    expect({
      unlisted: found.filter((change) => !known.includes(change)),
      gone: known.filter((change) => !found.includes(change)),
    }).toEqual({ unlisted: [], gone: [] });
    expect(known.length).toBe(new Set(known).size);
  });

  it("each has a reason", () => {
    expect([...listed.schema, ...listed.behavior].filter(({ reason, changes }) => !reason.trim() || !changes.length)).toEqual([]);
  });

  it.each([
    ["a field that is renamed", "  model: String", "  modelName: String"],
    ["a field that may be null now", "createdAt: DateTime!", "createdAt: DateTime"],
    ["an enum value that is renamed", "  DECOMMISSIONED", "  SCRAPPED"],
  ])("%s is breaking", async (_, before, after) => {
    const changed = read("schema.graphql").replaceAll(before, after);
    expect(await breakingBetween(present, buildSchema(changed))).not.toEqual([]);
  });
});

/** All deprecations by coordinate, with their reason. */
function deprecationsOf(schema: GraphQLSchema): [string, string][] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith("__"))
    .flatMap((type) => {
      if (isEnumType(type)) return type.getValues().map((value) => [`${type.name}.${value.name}`, value.deprecationReason]);
      if (isInputObjectType(type))
        return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field.deprecationReason]);
      if (!isObjectType(type) && !isInterfaceType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) => [
        [`${type.name}.${field.name}`, field.deprecationReason],
        ...field.args.map((arg) => [`${type.name}.${field.name}(${arg.name}:)`, arg.deprecationReason]),
      ]);
    })
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

/** True for a sentence that names the replacement, followed by the date. */
function isGoodReason(reason: string): boolean {
  const [, date] = /^[^a-z].*\. Removed after (\d{4}-\d{2}-\d{2})\.?$/s.exec(reason) ?? [];
  return date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) === date;
}

describe("deprecations", () => {
  it("each names the replacement and the removal date", () => {
    expect(deprecationsOf(present).filter(([, reason]) => !isGoodReason(reason))).toEqual([]);
  });

  it("the guide shows one of the schema", () => {
    const guide = readFileSync(fileURLToPath(new URL("../../docs/graphql.md", import.meta.url)), "utf8");
    const shown = [...guide.matchAll(/^.*@deprecated\(.*$/gm)].map(([line]) => line.trim());
    expect(shown.length).toBeGreaterThan(0);
    const lines = read("schema.graphql")
      .split("\n")
      .map((line) => line.trim());
    expect(shown.filter((line) => !lines.includes(line))).toEqual([]);
  });

  it.each([
    ["Use `id`. Removed after 2027-06-30", true],
    ["Removed after 2027-06-30", false],
    ["Use `id`.", false],
    ["Use `id`. Removed after 2027-02-30", false],
  ])("%s: %s", (reason, isGood) => {
    const schema = buildSchema(`type Query { old: Int @deprecated(reason: ${JSON.stringify(reason)}) }`);
    expect(deprecationsOf(schema).filter(([, one]) => isGoodReason(one)).length === 1).toBe(isGood);
  });
});
