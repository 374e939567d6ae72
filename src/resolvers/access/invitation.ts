import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import * as domain from "../../domain/access/invitations.js";
import { CreateInvitationInput, Invitation, InvitationState, NewInvitation } from "../../schema/access/invitation.js";
import { conflict } from "../../schema/errors.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";

/** Usual number of invitations. */
const usualInvitations = 50;

@Resolver(() => Invitation)
export class InvitationResolver {
  @Authorized("admin")
  @Query(() => [Invitation], {
    complexity: listCost(usualInvitations),
    description: `Invitations, newest first, at most ${domain.listedInvitations}. Admins limited to sites see only the invitations to those sites.`,
  })
  invitations(
    @Ctx() { data: { db } }: Context,
    @Arg("state", () => InvitationState, { nullable: true, description: "Only invitations in this state." }) state?: InvitationState | null,
  ): Promise<Invitation[]> {
    return domain.invitations(db, state ?? null) as Promise<Invitation[]>;
  }

  @Authorized("admin")
  @Mutation(() => NewInvitation, {
    description:
      "Invites a person to the console by a secret link that works once. The acceptance creates a key, which nobody sees, and signs the person in until the key expires or is revoked.",
  })
  async createInvitation(
    @Arg("input", () => CreateInvitationInput, { description: "Person, and rights of the key." }) input: CreateInvitationInput,
    @Ctx() { data: { db }, caller: { actor, baseUrl }, services: { hasConsole } }: Context,
  ): Promise<NewInvitation> {
    if (!hasConsole) throw conflict("The console is off (CONSOLE); create a key instead");
    const { secret, invitation } = await domain.createInvitation(db, actor, input);
    return { url: `${baseUrl}/console/#invitation=${secret}`, invitation: invitation as Invitation };
  }

  @Authorized("admin")
  @Mutation(() => Invitation, {
    description: "Revokes an invitation. Fails with CONFLICT for an accepted invitation, whose key can be revoked instead.",
  })
  revokeInvitation(
    @Arg("id", () => ID, { description: "Id of the invitation." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Invitation> {
    return domain.revokeInvitation(db, actor, id) as Promise<Invitation>;
  }
}
