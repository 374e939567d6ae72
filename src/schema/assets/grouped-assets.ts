/** The asset list grouped by site and area (docs/interface.md 4.1), and the tokens that continue it. */
import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import type { Page } from "../connection.js";
import { badInput } from "../errors.js";
import { decodeToken, encodeToken, foreignToken } from "../token.js";
import { Asset, AssetFilter } from "./asset.js";

@ObjectType({ simpleResolvers: true, description: "Assets of one area on a page of the grouped list." })
export class AssetAreaGroup {
  @Field(() => String, { description: "Name of the area. Empty for assets without an area." })
  name!: string;

  @Field(() => [Asset], { description: "The area's assets on this page, ordered by name." })
  assets!: Asset[];

  @Field(() => String, { nullable: true, description: "Token for the next page of this area only. Null if there are no more assets." })
  nextToken!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Assets of one site on a page of the grouped list." })
export class AssetSiteGroup {
  @Field(() => String, { description: "Name of the site. Empty for assets without a site." })
  site!: string;

  @Field(() => [AssetAreaGroup], { description: "The site's areas on this page, ordered by name." })
  areas!: AssetAreaGroup[];

  @Field(() => String, { nullable: true, description: "Token for the next page of this site only. Null if there are no more assets." })
  nextToken!: string | null;
}

@ArgsType()
export class GroupedAssetsArgs {
  @Field(() => Int, { defaultValue: 50, description: "Number of assets on the page." })
  limit!: number;

  @Field(() => Int, { nullable: true, description: "Number of assets to skip, at most 10,000. Ignored with `nextToken`." })
  offset?: number | null;

  @Field(() => String, { nullable: true, description: "A `nextToken` of the previous response: of the whole list, a site or an area." })
  nextToken?: string | null;

  @Field(() => AssetFilter, { nullable: true, description: "Which assets are listed. Default: all." })
  filter?: AssetFilter | null;
}

/** The part of the grouped list that a token continues: a site, an area of it, or the whole list. */
export interface GroupScope {
  site?: string;
  area?: string;
}

/** Reads a token of the grouped list. Throws BAD_USER_INPUT naming nextToken if it is none. */
export function readGroupToken(token: string | null | undefined): { scope: GroupScope; cursor?: string } {
  if (!token) return { scope: {} };
  const [site, area, cursor] = decodeToken(token) ?? [];
  if (typeof cursor !== "string") throw badInput({ nextToken: foreignToken });
  return { scope: { ...(typeof site === "string" && { site }), ...(typeof area === "string" && { area }) }, cursor };
}

/**
 * One page, grouped (docs/decisions.md, "asset list"). The token of an area continues that area, the token of a site that site, and the
 * top-level token the whole list; null at the end. The page holds one asset more than `limit`: it shows whether the last group goes on.
 */
@ObjectType({ simpleResolvers: true, description: "A page of assets, grouped by site and area." })
export class GroupedAssets {
  private readonly next: Asset | undefined;
  private readonly last: Asset | undefined;
  private readonly scope: GroupScope;

  @Field(() => [AssetSiteGroup], { description: "The sites on this page, ordered by name." })
  readonly items: AssetSiteGroup[] = [];

  @Field(() => String, { nullable: true, description: "Token for the next page of the whole list. Null if there are no more assets." })
  readonly nextToken: string | null = null;

  constructor(
    private readonly page: Page<Asset>,
    { limit, nextToken }: GroupedAssetsArgs,
  ) {
    const assets = page.rows.slice(0, limit);
    this.last = assets.at(-1);
    this.next = page.rows[limit];
    this.scope = readGroupToken(nextToken).scope;
    for (const asset of assets) this.add(asset);
    if (!this.last || !this.next) return;
    const { site, area } = this.last;
    const group = this.items.at(-1)!;
    if (this.next.site === site && this.next.area === area) group.areas.at(-1)!.nextToken = this.tokenFor({ site, area });
    if (this.next.site === site && this.scope.area === undefined) group.nextToken = this.tokenFor({ site });
    if (this.scope.site === undefined) this.nextToken = this.tokenFor({});
  }

  private add(asset: Asset): void {
    let group = this.items.at(-1);
    if (group?.site !== asset.site) this.items.push((group = { site: asset.site, areas: [], nextToken: null }));
    let area = group!.areas.at(-1);
    if (area?.name !== asset.area) group!.areas.push((area = { name: asset.area, assets: [], nextToken: null }));
    area!.assets.push(asset);
  }

  private tokenFor(scope: GroupScope): string {
    const narrowed = Object.entries(scope).filter(([column]) => !(column in this.scope));
    return encodeToken(scope.site ?? null, scope.area ?? null, this.page.cursorWithin(Object.fromEntries(narrowed), this.last!));
  }
}
