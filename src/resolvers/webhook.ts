import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { selectPage, Where } from "../database/page.js";
import * as webhooks from "../domain/webhooks.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
import { Deletion } from "../schema/deletion.js";
import { Timestamp } from "../schema/scalars.js";
import {
  CreatedWebhook,
  CreateWebhookInput,
  UpdateWebhookInput,
  Webhook,
  WebhookConnection,
  WebhookDelivery,
  WebhookDeliveryConnection,
  WebhookDeliveryFilter,
  WebhookEvent,
} from "../schema/webhook.js";
import type { Context } from "./context.js";
import { pageCost } from "./cost.js";
import { refuseNull } from "./input.js";

@Resolver(() => Webhook)
export class WebhookResolver {
  @Authorized("admin")
  @Query(() => WebhookConnection, { complexity: pageCost, description: "Oldest first." })
  async webhooks(@Args(() => PageArgs) page: PageArgs, @Ctx() { db }: Context): Promise<WebhookConnection> {
    const list = { table: "Webhook", where: new Where(), order: ["createdAt", "id"], keepsDeletes: false };
    return new WebhookConnection(await selectPage(db, list, page));
  }

  @FieldResolver(() => WebhookDeliveryConnection, {
    complexity: pageCost,
    description: "What was sent, and what became of it; newest first.",
  })
  async deliveries(
    @Root() { id }: Webhook,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
    @Arg("filter", () => WebhookDeliveryFilter, { nullable: true }) filter?: WebhookDeliveryFilter,
  ): Promise<WebhookDeliveryConnection> {
    return new WebhookDeliveryConnection(await loaders.deliveriesOfWebhook(id, page, filter));
  }

  @Authorized("admin")
  @Mutation(() => CreatedWebhook)
  createWebhook(@Arg("input", () => CreateWebhookInput) input: CreateWebhookInput, @Ctx() { db, actor }: Context): Promise<CreatedWebhook> {
    return webhooks.createWebhook(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Webhook, { description: "While it is inactive nothing is sent, and nothing new is kept for it." })
  updateWebhook(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateWebhookInput) input: UpdateWebhookInput,
    @Ctx() { db }: Context,
  ): Promise<Webhook> {
    refuseNull(input, ["url", "events", "isActive"]);
    return webhooks.updateWebhook(db, id, input);
  }

  @Authorized("admin")
  @Mutation(() => Deletion, { description: "Removes it and the log of its deliveries for good." })
  async deleteWebhook(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<Deletion> {
    return { id, message: "Webhook deleted", deletedAt: await webhooks.deleteWebhook(db, id) };
  }

  @Authorized("admin")
  @Mutation(() => WebhookDelivery, { description: "Sends a settled delivery again, with the same event id." })
  replayWebhookDelivery(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<WebhookDelivery> {
    return webhooks.replayDelivery(db, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @FieldResolver(() => Timestamp, { nullable: true, description: "Null when it is settled." })
  nextAttemptAt(@Root() { settledAt, nextAttemptAt }: WebhookDelivery & { nextAttemptAt: Date }): Date | null {
    return settledAt ? null : nextAttemptAt;
  }

  @FieldResolver(() => WebhookEvent)
  async event(@Root() { eventId }: WebhookDelivery & { eventId: string }, @Ctx() { loaders }: Context): Promise<WebhookEvent> {
    return (await loaders.webhookEvent.load(eventId))!;
  }
}
