import { Field, ID, InputType } from "type-graphql";
import { DateTime, Name, NonNegative, ShortText, StockSite, Text } from "../scalars.js";
import { AbcClass } from "./count-enums.js";

@InputType({
  description: "What to count at a site. All conditions that are set must hold; without any, all stock of the site is counted.",
})
export class CreateStockCountInput {
  @Field(() => StockSite, { description: "Site of the stock. A key limited to sites may name only its own." })
  site!: string;

  @Field(() => Name, { nullable: true, description: "Beginning of the storage locations, such as `A-` for `A-01` and `A-02`." })
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

  @Field(() => [ID], { nullable: true, description: "Only these parts, also such as have no stock at the site yet." })
  partIds?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "True: nobody is told what is expected until it is posted. Default: false." })
  blind?: boolean | null;

  @Field(() => ShortText, { nullable: true, description: "Why it is counted. It is the reason of the movements." })
  reason?: string | null;

  @Field(() => Boolean, { nullable: true, description: "True: a draft, which is counted once it is opened. Default: false." })
  draft?: boolean | null;
}

@InputType({ description: "What was found of one part." })
export class CountedLineInput {
  @Field(() => ID, { description: "Id of the part, which must be on the sheet." })
  partId!: string;

  @Field(() => NonNegative, { description: "Quantity that was found, in the part's unit." })
  counted!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it was counted, not before the sheet was opened and not in the future. Default: now, by the database's clock.",
  })
  countedAt?: Date | null;

  @Field(() => Text, { nullable: true, description: "Remark." })
  note?: string | null;
}
