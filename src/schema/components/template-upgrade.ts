/** Upgrades of instances to the latest version of their template. */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { BulkStatus } from "./enums.js";
import { TemplateDifference } from "./template-drift.js";

@ObjectType({ simpleResolvers: true, description: "Result of upgrading an instance, or of a dry run." })
export class InstanceUpgrade {
  @Field(() => ID, { description: "Id of the instance, as in the request if it was given there." })
  instanceId!: string;

  @Field(() => BulkStatus, { description: "Status of the upgrade, or of the dry run." })
  status!: BulkStatus;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;

  @Field(() => [TemplateDifference], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "Differences before the upgrade. Those without `keptBecause` were applied.",
  })
  differences!: TemplateDifference[];
}

@ObjectType({ simpleResolvers: true, description: "Result of upgrading instances of a template." })
export class InstanceUpgrades {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => String, { description: "Version to which the instances were upgraded: the latest." })
  version!: string;

  @Field(() => Int, { description: "Number of instances that were upgraded or already up to date." })
  processed!: number;

  @Field(() => Int, { description: "Number of instances that were not changed." })
  failed!: number;

  @Field(() => [InstanceUpgrade], {
    complexity: ({ childComplexity }) => 1 + 20 * (1 + childComplexity),
    description: "One result for each instance: in the order of the request, otherwise in the order of `instances`.",
  })
  results!: InstanceUpgrade[];
}

@InputType({ description: "Instances of a template to upgrade, at most 100 at a time, and options." })
export class UpgradeInstancesInput {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => [ID], { nullable: true, description: "Ids of 1 to 100 instances. Default: all." })
  instanceIds?: string[] | null;

  @Field(() => ID, {
    nullable: true,
    description: "Only instances that have components in this asset. Cannot be combined with `instanceIds`.",
  })
  assetId?: string | null;

  @Field(() => Boolean, { description: "Whether to only return the changes without applying them." })
  dryRun!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether to delete components whose items are no longer in the latest version. Components are kept anyway if they were changed, or have child components, work orders, work requests or spare parts. Default: false.",
  })
  removeItems?: boolean | null;
}
