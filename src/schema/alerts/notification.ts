import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { many, one, Relations } from "../relation.js";
import { Name, Properties, Rating, ShortText, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { NotificationStatus, NotificationType, Severity } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Feedback on a notification." })
export class NotificationFeedback {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, { nullable: true, description: "From 1 (useless) to 5 (exactly right)." })
  rating?: number | null;

  @Field(() => String, { nullable: true, description: "What was wrong with the equipment. Null for a false alarm." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true })
  actionTaken?: string | null;

  @Field(() => String, { nullable: true })
  comments?: string | null;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "One status change of a notification." })
export class NotificationStatusChange {
  @Field(() => NotificationStatus, { nullable: true, description: "Null for the first entry, created when the notification was raised." })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus)
  toStatus!: NotificationStatus;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { description: "Id of the API key that made the change." })
  changedBy!: string;

  @Field(() => String)
  changedByName!: string;

  @Field(() => Timestamp)
  changedAt!: Date;
}

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "An alert about the condition of equipment, raised by a detector, a strategy or a user.",
})
@Relations({
  asset: one("Asset"),
  feedback: one("NotificationFeedback", { on: { id: "feedbackID" }, description: "The most recent feedback." }),
  feedbackHistory: many("NotificationFeedback", {
    relation: "feedback",
    order: ["createdAt", "id"],
    usual: 3,
    description: "All feedback, oldest first.",
  }),
  statusHistory: many("NotificationStatusChange", {
    relation: "statusChanges",
    order: ["id"],
    usual: 5,
    description: "All status changes, oldest first.",
  }),
  workOrders: many("WorkOrder", {
    order: ["createdAt", "id"],
    usual: 3,
    description: "Work orders created from this notification, oldest first.",
  }),
})
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

  @Field(() => Timestamp, { description: "When the condition occurred." })
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

  @Field(() => String, {
    nullable: true,
    description: "Identifies repeated alerts. While a notification with this key is open, raising it again updates that notification.",
  })
  dedupKey?: string | null;

  @Field(() => Int, { description: "Number of times the notification was raised while open." })
  occurrences!: number;

  @Field(() => ID, { nullable: true, description: "Id of the most recent feedback." })
  feedbackID?: string | null;

  @Field(() => Properties, { description: "Numbers and strings provided by the detector, e.g. `modelVersion`." })
  metadata!: Record<string, unknown>;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class NotificationConnection extends connectionOf(Notification, "Notification") {
  @Field(() => Int, { simple: true, description: "Number of notifications on this page." })
  get count(): number {
    return this.page.rows.length;
  }

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "The page's `endCursor` if more notifications follow, otherwise null.",
  })
  get nextToken(): string | null {
    const { rows, hasNextPage, cursor } = this.page;
    return hasNextPage ? cursor(rows.at(-1)!) : null;
  }
}

@ObjectType({
  simpleResolvers: true,
  description: "Precision of a detector, computed from the feedback on its notifications and from their status.",
})
export class DetectorPrecision {
  @Field(() => NotificationType)
  type!: NotificationType;

  @Field(() => String, { nullable: true, description: "`metadata.modelVersion` of the notifications." })
  modelVersion?: string | null;

  @Field(() => Int)
  notifications!: number;

  @Field(() => Int, { description: "Notifications rated 3 or better, or resolved with a failure mode." })
  confirmed!: number;

  @Field(() => Int, { description: "Notifications rated below 3, or dismissed." })
  falsePositives!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Confirmed notifications as a percentage of confirmed and false positives. Null if there are neither.",
  })
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

  @Field(() => ID, { nullable: true, description: "Asset the notification is about. `siteName` and `assetName` default to the asset's." })
  assetId?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Default: the tenant's name." })
  companyName?: string | null;

  @Field(() => ShortText, { nullable: true })
  siteName?: string | null;

  @Field(() => ShortText, { nullable: true })
  sensorID?: string | null;

  @Field(() => ShortText, { nullable: true })
  assetName?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When the condition occurred. Default: now." })
  timestamp?: Date | null;

  @Field(() => Name, { nullable: true })
  dedupKey?: string | null;

  @Field(() => Properties, { nullable: true, description: "Values must be numbers or strings." })
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

@InputType({ description: "All conditions that are set must match." })
@Filter<NotificationFilter>({
  oneOf: ["companyName", "siteName", "sensorID", "assetId", "type", "severity"],
  contains: ["title", "message"],
  times: ["createdAt", "updatedAt"],
  empty: ["siteName", "sensorID", "assetId", "dedupKey"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where({ timestamp, status, ...equal }) {
    const where = new Where().equal(equal);
    if (timestamp) where.add(`"timestamp" >= ?`, timestamp);
    if (status) where.oneOf("status", status);
    return where;
  },
})
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

  @Field(() => Timestamp, { nullable: true, description: "Only notifications with a `timestamp` at or after this time." })
  timestamp?: Date | null;
}

export const notificationList = declareList("Notification", {
  Filter: NotificationFilter,
  orders: [
    ...["createdAt", "updatedAt", "timestamp", "type", "status", "occurrences", "siteName", "assetName"],
    { column: "severity", ranked: Object.values(Severity) },
  ],
});
