import { Args, ArgsType, Authorized, Field, ID, Resolver, Root, Subscription } from "type-graphql";
import { type FeedEntry, ledgerRow } from "../../../domain/changes/feed.js";
import { stockLevels } from "../../../domain/inventory/stock/inventory.js";
import { StockLevel } from "../../../schema/inventory/stock/inventory.js";
import { StockMovement } from "../../../schema/inventory/stock/movement.js";
import type { Context } from "../../context.js";
import { AfterArgs, SubscriptionSource } from "../../subscription.js";

@ArgsType()
class StockEventArgs extends AfterArgs {
  @Field(() => ID, { nullable: true, description: "Only stock of this part. Default: all." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Only stock at this site. Default: all." })
  site?: string | null;
}

/** Returns the movement of an entry if it matches the arguments. */
function movementOf(entry: FeedEntry, { partId, site }: StockEventArgs): StockMovement | undefined {
  const movement = ledgerRow("StockMovement", entry);
  return (partId == null || movement.partId === partId) && (site == null || movement.site === site) ? movement : undefined;
}

const movements = (args: StockEventArgs) => new SubscriptionSource(["StockMovement"], args.after, (entry) => movementOf(entry, args));

/** Returns the current stock level if a movement took it below its reorder point. */
const belowReorderPoint = (args: StockEventArgs) =>
  new SubscriptionSource(["StockMovement"], args.after, async (entry, { data: { loaders } }: Context) => {
    const movement = movementOf(entry, args);
    const level = movement && (await loaders.load(stockLevels, [movement.partId, movement.site]));
    if (level?.reorderPoint == null) return undefined;
    const point = Number(level.reorderPoint);
    return movement!.newBalance < point && movement!.previousBalance >= point ? level : undefined;
  });

@Resolver()
export class StockSubscriptions {
  @Authorized("viewer")
  @Subscription(() => StockMovement, {
    subscribe: ({ args }) => movements(args),
    description: "Sends each stock movement when it happens.",
  })
  stockChanged(@Root() movement: StockMovement, @Args(() => StockEventArgs) _args: StockEventArgs): StockMovement {
    return movement;
  }

  @Authorized("viewer")
  @Subscription(() => StockLevel, {
    subscribe: ({ args }) => belowReorderPoint(args),
    description: "Sends a stock level each time it falls below its reorder point.",
  })
  stockBelowReorderPoint(@Root() level: StockLevel, @Args(() => StockEventArgs) _args: StockEventArgs): StockLevel {
    return level;
  }
}
