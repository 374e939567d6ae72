/** Root fields that group the records of a list, such as `assetGroups`. */
import type { GraphQLResolveInfo } from "graphql";
import { Arg, type ClassType, Ctx, Info, Query, Resolver } from "type-graphql";
import { exactText } from "../database/rows/json-columns.js";
import { Bindings, groupSql } from "../database/rows/rows.js";
import { isTimeZone, unknownTimeZone } from "../domain/maintenance/procedures/schedule.js";
import { badInput } from "../schema/errors.js";
import { type Grouping, groupedLists } from "../schema/list.js";
import type { Context } from "./context.js";
import { listCost, price } from "./cost.js";
import { exactSums } from "./exact.js";
import { relationOf } from "./relation.js";
import { selectedFields } from "./selection.js";

const maxGroups = 1_000;

/** Names of zones with daylight saving time that PostgreSQL mistakes for the abbreviation of their winter time. */
const likeAbbreviations: Record<string, string> = {
  CET: "Europe/Brussels",
  MET: "Europe/Brussels",
  EET: "Europe/Athens",
  WET: "Europe/Lisbon",
};

const unknownZone = () => badInput({ timeZone: unknownTimeZone });

/** Returns the time zone as PostgreSQL reads it. Throws BAD_USER_INPUT for an unknown zone. */
function zoneOf(name: string): string {
  if (!isTimeZone(name)) throw unknownZone();
  return likeAbbreviations[name.toUpperCase()] ?? name;
}

/** SQL of the value by which a row `g` of its asset `a` is grouped. */
function valueSql({ column, unit, ofAsset }: Grouping, bindZone: () => string): string {
  if (ofAsset) return `a."${column}"`;
  return unit ? `to_char(date_trunc('${unit}', g."${column}" at time zone ${bindZone()}::text), 'YYYY-MM-DD')` : `g."${column}"`;
}

/** Returns the resolver class for type-graphql, with a query for each list that has groups. */
export function declareGroups(): ClassType {
  @Resolver()
  class Groups {}
  for (const [type, { Filter, groups }] of groupedLists()) {
    const { root, by, sums, computedSums } = groups;
    const name = `${root.replace(/ies$/, "y").replace(/s$/, "")}Groups`;
    const resolve = async (
      fields: string[],
      filter: object | undefined,
      { data: { db } }: Context,
      info: GraphQLResolveInfo,
      timeZone?: string | null,
    ) => {
      const chosen = [...new Set(fields)];
      if (!chosen.length) throw badInput({ by: "must name at least one field" });
      const list = relationOf(info.schema.getQueryType()!.getFields()[root]!)!.list({ filter });
      const zone = zoneOf(timeZone ?? "UTC");
      const bindings = new Bindings();
      const selected = selectedFields(info);
      const computed = Object.entries(computedSums).filter(([name]) => selected.has(name) || selected.has(`${name}Exact`));
      const sumOf = (name: string) => `coalesce(sum(g."${name}"), 0)`;
      const exact = [...exactSums(type, sums), ...computed.map(([name]) => name)];
      const columns = [
        ...chosen.map((field) => `${valueSql(by[field]!, () => bindings.bind(zone))} as "${field}"`),
        "count(*)::int as count",
        ...[...sums, ...computed.map(([name]) => name)].map((name) => `${sumOf(name)} as "${name}"`),
        ...exact.map((name) => `${exactText(sumOf(name))} as "${name}Exact"`),
      ];
      const ofAsset = chosen.some((field) => by[field]!.ofAsset);
      const read = new Set([...chosen.map((field) => (by[field]!.ofAsset ? "assetId" : by[field]!.column)), ...sums]);
      const rows = [...[...read].map((column) => `c."${column}"`), ...computed.map(([name, sqlOf]) => `${sqlOf("c")} as "${name}"`)];
      const sql = groupSql(list, "c", bindings, { rows, ofAsset, columns, groups: chosen.length, limit: maxGroups + 1 });
      const found = await db.query<object>(sql, ...bindings.values).catch((error) => {
        // A zone that is newer than PostgreSQL's.
        throw error.code === "22023" && timeZone != null ? unknownZone() : error;
      });
      if (found.length > maxGroups) throw badInput({ by: `makes more than ${maxGroups} groups; group by less or filter` });
      return found;
    };
    Object.defineProperty(Groups.prototype, name, { value: resolve });
    Query(() => [groups.Group], {
      complexity: listCost(50, price.groups),
      description: `Groups the records of \`${root}\` by one or more fields and returns counts and sums. At most ${maxGroups} groups, ordered by these fields.`,
    })(Groups.prototype, name, { value: resolve });
    Arg("by", () => [groups.Field], { description: "Fields to group by, at least one." })(Groups.prototype, name, 0);
    Arg("filter", () => Filter, { nullable: true, description: `Filter, as in \`${root}\`.` })(Groups.prototype, name, 1);
    Ctx()(Groups.prototype, name, 2);
    Info()(Groups.prototype, name, 3);
    if (Object.values(by).some(({ unit }) => unit))
      Arg("timeZone", () => String, {
        nullable: true,
        description: "IANA name of the time zone for weeks and months, e.g. Europe/Copenhagen. Default: UTC.",
      })(Groups.prototype, name, 4);
  }
  return Groups;
}
