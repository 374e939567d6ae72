/** Component templates: docs/interface.md 4.7. */
import type { BodyRule, Route } from "../../route.js";

const template = "fragment Template on ComponentTemplate { id name type description version components createdAt }";
/** The path has no pages. */
const all = 1_000_000;

const body: BodyRule = { readOnly: ["id", "version", "createdAt"] };

export const templateRoutes: Route[] = [
  {
    method: "GET",
    path: "/components/templates",
    summary: "List templates",
    description: "The list is whole, oldest first.",
    operation: `query ($updatedSince: DateTime) {
      templates(first: ${all}, filter: { updatedSince: $updatedSince }) { templates: nodes { ...Template } }
    } ${template}`,
    operationId: "listTemplates",
    schemas: { "": "TemplateList" },
  },
  {
    method: "POST",
    path: "/components/templates",
    summary: "Create a template",
    status: 201,
    operation: `mutation ($input: CreateTemplateInput!) { createTemplate(input: $input) { ...Template } } ${template}`,
    body,
  },
  {
    method: "GET",
    path: "/components/templates/:templateId",
    summary: "Get a template",
    operationId: "getTemplate",
    versioned: true,
    operation: `query ($templateId: ID!) { template(id: $templateId) { ...Template } } ${template}`,
  },
  {
    method: "PUT",
    path: "/components/templates/:templateId",
    summary: "Update a template by creating a new version",
    operation: `mutation ($templateId: ID!, $input: UpdateTemplateInput!) { updateTemplate(id: $templateId, input: $input) { ...Template } } ${template}`,
    body,
  },
  {
    method: "DELETE",
    path: "/components/templates/:templateId",
    summary: "Delete a template and keep the components created from it",
    operation: `mutation ($templateId: ID!) { deleteTemplate(id: $templateId) { message deletedAt } }`,
  },
  {
    method: "GET",
    path: "/components/templates/:templateId/versions",
    summary: "List the versions of a template, newest first",
    operationId: "listTemplateVersions",
    schemas: { "": "TemplateVersionList" },
    operation: `query ($templateId: ID!) { template(id: $templateId) { versions { version name type description components createdAt } } }`,
  },
  {
    method: "POST",
    path: "/components/templates/:templateId/usage",
    summary: "Record a use of a template",
    operation: `mutation ($templateId: ID!) { recordTemplateUsage(id: $templateId) { templateId usageCount lastUsedAt } }`,
  },
  {
    method: "POST",
    path: "/components/templates/:templateId/apply-hierarchical",
    summary: "Create a template's components in an asset or below a component",
    status: 201,
    schemas: { created: "AppliedComponent" },
    operation: `mutation ($templateId: ID!, $input: ApplyTemplateInput!) {
      applyTemplate(id: $templateId, input: $input) {
        templateId version rootIds
        created { id name type assetId parentId level position serialNumber status specifications maintenanceInterval createdAt updatedAt }
      }
    }`,
  },
  {
    method: "POST",
    path: "/components/templates/:templateId/restore",
    addition: true,
    summary: "Restore a deleted template",

    operation: `mutation ($templateId: ID!) { restoreTemplate(id: $templateId) { ...Template } } ${template}`,
  },
];
