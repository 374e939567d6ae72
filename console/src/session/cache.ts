/** Rules that the cache cannot infer: the lists that a change affects, and optimistic results. */
import { gql } from "@urql/core";
import type { Cache, OptimisticMutationConfig, UpdateResolver, UpdatesConfig } from "@urql/exchange-graphcache";
import { isOutside } from "../parts/limits.js";

/** Invalidates all pages of a root list, so that it is fetched again when shown. */
function forget(cache: Cache, ...lists: string[]): void {
  for (const { fieldName, fieldKey } of cache.inspectFields("Query")) if (lists.includes(fieldName)) cache.invalidate("Query", fieldKey);
}

/** Appends a created record to a list of its owner. */
function append(cache: Cache, owner: { __typename: string; id: string }, field: string, made: any): void {
  const list = cache.resolve(owner, field);
  if (Array.isArray(list) && made) cache.link(owner, field, [...(list as string[]), cache.keyOfEntity(made)]);
}

/** Invalidates the later pages of a list whose first page was read. */
const forgetLater: UpdateResolver<any, any> = (_owner, { after, at }, cache, { parentKey, fieldName: read }) => {
  // Components as of a time are a list of their own.
  if (after || at) return;
  for (const { fieldName, fieldKey, arguments: args } of cache.inspectFields(parentKey))
    if (fieldName === read && args?.after) cache.invalidate(parentKey, fieldKey);
};

/** Invalidates a field of a record with any arguments, such as all pages of a list. */
function forgetPages(cache: Cache, owner: { __typename: string; id: string }, list: string): void {
  for (const { fieldName, fieldKey } of cache.inspectFields(owner)) if (fieldName === list) cache.invalidate(owner, fieldKey);
}

/** Invalidates what is known of units after an exchange in a component. */
function forgetInstallations(cache: Cache, id: string): void {
  forget(cache, "units", "unit", "recalls", "recall", ...stockLists);
  forgetPages(cache, { __typename: "Component", id }, "installations");
}

/** Invalidates the lines of a count sheet. */
const forgetLines = (cache: Cache, id: string): void => forgetPages(cache, { __typename: "StockCount", id }, "lines");

/** Writes counted quantities to the sheet's lines, in every list read so far. */
function showCounted(cache: Cache, id: string, lines: { partId: string; counted: number }[]): void {
  const counted = new Map(lines.map((line) => [line.partId, line.counted]));
  const owner = { __typename: "StockCount", id };
  for (const { fieldName, fieldKey } of cache.inspectFields(owner)) {
    const list = fieldName === "lines" ? cache.resolve(owner, fieldKey) : undefined;
    const nodes = list ? cache.resolve(list as string, "nodes") : undefined;
    for (const key of Array.isArray(nodes) ? (nodes as string[]) : []) {
      const found = counted.get(cache.resolve(key, "partId") as string);
      if (found !== undefined && cache.resolve(key, "current"))
        cache.writeFragment(countedLine, { id: cache.resolve(key, "id"), counted: found });
    }
  }
}
const countedLine = gql`
  fragment _ on StockCountLine {
    id
    counted
  }
`;

const waiting = "waiting ";
/** True for optimistic records, which the service has not confirmed yet. */
export const isWaiting = (id: string): boolean => id.startsWith(waiting);
let shown = 0;

/** The cached fields of a person. */
const personOf = (cache: Cache, id: string) => {
  const entity = { __typename: "Principal", id };
  return { ...entity, name: cache.resolve(entity, "name") ?? null };
};

/** The signed-in user. */
function self(cache: Cache) {
  const viewer = cache.resolve("Query", "viewer") as string | null;
  const principal = viewer && (cache.resolve(viewer, "principal") as string | null);
  return principal ? personOf(cache, cache.resolve(principal, "id") as string) : null;
}

/** The entries of an order plus an optimistic entry. */
function withNew(cache: Cache, id: string, field: string, made: { __typename: string }) {
  const owner = { __typename: "WorkOrder", id };
  const list = cache.resolve(owner, field) as string[] | undefined;
  const entries = list?.map((key) => ({ __typename: made.__typename, id: cache.resolve(key, "id") })) ?? [];
  return { ...owner, [field]: [...entries, { ...made, id: `${waiting}${++shown}`, createdAt: new Date().toISOString() }] };
}

/** The lists that a movement changes. */
const purchaseLists = ["purchaseOrders", "purchaseOrderLines", "reorderProposals"];
const invoiceLists = ["supplierInvoices", "supplierInvoiceLines"];
const stockLists = ["inventory", "inventoryTotals", "inventoryGroups", "reorderProposals", "shortages", "parts"];

export const updates: UpdatesConfig = {
  // A level of components that is read again from its start replaces the pages read before.
  Asset: { components: forgetLater },
  Component: { children: forgetLater },
  Mutation: {
    // Until the response arrives the lists stay cached: without a connection they could not be fetched again.
    assignWorkOrder: (_result, _args, cache, { optimistic: isExpected }) => {
      if (!isExpected) forget(cache, "workOrders", "workOrderGroups", "calendar");
    },
    uploadAssetPhoto: (result: any, { assetId }: any, cache) =>
      append(cache, { __typename: "Asset", id: assetId }, "photos", result.uploadAssetPhoto),
    uploadAttachment(result: any, { owner }: any, cache) {
      if (owner.assetId) append(cache, { __typename: "Asset", id: owner.assetId }, "documents", result.uploadAttachment);
      if (owner.workOrderId) append(cache, { __typename: "WorkOrder", id: owner.workOrderId }, "attachments", result.uploadAttachment);
    },
    reportFault: (_result, _args, cache) => forget(cache, "workRequests"),
    acceptWorkRequest: (_result, _args, cache) => forget(cache, "workRequests", "workOrders", "calendar"),
    declineWorkRequest: (_result, _args, cache) => forget(cache, "workRequests"),
    createWorkOrder(_result, { input }: any, cache) {
      forget(cache, "workOrders", "workOrderGroups", "calendar");
      if (input?.followUpOf) cache.invalidate({ __typename: "WorkOrder", id: input.followUpOf }, "followUps");
    },
    createFollowUpWorkOrder: (result: any, { id }: any, cache, { optimistic: isExpected }) => {
      append(cache, { __typename: "WorkOrder", id }, "followUps", result.createFollowUpWorkOrder);
      if (!isExpected) forget(cache, "workOrders", "calendar");
    },
    createWorkOrderFromNotification: (_result, _args, cache) => forget(cache, "workOrders", "notifications", "calendar"),
    createPerson: (_result, _args, cache) => forget(cache, "principals"),
    updatePerson: (_result, _args, cache) => forget(cache, "principals"),
    createApiKey: (_result, _args, cache) => forget(cache, "apiKeys", "principals"),
    rotateApiKey: (_result, _args, cache) => forget(cache, "apiKeys"),
    createWebhook: (_result, _args, cache) => forget(cache, "webhooks"),
    createInvitation: (_result, _args, cache) => forget(cache, "invitations"),
    revokeInvitation: (_result, _args, cache) => forget(cache, "invitations"),
    createReportLink: (_result, _args, cache) => forget(cache, "reportLinks"),
    revokeReportLink: (_result, _args, cache) => forget(cache, "reportLinks"),
    deleteWebhook: (_result, _args, cache) => forget(cache, "webhooks"),
    importRecords: (_result, { dryRun }: any, cache) => {
      if (!dryRun) cache.invalidate("Query");
    },
    adjustStock: (_result, _args, cache) => forget(cache, "inventory", "stockAdjustments", "inventoryTotals"),
    receiveStock: (_result, _args, cache) => forget(cache, ...stockLists),
    issueStock: (_result, _args, cache) => forget(cache, ...stockLists),
    returnStock: (_result, _args, cache) => forget(cache, ...stockLists),
    transferStock: (_result, _args, cache) => forget(cache, ...stockLists),
    startTransfer: (_result, _args, cache) => forget(cache, ...stockLists),
    shipTransfer: (_result, _args, cache) => forget(cache, ...stockLists),
    receiveTransfer: (_result, _args, cache) => forget(cache, ...stockLists),
    cancelTransfer: (_result, _args, cache) => forget(cache, ...stockLists),
    updateInventory: (_result, _args, cache) => forget(cache, ...stockLists),
    createSite: (_result, _args, cache) => forget(cache, "sites"),
    exchangeUnit(_result, { input: { componentId } }: any, cache) {
      forgetInstallations(cache, componentId);
      forgetPages(cache, { __typename: "Component", id: componentId }, "unitAt");
    },
    updateWorkOrderStep(result: any, { order, input }: any, cache, { optimistic: isExpected }) {
      if (!input.exchange || isExpected) return;
      const step = result.updateWorkOrderStep?.steps.find((one: any) => one.order === order);
      if (step?.component) forgetInstallations(cache, step.component.id);
    },
    swapUnits(_result, { input: { componentIds } }: any, cache) {
      for (const id of componentIds) {
        forgetInstallations(cache, id);
        forgetPages(cache, { __typename: "Component", id }, "unitAt");
      }
    },
    correctInstallation(result: any, _args, cache) {
      const { component, unit } = result.correctInstallation;
      if (component) forgetInstallations(cache, component.id);
      forgetPages(cache, { __typename: "Unit", id: unit.id }, "periods");
    },
    moveUnit(_result, { input }: any, cache) {
      forget(cache, "units", ...stockLists);
      forgetPages(cache, { __typename: "Unit", id: input.unitId }, "periods");
    },
    resolveUnitConflict: (_result, _args, cache) => forget(cache, "units", "unit", "unitConflicts", "component"),
    openRecall: (_result, _args, cache) => forget(cache, "recalls"),
    createRecallOrders(_result, { input }: any, cache) {
      forget(cache, "recalls", "workOrders", "workOrderGroups", "calendar");
      forgetPages(cache, { __typename: "Recall", id: input.recallId }, "units");
    },
    draftPurchaseOrders: (_result, _args, cache) => forget(cache, ...purchaseLists),
    submitPurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    approvePurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    declinePurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    mailPurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    sendPurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    cancelPurchaseOrder: (_result, _args, cache) => forget(cache, ...purchaseLists),
    cancelPurchaseOrderLine: (_result, _args, cache) => forget(cache, ...purchaseLists),
    repromisePurchaseOrderLine: (_result, _args, cache) => forget(cache, ...purchaseLists),
    releaseRejectedGoods: (_result, _args, cache) => forget(cache, "goodsReceipts", ...purchaseLists, ...stockLists),
    returnRejectedGoods: (_result, _args, cache) => forget(cache, "goodsReceipts"),
    createSupplierInvoice: (_result, _args, cache) => forget(cache, ...invoiceLists),
    updateSupplierInvoice: (_result, _args, cache) => forget(cache, ...invoiceLists),
    postSupplierInvoice: (_result, _args, cache) => forget(cache, ...invoiceLists, ...stockLists),
    matchSupplierInvoice: (_result, _args, cache) => forget(cache, ...invoiceLists, ...stockLists),
    acceptInvoiceDifference: (_result, _args, cache) => forget(cache, ...invoiceLists, ...stockLists),
    cancelSupplierInvoice: (_result, _args, cache) => forget(cache, ...invoiceLists, ...stockLists),
    closeRecall: (_result, _args, cache) => forget(cache, "recalls"),
    createComponent: (_result, _args, cache) => forget(cache, "components"),
    createPart: (_result, _args, cache) => forget(cache, "parts"),
    updatePart: (_result, _args, cache) => forget(cache, ...stockLists),
    deactivatePart: (_result, _args, cache) => forget(cache, ...stockLists),
    reactivatePart: (_result, _args, cache) => forget(cache, ...stockLists),
    createStockCount: (_result, _args, cache) => forget(cache, "stockCounts"),
    openStockCount(_result, { id }: any, cache) {
      forget(cache, "stockCounts");
      forgetLines(cache, id);
    },
    recordCount: (_result, { id, lines }: any, cache) => showCounted(cache, id, lines),
    requestRecount: (_result, { id }: any, cache) => forgetLines(cache, id),
    postStockCount(_result, { id }: any, cache) {
      forget(cache, "stockCounts", "inventory", "inventoryTotals", "inventoryGroups");
      forgetLines(cache, id);
    },
    approveStockCount: (_result, _args, cache) => forget(cache, "stockCounts", "inventory", "inventoryTotals", "inventoryGroups"),
    rejectStockCount: (_result, _args, cache) => forget(cache, "stockCounts", "inventory", "inventoryTotals", "inventoryGroups"),
    cancelStockCount: (_result, _args, cache) => forget(cache, "stockCounts"),
    createProcedure: (_result, _args, cache) => forget(cache, "procedures", "calendar"),
    updateProcedure: (_result, _args, cache) => forget(cache, "procedures", "previewSchedule", "calendar"),
    addProcedureAssets: (_result, _args, cache) => forget(cache, "procedures", "calendar"),
    removeProcedureAssets: (_result, _args, cache) => forget(cache, "procedures", "calendar"),
    // The instances of the template, and their components.
    upgradeInstances: (_result, { input: { templateId, dryRun } }: any, cache) => {
      if (!dryRun) cache.invalidate({ __typename: "ComponentTemplate", id: templateId });
    },
    createTemplate: (_result, _args, cache) => forget(cache, "templates"),
    updateTemplate: (_result, _args, cache) => forget(cache, "templates"),
    createAsset: (_result, _args, cache) => forget(cache, "assets", "sites", "assetGroups"),
    updateAsset: (_result, _args, cache) => forget(cache, "assets", "sites", "assetGroups"),
    deleteAsset: (_result, _args, cache) => forget(cache, "assets", "sites", "assetGroups"),
  },
};

export const optimistic: OptimisticMutationConfig = {
  updateWorkOrderStep({ id, order, input }: any, cache) {
    const owner = { __typename: "WorkOrder", id };
    const steps = cache.resolve(owner, "steps") as string[] | undefined;
    return {
      ...(input.followUp ? withNew(cache, id, "followUps", newFollowUp(order)) : owner),
      steps: steps?.map((key) => {
        const step = { __typename: "WorkOrderStep", id: cache.resolve(key, "id") };
        if (cache.resolve(key, "order") !== order) return step;
        const [minimum, maximum] = [cache.resolve(key, "minimum"), cache.resolve(key, "maximum")] as (number | null)[];
        return { ...step, ...shownOf(input, { minimum, maximum }) };
      }),
    };
  },
  createFollowUpWorkOrder: ({ order }: any) => ({ ...newFollowUp(order), id: `${waiting}${++shown}` }),
  addLaborEntry: ({ id, input: { minutes, rate, name = null, personId, workedAt = null } }: any, cache) =>
    withNew(cache, id, "labor", {
      __typename: "LaborEntry",
      minutes,
      rate,
      name,
      workedAt,
      person: personId ? personOf(cache, personId) : null,
    } as { __typename: string }),
  addWorkOrderComment: ({ id, text }: any, cache) =>
    withNew(cache, id, "comments", { __typename: "WorkOrderComment", text, createdByPrincipal: self(cache) } as { __typename: string }),
  assignWorkOrder: ({ id, principalId }: any, cache) => ({
    __typename: "WorkOrder",
    id,
    assignee: principalId ? personOf(cache, principalId) : null,
  }),
  startWorkOrder: ({ id }: any) => ({ __typename: "WorkOrder", id, status: "IN_PROGRESS" }),
  completeWorkOrder: ({ id }: any) => ({ __typename: "WorkOrder", id, status: "COMPLETED" }),
  holdWorkOrder: ({ id, reason = null }: any) => ({ __typename: "WorkOrder", id, status: "ON_HOLD", holdReason: reason }),
  cancelWorkOrder: ({ id }: any) => ({ __typename: "WorkOrder", id, status: "CANCELLED" }),
  closeWorkOrder: ({ id, input }: any) => ({ __typename: "WorkOrder", id, status: "CLOSED", ...input }),
  reopenWorkOrder: ({ id }: any) => ({ __typename: "WorkOrder", id, status: "IN_PROGRESS" }),
  addWorkOrderCost: ({ id, input }: any, cache) =>
    withNew(cache, id, "costs", { __typename: "WorkOrderCost", ...input, createdByPrincipal: self(cache) } as { __typename: string }),
  updateWorkOrder: ({ id, input }: any) => ({ __typename: "WorkOrder", id, ...input }),
  recordCount: ({ id }: any) => ({ __typename: "StockCount", id }),
  changeNotificationStatus: ({ id, status }: any) => ({ __typename: "Notification", id, status }),
};

const newFollowUp = (order: number) => ({ __typename: "WorkOrder", title: "", status: "SCHEDULED", followUpOfStep: order });

/** The fields of a step that the form sets, as entered, and the result of a measurement. */
const shownOf = ({ status, notes, value, reason }: any, limits: { minimum?: number | null; maximum?: number | null }) => ({
  status,
  ...(reason !== undefined && { reason }),
  ...(notes !== undefined && { notes }),
  ...(value !== undefined && {
    value,
    result: limits.minimum == null && limits.maximum == null ? null : isOutside(limits, value) ? "FAIL" : "PASS",
  }),
});
