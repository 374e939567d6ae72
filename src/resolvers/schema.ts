import "reflect-metadata";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { type AuthChecker, buildSchemaSync } from "type-graphql";
import { type Role, roleOrder } from "../schema/access/enums.js";
import { forbidden } from "../schema/errors.js";
import { KeyResolver } from "./access/key.js";
import { AssetNotificationsResolver, NotificationResolver, NotificationSubscriptions } from "./alerts/notification.js";
import { WebhookDeliveryResolver, WebhookResolver } from "./alerts/webhook.js";
import { AreaResolver, AssetResolver, SiteResolver } from "./assets/asset.js";
import { AssetImportResolver } from "./assets/import.js";
import { ComponentResolver } from "./components/component.js";
import { TemplateResolver } from "./components/template.js";
import type { Context } from "./context.js";
import { AssetPhotosResolver, PartPhotosResolver, PhotoResolver } from "./files/photo.js";
import { AdjustmentResolver, InventoryResolver, MovementResolver, PartStockResolver, SiteStockResolver } from "./inventory/inventory.js";
import { AssetPartsResolver, ComponentPartsResolver, PartResolver } from "./inventory/part.js";
import { StockSubscriptions } from "./inventory/subscriptions.js";
import { makeLoaders } from "./loaders.js";
import { AssetWorkResolver, ProcedurePartResolver, ProcedureResolver, SiteTimeResolver } from "./maintenance/procedure.js";
import { ReadingResolver, StrategyResolver } from "./maintenance/strategy.js";
import { WorkOrderPartResolver, WorkOrderResolver } from "./maintenance/work-order.js";

/** `@Authorized("manager")` requires at least that role. The INGEST role is outside the hierarchy and must be listed explicitly. */
const authChecker: AuthChecker<Context, Role> = ({ context: { actor } }, roles) => {
  if (roles.includes(actor.role)) return true;
  const needed = Math.min(...roles.flatMap((role) => (role === "ingest" ? [] : roleOrder.indexOf(role))));
  if (roleOrder.indexOf(actor.role === "ingest" ? "viewer" : actor.role) < needed)
    throw forbidden(`This needs the role ${roleOrder[needed]}; the key has the role ${actor.role}`);
  return true;
};

export function buildGatewaySchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AssetResolver,
      AssetImportResolver,
      SiteResolver,
      AreaResolver,
      ComponentResolver,
      PhotoResolver,
      AssetPhotosResolver,
      PartPhotosResolver,
      TemplateResolver,
      PartResolver,
      AssetPartsResolver,
      ComponentPartsResolver,
      InventoryResolver,
      PartStockResolver,
      MovementResolver,
      AdjustmentResolver,
      SiteStockResolver,
      StockSubscriptions,
      ProcedureResolver,
      ProcedurePartResolver,
      AssetWorkResolver,
      SiteTimeResolver,
      WorkOrderResolver,
      WorkOrderPartResolver,
      StrategyResolver,
      ReadingResolver,
      NotificationResolver,
      AssetNotificationsResolver,
      NotificationSubscriptions,
      WebhookResolver,
      WebhookDeliveryResolver,
      KeyResolver,
    ],
    authChecker,
    // Required by type-graphql, but unused: subscriptions read from the context's pubsub.
    pubSub: { publish() {}, subscribe: () => Promise.reject(new Error("unused")) as never },
    validate: false,
  });
  renewLoaders(schema);
  return schema;
}

/**
 * Replaces the loaders before each root field of a mutation but the first. Root fields run serially, so the selection of each
 * field shows what earlier fields wrote.
 */
function renewLoaders(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const resolve = field.resolve!;
    field.resolve = (source, args, context: Context, info) => {
      if (context.mutated) context.loaders = makeLoaders(context.db);
      context.mutated = true;
      return resolve(source, args, context, info);
    };
  }
}

/** Returns the content of src/schema/schema.graphql. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
