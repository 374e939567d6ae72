/** Assets: docs/interface.md 4.1. */
import type { BodyRule, Route } from "../../route.js";

/** Responses of list and get. */
const read = `
fragment Read on Asset {
  assetId: id tenantId name type description location category criticality status manufacturer model serialNumber site area
  installationDate customFields lastMaintenanceDate nextMaintenanceDate createdAt updatedAt
}`;

/** Responses of create and update. */
const written = `
fragment Written on Asset {
  id tenantId name type description location category criticality status manufacturer model serialNumber site area
  installDate: installationDate specifications: customFields lastMaintenanceDate nextMaintenanceDate createdAt updatedAt
}`;

const body: BodyRule = {
  names: { installationDate: ["installDate", "installationDate"], customFields: ["specifications", "customFields"] },
  readOnly: ["id", "assetId", "tenantId", "createdAt", "updatedAt"],
};

export const assetRoutes: Route[] = [
  {
    method: "GET",
    path: "/assets",
    summary: "List assets, grouped by site and area",
    description:
      "Lists assets in the order site, area, name. `limit` counts assets. There are tokens at three levels: that of the answer continues the whole list, that of a site this site alone, that of an area this area alone; each is null where nothing is left. `search` covers name, description, type, location, serial number, manufacturer and model.",
    operationId: "listAssets",
    operation: `query ($limit: Int = 100, $offset: Int, $nextToken: String, $search: String, $type: String, $location: String, $updatedSince: DateTime) {
      groupedAssets(limit: $limit, offset: $offset, nextToken: $nextToken,
        filter: { search: $search, type: $type, location: $location, updatedSince: $updatedSince }) {
        items { site areas { name assets { ...Read } nextToken } nextToken } nextToken
      }
    }${read}`,
    nullable: ["nextToken"],
  },
  {
    method: "POST",
    path: "/assets",
    summary: "Create an asset",
    schemas: { "": "AssetWritten" },
    status: 201,
    operation: `mutation ($input: CreateAssetInput!) { createAsset(input: $input) { ...Written } }${written}`,
    body,
  },
  {
    method: "GET",
    path: "/assets/:assetId",
    summary: "Get an asset",
    operationId: "getAsset",
    versioned: true,
    operation: `query ($assetId: ID!) { asset(id: $assetId) { ...Read } }${read}`,
  },
  {
    method: "PUT",
    path: "/assets/:assetId",
    summary: "Update an asset",
    schemas: { "": "AssetWritten" },
    operation: `mutation ($assetId: ID!, $input: UpdateAssetInput!) { updateAsset(id: $assetId, input: $input) { ...Written } }${written}`,
    body,
  },
  {
    method: "DELETE",
    path: "/assets/:assetId",
    summary: "Delete an asset with its components",
    operation: `mutation ($assetId: ID!) { deleteAsset(id: $assetId) { message deletedAt } }`,
  },
  {
    method: "POST",
    path: "/assets/import",
    summary: "Import assets from a CSV file",
    description:
      "The first row names the columns: name and type are required. Good rows are imported beside bad ones, in one transaction; `errors` names the bad ones by row, from 1, which is the header. `mode=upsert` updates the asset with the serial number of a row; `dryRun=true` writes nothing.",
    schemas: { assets: "ImportedAsset" },
    file: "text/csv",
    operation: `mutation ($file: Upload!, $dryRun: Boolean = false, $mode: ImportMode = create) {
      importAssets(file: $file, dryRun: $dryRun, mode: $mode) { imported failed errors { row field message value } assets { id name type } }
    }`,
  },
  {
    method: "POST",
    path: "/assets/:assetId/restore",
    addition: true,
    summary: "Restore a deleted asset with its components",
    schemas: { "": "AssetWritten" },
    operation: `mutation ($assetId: ID!) { restoreAsset(id: $assetId) { ...Written } } ${written}`,
  },
];
