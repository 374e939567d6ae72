/** Mails of purchase orders to suppliers (docs/supply.md, "Sending"). */
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { DeliveryStatus } from "../../alerts/enums.js";
import { author, Relations } from "../../relation.js";
import { DateTime, EmailAddress, ShortText, Text } from "../../scalars.js";

@ObjectType({ simpleResolvers: true, description: "A purchase order as an e-mail to its supplier, with the order as a PDF." })
@Relations({ createdByPrincipal: author("createdBy", "Person or system that sent the e-mail.") })
export class PurchaseOrderMail {
  @Field(() => String, { description: "E-mail address of the recipient." })
  recipient!: string;

  @Field(() => String, { description: "Language of the e-mail and the PDF, such as de or de-AT." })
  language!: string;

  @Field(() => String, { nullable: true, description: "Text of the e-mail above the order. Null if none was entered." })
  message?: string | null;

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

@InputType({ description: "Recipient and text of the e-mail. Without values, it goes to the supplier's address." })
export class MailPurchaseOrderInput {
  @Field(() => EmailAddress, { nullable: true, description: "Recipient. Default: the e-mail address of the supplier's contact." })
  recipient?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Language and region, such as de-AT. Default: those of the caller. English if the service has no texts in it.",
  })
  language?: string | null;

  @Field(() => Text, { nullable: true, description: "Text of the e-mail above the order." })
  message?: string | null;
}
