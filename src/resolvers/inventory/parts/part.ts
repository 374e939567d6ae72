import { Arg, Authorized, Ctx, FieldResolver, Float, ID, type MaybePromise, Mutation, Query, Resolver, Root } from "type-graphql";
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

/** A figure of the part's stock, without a promise if the request has read it: large responses repeat parts. */
function ofStock<T>({ id }: Part, { data: { loaders } }: Context, pick: (stock: PartStock) => T): MaybePromise<T> {
  const known = loaders.known(stockOfEach, id);
  return known ? pick(known) : loaders.load(stockOfEach, id).then(pick);
}

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
  stockLevel(@Root() part: Part, @Ctx() context: Context): MaybePromise<number> {
    return ofStock(part, context, ({ quantity }) => quantity);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `stockLevel`, as text." })
  stockLevelExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string> {
    return ofStock(part, context, ({ quantityExact }) => quantityExact);
  }

  @FieldResolver(() => Float, { description: "Reserved quantity over all sites." })
  reservedStock(@Root() part: Part, @Ctx() context: Context): MaybePromise<number> {
    return ofStock(part, context, ({ reserved }) => reserved);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `reservedStock`, as text." })
  reservedStockExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string> {
    return ofStock(part, context, ({ reservedExact }) => reservedExact);
  }

  @FieldResolver(() => Float, { description: "Quantity of the open order with the supplier." })
  onOrder(@Root() part: Part, @Ctx() context: Context): MaybePromise<number> {
    return ofStock(part, context, ({ onOrder }) => onOrder);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `onOrder`, as text." })
  onOrderExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string> {
    return ofStock(part, context, ({ onOrderExact }) => onOrderExact);
  }

  @FieldResolver(() => Float, {
    description:
      "Projected stock of all sites: quantity minus blocked, expired and reserved stock, plus `onOrder` without late order lines.",
  })
  projectedStock(@Root() part: Part, @Ctx() context: Context): MaybePromise<number> {
    return ofStock(part, context, ({ projected }) => projected);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `projectedStock`, as text." })
  projectedStockExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string> {
    return ofStock(part, context, ({ projectedExact }) => projectedExact);
  }

  @FieldResolver(() => PartStockStatus, {
    description:
      "Stock status. Compares `projectedStock` with the part's reorder point, and the quantity over all sites with 0 and the maximum.",
  })
  stockStatus(@Root() part: Part, @Ctx() context: Context): MaybePromise<PartStockStatus> {
    return ofStock(part, context, ({ status }) => status);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Average monthly usage: issues minus returns of the last year, divided by 12. Without issues in that time, the entered value, or null.",
  })
  averageUsage(@Root() part: Part, @Ctx() context: Context): MaybePromise<number | null> {
    return ofStock(part, context, ({ averageUsage }) => averageUsage);
  }

  @FieldResolver(() => Decimal, { nullable: true, description: "Exact decimal value of `averageUsage`, as text." })
  averageUsageExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string | null> {
    return ofStock(part, context, ({ averageUsageExact }) => averageUsageExact);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Period of `averageUsage`: `month` if computed from issues, otherwise as entered. Null if not set.",
  })
  usageUnit(@Root() part: Part, @Ctx() context: Context): MaybePromise<string | null> {
    return ofStock(part, context, ({ usageUnit }) => usageUnit);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: "Date of the last receipt, or of an order entered since. Null if there is neither.",
  })
  lastOrderDate(@Root() part: Part, @Ctx() context: Context): MaybePromise<Date | null> {
    return ofStock(part, context, ({ lastOrderDate }) => lastOrderDate);
  }

  @FieldResolver(() => Float, { nullable: true, description: "Quantity of that receipt or order. Null if unknown." })
  lastOrderQuantity(@Root() part: Part, @Ctx() context: Context): MaybePromise<number | null> {
    return ofStock(part, context, ({ lastOrderQuantity }) => lastOrderQuantity);
  }

  @FieldResolver(() => Decimal, { nullable: true, description: "Exact decimal value of `lastOrderQuantity`, as text." })
  lastOrderQuantityExact(@Root() part: Part, @Ctx() context: Context): MaybePromise<string | null> {
    return ofStock(part, context, ({ lastOrderQuantityExact }) => lastOrderQuantityExact);
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
