/**
 * Estimates of query cost. An object costs 1, and a page its size times the cost of an item. Work that reads more than it returns adds its
 * price.
 */
import { now } from "../database/clock.js";
import { usualSize } from "../schema/connection.js";
import type { ComplexityEstimator } from "./complexity.js";

/** Cost of an operation and the caller's remaining budget: `extensions.cost` of a response. */
export interface CostReport {
  requested: number;
  /** Cost of the response; 0 if the operation was refused. */
  actual: number;
  available: number;
  /** Cost restored per second. */
  restoreRate: number;
}

/** Cost of a list without pages and of the work behind it. `size` is its usual length; Loaders limit the actual length. */
export const listCost = (size: number, price = 0): ComplexityEstimator =>
  noted(price, ({ childComplexity }) => 1 + price + size * (1 + childComplexity));

/** Days of a forecast that has its usual length. */
const usualDays = 62;

/**
 * Cost of a list of dates in a period. Beyond two months, its usual length `size` and the price of its dates grow with the days, up to the
 * list's limit `most`.
 */
export function forecastCost(period: ForecastPeriod, size: number, most: number, dates: number): ComplexityEstimator {
  return ({ args, childComplexity }) => {
    const growth = Math.min(Math.max(daysOf(period, args) / usualDays, 1), most / size);
    return Math.round(1 + dates * growth) + Math.round(size * growth) * (1 + childComplexity);
  };
}

/** Names of the arguments that limit a forecast: the number of days, or its begin and end. */
type ForecastPeriod = { days: string } | { from: string; to: string };

/**
 * Days that a forecast computes: those until its end, and the past ones that it lists. Arguments of stored operations are unknown
 * (`linearCost`) and count as the usual ones.
 */
function daysOf(period: ForecastPeriod, args: Record<string, unknown>): number {
  const time = (name: string) => (args[name] instanceof Date ? args[name].getTime() : Number.NaN);
  const days = "days" in period ? Number(args[period.days]) : (time(period.to) - Math.min(time(period.from), now())) / 86_400_000;
  return Number.isFinite(days) ? days : usualDays;
}

/** Cost of one object or value and of the work behind it. */
export const priced = (price: number): ComplexityEstimator => noted(price, ({ childComplexity }) => price + childComplexity);

/** Cost of work that reads more than it returns. */
export const price = {
  /** A file with all records of a table. */
  export: 20_000,
  /** A file of new records, each with an entry in the change log. */
  import: 5_000,
  /** All movements, readings or work orders of a period. */
  report: 1_000,
  /** All movements, replayed. Then all views at an instant. */
  ledger: 10_000,
  ledgerInstant: 900,
  /** The dates of all procedures in two months, each computed by the process. */
  forecast: 1_000,
  /** Possibly the whole schema. */
  introspection: 500,
  /** A pass over a filtered list. */
  pass: 100,
  /** Groups of a filtered list, and figures from the times of its records. */
  groups: 400,
  search: 200,
  /** All components of an asset at an instant. */
  instant: 200,
  /** The length of a list. */
  total: 2,
};

const longWork = new WeakSet<ComplexityEstimator>();

function noted(work: number, estimator: ComplexityEstimator): ComplexityEstimator {
  if (work >= price.report) longWork.add(estimator);
  return estimator;
}

const pageCosts = new WeakSet<ComplexityEstimator>();

/** Cost of a page and of the work behind it, whatever the page's size. `instant` is added for a page at an instant. */
export function pricedPage(price: number, instant = 0): ComplexityEstimator {
  const estimator = noted(
    price,
    ({ args, childComplexity }) =>
      1 + price + (args.at == null ? 0 : instant) + (args.last ?? args.limit ?? args.first ?? usualSize.root) * childComplexity,
  );
  pageCosts.add(estimator);
  return estimator;
}

export const pageCost = pricedPage(0);

/** Cost of a page that can be read at an instant, with the argument `at`. */
export const pageCostAt = pricedPage(0, price.instant);

/** Whether a field returns a page. execution/admission/cost.ts checks the page sizes of these fields. */
export const isPage = (complexity: unknown): boolean => pageCosts.has(complexity as ComplexityEstimator);

/** Whether a field does work that may take seconds. Such work needs a slot of the long lane (docs/fairness.md). */
export const isLongWork = (complexity: unknown): boolean => longWork.has(complexity as ComplexityEstimator);

/** Cost of replaying the stock ledger and comparing its views at `instants`. */
export const ledgerCost: ComplexityEstimator = noted(
  price.ledger,
  ({ args, childComplexity }) => price.ledger + price.ledgerInstant * Math.max(args.instants ?? 0, 0) + childComplexity,
);

/** Cost of a mutation that stores files. Its duration depends on the storage and the client's network. */
export const fileWork: ComplexityEstimator = ({ childComplexity }) => 1 + childComplexity;

const trees = new WeakSet<ComplexityEstimator>();

/** Like `listCost`, for a list that traverses a tree. Must not be nested in another such list, because their lengths would multiply. */
export function treeCost(size: number): ComplexityEstimator {
  const estimator = listCost(size);
  trees.add(estimator);
  return estimator;
}

export const isTree = (complexity: unknown): boolean => trees.has(complexity as ComplexityEstimator);
