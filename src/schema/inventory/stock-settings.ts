import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime, Decimal, NonNegative, ShortText } from "../scalars.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Rules of the tenant's stock ledger." })
@Relations({ updatedByPrincipal: author("updatedBy", "Who changed them last.") })
export class StockSettings {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: "Currency of all values of stock, as in ISO 4217. Null until it is set; nothing may then name a currency.",
  })
  currency?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "A counted quantity (`currentStock`) waits for approval where the values that its author changed of the part within 24 hours add up to more than this. Null: none does.",
  })
  countThreshold?: number | null;

  @Field(() => Float, { nullable: true, description: "The same for the deletion of an inventory record. Null: none waits." })
  writeOffThreshold?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "The same for a new unit cost that lowers the value; one that raises it always waits for approval. Null: none waits.",
  })
  revaluationThreshold?: number | null;

  @Field(() => Boolean, { description: "Whether a work order may use what the books do not hold. Default: true." })
  bookDiscrepancyAllowed!: boolean;

  @Field(() => Boolean, {
    description:
      "Whether a technician's receipt that no open order covers waits for approval, blocked until then. Default: true, and false for tenants from before 0.3.0.",
  })
  receiptApproval!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Time of the last change. Null before any are set." })
  updatedAt?: Date | null;

  @Field(() => Int, { description: "Number of this version; 0 before any are set. Updates take it as `expectedVersion`." })
  version!: number;
}

@InputType({ description: "Rules of the stock ledger. Fields that are omitted stay unchanged." })
export class UpdateStockSettingsInput {
  @Field(() => ShortText, {
    nullable: true,
    description: "Three capital letters as in ISO 4217, such as EUR. Once stock has a value, it cannot become another one.",
  })
  currency?: string | null;

  @Field(() => NonNegative, { nullable: true, description: "See `StockSettings.countThreshold`. Null: no count waits for approval." })
  countThreshold?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "See `StockSettings.writeOffThreshold`. Null: no deletion waits." })
  writeOffThreshold?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "See `StockSettings.revaluationThreshold`. Null: no lower cost waits." })
  revaluationThreshold?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Whether a work order may use what the books do not hold. Null: it may." })
  bookDiscrepancyAllowed?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a technician's receipt that no open order covers waits for approval. Null: the tenant's default.",
  })
  receiptApproval?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: "What waits for approval, of what the caller sees." })
export class PendingApprovals {
  @Field(() => Int, { description: "Number of adjustments." })
  adjustments!: number;

  @Field(() => Int, { description: "Number of posted stock counts." })
  stockCounts!: number;

  @Field(() => Float, { description: "Value that they added to the stock." })
  gains!: number;

  @Field(() => Float, { description: "Value that they took from the stock, as a positive number." })
  losses!: number;

  @Field(() => Decimal, { description: "`gains` exactly, as text." })
  gainsExact!: string;

  @Field(() => Decimal, { description: "`losses` exactly, as text." })
  lossesExact!: string;
}
