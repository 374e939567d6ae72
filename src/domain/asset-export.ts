/** Assets as a CSV file that the import takes back unchanged. */
import { stringify } from "csv-stringify/sync";
import type { Row, TenantQueryable } from "../database/database.js";
import { cursorOf, type List, selectPage } from "../database/page.js";
import type { Asset, AssetFilter } from "../schema/asset.js";
import { header, writeRow } from "./asset-csv.js";
import { assetWhere, locationOrder } from "./places.js";

const pageSize = 1000;
/** The import takes a carriage return for the end of a row, so it is quoted as a line feed is. */
const options = { quoted_match: /\r/ };

/** The file in pieces, a page of assets each, so that its size does not count. */
export async function* exportAssets(db: TenantQueryable, filter?: AssetFilter | null): AsyncGenerator<string> {
  yield stringify([header], options);
  const list: List = { table: "Asset", where: assetWhere(filter), order: locationOrder };
  let after: string | undefined;
  do {
    const { rows, hasNextPage } = await selectPage<Asset & Row>(db, list, { first: pageSize, after });
    if (rows.length) yield stringify(rows.map(writeRow), options);
    after = hasNextPage ? cursorOf(db, list, rows.at(-1)!) : undefined;
  } while (after);
}
