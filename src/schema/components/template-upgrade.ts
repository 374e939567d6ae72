/** Upgrades of instances to the latest version of their template. */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { BulkStatus } from "./enums.js";
import { TemplateDifference } from "./template-drift.js";

@ObjectType({ simpleResolvers: true, description: "What an upgrade did to an instance, or would do." })
export class InstanceUpgrade {
  @Field(() => ID, { description: "Id of the instance, as sent if it was named." })
  instanceId!: string;

  @Field(() => BulkStatus, { description: "Whether it was upgraded, or would be." })
  status!: BulkStatus;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;

  @Field(() => [TemplateDifference], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "How it differed before: what has no `keptBecause` was taken over.",
  })
  differences!: TemplateDifference[];
}

@ObjectType({ simpleResolvers: true, description: "Result of upgrading instances of a template." })
export class InstanceUpgrades {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => String, { description: "Version they were upgraded to: the latest." })
  version!: string;

  @Field(() => Int, { description: "Number of instances that were upgraded, or need not be." })
  processed!: number;

  @Field(() => Int, { description: "Number of instances that were not changed." })
  failed!: number;

  @Field(() => [InstanceUpgrade], {
    complexity: ({ childComplexity }) => 1 + 20 * (1 + childComplexity),
    description: "One result for each instance: as named, else in the order of `instances`.",
  })
  results!: InstanceUpgrade[];
}

@InputType({ description: "Which instances of a template are upgraded, at most 100 at a time, and how." })
export class UpgradeInstancesInput {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => [ID], { nullable: true, description: "Ids of 1 to 100 instances. Default: all." })
  instanceIds?: string[] | null;

  @Field(() => ID, {
    nullable: true,
    description: "Only the instances that have components in this asset. Not together with `instanceIds`.",
  })
  assetId?: string | null;

  @Field(() => Boolean, { description: "True: answers what would be done, and changes nothing." })
  dryRun!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether components are deleted whose items the latest version has no more. Those that were changed, or have components below them, work orders, work requests or spare parts are kept anyway. Default: false.",
  })
  removeItems?: boolean | null;
}
