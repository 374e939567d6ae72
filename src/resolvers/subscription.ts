/** What subscriptions are made of: entries of the log of changes. */
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
      "The `token` of the last result, to go on after it: nothing is missed, nothing comes twice. It must be that of a caller with the same sites and rights, and cover the types. Default: from now on.",
  })
  after?: string | null;
}

/** What the field of a subscription returns: which entries it is about, and the value of its field for each. */
export class SubscriptionSource<T = unknown> {
  constructor(
    readonly recordTypes: readonly RecordType[],
    /** The token of a subscriber who comes back. */
    readonly after: string | null | undefined,
    /** The value of the field; undefined where the subscription is not about the entry. */
    readonly event: (entry: FeedEntry, context: Context) => Promise<T | undefined> | T | undefined,
  ) {}

  /** graphql-js accepts nothing else from a subscription; execution/operation/subscriptions.ts never calls it. */
  [Symbol.asyncIterator](): never {
    throw new Error("read the source instead");
  }
}

/**
 * The place of a token. Throws BAD_USER_INPUT for text that is none, RESYNC_REQUIRED where the log does not reach back to it, and where it is bound
 * to other rights or types.
 */
export async function decodeFor({ tail, actor, keptChangesMs }: Context, after: string, types: readonly RecordType[]): Promise<Position> {
  const token = decodePosition(after, "after", keptChangesMs);
  requireScope(token.scope, actor, readableTypes(actor, types));
  const end = await logEnd(tail.database, actor.tenantId);
  if (token.epoch !== end.epoch || isAhead(token.position, end.completeBelow)) throw resyncRequired();
  return token.position;
}
