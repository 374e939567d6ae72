import { ArgsType, Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { many, one, Relations } from "../../relation.js";
import { DateTime, Name, StockSite } from "../../scalars.js";

@InputType()
export class NumberedInput {
  @Field(() => [Name], {
    nullable: true,
    description: "Serial numbers of the pieces, as many as the quantity, at most 1,000. Required if the part tracks serial numbers.",
  })
  serialNumbers?: string[] | null;

  @Field(() => Name, {
    nullable: true,
    description: "Batch of the stock. Required if the part tracks batches. Pieces that are issued or returned keep their original batch.",
  })
  batchNumber?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Serialized piece and its location." })
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "Part of the piece." }),
  lastMovement: one("StockMovement", { on: { id: "movementId" }, description: "Last movement that includes the serial number." }),
})
export class StockSerial {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Serial number, unique within the part." })
  serialNumber!: string;

  @Field(() => String, { nullable: true, description: "Current site. Null while out of stock." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Batch with which the piece was received. Null if none was entered." })
  batchNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Expiry date. Null if unknown." })
  expiryDate?: Date | null;

  @Field(() => ID, { description: "Id of the last movement that includes the serial number." })
  movementId!: string;

  @Field(() => DateTime, { description: "Posting time of that movement." })
  movedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Stock on hand of a batch at a site." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part of the batch." }) })
export class StockBatch {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "Batch number, unique within the part." })
  batchNumber!: string;

  @Field(() => Float, { description: "Quantity on hand: the sum of the movements of the batch." })
  quantity!: number;

  @Field(() => DateTime, { nullable: true, description: "Expiry date. Null if unknown." })
  expiryDate?: Date | null;
}

@ArgsType()
export class SerialArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Exact serial number." })
  number!: string;
}

@ArgsType()
export class BatchArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => StockSite, { nullable: true, description: "Exact name of a site. Default: all sites." })
  site?: string | null;
}

/** Declaration of the root field `batches`. */
export const batchesOfPart = many<BatchArgs>("StockBatch", {
  args: BatchArgs,
  order: ["expiryDate", "site", "batchNumber"],
  description: "Batches of a part that are on hand, earliest expiry first. Batches without an expiry date come last.",
});
