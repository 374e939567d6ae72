/** A tenant with rows in every table, and the queries that clients may send. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { tenantTables } from "../../src/database/rows/tenant-rows.js";
import { loadDemo } from "../../src/demo/load.js";
import { loadDemoWork } from "../../src/demo/work.js";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import { leftOut } from "../../src/domain/tenants/format.js";
import { attached } from "../files/attachments.js";
import { addPhoto, image } from "../files/photos.js";
import { invoiceFirstLine, receiveFirstLine } from "../inventory/supply/receipts.js";
import type { Caller, Gateway } from "../world.js";

/** Creates the demo plant `scale` times, plus the missing records. Throws if a tenant table stays empty. */
export async function fillPlant(caller: Caller, scale: number): Promise<void> {
  const { gateway, tenantId } = caller;
  const db = forTenant(gateway.database, tenantId);
  await caller.ask(
    `mutation { createWebhook(input: { url: "https://example.com/", events: [NOTIFICATION_RAISED], recordTypes: [ASSET] }) { webhook { id } } }`,
  );
  await loadDemo(db, caller.actor(), scale, () => {});
  await loadDemoWork(db, caller.actor(), 30);
  const { assets, parts, components, strategies } = await caller.ask(
    "{ assets { nodes { id } } parts { nodes { id } } components { nodes { id } } strategies { nodes { id } } }",
  );
  const [asset, other] = assets.nodes;
  const [part, alternative] = parts.nodes;
  await addPhoto(caller, asset.id);
  await caller.ask(
    `mutation ($part: ID!, $others: [ReferenceInput!], $fits: [ReferenceInput!], $assets: [ID!]!, $components: [ID!]!, $strategy: ID!) {
      updatePart(id: $part, input: { alternativeParts: $others, compatibleAssets: $fits, componentIds: $components }) { id }
      assignAssets(strategyId: $strategy, assetIds: $assets) { id }
      createTemplate(input: { name: "Drive", type: "drive", components: [{ name: "Motor", type: "motor" }] }) { id }
      receiveStock(partId: $part, input: { site: "main", quantity: 1, serialNumbers: ["S-1"], batchNumber: "L-1", expiryDate: "2031-01-01" }) { id }
      openRecall(input: { partId: $part, serialNumbers: ["S-1"], reason: "Cracks" }) { id }
      supplied: updatePart(id: $part, input: { supplier: { name: "SKF", partNumber: "6204-S" } }) { id }
      adjustStock(partId: $part, input: { site: "main", adjustmentType: LOSS, quantity: -1, reason: "broken" }) { id }
      startTransfer(partId: $part, input: { fromSite: "main", toSite: "South", quantity: 1 }) { id } closeStockPeriod(month: "2020-01") { id }
      createStockCount(input: { site: "main" }) { id }
      updateStockSettings(input: { currency: "EUR" }) { id }
    }`,
    {
      part: part.id,
      others: [{ id: alternative.id }, { id: "x-1", partNumber: "Other" }],
      fits: [{ id: asset.id }],
      assets: [asset.id],
      components: [components.nodes[0].id],
      strategy: strategies.nodes[0].id,
    },
  );
  const { suppliers } = await caller.ask("{ suppliers(first: 1) { nodes { id } } }");
  await caller.ask(
    `mutation ($supplier: ID!, $part: ID!) {
      createPurchaseOrder(input: { supplierId: $supplier, site: "main", currency: "EUR", lines: [{ partId: $part, quantity: 5, price: 2.5 }] }) { id }
      createPurchaseApprovalRule(input: { minimumAmount: 1000, site: "main" }) { id } }`,
    { supplier: suppliers.nodes[0].id, part: part.id },
  );
  await receiveFirstLine(caller);
  await invoiceFirstLine(caller);
  const { units } = await caller.ask("{ units(first: 1, filter: { state: INSTALLED }) { nodes { whereabouts { id } } } }");
  await caller.ask(`mutation ($id: ID!) { correctInstallation(input: { periodId: $id, startedAt: "2001-01-01" }) { id } }`, {
    id: units.nodes[0].whereabouts.id,
  });
  const box = await caller.createComponent({ name: "Gearbox", type: "gearbox", assetId: asset.id, serialNumber: "GB-1" });
  await caller.createComponent({ name: "Bearing", type: "bearing", parentId: box.id, serialNumber: "GB-1-1" });
  await caller.ask("mutation ($id: ID!) { exchangeUnit(input: { componentId: $id, reason: FAILURE }) { id } }", { id: box.id });
  const hold = 'mutation ($part: ID!) { reserveStock(partId: $part, input: { site: "main", quantity: 1 }) { reservation { id } } }';
  const { reserveStock } = await caller.ask(hold, { part: part.id });
  const { workOrders } = await caller.ask("{ workOrders(first: 1, filter: { pending: true }) { nodes { id } } }");
  await caller.ask(
    `mutation ($reservation: ID!, $order: ID!, $asset: ID!) {
      reallocateReservation(id: $reservation, reason: "first") { id }
      addWorkOrderCost(id: $order, input: { kind: CONTRACTOR, description: "Crane", amount: 120.5 }) { id }
      addWorkOrderComment(id: $order, text: "Noisy") { id }
      addLaborEntry(id: $order, input: { name: "Fitter", minutes: 30, rate: 40 }) { id }
      reportFault(input: { assetId: $asset, description: "Leaks" }) { id }
      setFailureCode(input: { equipmentClass: "pump", code: "own-code", kind: MODE, name: "Own" }) { id }
    }`,
    { reservation: reserveStock.reservation.id, order: workOrders.nodes[0].id, asset: asset.id },
  );
  await attached(caller, { workOrderId: workOrders.nodes[0].id }, { content: await image("png") });
  await gateway.database.query(
    `insert into "Mail" (id, "tenantId", kind, "workOrderId", "recipientId") select 'mail', "tenantId", 'work_order_assigned', $2, id from "Principal" where "tenantId" = $1 limit 1`,
    [tenantId, workOrders.nodes[0].id],
  );
  await gateway.database.query(
    `insert into "PurchaseOrderMail" (id, "tenantId", "orderId", recipient, language, "createdBy") select 'order-mail', "tenantId", id, 'orders@example.com', 'en', "createdBy" from "PurchaseOrder" where "tenantId" = $1 limit 1`,
    [tenantId],
  );
  const { createPerson } = await caller.ask('mutation { createPerson(input: { name: "Carla" }) { id } }');
  await caller.ask(`mutation ($id: ID!) { delegatePurchaseApproval(delegateId: $id, endsAt: "2031-01-01") { id } }`, createPerson);
  await caller.ask('mutation ($id: ID!) { createCalendarFeed(input: { name: "Phone", principalId: $id }) { feed { id } } }', {
    id: createPerson.id,
  });
  await caller.ask('mutation ($id: ID!) { createReportLink(input: { name: "Label", assetId: $id }) { link { id } } }', { id: asset.id });
  const [plan] = (await caller.ask("{ procedures(first: 1) { nodes { id assetId } } }")).procedures.nodes;
  await caller.ask("mutation ($id: ID!, $asset: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $asset }]) { id } }", {
    id: plan.id,
    asset: plan.assetId === asset.id ? other.id : asset.id,
  });
  const { createMeter } = await caller.ask(
    `mutation ($asset: ID!) { createMeter(input: { assetId: $asset, name: "Engine", kind: RUN_HOURS, rolloverAt: 100000 }) { id } }`,
    { asset: asset.id },
  );
  await caller.ask(
    `mutation ($asset: ID!, $meter: ID!, $conditions: [ProcedureConditionInput!]) {
      createProcedure(input: { name: "Oil", assetId: $asset, frequency: CUSTOM, meters: [{ meterId: $meter, interval: 500 }], conditions: $conditions }) { id }
      recordMeterReadings(readings: [{ meterId: $meter, value: 99990, takenAt: "2026-01-01" }, { meterId: $meter, value: 510, rollover: true }]) { recorded }
      recordReadings(readings: [{ assetId: $asset, parameter: "oil pressure", value: 1 }]) { recorded }
    }`,
    { asset: asset.id, meter: createMeter.id, conditions: [{ parameter: "oil pressure", operator: "LESS_THAN", threshold: 2 }] },
  );
  await caller.rest("PUT", `/assets/${other.id}`, { status: "maintenance" });
  await caller.rest("DELETE", `/assets/${assets.nodes.at(-1).id}`);
  const again = await caller.rest("POST", "/assets", { name: "Once", type: "pump" }, { "idempotency-key": "once" });
  expect(again.status).toBe(201);
  await gateway.database.query(
    `insert into "ReadingAggregate" select $1, $2, 'heat', 'C', 'day', '2020-01-01T00:00:00Z', 3, 1.1, 4, 7.6, 2.5, '2020-01-01T10:00:00Z'`,
    [tenantId, asset.id],
  );
  // Events are queued once all older transactions of the server have ended.
  while (!(await queueEvents(gateway.database, [tenantId])).deliveries) await sleep(20);
  for (const { name } of await tenantTables(gateway.database)) {
    if (name in leftOut) continue;
    const [row] = await gateway.database.query<any>(`select count(*)::int as count from "${name}" where "tenantId" = $1`, [tenantId]);
    expect(row.count, `${name}: add a row to fillPlant`).toBeGreaterThan(0);
  }
}

const lists = [
  "assets { nodes { id name type status site area customFields createdAt updatedAt updatedByPrincipal { id } version statusChanges { nodes { fromStatus toStatus changedBy changedAt } } photos { id filename size } } totalCount }",
  "assets(first: 5) { nodes { id changes { nodes { kind version changedAt changedBy source operation fields { field before after } } } } }",
  `assets(filter: { search: "pump" }) { nodes { id name } totalCount }`,
  "assets(orderBy: { field: NAME, direction: DESC }, first: 20) { nodes { name } pageInfo { endCursor hasNextPage } }",
  "assets { nodes { readings { nodes { id parameter value unit sensorID recordedAt } } } }",
  `assets { nodes { id readingAggregates(period: DAY, parameter: "heat", from: "2019-12-30T00:00:00Z", until: "2020-02-01T00:00:00Z") { startsAt unit count minimum maximum average last lastAt } } }`,
  "recalls { nodes { id reason serialNumbers openedAt counts { total inStock } units { nodes { id serialNumber locatedAt } } } totalCount }",
  "suppliers { nodes { id name contact { phone } parts { nodes { id partNumber isPreferred } } } totalCount }",
  "purchaseOrders { nodes { id number status total lines { position quantity price amount openQuantity } } } purchaseApprovalRules { nodes { id minimumAmount } }",
  "components { nodes { id name level position path: ancestors { id } specifications version } totalCount }",
  "parts { nodes { id partNumber name unitCost alternatives { id partNumber } alternativeParts { id } compatibleAssets { id } stockLevels { site quantity availableStock unitCost version } } }",
  "parts { nodes { id movements { nodes { id sequence type quantity previousBalance newBalance performedByName performedAt } } } }",
  "stockReservations { nodes { id owner quantity allocated short reservedAt expiresAt reallocationReason } totalCount }",
  "stockCounts { nodes { number site lines { nodes { position part { id } expected counted } } } } stockSettings { currency }",
  "verifyLedger { balanced stockLevels movements totalQuantity }",
  "procedures { nodes { id name nextDue occurrence steps { description } parts { partId quantity } } totalCount }",
  "workOrders { nodes { id title status scheduledDate partsCost steps { order description status } requiredParts { partId status usedQuantity reserved allocated issuedQuantity issuedValue } materialCost otherCost costs { kind amount } attachments { filename size sha256 contentType } mails { status } statusChanges { nodes { toStatus changedByName } } } }",
  "meters { nodes { id name kind unit rolloverAt usage { total readAt } readings { nodes { id takenAt kind value total } } } }",
  "procedures { nodes { id name nextDue occurrence meters { meterId interval dueAtTotal dueSince } conditions { parameter operator threshold } steps { description } parts { partId quantity } } totalCount }",
  "workOrders { nodes { id title status scheduledDate partsCost steps { order description status } requiredParts { partId status usedQuantity reserved allocated issuedQuantity issuedValue } materialCost otherCost costs { kind amount } statusChanges { nodes { toStatus changedByName } } } }",
  "strategies { nodes { id name triggerConditions { parameter threshold } } }",
  "notifications { nodes { id title status occurrences metadata statusChanges { nodes { toStatus changedByName } } feedback { rating } } totalCount }",
  "templates { nodes { id name version drift { component { id } } } }",
  "apiKeys { nodes { id name role sites prefix createdAt } }",
  "principals { nodes { id name } }",
  "sites { name displayName timeZone assetCount areas { name assetCount } }",
  "webhooks { nodes { id url events isActive deliveries { nodes { id status event { id kind recordId } } } } }",
];

const paths = [
  "/assets?limit=100",
  "/assets?limit=5",
  "/components?limit=100",
  "/parts",
  "/parts/low-stock",
  "/inventory",
  "/inventory/movements",
  "/procedures",
  "/work-orders",
  "/strategies",
  "/notifications",
  "/templates",
  "/assets/nobody",
];

/** Responses by query. Links are normalized, because they contain the gateway's address and a new signature. */
export async function answersOf(caller: Caller): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const told = (value: unknown) => JSON.stringify(value).replaceAll(/https?:\/\/127[^"]*/g, "link");
  for (const list of lists) answers[list] = told(await caller.graphql(`{ ${list} }`));
  for (const path of paths) {
    const { status, body } = await caller.rest("GET", path);
    answers[path] = told([status, status < 500 && body?.requestId ? { ...body, requestId: undefined } : body]);
  }
  return answers;
}

/** All rows of a tenant by table, in key order. */
export async function rowsOf({ gateway, tenantId }: { gateway: Gateway; tenantId: string }): Promise<Record<string, any[]>> {
  const found: Record<string, any[]> = {};
  for (const { name, key } of await tenantTables(gateway.database)) {
    const order = key.map((column) => `t."${column}"`).join(", ");
    const rows = await gateway.database.query<any>(`select to_jsonb(t) as row from "${name}" t where "tenantId" = $1 order by ${order}`, [
      tenantId,
    ]);
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}
