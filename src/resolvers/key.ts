import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { mintKey, newId } from "../database/directory.js";
import type { Actor } from "../domain/keys.js";
import { badInput, conflict, forbidden, notFound } from "../schema/errors.js";
import { ApiKey, CreateApiKeyInput, IssuedKey, RotateApiKeyInput, Viewer } from "../schema/key.js";
import type { Context } from "./context.js";

/** A key limited to sites hands on no more than it has. */
function guardReach(actor: Actor, sites: string[]): void {
  if (actor.sites.length && (!sites.length || sites.some((site) => !actor.sites.includes(site))))
    throw forbidden("This key may issue keys for its own sites only");
}

const maxOverlapMinutes = 43_200;

@Resolver(() => ApiKey)
export class KeyResolver {
  @Query(() => Viewer, { description: "Who is asking: the tenant and what the key may do." })
  viewer(@Ctx() { actor }: Context): Viewer {
    return actor;
  }

  @Authorized("admin")
  @Query(() => [ApiKey], { description: "The tenant's keys, revoked ones too, oldest first." })
  apiKeys(@Ctx() { prisma }: Context): Promise<ApiKey[]> {
    return prisma.apiKey.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] }) as Promise<ApiKey[]>;
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey)
  async createApiKey(
    @Arg("input", () => CreateApiKeyInput) input: CreateApiKeyInput,
    @Ctx() { prisma, actor }: Context,
  ): Promise<IssuedKey> {
    if (input.expiresAt && input.expiresAt.getTime() <= Date.now()) throw badInput({ expiresAt: "must lie in the future" });
    guardReach(actor, input.sites ?? []);
    const { key, prefix, secretHash } = mintKey();
    const { name, role, sites, expiresAt } = input;
    const data = {
      tenantId: actor.tenantId,
      id: newId(),
      name,
      role,
      sites: sites ?? [],
      expiresAt,
      prefix,
      secretHash,
      createdBy: actor.keyId,
    };
    return { key, apiKey: (await prisma.apiKey.create({ data })) as ApiKey };
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey, { description: "Issues a successor with the same rights; the old key stays valid for the overlap." })
  async rotateApiKey(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, prisma, actor, keys }: Context,
    @Arg("input", () => RotateApiKeyInput, { nullable: true }) input?: RotateApiKeyInput,
  ): Promise<IssuedKey> {
    const overlapMinutes = input?.overlapMinutes ?? 1440;
    if (overlapMinutes < 0 || overlapMinutes > maxOverlapMinutes)
      throw badInput({ overlapMinutes: `must be from 0 to ${maxOverlapMinutes}` });
    const revokedAt = new Date(Date.now() + overlapMinutes * 60_000);
    // The condition is part of the statement: of two rotations at once one finds nothing left to rotate.
    const issued = await db.transaction(async () => {
      const [old] = await prisma.apiKey.updateManyAndReturn({ where: { id, revokedAt: null }, data: { revokedAt } });
      if (!old) {
        if (await prisma.apiKey.count({ where: { id } })) throw conflict("API key is already revoked or rotated", { keyId: id });
        throw notFound("API key", { keyId: id });
      }
      guardReach(actor, old.sites);
      const { key, prefix, secretHash } = mintKey();
      const { name, role, sites, expiresAt } = old;
      const data = { tenantId: actor.tenantId, id: newId(), name, role, sites, expiresAt, prefix, secretHash, createdBy: actor.keyId };
      return { key, apiKey: (await prisma.apiKey.create({ data })) as ApiKey };
    });
    keys.forget();
    return issued;
  }

  @Authorized("admin")
  @Mutation(() => ApiKey, { description: "Ends a key: at once here, within seconds in every other process." })
  async revokeApiKey(@Arg("id", () => ID) id: string, @Ctx() { prisma, keys }: Context): Promise<ApiKey> {
    const now = new Date();
    const ended = { where: { id, OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] }, data: { revokedAt: now } };
    const key = (await prisma.apiKey.updateManyAndReturn(ended))[0] ?? (await prisma.apiKey.findFirst({ where: { id } }));
    if (!key) throw notFound("API key", { keyId: id });
    keys.forget();
    return key as ApiKey;
  }
}
