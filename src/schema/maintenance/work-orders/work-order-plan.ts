import { Field, ID, InputType } from "type-graphql";
import { Text, WholeNumber } from "../../scalars.js";
import { CustomStepInput, StepPartInput } from "../procedures/procedure-input.js";

@InputType({ description: "Changes of the plan of a work order. Omitted fields stay unchanged." })
export class WorkOrderPlanInput {
  @Field(() => Text, { nullable: true, description: "Description of the work." })
  description?: string | null;

  @Field(() => [CustomStepInput], { nullable: true, description: "Steps to append, numbered after the last step." })
  addSteps?: CustomStepInput[] | null;

  @Field(() => [WholeNumber], {
    nullable: true,
    description:
      "Numbers of pending steps to remove. Required steps and those of kind ISOLATE, VERIFY and RELEASE are skipped with a reason instead.",
  })
  removeSteps?: number[] | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description:
      "Planned quantities of parts. Parts that the work order does not list are added. The quantity includes what is already issued.",
  })
  parts?: StepPartInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of parts to remove. Nothing of them may be issued." })
  removeParts?: string[] | null;
}
