import { Field, ID, InputType } from "type-graphql";
import { DateTime, Name, NonNegative, ShortText, StockSite, Text } from "../../scalars.js";
import { AbcClass } from "../enums.js";

@InputType({
  description: "Stock to count at a site. All conditions that are set must match. Without conditions, all stock of the site is counted.",
})
export class CreateStockCountInput {
  @Field(() => StockSite, { description: "Site of the stock. Keys limited to sites may name only their own." })
  site!: string;

  @Field(() => Name, { nullable: true, description: "Prefix of the storage locations, such as `A-` for `A-01` and `A-02`." })
  area?: string | null;

  @Field(() => Name, { nullable: true, description: "Exact storage location, such as a bin." })
  location?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Exact category of the parts." })
  category?: string | null;

  @Field(() => AbcClass, {
    nullable: true,
    description: "Class of the parts by the value of their usage at the site in the last 365 days.",
  })
  abcClass?: AbcClass | null;

  @Field(() => [ID], { nullable: true, description: "Ids of the parts, including parts without stock at the site." })
  partIds?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether expected quantities are hidden until the count is posted. Default: false.",
  })
  blind?: boolean | null;

  @Field(() => ShortText, { nullable: true, description: "Reason for the count, stored with the movements." })
  reason?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether to create a draft, which can be counted after it is opened. Default: false.",
  })
  draft?: boolean | null;
}

@InputType({ description: "Counted quantity of one part." })
export class CountedLineInput {
  @Field(() => ID, { description: "Id of a part on the sheet." })
  partId!: string;

  @Field(() => NonNegative, { description: "Counted quantity, in the part's unit." })
  counted!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time of counting, not before the sheet was opened and not in the future. Default: now, by the database clock.",
  })
  countedAt?: Date | null;

  @Field(() => Text, { nullable: true, description: "Note." })
  note?: string | null;
}
