import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { exactText } from "../../database/rows/json-columns.js";
import { Bindings } from "../../database/rows/rows.js";
import { inventoryReport } from "../../domain/inventory/reports/reports.js";
import { decideAdjustment } from "../../domain/inventory/stock/approvals.js";
import * as inventory from "../../domain/inventory/stock/inventory.js";
import { verifyLedger } from "../../domain/inventory/stock/ledger-check.js";
import { issueReserved } from "../../domain/inventory/stock/reservations.js";
import { returnIssued, returnStock } from "../../domain/inventory/stock/returns.js";
import { takeBackUse } from "../../domain/maintenance/work-orders/discrepancy.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { refuseNulls, whereOf } from "../../schema/filter.js";
import { AdjustStockInput, StockAdjustment } from "../../schema/inventory/adjustment.js";
import { ReportType } from "../../schema/inventory/enums.js";
import {
  InventoryDeletion,
  InventoryFilter,
  InventoryTotals,
  PastStock,
  StockLevel,
  UpdateInventoryInput,
} from "../../schema/inventory/inventory.js";
import { MoveStockInput, StockMovement, TransferStockInput } from "../../schema/inventory/movement.js";
import { Part, type PartFilter } from "../../schema/inventory/part.js";
import { InventoryReport, LedgerVerification, ReportFilter } from "../../schema/inventory/report.js";
import type { ListArgs } from "../../schema/list.js";
import { pages } from "../../schema/relation.js";
import { DateTime, ShortText, StockSite } from "../../schema/scalars.js";
import { Where } from "../../schema/where.js";
import type { Context } from "../context.js";
import { price, priced } from "../cost.js";
import { declareRoots } from "../relations.js";

/** Of active parts, unless the filter says which. */
const activeParts = ({ filter }: ListArgs<InventoryFilter>) => {
  const { active, all } = (filter as { part?: PartFilter } | null | undefined)?.part ?? {};
  return active === undefined && !all ? new Where().add(`"isActive"`) : new Where();
};

export const inventoryRoots = declareRoots({
  inventory: pages<ListArgs<InventoryFilter>>("StockLevel", {
    where: activeParts,
    description:
      "Lists the stock of active parts, one stock level per part and site; of deactivated ones too if the filter's `part` says `active` or `all`.",
  }),
  stockMovements: pages("StockMovement", {
    description: "Lists all stock movements of the tenant, oldest first unless ordered otherwise.",
  }),
  stockAdjustments: pages("StockAdjustment", { description: "Lists stock adjustments, oldest first." }),
});

@Resolver(() => StockLevel)
export class InventoryResolver {
  @Query(() => InventoryTotals, {
    complexity: priced(price.groups),
    description: "Totals over the stock that matches a filter, of deactivated parts too: what is on a shelf has a value until it is gone.",
  })
  async inventoryTotals(
    @Ctx() { db }: Context,
    @Arg("filter", () => InventoryFilter, { nullable: true, description: "Which stock levels count. Default: all." })
    filter?: InventoryFilter,
  ): Promise<InventoryTotals> {
    const { bind, values } = new Bindings();
    const where = whereOf(InventoryFilter, filter).render(bind);
    const [totals] = await db.query<InventoryTotals>(
      `select l."stockLevels", l.quantity, ${exactText("l.quantity")} as "quantityExact", l.reserved, ${exactText("l.reserved")} as "reservedExact",
         l."totalValue", ${exactText('l."totalValue"')} as "totalValueExact", u.quantity as "inTransit", ${exactText("u.quantity")} as "inTransitExact",
         u.value as "inTransitValue", ${exactText("u.value")} as "inTransitValueExact"
       from (
         select count(*)::int as "stockLevels", coalesce(sum(quantity), 0) as quantity, coalesce(sum("reservedStock"), 0) as reserved, coalesce(sum("totalValue"), 0) as "totalValue"
         from "Stock" where "tenantId" = $1 and "deletedAt" is null${where}
       ) l cross join (
         select coalesce(sum(t."inTransit"), 0) as quantity, coalesce(sum(t."inTransitValue"), 0) as value from "StockTransfer" t
         where t."tenantId" = $1 and t.status = 'shipped' and (t."partId", t."fromSite") in (select "partId", site from "Stock" where "tenantId" = $1${where})
       ) u`,
      ...values,
    );
    return totals!;
  }

  @Query(() => InventoryReport, { complexity: priced(price.report), description: "Computes an inventory report over a period." })
  inventoryReport(
    @Arg("reportType", () => ReportType, { description: "Which report." }) reportType: ReportType,
    @Ctx() { db }: Context,
    @Arg("filter", () => ReportFilter, { nullable: true, description: "Default: all stock, over the last year." }) filter?: ReportFilter,
  ): Promise<InventoryReport> {
    if (filter) refuseNulls(filter, "filter");
    return inventoryReport(db, reportType, filter ?? {});
  }

  @Query(() => LedgerVerification, {
    complexity: priced(price.report),
    description:
      "Verifies the stock ledger: replays all movements, or those up to a time, and checks that they add up, and that all views of the stock agree at random instants.",
  })
  verifyLedger(
    @Ctx() { db }: Context,
    @Arg("asOf", () => DateTime, { nullable: true, description: "Only movements up to this time. Default: all." }) asOf?: Date,
    @Arg("instants", () => Int, { defaultValue: 10, description: "At how many random instants the views are compared, at most 100." })
    instants = 10,
  ): Promise<LedgerVerification> {
    return verifyLedger(db, { asOf, instants });
  }

  @Authorized("manager")
  @Mutation(() => StockLevel, { description: "Sets the counted quantity, thresholds, location and cost of a part at a site." })
  updateInventory(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => UpdateInventoryInput, { description: "The values to set. What is omitted stays unchanged." })
    input: UpdateInventoryInput,
    @Ctx() { db, actor }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Used if the input has no site." }) site?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<StockLevel> {
    return inventory.updateInventory(db, actor, partId, { ...input, site: input.site ?? site }, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => InventoryDeletion, { description: "Writes off the stock of a part at one site. Without a site, at all sites." })
  async deleteInventory(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Ctx() { db, actor }: Context,
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
    description:
      "Adjusts the balance immediately. The adjustment must be approved or rejected by another person; what it adds is blocked until then.",
  })
  adjustStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => AdjustStockInput, { description: "The adjustment." }) input: AdjustStockInput,
    @Ctx() { db, actor }: Context,
    @Arg("site", () => StockSite, { nullable: true, description: "Used if the input has no site." }) site?: string,
  ): Promise<StockAdjustment> {
    return inventory.adjustStock(db, actor, partId, { ...input, site: input.site ?? site });
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment, {
    description: "Approves an adjustment, by another person than its creator. What it added can be issued from then on.",
  })
  approveAdjustment(
    @Arg("id", () => ID, { description: "Id of the adjustment." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Why." }) reason?: string,
  ): Promise<StockAdjustment> {
    return decideAdjustment(db, actor, id, "approved", reason);
  }

  @Authorized("manager")
  @Mutation(() => StockAdjustment, {
    description:
      "Rejects an adjustment, by another person than its creator, and posts the reversing movement. What a work order used of it, it returns.",
  })
  rejectAdjustment(
    @Arg("id", () => ID, { description: "Id of the adjustment." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Why. It is the reason of the reversing movement." }) reason?: string,
  ): Promise<StockAdjustment> {
    return decideAdjustment(db, actor, id, "rejected", reason, takeBackUse);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Adds received stock. What a technician receives without an open order that covers it is blocked until another person approves it, if `StockSettings.receiptApproval`.",
  })
  async receiveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "What is received." }) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return (await inventory.receiveStock(db, actor, partId, input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Issues available stock. If the quantity is not available, fails with CONFLICT; the error contains `available` and `requested`.",
  })
  async issueStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "What is issued." }) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
    @Arg("reservationId", () => ID, {
      nullable: true,
      description: "A reservation of the caller's own that is issued, all of it or a part. Default: only what nobody has reserved.",
    })
    reservationId?: string,
  ): Promise<StockMovement> {
    if (reservationId != null) return issueReserved(db, actor, partId, input, reservationId);
    return (await inventory.moveStock(db, actor, partId, "issue", input)).movement;
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Returns issued stock. With `issueId` at the value it left with, and no more than was issued; otherwise at the cost given or the average. Without `issueId`, what exceeds the issues or names a cost is a gain, blocked until another person approves it. A serial number that was never issued is CONFLICT.",
  })
  async returnStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "What is returned." }) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
    @Arg("issueId", () => ID, { nullable: true, description: "Id of the issue that it comes back from. Default: of none that is known." })
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
    @Arg("input", () => TransferStockInput, { description: "What is transferred, and between which sites." }) input: TransferStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement[]> {
    return (await inventory.transferStock(db, actor, partId, input)).map(({ movement }) => movement);
  }
}

@Resolver(() => Part)
export class PartStockResolver {
  @FieldResolver(() => StockLevel, {
    nullable: true,
    description: "Stock of the part at one site, with `exists` false if the site has no stock record. Null if `site` is omitted.",
  })
  async stockAt(
    @Root() { id, tenantId }: Part,
    @Ctx() { loaders }: Context,
    @Arg("site", () => String, { nullable: true, description: "Exact name of the site." }) site?: string,
  ): Promise<StockLevel | null> {
    if (site == null) return null;
    return (await loaders.load(inventory.stockLevels, [id, site])) ?? inventory.missingLevel(tenantId, id, site);
  }

  @FieldResolver(() => PastStock, { description: "Stock of the part at a past time, at one site or over all sites." })
  stockAsOf(
    @Root() { id }: Part,
    @Arg("at", () => DateTime, { description: "The time, to the millisecond. Movements at that time count." }) at: Date,
    @Ctx() { loaders }: Context,
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
