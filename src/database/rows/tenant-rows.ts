/**
 * All rows of a tenant, table by table, for transfers to another installation and for deletion (docs/operations/access.md, "Tenants"). The list of
 * tables comes from the database, so that none is forgotten.
 */
import { type Database, plannedEachTime, type Queryable } from "../database.js";

export interface TenantTable {
  name: string;
  columns: string[];
  key: string[];
  /** Other tables that the rows refer to. */
  refers: string[];
  /** The column of references to rows of the same table. */
  parent: string | null;
}

/** Tables with tenant rows, each after the tables that it refers to. Excludes "Tenant". */
export async function tenantTables(db: Queryable): Promise<TenantTable[]> {
  const left = await db.query<TenantTable>(`select name, columns, key, refers, parent from tenant_tables() order by name`);
  const ordered: TenantTable[] = [];
  while (left.length) {
    const at = left.findIndex(({ refers }) => refers.every((name) => ordered.some((table) => table.name === name)));
    if (at < 0) throw new Error(`the foreign keys of these tables go round in a circle: ${left.map(({ name }) => name).join(", ")}`);
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}

/** Approximate characters of rows per read. */
const pieceSize = 2_000_000;
const firstRows = 20;
const maxRows = 2_000;

const listed = (columns: string[], alias: string) => columns.map((column) => `${alias}."${column}"`).join(", ");

/** Rows as JSON in the order of their key; rows that refer to others of the table come after them. */
function rowsOf({ name, key, parent }: TenantTable, condition: string): string {
  const row = "to_jsonb(t)::text as row";
  if (!parent) return `select ${row} from "${name}" t where t."tenantId" = $1${condition} order by ${listed(key, "t")}`;
  return `with recursive tree(id, depth) as (
      select r.id, 0 from "${name}" r where r."tenantId" = $1 and r."${parent}" is null
      union all select c.id, tree.depth + 1 from tree join "${name}" c on c."tenantId" = $1 and c."${parent}" = tree.id)
    select ${row} from tree join "${name}" t on t."tenantId" = $1 and t.id = tree.id where true${condition} order by tree.depth, t.id`;
}

/** Within a snapshot: passes all rows of a tenant's table to `write` as JSON texts, in batches. `condition` is SQL about a row `t`. */
export async function readRows(
  tx: Queryable,
  table: TenantTable,
  tenantId: string,
  write: (rows: string[]) => Promise<void>,
  condition = "",
): Promise<void> {
  await tx.query(`declare tenant_rows no scroll cursor for ${rowsOf(table, condition && ` and ${condition}`)}`, [tenantId]);
  for (let count = firstRows; ; ) {
    const rows = await tx.query<{ row: string }>(`${plannedEachTime}fetch ${count} from tenant_rows`);
    if (!rows.length) break;
    await write(rows.map(({ row }) => row));
    const size = rows.reduce((sum, { row }) => sum + row.length, 0) / rows.length;
    count = Math.max(1, Math.min(maxRows, Math.floor(pieceSize / size)));
  }
  await tx.query("close tenant_rows");
}

/** Inserts rows of a tenant that is being imported. `rows` are JSON texts. Rows with a position in the log get the given position. */
export const insertTenantRows = (
  database: Database,
  { name, columns }: Pick<TenantTable, "name" | "columns">,
  tenantId: string,
  rows: string[],
  place: string,
) =>
  database.query(`select insert_tenant_rows($1, $2, $3::text[], $4::jsonb, $5::bigint)`, [
    name,
    tenantId,
    columns,
    `[${rows.join(",")}]`,
    place,
  ]);

/** Deletes up to `most` rows of a tenant that is marked for deletion. Returns their number, or undefined while another process deletes. */
export async function deleteTenantRows(database: Database, table: string, tenantId: string, most: number): Promise<number | undefined> {
  const [row] = await database.query<{ deleted: number | null }>(`select delete_tenant_rows($1, $2, $3) as deleted`, [
    table,
    tenantId,
    most,
  ]);
  return row!.deleted ?? undefined;
}
