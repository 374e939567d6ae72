import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Name, Properties, ShortText, Timestamp } from "./scalars.js";
import { DeliveryStatus, WebhookEventKind } from "./work-vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "An address that is told of events by signed POST requests (docs/operations.md)." })
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

  @Field(() => String, { description: "Signs the requests. Shown this once." })
  secret!: string;
}

@ObjectType({ simpleResolvers: true })
export class WebhookEvent {
  @Field(() => ID, { description: "The same at every attempt: the header webhook-id." })
  id!: string;

  @Field(() => WebhookEventKind)
  kind!: WebhookEventKind;

  @Field(() => ID, { description: "What it tells of. Events of one record arrive in order." })
  recordId!: string;

  @Field(() => Properties)
  data!: Record<string, unknown>;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ description: "An event on its way to a webhook, and what became of it." })
export class WebhookDelivery {
  @Field(() => ID, { simple: true })
  id!: string;

  @Field(() => DeliveryStatus, { simple: true })
  status!: DeliveryStatus;

  @Field(() => Int, { simple: true })
  attempts!: number;

  @Field(() => Timestamp, { simple: true, nullable: true })
  lastAttemptAt?: Date | null;

  @Field(() => Int, { simple: true, nullable: true, description: "HTTP status of the last answer." })
  responseStatus?: number | null;

  @Field(() => String, { simple: true, nullable: true, description: "Why the last attempt failed." })
  error?: string | null;

  @Field(() => Timestamp, { simple: true, nullable: true, description: "When it was delivered or given up." })
  settledAt?: Date | null;
}

@ObjectType()
export class WebhookDeliveryConnection extends connectionOf(WebhookDelivery, "WebhookDelivery") {}

@InputType()
export class CreateWebhookInput {
  @Field(() => Name, {
    description: "An http or https address; private networks are refused unless the service is configured to allow them.",
  })
  url!: string;

  @Field(() => [WebhookEventKind])
  events!: WebhookEventKind[];

  @Field(() => ShortText, { nullable: true })
  description?: string | null;
}

@InputType({ description: "Only the fields given are changed." })
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

@InputType({ description: "All conditions given must hold." })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true })
  status?: DeliveryStatus | null;
}
