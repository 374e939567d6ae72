/** Notifications: docs/interface.md 4.6. */
import type { Route } from "../../route.js";

const listed = `id companyName siteName sensorID assetName timestamp type severity title message status feedbackID
  feedback @include(if: $includeFeedback) { id rating failureMode actionTaken comments createdAt } createdAt updatedAt`;

export const notificationRoutes: Route[] = [
  {
    method: "GET",
    path: "/notifications",
    summary: "List notifications",
    operation: `query ($limit: Int = 100, $nextToken: String, $companyName: String, $siteName: String, $sensorID: String, $timestamp: DateTime, $includeFeedback: Boolean = false, $updatedSince: DateTime) {
      notifications(first: $limit, after: $nextToken, orderBy: { field: CREATED_AT, direction: DESC },
        filter: { companyName: $companyName, siteName: $siteName, sensorID: $sensorID, timestamp: $timestamp, updatedSince: $updatedSince }) {
        items: nodes { ${listed} } count nextToken
      }
    }`,
    renamed: { after: "nextToken" },
  },
  {
    method: "GET",
    path: "/notifications/:id",
    summary: "Get a notification",
    versioned: true,
    operation: `query ($id: ID!, $includeFeedback: Boolean = false) { notification(id: $id) { ${listed} metadata } }`,
  },
];
