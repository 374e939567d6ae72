import "reflect-metadata";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { type AuthChecker, buildSchemaSync } from "type-graphql";
import { forbidden } from "../schema/errors.js";
import { type Role, roleOrder } from "../schema/vocabulary.js";
import { AreaResolver, AssetResolver, SiteResolver } from "./asset.js";
import { ComponentResolver } from "./component.js";
import type { Context } from "./context.js";
import { KeyResolver } from "./key.js";

/** `@Authorized("manager")` on a field or mutation: the least role that may use it. */
const authChecker: AuthChecker<Context, Role> = ({ context: { actor } }, roles) => {
  const needed = Math.min(...roles.map((role) => roleOrder.indexOf(role)));
  if (roleOrder.indexOf(actor.role) < needed)
    throw forbidden(`This needs the role ${roleOrder[needed]}; the key has the role ${actor.role}`);
  return true;
};

export const buildGatewaySchema = (): GraphQLSchema =>
  buildSchemaSync({
    resolvers: [AssetResolver, SiteResolver, AreaResolver, ComponentResolver, KeyResolver],
    authChecker,
    validate: false,
  });

/** The schema as src/schema/schema.graphql keeps it. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
