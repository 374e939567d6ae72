import { Field, ID, InputType } from "type-graphql";
import { Currency, DateTime, Measure, Name, NonNegative, Positive, StockSite, Text } from "../../scalars.js";

@InputType({ description: "A line of an invoice. Each order line occurs at most once." })
export class SupplierInvoiceLineInput {
  @Field(() => ID, { description: "Id of a line of a sent order of the supplier, in the currency of the invoice." })
  orderLineId!: string;

  @Field(() => Positive, { description: "Invoiced quantity, in the unit of the part: 5 boxes of 12 are 60." })
  quantity!: number;

  @Field(() => NonNegative, {
    description: "Invoiced amount without taxes, with at most the digits of the currency (ISO 4217).",
  })
  amount!: number;
}

@InputType({ description: "Values of an invoice." })
class SupplierInvoiceFields {
  @Field(() => DateTime, { nullable: true, description: "Date by which payment is due." })
  dueDate?: Date | null;

  @Field(() => Measure, {
    nullable: true,
    description:
      "Value of one unit of the invoice's currency in the currency of the stock. Default: the rate of each receipt. Leave it out if the currencies are equal.",
  })
  exchangeRate?: number | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => Name, { nullable: true, description: "Id in another system. Fails with CONFLICT unless it is unique within the tenant." })
  externalId?: string | null;
}

@InputType({ description: "New invoice, a draft." })
export class CreateSupplierInvoiceInput extends SupplierInvoiceFields {
  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => Name, {
    description: "Number of the supplier. Fails with CONFLICT if another invoice of the supplier has the number, unless it is cancelled.",
  })
  number!: string;

  @Field(() => StockSite, { description: "Site that the invoice belongs to. Keys limited to sites may name only their own." })
  site!: string;

  @Field(() => DateTime, { description: "Date of the invoice." })
  invoiceDate!: Date;

  @Field(() => Currency, { nullable: true, description: "Currency of all amounts. Default: that of the order of the first line." })
  currency?: string | null;

  @Field(() => [SupplierInvoiceLineInput], { description: "Lines in order, from 1 to 200." })
  lines!: SupplierInvoiceLineInput[];
}

@InputType({ description: "Values of a draft to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateSupplierInvoiceInput extends SupplierInvoiceFields {
  @Field(() => Name, { nullable: true, description: "Number of the supplier." })
  number?: string;

  @Field(() => DateTime, { nullable: true, description: "Date of the invoice." })
  invoiceDate?: Date;

  @Field(() => [SupplierInvoiceLineInput], { nullable: true, description: "Lines in order, from 1 to 200. Replaced as a whole." })
  lines?: SupplierInvoiceLineInput[];
}
