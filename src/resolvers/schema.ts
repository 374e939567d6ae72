import "reflect-metadata";
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { type AuthChecker, buildSchemaSync, getMetadataStorage } from "type-graphql";
import { type Author, writeAs } from "../database/records/author.js";
import type { Role } from "../schema/access/enums.js";
import { badInput } from "../schema/errors.js";
import { CalendarFeedResolver } from "./access/calendar-feed.js";
import { KeyResolver, keyRoots, ViewerResolver } from "./access/key.js";
import { PrincipalResolver, principalRoots } from "./access/principal.js";
import { NotificationResolver, NotificationSubscriptions, notificationRoots } from "./alerts/notification.js";
import { WebhookDeliveryResolver, WebhookResolver, webhookRoots } from "./alerts/webhook.js";
import { AssetResolver, assetRoots } from "./assets/asset.js";
import { AreaResolver, SiteResolver } from "./assets/place.js";
import { ChangeEventResolver, ChangeResolver, changeRoots } from "./changes/change.js";
import { ComponentResolver, componentRoots } from "./components/component.js";
import { TemplateResolver, templateRoots } from "./components/template.js";
import type { Context } from "./context.js";
import { bindExact, declareExact } from "./exact.js";
import { ImportResolver } from "./exchange/import.js";
import { AttachmentResolver } from "./files/attachment.js";
import { PhotoResolver } from "./files/photo.js";
import { declareGroups } from "./groups.js";
import { StockCountResolver, StockSettingsResolver, stockCountRoots } from "./inventory/count.js";
import { AdjustmentResolver, InventoryResolver, inventoryRoots, PartStockResolver } from "./inventory/inventory.js";
import { PartResolver, partRoots } from "./inventory/part.js";
import { PeriodResolver, periodRoots } from "./inventory/periods.js";
import { ReservationResolver, reservationRoots } from "./inventory/reservation.js";
import { SerialResolver, serialRoots } from "./inventory/serial.js";
import { ShortageResolver } from "./inventory/shortage.js";
import { StockSubscriptions } from "./inventory/subscriptions.js";
import { PartTransitResolver, TransferResolver, transferRoots } from "./inventory/transfers.js";
import { Loaders } from "./loaders.js";
import { MeterResolver, meterRoots, ProcedureMeterResolver } from "./maintenance/meter.js";
import { PlanResolver, ProcedureResolver, procedureRoots } from "./maintenance/procedure.js";
import { ReadingResolver, StrategyResolver, strategyRoots } from "./maintenance/strategy.js";
import { WorkOrderGroupResolver, WorkOrderResolver, workOrderRoots } from "./maintenance/work-order.js";
import { WorkOrderMaterialResolver, WorkOrderPartResolver } from "./maintenance/work-order-material.js";
import { WorkOrderRecordResolver } from "./maintenance/work-order-record.js";
import { WorkOrderStepResolver } from "./maintenance/work-order-step.js";
import { FailureCodeResolver, WorkRequestResolver, workRequestRoots } from "./maintenance/work-request.js";
import { AreaIdResolver, bindIds, DeletionResolver, NodeResolver, SiteIdResolver } from "./nodes.js";
import { relationOf } from "./relation.js";
import { bindRelations } from "./relations.js";
import { DowntimeResolver, downtimeRoots } from "./reliability/downtime.js";
import {
  AssetReliabilityResolver,
  DowntimeByCauseResolver,
  EvidenceResolver,
  FailuresByCodeResolver,
  ReliabilityResolver,
} from "./reliability/reliability.js";
import { requireRole, setRoles } from "./roles.js";
import { SearchResolver } from "./search/search.js";

/** `@Authorized("manager")` requires at least that role. */
const authChecker: AuthChecker<Context, Role> = ({ context: { actor } }, roles) => {
  requireRole(actor, roles);
  return true;
};

export function buildGatewaySchema(): GraphQLSchema {
  declareExact();
  const schema = buildSchemaSync({
    resolvers: [
      assetRoots,
      AssetResolver,
      ImportResolver,
      SiteResolver,
      AreaResolver,
      componentRoots,
      ComponentResolver,
      AttachmentResolver,
      PhotoResolver,
      templateRoots,
      TemplateResolver,
      partRoots,
      PartResolver,
      inventoryRoots,
      InventoryResolver,
      PartStockResolver,
      reservationRoots,
      ReservationResolver,
      AdjustmentResolver,
      periodRoots,
      PeriodResolver,
      transferRoots,
      TransferResolver,
      PartTransitResolver,
      stockCountRoots,
      StockCountResolver,
      StockSettingsResolver,
      serialRoots,
      SerialResolver,
      ShortageResolver,
      StockSubscriptions,
      procedureRoots,
      PlanResolver,
      ProcedureResolver,
      meterRoots,
      MeterResolver,
      ProcedureMeterResolver,
      workOrderRoots,
      WorkOrderResolver,
      WorkOrderGroupResolver,
      WorkOrderMaterialResolver,
      WorkOrderPartResolver,
      WorkOrderRecordResolver,
      workRequestRoots,
      WorkRequestResolver,
      FailureCodeResolver,
      WorkOrderStepResolver,
      strategyRoots,
      StrategyResolver,
      ReadingResolver,
      downtimeRoots,
      DowntimeResolver,
      ReliabilityResolver,
      AssetReliabilityResolver,
      DowntimeByCauseResolver,
      EvidenceResolver,
      FailuresByCodeResolver,
      notificationRoots,
      NotificationResolver,
      NotificationSubscriptions,
      webhookRoots,
      WebhookResolver,
      WebhookDeliveryResolver,
      keyRoots,
      KeyResolver,
      changeRoots,
      ChangeResolver,
      ChangeEventResolver,
      CalendarFeedResolver,
      ViewerResolver,
      principalRoots,
      PrincipalResolver,
      SearchResolver,
      declareGroups(),
      NodeResolver,
      DeletionResolver,
      SiteIdResolver,
      AreaIdResolver,
    ],
    authChecker,
    // Required by type-graphql, but unused: subscriptions follow the log of changes (execution/operation/subscriptions.ts).
    pubSub: { publish() {}, subscribe: () => Promise.reject(new Error("unused")) as never },
    validate: false,
  });
  bindRelations(schema);
  bindIds(schema);
  bindExact(schema);
  makeRootsNullable(schema);
  for (const name of oneOfInputs) (schema.getType(name) as GraphQLInputObjectType).isOneOf = true;
  separateMutations(schema);
  describe(schema);
  return schema;
}

const description = `Maintenance of equipment: assets and their components, spare parts and stock, preventive procedures, work orders, strategies and alerts.

**Identity.** Every request carries an API key, or a token of the identity provider if one is configured: \`Authorization: Bearer <key or token>\`, over WebSocket as \`Authorization\` in the connection's parameters. It decides the tenant, whose records alone are seen, the role, and who acts (\`viewer\` shows all three). Every role reads; a mutation names the least role that may call it. A key limited to sites changes records of its sites only, else FORBIDDEN, and reads those alone unless \`viewer.readAll\`.

**Ids.** An object's \`id\` is unique among all objects of the tenant, whatever their types; \`node\` and \`nodes\` find it. Take ids as they are.

**Errors.** An error has \`extensions.code\`: BAD_USER_INPUT, NOT_FOUND, CONFLICT, FORBIDDEN, UNAUTHENTICATED and others. \`extensions.fieldErrors\` lists each refused value with its path in the arguments. A root field that is refused is null, and hides no other.

**Pages.** A connection takes \`first\` and \`after\`, or \`last\` and \`before\`, with cursors from \`pageInfo\` or \`edges\`. A cursor belongs to one list, filter and order; any other refuses it.

**Values.** Times are in UTC, durations in minutes, quantities in the part's unit of measure, money in the tenant's currency: nothing is converted. On update, a field that is omitted stays as it is.`;

const rootTypes = {
  Query: "What can be read, by every role unless said otherwise. Deleted records are not found, here as anywhere.",
  Mutation:
    "What can be changed. Root fields run one after the other, each in a transaction of its own, unless the request has an idempotency key: then all are stored or none.",
  Subscription:
    "What can be listened to, over WebSocket or server-sent events. Each result has a `token` in its `extensions`; with it as `after`, what happened meanwhile comes first.",
};

/** Describes what has no class: the schema and its root types. Root fields that not every role may call say so. */
function describe(schema: GraphQLSchema): void {
  schema.description = description;
  const { queries, mutations } = getMetadataStorage();
  const rolesOf = new Map([...queries, ...mutations].map(({ schemaName, roles }) => [schemaName, (roles ?? []) as Role[]]));
  for (const [name, text] of Object.entries(rootTypes)) {
    const type = schema.getType(name) as GraphQLObjectType;
    type.description = text;
    for (const field of Object.values(type.getFields())) {
      const { role, forRequesters } = relationOf(field) ?? {};
      const roles: Role[] = forRequesters ? ["viewer", "requester"] : role ? [role] : (rolesOf.get(field.name) ?? []);
      setRoles(field, roles);
      if (!roles.includes("requester")) closeToRequesters(field, roles);
      const named = roles.map((one) => one.toUpperCase()).join(" or ");
      if (named && field.description) field.description += ` Needs the role ${named}.`;
    }
  }
}

/** A root field that does not name the role is none of a requester's. */
function closeToRequesters(field: GraphQLField<unknown, Context>, roles: Role[]): void {
  for (const step of ["resolve", "subscribe"] as const) {
    const ordinary = field[step];
    if (!ordinary) continue;
    field[step] = (source, args, context, info) => {
      if (context.actor.role === "requester") requireRole(context.actor, roles.length ? roles : ["viewer"]);
      return ordinary(source, args, context, info);
    };
  }
}

/** Inputs of which exactly one field is set. type-graphql has no option for it. */
const oneOfInputs = ["PartNumberInput", "PhotoOwnerInput", "AttachmentOwnerInput"];

/** A root field that is refused or fails is null, so that the results of the other root fields, and what they wrote, are kept. */
function makeRootsNullable(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!])
    for (const field of Object.values(root.getFields())) field.type = getNullableType(field.type);
}

/** Characters. Every change that is made keeps it. */
const maxReason = 10_000;

/** A mutation's author, with the reason that its arguments give. */
function authorOf(
  { actor, requestId, source }: Context,
  operation: string,
  args: { reason?: unknown; input?: { reason?: unknown } },
): Author {
  const reason = args.reason ?? args.input?.reason;
  if (typeof reason === "string" && reason.length > maxReason) throw badInput({ reason: `must have at most ${maxReason} characters` });
  return {
    tenantId: actor.tenantId,
    by: actor.principalId,
    ...(actor.keyId && { key: actor.keyId }),
    ...(actor.sites.length && { sites: actor.sites }),
    request: requestId,
    source,
    operation,
    reason: typeof reason === "string" ? reason : undefined,
  };
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
      context.lifetime?.signal.throwIfAborted();
      if (context.lifetime) context.lifetime.isWriting = true;
      if (context.mutated) context.loaders = new Loaders(context.reading, context.bounds);
      context.mutated = true;
      context.db = context.writing;
      try {
        return await writeAs(authorOf(context, field.name, args), () => resolve(source, args, context, info));
      } catch (error) {
        context.isRefused = context.isAtomic;
        throw error;
      } finally {
        context.db = context.reading;
      }
    };
  }
}

/** Returns the content of src/schema/schema.graphql. */
export const printGatewaySchema = (): string => `${printSchema(lexicographicSortSchema(buildGatewaySchema()))}\n`;
