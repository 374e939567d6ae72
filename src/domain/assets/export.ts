/** Exports assets as a CSV file that the import accepts unchanged. */
import { stringify } from "csv-stringify/sync";
import type { TenantQueryable } from "../../database/database.js";
import type { List } from "../../database/page.js";
import { piecesOf } from "../../database/pieces.js";
import { by } from "../../database/rows.js";
import { AssetFilter, locationOrder } from "../../schema/assets/asset.js";
import { whereOf } from "../../schema/filter.js";
import { header, writeRow } from "./csv.js";

const maxPage = 1000;
/** The import treats a carriage return as a row separator, so it must be quoted like a line feed. */
const options = { quoted_match: /\r/ };

/** Yields the file in chunks of one page of assets, so that memory use does not depend on its size. */
export async function* exportAssets(db: TenantQueryable, filter?: AssetFilter | null): AsyncGenerator<string> {
  yield stringify([header], options);
  const list: List<"Asset"> = { table: "Asset", where: whereOf(AssetFilter, filter), order: by(locationOrder) };
  yield* piecesOf(db, list, maxPage, (rows) => stringify(rows.map(writeRow), options));
}
