/** What a procedure is due by beside its dates: meters and conditions. */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime, Measure, Name, NonNegative, Positive, ShortText, WholeNumber } from "../scalars.js";
import { TriggerOperator } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "A meter of the asset by which a procedure is due." })
@Relations({ meter: one("Meter", { description: "The meter. Null while it is deleted: then nothing is due by it." }) })
export class ProcedureMeter {
  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => Float, { description: "After so much, in the meter's unit, it is due again." })
  interval!: number;

  @Field(() => Float, { description: "Total of the meter at which it is due: `interval` more than when the work was done last." })
  dueAtTotal!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the reading that reached the total. Null while none did." })
  dueSince?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "When readings of the asset make a procedure due." })
export class ProcedureCondition {
  @Field(() => String, { description: "What is measured: the `parameter` of the readings." })
  parameter!: string;

  @Field(() => Float, { description: "Value that readings are compared with, in `unit`." })
  threshold!: number;

  @Field(() => String, { nullable: true, description: "Unit of the threshold. Null if it has none." })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "On which side of the threshold a reading is a violation." })
  operator!: TriggerOperator;

  @Field(() => Int, { description: "Number of violations that makes it due." })
  violations!: number;

  @Field(() => Int, { description: "Among so many readings, since the work was done last." })
  samples!: number;

  @Field(() => Float, { description: "How far a reading must be back before it can be due again after a cancellation." })
  hysteresis!: number;

  @Field(() => Float, { nullable: true, description: "Minutes for which readings must have been beyond the threshold. Null for none." })
  minimumDuration?: number | null;
}

@InputType({ description: "A meter by which a procedure is due." })
export class ProcedureMeterInput {
  @Field(() => ID, { description: "Id of a meter of the procedure's asset." })
  meterId!: string;

  @Field(() => Positive, { description: "After so much, in the meter's unit, it is due again." })
  interval!: number;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Total at which it is due next. Default: `interval` after the last completion; of a meter that is new to the procedure, from its total now.",
  })
  dueAtTotal?: number | null;
}

@InputType({ description: "When readings of the asset make a procedure due." })
export class ProcedureConditionInput {
  @Field(() => Name, { description: "What is measured. Must equal the `parameter` of the readings." })
  parameter!: string;

  @Field(() => Measure, { description: "Value that readings are compared with, in `unit`." })
  threshold!: number;

  @Field(() => ShortText, {
    nullable: true,
    description: "Unit of the threshold, such as mm/s. Readings in other units are converted to it; those that cannot be are refused.",
  })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "On which side of the threshold a reading is a violation." })
  operator!: TriggerOperator;

  @Field(() => WholeNumber, { nullable: true, description: "Number of violations that makes it due. Default: 1." })
  violations?: number | null;

  @Field(() => WholeNumber, { nullable: true, description: "At least `violations`, at most 100. Default: `violations`." })
  samples?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "How far a reading must be back before it can be due again after a cancellation. Default: 0.",
  })
  hysteresis?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Minutes for which readings must have been beyond the threshold without interruption, at most 1,440. Default: none.",
  })
  minimumDuration?: number | null;
}
