/** Runs the plans of one document's operation. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import { LRUCache } from "lru-cache";
import type { Context } from "../resolvers/context.js";
import { plannedAs } from "../resolvers/relation.js";
import { refuseRequester, requireRole } from "../resolvers/roles.js";
import { ServiceError } from "../schema/errors.js";
import { directiveVariables, type Plan, planOf } from "./plan.js";
import { NeedsLoaders, statementOf } from "./plan-sql.js";
import type { Way } from "./plan-value.js";

export interface Read {
  way: Way;
  /** The answer's `data`, or the root value for the executor if the way is `rows`. */
  json: string;
}

/** Root fields and the error that each of them gets: the statement failed in a way in which loaders would fail too. */
export interface FailedRead {
  way: "failed";
  rootValue: Record<string, unknown>;
}

export type ReadPlan = (variables: Record<string, unknown>, context: Context) => Promise<Read | FailedRead | undefined>;

/** Plans of one document, by the values of its switches. */
const maxPlans = 16;

/**
 * Returns a function that reads an operation's records by its plan, or undefined without one. The function returns undefined too for
 * whatever a plan leaves to the ordinary way: a record that does not exist, a missing role, invalid arguments, a number that PostgreSQL
 * prints otherwise.
 */
export function planReader(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): ReadPlan | undefined {
  if (operation.operation !== "query") return undefined;
  const switches = directiveVariables(document);
  const plans = new LRUCache<string, { plan: Plan | undefined }>({ max: maxPlans });
  // Most have one plan, which is made with the document: REST's at the start.
  if (!switches.length) plans.set("", { plan: planOf(schema, document, operation, {}) });
  return async (variables, context) => {
    // Null is an error that the executor writes.
    if (switches.some((name) => typeof variables[name] !== "boolean")) return undefined;
    const key = switches.map((name) => variables[name]).join();
    let known = plans.get(key);
    if (!known) plans.set(key, (known = { plan: planOf(schema, document, operation, variables) }));
    return known.plan && read(known.plan, variables, context);
  };
}

async function read(plan: Plan, variables: Record<string, unknown>, context: Context): Promise<Read | FailedRead | undefined> {
  const started = performance.now();
  const log = (way: string, because: string[]) => context.logPlan?.({ way, because, ms: performance.now() - started }, context.requestId);
  try {
    const json = await readJson(plan, variables, context);
    log(json === undefined ? "none" : plan.way, plan.because);
    return json === undefined ? undefined : { way: plan.way, json };
  } catch (error) {
    log("none", [(error as Error).message]);
    if (isLeftToLoaders(error)) return undefined;
    return { way: "failed", rootValue: Object.fromEntries(plan.fields.map((field) => [plannedAs(field), error])) };
  }
}

async function readJson(plan: Plan, variables: Record<string, unknown>, { db, actor, bounds }: Context): Promise<string | undefined> {
  // What they may read is decided field by field.
  refuseRequester(actor);
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
  bounds.check(json);
  return json;
}

/** Refusals are written by the ordinary way, and values that PostgreSQL cannot read or print as JSON (errors of class 22) are no failure. */
const isLeftToLoaders = (error: unknown): boolean =>
  error instanceof ServiceError || error instanceof NeedsLoaders || /^22/.test((error as { code?: string }).code ?? "");
