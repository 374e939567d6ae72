/** Meters of assets and their readings. */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, one, pages, Relations } from "../relation.js";
import { DateTime, Name, NonNegative, Positive, ShortText } from "../scalars.js";
import { Where } from "../where.js";
import { MeterKind, MeterReadingKind } from "./enums.js";

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "What counts the use of an asset. `total` is what it counted in all, over rollovers and replacements, and never falls.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "The asset. Null while it is deleted." }),
  readings: pages("MeterReading", { order: ["takenAt", "id"], descending: true, description: "What it showed, newest first." }),
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
})
export class Meter {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => MeterKind, { description: "What it counts." })
  kind!: MeterKind;

  @Field(() => String, { description: "Unit of its values and totals. Of run hours it is h." })
  unit!: string;

  @Field(() => Float, { nullable: true, description: "Where its counter begins again at 0. Null if it does not." })
  rolloverAt?: number | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change. Readings do not change a meter." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of meters." })
export class MeterConnection extends connectionOf(Meter, "Meter") {}

@ObjectType({ implements: Node, simpleResolvers: true, description: "What a meter showed." })
@Relations({ recordedByPrincipal: author("recordedBy", "Who recorded it.") })
export class MeterReading {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => DateTime, { description: "When it was read. A meter has one reading of a time." })
  takenAt!: Date;

  @Field(() => MeterReadingKind, { description: "How it goes on from the one before." })
  kind!: MeterReadingKind;

  @Field(() => Float, { description: "What the meter showed, in its unit." })
  value!: number;

  @Field(() => Float, { nullable: true, description: "What the meter that was replaced showed last. Null for other kinds." })
  finalValue?: number | null;

  @Field(() => Float, { description: "What was counted in all until then." })
  total!: number;

  @Field(() => DateTime, { description: "When it was recorded." })
  recordedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that recorded it." })
  recordedBy!: string;
}

@ObjectType({ description: "One page of a list of readings of a meter." })
export class MeterReadingConnection extends connectionOf(MeterReading, "MeterReading") {}

@InputType({ description: "A new meter." })
export class CreateMeterInput {
  @Field(() => ID, { description: "Asset whose use it counts." })
  assetId!: string;

  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => MeterKind, { description: "What it counts. An asset has one meter of RUN_HOURS, else CONFLICT with `meterId`." })
  kind!: MeterKind;

  @Field(() => ShortText, {
    nullable: true,
    description:
      "Unit of its values, which cannot be changed. Default: km for DISTANCE, cycle for CYCLES; required for OTHER, h for RUN_HOURS.",
  })
  unit?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Where its counter begins again at 0, e.g. 100000 with five digits. Default: it does not.",
  })
  rolloverAt?: number | null;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateMeterInput {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Never null." })
  name?: string | null;

  @Field(() => Positive, { nullable: true, description: "Where its counter begins again at 0; above what it shows." })
  rolloverAt?: number | null;
}

@InputType({ description: "What a meter showed." })
export class MeterReadingInput {
  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => NonNegative, { description: "What it showed. Less than the last value only with `rollover` or `finalValue`." })
  value!: number;

  @Field(() => ShortText, {
    nullable: true,
    description: "Unit of the values, converted to the meter's; one that does not fit is refused. Default: the meter's.",
  })
  unit?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When it was read. Default: now. At most 5 minutes in the future. One that is earlier than others must fit between them. The same value of a time is stored once, another one is CONFLICT.",
  })
  takenAt?: Date | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the meter began again at 0 since the last reading. Default: false." })
  rollover?: boolean | null;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Declares that another meter took its place since the last reading: what the old one showed at the end. `value` is what the new one shows.",
  })
  finalValue?: number | null;
}

@InputType({ description: "All conditions that are set must match." })
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

@InputType({ description: "All conditions that are set must match." })
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

@ObjectType({ simpleResolvers: true, description: "Result of recording a batch of readings of meters." })
export class RecordedMeterReadings {
  @Field(() => Int, { description: "Number of readings stored." })
  recorded!: number;

  @Field(() => Int, { description: "Number of readings that were stored already, or stand in the batch twice." })
  duplicates!: number;

  @Field(() => [ID], { description: "Ids of the procedures that became due by them. The scheduler makes their work orders." })
  due!: string[];
}

@ObjectType({ simpleResolvers: true, description: "How much a meter counts." })
export class MeterUsage {
  @Field(() => Float, { description: "What it counted in all. 0 before the first reading." })
  total!: number;

  @Field(() => DateTime, { nullable: true, description: "When it was read last. Null if never." })
  readAt!: Date | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "How much it counts a day: the slope of its readings of the last 90 days. Null with fewer than 3 of them, or over less than 14 days.",
  })
  perDay!: number | null;
}
