/**
 * The only module that imports graphql-query-complexity. Its CommonJS build loads the same copy of graphql as Apollo and type-graphql; the
 * ES build would load another one, whose types are not recognized.
 */
export { type ComplexityEstimator, getComplexity } from "graphql-query-complexity/cjs";
