import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime, JSONObject } from "../scalars.js";
import { Where } from "../where.js";
import { AlertVerdict, NotificationStatus, NotificationType, Severity } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Feedback on a notification." })
export class NotificationFeedback {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => AlertVerdict, { nullable: true, description: "Verdict on the notification. Null if not given." })
  verdict?: AlertVerdict | null;

  @Field(() => Int, { nullable: true, description: "Rating from 1 (useless) to 5 (exactly right). Null if not rated." })
  rating?: number | null;

  @Field(() => String, { nullable: true, description: "Problem of the equipment. Null for a false alarm." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "Action taken. Null if none was entered." })
  actionTaken?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  comments?: string | null;

  @Field(() => DateTime, { description: "Time at which the feedback was given." })
  createdAt!: Date;
}

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "Status change of a notification." })
@Relations({
  changedByPrincipal: author("changedBy", "Person or system that made the change."),
})
export class NotificationStatusChange {
  @Field(() => NotificationStatus, {
    nullable: true,
    description: "Status before the change. Null for the first entry, created when the notification was raised.",
  })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus, { description: "Status after the change." })
  toStatus!: NotificationStatus;

  @Field(() => String, { nullable: true, description: "Reason for the change. Null if none was given." })
  reason?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the change." })
  changedBy!: string;

  @Field(() => String, { description: "Name of that person or system at the time." })
  changedByName!: string;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}

@ObjectType({ description: "A page of status changes." })
export class NotificationStatusChangeConnection extends connectionOf(NotificationStatusChange, "NotificationStatusChange") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<NotificationStatusChangeFilter>({ oneOf: ["fromStatus", "toStatus", "changedBy"], times: ["changedAt"], empty: ["fromStatus"] })
export class NotificationStatusChangeFilter {
  @Field(() => NotificationStatus, { nullable: true, description: "Only changes from this status." })
  fromStatus?: NotificationStatus | null;

  @Field(() => NotificationStatus, { nullable: true, description: "Only changes to this status." })
  toStatus?: NotificationStatus | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change." })
  changedBy?: string | null;
}

declareList("NotificationStatusChange", { Filter: NotificationStatusChangeFilter, orders: ["changedAt", "fromStatus", "toStatus"] });

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "Alert about the condition of equipment, raised by a detector, a strategy or a user.",
})
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  asset: one("Asset", { description: "Asset that the notification concerns. Null if there is none or the asset is deleted." }),
  feedback: one("NotificationFeedback", { on: { id: "feedbackID" }, description: "Most recent feedback. Null if there is none." }),
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
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name of the tenant, unless set when the notification was raised." })
  companyName!: string;

  @Field(() => String, {
    nullable: true,
    description: "Site of the asset when the notification was raised, unless set explicitly. Null if unknown.",
  })
  siteName?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the sensor, as known to the detector. Null if none was given." })
  sensorID?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset that the notification concerns. Null if there is none." })
  assetId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Name of the asset when the notification was raised, unless set explicitly. Null if unknown.",
  })
  assetName?: string | null;

  @Field(() => DateTime, { description: "Time at which the condition occurred." })
  timestamp!: Date;

  @Field(() => NotificationType, { description: "Source of the condition." })
  type!: NotificationType;

  @Field(() => Severity, { description: "Severity of the alert." })
  severity!: Severity;

  @Field(() => String, { description: "One-line title for lists." })
  title!: string;

  @Field(() => String, { description: "Full text." })
  message!: string;

  @Field(() => NotificationStatus, { description: "Current status. Changes are recorded in `statusChanges`." })
  status!: NotificationStatus;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time until which readings do not raise the dismissed alarm again. Null unless set on dismissal.",
  })
  shelvedUntil?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Key that identifies repeated alerts. While a notification with this key is open, raising it again updates it. Null if each alert is new.",
  })
  dedupKey?: string | null;

  @Field(() => Int, { description: "Number of times the notification was raised while open." })
  occurrences!: number;

  @Field(() => ID, { nullable: true, description: "Id of the most recent feedback. Null if there is none." })
  feedbackID?: string | null;

  @Field(() => JSONObject, { description: "Numbers and strings from the detector, e.g. `modelVersion`." })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: "Time at which the notification was first raised." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of notifications." })
export class NotificationConnection extends connectionOf(Notification, "Notification") {
  @Field(() => Int, { simple: true, description: "Number of notifications on this page." })
  get count(): number {
    return this.page.rows.length;
  }

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "`endCursor` of the page if more notifications follow, otherwise null.",
  })
  get nextToken(): string | null {
    const { rows, hasNextPage, cursor } = this.page;
    return hasNextPage ? cursor(rows.at(-1)!) : null;
  }
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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

  @Field(() => String, { nullable: true, description: "Exact match with the name stored in the notification." })
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
    "createdAt",
    "updatedAt",
    "timestamp",
    "type",
    "status",
    "occurrences",
    "siteName",
    "assetName",
    { column: "severity", ranked: Object.values(Severity) },
  ],
  groups: {
    root: "notifications",
    by: {
      status: { column: "status" },
      severity: { column: "severity" },
      type: { column: "type" },
      siteName: { column: "siteName" },
      createdWeek: { column: "createdAt", unit: "week" },
      createdMonth: { column: "createdAt", unit: "month" },
    },
    sums: ["occurrences"],
  },
});
