import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Actor } from "../../domain/access/keys.js";
import * as principals from "../../domain/access/principals.js";
import { CreatePersonInput, Principal, storedId, UpdatePersonInput } from "../../schema/access/principal.js";
import { notFound } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { pages } from "../../schema/relation.js";
import { EmailAddress } from "../../schema/scalars.js";
import { type Context, forgetRights } from "../context.js";
import { declareRoots } from "../relations.js";

export const principalRoots = declareRoots({
  principals: pages("Principal", { role: "admin", description: "Lists persons and systems, oldest first unless ordered otherwise." }),
});

/** Returns a personal value if the caller is an admin or the person, otherwise null. */
const personal = <T>({ role, principalId }: Actor, { id }: Principal, value: T): T | null =>
  role === "admin" || id === principalId ? value : null;

const readers = "Null unless the caller is an admin or the person.";

@Resolver(() => Principal)
export class PrincipalResolver {
  @Authorized("admin")
  @Query(() => Principal, {
    nullable: true,
    description: "Returns a person or system by `id` or `authorId`. Returns null with a NOT_FOUND error if the id is unknown.",
  })
  async principal(
    @Arg("id", () => ID, { description: "Either `id` or `authorId`." }) id: string,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<Principal> {
    return (await loaders.record("Principal", storedId(id))) ?? Promise.reject(notFound("Principal", { principalId: id }));
  }

  @FieldResolver(() => ID, { description: "Id used in `createdBy`, `updatedBy`, `performedBy` and similar fields." })
  authorId(@Root() { id }: Principal): string {
    return id;
  }

  @FieldResolver(() => EmailAddress, { nullable: true, description: `E-mail address. ${readers}` })
  email(@Root() one: Principal, @Ctx() { caller: { actor } }: Context): string | null | undefined {
    return personal(actor, one, one.email);
  }

  @FieldResolver(() => String, { nullable: true, description: `Preferred language and region. ${readers}` })
  locale(@Root() one: Principal, @Ctx() { caller: { actor } }: Context): string | null | undefined {
    return personal(actor, one, one.locale);
  }

  @FieldResolver(() => String, { nullable: true, description: `Crew or shift of the person. ${readers}` })
  crew(@Root() one: Principal, @Ctx() { caller: { actor } }: Context): string | null | undefined {
    return personal(actor, one, one.crew);
  }

  @FieldResolver(() => String, { nullable: true, description: `Identity provider that issues the person's tokens. ${readers}` })
  issuer(@Root() one: Principal, @Ctx() { caller: { actor } }: Context): string | null | undefined {
    return personal(actor, one, one.issuer);
  }

  @FieldResolver(() => String, { nullable: true, description: `Id of the person at the identity provider. ${readers}` })
  subject(@Root() one: Principal, @Ctx() { caller: { actor } }: Context): string | null | undefined {
    return personal(actor, one, one.erasedAt ? null : one.subject);
  }

  @Authorized("admin")
  @Mutation(() => Principal, {
    description: "Creates a person, to whom keys can be issued. Persons who sign in with a token are created automatically.",
  })
  createPerson(
    @Arg("input", () => CreatePersonInput, { description: "Values of the person." }) input: CreatePersonInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Principal> {
    return principals.createPerson(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Principal, { description: "Updates a person." })
  async updatePerson(
    @Arg("id", () => ID, { description: "Id of the person." }) id: string,
    @Arg("input", () => UpdatePersonInput, { description: "Values to change." }) input: UpdatePersonInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Principal> {
    const { db } = context.data;
    const { actor } = context.caller;
    const person = await principals.updatePerson(db, actor, id, input, expectedVersion);
    forgetRights(context);
    return person;
  }

  @Authorized("admin")
  @Mutation(() => Principal, {
    description:
      "Permanently erases the personal data of a person, including in past records, and revokes the person's keys. Tokens of the person are rejected from then on. Free text such as `assignedTechnician` is not changed.",
  })
  async erasePerson(
    @Arg("id", () => ID, { description: "Id of the person. Fails with CONFLICT for the last admin of all sites." }) id: string,
    @Ctx() context: Context,
  ): Promise<Principal> {
    const { db } = context.data;
    const { actor } = context.caller;
    const person = await principals.erasePerson(db, actor, id);
    forgetRights(context);
    return person;
  }
}
