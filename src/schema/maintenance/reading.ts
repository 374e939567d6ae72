import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { BulkStatus } from "../components/enums.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { DateTime, Measure, Name, ShortText } from "../scalars.js";
import { Where } from "../where.js";
import { ReadingPeriod } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "A value measured on an asset." })
export class Reading {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => String, { description: "What was measured, e.g. vibration." })
  parameter!: string;

  @Field(() => Float, { description: "The measured value, in `unit`." })
  value!: number;

  @Field(() => String, { nullable: true, description: "Unit of the value as sent. Nothing is converted. Null if none was sent." })
  unit?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the sensor, as the sender knows it. Null if none was sent." })
  sensorID?: string | null;

  @Field(() => DateTime, { description: "When it was measured." })
  recordedAt!: Date;
}

@ObjectType({ description: "One page of a list of readings." })
export class ReadingConnection extends connectionOf(Reading, "Reading") {}

@InputType({ description: "One measured value." })
export class ReadingInput {
  @Field(() => ID, { description: "Asset that it was measured on." })
  assetId!: string;

  @Field(() => Name, { description: "What is measured. Must equal the `parameter` of the trigger conditions it is meant for." })
  parameter!: string;

  @Field(() => Measure, { description: "The measured value, in `unit`." })
  value!: number;

  @Field(() => ShortText, {
    nullable: true,
    description:
      "Unit of the value, such as mm/s. Stored as sent, and converted to the unit of the trigger conditions that watch the asset; one that does not fit is refused. Default: theirs.",
  })
  unit?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Id of the sensor, as the sender knows it." })
  sensorID?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Default: now. At most 5 minutes in the future. The same value of the same parameter, sensor and time is stored once, another one is CONFLICT.",
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
  @Field(() => String, { nullable: true, description: "Exact match." })
  parameter?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Only readings at or after this time." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only readings at or before this time." })
  until?: Date | null;
}

export const readingList = declareList("Reading", { Filter: ReadingFilter, orders: ["recordedAt", "value", "parameter"] });

@ObjectType({ simpleResolvers: true, description: "Result of recording one reading of a batch." })
export class ReadingResult {
  @Field(() => BulkStatus, { description: "Whether the reading is stored, by this batch or an earlier one." })
  status!: BulkStatus;

  @Field(() => String, { nullable: true, description: "Field of the reading that caused the failure, such as `assetId`. Null on success." })
  field?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of recording a batch of readings." })
export class RecordedReadings {
  @Field(() => Int, { description: "Number of readings stored." })
  recorded!: number;

  @Field(() => Int, { description: "Number of readings that were stored already, or stand in the batch twice." })
  duplicates!: number;

  @Field(() => Int, { description: "Number of readings refused; `results` has the reasons." })
  failed!: number;

  @Field(() => [ID], { description: "Ids of the notifications that the readings raised." })
  raised!: string[];

  @Field(() => [ReadingResult], { description: "One result for each reading, in the order of the request." })
  results!: ReadingResult[];
}

@ObjectType({
  simpleResolvers: true,
  description: "Readings of a parameter of an asset in an hour or a day, summed up. Those in another unit are summed up apart.",
})
export class ReadingAggregate {
  @Field(() => DateTime, { description: "When the hour or day began, in UTC." })
  startsAt!: Date;

  @Field(() => String, { nullable: true, description: "Unit of the values as sent. Null if none was sent." })
  unit!: string | null;

  @Field(() => Int, { description: "Number of readings." })
  count!: number;

  @Field(() => Float, { description: "The smallest value." })
  minimum!: number;

  @Field(() => Float, { description: "The largest value." })
  maximum!: number;

  @Field(() => Float, { description: "The mean of the values." })
  average!: number;

  @Field(() => Float, { description: "The value that was measured last." })
  last!: number;

  @Field(() => DateTime, { description: "When the last value was measured." })
  lastAt!: Date;
}

@ArgsType()
export class ReadingAggregatesArgs {
  @Field(() => ReadingPeriod, { description: "Whether by the hour or by the day." })
  period!: ReadingPeriod;

  @Field(() => String, { description: "What was measured. Exact match." })
  parameter!: string;

  @Field(() => DateTime, { description: "Only hours or days that end after this time." })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "Only hours or days that begin before this time. Default: now. At most 1,000 of them after `from`.",
  })
  until?: Date | null;
}
