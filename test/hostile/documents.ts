/** Documents that request much with few bytes, or are hard to parse. */
import { plantOf, times } from "./plant.js";

export interface HostileDocument {
  query: string;
  variables?: unknown;
  /** Number of statements, if each root field reads separately. */
  statements?: number;
}

const nest = (levels: number, field: string, inner: string) => `${`${field} { `.repeat(levels)}${inner}${" }".repeat(levels)}`;
const doubling = (levels: number, type: string, inner: string) =>
  `${times(levels, (i) => `fragment F${i} on ${type} { ...F${i + 1} ...F${i + 1} }`)} fragment F${levels} on ${type} { ${inner} }`;
const wordy = times(60, (i) => `pump${i % 3}`, " ");

export const hostileDocuments: Record<string, HostileDocument> = {
  "1,000 levels": { query: `{ component(id: "deep-1") { ${nest(1_000, "parent", "id")} } }` },
  "20 levels of parents": { query: `{ component(id: "deep-200") { ${nest(17, "parent", "id")} } }` },
  "20 levels of children": {
    query: `{ component(id: "deep-1") { ${nest(8, "children(first: 2) { nodes", "id ").replaceAll(" }", " } }")} } }`,
  },
  "30,000 open braces": { query: `{${"a{".repeat(30_000)}` },
  "ancestors of ancestors": { query: "{ components { nodes { ancestors { ancestors { id } } } } }" },
  "ancestors of all": { query: "{ components(first: 500) { nodes { ancestors { id name } } } }" },
  "ancestors of the deepest 100": {
    query: "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Component { ancestors { id } } } }",
    variables: { ids: Array.from({ length: 100 }, (_, i) => `deep-${plantOf.depth - i}`) },
  },
  "descendants of the wide one": { query: `{ component(id: "wide") { descendants { id name description } } }` },
  "descendants of descendants": { query: `{ component(id: "wide") { descendants { descendants { id } } } }` },
  "descendants of 30 aliases": { query: `{ ${times(20, (i) => `a${i}: component(id: "wide") { descendants { id } }`)} }` },
  "descendants of a deep page": { query: `{ components(first: 200) { nodes { descendants { id } } } }` },
  "pages of pages": {
    query: "{ assets(first: 500) { nodes { components(first: 500) { nodes { children(first: 500) { nodes { id } } } } } } }",
  },
  "the largest page that is allowed": {
    query: "{ assets(first: 499) { nodes { id customFields components(first: 98) { nodes { id } } } } }",
  },
  "a page of 2 billion": { query: "{ assets(first: 2147483647) { nodes { id } } }" },
  "a page of minus one": { query: "{ assets(first: -1) { nodes { id } } }" },
  "an offset of 2 billion": { query: "{ assets(first: 1, offset: 2147483647) { nodes { id } } }" },
  "20 totals of everything": { query: `{ ${times(20, (i) => `a${i}: components { totalCount }`)} }` },
  "1,000 aliases": { query: `{ viewer { ${times(1_000, (i) => `a${i}: role`)} } }` },
  "1,000 root fields": { query: `{ ${times(1_000, () => "viewer { role }")} }` },
  "a fragment that doubles 40 times": { query: `{ viewer { ...F0 } } ${doubling(40, "Viewer", "role")}` },
  "a fragment that doubles pages": { query: `{ assets(first: 10) { nodes { ...F0 } } } ${doubling(10, "Asset", "id")}` },
  "fragments in a circle": { query: "{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }" },
  "a fragment of itself": { query: "{ ...A } fragment A on Query { ...A }" },
  "600 fragments in a row": {
    query: `{ viewer { ...F0 } } ${times(600, (i) => `fragment F${i} on Viewer { ...F${i + 1} }`)} fragment F600 on Viewer { role }`,
  },
  "1,600 nested inline fragments": { query: `${"{ ... ".repeat(1_600)}{ viewer { role } }${" }".repeat(1_600)}` },
  "1,000 directives": { query: `{ viewer { role ${"@include(if: true) ".repeat(1_000)} } }` },
  "1,000 unknown directives": { query: `{ viewer { role ${times(1_000, (i) => `@x${i}`)} } }` },
  "1,500 unknown fields": { query: `{ ${times(1_500, (i) => `assetz${i}`)} }` },
  "1,200 conflicting fields": { query: `{ assets { nodes { ${times(600, (i) => `x: name x: type y${i % 9}: id`)} } } }` },
  "overlapping fragments": {
    query: `{ assets { nodes { ${times(100, (i) => `...F${i}`)} } } } ${times(100, (i) => `fragment F${i} on Asset { id name a${i}: type }`)}`,
  },
  "1,000 variables": {
    query: `query (${times(1_000, (i) => `$v${i}: Int`, ", ")}) { viewer { role } }`,
  },
  "a name of 100,000 letters": { query: `{ ${"a".repeat(100_000)} }` },
  "a text of 900,000 letters": { query: `{ assets(filter: { search: "${"a".repeat(900_000)}" }) { nodes { id } } }` },
  "a number of 10,000 digits": { query: `{ assets(first: ${"9".repeat(10_000)}) { nodes { id } } }` },
  "100,000 commas": { query: `{ viewer {${",".repeat(100_000)} role } }` },
  "a comment of 900,000 letters": { query: `# ${"x".repeat(900_000)}\n{ viewer { role } }` },
  "exports by 20 aliases": { query: `{ ${times(20, (i) => `a${i}: exportAssets`)} }` },
  // A statement for each MB of an export.
  "two exports": { query: "{ a: exportAssets b: exportAssets }", statements: 8 },
  "all changes by 20 aliases": { query: `{ ${times(20, (i) => `a${i}: exportChanges`)} }` },
  "searches by 20 aliases": {
    query: `{ ${times(20, (i) => `a${i}: assets(first: 1, filter: { search: "p" }) { totalCount nodes { id } }`)} }`,
  },
  "a search of 60 words": { query: `{ assets(filter: { search: "${wordy}" }) { totalCount nodes { id } } }` },
  "a search of percent signs": { query: `{ components(filter: { search: "${"%_".repeat(400)}" }) { totalCount nodes { id } } }` },
  "a search of one letter in everything": { query: `{ search(query: "p", first: 100) { nodes { __typename } } }` },
  "groups of everything": { query: "{ groupedAssets(limit: 500) { items { areas { assets { id name components { totalCount } } } } } }" },
  "groups by 20 aliases": { query: `{ ${times(20, (i) => `a${i}: assetGroups(by: [SITE, TYPE]) { site type count }`)} }`, statements: 20 },
  "5 inventory reports": { query: `{ ${times(5, (i) => `a${i}: inventoryReport(reportType: ABC_ANALYSIS) { __typename }`)} }` },
  "20 inventory totals": { query: `{ ${times(20, (i) => `a${i}: inventoryTotals { stockLevels }`)} }`, statements: 20 },
  "an introspection bomb": {
    query: `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
  },
  "introspection by aliases": { query: `{ ${times(20, (i) => `a${i}: __schema { types { name fields { name args { name } } } }`)} }` },
  "1,001 ids": {
    query: "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
    variables: { ids: Array.from({ length: 1_001 }, (_, i) => `a${i}`) },
  },
  "1,000 ids of nothing": {
    query: "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
    variables: { ids: Array.from({ length: 1_000 }, (_, i) => `none${i}`) },
  },
  "prototype keys as variables": {
    query: 'mutation ($x: JSONObject!) { updateAsset(id: "a1", input: { customFields: $x }) { id } }',
    variables: JSON.parse('{"x":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}'),
  },
  "a field named __proto__": { query: "{ __proto__ { id } constructor }" },
  "JSON of 60,000 keys": {
    query: 'mutation ($x: JSONObject!) { updateAsset(id: "a1", input: { customFields: $x }) { id } }',
    variables: { x: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i])) },
  },
  "JSON 1,000 levels deep": {
    query: 'mutation ($x: JSONObject!) { updateAsset(id: "a1", input: { customFields: $x }) { id } }',
    variables: { x: JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`) },
  },
  "NUL in a variable": {
    query: "query ($s: String!) { assets(filter: { search: $s }) { nodes { id } } }",
    variables: { s: "a\0b" },
  },
  "half a surrogate": {
    query: "query ($id: ID!) { asset(id: $id) { id } }",
    variables: { id: "\ud800" },
  },
  "NUL in the document": { query: "{ viewer { \0 role } }" },
  "SQL as an id": { query: `{ asset(id: "'; drop table \\"Asset\\"; --") { id } }` },
  "a cursor of rubbish": { query: `{ assets(after: "${"A".repeat(50_000)}") { nodes { id } } }` },
  "two operations without a name": { query: "query A { viewer { role } } query B { viewer { role } }" },
  "a mutation of 20 imports": {
    query: `mutation { ${times(20, (i) => `a${i}: bulkComponents(operation: DELETE, componentIds: []) { failed }`)} }`,
  },
  nothing: { query: "" },
};
