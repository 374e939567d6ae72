import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver } from "type-graphql";
import { calendarFeedsOf, createCalendarFeed, deleteCalendarFeed } from "../../domain/access/calendar-feeds.js";
import { CalendarFeed, CreateCalendarFeedInput, NewCalendarFeed } from "../../schema/access/calendar-feed.js";
import { Viewer } from "../../schema/access/key.js";
import type { Context } from "../context.js";

@Resolver(() => Viewer)
export class CalendarFeedResolver {
  @FieldResolver(() => [CalendarFeed], { description: "Calendar feeds of the caller, oldest first." })
  calendarFeeds(@Ctx() { data: { db }, caller: { actor } }: Context): Promise<CalendarFeed[]> {
    return calendarFeedsOf(db, actor.principalId);
  }

  @Authorized("technician")
  @Mutation(() => NewCalendarFeed, {
    description:
      "Creates a calendar feed: a secret link to the due work assigned to a person or the person's crew. The feed expires when the person is deactivated or erased, or when the API key that created the feed is revoked.",
  })
  async createCalendarFeed(
    @Arg("input", () => CreateCalendarFeedInput, { description: "Name and owner of the feed." }) input: CreateCalendarFeedInput,
    @Ctx() { data: { db }, caller: { actor, baseUrl } }: Context,
  ): Promise<NewCalendarFeed> {
    const { secret, feed } = await createCalendarFeed(db, actor, input);
    return { url: `${baseUrl}/calendar/${secret}.ics`, feed };
  }

  @Authorized("technician")
  @Mutation(() => CalendarFeed, {
    description: "Deletes a calendar feed and invalidates its link. Only admins of all sites can delete feeds of other persons.",
  })
  deleteCalendarFeed(
    @Arg("id", () => ID, { description: "Id of the feed." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<CalendarFeed> {
    return deleteCalendarFeed(db, actor, id);
  }
}
