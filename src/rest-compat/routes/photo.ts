/** Photos of interface.md 4.1 and 4.2: the same four endpoints below an asset and below a part. */
import type { Route } from "../route.js";

const photo = "fragment Photo on Photo { id filename type size description uploadedBy uploadedAt thumbnailUrl url }";

const photosOf = (noun: "asset" | "part", path: string, id: "assetId" | "partId"): Route[] => [
  {
    method: "GET",
    path: `${path}/photos`,
    summary: `Photos of ${noun === "asset" ? "an asset" : "a part"}`,
    operation: `query ($${id}: ID!) { ${noun}(id: $${id}) { photos { ...Photo } } } ${photo}`,
  },
  {
    method: "POST",
    path: `${path}/photos/presigned-url`,
    summary: "Request leave to send a photo's file",
    operation: `mutation ($${id}: ID!, $input: PhotoUploadInput!) { createPhotoUpload(owner: { ${id}: $${id} }, input: $input) { uploadUrl mediaId fields expiresAt } }`,
  },
  {
    method: "POST",
    path: `${path}/photos`,
    summary: "Register a photo whose file was sent",
    status: 201,
    operation: `mutation ($${id}: ID!, $input: RegisterPhotoInput!) { registerPhoto(owner: { ${id}: $${id} }, input: $input) { ...Photo } } ${photo}`,
  },
  {
    method: "DELETE",
    path: `${path}/photos/:mediaId`,
    summary: "Delete a photo",
    operation: `mutation ($${id}: ID!, $mediaId: ID!) { deletePhoto(owner: { ${id}: $${id} }, id: $mediaId) { message deletedAt } }`,
  },
];

export const photoRoutes: Route[] = [...photosOf("asset", "/assets/:assetId", "assetId"), ...photosOf("part", "/parts/:partId", "partId")];
