/** SQL in src names only columns of prisma/schema.prisma, and takes column lists from the catalogue. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { type Table, tables } from "../../src/database/rows/catalogue.js";

/** A template string, with `${0}`, `${1}` … for the expressions in it. */
interface Template {
  file: string;
  line: number;
  text: string;
  expressions: string[];
}

/** The ESTree node of a template string. */
interface TemplateNode {
  type: string;
  start: number;
  quasis: { value: { raw: string } }[];
  expressions: { start: number; end: number }[];
  /** The tag of a tagged template. */
  tag?: { name?: string };
  quasi?: TemplateNode;
}

/** The template strings of a TypeScript source, nested ones included, without those of HTML. */
function templatesOf(file: string, source: string): Template[] {
  const found: Template[] = [];
  const visit = (node: unknown): void => {
    if (!node || typeof node !== "object") return;
    const { type, start, quasis, expressions, tag, quasi } = node as TemplateNode;
    const isHtml = type === "TaggedTemplateExpression" && tag?.name === "html";
    for (const child of Object.values(isHtml ? quasi!.expressions : node)) visit(child);
    if (type !== "TemplateLiteral") return;
    found.push({
      file,
      line: source.slice(0, start).split("\n").length,
      text: quasis.map(({ value }, i) => value.raw + (expressions[i] ? `\${${i}}` : "")).join(""),
      expressions: expressions.map((one) => source.slice(one.start, one.end)),
    });
  };
  visit(parseAst(source, { lang: "ts" }));
  return found;
}

const src = fileURLToPath(new URL("../../src", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.startsWith("database/generated"),
);
const templates = files.flatMap((file) => templatesOf(file, readFileSync(join(src, file), "utf8")));

const isSql = ({ text }: Template) => /\bselect\s(?!\{)|\binsert into\b|\bupdate\s+"|\bdelete from\b/i.test(text);
const statements = templates.filter(isSql);

/** Parts of statements: texts that quote a name, in a file with statements. */
const filesWithSql = new Set(statements.map(({ file }) => file));
const parts = templates.filter((one) => !isSql(one) && filesWithSql.has(one.file) && /"[\w$]+"/.test(one.text));

const shown = ({ file, line }: Template, problem: string) => `src/${file}:${line}: ${problem}`;

const schemaNames = new Set<string>([
  // A collation.
  "C",
  ...Object.entries(tables).flatMap(([table, { columns, uniques, references }]) => [
    table,
    ...Object.keys(columns),
    ...uniques.map(({ index }) => index),
    ...references.map(({ constraint }) => constraint),
  ]),
]);

const quoted = (text: string) => [...text.matchAll(/"([\w$]+)"/g)].map(([, name]) => name!);

/** The names that a text defines: `as "x"`, `as t("a" text, "b" int)`, `as ("a" text)`, `with t("a", "b") as`. */
const introduced = (text: string) => [
  ...[...text.matchAll(/\bas\s+"([\w$]+)"/g)].map(([, name]) => name!),
  ...[...text.matchAll(/\bas\s*(?:[a-z]\w*|"\w+")?\s*\(([^()]*)\)/g)].flatMap(([, list]) =>
    /^\s*select\b/.test(list!) ? [] : quoted(list!),
  ),
  ...[...text.matchAll(/(?:\bwith|\brecursive|,)\s+[a-z]\w*\s*\(([^()]*)\)\s+as\b/g)].flatMap(([, list]) => quoted(list!)),
];

const introducedIn = new Map<string, Set<string>>();
for (const { file, text } of templates) {
  const names = introducedIn.get(file) ?? new Set();
  introducedIn.set(file, names);
  for (const name of introduced(text)) names.add(name);
}

/** Expressions that build a list of columns from the schema. */
const fromSchema = /\b(insertColumns|rowColumns|pick|quoted)\(/;

/** Column lists typed by hand that contain only key columns. */
const keysOnly: Record<string, string> = {
  "domain/inventory/stock/ledger.ts StockLevel": "an empty level: its figures begin at their defaults",
  "domain/exchange/stock-sheet.ts StockLevel": "an empty level: its settings follow, and its quantity is posted",
};

interface ColumnList {
  table: string;
  columns: string[];
}

/** The column lists of `insert into` that name a column in addition to `tenantId`. */
const typedLists = ({ text, expressions }: Template): ColumnList[] =>
  [...text.matchAll(/insert into\s+"([^"]+)"(?:\s+as\s+\w+)?\s*\(([^()]*)\)/gi)].flatMap(([, table, list]) => {
    const columns = list!.split(",").map((column) => column.trim());
    const isMade = (column: string) => /^\$\{\d+\}$/.test(column) && fromSchema.test(expressions[Number(column.slice(2, -1))]!);
    const typed = columns.some((column) => column !== '"tenantId"' && !isMade(column));
    return typed ? [{ table: table!, columns: columns.map((column) => column.replaceAll('"', "")) }] : [];
  });

const isKey = ({ table, columns }: ColumnList) => columns.every((column) => tables[table as Table]?.key.includes(column));

/** `*` as the columns of a row, but not in `count(*)` or as multiplication. */
const wholeRow = /\bselect\s(?!\{)+(?:all\s+|distinct\s+)?\*|\breturning\s+\*|[\w"})]\.\*|,\s*\*\s*(?:,|from\b)/i;

/** The text without `x.*` of an `x` whose columns the same text lists: `as x(a text, …)`. */
const withoutListed = (text: string) => text.replace(/\b(\w+)\.\*/g, (all, name) => (new RegExp(`\\bas ${name}\\(`).test(text) ? "" : all));

/** Text that PostgreSQL reads as a value. */
const withoutText = (text: string) => text.replace(/'[^']*'/g, "''");

describe("the SQL in src", () => {
  it("is found", () => {
    expect(statements.length).toBeGreaterThan(100);
    expect(parts.length).toBeGreaterThan(20);
  });

  it("is in the layers that may have it", () => {
    const folders = new Set(statements.map(({ file }) => file.split("/")[0]));
    expect([...folders].sort()).toEqual(["background", "cli", "database", "demo", "domain", "execution", "resolvers", "schema"]);
  });

  it("names the columns that it reads", () => {
    const problems = [...statements, ...parts].filter(({ text }) => wholeRow.test(withoutListed(withoutText(text))));
    expect(problems.map((one) => shown(one, "list the columns with rowColumns or pick instead of *"))).toEqual([]);
  });

  it("quotes only names of the schema and names it defines", () => {
    const problems = [...statements, ...parts].flatMap((one) =>
      quoted(withoutText(one.text))
        .filter((name) => !schemaNames.has(name) && !introducedIn.get(one.file)!.has(name))
        .map((name) => shown(one, `"${name}" is no table, column, index or constraint of prisma/schema.prisma, and no alias`)),
    );
    expect(problems).toEqual([]);
  });

  it("inserts into columns listed by the schema, or into a key only", () => {
    const problems = statements.flatMap((one) =>
      typedLists(one)
        .filter((list) => !isKey(list) || !(`${one.file} ${list.table}` in keysOnly))
        .map(({ table, columns }) => shown(one, `"${table}" (${columns.join(", ")}): use insertColumns, insertSelect or insertRows`)),
    );
    expect(problems).toEqual([]);
  });

  it("joins tables by their tenant too, so that the rows of a tenant may be kept apart", () => {
    const joined = statements.flatMap((one) =>
      [...one.text.matchAll(/\bjoin\s+"([^"]+)"(?:\s+as)?\s+\w+\s+on\s+(.*?)(?=\bjoin\b|\bwhere\b|\b(?:order|group) by\b|$)/gis)].map(
        ([, table, condition]) => ({ one, table: table!, condition: condition! }),
      ),
    );
    expect(joined.length).toBeGreaterThan(30);
    const problems = joined.filter(({ table, condition }) => table in tables && !condition.includes('"tenantId"'));
    expect(problems.map(({ one, table }) => shown(one, `"${table}" is joined without its tenantId`))).toEqual([]);
  });

  it("has no unnecessary exception", () => {
    const lists = statements.flatMap((one) => typedLists(one).map(({ table }) => `${one.file} ${table}`));
    expect(Object.keys(keysOnly).filter((name) => !lists.includes(name))).toEqual([]);
  });
});

describe("reading the sources", () => {
  it("finds template strings, nested ones included", () => {
    const found = templatesOf("x.ts", "const f = `g ${h(`i ${j}`)} k`;\nconst page = html`<select ${l}>`;");
    expect(found.map(({ text }) => text)).toEqual(["i ${0}", "g ${0} k"]);
    expect(found[0]!.expressions).toEqual(["j"]);
  });

  it.each([
    ["select * from x", true],
    ["select distinct * from x", true],
    ["insert into x returning *", true],
    ["select a.*, b from a", true],
    ["select count(*) from x", false],
    ["select 2 * quantity from x", false],
    ["select ${0} * value from x", false],
    ["select a.*, b from f() as a(c int)", false],
  ])("sees a whole row in `%s`: %s", (text, expected) => {
    expect(wholeRow.test(withoutListed(text))).toBe(expected);
  });
});
