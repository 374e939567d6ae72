/**
 * Tables that keys limited to sites may or may not write. Triggers on every other table refuse rows of other sites (migration `site_wall`),
 * including in raw SQL. The sites are sent with the author (author.ts). site-view.ts limits reads.
 */
import type { Table } from "../rows/catalogue.js";

/** Tables without a site that such a key may write, each with the reason. They have no trigger. */
export const openToSites: Partial<Record<Table, string>> = {
  Budget: "accounts of its own requests",
  Change: "the log of what it wrote",
  ComponentTemplate: "templates belong to the tenant (docs/decisions.md); applying one counts its use",
  ComponentTemplateVersion: "versions of these templates",
  IdempotencyKey: "answers to its own requests",
};

/** Tables of records shared by all sites, which no such key can write. */
export const closedToSites: readonly Table[] = [
  "FailureCode",
  "SchedulerLease",
  "StockPeriod",
  "StockSettings",
  "Strategy",
  "StrategyProcedure",
  "Tenant",
  "TriggerCondition",
  "Webhook",
  "WebhookCursor",
  "WebhookDelivery",
  "WebhookEvent",
];
