/** Estimates of query cost, in points: an object counts 1, a page its size times the cost of an item, work that no answer shows its price. */
import type { ComplexityEstimator } from "graphql-query-complexity/cjs";
import { usualSize } from "../schema/connection.js";

/** What an operation costs and its caller has left, in points: `extensions.cost` of an answer. */
export interface CostReport {
  requested: number;
  /** What the answer held; 0 for a refused one. */
  actual: number;
  available: number;
  /** Points a second. */
  restoreRate: number;
}

/** Cost of a page. execution/admission/cost.ts checks the page size of every field that has this estimator. */
export const pageCost: ComplexityEstimator = ({ args, childComplexity }) =>
  1 + (args.last ?? args.limit ?? args.first ?? usualSize.root) * childComplexity;

/** Cost of a list without pages, and of the work behind it. `size` is its usual length; Loaders bound the real one. */
export const listCost = (size: number, price = 0): ComplexityEstimator =>
  noted(price, ({ childComplexity }) => 1 + price + size * (1 + childComplexity));

/** Cost of one object or value, and of the work behind it. */
export const priced = (price: number): ComplexityEstimator => noted(price, ({ childComplexity }) => price + childComplexity);

/** Points of work that reads more than it returns. */
export const price = {
  /** A file of all records of a table. */
  export: 20_000,
  /** A file of new records, each with its change in the log. */
  import: 5_000,
  /** All movements, readings or work orders of a period, or a whole ledger. */
  report: 1_000,
  /** The whole schema may be asked for. */
  introspection: 500,
  /** A pass over a filtered list. */
  groups: 100,
  search: 50,
  /** The length of a list. */
  total: 2,
};

const longWork = new WeakSet<ComplexityEstimator>();

function noted(work: number, estimator: ComplexityEstimator): ComplexityEstimator {
  if (work >= price.report) longWork.add(estimator);
  return estimator;
}

/** Whether a field's cost is that of work which may take seconds: it takes a turn of the long lane (docs/fairness.md). */
export const isLongWork = (complexity: unknown): boolean => longWork.has(complexity as ComplexityEstimator);

/** Cost of a mutation that stores files, which may take as long as the storage or the client's network. */
export const fileWork: ComplexityEstimator = ({ childComplexity }) => 1 + childComplexity;

const trees = new WeakSet<ComplexityEstimator>();

/** As `listCost`, for a list that leads through a tree: it must not stand below another one, as their lengths would multiply. */
export function treeCost(size: number): ComplexityEstimator {
  const estimator = listCost(size);
  trees.add(estimator);
  return estimator;
}

export const isTree = (complexity: unknown): boolean => trees.has(complexity as ComplexityEstimator);
