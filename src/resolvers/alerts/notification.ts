import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import { type List, selectPage } from "../../database/page.js";
import * as notifications from "../../domain/alerts/notifications.js";
import { NotificationStatus, NotificationType, Severity } from "../../schema/alerts/enums.js";
import {
  DetectorPrecision,
  Notification,
  NotificationConnection,
  NotificationFeedback,
  NotificationFeedbackInput,
  NotificationFilter,
  NotificationOrder,
  NotificationStatusChange,
  RaiseNotificationInput,
} from "../../schema/alerts/notification.js";
import { Asset } from "../../schema/assets/asset.js";
import { NestedPageArgs, PageArgs } from "../../schema/connection.js";
import { WorkOrder } from "../../schema/maintenance/work-order.js";
import type { Context } from "../context.js";
import { listCost, pageCost } from "../cost.js";
import { makeLoaders } from "../loaders.js";

@Resolver(() => Notification)
export class NotificationResolver {
  @Query(() => Notification, {
    nullable: true,
    description: "Returns a notification by id. For an unknown id it returns null with a NOT_FOUND error.",
  })
  async notification(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Notification> {
    return (await loaders.notification.load(id)) ?? Promise.reject(notifications.unknownNotification());
  }

  @Query(() => NotificationConnection, { complexity: pageCost })
  async notifications(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => NotificationFilter, { nullable: true }) filter?: NotificationFilter,
    @Arg("orderBy", () => NotificationOrder, { nullable: true }) orderBy?: NotificationOrder,
  ): Promise<NotificationConnection> {
    const where = notifications.notificationWhere(filter);
    const list: List<"Notification"> = {
      table: "Notification",
      where,
      order: ["createdAt", "id"],
      descending: orderBy?.direction === "desc",
    };
    return new NotificationConnection(await selectPage(db, list, page));
  }

  @Query(() => [DetectorPrecision], {
    complexity: listCost(10),
    description: "Returns the precision of the detectors, by notification type and model version.",
  })
  detectorPrecision(
    @Ctx() { db }: Context,
    @Arg("type", () => NotificationType, { nullable: true }) type?: NotificationType,
  ): Promise<DetectorPrecision[]> {
    return notifications.detectorPrecision(db, type);
  }

  @FieldResolver(() => Asset, { nullable: true })
  async asset(@Root() { assetId }: Notification, @Ctx() { loaders }: Context): Promise<Asset | null> {
    return assetId == null ? null : loaders.asset.load(assetId);
  }

  @FieldResolver(() => NotificationFeedback, { nullable: true, description: "The most recent feedback." })
  async feedback(@Root() { feedbackID }: Notification, @Ctx() { loaders }: Context): Promise<NotificationFeedback | null> {
    return feedbackID == null ? null : loaders.feedback.load(feedbackID);
  }

  @FieldResolver(() => [NotificationFeedback], { complexity: listCost(3), description: "All feedback, oldest first." })
  feedbackHistory(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<NotificationFeedback[]> {
    return loaders.feedbackOfNotification.load(id);
  }

  @FieldResolver(() => [NotificationStatusChange], { complexity: listCost(5), description: "All status changes, oldest first." })
  statusHistory(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<NotificationStatusChange[]> {
    return loaders.statusHistoryOfNotification.load(id);
  }

  @FieldResolver(() => [WorkOrder], { complexity: listCost(3), description: "Work orders created from this notification, oldest first." })
  workOrders(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<WorkOrder[]> {
    return loaders.workOrdersOfNotification.load(id);
  }

  @Authorized("manager", "ingest")
  @Mutation(() => Notification, {
    description: "Raises a notification. While a notification with the same `dedupKey` is open, updates that one instead.",
  })
  raiseNotification(
    @Arg("input", () => RaiseNotificationInput) input: RaiseNotificationInput,
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
    @Arg("id", () => ID) id: string,
    @Arg("status", () => NotificationStatus) status: NotificationStatus,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true }) reason?: string,
  ): Promise<Notification> {
    return notifications.changeNotificationStatus(db, actor, id, status, reason);
  }

  @Authorized("technician")
  @Mutation(() => Notification, { description: "Adds feedback on whether the notification was right and what was found." })
  addNotificationFeedback(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => NotificationFeedbackInput) input: NotificationFeedbackInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Notification> {
    return notifications.addFeedback(db, actor, id, input);
  }
}

@Resolver(() => Asset)
export class AssetNotificationsResolver {
  @FieldResolver(() => NotificationConnection, { complexity: pageCost, description: "Notifications about the asset, oldest first." })
  async notifications(
    @Root() { id }: Asset,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<NotificationConnection> {
    return new NotificationConnection(await loaders.notificationsOfAsset(id, page, undefined));
  }
}

interface EventFilter {
  assetId?: string | null;
  severity?: Severity | null;
}

const notificationEvents = (context: Context, { assetId, severity }: EventFilter): AsyncIterable<Notification> =>
  context.pubsub.notifications(context.actor.tenantId, async ({ notificationId }) => {
    // The loaders may have cached records that are older than this event.
    context.loaders = makeLoaders(context.db);
    const notification = await context.loaders.notification.load(notificationId);
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
    @Arg("assetId", () => ID, { nullable: true }) _assetId?: string,
    @Arg("severity", () => Severity, { nullable: true }) _severity?: Severity,
  ): Notification {
    return notification;
  }
}
