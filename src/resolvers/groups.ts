/** Root fields that count a list's records by some of their columns: `assetGroups` and the like. */
import type { GraphQLResolveInfo } from "graphql";
import { Arg, type ClassType, Ctx, Info, Query, Resolver } from "type-graphql";
import { Bindings, groupSql } from "../database/rows.js";
import { badInput } from "../schema/errors.js";
import { type Grouping, groupedLists } from "../schema/list.js";
import type { Context } from "./context.js";
import { listCost } from "./cost.js";
import { relationOf } from "./relation.js";

const maxGroups = 1_000;

/** The SQL of what a row is grouped by. */
function valueSql({ column, unit, ofAsset }: Grouping): string {
  if (ofAsset) return `(select f."${column}" from "Asset" f where f."tenantId" = $1 and f.id = "assetId")`;
  return unit ? `to_char(date_trunc('${unit}', "${column}" at time zone 'UTC'), 'YYYY-MM-DD')` : `"${column}"`;
}

/** Returns the resolver class that type-graphql wants, with a query for each list that has groups. */
export function declareGroups(): ClassType {
  @Resolver()
  class Groups {}
  for (const [, { Filter, groups }] of groupedLists()) {
    const { root, by, sums } = groups;
    const name = `${root.replace(/ies$/, "y").replace(/s$/, "")}Groups`;
    const resolve = (fields: string[], filter: object | undefined, { db }: Context, { schema }: GraphQLResolveInfo) => {
      const chosen = [...new Set(fields)];
      if (!chosen.length) throw badInput({ by: "must name at least one field" });
      const list = relationOf(schema.getQueryType()!.getFields()[root]!)!.list({ filter });
      const bindings = new Bindings();
      const columns = [
        ...chosen.map((field) => `${valueSql(by[field]!)} as "${field}"`),
        "count(*)::int as count",
        ...sums.map((column) => `coalesce(sum("${column}"), 0) as "${column}"`),
      ];
      return db.query<object>(groupSql(list, "c", bindings, columns, chosen.length, maxGroups + 1), ...bindings.values).then((found) => {
        if (found.length > maxGroups) throw badInput({ by: `makes more than ${maxGroups} groups; group by less or filter` });
        return found;
      });
    };
    Object.defineProperty(Groups.prototype, name, { value: resolve });
    Reflect.defineMetadata("design:paramtypes", [Array, Object, Object, Object], Groups.prototype, name);
    Query(() => [groups.Group], {
      complexity: listCost(50),
      description: `Counts the records of \`${root}\` and adds up their figures, by some of their fields. At most ${maxGroups} groups, ordered by these fields.`,
    })(Groups.prototype, name, { value: resolve });
    Arg("by", () => [groups.Field], { description: "What they are grouped by, one or several." })(Groups.prototype, name, 0);
    Arg("filter", () => Filter, { nullable: true, description: `As of \`${root}\`.` })(Groups.prototype, name, 1);
    Ctx()(Groups.prototype, name, 2);
    Info()(Groups.prototype, name, 3);
  }
  return Groups;
}
