/**
 * The CHECK constraints of the schema. The API validates first, so clients never reach them. They stop invalid writes of another release, a
 * manual repair or a defect. These tests therefore write rows with SQL. The rows need no referenced rows, because checks run before foreign
 * keys.
 */
import { expect, test } from "vitest";
import { CheckViolation, ReferenceViolation } from "../../src/database/errors.js";
import type { Table } from "../../src/database/rows/catalogue.js";
import { sharedGateway } from "../world.js";

const { database } = await sharedGateway();

type Row = Record<string, unknown>;

const then = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";

/** A row of a table that passes all checks, and for each constraint the changes that it rejects. */
interface Guarded {
  table: Table;
  row: Row;
  refused: Record<string, Row[]>;
}

const guarded: Guarded[] = [
  {
    table: "Tenant",
    row: { state: "active" },
    refused: { Tenant_state_check: [{ state: "paused" }], Tenant_tenantId_check: [{ tenantId: "" }] },
  },
  { table: "ApiKey", row: { role: "viewer", principalId: "p" }, refused: { ApiKey_role_check: [{ role: "owner" }] } },
  {
    table: "Principal",
    row: { kind: "person", isActive: true },
    refused: {
      Principal_kind_check: [{ kind: "robot" }],
      Principal_person_check: ["email", "locale", "crew"].map((column) => ({ kind: "system", [column]: "x" })),
      Principal_erased_check: [
        { erasedAt: then },
        { erasedAt: then, isActive: false, email: "anna@example.com" },
        { erasedAt: then, isActive: false, locale: "de" },
        { erasedAt: then, isActive: false, crew: "A" },
      ],
    },
  },
  { table: "AreaSetting", row: {}, refused: { AreaSetting_names_check: [{ site: "" }, { area: "" }] } },
  { table: "Asset", row: { status: "operational" }, refused: { Asset_status_check: [{ status: "broken" }] } },
  {
    table: "Component",
    row: { status: "operational", position: 0, level: 1, parentId: "parent" },
    refused: {
      Component_status_check: [{ status: "broken" }],
      Component_tree_check: [{ position: -1 }, { level: -1 }, { level: 0 }, { parentId: null }, { parentId: "x" }],
    },
  },
  {
    table: "ComponentTemplate",
    row: { version: "1.0.0", updatedBy: "anna" },
    refused: { ComponentTemplate_usageCount_check: [{ usageCount: -1 }] },
  },
  { table: "Photo", row: {}, refused: { Photo_size_check: [{ size: 0 }] } },
  {
    table: "Attachment",
    row: { uploadedAt: then, assetId: "x", uploadedBy: "x", sha256: "x", workOrderId: "x" },
    refused: {
      Attachment_document_check: [{ title: "Manual" }, { kind: "manual" }, { revision: "2" }, { kind: "photo", title: "Photo" }],
      Attachment_owner_check: [
        { assetId: null },
        { uploadedBy: null },
        { sha256: null },
        { workOrderId: null },
        { workRequestId: "x" },
        { kind: "manual", title: "Manual" },
      ],
      Attachment_size_check: [{ size: 0 }],
    },
  },
  {
    table: "Mail",
    row: { kind: "work_order_assigned", status: "pending", settledAt: null },
    refused: {
      Mail_check: [{ kind: "greeting" }, { status: "sent", settledAt: then }, { status: "failed" }, { settledAt: then }, { attempts: -1 }],
    },
  },
  {
    table: "PurchaseOrderMail",
    row: { orderId: "o", recipient: "a@example.com", language: "en", createdBy: "k", status: "pending", settledAt: null },
    refused: {
      PurchaseOrderMail_check: [{ status: "sent", settledAt: then }, { status: "failed" }, { settledAt: then }, { attempts: -1 }],
    },
  },
  { table: "Change", row: { kind: "updated", changedAt: new Date().toISOString() }, refused: { Change_kind_check: [{ kind: "read" }] } },
  {
    table: "Downtime",
    row: { cause: "failure", planned: false, source: "status", startedAt: then },
    refused: {
      Downtime_cause_check: [{ cause: "weather" }],
      Downtime_planned_check: [{ planned: true }, { cause: "planned" }],
      Downtime_source_check: [{ source: "rumour" }],
      Downtime_times_check: [{ endedAt: then }],
    },
  },
  { table: "FailureCode", row: { kind: "mode" }, refused: { FailureCode_kind_check: [{ kind: "effect" }] } },
  {
    table: "LaborEntry",
    row: { minutes: 1, rate: 0, name: "Fitter" },
    refused: { LaborEntry_check: [{ minutes: 0 }, { rate: -1 }, { name: null }, { personId: "x" }] },
  },
  {
    table: "Meter",
    row: { kind: "run-hours", unit: "h" },
    refused: { Meter_kind_check: [{ kind: "weight" }, { unit: "min" }, { rolloverAt: 0 }] },
  },
  {
    table: "MeterReading",
    row: { kind: "normal", value: 0, total: 0 },
    refused: {
      MeterReading_kind_check: [
        { kind: "guess" },
        { kind: "replacement" },
        { finalValue: 1 },
        { value: -1 },
        { total: -1 },
        { kind: "replacement", finalValue: -1 },
      ],
    },
  },
  {
    table: "Notification",
    row: { type: "anomaly", severity: "info", status: "open" },
    refused: {
      Notification_ended_check: [{ endedAt: then }, { status: "resolved" }, { status: "dismissed" }],
      Notification_shelvedUntil_check: [
        { shelvedUntil: later },
        { status: "resolved", endedAt: then, shelvedUntil: later },
        { status: "dismissed", endedAt: then, shelvedUntil: "2026-01-08T00:00:01Z" },
      ],
      Notification_words_check: [{ type: "alarm" }, { severity: "high" }, { status: "gone", endedAt: then }],
    },
  },
  { table: "NotificationFeedback", row: { rating: 1 }, refused: { NotificationFeedback_rating_check: [{ rating: 0 }, { rating: 6 }] } },
  {
    table: "Occurrence",
    row: { number: 1, outcome: "skipped" },
    refused: {
      Occurrence_outcome_check: [
        { number: 0 },
        { outcome: "lost" },
        { completedAt: then },
        { outcome: "done" },
        { outcome: "early" },
        { outcome: "late" },
      ],
    },
  },
  {
    table: "Part",
    row: { unitOfMeasure: "each", isActive: true, unitCost: 1 },
    refused: {
      Part_coreValue_check: [{ coreValue: -1 }],
      Part_lives_check: [{ lifeHours: 0 }, { lifeMonths: 0 }, { lifeInstallations: 0 }, { inspectionHours: 0 }, { inspectionMonths: -1 }],
      Part_isActive_check: [{ isActive: false }, { deactivatedAt: then }],
      Part_range_check: [{ minimumStock: 2, maximumStock: 1 }],
      Part_repairable_check: [{ isRepairable: true }],
      Part_valuation_check: [{ isRepairable: true, isCapital: true, tracksSerials: true }],
      Part_site_check: [{ site: "" }],
      Part_unitCost_check: [{ unitCost: 0 }],
      Part_unitOfMeasure_check: [{ unitOfMeasure: "dozen" }],
    },
  },
  {
    table: "Procedure",
    row: {
      frequency: "daily",
      priority: "low",
      status: "active",
      schedulingBasis: "fixed",
      occurrence: 1,
      anchorSteps: 0,
      estimatedDuration: 1,
    },
    refused: {
      Procedure_missedPolicy_check: [{ missedPolicy: "forget" }],
      Procedure_numbers_check: [{ estimatedDuration: 0 }, { customIntervalDays: 0 }, { anchorSteps: -1 }, { occurrence: 0 }],
      Procedure_shift_check: [{ shift: "never" }],
      Procedure_statutory_check: [
        { statutory: true, missedPolicy: "skip" },
        { statutory: true, suppressedById: "x" },
      ],
      Procedure_words_check: [
        { frequency: "hourly" },
        { priority: "none" },
        { status: "paused" },
        { schedulingBasis: "loose" },
        { safetyRequirements: ["helmet"] },
      ],
    },
  },
  {
    table: "ProcedureAsset",
    row: { occurrence: 1, anchorSteps: 0 },
    refused: { ProcedureAsset_occurrence_check: [{ occurrence: 0 }, { anchorSteps: -1 }] },
  },
  {
    table: "ProcedureCondition",
    row: { operator: "equal", violations: 1, samples: 1, minimumDuration: 1 },
    refused: {
      ProcedureCondition_rule_check: [
        { operator: "about" },
        { violations: 0 },
        { violations: 2 },
        { hysteresis: -1 },
        { minimumDuration: 0 },
      ],
    },
  },
  {
    table: "ProcedureMeter",
    row: { interval: 1, dueAtTotal: 0 },
    refused: { ProcedureMeter_interval_check: [{ interval: 0 }, { dueAtTotal: -1 }] },
  },
  { table: "ProcedurePart", row: {}, refused: { ProcedurePart_quantity_check: [{ quantity: 0 }] } },
  { table: "ReadingAggregate", row: { period: "day" }, refused: { ReadingAggregate_period_check: [{ period: "week" }, { count: 0 }] } },
  {
    table: "StockAdjustment",
    row: { adjustmentType: "count", performedBy: "anna" },
    refused: {
      StockAdjustment_type_check: [{ adjustmentType: "theft" }],
      StockAdjustment_decision_check: [
        { approvedAt: then, approvedBy: "ben", rejectedAt: then, rejectedBy: "ben" },
        { approvedAt: then },
        { approvedBy: "ben" },
        { rejectedAt: then },
        { rejectedBy: "ben" },
        { approvedAt: then, approvedBy: "anna" },
      ],
    },
  },
  { table: "StockBatch", row: {}, refused: { StockBatch_quantity_check: [{ quantity: -1 }] } },
  {
    table: "StockCount",
    row: { status: "posted", openedAt: then, postedAt: then, createdBy: "anna", postedBy: "ben" },
    refused: {
      StockCount_decision_check: [
        { approvedAt: then, approvedBy: "carla", rejectedAt: then, rejectedBy: "carla" },
        { status: "open", postedAt: null, approvedAt: then, approvedBy: "carla" },
        { status: "open", postedAt: null, rejectedAt: then, rejectedBy: "carla" },
        { approvedAt: then },
        { approvedBy: "carla" },
        { rejectedAt: then },
        { rejectedBy: "carla" },
        { approvedAt: then, approvedBy: "anna" },
        { approvedAt: then, approvedBy: "ben" },
      ],
      StockCount_status_check: [
        { status: "lost", postedAt: null },
        { postedAt: null },
        { cancelledAt: then },
        { status: "open" },
        { status: "cancelled", postedAt: null },
        { openedAt: null },
        { status: "open", openedAt: null, postedAt: null },
      ],
    },
  },
  {
    table: "StockCountLine",
    row: { round: 1 },
    refused: {
      StockCountLine_counted_check: [
        { counted: -1, countedAt: then, countedBy: "x" },
        { round: 0 },
        { counted: 1 },
        { countedAt: then, countedBy: "x" },
      ],
    },
  },
  { table: "StockHold", row: {}, refused: { StockHold_quantity_check: [{ quantity: 0 }] } },
  {
    table: "StockLevel",
    row: { quantity: 1, value: 1 },
    refused: {
      StockLevel_balance_check: [{ quantity: -1, value: 0 }, { reserved: -1 }, { sequence: -1 }],
      StockLevel_range_check: [{ minimumStock: 2, maximumStock: 1 }],
      StockLevel_value_check: [{ value: -1 }, { blocked: -1 }, { quantity: 0 }],
    },
  },
  {
    table: "StockMovement",
    row: { type: "receipt", quantity: 1, previousBalance: 0, newBalance: 1, value: 1, valueBalance: 1, performedAt: then },
    refused: {
      StockMovement_type_check: [{ type: "gift" }],
      StockMovement_valuation_check: [{ valuation: "luck" }, { valuation: "none", value: 1, valueBalance: 1 }],
      StockMovement_balance_check: [
        { quantity: -1, newBalance: -1, valueBalance: 0 },
        { valueBalance: -1 },
        { quantity: -1, previousBalance: 1, newBalance: 0 },
        { newBalance: 2 },
        { type: "reserve" },
        { type: "revaluation" },
        { type: "price_difference" },
      ],
    },
  },
  {
    table: "StockPeriod",
    row: { month: "2026-12" },
    refused: { StockPeriod_month_check: [{ month: "2026-13" }, { month: "2026-00" }, { month: "2026-1" }, { month: "12026-12" }] },
  },
  {
    table: "StockSettings",
    row: { id: "stock-settings" },
    refused: {
      StockSettings_id_check: [{ id: "other" }],
      StockSettings_tolerance_check: [{ overReceiptTolerance: -1 }, { overReceiptTolerance: 101 }],
      StockSettings_threshold_check: [{ countThreshold: -1 }, { writeOffThreshold: -1 }, { revaluationThreshold: -1 }],
      StockSettings_invoice_tolerance_check: [{ invoiceTolerance: -1 }],
      StockSettings_serviceLevel_check: [
        { serviceLevel: 49 },
        { serviceLevel: 99.995 },
        { criticalServiceLevel: 49 },
        { criticalServiceLevel: 99.995 },
      ],
    },
  },
  {
    table: "StockTransfer",
    row: { quantity: 2, status: "shipped", inTransit: 1, inTransitValue: 1 },
    refused: {
      StockTransfer_status_check: [{ status: "lost", inTransit: 0, inTransitValue: 0 }],
      StockTransfer_quantity_check: [
        { quantity: 0, inTransit: 0, inTransitValue: 0 },
        { inTransit: 3 },
        { inTransit: -1, inTransitValue: 0 },
        { inTransitValue: -1 },
        { inTransit: 0 },
        { status: "received" },
      ],
    },
  },
  {
    table: "Strategy",
    row: { type: "preventive", criticality: "low", frequency: "daily", duration: 1 },
    refused: {
      Strategy_duration_check: [{ duration: 0 }],
      Strategy_words_check: [{ type: "hopeful" }, { criticality: "none" }, { frequency: "hourly" }],
    },
  },
  {
    table: "TriggerCondition",
    row: { operator: "equal", severity: "info", violations: 1, samples: 1 },
    refused: {
      TriggerCondition_check: [{ operator: "about" }, { severity: "high" }, { violations: 0 }, { violations: 2 }, { hysteresis: -1 }],
    },
  },
  {
    table: "WebhookDelivery",
    row: { status: "pending", settledAt: null },
    refused: { WebhookDelivery_status_check: [{ status: "sent", settledAt: then }, { status: "delivered" }, { settledAt: then }] },
  },
  {
    table: "WorkOrder",
    row: { status: "scheduled", priority: "low", origin: "manual", type: "preventive", planAssetId: "x" },
    refused: {
      WorkOrder_downtime_check: [
        { downtimeTo: later },
        { downtimeFrom: then, downtimeTo: then },
        { downtimeFrom: later, downtimeTo: then },
      ],
      WorkOrder_dueBy_check: [{ dueBy: "mood", dueReason: "x" }, { dueBy: "time" }, { dueReason: "x" }],
      WorkOrder_ended_check: [
        { endedAt: then },
        { status: "cancelled" },
        { status: "completed", endedAt: then },
        { completedAt: then },
        { status: "cancelled", endedAt: then, completedAt: then },
      ],
      WorkOrder_isolated_check: [{ isolatedBy: "anna", status: "cancelled", endedAt: then }],
      WorkOrder_type_check: [{ type: "secret" }],
      WorkOrder_words_check: [{ status: "lost", endedAt: then }, { priority: "none" }, { origin: "rumour" }],
    },
  },
  { table: "WorkOrderCost", row: { kind: "other", amount: 0 }, refused: { WorkOrderCost_check: [{ kind: "gift" }, { amount: -1 }] } },
  {
    table: "WorkOrderPart",
    row: { status: "issued", quantity: 0, usedQuantity: 0 },
    refused: {
      WorkOrderPart_quantity_check: [{ quantity: -1 }, { usedQuantity: -1 }],
      WorkOrderPart_status_check: [{ status: "lost" }],
    },
  },
  {
    table: "WorkOrderStep",
    row: { status: "pending", kind: "measurement", parameter: "heat" },
    refused: {
      WorkOrderStep_kind_check: [{ kind: "pause", parameter: null }],
      WorkOrderStep_measured_check: [
        { parameter: null },
        { result: "maybe" },
        { kind: "task" },
        { kind: "task", parameter: null, value: 1 },
        { kind: "task", parameter: null, result: "pass" },
      ],
      WorkOrderStep_exchange_check: [
        { componentId: "c" },
        { kind: "task", parameter: null, componentId: "c" },
        { kind: "exchange", parameter: null, status: "completed", removedUnitId: "u" },
        { kind: "exchange", parameter: null, componentId: "c", installedUnitId: "u" },
      ],
      WorkOrderStep_status_check: [{ status: "lost" }],
    },
  },
  {
    table: "Unit",
    row: { serialNumber: "4711" },
    refused: {
      Unit_stock_check: [{ site: "North" }, { partId: "p", site: "North", movementId: "m" }, { movementId: "m", movedAt: "2026-01-01" }],
      Unit_value_check: [{ value: -1, partId: "p" }, { value: 1 }],
    },
  },
  {
    table: "UnitPeriod",
    row: { unitId: "u", startedAt: "2026-01-01", state: "removed", condition: "serviceable", site: "North" },
    refused: {
      UnitPeriod_times_check: [{ endedAt: "2026-01-01" }, { endedAt: "2025-12-31" }],
      UnitPeriod_place_check: [{ state: "installed" }, { componentId: "c" }],
      UnitPeriod_supplier_check: [{ supplier: "Acme" }],
      UnitPeriod_reason_check: [{ removalReason: "failure" }, { state: "installed", componentId: "c", removalReason: "failure" }],
    },
  },
  {
    table: "ComponentHold",
    row: { componentId: "c", unitId: "u", startedAt: "2026-01-01" },
    refused: { ComponentHold_times_check: [{ endedAt: "2025-12-31" }] },
  },
  {
    table: "Invitation",
    row: { principalId: "p", role: "viewer", secretHash: "\\x00", createdBy: "x", expiresAt: later },
    refused: {
      Invitation_role_check: [{ role: "owner" }],
      Invitation_term_check: [{ expiresAt: "2099-01-01T00:00:00Z" }, { keyExpiresAt: then }],
      Invitation_state_check: [
        { usedAt: then },
        { keyId: "k" },
        { revokedAt: then },
        { revokedBy: "x" },
        { usedAt: then, keyId: "k", revokedAt: then, revokedBy: "x" },
      ],
    },
  },
  {
    table: "Recall",
    row: { partId: "p", reason: "Cracks", batchNumber: "B7", openedBy: "k" },
    refused: {
      Recall_choice_check: [{ batchNumber: null }, { serialNumbers: "{1}" }, { serialFrom: "1", serialTo: "2" }, { serialTo: "2" }],
      Recall_closed_check: [{ closedAt: "2026-01-01" }, { closedBy: "k" }],
    },
  },
  { table: "SupplierAccount", row: { name: "SKF" }, refused: { SupplierAccount_currency_check: [{ currency: "Euro" }] } },
  {
    table: "SupplierPart",
    row: { supplierId: "s", partId: "p" },
    refused: {
      SupplierPart_currency_check: [{ currency: "eur" }],
      SupplierPart_amounts_check: [{ unitFactor: 0 }, { packSize: 0 }, { minimumQuantity: 0 }, { leadTime: -1 }],
      SupplierPart_prices_check: [
        "{}",
        `[{"quantity":1}]`,
        `[{"quantity":-1,"price":1}]`,
        `[{"quantity":1,"price":-1}]`,
        `[{"quantity":1,"price":2},{"quantity":1,"price":1}]`,
      ].map((priceBreaks) => ({ priceBreaks })),
    },
  },
  {
    table: "PurchaseOrder",
    row: { year: 2026, sequence: 17, number: "PO-2026-00017", supplierId: "s", site: "North", currency: "EUR", createdBy: "k" },
    refused: {
      PurchaseOrder_status_check: [{ status: "late", submittedAt: then, submittedBy: "k" }],
      PurchaseOrder_number_check: [{ sequence: 18 }, { year: 2027 }, { number: "17" }],
      PurchaseOrder_currency_check: [{ currency: "eur" }, { exchangeRate: 0 }],
      PurchaseOrder_state_check: [
        { status: "awaiting_approval" },
        { submittedAt: then },
        { status: "sent", submittedAt: then, submittedBy: "k" },
        { status: "cancelled" },
        { cancelledAt: then },
        { status: "received", submittedAt: then, submittedBy: "k" },
        { status: "closed", submittedAt: then, submittedBy: "k", sentAt: then },
        { closedAt: then },
      ],
      PurchaseOrder_approval_check: [
        { approvedBy: "k", submittedAt: then, submittedBy: "x" },
        { approvedBy: "x", submittedAt: then, submittedBy: "x" },
        { status: "approved", submittedAt: then, submittedBy: "k", approvalRule: "From 5000" },
        { status: "received", submittedAt: then, submittedBy: "k", sentAt: then, approvalRule: "From 5000" },
      ],
    },
  },
  {
    table: "PurchaseOrderLine",
    row: { orderId: "o", position: 1, partId: "p", quantity: 5, unitFactor: 12, price: 2, currency: "EUR", site: "North" },
    refused: {
      PurchaseOrderLine_subject_check: [{ partId: null }],
      PurchaseOrderLine_amounts_check: [
        { quantity: -1, cancelled: -12 },
        { price: -1 },
        { position: 0 },
        { accepted: -1 },
        { cancelled: -1 },
      ],
      PurchaseOrderLine_open_check: [{ accepted: 121 }, { accepted: 30, cancelled: 31 }, { accepted: 60, cancelled: 1 }],
      PurchaseOrderLine_invoiced_check: [
        { matchedQuantity: -1 },
        { matchedQuantity: 1, invoicedQuantity: 1 },
        { accepted: 2, matchedQuantity: 2, invoicedQuantity: 1 },
        { invoicesOnHold: -1 },
      ],
    },
  },
  {
    table: "GoodsReceipt",
    row: { orderId: "o", lineId: "l", site: "North", accepted: 1, receivedBy: "k" },
    refused: {
      GoodsReceipt_amounts_check: [
        { accepted: -1 },
        { accepted: 2, rejected: -1 },
        { accepted: 0 },
        { rejected: 1 },
        { exchangeRate: 0 },
        { accepted: 0, rejected: 1, rejectionReason: "Rust", movementId: "m" },
      ],
      GoodsReceipt_quarantine_check: [
        { released: 1 },
        { rejected: 1, rejectionReason: "Rust", released: 2, returned: -1 },
        { rejected: 1, rejectionReason: "Rust", released: -1, returned: 2 },
        { releaseOf: "r" },
        { releaseReason: "Polished" },
        { releaseOf: "r", releaseReason: "Polished", rejected: 1, rejectionReason: "Rust" },
      ],
    },
  },
  {
    table: "GoodsReturn",
    row: { receiptId: "r", orderId: "o", site: "North", quantity: 1, reason: "Rust", returnedBy: "k" },
    refused: { GoodsReturn_quantity_check: [{ quantity: 0 }] },
  },
  {
    table: "SupplierInvoice",
    row: { supplierId: "s", number: "R-1", site: "North", invoiceDate: then, currency: "EUR", createdBy: "k" },
    refused: {
      SupplierInvoice_status_check: [{ status: "paid" }],
      SupplierInvoice_currency_check: [{ currency: "eur" }, { exchangeRate: 0 }],
      SupplierInvoice_state_check: [
        { status: "posted" },
        { postedAt: then },
        { postedAt: then, postedBy: "k" },
        { status: "cancelled" },
        { cancelledAt: then },
      ],
    },
  },
  {
    table: "SupplierInvoiceLine",
    row: { invoiceId: "i", position: 1, orderId: "o", orderLineId: "l", site: "North", quantity: 2, amount: 5, orderedAmount: 5 },
    refused: {
      SupplierInvoiceLine_amounts_check: [
        { quantity: 0 },
        { amount: -1 },
        { orderedAmount: -1 },
        { position: 0 },
        { status: "on_hold", matchedQuantity: -1 },
        { status: "on_hold", matchedQuantity: 3 },
      ],
      SupplierInvoiceLine_status_check: [
        { status: "late" },
        { matchedQuantity: 1 },
        { status: "cancelled", matchedQuantity: 1 },
        { status: "matched", matchedQuantity: 1 },
      ],
      SupplierInvoiceLine_acceptance_check: [
        { status: "accepted" },
        { acceptedBy: "k", acceptedAt: then, acceptanceReason: "Agreed" },
        { status: "accepted", acceptedBy: "k", acceptedAt: then },
        { status: "accepted", acceptedBy: "k", acceptanceReason: "Agreed" },
      ],
    },
  },
  {
    table: "SupplierInvoiceMatch",
    row: { invoiceLineId: "l", receiptId: "r", site: "North", quantity: 1, value: 1 },
    refused: { SupplierInvoiceMatch_amounts_check: [{ quantity: 0 }, { value: null, movementId: "m" }] },
  },
  { table: "PurchaseOrderNumber", row: { year: 2026, last: 1 }, refused: { PurchaseOrderNumber_last_check: [{ last: 0 }] } },
  { table: "PurchaseApprovalRule", row: { minimumAmount: 1 }, refused: { PurchaseApprovalRule_amount_check: [{ minimumAmount: -1 }] } },
  {
    table: "PurchaseDelegation",
    row: { principalId: "p", delegateId: "q", endsAt: then },
    refused: { PurchaseDelegation_persons_check: [{ delegateId: "p" }] },
  },
  {
    table: "ReportLink",
    row: { name: "Label", site: "North", secretHash: "\\x00" },
    refused: { ReportLink_place_check: [{ site: null }, { assetId: "x" }] },
  },
  {
    table: "WorkRequest",
    row: { status: "open", urgency: "low" },
    refused: {
      WorkRequest_words_check: [{ status: "lost", decidedAt: then, decidedBy: "x" }, { urgency: "none" }],
      WorkRequest_decision_check: [
        { decidedAt: then, decidedBy: "x" },
        { status: "withdrawn" },
        { status: "withdrawn", decidedAt: then },
        { decidedBy: "x" },
        { status: "accepted", decidedAt: then, decidedBy: "x" },
        { workOrderId: "x" },
        { status: "declined", decidedAt: then, decidedBy: "x" },
      ],
    },
  },
];

/** A value of each type, for columns that must not be null. */
const sample: Record<string, unknown> = {
  text: "x",
  int4: 1,
  int8: 1,
  numeric: 1,
  float8: 1,
  bool: false,
  timestamptz: then,
  date: "2026-01-01",
  jsonb: {},
  bytea: "\\x00",
  _text: [],
};

const undone = new Error("undone");

/** The constraint that rejects the row. Undefined if the row was stored, which is rolled back. */
async function refusalOf(table: Table, row: Row): Promise<unknown> {
  const columns = await database.query<{ name: string; type: string }>(
    `select column_name::text as name, udt_name::text as type from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_nullable = 'NO' and column_default is null`,
    [table],
  );
  const written = { ...Object.fromEntries(columns.map(({ name, type }) => [name, sample[type]])), ...row };
  const names = Object.keys(written).map((name) => `"${name}"`);
  try {
    await database.transaction(async (tx) => {
      await tx.query(`insert into "${table}" (${names}) select ${names} from jsonb_populate_record(null::"${table}", $1::jsonb)`, [
        JSON.stringify(written),
      ]);
      throw undone;
    });
  } catch (error) {
    return error === undone ? undefined : error;
  }
}

test("every check of the schema is in this file", async () => {
  const found = await database.query<{ name: string }>(
    `select c.conname::text as name from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.contype = 'c' and t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition`,
  );
  expect(guarded.flatMap(({ refused }) => Object.keys(refused)).sort()).toEqual(found.map(({ name }) => name).sort());
});

for (const { table, row, refused } of guarded) {
  test(`a row of ${table} that fits is refused by no check`, async () => {
    const refusal = await refusalOf(table, row);
    if (refusal) expect(refusal).toBeInstanceOf(ReferenceViolation);
  });
  for (const [constraint, changes] of Object.entries(refused))
    test(constraint, async () => {
      for (const change of changes) {
        const refusal = await refusalOf(table, { ...row, ...change });
        expect({ change, constraint: refusal instanceof CheckViolation ? refusal.constraint : refusal }).toEqual({ change, constraint });
      }
    });
}
