import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Row } from "../database/database.js";
import { selectPage, Where } from "../database/page.js";
import * as inventory from "../domain/inventory.js";
import { verifyLedger } from "../domain/ledger.js";
import { inventoryReport } from "../domain/reports.js";
import { AdjustmentFilter, AdjustStockInput, StockAdjustment, StockAdjustmentConnection } from "../schema/adjustment.js";
import { Site } from "../schema/asset.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
import {
  InventoryDeletion,
  InventoryFilter,
  InventoryTotals,
  PastStock,
  StockLevel,
  StockLevelConnection,
  UpdateInventoryInput,
} from "../schema/inventory.js";
import {
  MovementFilter,
  MovementOrder,
  MoveStockInput,
  StockMovement,
  StockMovementConnection,
  TransferStockInput,
} from "../schema/movement.js";
import { Part } from "../schema/part.js";
import { InventoryReport, LedgerVerification, ReportFilter } from "../schema/report.js";
import { StockSite, Timestamp } from "../schema/scalars.js";
import { ReportType } from "../schema/vocabulary.js";
import type { Context } from "./context.js";
import { pageCost } from "./cost.js";
import { movementList } from "./loaders.js";

function inventoryWhere(filter: InventoryFilter | null | undefined): Where {
  const { search, site, location, category, lowStock, outOfStock } = filter ?? {};
  const where = new Where().equal({ site, category, isActive: true }).search(search);
  if (location) where.add(`(location = ? or site = ?)`, location, location);
  if (lowStock != null)
    where.add(`(coalesce(quantity < "reorderPoint", false) or coalesce(quantity < "minimumStock", false)) = ?`, lowStock);
  if (outOfStock != null) where.add(`(quantity = 0) = ?`, outOfStock);
  return where;
}

@Resolver(() => StockLevel)
export class InventoryResolver {
  @Query(() => StockLevelConnection, { complexity: pageCost, description: "Stock of active parts, a level for each part and site." })
  async inventory(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => InventoryFilter, { nullable: true }) filter?: InventoryFilter,
  ): Promise<StockLevelConnection> {
    return new StockLevelConnection(
      await selectPage(db, { table: "Stock", where: inventoryWhere(filter), order: ["createdAt", "partId", "site"] }, page),
    );
  }

  @Query(() => InventoryTotals)
  async inventoryTotals(
    @Ctx() { db }: Context,
    @Arg("filter", () => InventoryFilter, { nullable: true }) filter?: InventoryFilter,
  ): Promise<InventoryTotals> {
    const where = inventoryWhere(filter).render(2);
    const [totals] = await db.query<InventoryTotals & Row>(
      `select count(*)::int as "stockLevels", coalesce(sum(quantity), 0) as quantity, coalesce(sum("reservedStock"), 0) as reserved, coalesce(sum("totalValue"), 0) as "totalValue"
       from "Stock" where "tenantId" = $1 and "deletedAt" is null${where.sql}`,
      ...where.values,
    );
    return totals!;
  }

  @FieldResolver(() => Part)
  async part(@Root() { partId }: StockLevel, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(partId))!;
  }

  @FieldResolver(() => StockMovementConnection, { complexity: pageCost, description: "What moved it, oldest first." })
  async movements(
    @Root() { partId, site }: StockLevel,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
    @Arg("filter", () => MovementFilter, { nullable: true }) filter?: MovementFilter,
  ): Promise<StockMovementConnection> {
    return new StockMovementConnection(await loaders.movementsOfLevel([partId, site], page, filter));
  }

  @Query(() => StockMovementConnection, { complexity: pageCost, description: "Movements of the whole tenant, oldest first." })
  async stockMovements(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => MovementFilter, { nullable: true }) filter?: MovementFilter,
    @Arg("orderBy", () => MovementOrder, { nullable: true }) orderBy?: MovementOrder,
  ): Promise<StockMovementConnection> {
    return new StockMovementConnection(await selectPage(db, { ...movementList(filter), descending: orderBy?.direction === "desc" }, page));
  }

  @Query(() => StockAdjustmentConnection, { complexity: pageCost, description: "Adjustments, oldest first." })
  async stockAdjustments(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => AdjustmentFilter, { nullable: true }) filter?: AdjustmentFilter,
  ): Promise<StockAdjustmentConnection> {
    const where = new Where().equal({ partId: filter?.partId });
    if (filter?.pending != null) where.add(`("approvedAt" is null and "rejectedAt" is null) = ?`, filter.pending);
    return new StockAdjustmentConnection(
      await selectPage(db, { table: "StockAdjustment", where, order: ["performedAt", "id"], keepsDeletes: false }, page),
    );
  }

  @Query(() => InventoryReport)
  inventoryReport(
    @Arg("reportType", () => ReportType) reportType: ReportType,
    @Ctx() { db }: Context,
    @Arg("filter", () => ReportFilter, { nullable: true }) filter?: ReportFilter,
  ): Promise<InventoryReport> {
    return inventoryReport(db, reportType, filter ?? {});
  }

  @Query(() => LedgerVerification, { description: "Replays the movements, up to a moment or all, and says whether they add up." })
  verifyLedger(@Ctx() { db }: Context, @Arg("asOf", () => Timestamp, { nullable: true }) asOf?: Date): Promise<LedgerVerification> {
    return verifyLedger(db, asOf);
  }

  @Authorized("manager")
  @Mutation(() => StockLevel, { description: "Sets what was counted, thresholds, location and cost of a part at a site." })
  updateInventory(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => UpdateInventoryInput) input: UpdateInventoryInput,
    @Ctx() { db, actor }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Where the input names none." }) site?: string,
  ): Promise<StockLevel> {
    return inventory.updateInventory(db, actor, partId, { ...input, site: input.site ?? site });
  }

  @Authorized("manager")
  @Mutation(() => InventoryDeletion, { description: "Writes off a part's stock at a site, or at all." })
  async deleteInventory(
    @Arg("partId", () => ID) partId: string,
    @Ctx() { db, actor }: Context,
    @Arg("site", () => StockSite, { nullable: true }) site?: string,
  ): Promise<InventoryDeletion> {
    return { message: "Inventory record deleted", finalStock: 0, deletedAt: await inventory.deleteInventory(db, actor, partId, site) };
  }

  @Authorized("technician")
  @Mutation(() => StockAdjustment, { description: "Moves the balance at once; somebody else approves or rejects it." })
  adjustStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => AdjustStockInput) input: AdjustStockInput,
    @Ctx() { db, actor }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Where the input names none." }) site?: string,
  ): Promise<StockAdjustment> {
    return inventory.adjustStock(db, actor, partId, { ...input, site: input.site ?? site });
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment)
  approveAdjustment(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<StockAdjustment> {
    return inventory.decideAdjustment(db, actor, id, "approved");
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment, { description: "Posts the reversing movement." })
  rejectAdjustment(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<StockAdjustment> {
    return inventory.decideAdjustment(db, actor, id, "rejected");
  }

  @Authorized("technician")
  @Mutation(() => StockMovement)
  async receiveStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => MoveStockInput) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.moveStock(db, actor, partId, "receipt", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, { description: "Limited to what is available; CONFLICT with available and requested otherwise." })
  async issueStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => MoveStockInput) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.moveStock(db, actor, partId, "issue", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement)
  async returnStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => MoveStockInput) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.moveStock(db, actor, partId, "return", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, { description: "Limited to what is available." })
  async reserveStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => MoveStockInput) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.moveStock(db, actor, partId, "reserve", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement)
  async unreserveStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => MoveStockInput) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.moveStock(db, actor, partId, "unreserve", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => [StockMovement], { description: "Moves available stock to another site; the movement out, then the one in." })
  async transferStock(
    @Arg("partId", () => ID) partId: string,
    @Arg("input", () => TransferStockInput) input: TransferStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement[]> {
    return (await inventory.transferStock(db, actor, partId, input)).map(({ movement }) => movement);
  }
}

@Resolver(() => Part)
export class PartStockResolver {
  @FieldResolver(() => StockLevel, {
    nullable: true,
    description: "Its stock at one site, with `exists` false where none is kept; null where no site is named.",
  })
  async stockAt(
    @Root() { id, tenantId }: Part,
    @Ctx() { loaders }: Context,
    @Arg("site", () => String, { nullable: true }) site?: string,
  ): Promise<StockLevel | null> {
    if (site == null) return null;
    return (await loaders.stockLevel.load([id, site])) ?? inventory.noLevel(tenantId, id, site);
  }
}

@Resolver(() => Part)
export class PartPastResolver {
  @FieldResolver(() => PastStock, { description: "What was in stock at a moment, over all sites or at one." })
  stockAsOf(
    @Root() { id }: Part,
    @Arg("at", () => Timestamp) at: Date,
    @Ctx() { loaders }: Context,
    @Arg("site", () => String, { nullable: true }) site?: string,
  ): Promise<PastStock> {
    return loaders.stockAsOf({ at, site }, id);
  }
}

@Resolver(() => StockMovement)
export class MovementResolver {
  @FieldResolver(() => Part)
  async part(@Root() { partId }: StockMovement, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(partId))!;
  }

  @FieldResolver(() => StockLevel, { nullable: true, description: "The level it moved, as it stands now." })
  stock(@Root() { partId, site }: StockMovement, @Ctx() { loaders }: Context): Promise<StockLevel | null> {
    return loaders.stockLevel.load([partId, site]);
  }
}

@Resolver(() => StockAdjustment)
export class AdjustmentResolver {
  @FieldResolver(() => Boolean)
  approved(@Root() { approvedAt }: StockAdjustment): boolean {
    return approvedAt != null;
  }

  @FieldResolver(() => Part)
  async part(@Root() { partId }: StockAdjustment, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(partId))!;
  }
}

@Resolver(() => Site)
export class SiteStockResolver {
  @FieldResolver(() => StockLevelConnection, { complexity: pageCost, description: "What is kept there." })
  async stock(
    @Root() { name }: Site,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<StockLevelConnection> {
    return new StockLevelConnection(await loaders.stockOfSite(name, page, undefined));
  }
}
