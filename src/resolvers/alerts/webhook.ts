import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import { replayDeliveries, replayDelivery } from "../../domain/alerts/deliveries.js";
import * as webhooks from "../../domain/alerts/webhooks.js";
import { CircuitState } from "../../schema/alerts/enums.js";
import {
  CreatedWebhook,
  CreateWebhookInput,
  ReplayedDeliveries,
  ReplayRangeArgs,
  UpdateWebhookInput,
  Webhook,
  WebhookDelivery,
} from "../../schema/alerts/webhook.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { pages } from "../../schema/relation.js";
import { DateTime } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";
import { requireAllSites } from "../roles.js";

const maxOverlapMinutes = 43_200;

export const webhookRoots = declareRoots({
  webhooks: pages("Webhook", {
    role: "admin",
    order: ["createdAt", "id"],
    description: "Lists webhooks, oldest first.",
  }),
});

@Resolver(() => Webhook)
export class WebhookResolver {
  @FieldResolver(() => CircuitState, { description: "State of the circuit breaker. The circuit opens after 5 consecutive failures." })
  circuit(@Root() { probeAt }: Webhook): CircuitState {
    return probeAt ? CircuitState.OPEN : CircuitState.CLOSED;
  }

  @Authorized("admin")
  @Mutation(() => CreatedWebhook, { description: "Creates a webhook and returns it with its signing secret." })
  createWebhook(
    @Arg("input", () => CreateWebhookInput, { description: "Values of the webhook." }) input: CreateWebhookInput,
    @Ctx() { data: { db }, caller: { actor }, services: { checkSelection } }: Context,
  ): Promise<CreatedWebhook> {
    requireAllSites(actor);
    if (input.selection != null) checkSelection(input.selection);
    return webhooks.createWebhook(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Webhook, { description: "Updates a webhook. While the webhook is inactive, no events are stored or sent." })
  updateWebhook(
    @Arg("id", () => ID, { description: "Id of the webhook." }) id: string,
    @Arg("input", () => UpdateWebhookInput, { description: "Values to change." }) input: UpdateWebhookInput,
    @Ctx() { data: { db }, caller: { actor }, services: { checkSelection } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Webhook> {
    requireAllSites(actor);
    if (input.selection != null) checkSelection(input.selection);
    rejectNull("Webhook", input);
    return webhooks.updateWebhook(db, actor, id, input, expectedVersion);
  }

  @Authorized("admin")
  @Mutation(() => Deletion, { description: "Permanently deletes a webhook and its delivery log." })
  async deleteWebhook(
    @Arg("id", () => ID, { description: "Id of the webhook." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    requireAllSites(actor);
    return { id, message: "Webhook deleted", deletedAt: await webhooks.deleteWebhook(db, id, expectedVersion) };
  }

  @Authorized("admin")
  @Mutation(() => CreatedWebhook, {
    description:
      "Replaces the signing secret of a webhook and returns the new one. Requests are signed with both secrets until the overlap ends.",
  })
  rotateWebhookSecret(
    @Arg("id", () => ID, { description: "Id of the webhook." }) id: string,
    @Arg("overlapMinutes", () => Int, {
      defaultValue: 60,
      description: "Minutes during which requests are also signed with the old secret, from 0 to 43,200 (30 days).",
    })
    overlapMinutes: number,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<CreatedWebhook> {
    requireAllSites(actor);
    if (overlapMinutes < 0 || overlapMinutes > maxOverlapMinutes)
      throw badInput({ overlapMinutes: `must be from 0 to ${maxOverlapMinutes}` });
    return webhooks.rotateSecret(db, actor, id, overlapMinutes);
  }

  @Authorized("admin")
  @Mutation(() => WebhookDelivery, { description: "Sends a delivered or failed delivery again, with the same event id." })
  replayWebhookDelivery(
    @Arg("id", () => ID, { description: "Id of the delivery. Fails with CONFLICT if the delivery is pending." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WebhookDelivery> {
    requireAllSites(actor);
    return replayDelivery(db, id);
  }

  @Authorized("admin")
  @Mutation(() => ReplayedDeliveries, {
    description: "Sends the settled deliveries of a period again, in order and with the same event ids.",
  })
  replayWebhookDeliveries(
    @Args(() => ReplayRangeArgs) range: ReplayRangeArgs,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<ReplayedDeliveries> {
    requireAllSites(actor);
    return replayDeliveries(db, range);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: "Time of the next attempt. Null if the event was delivered or delivery was abandoned.",
  })
  nextAttemptAt(@Root() { settledAt, nextAttemptAt }: WebhookDelivery & { nextAttemptAt: Date }): Date | null {
    return settledAt ? null : nextAttemptAt;
  }
}
