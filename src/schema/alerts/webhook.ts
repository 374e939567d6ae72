import { ArgsType, Extensions, Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { ChangeKind, RecordType } from "../changes/enums.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, one, pages, Relations } from "../relation.js";
import { DateTime, JSONObject, Place, ShortText, Text, Url } from "../scalars.js";
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
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
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

  @Field(() => [WebhookEventKind], { description: "Kinds of events that are sent. Empty for one that is sent changes of records alone." })
  events!: WebhookEventKind[];

  @Field(() => [RecordType], { description: "Types of records whose changes are sent too, as the event `record.changed`. Empty: none." })
  recordTypes!: RecordType[];

  @Field(() => [ChangeKind], { description: "Which changes of records are sent. Empty: all." })
  changeKinds!: ChangeKind[];

  @Field(() => [String], {
    description: "Only what is about records at these sites, or that were there before the change, is sent. Empty: all.",
  })
  sites!: string[];

  @Field(() => String, {
    nullable: true,
    description: "What is sent of a changed record: a selection on `Node`, read with the rights of a viewer. Null: nothing.",
  })
  selection?: string | null;

  @Field(() => Boolean, { description: "While false, nothing is sent and no new events are stored for it." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Since when every attempt has failed. Null if the last one succeeded." })
  failingSince?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "While the circuit is open: the time of the next attempt, whatever is due. Null while it is closed.",
  })
  probeAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Until when the secret before the last rotation signs too. Null if it was never rotated.",
  })
  previousSecretEndsAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of webhooks." })
export class WebhookConnection extends connectionOf(Webhook, "Webhook") {}

@ObjectType({ simpleResolvers: true, description: "A webhook with its new secret." })
export class CreatedWebhook {
  @Field(() => Webhook, { description: "The webhook. A new one is active at once." })
  webhook!: Webhook;

  @Extensions({ shownOnce: true })
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

  @Field(() => String, {
    nullable: true,
    description: "Its place in the log of changes, bound to no reader, so `changesSince` refuses it. Null for events from before the log.",
    deprecationReason: "Use the `token` in the body that the webhook is sent. Removed after 2027-06-30.",
  })
  token?: string | null;

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

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "The first 1,000 characters of the last response. Null if there was none, or if it was not text.",
  })
  responseBody?: string | null;

  @Field(() => Int, { simple: true, nullable: true, description: "Milliseconds that the last attempt took. Null before the first." })
  durationMs?: number | null;

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

  @Field(() => [WebhookEventKind], {
    description: "Kinds of events to send, at least one unless there are `recordTypes`. `RECORD_CHANGED` is refused: name `recordTypes`.",
  })
  events!: WebhookEventKind[];

  @Field(() => [RecordType], { nullable: true, description: "Types of records whose changes are sent too. Default: none." })
  recordTypes?: RecordType[] | null;

  @Field(() => [ChangeKind], {
    nullable: true,
    description: "Which changes of records are sent: `CREATED`, `UPDATED`, `DELETED`, `RESTORED`. Default: all.",
  })
  changeKinds?: ChangeKind[] | null;

  @Field(() => [Place], {
    nullable: true,
    description: "Only what is about records at these sites is sent, events too. Default: all, also what belongs to no site.",
  })
  sites?: string[] | null;

  @Field(() => Text, {
    nullable: true,
    description:
      "What is sent of a changed record, such as `... on Asset { name site } ... on WorkOrder { title status }`: a selection on `Node`. Default: nothing.",
  })
  selection?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Free text." })
  description?: string | null;
}

@InputType({ description: "Fields that are omitted stay unchanged." })
export class UpdateWebhookInput {
  @Field(() => Url, { nullable: true, description: "An http or https URL. Never null." })
  url?: string | null;

  @Field(() => [WebhookEventKind], { nullable: true, description: "All kinds of events to send, not only new ones." })
  events?: WebhookEventKind[] | null;

  @Field(() => [RecordType], { nullable: true, description: "All types of records whose changes are sent, not only new ones." })
  recordTypes?: RecordType[] | null;

  @Field(() => [ChangeKind], { nullable: true, description: "Which changes of records are sent. Empty: all." })
  changeKinds?: ChangeKind[] | null;

  @Field(() => [Place], { nullable: true, description: "Only what is about records at these sites is sent. Empty: all." })
  sites?: string[] | null;

  @Field(() => Text, { nullable: true, description: "What is sent of a changed record: a selection on `Node`. Null: nothing." })
  selection?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Free text. Null clears it." })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: "False pauses the webhook." })
  isActive?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: "Deliveries of a period that are sent again." })
export class ReplayedDeliveries {
  @Field(() => Int, { description: "How many they are, at most 10,000: the oldest. If there are so many, call again for more." })
  count!: number;

  @Field(() => Webhook, { description: "The webhook that they are sent to." })
  webhook!: Webhook;
}

@ArgsType()
export class ReplayRangeArgs {
  @Field(() => ID, { description: "Id of the webhook." })
  webhookId!: string;

  @Field(() => DateTime, { description: "Events from this time on." })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: "Events before this time. Default: all since." })
  until?: Date | null;

  @Field(() => DeliveryStatus, { defaultValue: DeliveryStatus.FAILED, description: "Which are sent again: `FAILED` or `DELIVERED`." })
  status!: DeliveryStatus;
}
