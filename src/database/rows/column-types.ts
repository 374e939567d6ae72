/** Types referenced by `@type` annotations in prisma/schema.prisma. */

import type { Holiday } from "../../schema/assets/place.js";
import type { TemplateItem } from "../../schema/components/template.js";
import type { Dimensions, Supplier, SupplierContact } from "../../schema/inventory/parts/part.js";
import type { GivenReference } from "../../schema/inventory/parts/part-reference.js";
import type { PriceBreak } from "../../schema/inventory/supply/supplier-part.js";
import type { StockLayer } from "../../schema/inventory/transfers/transfer.js";
import type { ProcedureStep, SchedulingRules } from "../../schema/maintenance/procedures/procedure.js";
import type { StrategyCosts, StrategyResource } from "../../schema/maintenance/strategies/strategy.js";

export type { PrincipalKind, Role } from "../../schema/access/enums.js";
export type {
  AlertOutcome,
  AlertVerdict,
  DeliveryStatus,
  NotificationStatus,
  NotificationType,
  Severity,
  WebhookEventKind,
} from "../../schema/alerts/enums.js";
export type { AssetStatus } from "../../schema/assets/enums.js";
export type { ChangeKind, ChangeSource, RecordType } from "../../schema/changes/enums.js";
export type { ComponentStatus, RemovalReason, UnitCondition, UnitState } from "../../schema/components/enums.js";
export type { DocumentKind } from "../../schema/files/enums.js";
export type { StockCountStatus } from "../../schema/inventory/counts/count-enums.js";
export type {
  AbcClass,
  AdjustmentType,
  MovementType,
  ReservationOwner,
  StockStatus,
  StockTransferStatus,
  UnitOfMeasure,
} from "../../schema/inventory/enums.js";
export type {
  PurchaseOrderStatus,
  SupplierInvoiceLineStatus,
  SupplierInvoiceStatus,
} from "../../schema/inventory/supply/purchase-enums.js";
export type {
  Criticality,
  DateShift,
  DueBy,
  FailureCodeKind,
  MailKind,
  MeasurementResult,
  MeterKind,
  MeterReadingKind,
  MissedPolicy,
  OccurrenceOutcome,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  ReadingPeriod,
  SafetyRequirement,
  SchedulingBasis,
  StepKind,
  StrategyFrequency,
  StrategyType,
  TriggerOperator,
  WorkOrderCostKind,
  WorkOrderOrigin,
  WorkOrderPartStatus,
  WorkOrderStatus,
  WorkOrderStepStatus,
  WorkOrderType,
  WorkRequestStatus,
} from "../../schema/maintenance/enums.js";
export type { DowntimeCause, DowntimeSource } from "../../schema/reliability/enums.js";
export type { Dimensions, SchedulingRules, StrategyCosts, Supplier, SupplierContact };

export type TenantState = "active" | "suspended" | "importing" | "deleting";
export type Holidays = Holiday[];
export type StringMap = Record<string, string>;
export type Properties = Record<string, unknown>;
export type GivenReferences = GivenReference[];
export type TemplateItems = TemplateItem[];
export type StockLayers = StockLayer[];
export type PriceBreaks = PriceBreak[];
export type StrategyResources = StrategyResource[];
/** Without their parts, which are rows of ProcedurePart. */
export type ProcedureSteps = Omit<ProcedureStep, "parts">[];
