import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node } from "../node.js";
import { Measure, Name, ShortText, Timestamp } from "../scalars.js";
import { Where } from "../where.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "A value measured on an asset." })
export class Reading {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  assetId!: string;

  @Field(() => String)
  parameter!: string;

  @Field(() => Float)
  value!: number;

  @Field(() => String, { nullable: true })
  unit?: string | null;

  @Field(() => String, { nullable: true })
  sensorID?: string | null;

  @Field(() => Timestamp)
  recordedAt!: Date;
}

@ObjectType()
export class ReadingConnection extends connectionOf(Reading, "Reading") {}

@InputType()
export class ReadingInput {
  @Field(() => ID)
  assetId!: string;

  @Field(() => Name, { description: "What is measured. Must equal the `parameter` of the trigger conditions it is meant for." })
  parameter!: string;

  @Field(() => Measure)
  value!: number;

  @Field(() => ShortText, { nullable: true })
  unit?: string | null;

  @Field(() => ShortText, { nullable: true })
  sensorID?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Default: now. At most 5 minutes in the future.",
  })
  recordedAt?: Date | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<ReadingFilter>({
  oneOf: ["parameter"],
  numbers: ["value"],
  where({ parameter, from, until }) {
    const where = new Where().equal({ parameter });
    if (from) where.add(`"recordedAt" >= ?`, from);
    if (until) where.add(`"recordedAt" <= ?`, until);
    return where;
  },
})
export class ReadingFilter {
  @Field(() => String, { nullable: true })
  parameter?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Only readings at or after this time." })
  from?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Only readings at or before this time." })
  until?: Date | null;
}

export const readingList = declareList("Reading", { Filter: ReadingFilter, orders: ["recordedAt", "value", "parameter"] });

@ObjectType({ simpleResolvers: true, description: "Result of recording a batch of readings." })
export class RecordedReadings {
  @Field(() => Int)
  recorded!: number;

  @Field(() => [ID], { description: "Ids of the notifications that the readings raised." })
  raised!: string[];
}
