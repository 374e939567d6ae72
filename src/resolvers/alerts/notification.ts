import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import * as notifications from "../../domain/alerts/notifications.js";
import { NotificationStatus, NotificationType, Severity } from "../../schema/alerts/enums.js";
import { DetectorPrecision, Notification, NotificationFeedbackInput, RaiseNotificationInput } from "../../schema/alerts/notification.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";
import { Loaders } from "../loaders.js";
import { declareRoots } from "../relations.js";

export const notificationRoots = declareRoots({
  notification: one<IdArgs>("Notification", {
    args: IdArgs,
    unknown: () => notifications.unknownNotification(),
    description: "Returns a notification by id. For an unknown id it returns null with a NOT_FOUND error.",
  }),
  notifications: pages("Notification", { description: "Lists notifications, oldest first unless ordered otherwise." }),
});

@Resolver(() => Notification)
export class NotificationResolver {
  @Query(() => [DetectorPrecision], {
    complexity: listCost(10),
    description: "Returns the precision of the detectors, by notification type and model version.",
  })
  detectorPrecision(
    @Ctx() { db }: Context,
    @Arg("type", () => NotificationType, { nullable: true, description: "Only this type. Default: all types." }) type?: NotificationType,
  ): Promise<DetectorPrecision[]> {
    return notifications.detectorPrecision(db, type);
  }

  @Authorized("manager", "ingest")
  @Mutation(() => Notification, {
    description: "Raises a notification. While a notification with the same `dedupKey` is open, updates that one instead.",
  })
  raiseNotification(
    @Arg("input", () => RaiseNotificationInput, { description: "The alert." }) input: RaiseNotificationInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Notification> {
    return notifications.raiseNotification(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Notification, {
    description:
      "Changes the status of a notification. If the transition is not allowed, fails with CONFLICT; the error contains the current `status` and the `allowed` ones.",
  })
  changeNotificationStatus(
    @Arg("id", () => ID, { description: "Id of the notification." }) id: string,
    @Arg("status", () => NotificationStatus, { description: "New status. RESOLVED and DISMISSED are final." }) status: NotificationStatus,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Kept in the status history." }) reason?: string,
  ): Promise<Notification> {
    return notifications.changeNotificationStatus(db, actor, id, status, reason);
  }

  @Authorized("technician")
  @Mutation(() => Notification, { description: "Adds feedback on whether the notification was right and what was found." })
  addNotificationFeedback(
    @Arg("id", () => ID, { description: "Id of the notification, in any status." }) id: string,
    @Arg("input", () => NotificationFeedbackInput, { description: "What was found." }) input: NotificationFeedbackInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Notification> {
    return notifications.addFeedback(db, actor, id, input);
  }
}

interface EventFilter {
  assetId?: string | null;
  severity?: Severity | null;
}

const notificationEvents = (context: Context, { assetId, severity }: EventFilter): AsyncIterable<Notification> =>
  context.pubsub.notifications(context.actor.tenantId, async ({ notificationId }) => {
    // The loaders may have cached records that are older than this event.
    context.loaders = new Loaders(context.db);
    const notification = await context.loaders.record("Notification", notificationId);
    if (!notification || (assetId != null && notification.assetId !== assetId) || (severity != null && notification.severity !== severity))
      return undefined;
    return notification;
  });

@Resolver()
export class NotificationSubscriptions {
  @Authorized("viewer")
  @Subscription(() => Notification, {
    subscribe: ({ context, args }) => notificationEvents(context as Context, args),
    description: "Sends each notification when it is raised or raised again.",
  })
  notificationRaised(
    @Root() notification: Notification,
    @Arg("assetId", () => ID, { nullable: true, description: "Only notifications about this asset. Default: all." }) _assetId?: string,
    @Arg("severity", () => Severity, { nullable: true, description: "Only notifications of exactly this severity. Default: all." })
    _severity?: Severity,
  ): Notification {
    return notification;
  }
}
