/** Texts of the console: all of them in message files, complete in every language, and labels for the enum values that pages show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, traverse } from "@babel/core";
import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { type CompiledMessage, compileMessage } from "@lingui/message-utils/compileMessage";
import { buildSchema, concatAST, getNamedType, isEnumType, parse, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import { expect, it, test } from "vitest";
import { root } from "../../scripts/stale.mjs";

const config = getConfig({ configPath: join(root, "console/lingui.config.js") });
const [catalog] = await getCatalogs(config);
const sources = join(root, "console/src");
const filesWith = (ending: string) =>
  readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.startsWith("generated"))
    .map((path) => join(sources, path));

/** Names of the values and elements in a message. A plural's value counts once. */
const valuesIn = (message: string): string[] => {
  const found = new Set<string>();
  const collect = (tokens: CompiledMessage): void => {
    for (const token of tokens)
      if (typeof token === "string") for (const [, tag] of token.matchAll(/<\/?(\d+)\/?>/g)) found.add(`<${tag}>`);
      else {
        const [name, kind, forms] = token;
        found.add([name, kind].filter(Boolean).join(" "));
        if (typeof forms === "object" && forms !== null) for (const form of Object.values(forms)) if (Array.isArray(form)) collect(form);
      }
  };
  collect(compileMessage(message));
  return [...found].sort();
};

const used = await catalog!.collect();

it("collects the messages", () => expect(Object.keys(used!).length).toBeGreaterThan(1_000));

test.each(config.locales)("the catalogue %s has exactly the console's messages, each translated with the same values", async (locale) => {
  const known = (await catalog!.read(locale))!;
  const text = (id: string) => used![id]!.message!;
  expect(Object.keys(known).filter((id) => !used![id])).toEqual([]);
  const missing = Object.keys(used!).filter((id) => !known[id]?.translation);
  expect(missing.map(text), "run npm run messages, and translate").toEqual([]);
  const differing = Object.keys(used!).filter((id) => valuesIn(known[id]!.translation!).join() !== valuesIn(text(id)).join());
  expect(differing.map((id) => [text(id), known[id]!.translation])).toEqual([]);
});

it("has a label for each enum value that a document of the console selects", () => {
  const schema = buildSchema(readFileSync(join(root, "src/schema/schema.graphql"), "utf8"));
  const info = new TypeInfo(schema);
  const values = new Set<string>();
  const documents = concatAST(filesWith(".graphql").map((path) => parse(readFileSync(path, "utf8"))));
  const collect = (type: unknown) => {
    if (isEnumType(type)) for (const { name } of type.getValues()) values.add(name);
  };
  visit(documents, visitWithTypeInfo(info, { Field: () => collect(info.getType() && getNamedType(info.getType()!)) }));
  const labels = readFileSync(join(sources, "parts/enum-labels.ts"), "utf8");
  expect([...values].filter((value) => !new RegExp(`^  ${value}: `, "m").test(labels)).sort()).toEqual([]);
  expect(values.size).toBeGreaterThan(100);
});

it("has a label for each shipped failure code", () => {
  const catalogue = JSON.parse(readFileSync(join(root, "src/domain/reliability/failure-codes.json"), "utf8"));
  const names = catalogue.flatMap((entry: any) => ["mode", "cause", "remedy"].flatMap((kind) => entry[kind].map(({ name }: any) => name)));
  const labels = readFileSync(join(sources, "parts/failure-labels.ts"), "utf8");
  const hasLabel = (name: string) => labels.includes(`t\`${name}\``) || labels.includes(`message: ${JSON.stringify(name)} })`);
  expect(names.filter((name: string) => !hasLabel(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(100);
});

/** Attributes that people read. */
const read = /^(label|title|hint|placeholder|alt|text|verb|aria-label)$/;

test.each(filesWith(".tsx").map((path) => path.slice(sources.length + 1)))("%s has no text outside the message files", (path) => {
  const parserOpts = { plugins: ["typescript" as const, "jsx" as const] };
  const ast = parseSync(readFileSync(join(sources, path), "utf8"), { babelrc: false, configFile: false, parserOpts })!;
  const found: string[] = [];
  traverse(ast, {
    // Not even in <Trans>, which would interpret tags in inserted values.
    JSXText({ node }) {
      if (/\p{L}{2}/u.test(node.value)) found.push(node.value.trim());
    },
    JSXAttribute({ node: { name, value } }) {
      if (value?.type === "StringLiteral" && /\p{L}{2}/u.test(value.value) && !/^https?:/.test(value.value) && read.test(String(name.name)))
        found.push(`${String(name.name)}="${value.value}"`);
    },
  });
  expect(found).toEqual([]);
});
