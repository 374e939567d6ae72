import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { registeredPhotos } from "../files/photo.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, many, pages, Relations } from "../relation.js";
import { DateTime, JSONObject } from "../scalars.js";
import { Where } from "../where.js";
import { UnitOfMeasure } from "./enums.js";
import { MovementHistoryArgs } from "./movement.js";

@ObjectType({ simpleResolvers: true, description: "Outer dimensions of one unit of a part." })
export class Dimensions {
  @Field(() => Float, { nullable: true, description: "In `unit`. Null if unknown." })
  length?: number | null;

  @Field(() => Float, { nullable: true, description: "In `unit`. Null if unknown." })
  width?: number | null;

  @Field(() => Float, { nullable: true, description: "In `unit`. Null if unknown." })
  height?: number | null;

  @Field(() => String, { nullable: true, description: "Unit of length, e.g. mm. Null if none was entered." })
  unit?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Whom to reach at a supplier." })
export class SupplierContact {
  @Field(() => String, { nullable: true, description: "As entered. Null if unknown." })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "As entered. Null if unknown." })
  phone?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Who supplies a part." })
export class Supplier {
  @Field(() => ID, {
    nullable: true,
    description: "The supplier's id in another system. It is no id of this graph. Null if none was entered.",
  })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Name of the supplier. Null if none was entered." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "The supplier's part number. Null if none was entered." })
  partNumber?: string | null;

  @Field(() => SupplierContact, { nullable: true, description: "Whom to reach there. Null if nobody was entered." })
  contact?: SupplierContact | null;
}

/** The ledger numbers the movements of each stock level without gaps. */
const movementsByLevel = { relation: "stockLevels", sum: "sequence" };

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A spare part." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
  alternativeParts: many("Part", {
    relation: "alternatives.alternative",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 5,
    description: "Parts of the catalogue that can be used instead; `alternatives` has the others too.",
  }),
  compatibleAssets: many("Asset", {
    relation: "assets.asset",
    order: ["position"],
    usual: 10,
    description: "Assets of the catalogue that the part fits; `compatibleWith` has the others too.",
  }),
  reservations: pages("StockReservation", {
    on: { partId: "id" },
    order: ["reservedAt", "ownerId", "partId"],
    description: "Who has reserved what of it, at all sites, oldest first.",
  }),
  componentDetails: many("Component", {
    relation: "components.component",
    order: ["position"],
    usual: 10,
    description: "Components the part is a spare for.",
  }),
  componentIds: many("Component", {
    relation: "components.component",
    column: "id",
    order: ["position"],
    description: "Ids of the components the part is a spare for.",
  }),
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
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Unique within the tenant." })
  partNumber!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Free grouping, e.g. Bearings. Null if none was entered." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Maker of the part. Null if unknown." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "The maker's part number. Null if unknown." })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true, description: "Unit of every quantity of the part. Null if none was entered." })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Float, {
    nullable: true,
    description: "Reference price per unit, in `currency`. Stock is valued by its own average. Null if none was entered.",
  })
  unitCost?: number | null;

  @Field(() => String, { nullable: true, description: "Currency of `unitCost`, e.g. EUR. Null if none was entered." })
  currency?: string | null;

  @Field(() => Float, { nullable: true, description: "Weight of one unit, in `weightUnit`. Null if unknown." })
  weight?: number | null;

  @Field(() => String, { nullable: true, description: "Unit of `weight`, e.g. kg. Null if none was entered." })
  weightUnit?: string | null;

  @Field(() => Dimensions, { nullable: true, description: "Outer dimensions of one unit. Null if none were entered." })
  dimensions?: Dimensions | null;

  @Field(() => JSONObject, { description: "Custom keys and values." })
  specifications!: Record<string, unknown>;

  @Field(() => Supplier, { nullable: true, description: "Who supplies it. Null if nobody was entered." })
  supplier?: Supplier | null;

  @Field(() => Float, {
    nullable: true,
    description: "Default for all sites. The stock level of a site can override it. Null: no minimum.",
  })
  minimumStock?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Default for all sites. The stock level of a site can override it. Null: no maximum.",
  })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "Default for all sites. The stock level of a site can override it. Null: none." })
  reorderPoint?: number | null;

  @Field(() => Float, { nullable: true, description: "Time from order to delivery as entered, usually in days. Null if unknown." })
  leadTime?: number | null;

  @Field(() => Boolean, { description: "Whether equipment stands still without it." })
  isCritical!: boolean;

  @Field(() => Boolean, { description: "False after the part was deactivated." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "When it was deactivated. Null while it is active." })
  deactivatedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Storage location code. Null if none was entered." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Default site of the part's stock." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Text of the QR code on it. Null if none was entered." })
  qrCode?: string | null;

  @Field(() => String, { nullable: true, description: "Text of the barcode on it. Null if none was entered." })
  barcode?: string | null;

  @Field(() => Boolean, { description: "Whether movements must name the serial numbers." })
  tracksSerials!: boolean;

  @Field(() => Boolean, { description: "Whether movements must name the batch." })
  tracksBatches!: boolean;

  @Field(() => String, { nullable: true, description: "Its id in another system, by which imports find it. Null if it has none." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change. Movements of stock do not count." })
  updatedAt!: Date;

  @Field(() => Int, {
    description:
      "Number of this version, from 1: each change but movements of stock makes a new one. Updates take it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "One page of a list of parts." })
export class PartConnection extends connectionOf(Part, "Part") {}

const stocked = `exists (select 1 from "StockLevel" s where s."tenantId" = $1 and s."partId" = id and s.quantity > 0)`;

@InputType({ description: "All conditions that are set must match." })
@Filter<PartFilter>({
  oneOf: ["externalId", "category", "manufacturer"],
  contains: ["name", "partNumber"],
  times: ["createdAt", "updatedAt", "lastOrderDate"],
  numbers: ["unitCost"],
  empty: ["externalId", "category", "manufacturer", "unitCost", "qrCode", "barcode", "minimumStock", "reorderPoint", "leadTime"],
  nullMeans: ["active"],
  where: ({ search, externalId, category, manufacturer, inStock, critical, active, all }) => {
    const where = new Where()
      .equal({ externalId, category, manufacturer, isCritical: critical, isActive: all ? null : active })
      .search(search);
    return inStock == null ? where : where.add(inStock ? stocked : `not ${stocked}`);
  },
})
export class PartFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the name, description, numbers, category or manufacturer.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  manufacturer?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the part is in stock at any site." })
  inStock?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only parts whose `isCritical` is this." })
  critical?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: active parts. False: deactivated parts. Null: all parts. Omitted from the filter of a list of parts: active ones; from conditions of a part elsewhere: all.",
  })
  active?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "True: active and deactivated parts, regardless of `active`." })
  all?: boolean | null;
}

@InputType({ description: "Identifies a part. Set exactly one field." })
export class PartNumberInput {
  @Field(() => String, { nullable: true, description: "The part number, exactly." })
  partNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Text of its QR code, exactly. Of several parts the first is returned." })
  qrCode?: string | null;

  @Field(() => String, { nullable: true, description: "Text of its barcode, exactly. Of several parts the first is returned." })
  barcode?: string | null;
}

export const partList = declareList("Part", {
  Filter: PartFilter,
  orders: [
    ...["createdAt", "updatedAt", "name", "partNumber", "category", "manufacturer", "unitCost"],
    ...["minimumStock", "reorderPoint", "leadTime", "lastOrderDate"],
  ],
  groups: {
    root: "parts",
    by: {
      category: { column: "category" },
      manufacturer: { column: "manufacturer" },
      site: { column: "site" },
      isCritical: { column: "isCritical" },
    },
    sums: [],
  },
});

@ObjectType({ simpleResolvers: true, description: "Result of deactivating a part." })
export class PartDeactivation {
  @Field(() => ID, { description: "Id of the part." })
  id!: string;

  @Field(() => String, { description: "Sentence in English to show to the user." })
  message!: string;

  @Field(() => DateTime, { description: "When it was deactivated." })
  deactivatedAt!: Date;
}
