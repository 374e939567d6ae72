import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import { referencesOf } from "../../../domain/inventory/parts/part-references.js";
import { type PartStock, stockOfEach } from "../../../domain/inventory/parts/part-stock.js";
import { createPart, setActive, updatePart } from "../../../domain/inventory/parts/parts.js";
import { badInput, notFound } from "../../../schema/errors.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { PartStockStatus } from "../../../schema/inventory/enums.js";
import { Part, PartDeactivation, type PartFilter, PartNumberInput } from "../../../schema/inventory/parts/part.js";
import { CreatePartInput, UpdatePartInput } from "../../../schema/inventory/parts/part-input.js";
import { AlternativePart, CompatibleAsset, type ListedReference } from "../../../schema/inventory/parts/part-reference.js";
import type { ListArgs } from "../../../schema/list.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { DateTime, Decimal } from "../../../schema/scalars.js";
import { Where } from "../../../schema/where.js";
import type { Context } from "../../context.js";
import { listCost } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const partRoots = declareRoots({
  part: one<IdArgs>("Part", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Part", { partId: id }),
    description: "Returns a part by id, including deactivated parts. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  parts: pages<ListArgs<PartFilter>>("Part", {
    where: ({ filter }) => (filter?.active === undefined && !filter?.all ? new Where().add(`"isActive"`) : new Where()),
    description: "Lists active parts, oldest first unless filtered or ordered otherwise.",
  }),
});

const stockOf = ({ id }: Part, { data: { loaders } }: Context): Promise<PartStock> => loaders.load(stockOfEach, id);

@Resolver(() => Part)
export class PartResolver {
  @Query(() => Part, {
    nullable: true,
    description: "Returns a part by part number, QR code or barcode. Returns null with a NOT_FOUND error if there is no such part.",
  })
  async partByNumber(
    @Arg("by", () => PartNumberInput, { description: "Number or code of the part." }) by: PartNumberInput,
    @Ctx() { data: { db } }: Context,
  ): Promise<Part> {
    const identifiers = Object.entries(by).filter(([, value]) => value != null);
    if (identifiers.length !== 1) throw badInput({ by: "must hold one of partNumber, qrCode and barcode" });
    const part = await db.records.Part.find(Object.fromEntries(identifiers), "live", [{ id: "asc" }]);
    return part ?? Promise.reject(notFound("Part", by as Record<string, string>));
  }

  @FieldResolver(() => [AlternativePart], {
    complexity: listCost(5),
    description: "Alternative parts, in order, including parts outside the catalogue.",
  })
  async alternatives(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<ListedReference[]> {
    return (await loaders.load(referencesOf, id)).alternativeParts;
  }

  @FieldResolver(() => [CompatibleAsset], {
    complexity: listCost(10),
    description: "Compatible assets, in order, including assets outside the catalogue.",
  })
  async compatibleWith(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<ListedReference[]> {
    return (await loaders.load(referencesOf, id)).compatibleAssets;
  }

  @FieldResolver(() => Float, { description: "Quantity in stock over all sites." })
  async stockLevel(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).quantity;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `stockLevel`, as text." })
  async stockLevelExact(@Root() part: Part, @Ctx() context: Context): Promise<string> {
    return (await stockOf(part, context)).quantityExact;
  }

  @FieldResolver(() => Float, { description: "Reserved quantity over all sites." })
  async reservedStock(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).reserved;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `reservedStock`, as text." })
  async reservedStockExact(@Root() part: Part, @Ctx() context: Context): Promise<string> {
    return (await stockOf(part, context)).reservedExact;
  }

  @FieldResolver(() => Float, { description: "Quantity of the open order with the supplier." })
  async onOrder(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).onOrder;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `onOrder`, as text." })
  async onOrderExact(@Root() part: Part, @Ctx() context: Context): Promise<string> {
    return (await stockOf(part, context)).onOrderExact;
  }

  @FieldResolver(() => Float, {
    description: "Projected stock of all sites: quantity minus blocked, expired and reserved stock, plus `onOrder`.",
  })
  async projectedStock(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).projected;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `projectedStock`, as text." })
  async projectedStockExact(@Root() part: Part, @Ctx() context: Context): Promise<string> {
    return (await stockOf(part, context)).projectedExact;
  }

  @FieldResolver(() => PartStockStatus, {
    description:
      "Stock status. Compares `projectedStock` with the part's reorder point, and the quantity over all sites with 0 and the maximum.",
  })
  async stockStatus(@Root() part: Part, @Ctx() context: Context): Promise<PartStockStatus> {
    return (await stockOf(part, context)).status;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Average monthly usage: issues minus returns of the last year, divided by 12. Without issues in that time, the entered value, or null.",
  })
  async averageUsage(@Root() part: Part, @Ctx() context: Context): Promise<number | null> {
    return (await stockOf(part, context)).averageUsage;
  }

  @FieldResolver(() => Decimal, { nullable: true, description: "Exact decimal value of `averageUsage`, as text." })
  async averageUsageExact(@Root() part: Part, @Ctx() context: Context): Promise<string | null> {
    return (await stockOf(part, context)).averageUsageExact;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Period of `averageUsage`: `month` if computed from issues, otherwise as entered. Null if not set.",
  })
  async usageUnit(@Root() part: Part, @Ctx() context: Context): Promise<string | null> {
    return (await stockOf(part, context)).usageUnit;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: "Date of the last receipt, or of an order entered since. Null if there is neither.",
  })
  async lastOrderDate(@Root() part: Part, @Ctx() context: Context): Promise<Date | null> {
    return (await stockOf(part, context)).lastOrderDate;
  }

  @FieldResolver(() => Float, { nullable: true, description: "Quantity of that receipt or order. Null if unknown." })
  async lastOrderQuantity(@Root() part: Part, @Ctx() context: Context): Promise<number | null> {
    return (await stockOf(part, context)).lastOrderQuantity;
  }

  @FieldResolver(() => Decimal, { nullable: true, description: "Exact decimal value of `lastOrderQuantity`, as text." })
  async lastOrderQuantityExact(@Root() part: Part, @Ctx() context: Context): Promise<string | null> {
    return (await stockOf(part, context)).lastOrderQuantityExact;
  }

  @Authorized("manager")
  @Mutation(() => Part, { description: "Creates a part." })
  createPart(
    @Arg("input", () => CreatePartInput, { description: "Values of the part." }) input: CreatePartInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Part> {
    return createPart(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Part, { description: "Updates a part." })
  updatePart(
    @Arg("id", () => ID, { description: "Id of the part." }) id: string,
    @Arg("input", () => UpdatePartInput, { description: "Values to change." }) input: UpdatePartInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Part> {
    rejectNull("Part", input);
    return updatePart(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PartDeactivation, {
    description: "Deactivates a part. The part is hidden from lists by default, and keeps its part number and stock.",
  })
  async deactivatePart(
    @Arg("id", () => ID, { description: "Id of an active part." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PartDeactivation> {
    const { deactivatedAt } = await setActive(db, actor, id, false, expectedVersion);
    return { id, message: "Part deactivated", deactivatedAt: deactivatedAt! };
  }

  @Authorized("manager")
  @Mutation(() => Part, { description: "Reactivates a deactivated part." })
  reactivatePart(
    @Arg("id", () => ID, { description: "Id of a deactivated part." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Part> {
    return setActive(db, actor, id, true, expectedVersion);
  }
}
