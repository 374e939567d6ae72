/** The sheet of components. Rows of a tree may come in any order (docs/decisions.md, "import of components"). */
import type { TenantQueryable } from "../../database/database.js";
import { locationOrder } from "../../schema/assets/asset.js";
import { ComponentStatus } from "../../schema/components/enums.js";
import { JSONObject, Name, ShortText, Text } from "../../schema/scalars.js";
import { assetRef } from "./asset-refs.js";
import { date, json, required, text, word } from "./cells.js";
import { ComponentImporter } from "./component-import.js";
import { joined, parsePath, Segments } from "./component-path.js";
import { byId } from "./record-rows.js";
import type { Fields, Sheet } from "./sheet.js";

/** Columns other than the place in the tree. */
const values = [
  required(text(Name, "type")),
  text(Text, "description"),
  text(ShortText, "serialNumber"),
  text(ShortText, "manufacturer"),
  text(ShortText, "model"),
  date("installDate"),
  word("status", Object.values(ComponentStatus)),
  json("specifications", 'must be a JSON object such as {"bore":"60 mm"}', (value) => JSONObject.parseValue(value)),
  text(ShortText, "maintenanceInterval"),
  text(Text, "maintenanceRequirements"),
  text(ShortText, "criticality"),
  date("lastMaintenanceDate"),
  date("nextMaintenanceDate"),
  text(Text, "notes"),
  text(Name, "referenceDesignation"),
];

const columns = [
  text(Name, "asset"),
  text(Text, "path"),
  text(Name, "externalId"),
  text(Name, "parentExternalId"),
  text(Name, "name"),
  ...values,
];

interface Exported {
  id: string;
  assetId: string | null;
  parentId: string | null;
  name: string;
}

const own = ["id", "assetId", "parentId", "name", "externalId", ...values.map(({ field }) => field)];
const selected = own.map((name) => `c."${name}"`).join(", ");

/** The components of one tree with their paths, parents before children. */
function* inOrder(components: Exported[]): Generator<Exported & { path: string }> {
  const childrenOf = new Map<string | null, Exported[]>();
  for (const one of components) {
    const siblings = childrenOf.get(one.parentId);
    if (siblings) siblings.push(one);
    else childrenOf.set(one.parentId, [one]);
  }
  const segments = new Segments();
  const pathed = (parent: string, path: string | null) =>
    (childrenOf.get(path) ?? []).map((one) => ({ ...one, path: joined(parent, segments.of(parent, one.name)) })).reverse();
  const waiting = pathed("", null);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (const child of pathed(next.path, next.id)) waiting.push(child);
  }
}

const order = locationOrder.map((name) => `"${name}"`).join(", ");
const assetsAtOnce = 50;

async function* pieces(db: TenantQueryable, write: (records: any[]) => string): AsyncGenerator<string> {
  let last: Record<string, string> | undefined;
  do {
    const assets: Record<string, string>[] = await db.query(
      `select a.id, a.site, a.area, a.name, ${assetRef("a")} as ref from "Asset" a where a."tenantId" = $1 and a."deletedAt" is null
         and (a.site, a.area, a.name, a.id) > ($2, $3, $4, $5) order by ${order} limit ${assetsAtOnce}`,
      ...locationOrder.map((name) => last?.[name] ?? ""),
    );
    const components = await db.query<Exported>(
      `select ${selected}, p."externalId" as "parentExternalId" from "Component" c left join "Component" p on p."tenantId" = $1 and p.id = c."parentId"
       where c."tenantId" = $1 and c."assetId" = any($2) and c."deletedAt" is null order by c.level, c.position, c.id`,
      assets.map(({ id }) => id),
    );
    for (const { id, ref } of assets) {
      const rows = [...inOrder(components.filter(({ assetId }) => assetId === id))].map((one) => ({ ...one, asset: ref }));
      if (rows.length) yield write(rows);
    }
    last = assets.length === assetsAtOnce ? assets.at(-1) : undefined;
  } while (last);
  const loose = await db.query<Exported>(
    `select ${selected}, p."externalId" as "parentExternalId" from "Component" c left join "Component" p on p."tenantId" = $1 and p.id = c."parentId"
     where c."tenantId" = $1 and c."assetId" is null and c."deletedAt" is null order by c.level, c.position, c.id`,
  );
  if (loose.length) yield write([...inOrder(loose)]);
}

/** Paths without the numbers of siblings of the same name. */
const withPaths = `
  select ${selected}, p."externalId" as "parentExternalId", ${assetRef("a")} as asset, (
    with recursive up as (
      select c.name, c."parentId", 1 as height
      union all select u.name, u."parentId", up.height + 1 from up join "Component" u on u."tenantId" = $1 and u.id = up."parentId"
    ) select string_agg(name, ' / ' order by height desc) from up) as path
  from "Component" c left join "Component" p on p."tenantId" = $1 and p.id = c."parentId" left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
  where c."tenantId" = $1 and c.id = any($2)`;

export const componentSheet: Sheet<ComponentImporter> = {
  name: "components",
  roles: ["technician"],
  columns,
  keysOf: ({ externalId, asset, path }) => [
    ...(externalId == null ? [] : [{ field: "externalId", value: externalId }]),
    ...(path == null ? [] : [{ field: "path", value: JSON.stringify([asset ?? null, parsePath(path)?.path ?? path]), shown: path }]),
  ],
  batchSize: Number.POSITIVE_INFINITY,
  begin: (run) => ComponentImporter.begin(run),
  stored: async (db, ids) => byId(await db.query<Exported & Fields>(withPaths, ids)),
  pieces,
};
