import { Field, ID, InputType } from "type-graphql";
import { DateTime, JSONObject, Name, NonNegative, Positive, ShortText, StockSite, Text } from "../scalars.js";
import { UnitOfMeasure } from "./enums.js";
import type { Dimensions, Supplier, SupplierContact } from "./part.js";
import { ReferenceInput } from "./part-reference.js";

@InputType({ description: "Outer dimensions of one unit of a part." })
export class DimensionsInput implements Dimensions {
  @Field(() => NonNegative, { nullable: true, description: "In `unit`." })
  length?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "In `unit`." })
  width?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "In `unit`." })
  height?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of length, any value, e.g. mm." })
  unit?: string | null;
}

@InputType({ description: "Whom to reach at a supplier." })
export class SupplierContactInput implements SupplierContact {
  @Field(() => ShortText, { nullable: true, description: "Not checked." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Any value." })
  phone?: string | null;
}

@InputType({ description: "Who supplies a part. On update it replaces the supplier, except for a `contact` that is left out." })
export class SupplierInput implements Supplier {
  @Field(() => ShortText, { nullable: true, description: "The supplier's id in another system, any value." })
  id?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of the supplier." })
  name?: string | null;

  @Field(() => ShortText, { nullable: true, description: "The supplier's part number." })
  partNumber?: string | null;

  @Field(() => SupplierContactInput, { nullable: true, description: "Whom to reach there." })
  contact?: SupplierContactInput | null;
}

@InputType()
class PartFields {
  @Field(() => Name, {
    nullable: true,
    description: "Its id in another system, by which imports find it. Unique among the tenant's parts, else CONFLICT.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Free grouping, any value, e.g. Bearings." })
  category?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Maker of the part." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "The maker's part number." })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true, description: "Unit of every quantity of the part." })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Reference price per unit, above 0. Stock is valued by it until receipts give an average.",
  })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`, any value, e.g. EUR. Nothing is converted." })
  currency?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "Weight of one unit, in `weightUnit`." })
  weight?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of `weight`, any value, e.g. kg." })
  weightUnit?: string | null;

  @Field(() => DimensionsInput, { nullable: true, description: "Outer dimensions of one unit. Replaced as a whole on update." })
  dimensions?: DimensionsInput | null;

  @Field(() => JSONObject, { nullable: true, description: "Custom keys and values. Replaced as a whole on update." })
  specifications?: Record<string, unknown> | null;

  @Field(() => SupplierInput, { nullable: true, description: "Who supplies it." })
  supplier?: SupplierInput | null;

  @Field(() => [ReferenceInput], {
    nullable: true,
    description: "Parts that can be used instead. One that is not in the catalogue is kept as it is given, with its id, number and maker.",
  })
  alternativeParts?: ReferenceInput[] | null;

  @Field(() => [ReferenceInput], {
    nullable: true,
    description: "Assets the part fits. One that is not in the catalogue is kept as it is given, with its id, name and type.",
  })
  compatibleAssets?: ReferenceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of the components the part is a spare for." })
  componentIds?: string[] | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Default for all sites, not above the maximum. Below it a stock level is CRITICAL.",
  })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Default for all sites. Above it a stock level is EXCESS." })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Default for all sites. Below it a stock level is LOW." })
  reorderPoint?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Time from order to delivery, usually in days. Nothing is computed from it." })
  leadTime?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Average usage per `usageUnit`. Used until stock movements show the actual usage.",
  })
  averageUsage?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Period of `averageUsage`, any value, e.g. month." })
  usageUnit?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Date of the last order. A date after the last receipt means that an order is open.",
  })
  lastOrderDate?: Date | null;

  @Field(() => NonNegative, { nullable: true, description: "Quantity of the last order." })
  lastOrderQuantity?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Whether equipment stands still without it. Default on creation: false." })
  isCritical?: boolean | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location code." })
  location?: string | null;

  @Field(() => StockSite, {
    nullable: true,
    description: "Default site of the part's stock. A key limited to sites may name only its own.",
  })
  site?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Text of the QR code on it." })
  qrCode?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Text of the barcode on it." })
  barcode?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Movements must name the serial numbers. Default on creation: false." })
  tracksSerials?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Movements must name the batch. Default on creation: false." })
  tracksBatches?: boolean | null;
}

@InputType({ description: "A new part." })
export class CreatePartInput extends PartFields {
  @Field(() => Name, { description: "Unique in the tenant, deactivated parts included, else CONFLICT." })
  partNumber!: string;

  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => NonNegative, { nullable: true, description: "Initial stock at the part's site." })
  stockLevel?: number | null;
}

@InputType({
  description: "Fields that are omitted stay unchanged. Null clears an optional field. Use the inventory mutations to change stock.",
})
export class UpdatePartInput extends PartFields {
  @Field(() => Name, { nullable: true, description: "Unique in the tenant, deactivated parts included. Never null." })
  partNumber?: string | null;

  @Field(() => Name, { nullable: true, description: "Name shown in lists. Never null." })
  name?: string | null;
}
