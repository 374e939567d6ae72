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

  @Field(() => [Asset], { description: "Assets of the area on this page, ordered by name." })
  assets!: Asset[];

  @Field(() => String, { nullable: true, description: "Token for the next page of this area only. Null if there are no more assets." })
  nextToken!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Assets of one site on a page of the grouped list." })
export class AssetSiteGroup {
  @Field(() => String, { description: "Name of the site. Empty for assets without a site." })
  site!: string;

  @Field(() => [AssetAreaGroup], { description: "Areas of the site on this page, ordered by name." })
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

  @Field(() => String, { nullable: true, description: "`nextToken` of the previous response, from the whole list, a site or an area." })
  nextToken?: string | null;

  @Field(() => AssetFilter, { nullable: true, description: "Filter of the list. Default: all assets." })
  filter?: AssetFilter | null;
}

/** Part of the grouped list that a token continues: a site, an area, or the whole list. */
export interface GroupScope {
  site?: string;
  area?: string;
}

/** Parses a token of the grouped list. Throws BAD_USER_INPUT naming nextToken for an invalid token. */
export function readGroupToken(token: string | null | undefined): { scope: GroupScope; cursor?: string } {
  if (!token) return { scope: {} };
  const [site, area, cursor] = decodeToken(token) ?? [];
  if (typeof cursor !== "string") throw badInput({ nextToken: foreignToken });
  return { scope: { ...(typeof site === "string" && { site }), ...(typeof area === "string" && { area }) }, cursor };
}

/**
 * A grouped page (docs/decisions.md, "asset list"). Tokens of an area or a site continue that area or site. The top-level token continues
 * the whole list. Tokens are null at the end. The page reads one asset more than `limit`, to detect whether the last group continues.
 */
@ObjectType({ simpleResolvers: true, description: "Page of assets, grouped by site and area." })
export class GroupedAssets {
  private readonly next: Asset | undefined;
  private readonly last: Asset | undefined;
  private readonly scope: GroupScope;

  @Field(() => [AssetSiteGroup], { description: "Sites on this page, ordered by name." })
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
