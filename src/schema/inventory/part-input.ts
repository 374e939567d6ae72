import { Field, ID, InputType } from "type-graphql";
import { Name, NonNegative, Positive, Properties, ShortText, StockSite, Text, Timestamp } from "../scalars.js";
import { UnitOfMeasure } from "./enums.js";
import type { Dimensions, Supplier, SupplierContact } from "./part.js";

@InputType()
export class DimensionsInput implements Dimensions {
  @Field(() => NonNegative, { nullable: true })
  length?: number | null;

  @Field(() => NonNegative, { nullable: true })
  width?: number | null;

  @Field(() => NonNegative, { nullable: true })
  height?: number | null;

  @Field(() => ShortText, { nullable: true })
  unit?: string | null;
}

@InputType()
export class SupplierContactInput implements SupplierContact {
  @Field(() => ShortText, { nullable: true })
  email?: string | null;

  @Field(() => ShortText, { nullable: true })
  phone?: string | null;
}

@InputType()
export class SupplierInput implements Supplier {
  @Field(() => ShortText, { nullable: true })
  id?: string | null;

  @Field(() => ShortText, { nullable: true })
  name?: string | null;

  @Field(() => ShortText, { nullable: true })
  partNumber?: string | null;

  @Field(() => SupplierContactInput, { nullable: true })
  contact?: SupplierContactInput | null;
}

@InputType({ description: "Reference to a part or an asset." })
export class ReferenceInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
class PartFields {
  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => ShortText, { nullable: true })
  category?: string | null;

  @Field(() => ShortText, { nullable: true })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true })
  manufacturerPartNumber?: string | null;

  @Field(() => UnitOfMeasure, { nullable: true })
  unitOfMeasure?: UnitOfMeasure | null;

  @Field(() => Positive, { nullable: true })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  currency?: string | null;

  @Field(() => NonNegative, { nullable: true })
  weight?: number | null;

  @Field(() => ShortText, { nullable: true })
  weightUnit?: string | null;

  @Field(() => DimensionsInput, { nullable: true })
  dimensions?: DimensionsInput | null;

  @Field(() => Properties, { nullable: true })
  specifications?: Record<string, unknown> | null;

  @Field(() => SupplierInput, { nullable: true })
  supplier?: SupplierInput | null;

  @Field(() => [ReferenceInput], { nullable: true, description: "Parts that can be used instead." })
  alternativeParts?: ReferenceInput[] | null;

  @Field(() => [ReferenceInput], { nullable: true, description: "Assets the part fits." })
  compatibleAssets?: ReferenceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of the components the part is a spare for." })
  componentIds?: string[] | null;

  @Field(() => NonNegative, { nullable: true })
  minimumStock?: number | null;

  @Field(() => NonNegative, { nullable: true })
  maximumStock?: number | null;

  @Field(() => NonNegative, { nullable: true })
  reorderPoint?: number | null;

  @Field(() => NonNegative, { nullable: true })
  leadTime?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Average usage per `usageUnit`. Used until stock movements show the actual usage.",
  })
  averageUsage?: number | null;

  @Field(() => ShortText, { nullable: true })
  usageUnit?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Date of the last order. A date after the last receipt means that an order is open.",
  })
  lastOrderDate?: Date | null;

  @Field(() => NonNegative, { nullable: true })
  lastOrderQuantity?: number | null;

  @Field(() => Boolean, { nullable: true })
  isCritical?: boolean | null;

  @Field(() => ShortText, { nullable: true })
  location?: string | null;

  @Field(() => StockSite, { nullable: true })
  site?: string | null;

  @Field(() => ShortText, { nullable: true })
  qrCode?: string | null;

  @Field(() => ShortText, { nullable: true })
  barcode?: string | null;
}

@InputType()
export class CreatePartInput extends PartFields {
  @Field(() => Name)
  partNumber!: string;

  @Field(() => Name)
  name!: string;

  @Field(() => NonNegative, { nullable: true, description: "Initial stock at the part's site." })
  stockLevel?: number | null;
}

@InputType({
  description: "Fields that are omitted stay unchanged. Null clears an optional field. Use the inventory mutations to change stock.",
})
export class UpdatePartInput extends PartFields {
  @Field(() => Name, { nullable: true })
  partNumber?: string | null;

  @Field(() => Name, { nullable: true })
  name?: string | null;
}
