import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { inventoryTotals } from "../../../domain/inventory/reports/totals.js";
import { decideAdjustment } from "../../../domain/inventory/stock/approvals.js";
import * as inventory from "../../../domain/inventory/stock/inventory.js";
import { verifyLedger } from "../../../domain/inventory/stock/ledger-check.js";
import { issueReserved } from "../../../domain/inventory/stock/reservations.js";
import { returnIssued, returnStock } from "../../../domain/inventory/stock/returns.js";
import { takeBackUse } from "../../../domain/maintenance/work-orders/discrepancy.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { whereOf } from "../../../schema/filter.js";
import { Part, type PartFilter } from "../../../schema/inventory/parts/part.js";
import { LedgerVerification } from "../../../schema/inventory/reports/report.js";
import { AdjustStockInput, StockAdjustment } from "../../../schema/inventory/stock/adjustment.js";
import {
  InventoryDeletion,
  InventoryFilter,
  InventoryTotals,
  PastStock,
  StockLevel,
  UpdateInventoryInput,
} from "../../../schema/inventory/stock/inventory.js";
import { MoveStockInput, StockMovement, TransferStockInput } from "../../../schema/inventory/stock/movement.js";
import type { ListArgs } from "../../../schema/list.js";
import { pages } from "../../../schema/relation.js";
import { DateTime, ShortText, StockSite } from "../../../schema/scalars.js";
import { Where } from "../../../schema/where.js";
import type { Context } from "../../context.js";
import { ledgerCost, price, priced } from "../../cost.js";
import { declareRoots } from "../../relations.js";

/** Restricts a list to active parts unless the filter specifies otherwise. */
const activeParts = ({ filter }: ListArgs<InventoryFilter>) => {
  const { active, all } = (filter as { part?: PartFilter } | null | undefined)?.part ?? {};
  return active === undefined && !all ? new Where().add(`"isActive"`) : new Where();
};

export const inventoryRoots = declareRoots({
  inventory: pages<ListArgs<InventoryFilter>>("StockLevel", {
    where: activeParts,
    description:
      "Lists the stock of active parts, one stock level per part and site. Includes deactivated parts if the filter's `part` sets `active` or `all`.",
  }),
  stockMovements: pages("StockMovement", {
    description: "Lists all stock movements of the tenant, oldest first unless ordered otherwise.",
  }),
  stockAdjustments: pages("StockAdjustment", { description: "Lists stock adjustments, oldest first." }),
});

@Resolver(() => StockLevel)
export class InventoryResolver {
  @Query(() => InventoryTotals, {
    complexity: priced(price.pass),
    description: "Totals over the stock that matches a filter. Includes deactivated parts, because their stock still has value.",
  })
  inventoryTotals(
    @Ctx() { data: { db } }: Context,
    @Arg("filter", () => InventoryFilter, { nullable: true, description: "Stock levels to include. Default: all." })
    filter?: InventoryFilter,
  ): Promise<InventoryTotals> {
    return inventoryTotals(db, whereOf(InventoryFilter, filter));
  }

  @Query(() => LedgerVerification, {
    complexity: ledgerCost,
    description:
      "Verifies the stock ledger. Replays all movements, or those up to a time, and checks their sums. Compares all views of the stock at random instants.",
  })
  verifyLedger(
    @Ctx() { data: { db } }: Context,
    @Arg("asOf", () => DateTime, { nullable: true, description: "Only movements up to this time. Default: all." }) asOf?: Date,
    @Arg("instants", () => Int, { defaultValue: 10, description: "Number of random instants at which to compare the views, at most 100." })
    instants = 10,
  ): Promise<LedgerVerification> {
    return verifyLedger(db, { asOf, instants });
  }

  @Authorized("manager")
  @Mutation(() => StockLevel, { description: "Sets the counted quantity, thresholds, location and cost of a part at a site." })
  updateInventory(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => UpdateInventoryInput, { description: "Values to set. Omitted fields stay unchanged." })
    input: UpdateInventoryInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Site, unless the input has one." }) site?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<StockLevel> {
    return inventory.updateInventory(db, actor, partId, { ...input, site: input.site ?? site }, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => InventoryDeletion, { description: "Writes off the stock of a part at one site, or at all sites if `site` is omitted." })
  async deleteInventory(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Site of the stock. Default: all sites." }) site?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<InventoryDeletion> {
    return {
      partId,
      message: "Inventory record deleted",
      finalStock: 0,
      ...(await inventory.deleteInventory(db, actor, partId, site, expectedVersion)),
    };
  }

  @Authorized("technician")
  @Mutation(() => StockAdjustment, {
    description: "Adjusts the balance immediately. Another person must approve or reject the adjustment; gains are blocked until then.",
  })
  adjustStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => AdjustStockInput, { description: "Adjustment to post." }) input: AdjustStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Site, unless the input has one." }) site?: string,
  ): Promise<StockAdjustment> {
    return inventory.adjustStock(db, actor, partId, { ...input, site: input.site ?? site });
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment, {
    description: "Approves an adjustment created by another person. Its gain can be issued from then on.",
  })
  approveAdjustment(
    @Arg("id", () => ID, { description: "Id of the adjustment." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Reason." }) reason?: string,
  ): Promise<StockAdjustment> {
    return decideAdjustment(db, actor, id, "approved", reason);
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment, {
    description:
      "Rejects an adjustment created by another person, and posts the reversing movement. Quantities that a work order used are returned.",
  })
  rejectAdjustment(
    @Arg("id", () => ID, { description: "Id of the adjustment." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Reason, stored with the reversing movement." }) reason?: string,
  ): Promise<StockAdjustment> {
    return decideAdjustment(db, actor, id, "rejected", reason, takeBackUse);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Adds received stock. If `StockSettings.receiptApproval` is set and no open order covers a technician's receipt, the stock is blocked until another person approves it.",
  })
  async receiveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "Stock to receive." }) input: MoveStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return (await inventory.receiveStock(db, actor, partId, input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Issues available stock. Fails with CONFLICT if the quantity is not available; the error contains `available` and `requested`.",
  })
  async issueStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "Stock to issue." }) input: MoveStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reservationId", () => ID, {
      nullable: true,
      description: "Id of the caller's own reservation to issue, in full or in part. By default, only unreserved stock is issued.",
    })
    reservationId?: string,
  ): Promise<StockMovement> {
    if (reservationId != null) return issueReserved(db, actor, partId, input, reservationId);
    return (await inventory.moveStock(db, actor, partId, "issue", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Returns issued stock. With `issueId`, the stock returns at its issue value, up to the issued quantity. Otherwise, the given cost or the average applies. Without `issueId`, quantities beyond the issues and returns with a cost are gains, blocked until another person approves them. Fails with CONFLICT for a serial number that was never issued.",
  })
  async returnStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "Stock to return." }) input: MoveStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("issueId", () => ID, { nullable: true, description: "Id of the issue to return. Default: no known issue." })
    issueId?: string,
  ): Promise<StockMovement> {
    if (issueId != null) return (await returnIssued(db, actor, partId, input, issueId)).movement;
    return (await returnStock(db, actor, partId, input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => [StockMovement], {
    description: "Transfers available stock to another site. Returns the outgoing movement, then the incoming one.",
  })
  async transferStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => TransferStockInput, { description: "Quantity to transfer and its sites." }) input: TransferStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement[]> {
    return (await inventory.transferStock(db, actor, partId, input)).map(({ movement }) => movement);
  }
}

@Resolver(() => Part)
export class PartStockResolver {
  @FieldResolver(() => StockLevel, {
    nullable: true,
    description: "Stock of the part at one site. `exists` is false if the site has no stock record. Null if `site` is omitted.",
  })
  async stockAt(
    @Root() { id, tenantId }: Part,
    @Ctx() { data: { loaders } }: Context,
    @Arg("site", () => String, { nullable: true, description: "Exact name of the site." }) site?: string,
  ): Promise<StockLevel | null> {
    if (site == null) return null;
    return (await loaders.load(inventory.stockLevels, [id, site])) ?? inventory.missingLevel(tenantId, id, site);
  }

  @FieldResolver(() => PastStock, { description: "Stock of the part at a past time, at one site or over all sites." })
  stockAsOf(
    @Root() { id }: Part,
    @Arg("at", () => DateTime, { description: "Time, to the millisecond. Includes movements at that time." }) at: Date,
    @Ctx() { data: { loaders } }: Context,
    @Arg("site", () => String, { nullable: true, description: "Exact name of a site. Default: all sites together." }) site?: string,
  ): Promise<PastStock> {
    return loaders.load(inventory.stockAsOf, id, { at, site });
  }
}

@Resolver(() => StockAdjustment)
export class AdjustmentResolver {
  @FieldResolver(() => Boolean)
  approved(@Root() { approvedAt }: StockAdjustment): boolean {
    return approvedAt != null;
  }
}
