/** Objects by id: `node`, `nodes`, and ids that are unique across all types. */

import { readFileSync } from "node:fs";
import { buildSchema, type GraphQLInterfaceType, isObjectType } from "graphql";
import { beforeAll, describe, expect, it, test } from "vitest";
import { tables } from "../../src/database/rows/catalogue.js";
import { queued } from "../alerts/receivers.js";
import { invoiceFirstLine, receiveFirstLine } from "../inventory/supply/receipts.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();
const schema = buildSchema(readFileSync(new URL("../../src/schema/schema.graphql", import.meta.url), "utf8"));
const implementers = schema
  .getPossibleTypes(schema.getType("Node") as GraphQLInterfaceType)
  .map(({ name }) => name)
  .sort();

let admin: Caller;
/** An id of each type. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  admin = await gateway.newTenant();
  const { id: assetId } = await admin.createAsset({ site: "North: 1", area: "Hall: 2" });
  await admin.createComponent({ assetId, serialNumber: "4711" });
  const part = (await admin.rest("POST", "/parts", { partNumber: "P", name: "Seal", stockLevel: 3, supplier: { name: "SKF" } })).body;
  await admin.rest("POST", `/inventory/${part.partId}/adjustments`, { adjustmentType: "correction", quantity: 1, reason: "x" });
  await admin.ask(
    `mutation ($part: ID!) { startTransfer(partId: $part, input: { fromSite: "main", toSite: "S", quantity: 1 }) { id } closeStockPeriod(month: "2020-01") { id } }`,
    { part: part.partId },
  );
  await admin.ask(
    `mutation ($part: ID!) { receiveStock(partId: $part, input: { quantity: 1, serialNumbers: ["S-1"] }) { id }
      openRecall(input: { partId: $part, serialNumbers: ["S-1"], reason: "Cracks" }) { id } }`,
    { part: part.partId },
  );
  await admin.ask(
    `mutation ($asset: ID!) { recordDowntime(input: { assetId: $asset, cause: OTHER, startedAt: "2026-01-01", endedAt: "2026-01-02" }) { id } }`,
    { asset: assetId },
  );
  const { createMeter } = await admin.ask(
    `mutation ($asset: ID!) { createMeter(input: { assetId: $asset, name: "Starts", kind: CYCLES }) { id } }`,
    { asset: assetId },
  );
  await admin.ask(`mutation ($id: ID!) { recordMeterReadings(readings: [{ meterId: $id, value: 1 }]) { recorded } }`, createMeter);
  await admin.ask(`mutation { createWebhook(input: { url: "http://127.0.0.1:1/x", events: [NOTIFICATION_RAISED] }) { secret } }`);
  const data = await admin.ask(
    `mutation ($asset: ID!, $part: ID!) {
      createStockCount(input: { site: "main" }) { id }
      createProcedure(input: { name: "Grease", assetId: $asset, frequency: DAILY, steps: [{ order: 1, description: "a" }], parts: [{ partId: $part, quantity: 1 }] }) { id }
      createStrategy(input: { name: "S", type: PREVENTIVE }) { id }
      reportFault(input: { assetId: $asset, description: "x" }) { id }
      setFailureCode(input: { equipmentClass: "press", code: "jams", kind: MODE, name: "Jams" }) { id }
      createTemplate(input: { name: "T", type: "x", components: [{ name: "a", type: "x" }] }) { id }
      recordReadings(readings: [{ assetId: $asset, parameter: "heat", value: 1 }]) { recorded }
      raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "Hot", message: "x", assetId: $asset }) { id }
    }`,
    { asset: assetId, part: part.partId },
  );
  const { createWorkOrder } = await admin.ask(`mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }`, {
    id: data.createProcedure.id,
  });
  await admin.ask(
    `mutation ($id: ID!) { addWorkOrderCost(id: $id, input: { kind: OTHER, description: "Crane", amount: 1 }) { id }
    addLaborEntry(id: $id, input: { name: "Fitter", minutes: 1, rate: 1 }) { id } addWorkOrderComment(id: $id, text: "x") { id } }`,
    {
      id: createWorkOrder.id,
    },
  );
  await admin.ask(`mutation ($id: ID!) { addNotificationFeedback(id: $id, input: { rating: 4 }) { id } }`, {
    id: data.raiseNotification.id,
  });
  await queued(admin);
  const found = await admin.ask(`{
    sites { id __typename areas { id __typename } }
    assets { nodes { id __typename statusHistory { id __typename } components { nodes { id __typename installations(first: 1) { nodes { id __typename unit { id __typename } } } } } readings { nodes { id __typename } } meters { id __typename readings { nodes { id __typename } } } } }
    parts { nodes { id __typename stockLevels { id __typename movements { nodes { id __typename } } } } }
    stockAdjustments { nodes { id __typename } }
    stockCounts { nodes { id __typename lines { nodes { id __typename } } } }
    stockSettings { id __typename }
    stockTransfers { nodes { id __typename } }
    stockPeriods { nodes { id __typename } }
    downtimes { nodes { id __typename } }
    workRequests { nodes { id __typename } }
    failureCodes(equipmentClass: "press") { id __typename }
    procedures { nodes { id __typename } }
    workOrders { nodes { id __typename steps { id __typename } requiredParts { id __typename reservation { id __typename } } costs { id __typename } labor { id __typename } comments { id __typename } statusHistory { id __typename } } }
    strategies { nodes { id __typename } }
    notifications { nodes { id __typename feedback { id __typename } statusHistory { id __typename } } }
    templates { nodes { id __typename versions { id __typename } } }
    webhooks { nodes { id __typename deliveries { nodes { id __typename event { id __typename } } } } }
    apiKeys { nodes { id __typename } }
    changes { nodes { id __typename } }
    principals { nodes { id __typename } }
  }`);
  // A query has at most 20 root fields.
  const { createPerson } = await admin.ask('mutation { createPerson(input: { name: "Deputy" }) { id } }');
  const { suppliers } = await admin.ask("{ suppliers { nodes { id } } }");
  await admin.ask(
    `mutation ($supplier: ID!, $person: ID!) {
      createPurchaseOrder(input: { supplierId: $supplier, site: "main", currency: "EUR", lines: [{ description: "Crane", quantity: 1, price: 1 }] }) { id }
      createPurchaseApprovalRule(input: { minimumAmount: 1 }) { id }
      delegatePurchaseApproval(delegateId: $person, endsAt: "2031-01-01") { id } }`,
    { supplier: suppliers.nodes[0].id, person: createPerson.id },
  );
  await receiveFirstLine(admin);
  await invoiceFirstLine(admin);
  const { recalls, supplierParts, ...purchases } = await admin.ask(
    `{ recalls { nodes { id __typename units { nodes { id __typename } } } } supplierParts { nodes { id __typename supplier { id __typename } } }
      purchaseOrders { nodes { id __typename lines { id __typename receipts { nodes { id __typename returns { id __typename } } } } } } purchaseApprovalRules { nodes { id __typename } }
      supplierInvoices { nodes { id __typename lines { id __typename } } } purchaseDelegations { nodes { id __typename } } }`,
  );
  const installation = found.assets.nodes.flatMap((one: any) => one.components.nodes).flatMap((one: any) => one.installations.nodes)[0];
  const corrected = await admin.ask(
    `mutation ($id: ID!) { correctInstallation(input: { periodId: $id, startedAt: "2026-01-01" }) { corrections { id __typename } } }`,
    { id: installation.id },
  );
  const collect = (value: any): void => {
    if (typeof value !== "object" || value === null) return;
    if (value.__typename && value.id) ids[value.__typename] ??= value.id;
    Object.values(value).forEach(collect);
  };
  collect([found, recalls, supplierParts, purchases, corrected]);
});

// A calendar feed is found only through its person, a report link and an invitation only in their lists.
test("every record type with an id is a node", () => {
  const withId = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && type.name in tables && type.getFields().id && !["CalendarFeed", "Invitation", "ReportLink"].includes(type.name)
      ? [type.name]
      : [],
  );
  expect(implementers).toEqual(expect.arrayContaining(withId));
  // These types need an upload. They are covered below and in test/files/attachment.test.ts.
  expect(Object.keys(ids).sort()).toEqual(implementers.filter((name) => !["Attachment", "Photo"].includes(name)));
});

describe("node", () => {
  it("finds an object of each type by the id in lists", async () => {
    for (const [type, id] of Object.entries(ids))
      expect({ type, ...(await admin.ask("query ($id: ID!) { node(id: $id) { id __typename } }", { id })) }).toEqual({
        type,
        node: { id, __typename: type },
      });
  });

  it("nodes finds many in a constant number of statements, in their order, and null for those that do not exist", async () => {
    const all = Object.values(ids);
    const query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    const wanted = [
      "none",
      ...all,
      "Reading:x",
      "Reading:999999999999999999",
      "StockLevel:none",
      "Nothing:1",
      "WorkOrderStep:a:b",
      all[0]!,
    ];
    const { nodes } = await admin.ask(query, { ids: wanted });
    const missing = ["none", "Reading:x", "Reading:999999999999999999", "StockLevel:none", "Nothing:1", "WorkOrderStep:a:b"];
    expect(nodes).toEqual(wanted.map((id) => (missing.includes(id) ? null : { id })));
    await admin.createAsset();
    const assets = (await admin.ask("{ assets { nodes { id } } }")).assets.nodes.map(({ id }: any) => id);
    const counts: number[] = [];
    // Statements of other requests at the shared gateway, such as key lookups, may be counted.
    for (let turn = 0; turn < 3; turn++) {
      const before = gateway.database.statements();
      await admin.ask(query, { ids: assets });
      counts.push(gateway.database.statements() - before);
    }
    expect(Math.min(...counts)).toBeLessThanOrEqual(3);
  });

  it("shows fields by type, and interfaces", async () => {
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Asset { name components { totalCount } } ... on StockLevel { quantity part { name } }
      ... on Record { createdAt } ... on StatusChange { changedAt } } }`;
    const { nodes } = await admin.ask(query, { ids: [ids.Asset, ids.StockLevel, ids.AssetStatusChange] });
    const time = expect.stringMatching(/Z$/);
    expect(nodes).toEqual([
      { __typename: "Asset", name: "Pump", components: { totalCount: 1 }, createdAt: time },
      { __typename: "StockLevel", quantity: 5, part: { name: "Seal" } },
      { __typename: "AssetStatusChange", changedAt: time },
    ]);
  });

  it("a fragment on an interface is read for each of its types", async () => {
    const { asset } = await admin.ask(
      "query ($id: ID!) { asset(id: $id) { ...N ... on Record { createdAt } name } } fragment N on Node { id }",
      {
        id: ids.Asset,
      },
    );
    expect(asset).toEqual({ id: ids.Asset, createdAt: expect.any(String), name: "Pump" });
  });

  it("finds nothing of another tenant", async () => {
    const other = await gateway.newTenant();
    const own = Object.entries(ids).filter(([type]) => !["Site", "Area", "StockSettings"].includes(type));
    const { nodes } = await other.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: own.map(([, id]) => id) });
    expect(nodes).toEqual(own.map(() => null));
  });

  it("finds no deleted record, and no photo before its upload", async () => {
    const { id } = await admin.createAsset();
    const grant = await admin.rest("POST", `/assets/${id}/photos/presigned-url`, { filename: "x.png", contentType: "image/png", size: 9 });
    expect(grant.status).toBe(200);
    await admin.rest("DELETE", `/assets/${id}`);
    const { nodes } = await admin.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: [id, grant.body.mediaId] });
    expect(nodes).toEqual([null, null]);
  });

  it("finds nothing that belongs to a deleted record", async () => {
    const { id } = await admin.createAsset();
    await admin.ask('mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "heat", value: 42 }]) { recorded } }', {
      id,
    });
    const { createTemplate } = await admin.ask(
      'mutation { createTemplate(input: { name: "Gone", type: "x", components: [{ name: "a", type: "x" }] }) { id versions { id } } }',
    );
    const { asset } = await admin.ask("query ($id: ID!) { asset(id: $id) { readings { nodes { id } } statusHistory { id } } }", { id });
    const owned = [asset.readings.nodes[0].id, asset.statusHistory[0].id, createTemplate.versions[0].id];
    const found = async () => (await admin.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: owned })).nodes;
    expect(await found()).toEqual(owned.map((one) => ({ id: one })));
    await admin.rest("DELETE", `/assets/${id}`);
    await admin.ask("mutation ($id: ID!) { deleteTemplate(id: $id) { id } }", createTemplate);
    expect(await found()).toEqual([null, null, null]);
  });

  it("accepts one form of a number", async () => {
    const [type, number] = ids.Reading!.split(":");
    expect(await admin.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: [ids.Reading, `${type}:0${number}`] })).toEqual({
      nodes: [{ id: ids.Reading }, null],
    });
  });

  it("shows admin-only records only to admins", async () => {
    const viewer = await admin.as("viewer");
    const { data, errors } = await viewer.graphql("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: Object.values(ids) });
    const kept = Object.keys(ids).flatMap((type, i) =>
      ["ApiKey", "Webhook", "WebhookEvent", "WebhookDelivery"].includes(type) ? [i] : [],
    );
    expect(data.nodes).toEqual(Object.values(ids).map((id, i) => (kept.includes(i) ? null : { id })));
    expect(errors!.map(({ path, extensions }) => [path![1], extensions.code]).sort()).toEqual(kept.map((i) => [i, "FORBIDDEN"]).sort());
  });

  it("accepts at most 100 ids", async () => {
    const { data, errors } = await admin.graphql("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: Array(101).fill("x") });
    expect(data).toEqual({ nodes: null });
    expect(errors![0]!.fieldErrors).toEqual([
      { path: ["ids"], code: "TOO_LONG", params: { max: 100, unit: "ids" }, message: "must hold at most 100 ids" },
    ]);
  });
});

test("a delivery is sent again by its GraphQL id, and by its earlier number", async () => {
  const number = ids.WebhookDelivery!.split(":")[1]!;
  for (const id of [ids.WebhookDelivery, number]) {
    await gateway.database.query(`update "WebhookDelivery" set "settledAt" = now(), status = 'failed' where "tenantId" = $1`, [
      admin.tenantId,
    ]);
    const { replayWebhookDelivery } = await admin.ask("mutation ($id: ID!) { replayWebhookDelivery(id: $id) { id status } }", { id });
    expect(replayWebhookDelivery).toEqual({ id: ids.WebhookDelivery, status: "PENDING" });
  }
});

test("a deletion names the owner of the record", async () => {
  const { id: asset } = await admin.createAsset();
  const { id: root } = await admin.createComponent({ assetId: asset });
  const { id: child } = await admin.createComponent({ parentId: root });
  const { createProcedure, createStrategy, createPart } = await admin.ask(
    `mutation ($asset: ID!) {
      createProcedure(input: { name: "Weekly", assetId: $asset, frequency: WEEKLY }) { id }
      createStrategy(input: { name: "Alone", type: PREVENTIVE }) { id }
      createPart(input: { partNumber: "P-2", name: "Seal", stockLevel: 2, site: "S" }) { id }
    }`,
    { asset },
  );
  const owner = "id belongedTo { id __typename }";
  const data = await admin.ask(
    `mutation ($asset: ID!, $root: ID!, $child: ID!, $procedure: ID!, $strategy: ID!, $part: ID!) {
      child: deleteComponent(id: $child) { ${owner} }
      root: deleteComponent(id: $root) { ${owner} }
      procedure: deleteProcedure(id: $procedure) { ${owner} }
      strategy: deleteStrategy(id: $strategy) { ${owner} }
      asset: deleteAsset(id: $asset) { ${owner} }
      stock: deleteInventory(partId: $part) { partId sites part { partNumber } }
    }`,
    { ...{ asset, root, child }, procedure: createProcedure.id, strategy: createStrategy.id, part: createPart.id },
  );
  expect(data).toEqual({
    child: { id: child, belongedTo: { id: root, __typename: "Component" } },
    root: { id: root, belongedTo: { id: asset, __typename: "Asset" } },
    procedure: { id: createProcedure.id, belongedTo: { id: asset, __typename: "Asset" } },
    strategy: { id: createStrategy.id, belongedTo: null },
    asset: { id: asset, belongedTo: null },
    stock: { partId: createPart.id, sites: ["S"], part: { partNumber: "P-2" } },
  });
});
