/** PM procedures: docs/interface.md 4.4. */
import type { BodyRule, Route } from "../../route.js";

const listed = `id name description assetId assetName frequency customIntervalDays estimatedDuration priority status
  steps { order description estimatedTime tools safetyNote parts { partId quantity } }
  requiredSkills safetyRequirements parts { partId quantity isOptional } schedulingRules { preferredDay avoidWeekends leadTime }
  lastExecuted nextDue createdAt updatedAt`;

const read = `fragment Read on Procedure {
  ${listed.replace("parts { partId quantity } }", "parts { partId partName quantity } checkpoints }").replace("parts { partId quantity isOptional }", "parts { partId partName quantity isOptional }")}
  history { workOrderId executedDate duration technician status } performance { averageDuration completionRate averageCost }
}`;

const body: BodyRule = {
  readOnly: [
    "id",
    "pmId",
    "tenantId",
    "assetName",
    "partName",
    "lastExecuted",
    "nextDue",
    "history",
    "performance",
    "createdAt",
    "updatedAt",
  ],
};

export const procedureRoutes: Route[] = [
  {
    method: "GET",
    path: "/pms",
    summary: "List PM procedures",
    description: "Lists procedures, oldest first. `search` covers name and description.",
    operationId: "listProcedures",
    schemas: {
      pmProcedures: "ListedProcedure",
      "pmProcedures.steps": "ListedProcedureStep",
      "pmProcedures.steps.parts": "ListedStepPart",
      "pmProcedures.parts": "ListedProcedurePart",
    },
    operation: `query ($limit: Int = 100, $offset: Int = 0, $search: String, $assetId: ID, $frequency: ProcedureFrequency, $status: ProcedureStatus, $updatedSince: DateTime) {
      procedures(first: $limit, offset: $offset,
        filter: { search: $search, assetId: $assetId, frequency: $frequency, status: $status, updatedSince: $updatedSince }) {
        pmProcedures: nodes { ${listed} } pagination { total limit offset hasMore }
      }
    }`,
  },
  {
    method: "POST",
    path: "/pms",
    summary: "Create a PM procedure",
    schemas: { "": "ListedProcedure", steps: "ListedProcedureStep", "steps.parts": "ListedStepPart", parts: "ListedProcedurePart" },
    status: 201,
    operation: `mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { ${listed} } }`,
    body,
  },
  {
    method: "GET",
    path: "/pms/:pmId",
    summary: "Get a PM procedure",
    description: "With its last 100 completed work orders and what they came to.",
    operationId: "getProcedure",
    schemas: { "steps.parts": "StepPart" },
    versioned: true,
    operation: `query ($pmId: ID!) { procedure(id: $pmId) { ...Read } } ${read}`,
  },
  {
    method: "PUT",
    path: "/pms/:pmId",
    summary: "Update a PM procedure",
    schemas: { "steps.parts": "StepPart" },
    operation: `mutation ($pmId: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $pmId, input: $input) { ...Read } } ${read}`,
    body,
  },
  {
    method: "DELETE",
    path: "/pms/:pmId",
    summary: "Delete a PM procedure",
    operation: `mutation ($pmId: ID!) { deleteProcedure(id: $pmId) { message deletedAt } }`,
  },
  {
    method: "POST",
    path: "/pms/:pmId/createworkorder",
    summary: "Create a work order from a PM procedure",
    schemas: { "": "CreatedWorkOrder", steps: "CreatedWorkOrderStep", requiredParts: "CreatedWorkOrderPart" },
    status: 201,
    operation: `mutation ($pmId: ID!, $input: CreateWorkOrderInput) {
      createWorkOrder(procedureId: $pmId, input: $input) {
        workOrderId: id pmId: procedureId assetId title description scheduledDate assignedTechnician priority status estimatedDuration notes
        steps { order description estimatedTime status } requiredParts { partId quantity status } createdAt
      }
    }`,
    body: {},
  },
  {
    method: "POST",
    path: "/pms/:pmId/restore",
    addition: true,
    summary: "Restore a deleted PM procedure",
    schemas: { "steps.parts": "StepPart" },
    operation: `mutation ($pmId: ID!) { restoreProcedure(id: $pmId) { ...Read } } ${read}`,
  },
];
