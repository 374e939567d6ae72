import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { one, pages, Relations } from "../relation.js";
import { Name, Properties, ShortText, Timestamp } from "../scalars.js";
import { DeliveryStatus, WebhookEventKind } from "./enums.js";

@InputType({ description: "All conditions that are set must match." })
@Filter<WebhookDeliveryFilter>({ oneOf: ["status"], times: ["lastAttemptAt", "settledAt"], empty: ["settledAt", "error"] })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true })
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
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  url!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => [WebhookEventKind])
  events!: WebhookEventKind[];

  @Field(() => Boolean)
  isActive!: boolean;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class WebhookConnection extends connectionOf(Webhook, "Webhook") {}

@ObjectType({ simpleResolvers: true })
export class CreatedWebhook {
  @Field(() => Webhook)
  webhook!: Webhook;

  @Field(() => String, { description: "Secret for verifying the signature of requests. Shown only once." })
  secret!: string;
}

@ObjectType({ implements: Node, simpleResolvers: true })
export class WebhookEvent {
  @Field(() => ID, { description: "Sent as the header `webhook-id`. Does not change between attempts." })
  id!: string;

  @Field(() => WebhookEventKind)
  kind!: WebhookEventKind;

  @Field(() => ID, { description: "Id of the record the event is about. Events of one record are delivered in order." })
  recordId!: string;

  @Field(() => Properties)
  data!: Record<string, unknown>;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ implements: Node, description: "Delivery of one event to one webhook." })
@Relations({ event: one("WebhookEvent", { required: true }) })
export class WebhookDelivery {
  @Field(() => ID, { simple: true })
  id!: string;

  @Field(() => DeliveryStatus, { simple: true })
  status!: DeliveryStatus;

  @Field(() => Int, { simple: true })
  attempts!: number;

  @Field(() => Timestamp, { simple: true, nullable: true })
  lastAttemptAt?: Date | null;

  @Field(() => Int, { simple: true, nullable: true, description: "HTTP status of the last response." })
  responseStatus?: number | null;

  @Field(() => String, { simple: true, nullable: true, description: "Why the last attempt failed." })
  error?: string | null;

  @Field(() => Timestamp, { simple: true, nullable: true, description: "When the event was delivered, or when delivery was given up." })
  settledAt?: Date | null;
}

@ObjectType()
export class WebhookDeliveryConnection extends connectionOf(WebhookDelivery, "WebhookDelivery") {}

@InputType()
export class CreateWebhookInput {
  @Field(() => Name, {
    description: "An http or https URL. URLs in private networks are rejected unless the service is configured to allow them.",
  })
  url!: string;

  @Field(() => [WebhookEventKind])
  events!: WebhookEventKind[];

  @Field(() => ShortText, { nullable: true })
  description?: string | null;
}

@InputType({ description: "Fields that are omitted stay unchanged." })
export class UpdateWebhookInput {
  @Field(() => Name, { nullable: true })
  url?: string | null;

  @Field(() => [WebhookEventKind], { nullable: true })
  events?: WebhookEventKind[] | null;

  @Field(() => ShortText, { nullable: true })
  description?: string | null;

  @Field(() => Boolean, { nullable: true })
  isActive?: boolean | null;
}
