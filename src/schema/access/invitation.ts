/** Invitations: secret links by which a person accepts a key, once. */
import { Extensions, Field, ID, InputType, ObjectType } from "type-graphql";
import { defineEnum } from "../enums.js";
import { author, one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Role } from "./enums.js";
import { KeySitesInput } from "./key.js";

export const InvitationState = defineEnum("InvitationState", "State of an invitation.", {
  pending: "The person can accept the invitation.",
  used: "The person has accepted the invitation.",
  expired: "The invitation was not accepted in time.",
  revoked: "The invitation was revoked, or its person was deactivated.",
});
export type InvitationState = (typeof InvitationState)[keyof typeof InvitationState];

@ObjectType({ simpleResolvers: true, description: "Secret link by which a person signs in to the console, once, without the secret." })
@Relations({
  principal: one("Principal", { required: true, description: "Invited person." }),
  createdByPrincipal: author("createdBy", "Person or system that created the invitation."),
})
export class Invitation {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => InvitationState, { description: "State at the time of the request." })
  state!: InvitationState;

  @Field(() => Role, { description: "Role of the person's key." })
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the key may change. Empty for all sites." })
  sites!: string[];

  @Field(() => Boolean, { description: "Whether the key reads the records of all sites, not only of its own." })
  readAll!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Expiration time of the key. Null if the key does not expire." })
  keyExpiresAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that created the invitation." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time after which the invitation cannot be accepted." })
  expiresAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "Time of acceptance. Null if the invitation was not accepted." })
  usedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the key that the acceptance created. Null if the invitation was not accepted." })
  keyId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of revocation. Null if the invitation was not revoked." })
  revokedAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that revoked the invitation. Null if the invitation was not revoked.",
  })
  revokedBy?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "New invitation. The link is shown only once: the service stores only a hash of its secret.",
})
export class NewInvitation {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "URL of the console. The first person who accepts the invitation there is signed in." })
  url!: string;

  @Field(() => Invitation, { description: "Stored invitation, without its secret." })
  invitation!: Invitation;
}

@InputType({ description: "New invitation of a person." })
export class CreateInvitationInput extends KeySitesInput {
  @Field(() => ID, { description: "Id of an active person." })
  principalId!: string;

  @Field(() => Role, { description: "Role of the person's key." })
  role!: Role;

  @Field(() => DateTime, { nullable: true, description: "Expiration time of the key, in the future. By default, the key does not expire." })
  keyExpiresAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Time after which the invitation cannot be accepted, at most 30 days from now. Default: 7 days, or `keyExpiresAt` if earlier.",
  })
  expiresAt?: Date | null;
}
