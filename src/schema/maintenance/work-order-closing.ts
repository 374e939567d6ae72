/** What is recorded of a failure and of the work when an order is completed and closed. */
import { Field, InputType } from "type-graphql";
import { CodeWord, DateTime, RequiredText } from "../scalars.js";

@InputType({ description: "How long the asset was down." })
export class DowntimeInput {
  @Field(() => DateTime, { description: "When it went down, not in the future." })
  from!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it was up again, after `from` and not in the future. Omitted or null: it still is down.",
  })
  to?: Date | null;
}

@InputType()
export class FailureFields {
  @Field(() => CodeWord, {
    nullable: true,
    description:
      "Code of the failure's mode, one of `failureCodes` for the asset. For CORRECTIVE work alone. Omitted or null: stays as it is.",
  })
  failureMode?: string | null;

  @Field(() => CodeWord, {
    nullable: true,
    description: "Code of its cause, one of `failureCodes` for the asset. For CORRECTIVE work alone. Omitted or null: stays as it is.",
  })
  failureCause?: string | null;

  @Field(() => CodeWord, {
    nullable: true,
    description: "Code of what was done, one of `failureCodes` for the asset. For CORRECTIVE work alone. Omitted or null: stays as it is.",
  })
  remedy?: string | null;

  @Field(() => DowntimeInput, { nullable: true, description: "How long the asset was down. Omitted or null: stays as it is." })
  downtime?: DowntimeInput | null;

  @Field(() => RequiredText, { nullable: true, description: "In what condition it was found. Omitted or null: stays as it is." })
  asFound?: string | null;

  @Field(() => RequiredText, { nullable: true, description: "In what condition it was left. Omitted or null: stays as it is." })
  asLeft?: string | null;
}

@InputType({ description: "What is added to the record of a completed work order as it is closed. All fields are optional." })
export class CloseWorkOrderInput extends FailureFields {}
