/** Exports assets as a CSV file that the import accepts unchanged. */
import { stringify } from "csv-stringify/sync";
import type { TenantQueryable } from "../../database/database.js";
import { cursorOf, type List, selectPage } from "../../database/page.js";
import { by } from "../../database/rows.js";
import { AssetFilter, locationOrder } from "../../schema/assets/asset.js";
import { whereOf } from "../../schema/filter.js";
import { header, writeRow } from "./csv.js";

const pageSize = 1000;
/** The import treats a carriage return as a row separator, so it must be quoted like a line feed. */
const options = { quoted_match: /\r/ };

/** Yields the file in chunks of one page of assets, so that memory use does not depend on its size. */
export async function* exportAssets(db: TenantQueryable, filter?: AssetFilter | null): AsyncGenerator<string> {
  yield stringify([header], options);
  const list: List<"Asset"> = { table: "Asset", where: whereOf(AssetFilter, filter), order: by(locationOrder) };
  let after: string | undefined;
  do {
    const { rows, hasNextPage } = await selectPage(db, list, { first: pageSize, after });
    if (rows.length) yield stringify(rows.map(writeRow), options);
    after = hasNextPage ? cursorOf(db, list, rows.at(-1)!) : undefined;
  } while (after);
}
