import type { GraphQLResolveInfo } from "graphql";
import { Arg, Authorized, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver } from "type-graphql";
import { now, nowDate } from "../../database/clock.js";
import type { TenantDatabase } from "../../database/database.js";
import { generateKey } from "../../database/records/directory.js";
import { endFeedsOfKey, handOverFeeds } from "../../domain/access/calendar-feeds.js";
import { checkIssuedRights, isWithin } from "../../domain/access/key-rights.js";
import { keepingAnAdmin } from "../../domain/access/principals.js";
import { ApiKey, CreateApiKeyInput, IssuedKey, Permission, RotateApiKeyInput, Viewer } from "../../schema/access/key.js";
import { storedId } from "../../schema/access/principal.js";
import { badInput, conflict, forbidden, notFound } from "../../schema/errors.js";
import { pages } from "../../schema/relation.js";
import { type Context, forgetRights } from "../context.js";
import { declareRoots } from "../relations.js";
import { isAllowed, rolesOf } from "../roles.js";

/** Returns the id of a principal to which keys may be issued. Throws BAD_USER_INPUT for an unknown or erased principal. */
async function actingPrincipal({ records }: TenantDatabase, id: string): Promise<string> {
  const found = await records.Principal.find({ id });
  if (!found) throw badInput({ principalId: "names no principal; use the id of an existing one" });
  if (found.erasedAt) throw badInput({ principalId: "names an erased person; use another" });
  return id;
}

const maxOverlapMinutes = 43_200;

export const keyRoots = declareRoots({
  apiKeys: pages("ApiKey", {
    role: "admin",
    description:
      "Lists the tenant's API keys, including revoked ones, oldest first unless ordered otherwise. Admins limited to sites see only the keys of those sites.",
  }),
});

@Resolver(() => ApiKey)
export class KeyResolver {
  @Authorized("viewer", "requester")
  @Query(() => Viewer, { description: "Returns the caller: identity, tenant and permissions." })
  viewer(@Ctx() { caller: { actor } }: Context): Viewer {
    return { ...actor, keyId: actor.keyId ?? actor.principalId, keyName: actor.keyName ?? actor.principalName };
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey, { description: "Creates an API key and returns it. The key cannot be retrieved later." })
  async createApiKey(
    @Arg("input", () => CreateApiKeyInput, { description: "Permissions of the key." }) input: CreateApiKeyInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<IssuedKey> {
    if (input.expiresAt && input.expiresAt.getTime() <= now()) throw badInput({ expiresAt: "must be in the future" });
    const readAll = checkIssuedRights(actor, input);
    const { key, prefix, secretHash } = generateKey();
    const principalId = input.principalId == null ? null : await actingPrincipal(db, storedId(input.principalId));
    const fields = { ...input, readAll, principalId, prefix, secretHash };
    return { key, apiKey: await db.records.ApiKey.create(actor.principalId, fields) };
  }

  @Authorized("admin")
  @Mutation(() => IssuedKey, { description: "Issues a new key with the same permissions. The old key stays valid during the overlap." })
  async rotateApiKey(
    @Arg("id", () => ID, { description: "Id of the key to replace. Fails with CONFLICT if the key is already revoked or rotated." })
    id: string,
    @Ctx() context: Context,
    @Arg("input", () => RotateApiKeyInput, { nullable: true, description: "Overlap of the old and the new key. Default: one day." })
    input?: RotateApiKeyInput,
  ): Promise<IssuedKey> {
    const { db } = context.data;
    const { actor } = context.caller;
    const overlapMinutes = input?.overlapMinutes ?? 1440;
    if (overlapMinutes < 0 || overlapMinutes > maxOverlapMinutes)
      throw badInput({ overlapMinutes: `must be from 0 to ${maxOverlapMinutes}` });
    const revokedAt = new Date(now() + overlapMinutes * 60_000);
    const issued = await db.transaction(async (tx) => {
      const { records } = tx;
      // `revokedAt: null` is part of the statement, so that only one of two concurrent rotations succeeds.
      const old = await records.ApiKey.update(actor.principalId, { id, revokedAt: null }, { revokedAt });
      if (!old) {
        if (await records.ApiKey.count({ id })) throw conflict("API key is already revoked or rotated", { keyId: id });
        throw notFound("API key", { keyId: id });
      }
      checkIssuedRights(actor, old);
      const { key, prefix, secretHash } = generateKey();
      const { name, role, sites, readAll, expiresAt, principalId } = old;
      const fields = { name, role, sites, readAll, expiresAt, principalId, prefix, secretHash };
      const apiKey = await records.ApiKey.create(actor.principalId, fields);
      await handOverFeeds(tx, old.id, apiKey.id);
      return { key, apiKey };
    });
    forgetRights(context);
    return issued;
  }

  @Authorized("admin")
  @Mutation(() => ApiKey, {
    description: "Revokes a key and deletes the calendar feeds that it created. The key stops working within seconds.",
  })
  async revokeApiKey(
    @Arg("id", () => ID, { description: "Id of the key. Fails with CONFLICT for the last key of an admin for all sites." }) id: string,
    @Ctx() context: Context,
  ): Promise<ApiKey> {
    const { db } = context.data;
    const { actor } = context.caller;
    const key = await keepingAnAdmin(db, async (tx) => {
      const { ApiKey } = tx.records;
      const found = await ApiKey.find({ id });
      if (!found) throw notFound("API key", { keyId: id });
      if (!isWithin(actor, found.sites)) throw forbidden("This key may revoke keys of its own sites only");
      const revokedAt = nowDate();
      await endFeedsOfKey(tx, id);
      const valid = { id, OR: [{ revokedAt: null }, { revokedAt: { gt: revokedAt } }] };
      return (await ApiKey.update(actor.principalId, valid, { revokedAt })) ?? found;
    });
    forgetRights(context);
    return key;
  }
}

@Resolver(() => Viewer)
export class ViewerResolver {
  @FieldResolver(() => [Permission], { description: "Permissions of the caller's role, by root field." })
  permissions(
    @Ctx() { caller: { actor } }: Context,
    @Info() { schema }: GraphQLResolveInfo,
    @Arg("fields", () => [String], {
      nullable: true,
      description: "Names of root fields, in the order of the response. Default: all, by name.",
    })
    fields?: string[] | null,
  ): Permission[] {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const known = new Map(roots.flatMap((root) => Object.values(root?.getFields() ?? {})).map((field) => [field.name, field]));
    const unknown = fields?.flatMap((name, i) => (known.has(name) ? [] : [[`fields.${i}`, "names no root field"] as const])) ?? [];
    if (unknown.length) throw badInput(Object.fromEntries(unknown));
    return (fields ?? [...known.keys()].sort()).map((name) => {
      const roles = rolesOf(known.get(name)!);
      return { field: name, isAllowed: isAllowed(actor, roles), roles };
    });
  }
}
