/** Whose rows exist for a statement, where PostgreSQL holds it too (docs/fairness.md, "Second wall"). */
import { AsyncLocalStorage } from "node:async_hooks";

/** For work across tenants: what looks up keys, tails the log, schedules and delivers. */
const everyTenant = "*";

/** Undefined until a database of this process asks. */
let scopes: AsyncLocalStorage<string> | undefined;

/** From now on each statement's scope is known. Without, keeping it would cost each of them some microseconds. */
export const keepScopes = (): void => void (scopes ??= new AsyncLocalStorage());

/** Runs `work`, whose statements meet rows of the tenant alone. */
export const withinTenant = <T>(tenantId: string, work: () => T): T => (scopes ? scopes.run(tenantId, work) : work());

/** What the policies of the database compare with. */
export const currentScope = (): string => scopes?.getStore() ?? everyTenant;
