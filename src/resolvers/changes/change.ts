import { Arg, Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Query, Resolver, Root, Subscription } from "type-graphql";
import { exportChanges } from "../../domain/changes/export.js";
import { changedFields } from "../../domain/changes/fields.js";
import { isAtSites } from "../../domain/changes/scope.js";
import { syncPage } from "../../domain/changes/sync.js";
import { Change, ChangeFilter, FieldChange, logOrder } from "../../schema/changes/change.js";
import { RecordType, recordTypeNames } from "../../schema/changes/enums.js";
import { ChangeEvent, SyncArgs, SyncPage } from "../../schema/changes/event.js";
import { badInput } from "../../schema/errors.js";
import { Node } from "../../schema/node.js";
import { pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { listCost, price, priced } from "../cost.js";
import { nodeOf } from "../nodes.js";
import { declareRoots } from "../relations.js";
import { AfterArgs, SubscriptionSource } from "../subscription.js";

export const changeRoots = declareRoots({
  changes: pages("Change", {
    role: "admin",
    order: logOrder,
    descending: true,
    description:
      "Lists the change log, newest first: author, previous values and new values. Each record also has its own log in the field `changes`.",
  }),
});

@Resolver(() => Change)
export class ChangeResolver {
  @FieldResolver(() => [FieldChange], {
    complexity: listCost(5),
    description: "Changed fields, by name. For a new record, the fields with a value. Empty for a deletion.",
  })
  fields(@Root() change: Change): FieldChange[] {
    return changedFields(change as never);
  }

  @Authorized("admin")
  @Query(() => String, {
    complexity: priced(price.export),
    description: "Exports the change log as CSV text, oldest first, with one line for each changed field.",
  })
  async exportChanges(
    @Ctx() { data: { db, bounds } }: Context,
    @Arg("filter", () => ChangeFilter, { nullable: true, description: "Changes to export. Default: all." }) filter?: ChangeFilter,
  ): Promise<string> {
    return bounds.textOf(exportChanges(db, filter));
  }

  @FieldResolver(() => Node, { nullable: true, description: "Current state of the record. Null if it was deleted." })
  record(@Root() { recordId }: Change, @Ctx() context: Context): Promise<object | null> {
    return nodeOf(recordId, context);
  }
}

@ArgsType()
class ChangeEventArgs extends AfterArgs {
  @Field(() => [RecordType], {
    nullable: true,
    description: "Only records of these types. Default: all types that the caller may read, except readings.",
  })
  recordTypes?: RecordType[] | null;

  @Field(() => String, { nullable: true, description: "Only records that belong to this site, or did before the change. Default: all." })
  site?: string | null;

  @Field(() => [ID], { nullable: true, description: "Only these records. Default: all." })
  ids?: string[] | null;
}

/** All types except readings, which are numerous. */
const usualTypes = recordTypeNames.filter((type) => type !== "Reading");

function events({ recordTypes, site, ids, after }: ChangeEventArgs): SubscriptionSource {
  if (recordTypes?.length === 0) throw badInput({ recordTypes: "must name a type, or be left out" });
  return new SubscriptionSource(recordTypes ?? usualTypes, after, (entry) => {
    if (site != null && !isAtSites(entry, [site])) return undefined;
    return ids && !ids.includes(entry.recordId) ? undefined : entry;
  });
}

@Resolver(() => ChangeEvent)
export class ChangeEventResolver {
  @FieldResolver(() => Node, {
    nullable: true,
    description: "Current state of the record. Null if it was deleted or is not at the caller's sites.",
  })
  record(@Root() { recordId }: ChangeEvent, @Ctx() context: Context): Promise<object | null> {
    return nodeOf(recordId, context);
  }

  @Authorized("viewer")
  @Subscription(() => ChangeEvent, {
    subscribe: ({ args }) => events(args),
    description:
      "Sends each change of a record, in log order. Each result has a `token` in its `extensions`, from which a client can resume.",
  })
  changes(@Root() event: ChangeEvent, @Args(() => ChangeEventArgs) _args: ChangeEventArgs): ChangeEvent {
    return event;
  }

  @Query(() => SyncPage, {
    complexity: ({ args, childComplexity }) => 1 + (args.first ?? 1) * (1 + childComplexity),
    description:
      "Returns the records that changed since a token, for clients that keep a copy in sync: the current state of each record, or its deletion. Without a token, returns all records first, page by page.",
  })
  async changesSince(@Args(() => SyncArgs) args: SyncArgs, @Ctx() context: Context): Promise<SyncPage> {
    const { actor } = context.caller;
    const { db } = context.data;
    const { tail, keptChangesMs } = context.services;
    const asked = args.recordTypes ?? usualTypes;
    const { changed, ...page } = await syncPage(tail.database, db, {
      token: args.token,
      recordTypes: recordTypeNames.filter((type) => asked.includes(type)),
      first: args.first,
      keptMs: keptChangesMs,
      rights: actor,
    });
    const records = await Promise.all(
      changed.map(async (one) => ({ ...one, record: (await nodeOf(one.recordId, context)) as Node | null })),
    );
    return { ...page, records };
  }
}
