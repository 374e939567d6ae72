/** Maintenance strategies: docs/interface.md 4.5. */
import type { BodyRule, Route } from "../../route.js";

const listed = `id name type description criticality frequency duration triggerConditions { parameter threshold unit operator violations samples hysteresis minimumDuration severity }
  resources { type count skills } procedures: procedureIds applicableAssetTypes costs { labor materials downtime } isActive createdAt updatedAt`;

const read = `fragment Read on Strategy { ${listed} performance { mtbf availability costPerMonth } assignedAssets: assignedAssetIds }`;

const body: BodyRule = { readOnly: ["id", "strategyId", "tenantId", "performance", "assignedAssets", "createdAt", "updatedAt"] };

export const strategyRoutes: Route[] = [
  {
    method: "GET",
    path: "/strategies",
    summary: "List maintenance strategies",
    description: "Lists strategies, oldest first.",
    operationId: "listStrategies",
    schemas: { strategies: "ListedStrategy" },
    operation: `query ($limit: Int = 100, $offset: Int = 0, $search: String, $type: StrategyType, $criticality: Criticality, $updatedSince: DateTime) {
      strategies(first: $limit, offset: $offset, filter: { search: $search, type: $type, criticality: $criticality, updatedSince: $updatedSince }) {
        strategies: nodes { ${listed} } pagination { total limit offset hasMore }
      }
    }`,
  },
  {
    method: "POST",
    path: "/strategies",
    summary: "Create a maintenance strategy",
    schemas: { "": "ListedStrategy" },
    status: 201,
    operation: `mutation ($input: CreateStrategyInput!) { createStrategy(input: $input) { ${listed} } }`,
    body,
  },
  {
    method: "GET",
    path: "/strategies/:strategyId",
    summary: "Get a maintenance strategy",
    description: "With its assets and their figures of the last year; those that nothing is known of are left out.",
    operationId: "getStrategy",
    versioned: true,
    operation: `query ($strategyId: ID!) { strategy(id: $strategyId) { ...Read } } ${read}`,
  },
  {
    method: "PUT",
    path: "/strategies/:strategyId",
    summary: "Update a maintenance strategy",
    operation: `mutation ($strategyId: ID!, $input: UpdateStrategyInput!) { updateStrategy(id: $strategyId, input: $input) { ...Read } } ${read}`,
    body,
  },
  {
    method: "DELETE",
    path: "/strategies/:strategyId",
    summary: "Delete a maintenance strategy",
    operation: `mutation ($strategyId: ID!) { deleteStrategy(id: $strategyId) { message deletedAt } }`,
  },
  {
    method: "POST",
    path: "/strategies/:strategyId/restore",
    addition: true,
    summary: "Restore a deleted maintenance strategy",

    operation: `mutation ($strategyId: ID!) { restoreStrategy(id: $strategyId) { ...Read } } ${read}`,
  },
];
