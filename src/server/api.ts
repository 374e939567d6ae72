/** The API of every gateway: the GraphQL schema, the REST routes for it, and their description. */
import type { GraphQLSchema } from "graphql";
import type { Config } from "../config.js";
import { buildGatewaySchema } from "../resolvers/schema.js";
import { compileAll, type RouteEntry, routesFor } from "../rest-compat/compiled-routes.js";
import { openApi } from "../rest-compat/openapi/document.js";
import { version } from "../version.js";
import { examples } from "./pages/descriptions.js";

export interface Api {
  schema: GraphQLSchema;
  routes: RouteEntry[];
  /** Compiles the routes before their first requests. */
  compileRoutes(): Promise<void>;
  /** The content of /openapi.json. */
  openApi(): object;
}

let schema: GraphQLSchema | undefined;
const apis = new Map<boolean, Api>();

/** Built once per process, with and without query plans. Gateways share it, because it holds no state of a database or request. */
export function apiOf({ QUERY_PLANS }: Pick<Config, "QUERY_PLANS">): Api {
  const withPlans = QUERY_PLANS !== "off";
  let api = apis.get(withPlans);
  if (!api) {
    schema ??= buildGatewaySchema();
    const rest = routesFor(schema, withPlans);
    const compiled = () => rest.routes.map((entry) => entry.compiled());
    api = {
      schema,
      routes: rest.routes,
      compileRoutes: () => compileAll(rest.routes),
      openApi: () => openApi(rest.schema, compiled(), { version: version(), examples }),
    };
    apis.set(withPlans, api);
  }
  return api;
}
