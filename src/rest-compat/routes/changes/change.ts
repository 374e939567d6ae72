/** The history of a record: additional paths below those of docs/interface.md (docs/rest.md). */
import type { Route } from "../../route.js";

/** Paths of records with the root field that finds them. */
const records: [path: string, field: string, noun: string][] = [
  ["/assets/:assetId", "asset", "an asset"],
  ["/components/:componentId", "component", "a component"],
  ["/components/templates/:templateId", "template", "a component template"],
  ["/parts/:partId", "part", "a part"],
  ["/pms/:pmId", "procedure", "a PM procedure"],
  ["/strategies/:strategyId", "strategy", "a strategy"],
  ["/notifications/:id", "notification", "a notification"],
];

export const changeRoutes: Route[] = records.map(([path, field, noun]) => {
  const id = path.split(":")[1]!;
  return {
    method: "GET",
    path: `${path}/changes`,
    addition: true,
    operationId: `list${field.charAt(0).toUpperCase()}${field.slice(1)}Changes`,
    summary: `List what happened to ${noun}, newest first`,
    operation: `query ($${id}: ID!, $limit: Int = 100, $nextToken: String) { ${field}(id: $${id}) { changes(first: $limit, after: $nextToken) {
      items: nodes { kind version changedAt changedBy keyId requestId source operation reason siteBefore site fields { field before after } }
      pageInfo { hasNextPage endCursor }
    } } }`,
    responsePath: "changes",
    renamed: { after: "nextToken", first: "limit" },
    nullable: ["before", "after", "endCursor"],
  };
});
