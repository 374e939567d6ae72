import { Arg, Authorized, Ctx, ID, Resolver, Root, Subscription } from "type-graphql";
import type { Actor } from "../../domain/access/keys.js";
import { stockLevels } from "../../domain/inventory/inventory.js";
import type { StockEvent } from "../../domain/inventory/ledger.js";
import { StockLevel } from "../../schema/inventory/inventory.js";
import { StockMovement } from "../../schema/inventory/movement.js";
import type { Context } from "../context.js";
import { Loaders } from "../loaders.js";

interface EventFilter {
  partId?: string | null;
  site?: string | null;
}

const matches = (event: StockEvent, { partId, site }: EventFilter) =>
  (partId == null || event.partId === partId) && (site == null || event.site === site);

const isSeen = ({ readAll, sites }: Actor, site: string) => readAll || !sites.length || sites.includes(site);

const stockEvents = (
  context: Context,
  filter: EventFilter,
  condition: (event: StockEvent) => boolean | Promise<boolean> = () => true,
): AsyncIterable<StockEvent> =>
  context.pubsub.stock(context.actor.tenantId, async (event) => {
    if (!matches(event, filter) || !isSeen(context.actor, event.site)) return undefined;
    // The loaders may have cached records that are older than this event.
    context.loaders = new Loaders(context.db);
    return (await condition(event)) ? event : undefined;
  });

const belowReorderPoint = (context: Context, filter: EventFilter): AsyncIterable<StockEvent> =>
  stockEvents(context, filter, async ({ partId, site, newBalance, previousBalance }) => {
    const level = await context.loaders.load(stockLevels, [partId, site]);
    const point = level?.reorderPoint == null ? undefined : Number(level.reorderPoint);
    return point !== undefined && newBalance < point && previousBalance >= point;
  });

@Resolver()
export class StockSubscriptions {
  @Authorized("viewer")
  @Subscription(() => StockMovement, {
    subscribe: ({ context, args }) => stockEvents(context as Context, args),
    description: "Sends each stock movement when it happens.",
  })
  async stockChanged(
    @Root() event: StockEvent,
    @Ctx() { db }: Context,
    @Arg("partId", () => ID, { nullable: true, description: "Only movements of this part. Default: all." }) _partId?: string,
    @Arg("site", () => String, { nullable: true, description: "Only movements at this site. Default: all." }) _site?: string,
  ): Promise<StockMovement> {
    return (await db.records.StockMovement.find({ id: event.movementId }))!;
  }

  @Authorized("viewer")
  @Subscription(() => StockLevel, {
    subscribe: ({ context, args }) => belowReorderPoint(context as Context, args),
    description: "Sends a stock level each time it falls below its reorder point.",
  })
  async stockBelowReorderPoint(
    @Root() { partId, site }: StockEvent,
    @Ctx() { loaders }: Context,
    @Arg("partId", () => ID, { nullable: true, description: "Only stock of this part. Default: all." }) _partId?: string,
    @Arg("site", () => String, { nullable: true, description: "Only stock at this site. Default: all." }) _site?: string,
  ): Promise<StockLevel> {
    return (await loaders.load(stockLevels, [partId, site]))!;
  }
}
