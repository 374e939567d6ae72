import { Field, Int, ObjectType } from "type-graphql";
import { DeliveryStatus } from "../../alerts/enums.js";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { MailKind } from "../enums.js";

@ObjectType({ simpleResolvers: true, description: "E-mail to a person." })
@Relations({ recipient: one("Principal", { required: true, description: "Recipient of the e-mail." }) })
export class Mail {
  @Field(() => MailKind, { description: "Kind of the e-mail." })
  kind!: MailKind;

  @Field(() => DeliveryStatus, { description: "Delivery status." })
  status!: DeliveryStatus;

  @Field(() => Int, { description: "Number of attempts so far." })
  attempts!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the last attempt. Null if there was none." })
  lastAttemptAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Reason why the last attempt failed. Null if it did not fail." })
  error?: string | null;

  @Field(() => DateTime, { description: "Time at which the e-mail was queued." })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "Time at which the e-mail was sent or abandoned. Null while pending." })
  settledAt?: Date | null;
}
