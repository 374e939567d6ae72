/** Components: docs/interface.md 4.7. */
import type { BodyRule, Route } from "../../route.js";
import { nest, withPaths } from "./tree-shapes.js";

const common = `name type description assetId serialNumber manufacturer model installDate status specifications maintenanceInterval
  criticality lastMaintenanceDate nextMaintenanceDate notes createdAt updatedAt maintenanceRequirements`;

/** The response of every route except the list. */
const full = `fragment Full on Component { id tenantId parentId level position ${common} children: childIds workOrders: workOrderIds }`;

const body: BodyRule = {
  names: { parentId: ["parentId", "parentComponentId"] },
  readOnly: ["id", "componentId", "tenantId", "level", "position", "children", "workOrders", "asset", "createdAt", "updatedAt"],
};

export const componentRoutes: Route[] = [
  {
    method: "GET",
    path: "/components",
    summary: "List components",
    description:
      "Lists components, oldest first. `search` covers name, description, type, serial number, manufacturer and model; `parentId` lists the direct children.",
    operationId: "listComponents",
    schemas: { "": "ListedComponent", asset: "AssetPlace" },
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
    description: "Children are in the order of their positions, nested as deep as the hierarchy is.",
    operationId: "getComponentTree",
    price: 1_000,
    operation: `query ($rootId: ID!) { component(id: $rootId) { id name type level descendants { id name type level parentId } } }`,
    shape: {
      of: nest,
      name: "ComponentTree",
      schema: ({ fields }) => {
        const { properties, required } = fields("", ["descendants"]);
        const children = { type: "array", items: { $ref: "#/components/schemas/ComponentTree" } };
        return { type: "object", properties: { ...properties, children }, required: [...required, "children"] };
      },
    },
  },
  {
    method: "GET",
    path: "/components/:componentId",
    summary: "Get a component",
    operationId: "getComponent",
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
    operation: `mutation ($componentId: ID!) { deleteComponent(id: $componentId, removeUnits: true) { message deletedAt } }`,
  },
  {
    method: "GET",
    path: "/components/:componentId/children",
    summary: "List the children of a component",
    operationId: "listChildComponents",
    schemas: { "": "ComponentChildren", children: "ComponentChild" },
    operation: `query ($componentId: ID!) { component(id: $componentId) { children: descendants(maxDepth: 1) { id name type parentId level status } } }`,
  },
  {
    method: "POST",
    path: "/components/:componentId/children",
    summary: "Create a child component",
    status: 201,
    operation: `mutation ($componentId: ID!, $input: CreateComponentInput!) { createChildComponent(parentId: $componentId, input: $input) { ...Full } } ${full}`,
    body: { ...body, readOnly: [...body.readOnly!, "parentId", "parentComponentId"], schema: "ChildComponentInput" },
  },
  {
    method: "GET",
    path: "/components/:componentId/descendants",
    summary: "List the descendants of a component, level by level",
    description: "Each has the path of ids from the component that was asked for down to it.",
    operationId: "listDescendantComponents",
    price: 1_000,
    operation: `query ($componentId: ID!) { component(id: $componentId) { id descendants { id name type level parentId } } }`,
    shape: {
      of: withPaths,
      name: "ComponentDescendants",
      schema: () => ({
        type: "object",
        required: ["descendants"],
        properties: { descendants: { type: "array", items: { $ref: "#/components/schemas/ComponentDescendant" } } },
      }),
      others: ({ fields }) => {
        const { properties, required } = fields("descendants", ["parentId"]);
        const path = {
          type: "array",
          items: { type: "string" },
          description: "Ids from the component that was asked for down to this one.",
        };
        return { ComponentDescendant: { type: "object", properties: { ...properties, path }, required: [...required, "path"] } };
      },
    },
  },
  {
    method: "GET",
    path: "/components/:componentId/ancestors",
    summary: "List the ancestors of a component, from the root down to the parent",
    operationId: "listAncestorComponents",
    schemas: { "": "ComponentAncestors", ancestors: "ComponentAncestor" },
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
  {
    method: "POST",
    path: "/components/:componentId/restore",
    addition: true,
    summary: "Restore a deleted component with what was below it",

    operation: `mutation ($componentId: ID!) { restoreComponent(id: $componentId) { ...Full } } ${full}`,
  },
];
