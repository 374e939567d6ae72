/** Enums of the log of changes. */
import { registerEnumType } from "type-graphql";
import { defineEnum, enumWord } from "../enums.js";

/** What is logged, by the name of its type. */
const recordTypes = {
  Asset: "Assets.",
  Component: "Components.",
  ComponentTemplate: "Templates of component trees.",
  Part: "Parts.",
  StockLevel: "Settings of stock levels. Their quantities are told by the movements.",
  StockMovement: "Stock movements.",
  StockAdjustment: "Stock adjustments.",
  StockCount: "Stock counts, without their lines.",
  StockSettings: "Rules of the stock ledger.",
  Procedure: "Procedures.",
  Meter: "Meters, with their readings.",
  WorkRequest: "Reports of faults.",
  FailureCode: "A tenant's own failure codes, and its changes of shipped ones.",
  WorkOrder: "Work orders, with their steps and parts.",
  WorkOrderStatusChange: "Changes of the status of work orders.",
  Strategy: "Strategies, with their conditions.",
  Reading: "Readings.",
  Notification: "Notifications, with their feedback.",
  NotificationStatusChange: "Changes of the status of notifications.",
  AssetStatusChange: "Changes of the status of assets.",
  Downtime: "Downtimes of assets.",
  Photo: "Photos.",
  Attachment: "Files of work orders and work requests, and documents of assets.",
  Site: "Sites that are recorded.",
  Area: "Areas that are recorded.",
  Webhook: "Webhooks.",
  ApiKey: "API keys.",
  Principal: "Persons and systems.",
};

export type RecordType = keyof typeof recordTypes;

export const recordTypeNames = Object.keys(recordTypes) as RecordType[];

/** The GraphQL name of a type, e.g. `WORK_ORDER`. */
const wordOf = (type: string) => enumWord(type).slice(1);

export const RecordType = Object.fromEntries(recordTypeNames.map((type) => [wordOf(type), type]));

registerEnumType(RecordType, {
  name: "RecordType",
  description: "Type of a record.",
  valuesConfig: Object.fromEntries(recordTypeNames.map((type) => [wordOf(type), { description: recordTypes[type] }])),
});

export const ChangeKind = defineEnum("ChangeKind", "What happened to a record.", {
  created: "It was created.",
  updated: "Some of its fields changed.",
  deleted: "It was deleted.",
  restored: "Its deletion was undone.",
  signed_in: "Somebody signed in.",
  refused: "A request was refused.",
  exported: "Records were exported.",
});
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];

export const ChangeSource = defineEnum("ChangeSource", "The door that a change came through.", {
  graphql: "GraphQL over HTTP.",
  rest: "A REST path.",
  websocket: "GraphQL over WebSocket.",
  job: "A background job; `operation` is its name.",
  command: "The command line; `operation` is the command.",
  database: "Not through this service: SQL, or a release from before the log.",
});
export type ChangeSource = (typeof ChangeSource)[keyof typeof ChangeSource];
