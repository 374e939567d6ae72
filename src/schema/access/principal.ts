/** Who acts: persons and systems. */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { composedId, partsOfId } from "../object-id.js";
import { pages, Relations } from "../relation.js";
import { DateTime, EmailAddress, Name, ShortText } from "../scalars.js";
import { PrincipalKind } from "./enums.js";

/** The name of a person of whom nothing else is kept. The trigger refuse_change_but_erasure has it too. */
export const erasedName = "Erased person";

/** The id in the graph: a system shares its own with its first key. */
export const principalId = (id: string): string => composedId("Principal", [id]);

/** The id as it is stored, of one that a client sent in either form. */
export const storedId = (id: string): string => partsOfId("Principal", id, 1)?.[0] ?? id;

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "A person or a system. Keys and tokens belong to one, and it stands beside what was done with them.",
})
@Relations({
  keys: pages("ApiKey", { role: "admin", order: ["createdAt", "id"], description: "Its API keys, revoked ones included, oldest first." }),
  assignedWorkOrders: pages("WorkOrder", { description: "Work orders that are assigned to it, oldest first unless ordered otherwise." }),
})
export class Principal {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => PrincipalKind, { description: "Whether it is a person." })
  kind!: PrincipalKind;

  @Field(() => String, {
    description: "Shown beside what was done. Of a system, the name of its first key; of an erased person, `Erased person`.",
  })
  name!: string;

  @Field(() => Boolean, { description: "False: no key or token of it is accepted." })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: "When all that told who it is was removed. Null: not erased." })
  erasedAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation; of a person who signs in, of the first time." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;

  email?: string | null;
  locale?: string | null;
  crew?: string | null;
  issuer?: string | null;
  subject?: string | null;
}

@ObjectType({ description: "One page of a list of persons and systems." })
export class PrincipalConnection extends connectionOf(Principal, "Principal") {}

@InputType({ description: "A new person." })
export class CreatePersonInput {
  @Field(() => Name, { description: "Shown beside what the person does." })
  name!: string;

  @Field(() => EmailAddress, { nullable: true, description: "E-mail address. It is for people: nobody is recognised by it." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Preferred language and region, such as de-AT." })
  locale?: string | null;

  @Field(() => ShortText, { nullable: true, description: "The crew or shift that the person belongs to." })
  crew?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "The identity provider, as its tokens name it in `iss`. Tokens are the person's where both this and `subject` fit.",
  })
  issuer?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "The person's id there, the token's `sub`. CONFLICT where another person has it.",
  })
  subject?: string | null;
}

@InputType({ description: "Fields that are omitted stay unchanged." })
export class UpdatePersonInput {
  @Field(() => Name, {
    nullable: true,
    description: "Shown beside what the person does. What was done already keeps the name it had. Never null.",
  })
  name?: string | null;

  @Field(() => EmailAddress, { nullable: true, description: "E-mail address. Null clears it." })
  email?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Preferred language and region, such as de-AT. Null clears it." })
  locale?: string | null;

  @Field(() => ShortText, { nullable: true, description: "The crew or shift that the person belongs to. Null clears it." })
  crew?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "False: the person's keys and tokens are refused within seconds. CONFLICT for the last admin of all sites.",
  })
  isActive?: boolean | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "The identity provider, as its tokens name it in `iss`. Null: no token is the person's.",
  })
  issuer?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "The person's id there, the token's `sub`. CONFLICT where another person has it.",
  })
  subject?: string | null;
}

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => Boolean, { nullable: true, description: "Only those who may act, or only those who may not." })
  isActive?: boolean | null;
}

declareList("Principal", { Filter: PrincipalFilter, orders: ["createdAt", "name"] });
