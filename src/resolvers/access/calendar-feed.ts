import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver } from "type-graphql";
import { calendarFeedsOf, createCalendarFeed, deleteCalendarFeed } from "../../domain/access/calendar-feeds.js";
import { CalendarFeed, CreateCalendarFeedInput, NewCalendarFeed } from "../../schema/access/calendar-feed.js";
import { Viewer } from "../../schema/access/key.js";
import type { Context } from "../context.js";

@Resolver(() => Viewer)
export class CalendarFeedResolver {
  @FieldResolver(() => [CalendarFeed], { description: "The caller's calendar feeds, oldest first." })
  calendarFeeds(@Ctx() { db, actor }: Context): Promise<CalendarFeed[]> {
    return calendarFeedsOf(db, actor.principalId);
  }

  @Authorized("technician")
  @Mutation(() => NewCalendarFeed, {
    description:
      "Creates a secret link to the due work that is assigned to a person or the person's crew, for a calendar program. It ends with the person.",
  })
  async createCalendarFeed(
    @Arg("input", () => CreateCalendarFeedInput, { description: "Whose work it shows." }) input: CreateCalendarFeedInput,
    @Ctx() { db, actor, baseUrl }: Context,
  ): Promise<NewCalendarFeed> {
    const { secret, feed } = await createCalendarFeed(db, actor, input);
    return { url: `${baseUrl}/calendar/${secret}.ics`, feed };
  }

  @Authorized("technician")
  @Mutation(() => CalendarFeed, {
    description: "Deletes a calendar feed, of another person only as an admin. Its link is unknown from then on.",
  })
  deleteCalendarFeed(
    @Arg("id", () => ID, { description: "Id of the feed." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<CalendarFeed> {
    return deleteCalendarFeed(db, actor, id);
  }
}
