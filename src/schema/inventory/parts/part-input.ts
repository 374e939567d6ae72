import { Field, ID, InputType } from "type-graphql";
import { DateTime, JSONObject, Name, NonNegative, Positive, ShortText, StockSite, Text, WholeNumber } from "../../scalars.js";
import { UnitOfMeasure } from "../enums.js";
import type { Dimensions, Supplier, SupplierContact } from "./part.js";
import { ReferenceInput } from "./part-reference.js";

@InputType({ description: "Outer dimensions of one unit of a part." })
export class DimensionsInput implements Dimensions {
  @Field(() => NonNegative, { nullable: true, description: "Length in `unit`." })
  length?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Width in `unit`." })
  width?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Height in `unit`." })
  height?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of length, any value, e.g. mm." })
  unit?: string | null;
}

@InputType({ description: "Contact at a supplier." })
export class SupplierContactInput implements SupplierContact {
  @Field(() => ShortText, { nullable: true, description: "E-mail address. Not validated." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Phone number, any value." })
  phone?: string | null;
}

@InputType({ description: "Supplier of a part. On update, replaces the supplier, except for an omitted `contact`." })
export class SupplierInput implements Supplier {
  @Field(() => ShortText, { nullable: true, description: "Id of the supplier in another system, any value." })
  id?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of the supplier." })
  name?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Part number of the supplier." })
  partNumber?: string | null;

  @Field(() => SupplierContactInput, { nullable: true, description: "Contact at the supplier." })
  contact?: SupplierContactInput | null;
}

@InputType()
class PartFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Id in another system, used by imports to find the record. Fails with CONFLICT unless it is unique among the tenant's parts.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Category for grouping, any value, e.g. Bearings." })
  category?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Manufacturer of the part." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Part number of the manufacturer." })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true, description: "Unit of all quantities of the part." })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Reference price per unit, above 0. Used to value stock until receipts yield an average.",
  })
  unitCost?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Value of a used unit that returns to stock, without its repair, in the currency of the stock. Default: 0.",
  })
  coreValue?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "Life of a unit in operating hours." })
  lifeHours?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "Life of a unit in months since its first installation." })
  lifeMonths?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "Number of installations in the life of a unit." })
  lifeInstallations?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "Operating hours after which an installed unit is inspected." })
  inspectionHours?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "Months after which an installed unit is inspected." })
  inspectionMonths?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`, any value, e.g. EUR. Not converted." })
  currency?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "Weight of one unit, in `weightUnit`." })
  weight?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of `weight`, any value, e.g. kg." })
  weightUnit?: string | null;

  @Field(() => DimensionsInput, { nullable: true, description: "Outer dimensions of one unit. Replaced as a whole on update." })
  dimensions?: DimensionsInput | null;

  @Field(() => JSONObject, { nullable: true, description: "Custom keys and values. Replaced as a whole on update." })
  specifications?: Record<string, unknown> | null;

  @Field(() => SupplierInput, { nullable: true, description: "Supplier of the part." })
  supplier?: SupplierInput | null;

  @Field(() => [ReferenceInput], {
    nullable: true,
    description: "Alternative parts. Parts outside the catalogue are stored as supplied, with id, number and manufacturer.",
  })
  alternativeParts?: ReferenceInput[] | null;

  @Field(() => [ReferenceInput], {
    nullable: true,
    description: "Compatible assets. Assets outside the catalogue are stored as supplied, with id, name and type.",
  })
  compatibleAssets?: ReferenceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of the components for which the part is a spare." })
  componentIds?: string[] | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Default minimum for all sites, not above the maximum. Stock levels below it are CRITICAL.",
  })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Default maximum for all sites. Stock levels above it are EXCESS." })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Default reorder point for all sites. Stock levels below it are LOW." })
  reorderPoint?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Time from order to delivery, in days. Used for shortages and reorder proposals.",
  })
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
    description: "Date of the last order. A date after the last receipt means that the order is open.",
  })
  lastOrderDate?: Date | null;

  @Field(() => NonNegative, { nullable: true, description: "Quantity of the last order." })
  lastOrderQuantity?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Whether equipment cannot operate without the part. Default on creation: false." })
  isCritical?: boolean | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location code." })
  location?: string | null;

  @Field(() => StockSite, {
    nullable: true,
    description: "Default site of the part's stock. Keys limited to sites may name only their own.",
  })
  site?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Text of the part's QR code." })
  qrCode?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Text of the part's barcode." })
  barcode?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether movements must include serial numbers. Default on creation: false." })
  tracksSerials?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether movements must include the batch. Default on creation: false." })
  tracksBatches?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether stock is valued by unit, at the cost of each, instead of by the average. Needs `tracksSerials`. Stock on hand is shared equally among its units. Default on creation: false.",
  })
  isRepairable?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the part is a fixed asset, whose stock has no value. Refused while its stock has one. Default on creation: false.",
  })
  isCapital?: boolean | null;
}

@InputType({ description: "New part." })
export class CreatePartInput extends PartFields {
  @Field(() => Name, {
    description: "Part number. Fails with CONFLICT unless it is unique within the tenant, including deactivated parts.",
  })
  partNumber!: string;

  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => NonNegative, { nullable: true, description: "Initial stock at the part's site." })
  stockLevel?: number | null;
}

@InputType({
  description:
    "Values to change. Omitted fields stay unchanged. Null clears an optional field. To change stock, use the inventory mutations.",
})
export class UpdatePartInput extends PartFields {
  @Field(() => Name, {
    nullable: true,
    description: "Part number, unique within the tenant, including deactivated parts. Must not be null.",
  })
  partNumber?: string | null;

  @Field(() => Name, { nullable: true, description: "Name shown in lists. Must not be null." })
  name?: string | null;
}
