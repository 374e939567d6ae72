/** Requirements that a database must meet before anything is created in it. */
import type { Queryable } from "../database.js";

interface Found {
  encoding: string;
  /** The schema of new tables. Null if the search path names no existing schema. */
  schema: string | null;
}

/**
 * Throws an error of one line in two cases: the database cannot store clients' data, or the session would create tables outside of
 * `public`, where the service reads.
 */
export async function refuseUnfit(db: Queryable): Promise<void> {
  const [found] = await db.query<Found>(`select current_setting('server_encoding') as encoding, current_schema() as schema`);
  const { encoding, schema } = found!;
  if (encoding !== "UTF8")
    throw new Error(`the database has the encoding ${encoding}; make one with UTF8: create database … encoding 'UTF8' template template0`);
  if (schema !== "public")
    throw new Error(
      `the service has its tables in the schema public, and the role's search_path ${schema === null ? "names none that it may use" : `begins with ${schema}`}; put public first: alter role … in database … set search_path = public`,
    );
}
