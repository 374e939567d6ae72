/** Work orders. Except for creation from a procedure, these paths are not in docs/interface.md (docs/rest.md, "Additions"). */
import type { Route } from "../../route.js";

const listed = `workOrderId: id tenantId pmId: procedureId assetId componentId title description type origin priority status scheduledDate startedAt completedAt
  assignedTechnician technician estimatedDuration duration laborCost partsCost notes failureMode failureCause remedy createdAt updatedAt`;

const read = `fragment Read on WorkOrder { ${listed} holdReason notificationId
  steps { order description kind required status estimatedTime tools safetyNote checkpoints parameter unit minimum maximum value result notes reason changedAt changedBy }
  requiredParts { partId site quantity usedQuantity status }
}`;

const schemas = { steps: "WorkOrderStep", requiredParts: "WorkOrderPart" };

export const workOrderRoutes: Route[] = [
  {
    method: "GET",
    path: "/workorders",
    addition: true,
    operationId: "listWorkOrders",
    summary: "List work orders",
    description: "Lists work orders, oldest first. `pending=true` leaves those out that are completed, closed or cancelled.",
    schemas: { workOrders: "ListedWorkOrder" },
    operation: `query ($limit: Int = 100, $offset: Int = 0, $search: String, $status: [WorkOrderStatus!], $pending: Boolean, $assetId: ID, $componentId: ID, $pmId: ID,
      $assignedTechnician: String, $scheduledFrom: DateTime, $scheduledUntil: DateTime, $updatedSince: DateTime) {
      workOrders(first: $limit, offset: $offset, filter: { titleContains: $search, status: $status, pending: $pending, assetId: $assetId, componentId: $componentId,
        procedureId: $pmId, assignedTechnician: $assignedTechnician, scheduledFrom: $scheduledFrom, scheduledUntil: $scheduledUntil, updatedSince: $updatedSince }) {
        workOrders: nodes { ${listed} } pagination { total limit offset hasMore }
      }
    }`,
  },
  {
    method: "GET",
    path: "/workorders/:workOrderId",
    addition: true,
    operationId: "getWorkOrder",
    summary: "Get a work order with its steps and parts",
    versioned: true,
    schemas,
    operation: `query ($workOrderId: ID!) { workOrder(id: $workOrderId) { ...Read } } ${read}`,
  },
  {
    method: "POST",
    path: "/workorders/:workOrderId/start",
    addition: true,
    summary: "Start a work order, or resume it after a hold",
    schemas,
    operation: `mutation ($workOrderId: ID!) { startWorkOrder(id: $workOrderId) { ...Read } } ${read}`,
  },
  {
    method: "PUT",
    path: "/workorders/:workOrderId/steps/:order",
    addition: true,
    summary: "Tick a step off, measure it or skip it",
    schemas,
    operation: `mutation ($workOrderId: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) {
      updateWorkOrderStep(id: $workOrderId, order: $order, input: $input) { ...Read }
    } ${read}`,
    body: {},
  },
  {
    method: "POST",
    path: "/workorders/:workOrderId/complete",
    addition: true,
    summary: "Complete a work order",
    schemas,
    operation: `mutation ($workOrderId: ID!, $input: CompleteWorkOrderInput) { completeWorkOrder(id: $workOrderId, input: $input) { ...Read } } ${read}`,
    body: {},
  },
];
