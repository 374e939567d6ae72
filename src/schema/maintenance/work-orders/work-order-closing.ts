/** Failure and work data recorded when an order is completed or closed. */
import { Field, InputType } from "type-graphql";
import { CodeWord, DateTime, RequiredText } from "../../scalars.js";

@InputType({ description: "Downtime of an asset." })
export class DowntimeInput {
  @Field(() => DateTime, { description: "Start of the downtime, not in the future." })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "End of the downtime, after `from` and not in the future. If omitted or null, the asset is still down.",
  })
  to?: Date | null;
}

@InputType()
export class FailureFields {
  @Field(() => CodeWord, {
    nullable: true,
    description:
      "Code of the failure mode, from the asset's `failureCodes`. Only for CORRECTIVE work. If omitted or null, stays unchanged.",
  })
  failureMode?: string | null;

  @Field(() => CodeWord, {
    nullable: true,
    description:
      "Code of the failure cause, from the asset's `failureCodes`. Only for CORRECTIVE work. If omitted or null, stays unchanged.",
  })
  failureCause?: string | null;

  @Field(() => CodeWord, {
    nullable: true,
    description: "Code of the remedy, from the asset's `failureCodes`. Only for CORRECTIVE work. If omitted or null, stays unchanged.",
  })
  remedy?: string | null;

  @Field(() => DowntimeInput, { nullable: true, description: "Downtime of the asset. If omitted or null, stays unchanged." })
  downtime?: DowntimeInput | null;

  @Field(() => RequiredText, {
    nullable: true,
    description: "Condition of the asset before the work. If omitted or null, stays unchanged.",
  })
  asFound?: string | null;

  @Field(() => RequiredText, { nullable: true, description: "Condition of the asset after the work. If omitted or null, stays unchanged." })
  asLeft?: string | null;
}

@InputType({ description: "Additions to the record of a completed work order. All fields are optional." })
export class CloseWorkOrderInput extends FailureFields {}
