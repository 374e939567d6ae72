/** The API of every gateway: the GraphQL schema, the REST routes compiled against it, and their description. */
import type { GraphQLSchema } from "graphql";
import { buildGatewaySchema } from "../resolvers/schema.js";
import { type CompiledRoute, compileRoutes } from "../rest-compat/compiled-routes.js";
import { openApi } from "../rest-compat/openapi/document.js";
import { version } from "../version.js";
import { examples } from "./pages/descriptions.js";

export interface Api {
  schema: GraphQLSchema;
  routes: CompiledRoute[];
  /** The content of /openapi.json. */
  openApi: object;
}

let schema: GraphQLSchema | undefined;
const apis = new Map<boolean, Api>();

/** Built once per process, with and without query plans. Gateways share it, because it holds no state of a database or request. */
export function apiOf(withPlans: boolean): Api {
  let api = apis.get(withPlans);
  if (!api) {
    schema ??= buildGatewaySchema();
    const rest = compileRoutes(schema, withPlans);
    api = { schema, routes: rest.compiled, openApi: openApi(rest.schema, rest.compiled, { version: version(), examples }) };
    apis.set(withPlans, api);
  }
  return api;
}
