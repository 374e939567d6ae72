/** What a database must be before anything is made in it. */
import type { Queryable } from "./database.js";

interface Found {
  encoding: string;
  /** Where tables are made. Null where the search path names none that is there. */
  schema: string | null;
}

/** Throws one line about a database that cannot hold what clients send, or a session whose tables would not be in `public`, where the service looks. */
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
