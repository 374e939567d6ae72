import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { one, pages, Relations } from "../relation.js";
import { DateTime, JSONObject, ShortText, Url } from "../scalars.js";
import { DeliveryStatus, WebhookEventKind } from "./enums.js";

@InputType({ description: "All conditions that are set must match." })
@Filter<WebhookDeliveryFilter>({ oneOf: ["status"], times: ["lastAttemptAt", "settledAt"], empty: ["settledAt", "error"] })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true, description: "Only deliveries in this status." })
  status?: DeliveryStatus | null;
}

declareList("WebhookDelivery", { Filter: WebhookDeliveryFilter, orders: ["id"], key: [] });

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A URL that receives events as signed POST requests." })
@Relations({
  deliveries: pages("WebhookDelivery", {
    order: ["id"],
    descending: true,
    description: "Deliveries to the webhook, newest first.",
  }),
})
export class Webhook {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => Url, { description: "Where events are sent. Redirects are not followed." })
  url!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => [WebhookEventKind], { description: "Kinds of events that are sent." })
  events!: WebhookEventKind[];

  @Field(() => Boolean, { description: "While false, nothing is sent and no new events are stored for it." })
  isActive!: boolean;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;
}

@ObjectType({ description: "One page of a list of webhooks." })
export class WebhookConnection extends connectionOf(Webhook, "Webhook") {}

@ObjectType({ simpleResolvers: true, description: "A new webhook with its secret." })
export class CreatedWebhook {
  @Field(() => Webhook, { description: "The new webhook. It is active at once." })
  webhook!: Webhook;

  @Field(() => String, { description: "Secret for verifying the signature of requests. Shown only once." })
  secret!: string;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Something that happened and is sent to webhooks." })
export class WebhookEvent {
  @Field(() => ID, { description: "Sent as the header `webhook-id`. Does not change between attempts." })
  id!: string;

  @Field(() => WebhookEventKind, { description: "What happened." })
  kind!: WebhookEventKind;

  @Field(() => ID, { description: "Id of the record the event is about. Events of one record are delivered in order." })
  recordId!: string;

  @Field(() => JSONObject, { description: "Fields of the event, as in the body of the request. They depend on the kind." })
  data!: Record<string, unknown>;

  @Field(() => DateTime, { description: "When it happened." })
  createdAt!: Date;
}

@ObjectType({ implements: Node, description: "Delivery of one event to one webhook." })
@Relations({ event: one("WebhookEvent", { required: true, description: "The event that is delivered." }) })
export class WebhookDelivery {
  @Field(() => ID, { simple: true, description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => DeliveryStatus, { simple: true, description: "Whether it still has to be sent." })
  status!: DeliveryStatus;

  @Field(() => Int, { simple: true, description: "Number of attempts so far, counted anew after a replay. After eleven it is given up." })
  attempts!: number;

  @Field(() => DateTime, { simple: true, nullable: true, description: "Time of the last attempt. Null before the first." })
  lastAttemptAt?: Date | null;

  @Field(() => Int, { simple: true, nullable: true, description: "HTTP status of the last response. Null if there was none." })
  responseStatus?: number | null;

  @Field(() => String, { simple: true, nullable: true, description: "Why the last attempt failed. Null if it did not." })
  error?: string | null;

  @Field(() => DateTime, {
    simple: true,
    nullable: true,
    description: "When the event was delivered, or delivery was given up. Null while it is pending.",
  })
  settledAt?: Date | null;
}

@ObjectType({ description: "One page of a list of deliveries." })
export class WebhookDeliveryConnection extends connectionOf(WebhookDelivery, "WebhookDelivery") {}

@InputType({ description: "A new webhook." })
export class CreateWebhookInput {
  @Field(() => Url, {
    description: "An http or https URL. URLs in private networks are rejected unless the service is configured to allow them.",
  })
  url!: string;

  @Field(() => [WebhookEventKind], { description: "Kinds of events to send, at least one." })
  events!: WebhookEventKind[];

  @Field(() => ShortText, { nullable: true, description: "Free text." })
  description?: string | null;
}

@InputType({ description: "Fields that are omitted stay unchanged." })
export class UpdateWebhookInput {
  @Field(() => Url, { nullable: true, description: "An http or https URL. Never null." })
  url?: string | null;

  @Field(() => [WebhookEventKind], { nullable: true, description: "All kinds of events to send, not only new ones." })
  events?: WebhookEventKind[] | null;

  @Field(() => ShortText, { nullable: true, description: "Free text. Null clears it." })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: "False pauses the webhook." })
  isActive?: boolean | null;
}
