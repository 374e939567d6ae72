/** Input of alerts and of feedback on them. */
import { Field, ID, InputType } from "type-graphql";
import { DateTime, JSONObject, Name, Rating, ShortText, Text } from "../scalars.js";
import { AlertVerdict, NotificationType, Severity } from "./enums.js";

@InputType({ description: "Alert from a detector or a user." })
export class RaiseNotificationInput {
  @Field(() => NotificationType, { description: "Source of the condition." })
  type!: NotificationType;

  @Field(() => Severity, { description: "Severity of the alert." })
  severity!: Severity;

  @Field(() => Name, { description: "One-line title for lists." })
  title!: string;

  @Field(() => Text, { description: "Full text." })
  message!: string;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the asset that the alert concerns. `siteName` and `assetName` default to the asset's.",
  })
  assetId?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of the company. Default: the tenant's name." })
  companyName?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of the site. Default: the asset's site." })
  siteName?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Id of the sensor, as known to the detector." })
  sensorID?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of the asset. Default: the asset's name." })
  assetName?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which the condition occurred. Default: now." })
  timestamp?: Date | null;

  @Field(() => Name, {
    nullable: true,
    description: "Key that identifies repeated alerts. An open notification with this key is updated instead of raising another.",
  })
  dedupKey?: string | null;

  @Field(() => JSONObject, { nullable: true, description: "Metadata of the detector. Values must be numbers or strings." })
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: "Findings about an alert. All fields are optional." })
export class NotificationFeedbackInput {
  @Field(() => AlertVerdict, { nullable: true, description: "Verdict on the alert. Takes precedence over the rating." })
  verdict?: AlertVerdict | null;

  @Field(() => Rating, {
    nullable: true,
    description: "Rating from 1 (useless) to 5 (exactly right). A rating of 3 or higher confirms the alert.",
  })
  rating?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Problem of the equipment. Omit for a false alarm." })
  failureMode?: string | null;

  @Field(() => Text, { nullable: true, description: "Action taken." })
  actionTaken?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  comments?: string | null;
}
