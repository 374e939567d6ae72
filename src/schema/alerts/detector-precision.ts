/** Precision of detectors, from the feedback on their alerts. */
import { Field, Float, Int, ObjectType } from "type-graphql";
import { NotificationType } from "./enums.js";

@ObjectType({
  simpleResolvers: true,
  description: "Precision of a detector, computed from the feedback and the status of its notifications.",
})
export class DetectorPrecision {
  @Field(() => NotificationType, { description: "Type of the notifications counted." })
  type!: NotificationType;

  @Field(() => String, { nullable: true, description: "`metadata.modelVersion` of the notifications. Null for those without one." })
  modelVersion?: string | null;

  @Field(() => Int, { description: "Number of notifications, judged or not." })
  notifications!: number;

  @Field(() => Int, {
    description: "Number of notifications judged CONFIRMED, otherwise rated 3 or higher, or resolved with a failure mode.",
  })
  confirmed!: number;

  @Field(() => Int, { description: "Number of notifications judged FALSE_ALARM, otherwise rated below 3, or dismissed." })
  falsePositives!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Confirmed notifications as a percentage of confirmed notifications and false positives. Null if there are neither.",
  })
  precision!: number | null;
}
