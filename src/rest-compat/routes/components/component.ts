/** Components: docs/interface.md 4.7. */
import type { BodyRule, Route } from "../../route.js";
import { nest, withPaths } from "./tree-shapes.js";

const common = `name type description assetId serialNumber manufacturer model installDate status specifications maintenanceInterval
  criticality lastMaintenanceDate nextMaintenanceDate notes createdAt updatedAt maintenanceRequirements`;

/** The response of every route but the list. */
const full = `fragment Full on Component { id tenantId parentId level position ${common} children: childIds workOrders: workOrderIds }`;

const body: BodyRule = {
  names: { parentId: ["parentId", "parentComponentId"] },
  readOnly: ["id", "componentId", "tenantId", "level", "position", "children", "workOrders", "asset", "createdAt", "updatedAt"],
};

const node = {
  type: "object",
  required: ["id", "name", "type", "level", "children"],
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    type: { type: "string" },
    level: { type: "integer" },
  },
};

export const componentRoutes: Route[] = [
  {
    method: "GET",
    path: "/components",
    summary: "List components",
    operation: `query ($limit: Int = 100, $offset: Int, $search: String, $type: String, $assetId: ID, $parentId: ID, $updatedSince: DateTime) {
      components(first: $limit, offset: $offset,
        filter: { search: $search, type: $type, assetId: $assetId, parentId: $parentId, updatedSince: $updatedSince }) {
        nodes {
          componentId: id tenantId parentComponentId: parentId level ${common}
          asset { assetId: id name site area }
        }
      }
    }`,
    responsePath: "nodes",
  },
  {
    method: "POST",
    path: "/components",
    summary: "Create a component",
    status: 201,
    operation: `mutation ($input: CreateComponentInput!) { createComponent(input: $input) { ...Full } } ${full}`,
    body,
  },
  {
    method: "POST",
    path: "/components/bulk",
    summary: "Update or delete up to 1,000 components",
    operation: `mutation ($operation: BulkOperation!, $componentIds: [ID!]!, $data: UpdateComponentInput) {
      bulkComponents(operation: $operation, componentIds: $componentIds, data: $data) { processed failed results { id status error } }
    }`,
    body,
  },
  {
    method: "GET",
    path: "/components/tree/:rootId",
    summary: "Get a component with its subtree, nested",
    price: 1_000,
    operation: `query ($rootId: ID!) { component(id: $rootId) { id name type level descendants { id name type level parentId } } }`,
    shape: { of: nest, schema: { ...node, properties: { ...node.properties, children: { type: "array", items: { type: "object" } } } } },
  },
  {
    method: "GET",
    path: "/components/:componentId",
    summary: "Get a component",
    versioned: true,
    operation: `query ($componentId: ID!) { component(id: $componentId) { ...Full } } ${full}`,
  },
  {
    method: "PUT",
    path: "/components/:componentId",
    summary: "Update a component",
    operation: `mutation ($componentId: ID!, $input: UpdateComponentInput!) { updateComponent(id: $componentId, input: $input) { ...Full } } ${full}`,
    body,
  },
  {
    method: "DELETE",
    path: "/components/:componentId",
    summary: "Delete a component with its subtree",
    operation: `mutation ($componentId: ID!) { deleteComponent(id: $componentId) { message deletedAt } }`,
  },
  {
    method: "GET",
    path: "/components/:componentId/children",
    summary: "List the children of a component",
    operation: `query ($componentId: ID!) { component(id: $componentId) { children: descendants(maxDepth: 1) { id name type parentId level status } } }`,
  },
  {
    method: "POST",
    path: "/components/:componentId/children",
    summary: "Create a child component",
    status: 201,
    operation: `mutation ($componentId: ID!, $input: CreateComponentInput!) { createChildComponent(parentId: $componentId, input: $input) { ...Full } } ${full}`,
    body: { ...body, readOnly: [...body.readOnly!, "parentId", "parentComponentId"] },
  },
  {
    method: "GET",
    path: "/components/:componentId/descendants",
    summary: "List the descendants of a component, level by level",
    price: 1_000,
    operation: `query ($componentId: ID!) { component(id: $componentId) { id descendants { id name type level parentId } } }`,
    shape: {
      of: withPaths,
      schema: {
        type: "object",
        required: ["descendants"],
        properties: {
          descendants: {
            type: "array",
            items: {
              type: "object",
              required: ["id", "name", "type", "level", "path"],
              additionalProperties: false,
              properties: { ...node.properties, path: { type: "array", items: { type: "string" } } },
            },
          },
        },
      },
    },
  },
  {
    method: "GET",
    path: "/components/:componentId/ancestors",
    summary: "List the ancestors of a component, from the root down to the parent",
    operation: `query ($componentId: ID!) { component(id: $componentId) { ancestors { id name type level } } }`,
  },
  {
    method: "PUT",
    path: "/components/:componentId/move",
    summary: "Move a component with its subtree",
    operation: `mutation ($componentId: ID!, $newParentId: ID, $position: Int) {
      moveComponent(id: $componentId, newParentId: $newParentId, position: $position) { ...Full }
    } ${full}`,
  },
];
