/** Enums of the change log. */
import { registerEnumType } from "type-graphql";
import { defineEnum, enumWord } from "../enums.js";

/** Logged types, by type name. */
const recordTypes = {
  Asset: "Assets.",
  Component: "Components.",
  Unit: "Units, with their periods.",
  ComponentTemplate: "Templates of component trees.",
  Part: "Parts.",
  SupplierAccount: "Suppliers.",
  SupplierPart: "Parts as suppliers sell them.",
  PurchaseOrder: "Purchase orders, with their lines.",
  SupplierInvoice: "Supplier invoices, with their lines.",
  PurchaseApprovalRule: "Rules that require approval of purchase orders.",
  PurchaseDelegation: "Delegations of approvals.",
  StockLevel: "Settings of stock levels. Quantities are recorded as movements.",
  StockMovement: "Stock movements.",
  StockAdjustment: "Stock adjustments.",
  StockCount: "Stock counts, without their lines.",
  StockSettings: "Rules of the stock ledger.",
  Procedure: "Procedures.",
  Meter: "Meters, with their readings.",
  WorkRequest: "Fault reports.",
  FailureCode: "Tenant-defined failure codes, and changes to shipped ones.",
  WorkOrder: "Work orders, with their steps and parts.",
  WorkOrderStatusChange: "Status changes of work orders.",
  Strategy: "Strategies, with their conditions.",
  Reading: "Readings.",
  Notification: "Notifications, with their feedback.",
  NotificationStatusChange: "Status changes of notifications.",
  AssetStatusChange: "Status changes of assets.",
  Downtime: "Downtimes of assets.",
  Photo: "Photos.",
  Attachment: "Files of work orders and work requests, and documents of assets.",
  Site: "Sites with a record.",
  Area: "Areas with a record.",
  Webhook: "Webhooks.",
  ApiKey: "API keys.",
  Principal: "Persons and systems.",
};

export type RecordType = keyof typeof recordTypes;

export const recordTypeNames = Object.keys(recordTypes) as RecordType[];

/** GraphQL name of a type, e.g. `WORK_ORDER`. */
const wordOf = (type: string) => enumWord(type).slice(1);

export const RecordType = Object.fromEntries(recordTypeNames.map((type) => [wordOf(type), type]));

registerEnumType(RecordType, {
  name: "RecordType",
  description: "Type of a record.",
  valuesConfig: Object.fromEntries(recordTypeNames.map((type) => [wordOf(type), { description: recordTypes[type] }])),
});

export const ChangeKind = defineEnum("ChangeKind", "Kind of change of a record.", {
  created: "The record was created.",
  updated: "Some fields of the record changed.",
  deleted: "The record was deleted.",
  restored: "The record was restored.",
  signed_in: "A person signed in.",
  refused: "A request was refused.",
  exported: "Records were exported.",
});
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];

export const ChangeSource = defineEnum("ChangeSource", "API or process that made a change.", {
  graphql: "GraphQL over HTTP.",
  rest: "REST.",
  websocket: "GraphQL over WebSocket.",
  job: "A background job. `operation` is its name.",
  command: "The command line. `operation` is the command.",
  database: "Outside this service: SQL, or a release that predates the log.",
});
export type ChangeSource = (typeof ChangeSource)[keyof typeof ChangeSource];
