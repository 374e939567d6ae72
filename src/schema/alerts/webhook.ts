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

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<WebhookDeliveryFilter>({ oneOf: ["status"], times: ["lastAttemptAt", "settledAt"], empty: ["settledAt", "error"] })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true, description: "Only deliveries in this status." })
  status?: DeliveryStatus | null;
}

declareList("WebhookDelivery", { Filter: WebhookDeliveryFilter, orders: ["id"], key: [] });

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "URL that receives events as signed POST requests." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  deliveries: pages("WebhookDelivery", {
    order: ["id"],
    descending: true,
    description: "Deliveries to the webhook, newest first.",
  }),
})
export class Webhook {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => Url, { description: "URL to which events are sent. Redirects are not followed." })
  url!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => [WebhookEventKind], { description: "Kinds of events to send. Empty if the webhook receives only record changes." })
  events!: WebhookEventKind[];

  @Field(() => [RecordType], { description: "Types of records whose changes are sent as the event `record.changed`. Empty for none." })
  recordTypes!: RecordType[];

  @Field(() => [ChangeKind], { description: "Kinds of record changes to send. Empty for all." })
  changeKinds!: ChangeKind[];

  @Field(() => [String], {
    description: "Sites whose events are sent, including records that were at the site before a change. Empty for all.",
  })
  sites!: string[];

  @Field(() => String, {
    nullable: true,
    description: "Selection on `Node` to send of a changed record, read with the permissions of a viewer. Null to send no fields.",
  })
  selection?: string | null;

  @Field(() => Boolean, { description: "Whether the webhook is active. While inactive, no events are stored or sent." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Time since which every attempt has failed. Null if the last attempt succeeded." })
  failingSince?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time of the next attempt while the circuit is open, regardless of due deliveries. Null while the circuit is closed.",
  })
  probeAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time until which the secret before the last rotation also signs. Null if the secret was never rotated.",
  })
  previousSecretEndsAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of webhooks." })
export class WebhookConnection extends connectionOf(Webhook, "Webhook") {}

@ObjectType({ simpleResolvers: true, description: "Webhook with its new secret." })
export class CreatedWebhook {
  @Field(() => Webhook, { description: "Webhook. A new webhook is active immediately." })
  webhook!: Webhook;

  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "Secret for verifying request signatures. Shown only once." })
  secret!: string;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Event that is sent to webhooks." })
export class WebhookEvent {
  @Field(() => ID, { description: "Id of the event, sent as the header `webhook-id`. Does not change between attempts." })
  id!: string;

  @Field(() => WebhookEventKind, { description: "Kind of the event." })
  kind!: WebhookEventKind;

  @Field(() => ID, { description: "Id of the record that the event concerns. Events of one record are delivered in order." })
  recordId!: string;

  @Field(() => JSONObject, { description: "Fields of the event, as in the request body. Depend on the kind." })
  data!: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description:
      "Position of the event in the change log. Not bound to a reader, so `changesSince` refuses it. Null for events that predate the log.",
    deprecationReason: "Use the `token` in the body that the webhook is sent. Removed after 2027-06-30.",
  })
  token?: string | null;

  @Field(() => DateTime, { description: "Time of the event." })
  createdAt!: Date;
}

@ObjectType({ implements: Node, description: "Delivery of one event to one webhook." })
@Relations({ event: one("WebhookEvent", { required: true, description: "Event to deliver." }) })
export class WebhookDelivery {
  @Field(() => ID, { simple: true, description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => DeliveryStatus, { simple: true, description: "Status of the delivery." })
  status!: DeliveryStatus;

  @Field(() => Int, {
    simple: true,
    description: "Number of attempts so far, reset by a replay. The delivery is abandoned after eleven attempts.",
  })
  attempts!: number;

  @Field(() => DateTime, { simple: true, nullable: true, description: "Time of the last attempt. Null before the first." })
  lastAttemptAt?: Date | null;

  @Field(() => Int, { simple: true, nullable: true, description: "HTTP status of the last response. Null if there was none." })
  responseStatus?: number | null;

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "First 1,000 characters of the last response. Null if there was none or it was not text.",
  })
  responseBody?: string | null;

  @Field(() => Int, { simple: true, nullable: true, description: "Duration of the last attempt in milliseconds. Null before the first." })
  durationMs?: number | null;

  @Field(() => String, { simple: true, nullable: true, description: "Reason why the last attempt failed. Null if it did not fail." })
  error?: string | null;

  @Field(() => DateTime, {
    simple: true,
    nullable: true,
    description: "Time at which the event was delivered or delivery was abandoned. Null while pending.",
  })
  settledAt?: Date | null;
}

@ObjectType({ description: "A page of deliveries." })
export class WebhookDeliveryConnection extends connectionOf(WebhookDelivery, "WebhookDelivery") {}

@InputType({ description: "New webhook." })
export class CreateWebhookInput {
  @Field(() => Url, {
    description: "HTTP or HTTPS URL. URLs in private networks are rejected unless the service is configured to allow them.",
  })
  url!: string;

  @Field(() => [WebhookEventKind], {
    description:
      "Kinds of events to send. At least one is required unless `recordTypes` is set. `RECORD_CHANGED` is refused: use `recordTypes` instead.",
  })
  events!: WebhookEventKind[];

  @Field(() => [RecordType], { nullable: true, description: "Types of records whose changes are also sent. Default: none." })
  recordTypes?: RecordType[] | null;

  @Field(() => [ChangeKind], {
    nullable: true,
    description: "Kinds of record changes to send: `CREATED`, `UPDATED`, `DELETED`, `RESTORED`. Default: all.",
  })
  changeKinds?: ChangeKind[] | null;

  @Field(() => [Place], {
    nullable: true,
    description: "Sites whose records and events are sent. Default: all sites, and records that belong to no site.",
  })
  sites?: string[] | null;

  @Field(() => Text, {
    nullable: true,
    description:
      "Selection on `Node` to send of a changed record, such as `... on Asset { name site } ... on WorkOrder { title status }`. Default: no fields.",
  })
  selection?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Free text." })
  description?: string | null;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged." })
export class UpdateWebhookInput {
  @Field(() => Url, { nullable: true, description: "HTTP or HTTPS URL. Must not be null." })
  url?: string | null;

  @Field(() => [WebhookEventKind], { nullable: true, description: "Complete list of event kinds to send." })
  events?: WebhookEventKind[] | null;

  @Field(() => [RecordType], { nullable: true, description: "Complete list of record types whose changes are sent." })
  recordTypes?: RecordType[] | null;

  @Field(() => [ChangeKind], { nullable: true, description: "Kinds of record changes to send. Empty for all." })
  changeKinds?: ChangeKind[] | null;

  @Field(() => [Place], { nullable: true, description: "Sites whose records and events are sent. Empty for all." })
  sites?: string[] | null;

  @Field(() => Text, { nullable: true, description: "Selection on `Node` to send of a changed record. Null to send no fields." })
  selection?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Free text. Null clears it." })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the webhook is active. False pauses it." })
  isActive?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: "Deliveries of a period that are sent again." })
export class ReplayedDeliveries {
  @Field(() => Int, { description: "Number of deliveries, at most 10,000, oldest first. Repeat the call if the limit is reached." })
  count!: number;

  @Field(() => Webhook, { description: "Webhook that receives the deliveries." })
  webhook!: Webhook;
}

@ArgsType()
export class ReplayRangeArgs {
  @Field(() => ID, { description: "Id of the webhook." })
  webhookId!: string;

  @Field(() => DateTime, { description: "Only events at or after this time." })
  from!: Date;

  @Field(() => DateTime, { nullable: true, description: "Only events before this time. Default: no limit." })
  until?: Date | null;

  @Field(() => DeliveryStatus, {
    defaultValue: DeliveryStatus.FAILED,
    description: "Status of the deliveries to send again: `FAILED` or `DELIVERED`.",
  })
  status!: DeliveryStatus;
}
