import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../../node.js";
import { author, Relations } from "../../relation.js";
import { DateTime, Decimal, NonNegative, ShortText, Text } from "../../scalars.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Rules of the tenant's stock ledger." })
@Relations({ updatedByPrincipal: author("updatedBy", "Person or system that last changed the settings.") })
export class StockSettings {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: "Currency of all stock values, in ISO 4217. Null until set; until then, no request may specify a currency.",
  })
  currency?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Approval threshold for counted quantities (`currentStock`). A change awaits approval if the total value that its author changed of the part within 24 hours exceeds this amount. Null to never require approval.",
  })
  countThreshold?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Approval threshold for the deletion of an inventory record, with the same rules. Null to never require approval.",
  })
  writeOffThreshold?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Approval threshold for a new unit cost that lowers the value, with the same rules. A cost that raises the value always requires approval. Null to never require approval for a lower cost.",
  })
  revaluationThreshold?: number | null;

  @Field(() => Boolean, { description: "Whether work orders may use more than the book quantity. Default: true." })
  bookDiscrepancyAllowed!: boolean;

  @Field(() => Boolean, {
    description:
      "Whether a technician's receipt without a covering open order is blocked until approved. Default: true, but false for tenants created before 0.3.0.",
  })
  receiptApproval!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Name, address and tax number of the buyer, printed on purchase orders. Null if none was entered.",
  })
  letterhead?: string | null;

  @Field(() => Float, {
    description:
      "Per cent of the ordered quantity by which receipts of an order line may exceed it. Default: 0. A line of which something was cancelled has no tolerance.",
  })
  overReceiptTolerance!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Per cent by which the amount of an invoice line may differ from the ordered price. Null means 0.",
  })
  invoiceTolerance?: number | null;

  @Field(() => Float, {
    description:
      "Probability in percent that the computed reorder point of a part covers the demand of its lead time. Not used for critical parts. Default: 95.",
  })
  serviceLevel!: number;

  @Field(() => Float, { description: "Same as `serviceLevel`, for critical parts. Default: 98." })
  criticalServiceLevel!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the last change. Null before the first change." })
  updatedAt?: Date | null;

  @Field(() => Int, { description: "Version number. 0 before the first change. Updates accept it as `expectedVersion`." })
  version!: number;
}

@InputType({ description: "Rules of the stock ledger to change. Omitted fields stay unchanged." })
export class UpdateStockSettingsInput {
  @Field(() => ShortText, {
    nullable: true,
    description: "Three capital letters as in ISO 4217, such as EUR. Cannot be changed once stock has a value.",
  })
  currency?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Approval threshold for counted quantities, see `StockSettings.countThreshold`. Null to never require approval.",
  })
  countThreshold?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Approval threshold for deletions, see `StockSettings.writeOffThreshold`. Null to never require approval.",
  })
  writeOffThreshold?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Approval threshold for a lower cost, see `StockSettings.revaluationThreshold`. Null to never require approval for a lower cost.",
  })
  revaluationThreshold?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Whether work orders may use more than the book quantity. Null resets to true." })
  bookDiscrepancyAllowed?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether a technician's receipt without a covering open order is blocked until approved. Null resets to the tenant's default.",
  })
  receiptApproval?: boolean | null;

  @Field(() => Text, {
    nullable: true,
    description: "Name, address and tax number of the buyer, printed on purchase orders. Lines are kept. Null for none.",
  })
  letterhead?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Per cent from 0 to 100, see `StockSettings.overReceiptTolerance`. Null resets to 0.",
  })
  overReceiptTolerance?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Per cent by which the amount of an invoice line may differ from the ordered price. Null means 0.",
  })
  invoiceTolerance?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Service level of parts that are not critical, in percent from 50 to 99.99. Null resets to 95.",
  })
  serviceLevel?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Service level of critical parts, in percent from 50 to 99.99. Null resets to 98.",
  })
  criticalServiceLevel?: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Totals of the adjustments and stock counts that await approval and are visible to the caller.",
})
export class PendingApprovals {
  @Field(() => Int, { description: "Number of adjustments." })
  adjustments!: number;

  @Field(() => Int, { description: "Number of posted stock counts." })
  stockCounts!: number;

  @Field(() => Float, { description: "Value added to the stock." })
  gains!: number;

  @Field(() => Float, { description: "Value removed from the stock, as a positive number." })
  losses!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `gains`, as text." })
  gainsExact!: string;

  @Field(() => Decimal, { description: "Exact decimal value of `losses`, as text." })
  lossesExact!: string;
}
