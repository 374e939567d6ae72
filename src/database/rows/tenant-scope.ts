/** The tenant whose rows a statement can see, which PostgreSQL enforces as well (docs/fairness.md, "Second wall"). */
import { ContextPart } from "../async-context.js";

/** For work across tenants: key lookup, tailing the log, scheduling and delivery. */
const everyTenant = "*";

const scopes = new ContextPart<string>();
/** Whether a database of this process needs them. */
let areKept = false;

/** Starts tracking scopes. Costs each statement some microseconds, so it is off without row-level security. */
export function keepScopes(): void {
  areKept = true;
}

/** Runs `work` with statements limited to the tenant's rows. */
export const withinTenant = <T>(tenantId: string, work: () => T): T => (areKept ? scopes.run(tenantId, work) : work());

/** The value that the database's policies compare with. */
export const currentScope = (): string => scopes.current() ?? everyTenant;
