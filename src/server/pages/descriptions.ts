/** Descriptions of the API for tools, without a key: /openapi.json, /schema.graphql and /schema.json. */
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { type GraphQLSchema, introspectionFromSchema } from "graphql";
import { printGatewaySchema } from "../../resolvers/schema.js";
import { sendTagged } from "../caching.js";

/** Requests and responses of the demo plant by operation, recorded by scripts/record-examples.mjs. */
export const examples = JSON.parse(readFileSync(new URL("../../rest-compat/openapi/examples.json", import.meta.url), "utf8"));

const json = "application/json; charset=utf-8";

export function mountDescriptions(app: FastifyInstance, schema: GraphQLSchema, openApi: () => object): void {
  mount(app, "/openapi.json", json, () => JSON.stringify(openApi()));
  mount(app, "/schema.graphql", "text/plain; charset=utf-8", printGatewaySchema);
  mount(app, "/schema.json", json, () => JSON.stringify(introspectionFromSchema(schema)));
}

/** `write` runs on the first request for the text. */
function mount(app: FastifyInstance, url: string, type: string, write: () => string): void {
  let text: string | undefined;
  app.get(url, (request, reply) => {
    text ??= write();
    return sendTagged(request, reply.type(type).header("cache-control", "no-cache"), text);
  });
}
