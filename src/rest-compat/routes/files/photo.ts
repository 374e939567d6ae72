/** Photos: docs/interface.md 4.1 and 4.2. The same four endpoints for assets and for parts. */
import type { Route } from "../../route.js";

const photo = "fragment Photo on Photo { id filename type size description uploadedBy uploadedAt thumbnailUrl url }";

const capital = (noun: string) => noun.charAt(0).toUpperCase() + noun.slice(1);

const photosOf = (resource: "asset" | "part", path: string, id: "assetId" | "partId"): Route[] => [
  {
    method: "GET",
    path: `${path}/photos`,
    summary: `List the photos of ${resource === "asset" ? "an asset" : "a part"}`,
    operationId: `list${capital(resource)}Photos`,
    schemas: { "": "PhotoList" },
    operation: `query ($${id}: ID!) { ${resource}(id: $${id}) { photos { ...Photo } } } ${photo}`,
  },
  {
    method: "POST",
    path: `${path}/photos/presigned-url`,
    summary: "Request permission to upload a photo's file",
    operationId: `create${capital(resource)}PhotoUpload`,
    operation: `mutation ($${id}: ID!, $input: PhotoUploadInput!) { createPhotoUpload(owner: { ${id}: $${id} }, input: $input) { uploadUrl mediaId fields expiresAt } }`,
  },
  {
    method: "POST",
    path: `${path}/photos`,
    summary: "Register a photo whose file was uploaded",
    operationId: `register${capital(resource)}Photo`,
    status: 201,
    body: { required: ["filename"] },
    operation: `mutation ($${id}: ID!, $input: RegisterPhotoInput!) { registerPhoto(owner: { ${id}: $${id} }, input: $input) { ...Photo } } ${photo}`,
  },
  {
    method: "DELETE",
    path: `${path}/photos/:mediaId`,
    summary: "Delete a photo",
    operationId: `delete${capital(resource)}Photo`,
    operation: `mutation ($${id}: ID!, $mediaId: ID!) { deletePhoto(owner: { ${id}: $${id} }, id: $mediaId) { message deletedAt } }`,
  },
  {
    method: "POST",
    path: `${path}/photos/:mediaId/restore`,
    addition: true,
    operationId: `restore${capital(resource)}Photo`,
    summary: "Restore a deleted photo",
    operation: `mutation ($${id}: ID!, $mediaId: ID!) { restorePhoto(owner: { ${id}: $${id} }, id: $mediaId) { ...Photo } } ${photo}`,
  },
];

export const photoRoutes: Route[] = [...photosOf("asset", "/assets/:assetId", "assetId"), ...photosOf("part", "/parts/:partId", "partId")];
