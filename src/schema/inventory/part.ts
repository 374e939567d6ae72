import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { registeredPhotos } from "../files/photo.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { many, pages, Relations } from "../relation.js";
import { Properties, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { type PartStockStatus, UnitOfMeasure } from "./enums.js";
import { MovementHistoryArgs } from "./movement.js";

@ObjectType({ simpleResolvers: true })
export class Dimensions {
  @Field(() => Float, { nullable: true })
  length?: number | null;

  @Field(() => Float, { nullable: true })
  width?: number | null;

  @Field(() => Float, { nullable: true })
  height?: number | null;

  @Field(() => String, { nullable: true })
  unit?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class SupplierContact {
  @Field(() => String, { nullable: true })
  email?: string | null;

  @Field(() => String, { nullable: true })
  phone?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class Supplier {
  @Field(() => ID, { nullable: true })
  id?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "The supplier's part number." })
  partNumber?: string | null;

  @Field(() => SupplierContact, { nullable: true })
  contact?: SupplierContact | null;
}

/** The ledger numbers the movements of each stock level without gaps. */
const movementsByLevel = { relation: "stockLevels", sum: "sequence" };

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A spare part." })
@Relations({
  alternativeParts: many("Part", {
    relation: "alternatives.alternative",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 5,
    description: "Parts that can be used instead.",
  }),
  compatibleAssets: many("Asset", { relation: "assets.asset", order: ["position"], usual: 10, description: "Assets the part fits." }),
  componentDetails: many("Component", {
    relation: "components.component",
    order: ["position"],
    usual: 10,
    description: "Components the part is a spare for.",
  }),
  componentIds: many("Component", { relation: "components.component", column: "id", order: ["position"] }),
  stockLevels: many("StockLevel", { order: ["site"], usual: 3, description: "Stock of the part at each site that has it." }),
  movements: pages("StockMovement", {
    on: { partId: "id" },
    order: ["performedAt", "id"],
    length: movementsByLevel,
    description: "Movements of the part at all sites, oldest first.",
  }),
  movementHistory: pages<MovementHistoryArgs>("StockMovement", {
    on: { partId: "id" },
    args: MovementHistoryArgs,
    order: ["performedAt", "id"],
    connection: { type: "MovementHistory", nodes: "movements" },
    length: movementsByLevel,
    description: "Offset-based version of `movements`. Prefer `movements`: a large offset is slower, a cursor is not.",
  }),
  photos: many("Photo", { where: registeredPhotos, order: ["uploadedAt", "id"], description: "Photos, oldest first." }),
})
export class Part {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Unique within the tenant." })
  partNumber!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Float, { nullable: true })
  unitCost?: number | null;

  @Field(() => String, { nullable: true })
  currency?: string | null;

  @Field(() => Float, { nullable: true })
  weight?: number | null;

  @Field(() => String, { nullable: true })
  weightUnit?: string | null;

  @Field(() => Dimensions, { nullable: true })
  dimensions?: Dimensions | null;

  @Field(() => Properties)
  specifications!: Record<string, unknown>;

  @Field(() => Supplier, { nullable: true })
  supplier?: Supplier | null;

  @Field(() => Float, { nullable: true, description: "Default for all sites. The stock level of a site can override it." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true })
  reorderPoint?: number | null;

  @Field(() => Float, { nullable: true })
  leadTime?: number | null;

  @Field(() => Boolean)
  isCritical!: boolean;

  @Field(() => Boolean, { description: "False after the part was deactivated." })
  isActive!: boolean;

  @Field(() => Timestamp, { nullable: true })
  deactivatedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Storage location code." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Default site of the part's stock." })
  site?: string | null;

  @Field(() => String, { nullable: true })
  qrCode?: string | null;

  @Field(() => String, { nullable: true })
  barcode?: string | null;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class PartConnection extends connectionOf(Part, "Part") {}

const stocked = `exists (select 1 from "StockLevel" s where s."tenantId" = $1 and s."partId" = id and s.quantity > 0)`;

@InputType({ description: "All conditions that are set must match." })
@Filter<PartFilter>({
  oneOf: ["category", "manufacturer"],
  contains: ["name", "partNumber"],
  times: ["createdAt", "updatedAt", "lastOrderDate"],
  numbers: ["unitCost"],
  empty: ["category", "manufacturer", "unitCost", "qrCode", "barcode", "minimumStock", "reorderPoint", "leadTime"],
  where: ({ search, category, manufacturer, inStock, critical, active, all }) => {
    const where = new Where().equal({ category, manufacturer, isCritical: critical, isActive: all ? null : active }).search(search);
    return inStock == null ? where : where.add(inStock ? stocked : `not ${stocked}`);
  },
})
export class PartFilter {
  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the name, description, numbers, category or manufacturer.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the part is in stock at any site." })
  inStock?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  critical?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: active parts. False: deactivated parts. Null: all parts. Omitted from the filter of a list: active parts.",
  })
  active?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "True: active and deactivated parts, regardless of `active`." })
  all?: boolean | null;
}

@InputType({ description: "Identifies a part. Set exactly one field." })
export class PartNumberInput {
  @Field(() => String, { nullable: true })
  partNumber?: string | null;

  @Field(() => String, { nullable: true })
  qrCode?: string | null;

  @Field(() => String, { nullable: true })
  barcode?: string | null;
}

export const partList = declareList("Part", {
  Filter: PartFilter,
  orders: [
    ...["createdAt", "updatedAt", "name", "partNumber", "category", "manufacturer", "unitCost"],
    ...["minimumStock", "reorderPoint", "leadTime", "lastOrderDate"],
  ],
});

/** Stock figures of a part over all sites. Quantities in the part's unit of measure. */
export interface PartStock {
  quantity: number;
  reserved: number;
  status: PartStockStatus;
  averageUsage: number | null;
  usageUnit: string | null;
  lastOrderDate: Date | null;
  lastOrderQuantity: number | null;
}

@ObjectType({ simpleResolvers: true })
export class PartDeactivation {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  message!: string;

  @Field(() => Timestamp)
  deactivatedAt!: Date;
}
