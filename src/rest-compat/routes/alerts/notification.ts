/** Notifications: docs/interface.md 4.6. */
import type { Route } from "../../route.js";

const listed = `id companyName siteName sensorID assetName timestamp type severity title message status feedbackID
  feedback @include(if: $includeFeedback) { id rating failureMode actionTaken comments createdAt } createdAt updatedAt`;

const operation = (
  order: string,
) => `query ($limit: Int = 100, $nextToken: String, $companyName: String, $siteName: String, $sensorID: String, $timestamp: DateTime, $includeFeedback: Boolean = false, $updatedSince: DateTime) {
      notifications(first: $limit, after: $nextToken, orderBy: { field: CREATED_AT, direction: ${order} },
        filter: { companyName: $companyName, siteName: $siteName, sensorID: $sensorID, timestamp: $timestamp, updatedSince: $updatedSince }) {
        items: nodes { ${listed} } count nextToken
      }
    }`;

export const notificationRoutes: Route[] = [
  {
    method: "GET",
    path: "/notifications",
    summary: "List notifications",
    description:
      "Lists notifications, newest first. `timestamp` asks for conditions at or after it, `includeFeedback` adds the latest feedback.",
    operationId: "listNotifications",
    schemas: { items: "ListedNotification" },
    operation: operation("DESC"),
    operationBefore: operation("ASC"),
    renamed: { after: "nextToken" },
  },
  {
    method: "GET",
    path: "/notifications/:id",
    summary: "Get a notification",
    operationId: "getNotification",
    versioned: true,
    operation: `query ($id: ID!, $includeFeedback: Boolean = false) { notification(id: $id) { ${listed} metadata } }`,
  },
  {
    method: "PUT",
    path: "/notifications/:id/status",
    addition: true,
    summary: "Move a notification on",
    operation: `mutation ($id: ID!, $status: NotificationStatus!, $reason: String, $shelvedUntil: DateTime) {
      changeNotificationStatus(id: $id, status: $status, reason: $reason, shelvedUntil: $shelvedUntil) { ${listed.replace("$includeFeedback", "false")} metadata }
    }`,
  },
];
