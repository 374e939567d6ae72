import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { BulkStatus } from "../../components/enums.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { DateTime, Measure, Name, ShortText } from "../../scalars.js";
import { Where } from "../../where.js";
import { ReadingPeriod } from "../enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Value measured on an asset." })
export class Reading {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => String, { description: "Measured quantity, e.g. vibration." })
  parameter!: string;

  @Field(() => Float, { description: "Measured value, in `unit`." })
  value!: number;

  @Field(() => String, { nullable: true, description: "Unit of the value, as sent. Not converted. Null if none was sent." })
  unit?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the sensor, as known to the sender. Null if none was sent." })
  sensorID?: string | null;

  @Field(() => DateTime, { description: "Time of the measurement." })
  recordedAt!: Date;
}

@ObjectType({ description: "A page of readings." })
export class ReadingConnection extends connectionOf(Reading, "Reading") {}

@InputType({ description: "Measured value." })
export class ReadingInput {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => Name, { description: "Measured quantity. Must equal the `parameter` of the intended trigger conditions." })
  parameter!: string;

  @Field(() => Measure, { description: "Measured value, in `unit`." })
  value!: number;

  @Field(() => ShortText, {
    nullable: true,
    description:
      "Unit of the value, such as mm/s. Stored as sent, and converted to the unit of the asset's trigger conditions. Incompatible units are refused. Default: the unit of the trigger conditions.",
  })
  unit?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Id of the sensor, as known to the sender." })
  sensorID?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Time of the measurement, at most 5 minutes in the future. Default: now. A repeated value with the same parameter, sensor and time is stored once; a different value fails with CONFLICT.",
  })
  recordedAt?: Date | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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
  @Field(() => BulkStatus, { description: "Status of the reading. SUCCESS if it was stored by this batch or an earlier one." })
  status!: BulkStatus;

  @Field(() => String, { nullable: true, description: "Field that caused the failure, such as `assetId`. Null on success." })
  field?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of recording a batch of readings." })
export class RecordedReadings {
  @Field(() => Int, { description: "Number of readings stored." })
  recorded!: number;

  @Field(() => Int, { description: "Number of readings that were already stored or are duplicated in the batch." })
  duplicates!: number;

  @Field(() => Int, { description: "Number of refused readings. `results` contains the reasons." })
  failed!: number;

  @Field(() => [ID], { description: "Ids of the notifications raised by the readings." })
  raised!: string[];

  @Field(() => [ReadingResult], { description: "One result for each reading, in the order of the request." })
  results!: ReadingResult[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Aggregate of the readings of a parameter of an asset in an hour or day. Readings in different units are aggregated separately.",
})
export class ReadingAggregate {
  @Field(() => DateTime, { description: "Start of the hour or day, in UTC." })
  startsAt!: Date;

  @Field(() => String, { nullable: true, description: "Unit of the values, as sent. Null if none was sent." })
  unit!: string | null;

  @Field(() => Int, { description: "Number of readings." })
  count!: number;

  @Field(() => Float, { description: "Smallest value." })
  minimum!: number;

  @Field(() => Float, { description: "Largest value." })
  maximum!: number;

  @Field(() => Float, { description: "Mean of the values." })
  average!: number;

  @Field(() => Float, { description: "Last measured value." })
  last!: number;

  @Field(() => DateTime, { description: "Time of the last measurement." })
  lastAt!: Date;
}

@ArgsType()
export class ReadingAggregatesArgs {
  @Field(() => ReadingPeriod, { description: "Aggregation period." })
  period!: ReadingPeriod;

  @Field(() => String, { description: "Measured quantity. Exact match." })
  parameter!: string;

  @Field(() => DateTime, { description: "Only hours or days that end after this time." })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "Only hours or days that begin before this time. Default: now. At most 1,000 periods after `from`.",
  })
  until?: Date | null;
}
