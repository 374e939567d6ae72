import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import { selectPage } from "../database/page.js";
import * as notifications from "../domain/notifications.js";
import { Asset } from "../schema/asset.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
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
} from "../schema/notification.js";
import { WorkOrder } from "../schema/work-order.js";
import { NotificationStatus, NotificationType, Severity } from "../schema/work-vocabulary.js";
import type { Context } from "./context.js";
import { listCost, pageCost } from "./cost.js";
import { makeLoaders } from "./loaders.js";

@Resolver(() => Notification)
export class NotificationResolver {
  @Query(() => Notification, { nullable: true, description: "A notification by id; null beside a NOT_FOUND error where unknown." })
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
    const list = {
      table: "Notification",
      where,
      order: ["createdAt", "id"],
      descending: orderBy?.direction === "desc",
      keepsDeletes: false,
    };
    return new NotificationConnection(await selectPage(db, list, page));
  }

  @Query(() => [DetectorPrecision], {
    complexity: listCost(10),
    description: "How often the alerts were right, by type and model version.",
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

  @FieldResolver(() => NotificationFeedback, { nullable: true, description: "The last feedback." })
  async feedback(@Root() { feedbackID }: Notification, @Ctx() { loaders }: Context): Promise<NotificationFeedback | null> {
    return feedbackID == null ? null : loaders.feedback.load(feedbackID);
  }

  @FieldResolver(() => [NotificationFeedback], { complexity: listCost(3), description: "All feedback, oldest first." })
  feedbackHistory(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<NotificationFeedback[]> {
    return loaders.feedbackOfNotification.load(id);
  }

  @FieldResolver(() => [NotificationStatusChange], { complexity: listCost(5), description: "Every change of status, oldest first." })
  statusHistory(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<NotificationStatusChange[]> {
    return loaders.statusHistoryOfNotification.load(id);
  }

  @FieldResolver(() => [WorkOrder], { complexity: listCost(3), description: "Work orders made from it." })
  workOrders(@Root() { id }: Notification, @Ctx() { loaders }: Context): Promise<WorkOrder[]> {
    return loaders.workOrdersOfNotification.load(id);
  }

  @Authorized("manager", "ingest")
  @Mutation(() => Notification, { description: "Raises an alert; while one with its dedupKey is open, updates that one." })
  raiseNotification(
    @Arg("input", () => RaiseNotificationInput) input: RaiseNotificationInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Notification> {
    return notifications.raiseNotification(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Notification, { description: "Moves it on; CONFLICT with status and allowed where it cannot become that." })
  changeNotificationStatus(
    @Arg("id", () => ID) id: string,
    @Arg("status", () => NotificationStatus) status: NotificationStatus,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true }) reason?: string,
  ): Promise<Notification> {
    return notifications.changeNotificationStatus(db, actor, id, status, reason);
  }

  @Authorized("technician")
  @Mutation(() => Notification, { description: "Says whether the alert was right, and what was found." })
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
  @FieldResolver(() => NotificationConnection, { complexity: pageCost, description: "Oldest first." })
  async notifications(
    @Root() { id }: Asset,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<NotificationConnection> {
    return new NotificationConnection(await loaders.notificationsOfAsset(id, page, undefined));
  }
}

interface Wanted {
  assetId?: string | null;
  severity?: Severity | null;
}

const raised = (context: Context, { assetId, severity }: Wanted): AsyncIterable<Notification> =>
  context.notices.notifications(context.actor.tenantId, async ({ notificationId }) => {
    // What was read for the event before is not to be answered again.
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
    subscribe: ({ context, args }) => raised(context as Context, args),
    description: "Each notification as it is raised, or raised again.",
  })
  notificationRaised(
    @Root() notification: Notification,
    @Arg("assetId", () => ID, { nullable: true }) _assetId?: string,
    @Arg("severity", () => Severity, { nullable: true }) _severity?: Severity,
  ): Notification {
    return notification;
  }
}
