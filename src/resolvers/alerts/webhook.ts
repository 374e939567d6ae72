import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { selectPage, Where } from "../../database/page.js";
import { rejectNull } from "../../database/records.js";
import * as webhooks from "../../domain/alerts/webhooks.js";
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
} from "../../schema/alerts/webhook.js";
import { NestedPageArgs, PageArgs } from "../../schema/connection.js";
import { Deletion } from "../../schema/deletion.js";
import { Timestamp } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { pageCost } from "../cost.js";

@Resolver(() => Webhook)
export class WebhookResolver {
  @Authorized("admin")
  @Query(() => WebhookConnection, { complexity: pageCost, description: "Lists the webhooks, oldest first." })
  async webhooks(@Args(() => PageArgs) page: PageArgs, @Ctx() { db }: Context): Promise<WebhookConnection> {
    return new WebhookConnection(await selectPage(db, { table: "Webhook", where: new Where(), order: ["createdAt", "id"] }, page));
  }

  @FieldResolver(() => WebhookDeliveryConnection, {
    complexity: pageCost,
    description: "Deliveries to the webhook, newest first.",
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
  @Mutation(() => CreatedWebhook, { description: "Creates a webhook and returns it with the secret that signs its requests." })
  createWebhook(@Arg("input", () => CreateWebhookInput) input: CreateWebhookInput, @Ctx() { db, actor }: Context): Promise<CreatedWebhook> {
    return webhooks.createWebhook(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Webhook, { description: "Updates a webhook. While it is inactive, nothing is sent and no new events are stored for it." })
  updateWebhook(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateWebhookInput) input: UpdateWebhookInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Webhook> {
    rejectNull("Webhook", input);
    return webhooks.updateWebhook(db, actor, id, input);
  }

  @Authorized("admin")
  @Mutation(() => Deletion, { description: "Permanently deletes a webhook and the log of its deliveries." })
  async deleteWebhook(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<Deletion> {
    return { id, message: "Webhook deleted", deletedAt: await webhooks.deleteWebhook(db, id) };
  }

  @Authorized("admin")
  @Mutation(() => WebhookDelivery, { description: "Sends a delivered or failed delivery again, with the same event id." })
  replayWebhookDelivery(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<WebhookDelivery> {
    return webhooks.replayDelivery(db, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @FieldResolver(() => Timestamp, {
    nullable: true,
    description: "Time of the next attempt. Null if the event was delivered or delivery was given up.",
  })
  nextAttemptAt(@Root() { settledAt, nextAttemptAt }: WebhookDelivery & { nextAttemptAt: Date }): Date | null {
    return settledAt ? null : nextAttemptAt;
  }

  @FieldResolver(() => WebhookEvent)
  async event(@Root() { eventId }: WebhookDelivery & { eventId: string }, @Ctx() { loaders }: Context): Promise<WebhookEvent> {
    return (await loaders.webhookEvent.load(eventId))!;
  }
}
