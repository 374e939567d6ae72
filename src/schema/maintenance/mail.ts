import { Field, Int, ObjectType } from "type-graphql";
import { DeliveryStatus } from "../alerts/enums.js";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { MailKind } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "An e-mail to a person." })
@Relations({ recipient: one("Principal", { required: true, description: "Whom it is for." }) })
export class Mail {
  @Field(() => MailKind, { description: "What it tells." })
  kind!: MailKind;

  @Field(() => DeliveryStatus, { description: "Whether it was sent." })
  status!: DeliveryStatus;

  @Field(() => Int, { description: "Number of attempts so far." })
  attempts!: number;

  @Field(() => DateTime, { nullable: true, description: "When it was last attempted. Null if it was not." })
  lastAttemptAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Why the last attempt failed. Null if none did." })
  error?: string | null;

  @Field(() => DateTime, { description: "When it was queued." })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "When it was sent or given up. Null while it is pending." })
  settledAt?: Date | null;
}
