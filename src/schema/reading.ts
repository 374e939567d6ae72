import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Measure, Name, ShortText, Timestamp } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "A measured value of an asset." })
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

  @Field(() => Name, { description: "What is measured, as the trigger conditions name it." })
  parameter!: string;

  @Field(() => Measure)
  value!: number;

  @Field(() => ShortText, { nullable: true })
  unit?: string | null;

  @Field(() => ShortText, { nullable: true })
  sensorID?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Now where left out; at most 5 minutes ahead.",
  })
  recordedAt?: Date | null;
}

@InputType({ description: "All conditions given must hold." })
export class ReadingFilter {
  @Field(() => String, { nullable: true })
  parameter?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "At or after." })
  from?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "At or before." })
  until?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "What a batch of readings did." })
export class RecordedReadings {
  @Field(() => Int)
  recorded!: number;

  @Field(() => [ID], { description: "Notifications that it raised." })
  raised!: string[];
}
