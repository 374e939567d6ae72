/** Principals: persons and systems that act. */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { composedId, partsOfId } from "../object-id.js";
import { pages, Relations } from "../relation.js";
import { DateTime, EmailAddress, Name, ShortText } from "../scalars.js";
import { PrincipalKind } from "./enums.js";

/** Name of an erased person. The trigger refuse_change_but_erasure uses the same name. */
export const erasedName = "Erased person";

/** The GraphQL id of a principal. A system shares its stored id with its first key. */
export const principalId = (id: string): string => composedId("Principal", [id]);

/** The stored id of a principal, from either form that clients send. */
export const storedId = (id: string): string => partsOfId("Principal", id, 1)?.[0] ?? id;

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "A person or system. Keys and tokens belong to a principal, which is recorded as the author of changes.",
})
@Relations({
  keys: pages("ApiKey", {
    role: "admin",
    order: ["createdAt", "id"],
    description: "API keys of the principal, including revoked ones, oldest first.",
  }),
  assignedWorkOrders: pages("WorkOrder", { description: "Work orders assigned to the principal, oldest first unless ordered otherwise." }),
})
export class Principal {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => PrincipalKind, { description: "Kind of the principal: person or system." })
  kind!: PrincipalKind;

  @Field(() => String, {
    description:
      "Name, recorded with the principal's actions. For a system, the name of its first key; for an erased person, `Erased person`.",
  })
  name!: string;

  @Field(() => Boolean, { description: "Whether keys and tokens of the principal are accepted." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Time of erasure of the personal data. Null if not erased." })
  erasedAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation. For a person who signs in, time of the first sign-in." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;

  email?: string | null;
  locale?: string | null;
  crew?: string | null;
  issuer?: string | null;
  subject?: string | null;
}

@ObjectType({ description: "A page of persons and systems." })
export class PrincipalConnection extends connectionOf(Principal, "Principal") {}

@InputType({ description: "New person." })
export class CreatePersonInput {
  @Field(() => Name, { description: "Name, recorded with the person's actions." })
  name!: string;

  @Field(() => EmailAddress, { nullable: true, description: "E-mail address, for information only. Not used for identification." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Preferred language and region, such as de-AT." })
  locale?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Crew or shift of the person." })
  crew?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Identity provider, as in the claim `iss` of its tokens. Tokens must match both `issuer` and `subject`.",
  })
  issuer?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Id of the person at the identity provider, as in the claim `sub`. Fails with CONFLICT if another person has it.",
  })
  subject?: string | null;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged." })
export class UpdatePersonInput {
  @Field(() => Name, {
    nullable: true,
    description: "Name, recorded with the person's actions. Past actions keep the previous name. Must not be null.",
  })
  name?: string | null;

  @Field(() => EmailAddress, { nullable: true, description: "E-mail address. Null clears it." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Preferred language and region, such as de-AT. Null clears it." })
  locale?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Crew or shift of the person. Null clears it." })
  crew?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the person's keys and tokens are accepted. If false, they are rejected within seconds. Fails with CONFLICT for the last admin of all sites.",
  })
  isActive?: boolean | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Identity provider, as in the claim `iss` of its tokens. If null, no token identifies the person.",
  })
  issuer?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Id of the person at the identity provider, as in the claim `sub`. Fails with CONFLICT if another person has it.",
  })
  subject?: string | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PrincipalFilter>({
  oneOf: ["kind", "crew"],
  contains: ["name", "email"],
  times: ["createdAt", "updatedAt"],
  empty: ["email", "crew", "subject", "erasedAt"],
})
export class PrincipalFilter {
  @Field(() => PrincipalKind, { nullable: true, description: "Only persons, or only systems." })
  kind?: PrincipalKind | null;

  @Field(() => String, { nullable: true, description: "Only persons of exactly this crew." })
  crew?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only active principals, or only inactive ones." })
  isActive?: boolean | null;
}

declareList("Principal", { Filter: PrincipalFilter, orders: ["createdAt", "name"] });
