import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Name, Properties, Rating, ShortText, Text, Timestamp } from "./scalars.js";
import { Direction } from "./vocabulary.js";
import { NotificationStatus, NotificationType, Severity } from "./work-vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "What somebody said of a notification." })
export class NotificationFeedback {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, { nullable: true, description: "1 (useless) to 5 (spot on)." })
  rating?: number | null;

  @Field(() => String, { nullable: true, description: "What was wrong with the equipment; none for a false alarm." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true })
  actionTaken?: string | null;

  @Field(() => String, { nullable: true })
  comments?: string | null;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "One change of a notification's status: who, from, to, when, why." })
export class NotificationStatusChange {
  @Field(() => NotificationStatus, { nullable: true, description: "Null for the entry made when it was raised." })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus)
  toStatus!: NotificationStatus;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { description: "Id of the API key." })
  changedBy!: string;

  @Field(() => String)
  changedByName!: string;

  @Field(() => Timestamp)
  changedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "A predictive alert (interface.md 2.10)." })
export class Notification {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String)
  companyName!: string;

  @Field(() => String, { nullable: true })
  siteName?: string | null;

  @Field(() => String, { nullable: true })
  sensorID?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => String, { nullable: true })
  assetName?: string | null;

  @Field(() => Timestamp, { description: "Time of the condition." })
  timestamp!: Date;

  @Field(() => NotificationType)
  type!: NotificationType;

  @Field(() => Severity)
  severity!: Severity;

  @Field(() => String)
  title!: string;

  @Field(() => String)
  message!: string;

  @Field(() => NotificationStatus)
  status!: NotificationStatus;

  @Field(() => String, { nullable: true, description: "While one with the key is open, raising it again updates that one." })
  dedupKey?: string | null;

  @Field(() => Int, { description: "How often it was raised while open." })
  occurrences!: number;

  @Field(() => ID, { nullable: true, description: "The last feedback." })
  feedbackID?: string | null;

  @Field(() => Properties, { description: "Numbers and strings of the detector's own, e.g. modelVersion." })
  metadata!: Record<string, unknown>;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class NotificationConnection extends connectionOf(Notification, "Notification") {
  @Field(() => Int, { simple: true, description: "Notifications on this page." })
  get count(): number {
    return this.page.rows.length;
  }

  @Field(() => String, { simple: true, nullable: true, description: "The page's endCursor where more follow, else null." })
  get nextToken(): string | null {
    const { rows, hasNextPage, cursor } = this.page;
    return hasNextPage ? cursor(rows.at(-1)!) : null;
  }
}

@ObjectType({ simpleResolvers: true, description: "How often the alerts of a detector were right, by their feedback and status." })
export class DetectorPrecision {
  @Field(() => NotificationType)
  type!: NotificationType;

  @Field(() => String, { nullable: true, description: "metadata.modelVersion of its notifications." })
  modelVersion?: string | null;

  @Field(() => Int)
  notifications!: number;

  @Field(() => Int, { description: "Rated 3 or better, or resolved with a failure mode." })
  confirmed!: number;

  @Field(() => Int, { description: "Rated below 3, or dismissed." })
  falsePositives!: number;

  @Field(() => Float, { nullable: true, description: "Percent confirmed of those judged; null where none was judged." })
  precision!: number | null;
}

@InputType()
export class RaiseNotificationInput {
  @Field(() => NotificationType)
  type!: NotificationType;

  @Field(() => Severity)
  severity!: Severity;

  @Field(() => Name)
  title!: string;

  @Field(() => Text)
  message!: string;

  @Field(() => ID, { nullable: true, description: "Gives siteName and assetName where they are left out." })
  assetId?: string | null;

  @Field(() => ShortText, { nullable: true, description: "The tenant's name where left out." })
  companyName?: string | null;

  @Field(() => ShortText, { nullable: true })
  siteName?: string | null;

  @Field(() => ShortText, { nullable: true })
  sensorID?: string | null;

  @Field(() => ShortText, { nullable: true })
  assetName?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Now where left out." })
  timestamp?: Date | null;

  @Field(() => Name, { nullable: true })
  dedupKey?: string | null;

  @Field(() => Properties, { nullable: true, description: "Numbers and strings." })
  metadata?: Record<string, unknown> | null;
}

@InputType()
export class NotificationFeedbackInput {
  @Field(() => Rating, { nullable: true })
  rating?: number | null;

  @Field(() => ShortText, { nullable: true })
  failureMode?: string | null;

  @Field(() => Text, { nullable: true })
  actionTaken?: string | null;

  @Field(() => Text, { nullable: true })
  comments?: string | null;
}

@InputType({ description: "All conditions given must hold." })
export class NotificationFilter {
  @Field(() => String, { nullable: true })
  companyName?: string | null;

  @Field(() => String, { nullable: true })
  siteName?: string | null;

  @Field(() => String, { nullable: true })
  sensorID?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => NotificationType, { nullable: true })
  type?: NotificationType | null;

  @Field(() => [NotificationStatus], { nullable: true })
  status?: NotificationStatus[] | null;

  @Field(() => Severity, { nullable: true })
  severity?: Severity | null;

  @Field(() => Timestamp, { nullable: true, description: "Conditions at or after." })
  timestamp?: Date | null;
}

@InputType()
export class NotificationOrder {
  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC, description: "By time of creation." })
  direction?: Direction | null;
}
