import "reflect-metadata";
import { type GraphQLSchema, getNullableType, lexicographicSortSchema, printSchema } from "graphql";
import { type AuthChecker, buildSchemaSync } from "type-graphql";
import type { Role } from "../schema/access/enums.js";
import { KeyResolver } from "./access/key.js";
import { NotificationResolver, NotificationSubscriptions, notificationRoots } from "./alerts/notification.js";
import { WebhookDeliveryResolver, WebhookResolver, webhookRoots } from "./alerts/webhook.js";
import { AssetResolver, assetRoots, SiteResolver } from "./assets/asset.js";
import { AssetImportResolver } from "./assets/import.js";
import { ComponentResolver, componentRoots } from "./components/component.js";
import { TemplateResolver, templateRoots } from "./components/template.js";
import type { Context } from "./context.js";
import { PhotoResolver } from "./files/photo.js";
import { AdjustmentResolver, InventoryResolver, inventoryRoots, PartStockResolver } from "./inventory/inventory.js";
import { PartResolver, partRoots } from "./inventory/part.js";
import { StockSubscriptions } from "./inventory/subscriptions.js";
import { Loaders } from "./loaders.js";
import { ProcedureResolver, procedureRoots, SiteTimeResolver } from "./maintenance/procedure.js";
import { ReadingResolver, StrategyResolver, strategyRoots } from "./maintenance/strategy.js";
import { WorkOrderResolver, workOrderRoots } from "./maintenance/work-order.js";
import { AreaIdResolver, bindIds, NodeResolver, SiteIdResolver } from "./nodes.js";
import { bindRelations } from "./relations.js";
import { requireRole } from "./roles.js";

/** `@Authorized("manager")` requires at least that role. */
const authChecker: AuthChecker<Context, Role> = ({ context: { actor } }, roles) => {
  requireRole(actor, roles);
  return true;
};

export function buildGatewaySchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      assetRoots,
      AssetResolver,
      AssetImportResolver,
      SiteResolver,
      componentRoots,
      ComponentResolver,
      PhotoResolver,
      templateRoots,
      TemplateResolver,
      partRoots,
      PartResolver,
      inventoryRoots,
      InventoryResolver,
      PartStockResolver,
      AdjustmentResolver,
      StockSubscriptions,
      procedureRoots,
      ProcedureResolver,
      SiteTimeResolver,
      workOrderRoots,
      WorkOrderResolver,
      strategyRoots,
      StrategyResolver,
      ReadingResolver,
      notificationRoots,
      NotificationResolver,
      NotificationSubscriptions,
      webhookRoots,
      WebhookResolver,
      WebhookDeliveryResolver,
      KeyResolver,
      NodeResolver,
      SiteIdResolver,
      AreaIdResolver,
    ],
    authChecker,
    // Required by type-graphql, but unused: subscriptions read from the context's pubsub.
    pubSub: { publish() {}, subscribe: () => Promise.reject(new Error("unused")) as never },
    validate: false,
  });
  bindRelations(schema);
  bindIds(schema);
  makeRootsNullable(schema);
  separateMutations(schema);
  return schema;
}

/** A root field that is refused or fails is null, so that it does not take the other root fields' answers, or what they wrote, with it. */
function makeRootsNullable(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!])
    for (const field of Object.values(root.getFields())) field.type = getNullableType(field.type);
}

/**
 * Replaces the loaders before each root field of a mutation but the first. Root fields run serially, so the selection of each
 * field shows what earlier fields wrote. Of an atomic mutation, those after a refused one do not run.
 */
function separateMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const resolve = field.resolve!;
    field.resolve = async (source, args, context: Context, info) => {
      if (context.isRefused) return null;
      if (context.mutated) context.loaders = new Loaders(context.db);
      context.mutated = true;
      try {
        return await resolve(source, args, context, info);
      } catch (error) {
        context.isRefused = context.isAtomic;
        throw error;
      }
    };
  }
}

/** Returns the content of src/schema/schema.graphql. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
