import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { registeredPhotos } from "../../files/photo.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, pages, Relations } from "../../relation.js";
import { DateTime, JSONObject } from "../../scalars.js";
import { Where } from "../../where.js";
import { UnitOfMeasure } from "../enums.js";
import { MovementHistoryArgs } from "../stock/movement.js";

@ObjectType({ simpleResolvers: true, description: "Outer dimensions of one unit of a part." })
export class Dimensions {
  @Field(() => Float, { nullable: true, description: "Length in `unit`. Null if unknown." })
  length?: number | null;

  @Field(() => Float, { nullable: true, description: "Width in `unit`. Null if unknown." })
  width?: number | null;

  @Field(() => Float, { nullable: true, description: "Height in `unit`. Null if unknown." })
  height?: number | null;

  @Field(() => String, { nullable: true, description: "Unit of length, e.g. mm. Null if none was entered." })
  unit?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Contact at a supplier." })
export class SupplierContact {
  @Field(() => String, { nullable: true, description: "E-mail address, as entered. Null if unknown." })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "Phone number, as entered. Null if unknown." })
  phone?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Supplier of a part." })
export class Supplier {
  @Field(() => ID, {
    nullable: true,
    description: "Id of the supplier in another system. Not an id of this API. Null if none was entered.",
  })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Name of the supplier. Null if none was entered." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "Part number of the supplier. Null if none was entered." })
  partNumber?: string | null;

  @Field(() => SupplierContact, { nullable: true, description: "Contact at the supplier. Null if none was entered." })
  contact?: SupplierContact | null;
}

/** The ledger numbers the movements of each stock level without gaps. */
const movementsByLevel = { relation: "stockLevels", sum: "sequence" };

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A spare part." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  alternativeParts: many("Part", {
    relation: "alternatives.alternative",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 5,
    description: "Alternative parts in the catalogue. `alternatives` includes all.",
  }),
  compatibleAssets: many("Asset", {
    relation: "assets.asset",
    order: ["position"],
    usual: 10,
    description: "Compatible assets in the catalogue. `compatibleWith` includes all.",
  }),
  reservations: pages("StockReservation", {
    on: { partId: "id" },
    order: ["reservedAt", "ownerId", "partId"],
    description: "Reservations of the part at all sites, oldest first.",
  }),
  componentDetails: many("Component", {
    relation: "components.component",
    order: ["position"],
    usual: 10,
    description: "Components for which the part is a spare.",
  }),
  componentIds: many("Component", {
    relation: "components.component",
    column: "id",
    order: ["position"],
    description: "Ids of the components for which the part is a spare.",
  }),
  stockLevels: many("StockLevel", { order: ["site"], usual: 3, description: "Stock of the part at each site." }),
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
    description: "Offset-based version of `movements`. Prefer `movements`: large offsets are slow, cursors are not.",
  }),
  supplierParts: many("SupplierPart", { order: ["createdAt", "id"], usual: 2, description: "Suppliers that sell the part, oldest first." }),
  purchaseOrderLines: pages("PurchaseOrderLine", {
    relation: "orderLines",
    description: "Lines of purchase orders for the part, oldest first unless ordered otherwise.",
  }),
  photos: many("Photo", { where: registeredPhotos, order: ["uploadedAt", "id"], description: "Photos, oldest first." }),
})
export class Part {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Part number, unique within the tenant." })
  partNumber!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Category for grouping, e.g. Bearings. Null if none was entered." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Manufacturer of the part. Null if unknown." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "Part number of the manufacturer. Null if unknown." })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true, description: "Unit of all quantities of the part. Null if none was entered." })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Float, {
    nullable: true,
    description: "Reference price per unit, in `currency`. Not used to value stock once an average is known. Null if none was entered.",
  })
  unitCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Value of a used unit that returns to stock, without its repair, in the currency of the stock. Null means 0.",
  })
  coreValue?: number | null;

  @Field(() => Int, { nullable: true, description: "Life of a unit in operating hours. Null without a limit." })
  lifeHours?: number | null;

  @Field(() => Int, { nullable: true, description: "Life of a unit in months since its first installation. Null without a limit." })
  lifeMonths?: number | null;

  @Field(() => Int, { nullable: true, description: "Number of installations in the life of a unit. Null without a limit." })
  lifeInstallations?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "Operating hours after which an installed unit is inspected. Null without an interval.",
  })
  inspectionHours?: number | null;

  @Field(() => Int, { nullable: true, description: "Months after which an installed unit is inspected. Null without an interval." })
  inspectionMonths?: number | null;

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

  @Field(() => Supplier, { nullable: true, description: "Supplier of the part. Null if none was entered." })
  supplier?: Supplier | null;

  @Field(() => Float, {
    nullable: true,
    description: "Default minimum for all sites, which stock levels can override. Null if there is none.",
  })
  minimumStock?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Default maximum for all sites, which stock levels can override. Null if there is none.",
  })
  maximumStock?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Default reorder point for all sites, which stock levels can override. Null if there is none.",
  })
  reorderPoint?: number | null;

  @Field(() => Float, { nullable: true, description: "Time from order to delivery, in days. Null if unknown." })
  leadTime?: number | null;

  @Field(() => Boolean, { description: "Whether equipment cannot operate without the part." })
  isCritical!: boolean;

  @Field(() => Boolean, { description: "Whether the part is active. False after deactivation." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Time of deactivation. Null while active." })
  deactivatedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Storage location code. Null if none was entered." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Default site of the part's stock." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Text of the part's QR code. Null if none was entered." })
  qrCode?: string | null;

  @Field(() => String, { nullable: true, description: "Text of the part's barcode. Null if none was entered." })
  barcode?: string | null;

  @Field(() => Boolean, { description: "Whether movements must include serial numbers." })
  tracksSerials!: boolean;

  @Field(() => Boolean, { description: "Whether movements must include the batch." })
  tracksBatches!: boolean;

  @Field(() => Boolean, { description: "Whether stock is valued by unit, at the cost of each, instead of by the average." })
  isRepairable!: boolean;

  @Field(() => Boolean, { description: "Whether the part is a fixed asset, whose stock has no value." })
  isCapital!: boolean;

  @Field(() => String, { nullable: true, description: "Id in another system, used by imports to find the record. Null if not set." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change, excluding stock movements." })
  updatedAt!: Date;

  @Field(() => Int, {
    description:
      "Version number, starting at 1 and incremented by each change except stock movements. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of parts." })
export class PartConnection extends connectionOf(Part, "Part") {}

const stocked = `exists (select 1 from "StockLevel" s where s."tenantId" = $1 and s."partId" = id and s.quantity > 0)`;

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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

  @Field(() => String, { nullable: true, description: "Exact category." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Exact manufacturer." })
  manufacturer?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only parts in stock at any site, or only the others." })
  inStock?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only critical parts, or only the others." })
  critical?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True for active parts, false for deactivated parts, null for all. If omitted, lists of parts contain active ones, and conditions on parts elsewhere match all.",
  })
  active?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether to include active and deactivated parts, regardless of `active`." })
  all?: boolean | null;
}

@InputType({ description: "Identifier of a part. Exactly one field must be set." })
export class PartNumberInput {
  @Field(() => String, { nullable: true, description: "Exact part number." })
  partNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Exact text of the QR code. If several parts match, the first is returned." })
  qrCode?: string | null;

  @Field(() => String, { nullable: true, description: "Exact text of the barcode. If several parts match, the first is returned." })
  barcode?: string | null;
}

export const partList = declareList("Part", {
  Filter: PartFilter,
  orders: [
    "createdAt",
    "updatedAt",
    "name",
    "partNumber",
    "category",
    "manufacturer",
    "unitCost",
    "minimumStock",
    "reorderPoint",
    "leadTime",
    "lastOrderDate",
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

  @Field(() => String, { description: "Message in English to show to the user." })
  message!: string;

  @Field(() => DateTime, { description: "Time of deactivation." })
  deactivatedAt!: Date;
}
