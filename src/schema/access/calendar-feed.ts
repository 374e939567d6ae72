/** Secret links by which a calendar program shows a person's due work. */
import { Extensions, Field, ID, InputType, ObjectType } from "type-graphql";
import { DateTime, Name } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "A secret link to the due work of a person, without its secret." })
export class CalendarFeed {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Whose work it shows: the id that is written as an author." })
  principalId!: string;

  @Field(() => String, { description: "Which calendar it is for." })
  name!: string;

  @Field(() => [String], { description: "Sites whose work it shows. Empty: all sites." })
  sites!: string[];

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that created it." })
  createdBy!: string;
}

@ObjectType({ simpleResolvers: true, description: "A new link. It is shown only once: the service stores only a hash of its secret." })
export class NewCalendarFeed {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "The address that a calendar program subscribes to. Who has it reads the work without a key." })
  url!: string;

  @Field(() => CalendarFeed, { description: "The stored link, without its secret." })
  feed!: CalendarFeed;
}

@InputType({ description: "A new link to the due work of a person." })
export class CreateCalendarFeedInput {
  @Field(() => Name, { description: "Which calendar it is for, such as a telephone." })
  name!: string;

  @Field(() => ID, {
    nullable: true,
    description: "The person. Default: the caller, who must be a person. Another one is for admins.",
  })
  principalId?: string | null;
}
