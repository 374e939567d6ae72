/** Texts of /openapi.json that neither the routes nor the GraphQL schema contain. */
import { type GraphQLSchema, isScalarType } from "graphql";
import { enumName } from "../../schema/enums.js";
import type { Route } from "../route.js";

/** Tags by the first segment of the path, in the order of the reference. */
const nouns: Record<string, [tag: string, description: string]> = {
  assets: ["Assets", "Physical equipment: machines, vessels, vehicles. Lists group it by site and area."],
  components: ["Components", "Parts of an asset: a hierarchy below each asset, with moves, bulk changes and trees."],
  templates: ["Templates", "Versioned hierarchies from which components are built."],
  parts: ["Parts", "The catalogue of spare parts. A deleted part becomes inactive and keeps its stock."],
  inventory: ["Inventory", "Stock of a part at a site: quantities, thresholds, movements, adjustments, reports."],
  photos: ["Photos", "Photos of assets and parts: request a grant, send the file to its `uploadUrl`, register the photo."],
  pms: ["PM procedures", "Preventive maintenance: steps, frequency and parts, and the work orders they create."],
  workorders: ["Work orders", "Work orders with steps and parts, from planned to closed."],
  strategies: ["Strategies", "Maintenance strategies: triggers, resources and the assets that they apply to."],
  notifications: ["Notifications", "Predictive alerts that the system raised."],
  sheets: ["Import and export", "Records of every noun as CSV, with the same columns in and out."],
  changes: ["Changes", "Change history of a record: author, time, previous and new values."],
};

export const additionsTag = "Additions";

const additions =
  "Paths added to the original interface: operations that were previously available only in GraphQL. They follow the same conventions.";

const words = (segment: string) => segment.charAt(0).toUpperCase() + segment.slice(1).replaceAll("-", " ");

function nounOf({ path }: Route): string {
  const segments = path.split("/").filter((segment) => segment && !segment.startsWith(":"));
  if (["import", "export"].includes(segments[0]!)) return "sheets";
  return ["photos", "changes", "templates"].find((noun) => segments.includes(noun)) ?? segments[0]!;
}

export const tagsOf = (route: Route): string[] => [
  nouns[nounOf(route)]?.[0] ?? words(nounOf(route)),
  ...(route.addition ? [additionsTag] : []),
];

/** Descriptions of the tags that routes use. */
export function tagsIn(routes: Route[]): { name: string; description: string }[] {
  const used = new Set(routes.flatMap(tagsOf));
  const known = [...Object.values(nouns), [additionsTag, additions] as const];
  const others = [...used].filter((name) => !known.some(([tag]) => tag === name));
  return [...known.filter(([name]) => used.has(name)), ...others.map((name) => [name, `${name}.`] as const)].map(([name, description]) => ({
    name,
    description,
  }));
}

/** Parameters with the same meaning everywhere, or with another name in GraphQL. */
export const parameterTexts: Record<string, string> = {
  limit: "Maximum number of records in the response.",
  offset: "Number of records to skip. A `nextToken`, if the list has one, costs less.",
  nextToken: "The `nextToken` of the previous page, with the same filters.",
  search: "Part of the text, case-insensitive. `%` and `_` are ordinary characters.",
  updatedSince: "Only records created or changed at or after this time. Deleted records are omitted, as without this filter.",
};

export const changesToken = "`pageInfo.endCursor` of the previous page.";

/** Returns a function that rephrases a GraphQL description for REST: enum values in REST notation, no null for omitted fields. */
export function inWordsOfRest(schema: GraphQLSchema): (description: string | null | undefined) => string | undefined {
  const byName = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    const { enum: values = [] } = ((isScalarType(type) && type.extensions.jsonSchema) || {}) as { enum?: string[] };
    for (const value of values) byName.set(enumName(value), value);
  }
  return (description) =>
    description
      ?.replace(/ Requires the role \w+\.$/, "")
      .replace(/`?\b([A-Z][A-Z_]{2,})\b`?/g, (found, name: string) => (byName.has(name) ? `\`${byName.get(name)}\`` : found));
}

/** The role that a mutation requires, from the end of its GraphQL description. */
export const roleIn = (description: string | null | undefined): string =>
  (/Requires the role (\w+)\.$/.exec(description ?? "")?.[1] ?? "viewer").toLowerCase();
