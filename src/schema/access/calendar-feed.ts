/** Calendar feeds: secret links through which a calendar program shows a person's due work. */
import { Extensions, Field, ID, InputType, ObjectType } from "type-graphql";
import { DateTime, Name } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Secret link to the due work of a person, without the secret." })
export class CalendarFeed {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the person whose work the feed shows, as `Principal.authorId`." })
  principalId!: string;

  @Field(() => String, { description: "Name of the calendar that uses the feed." })
  name!: string;

  @Field(() => [String], { description: "Sites whose work the feed shows. Empty for all sites." })
  sites!: string[];

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that created the feed." })
  createdBy!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "New calendar feed. The link is shown only once: the service stores only a hash of its secret.",
})
export class NewCalendarFeed {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "URL for a calendar program. The URL grants access to the work without a key." })
  url!: string;

  @Field(() => CalendarFeed, { description: "Stored feed, without its secret." })
  feed!: CalendarFeed;
}

@InputType({ description: "New link to the due work of a person." })
export class CreateCalendarFeedInput {
  @Field(() => Name, { description: "Name of the calendar that will use the feed, e.g. a phone." })
  name!: string;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the person. Default: the caller, who must be a person. Only admins of all sites can set another person.",
  })
  principalId?: string | null;
}
