/** Parts as suppliers sell them (docs/supply.md). */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { Currency, DateTime, Days, Name, NonNegative, Positive, ShortText } from "../../scalars.js";
import { Where } from "../../where.js";

@ObjectType({ simpleResolvers: true, description: "Price of a supplier from a quantity on." })
export class PriceBreak {
  @Field(() => Float, { description: "Quantity from which the price applies, in order units." })
  quantity!: number;

  @Field(() => Float, { description: "Price of an order unit." })
  price!: number;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A part as a supplier sells it." })
@Relations({
  changes: changesOfRecord,
  supplier: one("SupplierAccount", { required: true, description: "Supplier." }),
  part: one("Part", { required: true, description: "Part." }),
  createdByPrincipal: author("createdBy", "Person or system that created the supplier part."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class SupplierPart {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { nullable: true, description: "Part number of the supplier. Null if none was entered." })
  partNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Unit in which the supplier sells, e.g. box. Null means the unit of the part." })
  orderUnit?: string | null;

  @Field(() => Float, { description: "Quantity of the part in one order unit, in the part's unit of measure." })
  unitFactor!: number;

  @Field(() => Float, { description: "Pack size in order units: orders are multiples of it." })
  packSize!: number;

  @Field(() => Float, { nullable: true, description: "Minimum quantity of an order, in order units. Null if there is none." })
  minimumQuantity?: number | null;

  @Field(() => [PriceBreak], { description: "Prices by quantity, in ascending order. Empty if unknown." })
  priceBreaks!: PriceBreak[];

  @Field(() => String, { nullable: true, description: "Currency of the prices, in ISO 4217. Null means that of the supplier." })
  currency?: string | null;

  @Field(() => Float, { nullable: true, description: "Time from order to delivery, in days. Null means that of the part." })
  leadTime?: number | null;

  @Field(() => Boolean, {
    description: "Whether the part is ordered here by default. A part has at most one preferred supplier, which `Part.supplier` shows.",
  })
  isPreferred!: boolean;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Mutations accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of supplier parts." })
export class SupplierPartConnection extends connectionOf(SupplierPart, "SupplierPart") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<SupplierPartFilter>({
  oneOf: ["supplierId", "partId", "partNumber"],
  contains: ["partNumber"],
  times: ["createdAt", "updatedAt"],
  numbers: ["leadTime"],
  empty: ["partNumber", "leadTime", "currency"],
  where: ({ preferred, ...exact }) => new Where().equal({ ...exact, isPreferred: preferred }),
})
export class SupplierPartFilter {
  @Field(() => ID, { nullable: true, description: "Only supplier parts of this supplier." })
  supplierId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only supplier parts of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact part number of the supplier." })
  partNumber?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only supplier parts that are preferred, or only the others." })
  preferred?: boolean | null;
}

declareList("SupplierPart", { Filter: SupplierPartFilter, orders: ["createdAt", "updatedAt", "partNumber", "leadTime"] });

@InputType({ description: "Price of a supplier from a quantity on." })
export class PriceBreakInput implements PriceBreak {
  @Field(() => NonNegative, { description: "Quantity from which the price applies, in order units." })
  quantity!: number;

  @Field(() => NonNegative, { description: "Price of an order unit." })
  price!: number;
}

@InputType({
  description: "A part as a supplier sells it. Of an existing supplier part, omitted fields stay unchanged. Null clears an optional field.",
})
export class SetSupplierPartInput {
  @Field(() => ID, { description: "Id of an active supplier." })
  supplierId!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => Name, { nullable: true, description: "Part number of the supplier." })
  partNumber?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Unit in which the supplier sells, e.g. box." })
  orderUnit?: string | null;

  @Field(() => Positive, { nullable: true, description: "Quantity of the part in one order unit. Default on creation: 1." })
  unitFactor?: number | null;

  @Field(() => Positive, { nullable: true, description: "Pack size in order units. Default on creation: 1." })
  packSize?: number | null;

  @Field(() => Positive, { nullable: true, description: "Minimum quantity of an order, in order units." })
  minimumQuantity?: number | null;

  @Field(() => [PriceBreakInput], {
    nullable: true,
    description: "Prices by quantity, in ascending order, at most 20. Replaced as a whole.",
  })
  priceBreaks?: PriceBreakInput[] | null;

  @Field(() => Currency, { nullable: true, description: "Currency of the prices." })
  currency?: string | null;

  @Field(() => Days, { nullable: true, description: "Time from order to delivery, in days." })
  leadTime?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the part is ordered here by default. True takes the preference from another supplier. Default on creation: false.",
  })
  isPreferred?: boolean | null;
}
