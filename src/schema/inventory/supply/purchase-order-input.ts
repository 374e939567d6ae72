import { Field, ID, InputType } from "type-graphql";
import { Currency, DateTime, Measure, Name, NonNegative, Positive, ShortText, StockSite, Text } from "../../scalars.js";

@InputType({ description: "A line of a purchase order. Set `partId`, `description` or both." })
export class PurchaseOrderLineInput {
  @Field(() => ID, { nullable: true, description: "Id of the part. Leave it out for a service." })
  partId?: string | null;

  @Field(() => Name, { nullable: true, description: "Description. Required for a service." })
  description?: string | null;

  @Field(() => Positive, { description: "Quantity in order units." })
  quantity!: number;

  @Field(() => ShortText, { nullable: true, description: "Order unit, e.g. box. Default: that of the supplier part." })
  unit?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Quantity of the part in one order unit. Default: that of the supplier part, else 1.",
  })
  unitFactor?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Price of an order unit. Default: that of the supplier part for this quantity, if its currency is that of the order.",
  })
  price?: number | null;

  @Field(() => DateTime, { nullable: true, description: "Promised delivery date." })
  promisedAt?: Date | null;

  @Field(() => StockSite, { nullable: true, description: "Site that receives the line. Default: the site of the order." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order that needs the part or service." })
  workOrderId?: string | null;
}

@InputType({ description: "Values of a purchase order." })
class PurchaseOrderFields {
  @Field(() => Measure, {
    nullable: true,
    description:
      "Value of one unit of the order's currency in the currency of the stock, above 0. Leave it out if the currencies are equal.",
  })
  exchangeRate?: number | null;

  @Field(() => Text, { nullable: true, description: "Free text for the supplier." })
  notes?: string | null;

  @Field(() => Name, { nullable: true, description: "Id in another system. Fails with CONFLICT unless it is unique within the tenant." })
  externalId?: string | null;
}

@InputType({ description: "New purchase order, a draft." })
export class CreatePurchaseOrderInput extends PurchaseOrderFields {
  @Field(() => ID, { description: "Id of an active supplier." })
  supplierId!: string;

  @Field(() => StockSite, { description: "Site that orders. Keys limited to sites may name only their own." })
  site!: string;

  @Field(() => Currency, { nullable: true, description: "Currency of all prices. Default: that of the supplier, else that of the stock." })
  currency?: string | null;

  @Field(() => [PurchaseOrderLineInput], { nullable: true, description: "Lines in order, at most 200." })
  lines?: PurchaseOrderLineInput[] | null;
}

@InputType({ description: "Values of a draft to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdatePurchaseOrderInput extends PurchaseOrderFields {
  @Field(() => [PurchaseOrderLineInput], { nullable: true, description: "Lines in order, at most 200. Replaced as a whole." })
  lines?: PurchaseOrderLineInput[] | null;
}
