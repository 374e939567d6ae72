import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { one, pages, Relations } from "../relation.js";
import { DateTime, Decimal, NonNegative, Positive, ShortText, Text } from "../scalars.js";
import { Where } from "../where.js";
import { StockStatus } from "./enums.js";
import { StockPlace } from "./movement.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Stock of a part at a site." })
@Relations(
  {
    part: one("Part", { required: true, description: "The part that is stocked." }),
    movements: pages("StockMovement", {
      order: ["performedAt", "id"],
      description: "Movements of this stock level, oldest first.",
    }),
    reservations: pages("StockReservation", {
      on: { partId: "partId", site: "site" },
      order: ["reservedAt", "ownerId", "partId"],
      description: "Who has reserved what of it, oldest first.",
    }),
  },
  { view: "Stock" },
)
export class StockLevel {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => Boolean, { description: "False if the site has no stock record for the part. The quantity is then 0." })
  exists!: boolean;

  @Field(() => Float, { description: "Quantity in stock." })
  quantity!: number;

  @Field(() => Float, { description: "Reserved quantity." })
  reservedStock!: number;

  @Field(() => Float, { description: "Gains that wait for approval. They are on hand, but cannot be issued." })
  blockedStock!: number;

  @Field(() => Float, { description: "Batches past their expiry date. They are on hand, but cannot be issued, reserved or transferred." })
  expiredStock!: number;

  @Field(() => Float, { description: "Quantity minus what is blocked, expired and reserved. A negative value is a shortage." })
  availableStock!: number;

  @Field(() => Float, { description: "Quantity of the open order with the supplier that is expected at the site." })
  onOrder!: number;

  @Field(() => Float, { description: "What the stock comes to: `availableStock` plus `onOrder`. The status is judged by it." })
  projectedStock!: number;

  @Field(() => Float, { nullable: true, description: "The site's own minimum, otherwise the part's. Null if neither has one." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "The site's own maximum, otherwise the part's. Null if neither has one." })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "The site's own reorder point, otherwise the part's. Null if neither has one." })
  reorderPoint?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Moving average: value by quantity; of an empty level the last one. The part's unit cost until one is known. Null if neither is.",
  })
  unitCost?: number | null;

  @Field(() => Float, { description: "Value of the quantity: the sum of the values of its movements." })
  totalValue!: number;

  @Field(() => String, { nullable: true, description: "Storage location at the site, otherwise the part's. Null if neither has one." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Reason sent with the change that returned this record. Otherwise null." })
  adjustmentReason?: string | null;

  @Field(() => StockStatus, {
    description: "`projectedStock` compared with the minimum and the reorder point, the quantity with 0 and the maximum.",
  })
  stockStatus!: StockStatus;

  @Field(() => Float, {
    description: "How much `projectedStock` is below the reorder point, or the minimum if there is no reorder point. 0 without either.",
  })
  belowReorderPoint!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "Since when a recount is asked for, because more was used than the books had. Null if none is.",
  })
  recountRequestedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time of creation. Null if `exists` is false." })
  createdAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the last change. Null if `exists` is false." })
  updatedAt?: Date | null;

  @Field(() => Int, {
    description:
      "Number of this version of the settings: thresholds, location and cost. 1 before any are set. Movements make no new one. Updates take it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "One page of a list of stock levels." })
export class StockLevelConnection extends connectionOf(StockLevel, "StockLevel") {}

@ObjectType({ simpleResolvers: true, description: "Totals over the stock levels that match a filter." })
export class InventoryTotals {
  @Field(() => Int, { description: "Number of stock levels." })
  stockLevels!: number;

  @Field(() => Float, { description: "Sum of the quantities, whatever the parts' units." })
  quantity!: number;

  @Field(() => Float, { description: "Sum of the reserved quantities, whatever the parts' units." })
  reserved!: number;

  @Field(() => Float, { description: "Sum of the values." })
  totalValue!: number;

  @Field(() => Decimal, { description: "`quantity` exactly, as text." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "`reserved` exactly, as text." })
  reservedExact!: string;

  @Field(() => Decimal, { description: "`totalValue` exactly, as text." })
  totalValueExact!: string;

  @Field(() => Float, { description: "What left these stock levels and is under way to another site. No level has it." })
  inTransit!: number;

  @Field(() => Decimal, { description: "`inTransit` exactly, as text." })
  inTransitExact!: string;

  @Field(() => Float, { description: "Value of what is under way." })
  inTransitValue!: number;

  @Field(() => Decimal, { description: "`inTransitValue` exactly, as text." })
  inTransitValueExact!: string;
}

@ObjectType({ simpleResolvers: true, description: "Stock of a part at a past time, computed from its movements." })
export class PastStock {
  @Field(() => Float, { description: "Quantity in stock at that time, in the part's unit." })
  quantity!: number;

  @Field(() => Float, { description: "Value at that time: the sum of the values of its movements." })
  totalValue!: number;

  @Field(() => Decimal, { description: "`quantity` exactly, as text." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "`totalValue` exactly, as text." })
  totalValueExact!: string;
}

/** SQL of stock levels that hold something that expires. */
const expiring = `("partId", site) in (
  select b."partId", b.site from "StockBatch" b where b."tenantId" = $1 and b.quantity > 0 and b."expiryDate" < ?
  union all select p."partId", p.site from "StockSerial" p where p."tenantId" = $1 and p.site is not null and p."expiryDate" < ?)`;

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => String, { nullable: true, description: "The part's category." })
  category?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether `projectedStock` is below the reorder point or the minimum." })
  lowStock?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the quantity is 0." })
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

@InputType({ description: "Sets the counted quantity, thresholds, location and cost of a part at a site." })
export class UpdateInventoryInput extends StockPlace {
  @Field(() => NonNegative, {
    nullable: true,
    description: "Counted quantity. The difference to the current balance is recorded as a CYCLE_COUNT movement.",
  })
  currentStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "The site's own minimum, not above the maximum. Null: the part's holds." })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "The site's own maximum. Null: the part's holds." })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "The site's own reorder point. Null: the part's holds." })
  reorderPoint?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location at the site. Null: the part's holds." })
  location?: string | null;

  @Field(() => Positive, { nullable: true, description: "New cost per unit. It replaces the moving average." })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Reason in words, kept with the movement." })
  reason?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text, kept with the movement." })
  notes?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. If it differs, the change fails with CONFLICT and the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of writing off stock." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "The part." }) })
export class InventoryDeletion {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => [String], { description: "Sites at which its stock was written off." })
  sites!: string[];

  @Field(() => String, { description: "Sentence in English to show to the user." })
  message!: string;

  @Field(() => Float, { description: "Always 0. What was reserved stays reserved." })
  finalStock!: number;

  @Field(() => DateTime, { description: "Time of the deletion." })
  deletedAt!: Date;
}
