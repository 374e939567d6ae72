/**
 * No column can be forgotten: each column of prisma/schema.prisma is in the database, in a GraphQL type and, unless read-only, in an input.
 * Each input field is a column or listed here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInputObjectType, isObjectType } from "graphql";
import { describe, expect, it } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { type ColumnInfo, columnsOf, type Table, tables } from "../../src/database/rows/catalogue.js";
import { softDeleted } from "../../src/domain/tenants/purge.js";
import { buildGatewaySchema } from "../../src/resolvers/schema.js";
import { type RecordType, recordTypeNames } from "../../src/schema/changes/enums.js";
import { startGateway } from "../world.js";

interface Expectation {
  /** The GraphQL type, if its name differs. */
  type?: string;
  /** Inputs, and mutations with arguments, that write the table in addition to `Create…Input` and `Update…Input`. */
  inputs?: string[];
  /** Columns that only the service sets; "all" for a table without inputs. */
  setByService?: string[] | "all";
  /** Columns that only the create input or only the update input sets. */
  createOnly?: string[];
  updateOnly?: string[];
  /** Input fields that are not columns, with their meaning. */
  notColumns?: Record<string, string>;
}

const guard = { expectedBalance: "a condition on the balance" };
const ownerOfPhoto = "names the upload";
const work = { customSteps: "rows of WorkOrderStep" };

const expectations: Partial<Record<Table, Expectation>> = {
  AssetStatusChange: { setByService: "all" },
  Change: { setByService: "all" },
  Unit: {
    inputs: ["UnitInput", "ResolveUnitConflictInput"],
    setByService: ["batchNumber", "expiryDate", "distinctSince"],
    notColumns: { keepId: "names it", mergeId: "names another one", distinct: "sets distinctSince", reason: "of the entry in the log" },
  },
  UnitPeriod: {
    inputs: ["ExchangeUnitInput", "MoveUnitInput", "SwapUnitsInput", "StepExchangeInput", "RemovedUnitInput"],
    setByService: ["startedAt", "endedAt", "site", "removalReason", "recordedAt", "recordedBy"],
    notColumns: {
      unit: "names or creates it",
      installed: "names or creates it",
      removed: "names the unit of the period that ends",
      serialNumber: "of the unit",
      reason: "removalReason of the period that ends",
      at: "startedAt, and endedAt of the period before",
      componentIds: "componentId of two periods",
      withContents: "rows of ComponentHold",
      repairCost: "a value of the unit",
    },
  },
  Recall: { inputs: ["OpenRecallInput"], setByService: ["openedAt", "openedBy"] },
  RecallUnit: { setByService: "all" },
  SupplierAccount: { inputs: ["CreateSupplierInput", "UpdateSupplierInput"] },
  SupplierPart: { inputs: ["SetSupplierPartInput"] },
  PurchaseOrder: {
    inputs: ["CreatePurchaseOrderInput", "UpdatePurchaseOrderInput"],
    setByService: [
      "submittedAt",
      "submittedBy",
      "approvalRule",
      "approverId",
      "approvedAt",
      "approvedBy",
      "approvedFor",
      "decisionReason",
      "declinedAt",
      "declinedBy",
      "sentAt",
      "sentBy",
      "cancelledAt",
      "cancelledBy",
      "cancellationReason",
      "closedAt",
      "closedBy",
    ],
    createOnly: ["supplierId", "site", "currency"],
    notColumns: { lines: "rows of PurchaseOrderLine" },
  },
  PurchaseOrderLine: { inputs: ["PurchaseOrderLineInput"], setByService: ["orderId", "repromisedAt", "cancellationReason"] },
  GoodsReceipt: {
    inputs: ["ReceiveOrderLineInput", "ReleaseRejectedGoodsInput"],
    setByService: ["orderId", "lineId", "site", "movementId", "receivedAt", "receivedBy", "reversedAt", "releaseOf", "releaseReason"],
    notColumns: {
      quantity: "accepted",
      reason: "releaseReason",
      serialNumbers: "columns of the movement",
      batchNumber: "a column of the movement",
      expiryDate: "a column of the movement",
    },
  },
  GoodsReturn: { inputs: ["returnRejectedGoods"], setByService: ["receiptId", "orderId", "site", "returnedAt", "returnedBy"] },
  SupplierInvoice: {
    inputs: ["CreateSupplierInvoiceInput", "UpdateSupplierInvoiceInput"],
    setByService: ["postedAt", "postedBy", "cancelledAt", "cancelledBy", "cancellationReason"],
    createOnly: ["supplierId", "site", "currency"],
    notColumns: { lines: "rows of SupplierInvoiceLine" },
  },
  SupplierInvoiceLine: {
    inputs: ["SupplierInvoiceLineInput"],
    setByService: ["invoiceId", "orderId", "site", "orderedAmount", "acceptedAt", "acceptedBy", "acceptanceReason"],
  },
  SupplierInvoiceMatch: { setByService: "all" },
  PurchaseApprovalRule: { inputs: ["PurchaseApprovalRuleInput"] },
  PurchaseDelegation: { inputs: ["delegatePurchaseApproval"], setByService: ["principalId"] },
  InstallationCorrection: {
    inputs: ["CorrectInstallationInput"],
    setByService: ["recordedAt", "recordedBy", "removalReason"],
    notColumns: { reason: "removalReason of the period; the columns are the values before" },
  },
  ComponentHold: { setByService: "all" },
  Photo: {
    inputs: ["PhotoUploadInput", "RegisterPhotoInput"],
    notColumns: { mediaId: ownerOfPhoto, type: "contentType, checked against it" },
  },
  ComponentTemplate: { inputs: ["CreateTemplateInput", "UpdateTemplateInput"] },
  ComponentTemplateVersion: { inputs: ["CreateTemplateInput", "UpdateTemplateInput"], setByService: ["templateId", "version"] },
  Part: {
    notColumns: {
      componentIds: "rows of PartComponent",
      stockLevel: "the opening stock, a movement",
    },
  },
  StockLevel: {
    inputs: ["UpdateInventoryInput", "updateInventory"],
    notColumns: { ...guard, currentStock: "quantity, through a movement", notes: "of the movement", reason: "of the movement" },
  },
  StockMovement: {
    inputs: ["MoveStockInput", "TransferStockInput", "receiveStock"],
    setByService: [
      "sequence",
      "type",
      "previousBalance",
      "newBalance",
      "totalValue",
      "value",
      "valueBalance",
      "costMissing",
      "expensed",
      "reversalOf",
      "originId",
      "workOrderId",
      "performedBy",
      "performedByName",
    ],
    notColumns: {
      ...guard,
      currency: "must be the ledger's",
      fromSite: "the site of one movement",
      toSite: "the site of the other",
      expiresAt: "of the hold that a reservation makes",
    },
  },
  StockAdjustment: {
    inputs: ["AdjustStockInput", "adjustStock"],
    setByService: [
      "previousBalance",
      "newBalance",
      "totalValue",
      "performedBy",
      "approvedBy",
      "approvedAt",
      "rejectedBy",
      "rejectedAt",
      "decisionReason",
    ],
    notColumns: {
      ...guard,
      currency: "must be the ledger's",
      occurredAt: "of the movement",
      serialNumbers: "of the movement",
      batchNumber: "of the movement",
      expiryDate: "of the movement",
    },
  },
  StockTransfer: {
    inputs: ["StartTransferInput", "startTransfer"],
    setByService: [
      "status",
      "inTransit",
      "inTransitValue",
      "value",
      "outgoingId",
      "reservedAt",
      "reservedBy",
      "shippedAt",
      "shippedBy",
      "receivedAt",
      "receivedBy",
      "cancelledAt",
      "cancelledBy",
    ],
  },
  StockPeriod: { setByService: "all" },
  Downtime: {
    inputs: ["RecordDowntimeInput", "CorrectDowntimeInput", "DowntimeInput"],
    createOnly: ["assetId"],
    notColumns: { from: "startedAt", to: "endedAt" },
  },
  StockCount: { inputs: ["CreateStockCountInput"], notColumns: { draft: "the first status" } },
  StockCountLine: { inputs: ["CountedLineInput"] },
  StockSerial: { setByService: "all" },
  StockBatch: { setByService: "all" },
  SiteSetting: {
    type: "Site",
    inputs: ["CreateSiteInput", "UpdateSiteInput", "HolidayInput"],
    notColumns: { date: "of one of the holidays", name: "the column site, which is its key" },
  },
  AreaSetting: {
    type: "Area",
    inputs: ["CreateAreaInput", "UpdateAreaInput", "createArea"],
    notColumns: { name: "the column area, which is its key", input: "an argument" },
  },
  ProcedureAsset: { inputs: ["ProcedureAssetInput"], setByService: ["occurrence", "nextDue", "lastExecuted"] },
  Meter: { createOnly: ["assetId", "kind", "unit"] },
  MeterReading: { inputs: ["MeterReadingInput"], notColumns: { unit: "of the values, which are converted", rollover: "the kind" } },
  ProcedureMeter: { inputs: ["ProcedureMeterInput"] },
  ProcedureCondition: { inputs: ["ProcedureConditionInput"] },
  Procedure: { notColumns: { parts: "rows of ProcedurePart", meters: "rows of ProcedureMeter", conditions: "rows of ProcedureCondition" } },
  ProcedurePart: { inputs: ["ProcedurePartInput", "StepPartInput"] },
  WorkOrder: {
    createOnly: ["assetId", "componentId", "description"],
    inputs: [
      "CreateWorkOrderFromNotificationInput",
      "CompleteWorkOrderInput",
      "CloseWorkOrderInput",
      "FollowUpInput",
      "AcceptWorkRequestInput",
    ],
    notColumns: {
      ...work,
      followUpOf: "followUpOfId",
      parts: "rows of WorkOrderPart",
      usedParts: "rows of WorkOrderPart",
      feedback: "a NotificationFeedback",
      downtime: "downtimeFrom and downtimeTo, and a row of Downtime",
    },
  },
  WorkRequest: { inputs: ["ReportFaultInput"], notColumns: { photos: "rows of Attachment" } },
  Attachment: { inputs: ["AttachmentInput", "AttachmentOwnerInput"] },
  Mail: { setByService: "all" },
  PurchaseOrderMail: {
    inputs: ["MailPurchaseOrderInput"],
    setByService: ["status", "attempts", "lastAttemptAt", "error", "settledAt"],
  },
  CalendarFeed: { setByService: ["sites"] },
  FailureCode: { inputs: ["FailureCodeInput"] },
  WorkOrderComment: { inputs: ["addWorkOrderComment"] },
  LaborEntry: { inputs: ["LaborEntryInput"] },
  WorkOrderStep: {
    inputs: ["CustomStepInput", "UpdateWorkOrderStepInput"],
    notColumns: { followUp: "a work order", exchange: "the units of an exchange, and rows of UnitPeriod" },
  },
  WorkOrderPart: {
    inputs: ["StepPartInput", "UsedPartInput", "IssueToWorkOrderInput", "ReturnFromWorkOrderInput"],
    notColumns: {
      batchNumber: "of the movement",
      bookDiscrepancy: "posts an adjustment",
      movementId: "names the movement that is returned",
      notes: "of the movement",
      occurredAt: "of the movement",
      performedAt: "of the movement",
      serialNumbers: "of the movement",
    },
  },
  WorkOrderCost: { inputs: ["WorkOrderCostInput"] },
  StockReservation: { setByService: "all" },
  WorkOrderStatusChange: {
    inputs: ["cancelWorkOrder"],
    setByService: ["fromStatus", "toStatus", "changedBy", "changedByName", "changedAt"],
  },
  Strategy: { notColumns: { triggerConditions: "rows of TriggerCondition", procedures: "rows of StrategyProcedure" } },
  TriggerCondition: { inputs: ["TriggerConditionInput"] },
  Reading: { inputs: ["ReadingInput"] },
  Notification: { inputs: ["RaiseNotificationInput"] },
  NotificationStatusChange: {
    inputs: ["changeNotificationStatus"],
    setByService: ["fromStatus", "toStatus", "changedBy", "changedByName", "changedAt"],
  },
  NotificationFeedback: { inputs: ["NotificationFeedbackInput"] },
  Webhook: { updateOnly: ["isActive"] },
  WebhookEvent: { setByService: "all" },
  WebhookDelivery: { setByService: "all" },
  Principal: { inputs: ["CreatePersonInput", "UpdatePersonInput"] },
  Stock: { type: "StockLevel", setByService: "all" },
};

const schema = buildGatewaySchema();
const gateway = await startGateway();

const sourceFolder = fileURLToPath(new URL("../../src/schema", import.meta.url));
const sources = readdirSync(sourceFolder, { recursive: true, encoding: "utf8" }).flatMap((file) =>
  file.endsWith(".ts") ? [{ file: `src/schema/${file}`, text: readFileSync(join(sourceFolder, file), "utf8") }] : [],
);
const fileOf = (type: string) => sources.find(({ text }) => text.includes(`export class ${type} `))?.file ?? "src/schema";

const system = new Set(["tenantId", "id", "createdAt", "createdBy", "updatedAt", "updatedBy", "deletedAt"]);
const isSystem = (name: string, { type }: ColumnInfo) => system.has(name) || (name === "version" && type === "Int");
const namesOf = Object.keys(tables) as Table[];
const visible = namesOf.filter((table) => !tables[table].internal);
const ofClients = (table: Table) =>
  columnsOf(table).filter(([name, info]) => !info.hidden && !info.internal && !isSystem(name, info) && !tables[table].internal);

const inputsOf = (table: Table): string[] =>
  [...new Set([`Create${table}Input`, `Update${table}Input`, ...(expectations[table]?.inputs ?? [])])].filter(
    (name) => schema.getType(name) || schema.getMutationType()!.getFields()[name],
  );

/** The fields of an input type, or the arguments of a mutation. */
function fieldsOf(input: string): string[] {
  const type = schema.getType(input);
  if (isInputObjectType(type)) return Object.keys(type.getFields());
  return schema
    .getMutationType()!
    .getFields()
    [input]!.args.map(({ name }) => name);
}

const typeOf = (table: Table) => expectations[table]?.type ?? table;

describe("every column that clients may see", () => {
  it.each(visible.filter((table) => ofClients(table).length))("of %s is a field of its GraphQL type", (table) => {
    const type = schema.getType(typeOf(table));
    const fields = isObjectType(type) ? type.getFields() : {};
    const missing = ofClients(table).filter(([name]) => !(name in fields));
    expect(
      missing.map(
        ([name]) =>
          `${table}.${name}: no GraphQL type names it; add it to ${typeOf(table)} in ${fileOf(typeOf(table))} or mark it @internal in prisma/schema.prisma`,
      ),
    ).toEqual([]);
  });

  it.each(visible.filter((table) => ofClients(table).length))("of %s is a field of an input, unless it is read-only", (table) => {
    const setByService = expectations[table]?.setByService ?? [];
    const inputs = inputsOf(table);
    const sent = new Set(inputs.flatMap(fieldsOf));
    const missing = ofClients(table).filter(
      ([name, { readOnly }]) => !readOnly && !sent.has(name) && setByService !== "all" && !setByService.includes(name),
    );
    expect(
      missing.map(
        ([name]) =>
          `${table}.${name}: no input names it; add it to ${inputs.join(" or ") || "an input"} in ${fileOf(inputs[0] ?? typeOf(table))} or mark it @readOnly in prisma/schema.prisma`,
      ),
    ).toEqual([]);
  });

  const pairs = visible.flatMap((table) => {
    const noun = table === "ComponentTemplateVersion" ? "Template" : table;
    const [create, update] = [`Create${noun}Input`, `Update${noun}Input`];
    return schema.getType(create) && schema.getType(update) ? [{ table, create, update }] : [];
  });

  it.each(pairs)("of $table is a field of both $create and $update, unless only one may set it", ({ table, create, update }) => {
    const { createOnly = [], updateOnly = [] } = expectations[table] ?? {};
    const columns = ofClients(table).map(([name]) => name);
    const missing = (from: string, to: string, declared: string[]) => {
      const [present, other] = [fieldsOf(from), fieldsOf(to)];
      const unmatched = columns.filter((name) => present.includes(name) && !other.includes(name));
      return [
        ...unmatched.filter((name) => !declared.includes(name)).map((name) => `${to}.${name}: missing; ${from} has it`),
        ...declared.filter((name) => !unmatched.includes(name)).map((name) => `${name}: declared as set by ${from} only, and is not`),
      ];
    };
    expect([...missing(create, update, createOnly), ...missing(update, create, updateOnly)]).toEqual([]);
  });

  it("has no unnecessary exception", () => {
    const unneeded = namesOf.flatMap((table) => {
      const { setByService = [], inputs = [], notColumns = {} } = expectations[table] ?? {};
      const sent = new Set(inputsOf(table).flatMap(fieldsOf));
      const columns = ofClients(table).flatMap(([name, { readOnly }]) => (readOnly || sent.has(name) ? [] : [name]));
      return [
        ...(setByService === "all" ? [] : setByService.filter((name) => !columns.includes(name))),
        ...inputs.filter((name) => !inputsOf(table).includes(name)),
        ...Object.keys(notColumns).filter((name) => !sent.has(name) || name in tables[table].columns),
      ].map((name) => `${table}.${name}`);
    });
    expect(unneeded).toEqual([]);
  });
});

describe("every field of an input", () => {
  it.each(visible.filter((table) => inputsOf(table).some((name) => schema.getType(name))))("of %s is a column", (table) => {
    const unknown = inputsOf(table)
      .filter((name) => schema.getType(name))
      .flatMap((input) => fieldsOf(input).map((field) => ({ input, field })))
      .filter(({ field }) => !(field in tables[table].columns) && !(field in (expectations[table]?.notColumns ?? {})));
    expect(
      unknown.map(
        ({ input, field }) =>
          `${input}.${field}: ${table} has no such column; mend the name in ${fileOf(input)} or add the column to prisma/schema.prisma`,
      ),
    ).toEqual([]);
  });

  it("belongs to an input of a table", () => {
    // Fields that are neither rows nor parts of rows: conditions, owners, and options of a statement.
    const others =
      /(Filter|Order|Range)$|^(PartNumberInput|PhotoOwnerInput|ReferenceInput|RotateApiKeyInput|ApplyTemplateInput|TemplateCustomizations|UpgradeInstancesInput|WorkOrderPlanInput|ScheduleDraftInput|PlanChangeInput|CreateRecallOrdersInput|DraftPurchaseOrdersInput|DraftProposalInput)$/;
    // Parts of a Json column.
    const nested =
      /^(DimensionsInput|PriceBreakInput|Supplier(Contact)?Input|ProcedureStepInput|SchedulingRulesInput|Strategy(Costs|Resource)Input|TemplateItemInput)$/;
    const known = new Set(namesOf.flatMap(inputsOf));
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    expect(inputs.map(({ name }) => name).filter((name) => !known.has(name) && !others.test(name) && !nested.test(name))).toEqual([]);
  });
});

describe("the database", () => {
  it("has the tables and columns of the catalogue, and no others", async () => {
    const rows = await gateway.database.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and table_name <> '_prisma_migrations'`,
    );
    const ours = namesOf.flatMap((table) => columnsOf(table).map(([name]) => `${table}.${name}`));
    const there = rows.map(({ name }) => name);
    expect({ missing: ours.filter((name) => !there.includes(name)), extra: there.filter((name) => !ours.includes(name)) }).toEqual({
      missing: [],
      extra: [],
    });
  });

  it("has null where the catalogue has it", async () => {
    const rows = await gateway.database.query<{ table: Table; column: string; nullable: boolean }>(
      `select c.table_name as table, c.column_name as column, c.is_nullable = 'YES' as nullable from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
       where table_schema = 'public' and table_name <> '_prisma_migrations' and t.table_type = 'BASE TABLE'`,
    );
    // Prisma makes columns of lists nullable and reads their nulls as empty lists.
    const differing = rows.filter(({ table, column, nullable }) => {
      const info = tables[table].columns[column];
      return !info?.list && Boolean(info?.nullable) !== nullable;
    });
    expect(
      differing.map(({ table, column, nullable }) => `${table}.${column}: ${nullable ? "nullable" : "not null"} in the database`),
    ).toEqual([]);
  });

  it("logs only types of records that clients can name", async () => {
    const logged = await gateway.database.query<{ table: string; type: string }>(
      `select distinct c.relname as table, split_part(encode(t.tgargs, 'escape'), '\\000', 1) as type
       from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
       where p.proname in ('log_statement', 'log_row') and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    expect(logged).toContainEqual({ table: "SiteSetting", type: "Site" });
    const unnamed = logged.filter(({ type }) => !recordTypeNames.includes(type as RecordType));
    expect(
      unnamed.map(
        ({ table, type }) =>
          `${type}: the table ${table} logs this type, but RecordType lacks it; add it to recordTypes in src/schema/changes/enums.ts`,
      ),
    ).toEqual([]);
  });

  // PL/pgSQL prepares each expression in each transaction that evaluates it. Deletions are rare, or call "moves_rows" anyway.
  it("calls moves_rows in an expression of its own, so that it costs writes nothing", async () => {
    const combined = await gateway.database.query<{ name: string }>(
      `select distinct p.proname as name from pg_proc p, regexp_split_to_table(p.prosrc, '\n') line
       where p.pronamespace = 'public'::regnamespace and line ~ 'current_setting.* "moves_rows"' and line !~ 'TG_OP = ''DELETE'' AND'`,
    );
    expect(combined).toEqual([]);
  });

  it("creates a new version of a record when updatedBy is written", async () => {
    // The log stores versions of other records, and views are not written.
    const isWritten = (table: Table) => table !== "Change" && table !== "Stock";
    const versioned = namesOf.filter((table) => isWritten(table) && tables[table].columns.version?.type === "Int");
    const triggers = await gateway.database.query<{ table: string; column: string }>(
      `select c.event_object_table as table, c.event_object_column as column from information_schema.triggered_update_columns c
       join information_schema.triggers t using (trigger_schema, trigger_name, event_object_table)
       where t.action_statement ilike '%next_version%' and t.action_timing = 'BEFORE' and t.event_manipulation = 'UPDATE'`,
    );
    expect(
      triggers.map(({ table, column }) => `${table}.${column}`).sort(),
      "tables with version and updatedBy need the trigger next_version in their migration, as npm run migration writes it",
    ).toEqual(versioned.map((table) => `${table}.updatedBy`).sort());
    expect(versioned.filter((table) => !tables[table].columns.updatedBy)).toEqual([]);
  });
});

describe("a record is written only through its columns", async () => {
  const caller = await gateway.newTenant();
  const { records } = forTenant(gateway.database, caller.tenantId);
  const asset = await records.Asset.create("test", { name: "Pump", type: "pump" });
  const same = async (write: Promise<unknown>, message: string) => {
    await expect(write).rejects.toThrow(message);
    expect(await records.Asset.list({}, [{ id: "asc" }])).toEqual([asset]);
  };

  it("rejects a column that does not exist", async () => {
    // @ts-expect-error lubricant is no column.
    await same(records.Asset.create("test", { name: "Pump", type: "pump", lubricant: "oil" }), "Asset.lubricant is not a writable column");
    // @ts-expect-error lubricant is no column.
    await same(records.Asset.update("test", { id: asset.id }, { lubricant: "oil" }), "Asset.lubricant is not a writable column");
  });

  it("rejects a nested write", async () => {
    const components = { create: [{ name: "Motor", type: "motor" }] };
    // @ts-expect-error components is no column.
    await same(records.Asset.create("test", { name: "Pump", type: "pump", components }), "Asset.components is not a writable column");
    // @ts-expect-error components is no column.
    await same(records.Asset.update("test", { id: asset.id }, { components }), "Asset.components is not a writable column");
    expect(await records.Component.count({})).toBe(0);
  });

  it("rejects a filter on undefined, which would select every row, and on a relation", async () => {
    const name = "Other";
    await same(records.Asset.update("test", { id: undefined as never }, { name }), "Asset.id is undefined or not a column");
    await same(records.Asset.remove({ OR: [{ name: undefined as never }] }), "Asset.name is undefined or not a column");
    await same(records.Asset.update("test", { tenant: { is: {} } } as never, { name }), "Asset.tenant is undefined or not a column");
  });

  it("rejects a hidden column", async () => {
    // @ts-expect-error searchText is kept by a trigger.
    await same(records.Asset.update("test", { id: asset.id }, { searchText: "pump" }), "Asset.searchText is not a writable column");
  });
});

it("deleted records of each table are purged, or kept for a reason", () => {
  const otherwise: Partial<Record<Table, string>> = {
    Attachment: "purged with its file",
    Downtime: "goes with its asset",
    Meter: "goes with its asset",
    Photo: "purged with its file",
    Stock: "a view of StockLevel",
    StockLevel: "kept, because the ledger refers to it",
  };
  const marked = (Object.keys(tables) as Table[]).filter((table) => columnsOf(table).some(([name]) => name === "deletedAt"));
  expect([...softDeleted, ...Object.keys(otherwise)].sort(), "softDeleted in src/domain/tenants/purge.ts").toEqual([...marked].sort());
});
