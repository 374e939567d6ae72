import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Mutation, Query, Resolver } from "type-graphql";
import * as links from "../../domain/access/report-links.js";
import { CreateReportLinkInput, NewReportLink, ReportLink } from "../../schema/access/report-link.js";
import { Place } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";

@ArgsType()
class ReportLinkArgs {
  @Field(() => ID, { nullable: true, description: "Only links of this asset." })
  assetId?: string | null;

  @Field(() => Place, { nullable: true, description: "Only links of this site, without those of its assets." })
  site?: string | null;
}

/** Usual number of links. */
const usualLinks = 50;

@Resolver(() => ReportLink)
export class ReportLinkResolver {
  @Authorized("manager")
  @Query(() => [ReportLink], {
    complexity: listCost(usualLinks),
    description: `Valid report links, newest first, at most ${links.listedLinks}.`,
  })
  reportLinks(@Args(() => ReportLinkArgs) args: ReportLinkArgs, @Ctx() { data: { db } }: Context): Promise<ReportLink[]> {
    return links.reportLinks(db, args);
  }

  @Authorized("manager")
  @Mutation(() => NewReportLink, {
    description:
      "Creates a report link: a secret link to a page where anyone reports faults of an asset, or of the assets of a site, without a key.",
  })
  async createReportLink(
    @Arg("input", () => CreateReportLinkInput, { description: "Name and place of the link." }) input: CreateReportLinkInput,
    @Ctx() { data: { db }, caller: { actor, baseUrl } }: Context,
  ): Promise<NewReportLink> {
    const { secret, link } = await links.createReportLink(db, actor, input);
    return { url: `${baseUrl}/report/${secret}`, link };
  }

  @Authorized("manager")
  @Mutation(() => ReportLink, {
    description: "Revokes a report link. Its page and the addresses of its reports no longer exist. Reports stay.",
  })
  revokeReportLink(
    @Arg("id", () => ID, { description: "Id of the link." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<ReportLink> {
    return links.revokeReportLink(db, actor, id);
  }
}
