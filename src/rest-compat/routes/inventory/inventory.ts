/** Inventory: docs/interface.md 4.3. */
import type { Route, Selected } from "../../route.js";
import { reportSchemas } from "./report-schemas.js";

const record = "partId site tenantId quantity minStockLevel: minimumStock maxStockLevel: maximumStock createdAt updatedAt";
const adjustment = `adjustmentId: id partId adjustmentType quantity previousBalance newBalance unitCost totalValue reason notes location
  performedBy performedAt approved approvedBy approvedAt`;
const decided = `${adjustment} site rejectedBy rejectedAt decisionReason`;

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

type Fields = ReturnType<Selected["fields"]>;

const merged = (...parts: Fields[]) => ({
  type: "object",
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required }) => required),
});

export const inventoryRoutes: Route[] = [
  {
    method: "GET",
    path: "/inventory",
    summary: "List stock, one record per part and site",
    description:
      "Lists the records of active parts. `location` is a storage location or a site; `lowStock` asks for what is below its reorder point or minimum.",
    operationId: "listInventory",
    schemas: { "": "ListedStock", partDetails: "StockedPart" },
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
    description:
      "Each type has its own content. A report covers the year before `endDate`, which is now unless given, or what lies between `startDate` and `endDate`.",
    operationId: "getInventoryReport",
    operation: `query ($reportType: ReportType!, $startDate: DateTime, $endDate: DateTime, $category: String, $location: String) {
      inventoryReport(reportType: $reportType, filter: { startDate: $startDate, endDate: $endDate, category: $category, location: $location }) {
        reportType generatedAt content
      }
    }`,
    shape: {
      of: ({ reportType, generatedAt, content }) => ({ reportType, generatedAt, ...content }),
      name: "InventoryReport",
      schema: () => ({
        oneOf: Object.keys(reportSchemas)
          .filter((name) => name.endsWith("Report"))
          .map(refer),
      }),
      others: () => reportSchemas,
    },
    // Null if unknown.
    nullable: ["averageTurnover", "turnover", "daysOnHand"],
  },
  {
    method: "GET",
    path: "/inventory/:partId",
    summary: "Get the stock of a part at one site or at all sites",
    description: "With `site` the record of that site, with `exists` false where it keeps none; without it the part and all its records.",
    operationId: "getInventory",
    schemas: { record: "StockAtSite", inventory: "StockRecord" },
    versioned: "record",
    operation: `query ($partId: ID!, $site: String) {
      part(id: $partId) { partId: id partNumber name unit: unitOfMeasure cost: unitCost record: stockAt(site: $site) { ${record} exists } inventory: stockLevels { ${record} } }
    }`,
    shape: {
      of: ({ record, inventory, ...part }) => record ?? { part, inventory },
      name: "StockOfPart",
      schema: ({ at }) => ({
        description: "With `site` its record, without it the part and the records of all sites.",
        anyOf: [at("record"), refer("StockEverywhere")],
      }),
      others: ({ at, fields }) => ({
        StockedPartName: { type: "object", ...fields("", ["record", "inventory"]) },
        StockEverywhere: {
          type: "object",
          required: ["part", "inventory"],
          properties: { part: refer("StockedPartName"), inventory: at("inventory") },
        },
      }),
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
      name: "UpdatedStock",
      schema: ({ fields }) => merged(fields("", ["part"]), fields("part")),
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
    description: "Oldest first.",
    operationId: "listMovements",
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
      name: "MovementHistory",
      schema: ({ fields }) => merged(fields("", ["page"]), fields("page")),
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
  {
    method: "GET",
    path: "/inventory/adjustments",
    addition: true,
    operationId: "listAdjustments",
    summary: "List adjustments",
    description: "Lists adjustments, oldest first. `pending=true` lists those that nobody has decided on.",
    schemas: { "": "AdjustmentList", adjustments: "DecidedAdjustment" },
    operation: `query ($limit: Int = 100, $offset: Int = 0, $partId: ID, $pending: Boolean) {
      stockAdjustments(first: $limit, offset: $offset, filter: { partId: $partId, pending: $pending }) {
        adjustments: nodes { ${decided} } pagination { total limit offset hasMore }
      }
    }`,
    nullable: ["approvedBy", "approvedAt"],
  },
  ...(["approve", "reject"] as const).map(
    (decision): Route => ({
      method: "POST",
      path: `/inventory/adjustments/:adjustmentId/${decision}`,
      addition: true,
      summary: decision === "approve" ? "Approve an adjustment" : "Reject an adjustment, which posts the reversing movement",
      schemas: { "": "DecidedAdjustment" },
      operation: `mutation ($adjustmentId: ID!, $reason: ShortText) { ${decision}Adjustment(id: $adjustmentId, reason: $reason) { ${decided} } }`,
      body: { optional: true },
      nullable: ["approvedBy", "approvedAt"],
    }),
  ),
];
