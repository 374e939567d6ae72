/** Triggers of a procedure in addition to its dates: meters and conditions. */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime, Measure, Name, NonNegative, Positive, ShortText, WholeNumber } from "../../scalars.js";
import { TriggerOperator } from "../enums.js";

@ObjectType({ simpleResolvers: true, description: "Meter of the asset by which a procedure is due." })
@Relations({ meter: one("Meter", { description: "Meter of the asset. Null while deleted; the procedure is then not due by it." }) })
export class ProcedureMeter {
  @Field(() => ID, { description: "Id of the meter." })
  meterId!: string;

  @Field(() => Float, { description: "Usage after which the procedure is due again, in the meter's unit." })
  interval!: number;

  @Field(() => Float, { description: "Meter total at which the procedure is due: `interval` after the last execution." })
  dueAtTotal!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the reading that reached the total. Null if not reached." })
  dueSince?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "Condition of readings that makes a procedure due." })
export class ProcedureCondition {
  @Field(() => String, { description: "Measured quantity, equal to the `parameter` of the readings." })
  parameter!: string;

  @Field(() => Float, { description: "Threshold for readings, in `unit`." })
  threshold!: number;

  @Field(() => String, { nullable: true, description: "Unit of the threshold. Null if it has none." })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "Comparison that makes a reading a violation." })
  operator!: TriggerOperator;

  @Field(() => Int, { description: "Number of violations that makes the procedure due." })
  violations!: number;

  @Field(() => Int, { description: "Number of readings to consider, since the last execution." })
  samples!: number;

  @Field(() => Float, {
    description: "Amount by which a reading must return within the threshold before the procedure can be due again after a cancellation.",
  })
  hysteresis!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Minutes during which readings must have violated the threshold. Null if there is no minimum.",
  })
  minimumDuration?: number | null;
}

@InputType({ description: "Meter by which a procedure is due." })
export class ProcedureMeterInput {
  @Field(() => ID, { description: "Id of a meter of the procedure's asset." })
  meterId!: string;

  @Field(() => Positive, { description: "Usage after which the procedure is due again, in the meter's unit." })
  interval!: number;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Total at which the procedure is next due. Default: `interval` after the last completion. For a meter that is new to the procedure, `interval` after its current total.",
  })
  dueAtTotal?: number | null;
}

@InputType({ description: "Condition of readings that makes a procedure due." })
export class ProcedureConditionInput {
  @Field(() => Name, { description: "Measured quantity. Must equal the `parameter` of the readings." })
  parameter!: string;

  @Field(() => Measure, { description: "Threshold for readings, in `unit`." })
  threshold!: number;

  @Field(() => ShortText, {
    nullable: true,
    description: "Unit of the threshold, such as mm/s. Readings in other units are converted. Incompatible units are refused.",
  })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "Comparison that makes a reading a violation." })
  operator!: TriggerOperator;

  @Field(() => WholeNumber, { nullable: true, description: "Number of violations that makes the procedure due. Default: 1." })
  violations?: number | null;

  @Field(() => WholeNumber, {
    nullable: true,
    description: "Number of readings to consider, at least `violations`, at most 100. Default: `violations`.",
  })
  samples?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description:
      "Amount by which a reading must return within the threshold before the procedure can be due again after a cancellation. Default: 0.",
  })
  hysteresis?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Minutes during which readings must have violated the threshold without interruption, at most 1,440. Default: no minimum.",
  })
  minimumDuration?: number | null;
}
