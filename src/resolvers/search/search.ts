import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { byCode, search, searchables } from "../../domain/search/search.js";
import { matchesIn, spellingsOf, termsOf } from "../../domain/search/words.js";
import { ShortText } from "../../schema/scalars.js";
import { ScanMatch, SearchArgs, SearchResult } from "../../schema/search/search.js";
import type { Context } from "../context.js";
import { listCost, price } from "../cost.js";
import { nodeOf, recordNode } from "../nodes.js";

@Resolver()
export class SearchResolver {
  @Query(() => [SearchResult], {
    complexity: ({ args, childComplexity }) => price.search + (args.first ?? 1) * (1 + childComplexity),
    description:
      "Finds records by words, best matches first: exact codes and names, then words of the name, then words elsewhere. There are no further pages; add words to narrow the results.",
  })
  async search(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchResult[]> {
    const found = await search(context.data.db, args);
    const terms = termsOf(args.text).flatMap(spellingsOf);
    const nodes = await Promise.all(found.map(({ recordType, id }) => recordNode(recordType, id, context)));
    return found.flatMap(({ recordType, title, site }, i) => {
      const node = nodes[i] as Record<string, unknown> | null;
      if (!node) return [];
      const highlights = searchables[recordType]!.texts.flatMap((field) => {
        const text = node[field];
        const matches = typeof text === "string" ? matchesIn(text, terms) : [];
        return matches.length ? [{ field, text: text as string, matches }] : [];
      });
      return [{ recordType, node, title, site, highlights }];
    });
  }

  @Query(() => [ScanMatch], {
    complexity: listCost(5),
    description:
      "Finds records by a label: assets and components by serial number, parts by part number, barcode or QR code, any object by id. Empty if nothing matches.",
  })
  async scan(
    @Arg("code", () => ShortText, { description: "Exact text that was scanned." }) code: string,
    @Ctx() context: Context,
  ): Promise<ScanMatch[]> {
    const [own, coded] = await Promise.all([nodeOf(code, context).catch(() => null), byCode(context.data.db, code)]);
    const nodes = await Promise.all(coded.map(({ table, id }) => recordNode(table, id, context)));
    const matches = coded.flatMap(({ codeField }, i) => (nodes[i] ? [{ codeField, node: nodes[i] }] : []));
    return own ? [{ codeField: "id", node: own }, ...matches] : matches;
  }
}
