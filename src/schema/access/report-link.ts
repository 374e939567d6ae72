/** Report links: secret links through which anyone reports faults without a key. */
import { Extensions, Field, ID, InputType, ObjectType } from "type-graphql";
import { DateTime, Name, Place } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Secret link to a page that reports faults without a key, without the secret." })
export class ReportLink {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant. `WorkRequest.createdBy` of the link's reports." })
  id!: string;

  @Field(() => String, { description: "Name of the link, such as the place of its label." })
  name!: string;

  @Field(() => ID, { nullable: true, description: "Id of the asset whose faults are reported. Null for the link of a site." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Site whose assets reporters choose from. Null for the link of an asset." })
  site?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that created the link." })
  createdBy!: string;

  @Field(() => DateTime, { nullable: true, description: "Time of revocation. Null while the link is valid." })
  revokedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that revoked the link. Null while the link is valid." })
  revokedBy?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "New report link. The link is shown only once: the service stores only a hash of its secret.",
})
export class NewReportLink {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "URL of the page. Anyone with the URL can report faults." })
  url!: string;

  @Field(() => ReportLink, { description: "Stored link, without its secret." })
  link!: ReportLink;
}

@InputType({ description: "New report link of an asset or of a site." })
export class CreateReportLinkInput {
  @Field(() => Name, { description: "Name of the link, such as the place of its label." })
  name!: string;

  @Field(() => ID, { nullable: true, description: "Id of the asset. Either the asset or the site must be set." })
  assetId?: string | null;

  @Field(() => Place, { nullable: true, description: "Name of the site, whose assets reporters choose from." })
  site?: string | null;
}
