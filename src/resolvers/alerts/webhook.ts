import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records.js";
import * as webhooks from "../../domain/alerts/webhooks.js";
import { CreatedWebhook, CreateWebhookInput, UpdateWebhookInput, Webhook, WebhookDelivery } from "../../schema/alerts/webhook.js";
import { Deletion } from "../../schema/deletion.js";
import { pages } from "../../schema/relation.js";
import { DateTime } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";
import { requireAllSites } from "../roles.js";

export const webhookRoots = declareRoots({
  webhooks: pages("Webhook", {
    role: "admin",
    order: ["createdAt", "id"],
    description: "Lists the webhooks, oldest first.",
  }),
});

@Resolver(() => Webhook)
export class WebhookResolver {
  @Authorized("admin")
  @Mutation(() => CreatedWebhook, { description: "Creates a webhook and returns it with the secret that signs its requests." })
  createWebhook(
    @Arg("input", () => CreateWebhookInput, { description: "Values of the webhook." }) input: CreateWebhookInput,
    @Ctx() { db, actor }: Context,
  ): Promise<CreatedWebhook> {
    requireAllSites(actor);
    return webhooks.createWebhook(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Webhook, { description: "Updates a webhook. While it is inactive, nothing is sent and no new events are stored for it." })
  updateWebhook(
    @Arg("id", () => ID, { description: "Id of the webhook." }) id: string,
    @Arg("input", () => UpdateWebhookInput, { description: "The values to change." }) input: UpdateWebhookInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Webhook> {
    requireAllSites(actor);
    rejectNull("Webhook", input);
    return webhooks.updateWebhook(db, actor, id, input);
  }

  @Authorized("admin")
  @Mutation(() => Deletion, { description: "Permanently deletes a webhook and the log of its deliveries." })
  async deleteWebhook(
    @Arg("id", () => ID, { description: "Id of the webhook." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<Deletion> {
    requireAllSites(actor);
    return { id, message: "Webhook deleted", deletedAt: await webhooks.deleteWebhook(db, id) };
  }

  @Authorized("admin")
  @Mutation(() => WebhookDelivery, { description: "Sends a delivered or failed delivery again, with the same event id." })
  replayWebhookDelivery(
    @Arg("id", () => ID, { description: "Id of the delivery. One that is still pending is refused with CONFLICT." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<WebhookDelivery> {
    requireAllSites(actor);
    return webhooks.replayDelivery(db, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: "Time of the next attempt. Null if the event was delivered or delivery was given up.",
  })
  nextAttemptAt(@Root() { settledAt, nextAttemptAt }: WebhookDelivery & { nextAttemptAt: Date }): Date | null {
    return settledAt ? null : nextAttemptAt;
  }
}
