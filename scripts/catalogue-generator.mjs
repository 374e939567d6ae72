// A Prisma generator (see prisma/schema.prisma). Writes src/database/generated/catalogue.ts: row types, and the catalogue of tables,
// columns, keys and references for the record layer and the SQL writer.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** TypeScript types of columns without `@type`. 64-bit integers are strings, because they exceed the precision of numbers. */
const scalarTypes = {
  String: "string",
  Int: "number",
  Float: "number",
  Decimal: "number",
  BigInt: "string",
  Boolean: "boolean",
  DateTime: "Date",
  Bytes: "Uint8Array",
  Json: "unknown",
};

const flags = ["hidden", "internal", "readOnly", "noReset"];

/** Columns set by the database or the record layer, never by a caller. */
const systemColumns = ["tenantId", "createdAt", "updatedAt"];

const annotation = (name, documentation = "") => new RegExp(`@${name} ([^@\\n]+)`).exec(documentation)?.[1].trim();

/** Rules of `@sites` that are words. */
const siteRules = ["all", "none", "site", "log"];

/** The rule of a model's annotation `@sites`. Throws for a missing rule and for unknown tables and columns. */
function sitesOf(model, models) {
  const rule = /@sites (.+)/.exec(model.documentation ?? "")?.[1].trim();
  if (!rule)
    throw new Error(`model ${model.name}: add the annotation @sites, the rows that a key limited to sites can read (top of schema.prisma)`);
  const hasColumn = (owner, column) => owner.fields.some(({ kind, name }) => kind === "scalar" && name === column);
  const fail = (problem) => {
    throw new Error(`model ${model.name}: @sites ${rule}: ${problem}`);
  };
  if (rule === "site" && !hasColumn(model, "site")) fail("the model has no column site");
  const references = [...rule.matchAll(/\b(of|has)\((\w+), (\w+)\)/g)];
  for (const [, direction, table, column] of references) {
    const other = models.find(({ name }) => name === table);
    if (!other) fail(`there is no model ${table}`);
    const owner = direction === "of" ? model : other;
    if (!hasColumn(owner, column)) fail(`the model ${owner.name} has no column ${column}`);
  }
  if (!siteRules.includes(rule) && !references.length && !rule.includes("$sites"))
    fail("name one of the rules, of(T, column), has(T, column) or $sites");
  return rule;
}

/** The annotation `@siteWrites`: `closed`, or `open` with the reason. */
function siteWritesOf(model) {
  const value = annotation("siteWrites", model.documentation);
  if (value && !/^(closed|open: .+)$/.test(value))
    throw new Error(`model ${model.name}: @siteWrites is neither closed nor open with a reason`);
  return value;
}

/** Returns the default of a column as SQL; undefined for generated numbers. */
function defaultSql({ default: value, type, isList }) {
  if (isList) return "'{}'";
  if (typeof value === "object") return value.name === "dbgenerated" ? value.args[0] : undefined;
  return type === "String" || type === "Json" ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

function columnOf(field) {
  const columnFlags = flags.filter((name) => new RegExp(`@${name}\\b`).test(field.documentation ?? ""));
  const tsType = annotation("type", field.documentation);
  const isDefaulted = field.hasDefaultValue || field.isList;
  return {
    name: field.name,
    tsType: `${tsType ?? scalarTypes[field.type]}${field.isList ? "[]" : ""}`,
    typeName: tsType,
    inUse: annotation("inUse", field.documentation),
    type: field.type,
    ...(field.isList && { list: true }),
    ...(field.nativeType?.[0] === "Decimal" && { precision: Number(field.nativeType[1][0]) }),
    ...(!field.isRequired && { nullable: true }),
    ...(isDefaulted && defaultSql(field) !== undefined && { default: defaultSql(field) }),
    ...(field.default?.name === "autoincrement" && { generated: true }),
    ...Object.fromEntries(columnFlags.map((name) => [name, true])),
  };
}

/** Relations to and from other tables, except the relation to Tenant, with their pairs of join columns: own column, other column. */
function relationsOf(model, models) {
  const relations = model.fields.filter(({ kind, type }) => kind === "object" && type !== "Tenant" && model.name !== "Tenant");
  return Object.fromEntries(
    relations.map(({ name, type, relationName, relationFromFields: from, relationToFields: to }) => {
      const owner = models.find((other) => other.name === type);
      const opposite = owner.fields.find((field) => field.relationName === relationName && field.relationFromFields?.length);
      const pairs = from.length
        ? from.map((column, i) => [column, to[i]])
        : opposite.relationToFields.map((column, i) => [column, opposite.relationFromFields[i]]);
      return [name, { table: type, on: pairs.filter(([column]) => column !== "tenantId") }];
    }),
  );
}

function tableOf(model, { indexes, models }) {
  const columns = model.fields.filter(({ kind }) => kind === "scalar").map(columnOf);
  const uniques = indexes.filter((index) => index.model === model.name && index.type === "unique");
  // The partition column must be part of the key but does not identify rows.
  const partitioned = model.fields.filter(({ documentation }) => /@partition\b/.test(documentation ?? "")).map(({ name }) => name);
  const ids = model.fields.filter(({ isId }) => isId).map(({ name }) => name);
  // Views have no primary key: their first unique columns identify rows.
  const keyFields = model.primaryKey?.fields ?? (ids.length ? ids : (model.uniqueFields[0] ?? []));
  const key = keyFields.filter((name) => !partitioned.includes(name));
  return {
    name: model.name,
    noun: annotation("noun", model.documentation) ?? model.name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase(),
    internal: /@internal\b/.test(model.documentation ?? ""),
    sites: sitesOf(model, models),
    siteWrites: siteWritesOf(model),
    columns,
    key,
    uniques: uniques.map((index) => {
      const names = index.fields.map(({ name }) => name);
      // A unique index ends with the column that a client can change; the columns before it, such as tenantId, are its scope.
      const column = names.at(-1);
      return {
        index: index.dbName ?? `${model.name}_${names.join("_")}_key`,
        column,
        inUse: columns.find(({ name }) => name === column).inUse,
      };
    }),
    relations: relationsOf(model, models),
    references: model.fields
      .filter(({ relationFromFields }) => relationFromFields?.length)
      .map(({ type, relationFromFields }) => ({
        constraint: `${model.name}_${relationFromFields.join("_")}_fkey`,
        column: relationFromFields.find((name) => name !== "tenantId") ?? "tenantId",
        table: type,
      })),
  };
}

const isOptional = (column) => column.nullable || "default" in column;

const interfaceOf = (name, lines) => `export interface ${name} {\n${lines.map((line) => `  ${line};`).join("\n")}\n}`;

function typesOf({ name, columns, key }) {
  const readable = columns.filter(({ hidden }) => !hidden);
  const isSystem = ({ name: column, type }) => systemColumns.includes(column) || (column === "version" && type === "Int");
  const writable = readable.filter((column) => !column.generated && !isSystem(column));
  const isId = (column) => column.name === "id" && key.includes("id");
  return [
    interfaceOf(
      `${name}Row`,
      readable.map((column) => `${column.name}: ${column.tsType}${column.nullable ? " | null" : ""}`),
    ),
    interfaceOf(
      `${name}Insert`,
      writable.map((column) =>
        isOptional(column) || isId(column) ? `${column.name}?: ${column.tsType} | null` : `${column.name}: ${column.tsType}`,
      ),
    ),
    interfaceOf(
      `${name}Update`,
      writable.filter((column) => !key.includes(column.name)).map((column) => `${column.name}?: ${column.tsType} | null`),
    ),
  ].join("\n\n");
}

function fileOf({ datamodel }) {
  const tables = datamodel.models.map((model) => tableOf(model, datamodel));
  const imported = [...new Set(tables.flatMap(({ columns }) => columns.flatMap((column) => column.typeName ?? [])))].sort();
  const typesByTable = (suffix) =>
    interfaceOf(
      `${suffix}s`,
      tables.map(({ name }) => `${name}: ${name}${suffix}`),
    );
  const entries = tables.map(({ name, columns, ...table }) => [
    name,
    {
      ...table,
      columns: Object.fromEntries(columns.map(({ name: column, tsType, typeName: _typeName, inUse: _inUse, ...rest }) => [column, rest])),
    },
  ]);
  return `// Generated from prisma/schema.prisma by scripts/catalogue-generator.mjs. Do not edit.
import type { Catalogue } from "../rows/catalogue.js";
import type {
${imported.map((name) => `  ${name},`).join("\n")}
} from "../rows/column-types.js";

${tables.map(typesOf).join("\n\n")}

${["Row", "Insert", "Update"].map(typesByTable).join("\n\n")}

export const catalogue: Catalogue<keyof Rows> = ${JSON.stringify(Object.fromEntries(entries), null, 2)};
`;
}

const handlers = {
  getManifest: () => ({ manifest: { prettyName: "catalogue", defaultOutput: "../src/database/generated" } }),
  generate: ({ dmmf, generator }) => {
    const text = fileOf(dmmf);
    mkdirSync(generator.output.value, { recursive: true });
    writeFileSync(join(generator.output.value, "catalogue.ts"), text);
    return null;
  },
};

// Prisma's generator protocol is JSON-RPC, one message per line: requests on standard input, responses on standard error.
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  let response;
  try {
    response = { result: handlers[method](params) };
  } catch (error) {
    response = { error: { code: -32000, message: error.message, data: { stack: error.stack } } };
  }
  process.stderr.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...response })}\n`);
});
