import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { generateKey } from "../../database/directory.js";
import type { Actor } from "../../domain/access/keys.js";
import { ApiKey, CreateApiKeyInput, IssuedKey, RotateApiKeyInput, Viewer } from "../../schema/access/key.js";
import { badInput, conflict, forbidden, notFound } from "../../schema/errors.js";
import { pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

/** Throws FORBIDDEN if a key that is limited to sites issues a key for other sites. */
function checkSites(actor: Actor, sites: string[]): void {
  if (actor.sites.length && (!sites.length || sites.some((site) => !actor.sites.includes(site))))
    throw forbidden("This key may issue keys for its own sites only");
}

const maxOverlapMinutes = 43_200;

export const keyRoots = declareRoots({
  apiKeys: pages("ApiKey", {
    role: "admin",
    description: "Lists the tenant's API keys, including revoked ones, oldest first unless ordered otherwise.",
  }),
});

@Resolver(() => ApiKey)
export class KeyResolver {
  @Query(() => Viewer, { description: "Returns the caller: its tenant and the rights of its API key." })
  viewer(@Ctx() { actor }: Context): Viewer {
    return actor;
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey, { description: "Creates an API key and returns it. The key cannot be retrieved again." })
  async createApiKey(
    @Arg("input", () => CreateApiKeyInput, { description: "Rights of the key." }) input: CreateApiKeyInput,
    @Ctx() { db, actor }: Context,
  ): Promise<IssuedKey> {
    if (input.expiresAt && input.expiresAt.getTime() <= Date.now()) throw badInput({ expiresAt: "must lie in the future" });
    checkSites(actor, input.sites ?? []);
    const readAll = input.readAll ?? !input.sites?.length;
    if (!readAll && !input.sites?.length) throw badInput({ readAll: "may be false only for a key that is limited to sites" });
    if (readAll && !actor.readAll) throw forbidden("This key may issue keys that read its own sites only");
    const { key, prefix, secretHash } = generateKey();
    return { key, apiKey: await db.records.ApiKey.create(actor.keyId, { ...input, readAll, prefix, secretHash }) };
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey, { description: "Issues a new key with the same rights. The old key stays valid for the overlap." })
  async rotateApiKey(
    @Arg("id", () => ID, { description: "Id of the key to replace. One that is revoked or rotated already is refused with CONFLICT." })
    id: string,
    @Ctx() { db, actor, keys }: Context,
    @Arg("input", () => RotateApiKeyInput, { nullable: true, description: "Default: the old key stays valid for a day." })
    input?: RotateApiKeyInput,
  ): Promise<IssuedKey> {
    const overlapMinutes = input?.overlapMinutes ?? 1440;
    if (overlapMinutes < 0 || overlapMinutes > maxOverlapMinutes)
      throw badInput({ overlapMinutes: `must be from 0 to ${maxOverlapMinutes}` });
    const revokedAt = new Date(Date.now() + overlapMinutes * 60_000);
    const issued = await db.transaction(async ({ records }) => {
      // `revokedAt: null` is part of the statement, so that only one of two concurrent rotations succeeds.
      const old = await records.ApiKey.update(actor.keyId, { id, revokedAt: null }, { revokedAt });
      if (!old) {
        if (await records.ApiKey.count({ id })) throw conflict("API key is already revoked or rotated", { keyId: id });
        throw notFound("API key", { keyId: id });
      }
      checkSites(actor, old.sites);
      const { key, prefix, secretHash } = generateKey();
      const { name, role, sites, readAll, expiresAt } = old;
      return { key, apiKey: await records.ApiKey.create(actor.keyId, { name, role, sites, readAll, expiresAt, prefix, secretHash }) };
    });
    keys.clearCache();
    return issued;
  }

  @Authorized("admin")
  @Mutation(() => ApiKey, { description: "Revokes a key. It stops working within seconds." })
  async revokeApiKey(
    @Arg("id", () => ID, { description: "Id of the key." }) id: string,
    @Ctx() { db, actor, keys }: Context,
  ): Promise<ApiKey> {
    const now = new Date();
    const valid = { id, OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] };
    const { ApiKey } = db.records;
    const key = (await ApiKey.update(actor.keyId, valid, { revokedAt: now })) ?? (await ApiKey.find({ id }));
    if (!key) throw notFound("API key", { keyId: id });
    keys.clearCache();
    return key;
  }
}
