import { ArgsType, Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { many, one, Relations } from "../relation.js";
import { DateTime, Name, StockSite } from "../scalars.js";

@InputType()
export class NumberedInput {
  @Field(() => [Name], {
    nullable: true,
    description: "Serial numbers of the pieces, as many as the quantity, at most 1,000. Required where the part tracks them.",
  })
  serialNumbers?: string[] | null;

  @Field(() => Name, {
    nullable: true,
    description:
      "Batch of what is moved. Required where the part tracks batches; pieces that leave or return are of the batch they came with.",
  })
  batchNumber?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A piece with a serial number: where it is." })
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "The part." }),
  lastMovement: one("StockMovement", { on: { id: "movementId" }, description: "The last movement that named it." }),
})
export class StockSerial {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Unique within the part." })
  serialNumber!: string;

  @Field(() => String, { nullable: true, description: "Site that it is at. Null while it is out of stock." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "The batch that it came with. Null if none was entered." })
  batchNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it expires. Null if unknown." })
  expiryDate?: Date | null;

  @Field(() => ID, { description: "Id of the last movement that named it." })
  movementId!: string;

  @Field(() => DateTime, { description: "When that was booked." })
  movedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "What is on hand of a batch at a site." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "The part." }) })
export class StockBatch {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "Unique within the part." })
  batchNumber!: string;

  @Field(() => Float, { description: "Quantity on hand: the sum of the movements that name the batch." })
  quantity!: number;

  @Field(() => DateTime, { nullable: true, description: "When it expires. Null if unknown." })
  expiryDate?: Date | null;
}

@ArgsType()
export class SerialArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "The serial number, exactly." })
  number!: string;
}

@ArgsType()
export class BatchArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => StockSite, { nullable: true, description: "Exact name of a site. Default: all sites." })
  site?: string | null;
}

/** The declaration of the root field `batches`. */
export const batchesOfPart = many<BatchArgs>("StockBatch", {
  args: BatchArgs,
  order: ["expiryDate", "site", "batchNumber"],
  description: "Batches of a part that are on hand, first expired first, those without a date last.",
});
