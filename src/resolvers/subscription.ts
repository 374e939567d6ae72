/** Subscriptions are built from entries of the change log. */
import { ArgsType, Field } from "type-graphql";
import { type FeedEntry, isAhead, logEnd } from "../domain/changes/feed.js";
import { decodePosition, type Position } from "../domain/changes/position.js";
import { readableTypes, requireScope } from "../domain/changes/scope.js";
import type { RecordType } from "../schema/changes/enums.js";
import { resyncRequired } from "../schema/errors.js";
import type { Context } from "./context.js";

@ArgsType()
export class AfterArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "`token` of the last result, from which to resume without gaps or duplicates. The token must come from a caller with the same sites and permissions, and cover the types. Default: events from now on.",
  })
  after?: string | null;
}

/** Source of a subscription field: the matching entries, and the value of the field for each. */
export class SubscriptionSource<T = unknown> {
  constructor(
    readonly recordTypes: readonly RecordType[],
    /** The token from which a subscriber resumes. */
    readonly after: string | null | undefined,
    /** The value of the field. Undefined if the entry does not match. */
    readonly event: (entry: FeedEntry, context: Context) => Promise<T | undefined> | T | undefined,
  ) {}

  /** graphql-js requires an async iterable; execution/operation/subscriptions.ts never iterates it. */
  [Symbol.asyncIterator](): never {
    throw new Error("read the source instead");
  }
}

/**
 * Returns the position of a token. Throws BAD_USER_INPUT for an invalid token. Throws RESYNC_REQUIRED if the log no longer contains its
 * position, or the token is bound to other permissions or types.
 */
export async function decodeFor(
  { services: { tail, keptChangesMs }, caller: { actor } }: Context,
  after: string,
  types: readonly RecordType[],
): Promise<Position> {
  const token = decodePosition(after, "after", keptChangesMs);
  requireScope(token.scope, actor, readableTypes(actor, types));
  const end = await logEnd(tail.database, actor.tenantId);
  if (token.epoch !== end.epoch || isAhead(token.position, end.completeBelow)) throw resyncRequired();
  return token.position;
}
