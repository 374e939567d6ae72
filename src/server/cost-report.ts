/** `extensions.cost` of a GraphQL response: its cost and the caller's remaining budget (docs/fairness.md, "Cost"). */
import type { GraphQLError, GraphQLFormattedError } from "graphql";
import type { Context } from "../resolvers/context.js";

/** A request with this header gets the cost in the response. */
export const costHeader = "graphql-cost";

/** Whether a response reports its cost: on request, or if the cost is the reason for a refusal. */
export const isCostShown = (
  asked: unknown,
  { outcome: { costReport } }: Context,
  errors: readonly (GraphQLError | GraphQLFormattedError)[] | undefined,
): boolean =>
  costReport !== undefined &&
  (Boolean(asked) || Boolean(errors?.some(({ extensions }) => extensions?.code === "RATE_LIMITED" || extensions?.limit === "cost")));

/** Adds the cost to the text of a response without extensions. */
export const withCost = (answer: string, { outcome: { costReport } }: Context): string =>
  `${answer.slice(0, -1)},"extensions":${JSON.stringify({ cost: costReport })}}`;
