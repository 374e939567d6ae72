import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { one, pages, Relations } from "../../relation.js";
import { DateTime, Decimal, NonNegative, Positive, ShortText, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { StockStatus } from "../enums.js";
import { StockPlace } from "./movement.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Stock of a part at a site." })
@Relations(
  {
    part: one("Part", { required: true, description: "Part in stock." }),
    movements: pages("StockMovement", {
      order: ["performedAt", "id"],
      description: "Movements of this stock level, oldest first.",
    }),
    reservations: pages("StockReservation", {
      on: { partId: "partId", site: "site" },
      order: ["reservedAt", "ownerId", "partId"],
      description: "Reservations of this stock level, oldest first.",
    }),
  },
  { view: "Stock" },
)
export class StockLevel {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => Boolean, { description: "Whether the site has a stock record for the part. If false, the quantity is 0." })
  exists!: boolean;

  @Field(() => Float, { description: "Quantity in stock." })
  quantity!: number;

  @Field(() => Float, { description: "Reserved quantity." })
  reservedStock!: number;

  @Field(() => Float, { description: "Gains that await approval. They are on hand, but cannot be issued." })
  blockedStock!: number;

  @Field(() => Float, {
    description: "Quantity in batches past their expiry date. They are on hand, but cannot be issued, reserved or transferred.",
  })
  expiredStock!: number;

  @Field(() => Float, { description: "Quantity minus blocked, expired and reserved stock. A negative value is a shortage." })
  availableStock!: number;

  @Field(() => Float, { description: "Quantity on open order for this site, including late order lines." })
  onOrder!: number;

  @Field(() => Float, { description: "Projected stock: `availableStock` plus `onOrder` without late order lines. Determines the status." })
  projectedStock!: number;

  @Field(() => Float, { nullable: true, description: "Minimum of the site, otherwise of the part. Null if neither is set." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "Maximum of the site, otherwise of the part. Null if neither is set." })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "Reorder point of the site, otherwise of the part. Null if neither is set." })
  reorderPoint?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Moving average cost: value divided by quantity, or the last average if the level is empty. The part's unit cost until an average is known. Null if neither is known.",
  })
  unitCost?: number | null;

  @Field(() => Float, { description: "Value of the quantity: the sum of the values of the movements." })
  totalValue!: number;

  @Field(() => String, { nullable: true, description: "Storage location at the site, otherwise of the part. Null if neither is set." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Reason sent with the change that returned this record, otherwise null." })
  adjustmentReason?: string | null;

  @Field(() => StockStatus, {
    description: "Stock status. Compares `projectedStock` with the minimum and the reorder point, and the quantity with 0 and the maximum.",
  })
  stockStatus!: StockStatus;

  @Field(() => Float, {
    description: "Amount by which `projectedStock` is below the reorder point, otherwise below the minimum. 0 if neither is set.",
  })
  belowReorderPoint!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time since which a recount is requested, because more was used than the book quantity. Null if none is requested.",
  })
  recountRequestedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time of creation. Null if `exists` is false." })
  createdAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the last change. Null if `exists` is false." })
  updatedAt?: Date | null;

  @Field(() => Int, {
    description:
      "Version number of the settings: thresholds, location and cost. Starts at 1 and is not incremented by movements. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of stock levels." })
export class StockLevelConnection extends connectionOf(StockLevel, "StockLevel") {}

@ObjectType({ simpleResolvers: true, description: "Totals over the stock levels that match a filter." })
export class InventoryTotals {
  @Field(() => Int, { description: "Number of stock levels." })
  stockLevels!: number;

  @Field(() => Float, { description: "Sum of the quantities, across units of measure." })
  quantity!: number;

  @Field(() => Float, { description: "Sum of the reserved quantities, across units of measure." })
  reserved!: number;

  @Field(() => Float, { description: "Sum of the values." })
  totalValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `quantity`, as text." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "Exact decimal value of `reserved`, as text." })
  reservedExact!: string;

  @Field(() => Decimal, { description: "Exact decimal value of `totalValue`, as text." })
  totalValueExact!: string;

  @Field(() => Float, {
    description: "Quantity shipped from these stock levels and in transit to another site. Not included in any stock level.",
  })
  inTransit!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `inTransit`, as text." })
  inTransitExact!: string;

  @Field(() => Float, { description: "Value of the stock in transit." })
  inTransitValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `inTransitValue`, as text." })
  inTransitValueExact!: string;
}

@ObjectType({ simpleResolvers: true, description: "Stock of a part at a past time, computed from its movements." })
export class PastStock {
  @Field(() => Float, { description: "Quantity in stock at that time, in the part's unit." })
  quantity!: number;

  @Field(() => Float, { description: "Value at that time: the sum of the values of the movements." })
  totalValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `quantity`, as text." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "Exact decimal value of `totalValue`, as text." })
  totalValueExact!: string;
}

/** SQL of stock levels with expiring stock. */
const expiring = `("partId", site) in (
  select b."partId", b.site from "StockBatch" b where b."tenantId" = $1 and b.quantity > 0 and b."expiryDate" < ?
  union all select p."partId", p.site from "Unit" p where p."tenantId" = $1 and p.site is not null and p."expiryDate" < ?)`;

/**
 * SQL of a condition that low stock always meets. It needs no lookup per level, unlike `projectedStock`, which is this quantity less expired
 * stock plus orders.
 */
const mayBeLow = `(quantity - "blockedStock" - "reservedStock" < greatest("reorderPoint", "minimumStock") or ("partId", site) in (
  select b."partId", b.site from "StockBatch" b where b."tenantId" = $1 and b.quantity > 0 and b."expiryDate" < now()))`;

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<InventoryFilter>({
  oneOf: ["site", "category"],
  times: ["updatedAt"],
  numbers: ["quantity", "totalValue", "belowReorderPoint", "onOrder", "projectedStock"],
  empty: ["unitCost", "reorderPoint", "minimumStock"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where({ search, site, location, category, lowStock, outOfStock, expiresBefore }) {
    const where = new Where().equal({ site, category }).search(search);
    if (location) where.add(`(location = ? or site = ?)`, location, location);
    if (lowStock != null)
      where.add(`(coalesce("projectedStock" < "reorderPoint", false) or coalesce("projectedStock" < "minimumStock", false)) = ?`, lowStock);
    if (lowStock) where.add(mayBeLow);
    if (outOfStock != null) where.add(`(quantity = 0) = ?`, outOfStock);
    if (expiresBefore) where.add(expiring, expiresBefore, expiresBefore);
    return where;
  },
})
export class InventoryFilter {
  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the part's name, description, numbers, category or manufacturer.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location or site." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Category of the part." })
  category?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only stock with `projectedStock` below the reorder point or the minimum, or only other stock.",
  })
  lowStock?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only stock with a quantity of 0, or only other stock." })
  outOfStock?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "Only stock with batches or pieces on hand that expire before this time." })
  expiresBefore?: Date | null;
}

export const inventoryList = declareList("StockLevel", {
  name: "Inventory",
  Filter: InventoryFilter,
  orders: [
    "createdAt",
    "updatedAt",
    "quantity",
    "availableStock",
    "totalValue",
    "belowReorderPoint",
    "projectedStock",
    "unitCost",
    "site",
    "partNumber",
    "partName",
  ],
  key: ["partId", "site"],
  groups: {
    root: "inventory",
    by: { site: { column: "site" }, stockStatus: { column: "stockStatus" }, location: { column: "location" } },
    sums: ["quantity", "reservedStock", "totalValue", "belowReorderPoint"],
  },
});

@InputType({ description: "Counted quantity, thresholds, location and cost of a part at a site." })
export class UpdateInventoryInput extends StockPlace {
  @Field(() => NonNegative, {
    nullable: true,
    description: "Counted quantity. The difference from the current balance is recorded as a CYCLE_COUNT movement.",
  })
  currentStock?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Minimum of the site, not above the maximum. If null, the part's minimum applies.",
  })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Maximum of the site. If null, the part's maximum applies." })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Reorder point of the site. If null, the part's reorder point applies." })
  reorderPoint?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location at the site. If null, the part's location applies." })
  location?: string | null;

  @Field(() => Positive, { nullable: true, description: "New cost per unit. Replaces the moving average." })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Reason as free text, stored with the movement." })
  reason?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text, stored with the movement." })
  notes?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. Fails with CONFLICT if it differs; the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of writing off stock." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part that was written off." }) })
export class InventoryDeletion {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => [String], { description: "Sites at which stock was written off." })
  sites!: string[];

  @Field(() => String, { description: "Message in English to show to the user." })
  message!: string;

  @Field(() => Float, { description: "Always 0. Reservations remain." })
  finalStock!: number;

  @Field(() => DateTime, { description: "Time of the deletion." })
  deletedAt!: Date;
}
