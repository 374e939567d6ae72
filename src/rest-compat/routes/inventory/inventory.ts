/** Inventory: docs/interface.md 4.3. */
import type { Route } from "../../route.js";

const record = "partId site tenantId quantity minStockLevel: minimumStock maxStockLevel: maximumStock createdAt updatedAt";
const adjustment = `adjustmentId: id partId adjustmentType quantity previousBalance newBalance unitCost totalValue reason notes location
  performedBy performedAt approved approvedBy approvedAt`;

const number = { type: "number" };
const text = { type: "string" };
const recordSchema = {
  type: "object",
  required: ["partId", "site", "tenantId", "quantity"],
  properties: {
    partId: text,
    site: text,
    tenantId: text,
    quantity: number,
    minStockLevel: number,
    maxStockLevel: number,
    exists: { type: "boolean" },
    createdAt: text,
    updatedAt: text,
  },
};

export const inventoryRoutes: Route[] = [
  {
    method: "GET",
    path: "/inventory",
    summary: "List stock, one record per part and site",
    operation: `query ($limit: Int = 100, $offset: Int, $search: String, $location: String, $lowStock: Boolean, $outOfStock: Boolean, $category: String, $site: String, $updatedSince: DateTime) {
      inventory(first: $limit, offset: $offset,
        filter: { search: $search, location: $location, lowStock: $lowStock, outOfStock: $outOfStock, category: $category, site: $site, updatedSince: $updatedSince }) {
        nodes { ${record} partDetails: part { partNumber name unit: unitOfMeasure cost: unitCost } }
      }
    }`,
    responsePath: "nodes",
  },
  {
    method: "GET",
    path: "/inventory/reports",
    summary: "Get an inventory report",
    operation: `query ($reportType: ReportType!, $startDate: DateTime, $endDate: DateTime, $category: String, $location: String) {
      inventoryReport(reportType: $reportType, filter: { startDate: $startDate, endDate: $endDate, category: $category, location: $location }) {
        reportType generatedAt content
      }
    }`,
    shape: {
      of: ({ reportType, generatedAt, content }) => ({ reportType, generatedAt, ...content }),
      schema: { type: "object", required: ["reportType", "generatedAt"], properties: { reportType: text, generatedAt: text } },
    },
    // Null if there is nothing to divide by.
    nullable: ["turnover", "daysOnHand"],
  },
  {
    method: "GET",
    path: "/inventory/:partId",
    summary: "Get the stock of a part at one site or at all sites",
    versioned: "record",
    operation: `query ($partId: ID!, $site: String) {
      part(id: $partId) { partId: id partNumber name unit: unitOfMeasure cost: unitCost record: stockAt(site: $site) { ${record} exists } inventory: stockLevels { ${record} } }
    }`,
    shape: {
      of: ({ record, inventory, ...part }) => record ?? { part, inventory },
      schema: {
        anyOf: [
          { ...recordSchema, required: [...recordSchema.required, "exists"] },
          {
            type: "object",
            required: ["part", "inventory"],
            properties: { part: { type: "object" }, inventory: { type: "array", items: recordSchema } },
          },
        ],
      },
    },
  },
  {
    method: "PUT",
    path: "/inventory/:partId",
    summary: "Set the counted quantity and the thresholds",
    operation: `mutation ($partId: ID!, $site: StockSite, $input: UpdateInventoryInput!) {
      updateInventory(partId: $partId, site: $site, input: $input) {
        partId part { partNumber partName: name } currentStock: quantity availableStock reservedStock minimumStock maximumStock reorderPoint unitCost totalValue
        location stockStatus adjustmentReason updatedAt
      }
    }`,
    body: {
      names: {
        currentStock: ["currentStock", "quantity"],
        minimumStock: ["minimumStock", "minStockLevel"],
        maximumStock: ["maximumStock", "maxStockLevel"],
      },
      readOnly: [
        "partId",
        "tenantId",
        "exists",
        "partDetails",
        "availableStock",
        "reservedStock",
        "totalValue",
        "stockStatus",
        "partNumber",
        "partName",
        "adjustmentReason",
        "createdAt",
        "updatedAt",
      ],
    },
    shape: {
      of: ({ partId, part, ...stock }) => ({ partId, ...part, ...stock }),
      schema: {
        type: "object",
        required: [
          "partId",
          "partNumber",
          "partName",
          "currentStock",
          "availableStock",
          "reservedStock",
          "totalValue",
          "stockStatus",
          "updatedAt",
        ],
        properties: {
          ...Object.fromEntries(
            ["partId", "partNumber", "partName", "location", "stockStatus", "adjustmentReason", "updatedAt"].map((name) => [name, text]),
          ),
          ...Object.fromEntries(
            [
              "currentStock",
              "availableStock",
              "reservedStock",
              "minimumStock",
              "maximumStock",
              "reorderPoint",
              "unitCost",
              "totalValue",
            ].map((name) => [name, number]),
          ),
        },
      },
    },
  },
  {
    method: "DELETE",
    path: "/inventory/:partId",
    summary: "Write off a part's stock at one site or at all sites",
    operation: `mutation ($partId: ID!, $site: StockSite) { deleteInventory(partId: $partId, site: $site) { message finalStock deletedAt } }`,
  },
  {
    method: "GET",
    path: "/inventory/:partId/history",
    summary: "List the movements of a part",
    operation: `query ($partId: ID!, $limit: Int = 100, $offset: Int = 0, $startDate: DateTime, $endDate: DateTime, $movementType: MovementType, $site: String) {
      part(id: $partId) {
        partId: id partNumber partName: name
        page: movementHistory(limit: $limit, offset: $offset, filter: { startDate: $startDate, endDate: $endDate, type: $movementType, site: $site, withQuantity: true }) {
          movements { id type quantity previousBalance newBalance unitCost totalValue reason reference notes performedBy performedByName performedAt }
          pagination { total limit offset hasMore }
        }
      }
    }`,
    shape: {
      of: ({ page, ...part }) => ({ ...part, ...page }),
      schema: {
        type: "object",
        required: ["partId", "partNumber", "partName", "movements", "pagination"],
        properties: {
          partId: text,
          partNumber: text,
          partName: text,
          movements: {
            type: "array",
            items: { type: "object", required: ["id", "type", "quantity", "previousBalance", "newBalance", "performedAt"] },
          },
          pagination: {
            type: "object",
            required: ["total", "limit", "offset", "hasMore"],
            properties: {
              total: { type: "integer" },
              limit: { type: "integer" },
              offset: { type: "integer" },
              hasMore: { type: "boolean" },
            },
          },
        },
      },
    },
  },
  {
    method: "POST",
    path: "/inventory/:partId/adjustments",
    summary: "Adjust stock manually",
    status: 201,
    operation: `mutation ($partId: ID!, $site: StockSite, $input: AdjustStockInput!) { adjustStock(partId: $partId, site: $site, input: $input) { ${adjustment} } }`,
    nullable: ["approvedBy", "approvedAt"],
  },
];
