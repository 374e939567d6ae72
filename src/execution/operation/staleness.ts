/** Queries that may be read from the replica, and their maximum age (docs/operations/scale.md, "Read replica"). */
import type { DocumentNode, GraphQLSchema } from "graphql";
import type { Context } from "../../resolvers/context.js";
import { isLongWork } from "../../resolvers/cost.js";
import { badInput } from "../../schema/errors.js";
import { selects } from "../selects.js";

/** A day: a larger value would not be a meaningful bound. */
const mostSeconds = 86_400;

/** The seconds of a header `Max-Staleness`; null without the header. Throws BAD_USER_INPUT naming it. */
export function validatedStaleness(header: unknown): number | null {
  if (header === undefined) return null;
  const seconds = typeof header === "string" && /^\d{1,5}$/.test(header) ? Number(header) : Number.NaN;
  if (seconds <= mostSeconds) return seconds;
  throw badInput({ "Max-Staleness": `must be a whole number of seconds from 0 to ${mostSeconds}` });
}

/**
 * Fields that always read the primary: `changesSince` returns a position in its log, and older records from the replica would never be
 * updated.
 */
const exact = ["changesSince"];

/**
 * Returns a function to call before a query reads. It switches the context to the replica if the caller allows it, or if the query is a
 * report.
 */
export function staleReads(schema: GraphQLSchema, document: DocumentNode): (context: Context) => void {
  if (selects(document, exact)) return () => {};
  const queries = Object.values(schema.getQueryType()!.getFields());
  const reports = queries.filter(({ extensions }) => isLongWork(extensions.complexity)).map(({ name }) => name);
  const isReport = selects(document, reports);
  return ({ data }) => data.allowStale(isReport);
}
