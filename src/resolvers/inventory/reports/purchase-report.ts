import { Args, Ctx, Query, Resolver } from "type-graphql";
import * as history from "../../../domain/inventory/reports/price-history.js";
import * as commitments from "../../../domain/inventory/reports/purchase-commitments.js";
import * as spend from "../../../domain/inventory/reports/purchase-spend.js";
import * as stockouts from "../../../domain/inventory/reports/stockouts.js";
import * as performance from "../../../domain/inventory/reports/supplier-performance.js";
import { notFound } from "../../../schema/errors.js";
import {
  CriticalStockoutArgs,
  PartStockout,
  PriceHistoryArgs,
  PurchaseCommitment,
  PurchaseCommitmentArgs,
  PurchasePrice,
  PurchaseSpend,
  PurchaseSpendArgs,
  SupplierPerformance,
  SupplierPerformanceArgs,
} from "../../../schema/inventory/reports/purchase-report.js";
import type { Context } from "../../context.js";
import { listCost, price } from "../../cost.js";

@Resolver()
export class PurchaseReportResolver {
  @Query(() => [SupplierPerformance], {
    complexity: listCost(20, price.report),
    description: "On time in full, lead times and spend of suppliers in a period, the greatest spend first. At most 1,000.",
  })
  supplierPerformance(
    @Args(() => SupplierPerformanceArgs) args: SupplierPerformanceArgs,
    @Ctx() { data: { db } }: Context,
  ): Promise<SupplierPerformance[]> {
    return performance.supplierPerformance(db, args);
  }

  @Query(() => [PurchaseSpend], {
    complexity: listCost(20, price.report),
    description: "Spend on purchase orders by the time of receipt, the greatest first. Excludes reversed receipts. At most 1,000.",
  })
  purchaseSpend(@Args(() => PurchaseSpendArgs) args: PurchaseSpendArgs, @Ctx() { data: { db } }: Context): Promise<PurchaseSpend[]> {
    return spend.purchaseSpend(db, args);
  }

  @Query(() => [PurchaseCommitment], {
    complexity: listCost(20, price.groups),
    description: "Open amounts of sent orders by month and currency: late ones first, then by month, those without a date last.",
  })
  purchaseCommitments(
    @Args(() => PurchaseCommitmentArgs) args: PurchaseCommitmentArgs,
    @Ctx() { data: { db } }: Context,
  ): Promise<PurchaseCommitment[]> {
    return commitments.purchaseCommitments(db, args);
  }

  @Query(() => [PurchasePrice], {
    nullable: true,
    complexity: listCost(50, price.pass),
    description: "Prices at which a part was ordered, newest first. Excludes cancelled lines. Fails with NOT_FOUND for an unknown part.",
  })
  async priceHistory(
    @Args(() => PriceHistoryArgs) args: PriceHistoryArgs,
    @Ctx() { data: { db, loaders } }: Context,
  ): Promise<PurchasePrice[]> {
    if (!(await loaders.record("Part", args.partId))) throw notFound("Part", { partId: args.partId });
    return history.priceHistory(db, args);
  }

  @Query(() => [PartStockout], {
    complexity: listCost(20, price.report),
    description: "Stock levels of active critical parts that were empty in a period, the longest time first. At most 1,000.",
  })
  criticalStockouts(
    @Args(() => CriticalStockoutArgs) args: CriticalStockoutArgs,
    @Ctx() { data: { db } }: Context,
  ): Promise<PartStockout[]> {
    return stockouts.criticalStockouts(db, args);
  }
}
