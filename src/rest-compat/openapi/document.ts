/** Generates the OpenAPI 3.1 description from the compiled routes: variables become parameters, selections become named schemas. */
import type { GraphQLSchema } from "graphql";
import type { CompiledRoute } from "../compiled-routes.js";
import { errorSchema, headers, refusals, requestHeaders } from "./answers.js";
import { type Examples, Operations, operationIdOf } from "./operation.js";
import { Schemas } from "./schemas.js";
import { Shapes, shownPath } from "./shapes.js";
import { inWordsOfRest, tagsIn } from "./texts.js";

const about = `The REST paths of the maintenance gateway. Every path runs an operation of the GraphQL API at \`/graphql\`, with the same permissions, validation and records.

- **Keys.** \`Authorization: Bearer <API key>\`. The key determines the tenant, the role and the sites.
- **Fields without a value** are omitted from responses. An update changes only the fields that are sent; \`null\` clears an optional field.
- **Timestamps** are ISO 8601 in UTC. Identifiers are opaque strings.
- **Writes** can be retried with the same \`Idempotency-Key\`; \`If-Match\` prevents lost updates.
- **Examples** are responses of the demo plant.`;

/** Returns the OpenAPI document as an object. Throws if two shapes share a name, or a shape has two names. */
export function openApi(schema: GraphQLSchema, compiled: CompiledRoute[], { version, examples }: { version: string; examples: Examples }) {
  const textOf = inWordsOfRest(schema);
  const schemas = new Schemas(textOf);
  schemas.refer("Error", "Error", "errors", () => errorSchema);
  const operations = new Operations(schema, new Shapes(schema, schemas, textOf), textOf, examples);
  const paths: Record<string, Record<string, unknown>> = {};
  const ids = new Map<string, string>();
  for (const entry of compiled) {
    const { route } = entry;
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    const id = operationIdOf(entry);
    if (ids.has(id)) throw new Error(`${shownPath(route)}: the operationId ${id} is that of ${ids.get(id)}`);
    ids.set(id, shownPath(route));
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operations.of(entry) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Maintenance Gateway",
      version,
      summary: "Maintenance management: assets, components, parts, stock, procedures, work orders, strategies, alerts.",
      description: about,
      license: { name: "Proprietary" },
    },
    servers: [{ url: "/", description: "The service that this description comes from." }],
    security: [{ apiKey: [] }],
    tags: tagsIn(compiled.map(({ route }) => route)),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "mg_<prefix>_<secret>",
          description: "An API key, or an access token of the identity provider where the operator has set one up.",
        },
      },
      parameters: requestHeaders,
      headers,
      responses: refusals,
      schemas: schemas.all(),
    },
  };
}
