/** `extensions.cost` of a GraphQL answer: what it cost and what the caller has left (docs/fairness.md, "Cost"). */
import type { GraphQLError, GraphQLFormattedError } from "graphql";
import type { Context } from "../resolvers/context.js";

/** A request with this header gets the cost in the response. */
export const costHeader = "graphql-cost";

/** Whether an answer says what it cost: asked for, or refused for it. */
export const isCostShown = (
  asked: unknown,
  { cost }: Context,
  errors: readonly (GraphQLError | GraphQLFormattedError)[] | undefined,
): boolean =>
  cost !== undefined &&
  (Boolean(asked) || Boolean(errors?.some(({ extensions }) => extensions?.code === "RATE_LIMITED" || extensions?.limit === "cost")));

/** The text of an answer without extensions, with the cost. */
export const withCost = (answer: string, { cost }: Context): string => `${answer.slice(0, -1)},"extensions":${JSON.stringify({ cost })}}`;
