/** What a query may cost, in nodes: each object counts one, a page counts its size times what is below it. */
import type { ComplexityEstimator } from "graphql-query-complexity/cjs";

/** Cost of a page: its size times what each of its objects costs. The size itself is checked by server/limits. */
export const pageCost: ComplexityEstimator = ({ args, childComplexity }) => 1 + (args.limit ?? args.first) * childComplexity;

/** Cost of a plain list that is usually as long as `size`. */
export const listCost =
  (size: number): ComplexityEstimator =>
  ({ childComplexity }) =>
    1 + size * (1 + childComplexity);
