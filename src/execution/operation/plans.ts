/** Runs the plans of a document's operation. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import { LRUCache } from "lru-cache";
import type { Context } from "../../resolvers/context.js";
import { plannedAs } from "../../resolvers/relation.js";
import { refuseRequester, requireRole } from "../../resolvers/roles.js";
import { ServiceError } from "../../schema/errors.js";
import { directiveVariables, type Plan, planOf, splitPlan } from "./plan.js";
import { NeedsLoaders, statementOf } from "./plan-sql.js";
import type { PlanOutput } from "./plan-value.js";

export interface Read {
  output: PlanOutput;
  /** The response's `data`, or the executor's root value in the mode `rows`. */
  json: string;
}

/** Root fields and the error of each: the statement failed in such a way that loaders would fail as well. */
export interface FailedRead {
  output: "failed";
  rootValue: Record<string, unknown>;
}

export type ReadPlan = (variables: Record<string, unknown>, context: Context) => Promise<Read | FailedRead | undefined> | undefined;

/** Maximum plans per document, by the values of its directive switches. */
const maxPlans = 16;

/** A plan of all root fields, and a plan of each. */
interface Plans {
  whole: Plan;
  split: Plan[];
}

function plansOf(...args: Parameters<typeof planOf>): Plans | undefined {
  const whole = planOf(...args);
  return whole && { whole, split: splitPlan(whole) };
}

/**
 * Returns a function that reads an operation's records by its plan, or undefined without a plan. The function returns undefined for cases
 * that need normal execution: a missing record, a missing role, invalid arguments, or a number that PostgreSQL prints differently.
 */
export function planReader(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): ReadPlan | undefined {
  if (operation.operation !== "query") return undefined;
  const switches = directiveVariables(document);
  const known = new LRUCache<string, { plans: Plans | undefined }>({ max: maxPlans });
  // Most documents have one plan, which is created with the document; for REST, at startup.
  if (!switches.length) known.set("", { plans: plansOf(schema, document, operation, {}) });
  return (variables, context) => {
    // Null is an error that the executor reports.
    if (switches.some((name) => typeof variables[name] !== "boolean")) return undefined;
    const key = switches.map((name) => variables[name]).join();
    let found = known.get(key);
    if (!found) known.set(key, (found = { plans: plansOf(schema, document, operation, variables) }));
    return found.plans && read(found.plans, variables, context);
  };
}

async function read(
  { whole: plan, split }: Plans,
  variables: Record<string, unknown>,
  context: Context,
): Promise<Read | FailedRead | undefined> {
  const { services, caller, data } = context;
  const started = services.logPlan && performance.now();
  const log = (output: string, because: string[]) =>
    services.logPlan?.({ output, because, ms: performance.now() - started! }, caller.requestId);
  try {
    // A requester's access is decided field by field.
    refuseRequester(caller.actor);
    for (const { relation } of plan.roots) if (relation.role) requireRole(caller.actor, [relation.role]);
    // The embedded database runs one statement at a time, so other requests have their turn between two root fields.
    const json = await (services.database.kind === "embedded" ? jsonOfParts(split, variables, context) : jsonOf(plan, variables, context));
    if (json !== undefined) data.bounds.check(json);
    log(json === undefined ? "none" : plan.output, plan.because);
    return json === undefined ? undefined : { output: plan.output, json };
  } catch (error) {
    log("none", [(error as Error).message]);
    if (isLeftToLoaders(error)) return undefined;
    return { output: "failed", rootValue: Object.fromEntries(plan.fields.map((field) => [plannedAs(field), error])) };
  }
}

/** The JSON of a plan. Undefined if a record is missing. */
async function jsonOf(plan: Plan, variables: Record<string, unknown>, { services, data }: Context): Promise<string | undefined> {
  const { sql, values, texts } = statementOf(plan, variables, { tenantId: data.db.tenantId, keptChangesMs: services.keptChangesMs });
  const [row] = await data.db.query<Record<string, string | null>>(sql, ...values);
  return joined(texts, row!);
}

/** The JSON of several plans in one object, read one after the other. Undefined if a record is missing. */
async function jsonOfParts(plans: Plan[], variables: Record<string, unknown>, context: Context): Promise<string | undefined> {
  const fields: string[] = [];
  for (const plan of plans) {
    const json = await jsonOf(plan, variables, context);
    if (json === undefined) return undefined;
    context.data.bounds.check(json);
    fields.push(json.slice(1, -1));
  }
  return `{${fields.join(",")}}`;
}

/** The texts with the columns between them. Undefined if a column is null: a record is missing. */
function joined(texts: string[], row: Record<string, string | null>): string | undefined {
  let json = texts[0]!;
  let i = 0;
  for (const column in row) {
    const value = row[column];
    if (value == null) return undefined;
    json += value + texts[++i];
  }
  return json;
}

/** Normal execution reports refusals. Values that PostgreSQL cannot read or print as JSON (errors of class 22) are not failures. */
const isLeftToLoaders = (error: unknown): boolean =>
  error instanceof ServiceError || error instanceof NeedsLoaders || /^22/.test((error as { code?: string }).code ?? "");
