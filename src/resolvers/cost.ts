/** Estimates of query cost, in nodes: an object counts 1, a page its size times the cost of an item. */
import type { ComplexityEstimator } from "graphql-query-complexity/cjs";
import { usualSize } from "../schema/connection.js";

/** Cost of a page. execution/limits.ts checks the page size of every field that has this estimator. */
export const pageCost: ComplexityEstimator = ({ args, childComplexity }) =>
  1 + (args.last ?? args.limit ?? args.first ?? usualSize.root) * childComplexity;

/** Cost of a list without pages. `size` is its usual length. */
export const listCost =
  (size: number): ComplexityEstimator =>
  ({ childComplexity }) =>
    1 + size * (1 + childComplexity);
