import { Arg, Authorized, Ctx, ID, Resolver, Root, Subscription } from "type-graphql";
import type { StockNotice } from "../domain/ledger.js";
import { StockLevel } from "../schema/inventory.js";
import { StockMovement } from "../schema/movement.js";
import type { Context } from "./context.js";
import { makeLoaders } from "./loaders.js";

interface Wanted {
  partId?: string | null;
  site?: string | null;
}

const concerns = (notice: StockNotice, { partId, site }: Wanted) =>
  (partId == null || notice.partId === partId) && (site == null || notice.site === site);

const stockNotices = (
  context: Context,
  wanted: Wanted,
  isWanted: (notice: StockNotice) => boolean | Promise<boolean> = () => true,
): AsyncIterable<StockNotice> =>
  context.notices.stock(context.actor.tenantId, async (notice) => {
    if (!concerns(notice, wanted)) return undefined;
    // What was read for the event before is not to be answered again.
    context.loaders = makeLoaders(context.db);
    return (await isWanted(notice)) ? notice : undefined;
  });

const belowReorderPoint = (context: Context, wanted: Wanted): AsyncIterable<StockNotice> =>
  stockNotices(context, wanted, async ({ partId, site, newBalance, previousBalance }) => {
    const level = await context.loaders.stockLevel.load([partId, site]);
    const point = level?.reorderPoint == null ? undefined : Number(level.reorderPoint);
    return point !== undefined && newBalance < point && previousBalance >= point;
  });

@Resolver()
export class StockSubscriptions {
  @Authorized("viewer")
  @Subscription(() => StockMovement, {
    subscribe: ({ context, args }) => stockNotices(context as Context, args),
    description: "Each movement as it happens.",
  })
  async stockChanged(
    @Root() notice: StockNotice,
    @Ctx() { db }: Context,
    @Arg("partId", () => ID, { nullable: true }) _partId?: string,
    @Arg("site", () => String, { nullable: true }) _site?: string,
  ): Promise<StockMovement> {
    const [movement] = await db.query<StockMovement & Record<string, unknown>>(
      `select * from "StockMovement" where "tenantId" = $1 and id = $2`,
      notice.movementId,
    );
    return movement!;
  }

  @Authorized("viewer")
  @Subscription(() => StockLevel, {
    subscribe: ({ context, args }) => belowReorderPoint(context as Context, args),
    description: "A stock level each time it falls below its reorder point.",
  })
  async stockBelowReorderPoint(
    @Root() { partId, site }: StockNotice,
    @Ctx() { loaders }: Context,
    @Arg("partId", () => ID, { nullable: true }) _partId?: string,
    @Arg("site", () => String, { nullable: true }) _site?: string,
  ): Promise<StockLevel> {
    return (await loaders.stockLevel.load([partId, site]))!;
  }
}
