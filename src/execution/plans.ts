/** Runs the plans of one document's operation. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import type { Context } from "../resolvers/context.js";
import { requireRole } from "../resolvers/roles.js";
import { directiveVariables, type Plan, planOf, type Way } from "./plan.js";
import { statementOf } from "./plan-sql.js";

export interface Read {
  way: Way;
  /** The answer's `data`, or the root value for the executor if the way is `rows`. */
  json: string;
}

export type ReadPlan = (variables: Record<string, unknown>, context: Context) => Promise<Read | undefined>;

/**
 * Returns a function that reads an operation's records by its plan, or undefined without one. The function returns undefined too for
 * whatever a plan does not foresee: a record that does not exist, a missing role, invalid arguments, an error of the statement. The
 * operation is then answered without a plan.
 */
export function planReader(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): ReadPlan | undefined {
  if (operation.operation !== "query") return undefined;
  const switches = directiveVariables(document);
  const plans = new Map<string, Plan | undefined>();
  return async (variables, context) => {
    const key = switches.map((name) => variables[name] === true).join();
    if (!plans.has(key)) plans.set(key, planOf(schema, document, operation, variables));
    const plan = plans.get(key);
    if (!plan) return undefined;
    const started = performance.now();
    const read = await readPlan(plan, variables, context).catch((error: Error) => error);
    const log = { way: read && !(read instanceof Error) ? plan.way : "none", because: plan.because, ms: performance.now() - started };
    context.logPlan?.(read instanceof Error ? { ...log, because: [read.message] } : log, context.requestId);
    return read instanceof Error ? undefined : read;
  };
}

async function readPlan(plan: Plan, variables: Record<string, unknown>, { db, actor }: Context): Promise<Read | undefined> {
  for (const { relation } of plan.roots) if (relation.role) requireRole(actor, [relation.role]);
  const { sql, values, texts } = statementOf(plan, variables, db.tenantId);
  const [row] = await db.query<Record<string, string | null>>(sql, ...values);
  let json = texts[0]!;
  let i = 0;
  for (const column in row) {
    const value = row[column];
    if (value == null) return undefined;
    json += value + texts[++i];
  }
  return { way: plan.way, json };
}
