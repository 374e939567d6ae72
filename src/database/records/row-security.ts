/** Row-level security: PostgreSQL enforces the tenant of every row (docs/fairness.md, "Second wall"). */
import type { Database } from "../database.js";

/** Whether a view reads its tables with its owner's rights, for example after a migration replaced it. Views of extensions do not count. */
const hasOpenView = `exists (select 1 from pg_class v where v.relkind = 'v' and v.relnamespace = current_schema()::regnamespace
  and not coalesce(v.reloptions && '{security_invoker=t,security_invoker=true}', false)
  and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = v.oid and d.deptype = 'e'))`;

/**
 * Run as the owner of the tables: grants its privileges to `service`, the role that the service connects as, and switches the policies on
 * or off.
 */
export async function prepareForService(owner: Pick<Database, "transaction">, service: string, isOn: boolean): Promise<void> {
  await owner.transaction(async (tx) => {
    // Serializes processes that start at the same time.
    await tx.query(`select pg_advisory_xact_lock(hashtext('maintenance-gateway grants'))`);
    await tx.query(`select grant_to_service($1) where $1 <> current_user`, [service]);
    if (isOn)
      await tx.query(
        `select set_row_security(true) where exists (select 1 from tables_held_by_tenant() where not "isHeld") or ${hasOpenView}`,
      );
  });
}

interface Held {
  role: string;
  /** Whether the role bypasses policies. */
  isExempt: boolean;
  isOwner: boolean;
  /** Whether all tables and views have policies; whether any table has. */
  all: boolean;
  some: boolean;
}

/** Throws unless the policies apply to this role exactly if `isOn`. */
export async function checkRowSecurity(database: Pick<Database, "query">, isOn: boolean): Promise<void> {
  const [held] = await database.query<Held>(
    `select current_user as role, (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isExempt",
       bool_or(pg_has_role(c.relowner, 'MEMBER')) as "isOwner", bool_and(h."isHeld") and not ${hasOpenView} as "all", bool_or(h."isHeld") as "some"
     from tables_held_by_tenant() h join pg_class c on c.oid = h.target`,
  );
  const { role, isExempt, isOwner, all, some } = held!;
  if (isOn && (isExempt || isOwner))
    throw new Error(
      `ROW_SECURITY=on: the role "${role}" in DATABASE_URL ${isExempt ? "is a superuser or bypasses row-level security" : "owns the tables"}. Name one there that does not, and the owner's URL in DATABASE_MIGRATE_URL`,
    );
  if (isOn && !all)
    throw new Error(
      "ROW_SECURITY=on: row-level security is off in the database. Name its owner's URL in DATABASE_MIGRATE_URL, which turns it on",
    );
  if (!isOn && some && !isExempt)
    throw new Error(
      "row-level security is on in the database: set ROW_SECURITY=on, or turn it off as the owner by: select set_row_security(false)",
    );
}
