/** Parts: docs/interface.md 4.2. */
import type { BodyRule, Route } from "../../route.js";

const common = `partNumber name description category manufacturer manufacturerPartNumber currency weight weightUnit dimensions { length width height unit }
  specifications alternativeParts: alternatives { id partNumber manufacturer } compatibleAssets: compatibleWith { id name type } stockLevel minimumStock maximumStock reorderPoint leadTime
  averageUsage usageUnit lastOrderDate lastOrderQuantity isCritical isActive location qrCode barcode createdAt updatedAt`;

const listed = `partId: id tenantId site unit: unitOfMeasure cost: unitCost supplier { id name partNumber } componentIds ${common}`;

/** Responses of get and update. */
const read = `fragment Read on Part { id unitOfMeasure unitCost supplier { id name partNumber contact { email phone } } ${common} }`;

const body: BodyRule = {
  names: { unitOfMeasure: ["unitOfMeasure", "unit"], unitCost: ["unitCost", "cost"] },
  readOnly: ["id", "partId", "tenantId", "isActive", "deactivatedAt", "componentDetails", "createdAt", "updatedAt"],
};

export const partRoutes: Route[] = [
  {
    method: "GET",
    path: "/parts",
    summary: "List active parts",
    description:
      "Lists active parts, oldest first; `active=false` shows those that were deactivated, `all=true` both. `search` covers name, description, numbers, category and manufacturer.",
    operationId: "listParts",
    schemas: { "": "ListedPart", supplier: "PartSupplierName", componentDetails: "PartComponent" },
    operation: `query ($limit: Int = 100, $offset: Int, $search: String, $category: String, $manufacturer: String, $inStock: Boolean, $critical: Boolean, $active: Boolean = true, $all: Boolean, $updatedSince: DateTime) {
      parts(first: $limit, offset: $offset,
        filter: { search: $search, category: $category, manufacturer: $manufacturer, inStock: $inStock, critical: $critical, active: $active, all: $all, updatedSince: $updatedSince }) {
        nodes { ${listed} componentDetails { componentId: id name description } }
      }
    }`,
    responsePath: "nodes",
  },
  {
    method: "POST",
    path: "/parts",
    summary: "Create a part",
    schemas: { "": "CreatedPart", supplier: "PartSupplierName" },
    status: 201,
    operation: `mutation ($input: CreatePartInput!) { createPart(input: $input) { ${listed} } }`,
    body,
  },
  {
    method: "GET",
    path: "/parts/:partId",
    summary: "Get a part",
    operationId: "getPart",
    versioned: true,
    operation: `query ($partId: ID!) { part(id: $partId) { ...Read } } ${read}`,
  },
  {
    method: "PUT",
    path: "/parts/:partId",
    summary: "Update a part",
    operation: `mutation ($partId: ID!, $input: UpdatePartInput!) { updatePart(id: $partId, input: $input) { ...Read } } ${read}`,
    body: { ...body, readOnly: [...body.readOnly!, "stockLevel"] },
  },
  {
    method: "DELETE",
    path: "/parts/:partId",
    summary: "Deactivate a part",
    operation: `mutation ($partId: ID!) { deactivatePart(id: $partId) { message deactivatedAt } }`,
  },
  {
    method: "POST",
    path: "/parts/:partId/restore",
    addition: true,
    summary: "Restore a deactivated part",

    operation: `mutation ($partId: ID!) { reactivatePart(id: $partId) { ...Read } } ${read}`,
  },
];
