/** Meters of assets and their readings. */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, one, pages, Relations } from "../../relation.js";
import { DateTime, Name, NonNegative, Positive, ShortText } from "../../scalars.js";
import { Where } from "../../where.js";
import { MeterKind, MeterReadingKind } from "../enums.js";

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "Meter for the usage of an asset. `total` is the overall count across rollovers and replacements, and never decreases.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "Asset of the meter. Null while deleted." }),
  readings: pages("MeterReading", { order: ["takenAt", "id"], descending: true, description: "Readings of the meter, newest first." }),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class Meter {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => MeterKind, { description: "Quantity that the meter counts." })
  kind!: MeterKind;

  @Field(() => String, { description: "Unit of the values and totals. Hours (h) for run hours." })
  unit!: string;

  @Field(() => Float, { nullable: true, description: "Value at which the counter rolls over to 0. Null if it does not." })
  rolloverAt?: number | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change. Readings do not change a meter." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of meters." })
export class MeterConnection extends connectionOf(Meter, "Meter") {}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Reading of a meter." })
@Relations({ recordedByPrincipal: author("recordedBy", "Person or system that recorded the reading.") })
export class MeterReading {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => DateTime, { description: "Time of the reading, unique within the meter." })
  takenAt!: Date;

  @Field(() => MeterReadingKind, { description: "Relation to the previous reading." })
  kind!: MeterReadingKind;

  @Field(() => Float, { description: "Displayed value, in the meter's unit." })
  value!: number;

  @Field(() => Float, { nullable: true, description: "Final value of the replaced meter. Null for other kinds." })
  finalValue?: number | null;

  @Field(() => Float, { description: "Total count up to this reading." })
  total!: number;

  @Field(() => DateTime, { description: "Time of recording." })
  recordedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that recorded the reading." })
  recordedBy!: string;
}

@ObjectType({ description: "A page of meter readings." })
export class MeterReadingConnection extends connectionOf(MeterReading, "MeterReading") {}

@InputType({ description: "New meter." })
export class CreateMeterInput {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => MeterKind, {
    description: "Quantity that the meter counts. Fails with CONFLICT naming `meterId` if the asset already has a meter of RUN_HOURS.",
  })
  kind!: MeterKind;

  @Field(() => ShortText, {
    nullable: true,
    description:
      "Unit of the values, which cannot be changed. Default: km for DISTANCE, cycle for CYCLES, h for RUN_HOURS. Required for OTHER.",
  })
  unit?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Value at which the counter rolls over to 0, e.g. 100000 for five digits. By default, the counter does not roll over.",
  })
  rolloverAt?: number | null;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateMeterInput {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Must not be null." })
  name?: string | null;

  @Field(() => Positive, { nullable: true, description: "Value at which the counter rolls over to 0. Must be above the displayed value." })
  rolloverAt?: number | null;
}

@InputType({ description: "Reading of a meter." })
export class MeterReadingInput {
  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => NonNegative, { description: "Displayed value. May be less than the last value only with `rollover` or `finalValue`." })
  value!: number;

  @Field(() => ShortText, {
    nullable: true,
    description: "Unit of the values, which are converted to the meter's unit. Incompatible units are refused. Default: the meter's unit.",
  })
  unit?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Time of the reading, at most 5 minutes in the future. Default: now. An earlier reading must fit between its neighbors. A repeated reading is stored once; a different value at the same time fails with CONFLICT.",
  })
  takenAt?: Date | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the meter rolled over to 0 since the last reading. Default: false." })
  rollover?: boolean | null;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Final value of the old meter, if the meter was replaced since the last reading. `value` is then the value of the new meter.",
  })
  finalValue?: number | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<MeterReadingFilter>({
  oneOf: ["kind"],
  numbers: ["value", "total"],
  where({ kind, from, until }) {
    const where = new Where().equal({ kind });
    if (from) where.add(`"takenAt" >= ?`, from);
    if (until) where.add(`"takenAt" <= ?`, until);
    return where;
  },
})
export class MeterReadingFilter {
  @Field(() => MeterReadingKind, { nullable: true, description: "Only readings of this kind." })
  kind?: MeterReadingKind | null;

  @Field(() => DateTime, { nullable: true, description: "Only readings at or after this time." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only readings at or before this time." })
  until?: Date | null;
}

export const meterReadingList = declareList("MeterReading", { Filter: MeterReadingFilter, orders: ["takenAt", "value", "total"] });

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<MeterFilter>({
  oneOf: ["assetId", "kind"],
  contains: ["name"],
  times: ["createdAt", "updatedAt"],
  empty: ["rolloverAt"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: (equal) => new Where().equal({ ...equal }),
})
export class MeterFilter {
  @Field(() => ID, { nullable: true, description: "Only meters of this asset." })
  assetId?: string | null;

  @Field(() => MeterKind, { nullable: true, description: "Only meters of this kind." })
  kind?: MeterKind | null;
}

export const meterList = declareList("Meter", { Filter: MeterFilter, orders: ["createdAt", "name"] });

@ObjectType({ simpleResolvers: true, description: "Result of recording a batch of meter readings." })
export class RecordedMeterReadings {
  @Field(() => Int, { description: "Number of readings stored." })
  recorded!: number;

  @Field(() => Int, { description: "Number of readings that were already stored or are duplicated in the batch." })
  duplicates!: number;

  @Field(() => [ID], { description: "Ids of the procedures that became due by the readings. The scheduler creates their work orders." })
  due!: string[];
}

@ObjectType({ simpleResolvers: true, description: "Usage shown by a meter." })
export class MeterUsage {
  @Field(() => Float, { description: "Total count. 0 before the first reading." })
  total!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the last reading. Null if there is none." })
  readAt!: Date | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Daily usage: the slope of the readings of the last 90 days. Null with fewer than 3 readings, or if they span less than 14 days.",
  })
  perDay!: number | null;
}
