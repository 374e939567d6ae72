/** The tenant whose rows a statement can see, which PostgreSQL enforces as well (docs/fairness.md, "Second wall"). */
import { AsyncLocalStorage } from "node:async_hooks";

/** For work across tenants: key lookup, tailing the log, scheduling and delivery. */
const everyTenant = "*";

/** Undefined until a database of this process needs it. */
let scopes: AsyncLocalStorage<string> | undefined;

/** Starts tracking scopes. Costs each statement some microseconds, so it is off without row-level security. */
export const keepScopes = (): void => void (scopes ??= new AsyncLocalStorage());

/** Runs `work` with statements limited to the tenant's rows. */
export const withinTenant = <T>(tenantId: string, work: () => T): T => (scopes ? scopes.run(tenantId, work) : work());

/** The value that the database's policies compare with. */
export const currentScope = (): string => scopes?.getStore() ?? everyTenant;
