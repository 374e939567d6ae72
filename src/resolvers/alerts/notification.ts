import {
  Arg,
  Args,
  ArgsType,
  Authorized,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from "type-graphql";
import { conditionsMet } from "../../domain/alerts/alert-orders.js";
import * as notifications from "../../domain/alerts/notifications.js";
import type { FeedEntry } from "../../domain/changes/feed.js";
import { DetectorPrecision } from "../../schema/alerts/detector-precision.js";
import { NotificationStatus, NotificationType, Severity } from "../../schema/alerts/enums.js";
import { Notification } from "../../schema/alerts/notification.js";
import { NotificationFeedbackInput, RaiseNotificationInput } from "../../schema/alerts/notification-input.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import { DateTime } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost, price } from "../cost.js";
import { declareRoots } from "../relations.js";
import { AfterArgs, SubscriptionSource } from "../subscription.js";

export const notificationRoots = declareRoots({
  notification: one<IdArgs>("Notification", {
    args: IdArgs,
    unknown: () => notifications.unknownNotification(),
    description: "Returns a notification by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  notifications: pages("Notification", { description: "Lists notifications, oldest first unless ordered otherwise." }),
});

@Resolver(() => Notification)
export class NotificationResolver {
  @FieldResolver(() => Boolean, {
    nullable: true,
    description: "Whether the trigger that raised the notification is still tripped. Null if no strategy trigger raised it.",
  })
  isConditionMet(@Root() { id }: Notification, @Ctx() { data: { loaders } }: Context): Promise<boolean | null> {
    return loaders.load(conditionsMet, id);
  }

  @Query(() => [DetectorPrecision], {
    complexity: listCost(10, price.report),
    description: "Returns the precision of the detectors, by notification type and model version.",
  })
  detectorPrecision(
    @Ctx() { data: { db } }: Context,
    @Arg("type", () => NotificationType, { nullable: true, description: "Only notifications of this type. Default: all types." })
    type?: NotificationType,
  ): Promise<DetectorPrecision[]> {
    return notifications.detectorPrecision(db, type);
  }

  @Authorized("manager", "ingest")
  @Mutation(() => Notification, {
    description: "Raises a notification. If a notification with the same `dedupKey` is open, updates that notification instead.",
  })
  raiseNotification(
    @Arg("input", () => RaiseNotificationInput, { description: "Content of the alert." }) input: RaiseNotificationInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Notification> {
    return notifications.raiseNotification(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Notification, {
    description:
      "Changes the status of a notification. Fails with CONFLICT if the transition is not allowed; the error contains the current `status` and the `allowed` ones. While `isConditionMet` is true, RESOLVED is not allowed and DISMISSED requires `reason` and `shelvedUntil`.",
  })
  changeNotificationStatus(
    @Arg("id", () => ID, { description: "Id of the notification." }) id: string,
    @Arg("status", () => NotificationStatus, { description: "New status. RESOLVED and DISMISSED are final." }) status: NotificationStatus,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Reason, stored in the status history." }) reason?: string,
    @Arg("shelvedUntil", () => DateTime, {
      nullable: true,
      description:
        "For DISMISSED: time until which readings do not raise the alarm again, at most 7 days ahead. By default, the next reading beyond the limit raises it.",
    })
    shelvedUntil?: Date,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Notification> {
    return notifications.changeNotificationStatus(db, actor, id, { status, reason, shelvedUntil }, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => Notification, { description: "Adds feedback on the accuracy of a notification and the findings." })
  addNotificationFeedback(
    @Arg("id", () => ID, { description: "Id of the notification, in any status." }) id: string,
    @Arg("input", () => NotificationFeedbackInput, { description: "Feedback to add." }) input: NotificationFeedbackInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Notification> {
    return notifications.addFeedback(db, actor, id, input);
  }
}

@ArgsType()
class NotificationEventArgs extends AfterArgs {
  @Field(() => ID, { nullable: true, description: "Only notifications about this asset. Default: all." })
  assetId?: string | null;

  @Field(() => Severity, { nullable: true, description: "Only notifications of exactly this severity. Default: all." })
  severity?: Severity | null;
}

/** Current notifications of the entries that satisfy `condition`. */
const notificationEvents = ({ assetId, severity, after }: NotificationEventArgs, condition: (entry: FeedEntry) => boolean) =>
  new SubscriptionSource(["Notification"], after, async (entry, { data: { loaders } }) => {
    if (!condition(entry)) return undefined;
    const notification = await loaders.record("Notification", entry.recordId);
    if (!notification || (assetId != null && notification.assetId !== assetId) || (severity != null && notification.severity !== severity))
      return undefined;
    return notification;
  });

const isRaised = ({ kind, changedFields }: FeedEntry) => kind === "created" || changedFields.includes("occurrences");

@Resolver()
export class NotificationSubscriptions {
  @Authorized("viewer")
  @Subscription(() => Notification, {
    subscribe: ({ args }) => notificationEvents(args, isRaised),
    description: "Sends a notification each time it is raised, including repeated raises.",
  })
  notificationRaised(@Root() notification: Notification, @Args(() => NotificationEventArgs) _args: NotificationEventArgs): Notification {
    return notification;
  }

  @Authorized("viewer")
  @Subscription(() => Notification, {
    subscribe: ({ args }) => notificationEvents(args, () => true),
    description: "Sends a notification each time it changes: when it is raised, and when its status or feedback changes.",
  })
  notificationChanged(@Root() notification: Notification, @Args(() => NotificationEventArgs) _args: NotificationEventArgs): Notification {
    return notification;
  }
}
