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

/** A personal value, which admins and the person may read. */
const personal = <T>({ role, principalId }: Actor, { id }: Principal, value: T): T | null =>
  role === "admin" || id === principalId ? value : null;

const readers = "Null for others than admins and the person.";

@Resolver(() => Principal)
export class PrincipalResolver {
  @Authorized("admin")
  @Query(() => Principal, {
    nullable: true,
    description:
      "Returns a person or system by its id, or by the id that is written as an author. For an unknown one it returns null with a NOT_FOUND error.",
  })
  async principal(@Arg("id", () => ID, { description: "Either id." }) id: string, @Ctx() { loaders }: Context): Promise<Principal> {
    return (await loaders.record("Principal", storedId(id))) ?? Promise.reject(notFound("Principal", { principalId: id }));
  }

  @FieldResolver(() => ID, { description: "How `createdBy`, `updatedBy`, `performedBy` and the like name it." })
  authorId(@Root() { id }: Principal): string {
    return id;
  }

  @FieldResolver(() => EmailAddress, { nullable: true, description: `E-mail address. ${readers}` })
  email(@Root() one: Principal, @Ctx() { actor }: Context): string | null | undefined {
    return personal(actor, one, one.email);
  }

  @FieldResolver(() => String, { nullable: true, description: `Preferred language and region. ${readers}` })
  locale(@Root() one: Principal, @Ctx() { actor }: Context): string | null | undefined {
    return personal(actor, one, one.locale);
  }

  @FieldResolver(() => String, { nullable: true, description: `The crew or shift that the person belongs to. ${readers}` })
  crew(@Root() one: Principal, @Ctx() { actor }: Context): string | null | undefined {
    return personal(actor, one, one.crew);
  }

  @FieldResolver(() => String, { nullable: true, description: `The identity provider whose tokens are the person's. ${readers}` })
  issuer(@Root() one: Principal, @Ctx() { actor }: Context): string | null | undefined {
    return personal(actor, one, one.issuer);
  }

  @FieldResolver(() => String, { nullable: true, description: `The person's id at the identity provider. ${readers}` })
  subject(@Root() one: Principal, @Ctx() { actor }: Context): string | null | undefined {
    return personal(actor, one, one.erasedAt ? null : one.subject);
  }

  @Authorized("admin")
  @Mutation(() => Principal, { description: "Creates a person, to whom keys can be issued. Who signs in by a token is created by itself." })
  createPerson(
    @Arg("input", () => CreatePersonInput, { description: "Values of the person." }) input: CreatePersonInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Principal> {
    return principals.createPerson(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => Principal, { description: "Updates a person." })
  async updatePerson(
    @Arg("id", () => ID, { description: "Id of the person." }) id: string,
    @Arg("input", () => UpdatePersonInput, { description: "The values to change." }) input: UpdatePersonInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Principal> {
    const { db, actor } = context;
    const person = await principals.updatePerson(db, actor, id, input, expectedVersion);
    forgetRights(context);
    return person;
  }

  @Authorized("admin")
  @Mutation(() => Principal, {
    description:
      "Removes for good all that tells who a person is, here and in what the person did, and revokes the keys. Tokens of the person are refused from then on. Texts that somebody entered, such as `assignedTechnician`, stay.",
  })
  async erasePerson(
    @Arg("id", () => ID, { description: "Id of the person. The last admin of all sites is refused with CONFLICT." }) id: string,
    @Ctx() context: Context,
  ): Promise<Principal> {
    const { db, actor } = context;
    const person = await principals.erasePerson(db, actor, id);
    forgetRights(context);
    return person;
  }
}
