import "reflect-metadata";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { type AuthChecker, buildSchemaSync } from "type-graphql";
import { forbidden } from "../schema/errors.js";
import { type Role, roleOrder } from "../schema/vocabulary.js";
import { AreaResolver, AssetResolver, SiteResolver } from "./asset.js";
import { AssetImportResolver } from "./asset-import.js";
import { ComponentResolver } from "./component.js";
import type { Context } from "./context.js";
import {
  AdjustmentResolver,
  InventoryResolver,
  MovementResolver,
  PartPastResolver,
  PartStockResolver,
  SiteStockResolver,
} from "./inventory.js";
import { KeyResolver } from "./key.js";
import { AssetNotificationsResolver, NotificationResolver, NotificationSubscriptions } from "./notification.js";
import { AssetPartsResolver, ComponentPartsResolver, PartResolver } from "./part.js";
import { AssetPhotosResolver, PartPhotosResolver, PhotoResolver } from "./photo.js";
import { AssetWorkResolver, ProcedurePartResolver, ProcedureResolver, SiteTimeResolver } from "./procedure.js";
import { ReadingResolver, StrategyResolver } from "./strategy.js";
import { StockSubscriptions } from "./subscription.js";
import { TemplateResolver } from "./template.js";
import { WebhookDeliveryResolver, WebhookResolver } from "./webhook.js";
import { WorkOrderPartResolver, WorkOrderResolver } from "./work-order.js";

/** `@Authorized("manager")` on a field or mutation: the least role that may use it; INGEST, which stands aside, is named beside it. */
const authChecker: AuthChecker<Context, Role> = ({ context: { actor } }, roles) => {
  if (roles.includes(actor.role)) return true;
  const needed = Math.min(...roles.flatMap((role) => (role === "ingest" ? [] : roleOrder.indexOf(role))));
  if (roleOrder.indexOf(actor.role === "ingest" ? "viewer" : actor.role) < needed)
    throw forbidden(`This needs the role ${roleOrder[needed]}; the key has the role ${actor.role}`);
  return true;
};

export const buildGatewaySchema = (): GraphQLSchema =>
  buildSchemaSync({
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
      PartPastResolver,
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
    // Asked for wherever there are subscriptions; ours bring their own source and never come to this one.
    pubSub: { publish() {}, subscribe: () => Promise.reject(new Error("unused")) as never },
    validate: false,
  });

/** The schema as src/schema/schema.graphql keeps it. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
