import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime, JSONObject, Name, Rating, ShortText, Text } from "../scalars.js";
import { Where } from "../where.js";
import { AlertVerdict, NotificationStatus, NotificationType, Severity } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Feedback on a notification." })
export class NotificationFeedback {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => AlertVerdict, { nullable: true, description: "Whether the notification was right. Null if it was not said." })
  verdict?: AlertVerdict | null;

  @Field(() => Int, { nullable: true, description: "From 1 (useless) to 5 (exactly right). Null if it was not rated." })
  rating?: number | null;

  @Field(() => String, { nullable: true, description: "What was wrong with the equipment. Null for a false alarm." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "What was done about it. Null if nothing was entered." })
  actionTaken?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  comments?: string | null;

  @Field(() => DateTime, { description: "When the feedback was given." })
  createdAt!: Date;
}

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "One status change of a notification." })
@Relations({
  changedByPrincipal: author("changedBy", "Who made the change."),
})
export class NotificationStatusChange {
  @Field(() => NotificationStatus, { nullable: true, description: "Null for the first entry, created when the notification was raised." })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus, { description: "Status from this change on." })
  toStatus!: NotificationStatus;

  @Field(() => String, { nullable: true, description: "Reason given with the change. Null if none was." })
  reason?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the change." })
  changedBy!: string;

  @Field(() => String, { description: "Name of that API key at the time." })
  changedByName!: string;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}

@ObjectType({ description: "One page of a list of status changes." })
export class NotificationStatusChangeConnection extends connectionOf(NotificationStatusChange, "NotificationStatusChange") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<NotificationStatusChangeFilter>({ oneOf: ["fromStatus", "toStatus", "changedBy"], times: ["changedAt"], empty: ["fromStatus"] })
export class NotificationStatusChangeFilter {
  @Field(() => NotificationStatus, { nullable: true, description: "Only changes from this status." })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus, { nullable: true, description: "Only changes to this status." })
  toStatus?: NotificationStatus | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that made the change." })
  changedBy?: string | null;
}

declareList("NotificationStatusChange", { Filter: NotificationStatusChangeFilter, orders: ["changedAt", "fromStatus", "toStatus"] });

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "An alert about the condition of equipment, raised by a detector, a strategy or a user.",
})
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
  asset: one("Asset", { description: "The asset it is about. Null if it is about none, or the asset is deleted." }),
  feedback: one("NotificationFeedback", { on: { id: "feedbackID" }, description: "The most recent feedback. Null if there is none." }),
  feedbackHistory: many("NotificationFeedback", {
    relation: "feedback",
    order: ["createdAt", "id"],
    usual: 3,
    description: "All feedback, oldest first.",
  }),
  statusChanges: pages("NotificationStatusChange", {
    order: ["id"],
    description: "Status changes since the notification was created, oldest first.",
  }),
  statusHistory: many("NotificationStatusChange", {
    relation: "statusChanges",
    order: ["id"],
    deprecationReason: "Use `statusChanges`. Removed after 2027-06-30",
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
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "The tenant's name, unless the raiser gave another." })
  companyName!: string;

  @Field(() => String, {
    nullable: true,
    description: "The asset's site when it was raised, unless the raiser gave another. Null if neither is known.",
  })
  siteName?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the sensor, as the detector knows it. Null if none was given." })
  sensorID?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset it is about. Null if it is about none." })
  assetId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The asset's name when it was raised, unless the raiser gave another. Null if neither is known.",
  })
  assetName?: string | null;

  @Field(() => DateTime, { description: "When the condition occurred." })
  timestamp!: Date;

  @Field(() => NotificationType, { description: "What detected the condition." })
  type!: NotificationType;

  @Field(() => Severity, { description: "How soon someone should act." })
  severity!: Severity;

  @Field(() => String, { description: "One line for lists." })
  title!: string;

  @Field(() => String, { description: "The whole text." })
  message!: string;

  @Field(() => NotificationStatus, { description: "Present status. Each change is kept in `statusChanges`." })
  status!: NotificationStatus;

  @Field(() => DateTime, {
    nullable: true,
    description: "Until then no reading raises the dismissed alarm anew. Null unless it was dismissed with a shelving time.",
  })
  shelvedUntil?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Identifies repeated alerts: while one with this key is open, raising it again updates it. Null: each is a new one.",
  })
  dedupKey?: string | null;

  @Field(() => Int, { description: "Number of times the notification was raised while open." })
  occurrences!: number;

  @Field(() => ID, { nullable: true, description: "Id of the most recent feedback. Null if there is none." })
  feedbackID?: string | null;

  @Field(() => JSONObject, { description: "Numbers and strings provided by the detector, e.g. `modelVersion`." })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: "When it was first raised." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of notifications." })
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
  @Field(() => NotificationType, { description: "Type of the notifications counted." })
  type!: NotificationType;

  @Field(() => String, { nullable: true, description: "`metadata.modelVersion` of the notifications. Null for those without one." })
  modelVersion?: string | null;

  @Field(() => Int, { description: "Number of notifications, judged or not." })
  notifications!: number;

  @Field(() => Int, { description: "Notifications judged CONFIRMED, else rated 3 or better, or resolved with a failure mode." })
  confirmed!: number;

  @Field(() => Int, { description: "Notifications judged FALSE_ALARM, else rated below 3, or dismissed." })
  falsePositives!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Confirmed notifications as a percentage of confirmed and false positives. Null if there are neither.",
  })
  precision!: number | null;
}

@InputType({ description: "An alert from a detector or a user." })
export class RaiseNotificationInput {
  @Field(() => NotificationType, { description: "What detected the condition." })
  type!: NotificationType;

  @Field(() => Severity, { description: "How soon someone should act." })
  severity!: Severity;

  @Field(() => Name, { description: "One line for lists." })
  title!: string;

  @Field(() => Text, { description: "The whole text." })
  message!: string;

  @Field(() => ID, { nullable: true, description: "Asset the notification is about. `siteName` and `assetName` default to the asset's." })
  assetId?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Default: the tenant's name." })
  companyName?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Default: the asset's site." })
  siteName?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Id of the sensor, as the detector knows it." })
  sensorID?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Default: the asset's name." })
  assetName?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the condition occurred. Default: now." })
  timestamp?: Date | null;

  @Field(() => Name, {
    nullable: true,
    description: "Identifies repeated alerts. While one with this key is open, it is updated instead of adding another.",
  })
  dedupKey?: string | null;

  @Field(() => JSONObject, { nullable: true, description: "Values must be numbers or strings." })
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: "What was found when the alert was looked into. All fields are optional." })
export class NotificationFeedbackInput {
  @Field(() => AlertVerdict, { nullable: true, description: "Whether the alert was right. It decides, before the rating." })
  verdict?: AlertVerdict | null;

  @Field(() => Rating, { nullable: true, description: "From 1 (useless) to 5 (exactly right). From 3 on it confirms the alert." })
  rating?: number | null;

  @Field(() => ShortText, { nullable: true, description: "What was wrong with the equipment. Omit it for a false alarm." })
  failureMode?: string | null;

  @Field(() => Text, { nullable: true, description: "What was done about it." })
  actionTaken?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
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
  @Field(() => String, { nullable: true, description: "Exact match." })
  companyName?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match with the name kept in the notification." })
  siteName?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  sensorID?: string | null;

  @Field(() => ID, { nullable: true, description: "Only notifications about this asset." })
  assetId?: string | null;

  @Field(() => NotificationType, { nullable: true, description: "Only notifications of this type." })
  type?: NotificationType | null;

  @Field(() => [NotificationStatus], { nullable: true, description: "Only notifications in one of these statuses." })
  status?: NotificationStatus[] | null;

  @Field(() => Severity, { nullable: true, description: "Only notifications of exactly this severity." })
  severity?: Severity | null;

  @Field(() => DateTime, { nullable: true, description: "Only notifications with a `timestamp` at or after this time." })
  timestamp?: Date | null;
}

export const notificationList = declareList("Notification", {
  Filter: NotificationFilter,
  orders: [
    ...["createdAt", "updatedAt", "timestamp", "type", "status", "occurrences", "siteName", "assetName"],
    { column: "severity", ranked: Object.values(Severity) },
  ],
  groups: {
    root: "notifications",
    by: {
      ...{ status: { column: "status" }, severity: { column: "severity" }, type: { column: "type" }, siteName: { column: "siteName" } },
      ...{ createdWeek: { column: "createdAt", unit: "week" }, createdMonth: { column: "createdAt", unit: "month" } },
    },
    sums: ["occurrences"],
  },
});
