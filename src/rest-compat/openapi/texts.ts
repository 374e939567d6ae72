/** Texts of /openapi.json that neither the routes nor the GraphQL schema contain. */
import { type GraphQLSchema, isScalarType } from "graphql";
import { enumName } from "../../schema/enums.js";
import type { Route } from "../route.js";

/** Tags by the first segment of the path, in the order of the reference. */
const nouns: Record<string, [tag: string, description: string]> = {
  assets: ["Assets", "Physical equipment: machines, vessels, vehicles. Lists group it by site and area."],
  components: ["Components", "What assets are made of: a hierarchy below each asset, with moves, bulk changes and trees."],
  templates: ["Templates", "Versioned hierarchies from which components are built."],
  parts: ["Parts", "The catalogue of spare parts. A deleted part becomes inactive and keeps its stock."],
  inventory: ["Inventory", "Stock of a part at a site: quantities, thresholds, movements, adjustments, reports."],
  photos: ["Photos", "Photos of assets and parts: ask for a grant, send the file to its `uploadUrl`, register the photo."],
  pms: ["PM procedures", "Preventive maintenance: what is to be done, how often, with which parts; and work orders from it."],
  workorders: ["Work orders", "The work itself: its steps and parts, from planned to closed."],
  strategies: ["Strategies", "Maintenance strategies: triggers, resources and the assets that they apply to."],
  notifications: ["Notifications", "Predictive alerts that the system raised."],
  sheets: ["Import and export", "Records of every noun as CSV, with the same columns in and out."],
  changes: ["Changes", "What happened to a record: by whom, when, from what to what."],
};

export const additionsTag = "Additions";

const additions =
  "Paths that the interface did not have at first: what was done in GraphQL alone, for clients that speak REST. They follow the same conventions.";

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
  limit: "How many records the answer has at most.",
  offset: "How many records are skipped. A `nextToken`, where the list has one, costs less.",
  nextToken: "The `nextToken` of the page before, with the same filters.",
  search: "A part of the texts, in upper or lower case. `%` and `_` are ordinary characters.",
  updatedSince: "Only records that were created or changed at or after this instant. Deleted records are left out, as without it.",
};

export const changesToken = "`pageInfo.endCursor` of the page before.";

/** Returns a function that rephrases a GraphQL description for REST: enum values in REST notation, no null for omitted fields. */
export function inWordsOfRest(schema: GraphQLSchema): (description: string | null | undefined) => string | undefined {
  const byName = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    const { enum: values = [] } = ((isScalarType(type) && type.extensions.jsonSchema) || {}) as { enum?: string[] };
    for (const value of values) byName.set(enumName(value), value);
  }
  return (description) =>
    description
      ?.replace(/ Needs the role \w+\.$/, "")
      .replace(/`?\b([A-Z][A-Z_]{2,})\b`?/g, (found, name: string) => (byName.has(name) ? `\`${byName.get(name)}\`` : found));
}

/** The role that a mutation requires, from the end of its GraphQL description. */
export const roleIn = (description: string | null | undefined): string =>
  (/Needs the role (\w+)\.$/.exec(description ?? "")?.[1] ?? "viewer").toLowerCase();
