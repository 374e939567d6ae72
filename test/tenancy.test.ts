/** One tenant never sees or changes another's records, whatever it sends; the database itself refuses it. */
import { randomUUID } from "node:crypto";
import { buildClientSchema, type GraphQLInputType, getIntrospectionQuery, getNamedType, isInputObjectType, isObjectType } from "graphql";
import { createClient } from "graphql-ws";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { type Caller, startGateway } from "./world.js";

const gateway = await startGateway();

/** What a client can name of a tenant: ids, live and deleted, and the places in its lists. */
interface Names {
  asset: string;
  component: string;
  deletedAsset: string;
  deletedComponent: string;
  key: string;
  listToken: string;
  siteToken: string;
  areaToken: string;
  assetCursor: string;
  componentCursor: string;
  assetsOfSite: string;
  assetsOfArea: string;
  componentsOfAsset: string;
  children: string;
  part: string;
  otherPart: string;
  inactivePart: string;
  adjustment: string;
  template: string;
  deletedTemplate: string;
  /** Of the asset and of the part: a photo, one that was deleted, and a file sent but not registered. */
  photo: string;
  deletedPhoto: string;
  sentPhoto: string;
  partPhoto: string;
  deletedPartPhoto: string;
  sentPartPhoto: string;
  partCursor: string;
  stockCursor: string;
  stockOfSite: string;
  movementCursor: string;
  movementsOfPart: string;
  movementsOfLevel: string;
  adjustmentCursor: string;
}

/** What a client can name of a tenant's procedures, work orders, strategies, notifications and webhooks. */
interface WorkNames {
  /** Without a pending work order. */
  procedure: string;
  deletedProcedure: string;
  /** Of the completed work order. */
  doneProcedure: string;
  scheduledOrder: string;
  startedOrder: string;
  completedOrder: string;
  strategy: string;
  deletedStrategy: string;
  notification: string;
  webhook: string;
  delivery: string;
  procedureCursor: string;
  workOrderCursor: string;
  strategyCursor: string;
  notificationCursor: string;
  webhookCursor: string;
  workOrdersOfProcedure: string;
  workOrdersOfAsset: string;
  notificationsOfAsset: string;
  readingsOfAsset: string;
  deliveriesOfWebhook: string;
}

interface Plant extends Names, WorkNames {
  tenant: Caller;
}

const image = await sharp({ create: { width: 8, height: 6, channels: 3, background: "teal" } })
  .png()
  .toBuffer();
const imageFile = () => new Blob([new Uint8Array(image)], { type: "image/png" });

/** An operation with `$file`, sent with an image as a multipart form. */
async function sendForm({ key }: Caller, query: string, variables: Record<string, unknown>): Promise<any> {
  const form = new FormData();
  form.append("operations", JSON.stringify({ query, variables: { ...variables, file: null } }));
  form.append("map", JSON.stringify({ 0: ["variables.file"] }));
  form.append("0", imageFile(), "x.png");
  const response = await fetch(`${gateway.url}/graphql`, { method: "POST", body: form, headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, ...((await response.json()) as object) };
}

/** A file granted and sent, below an asset or a part. */
async function sendPhoto(tenant: Caller, owner: string): Promise<string> {
  const { body } = await tenant.rest("POST", `${owner}/photos/presigned-url`, {
    filename: "a.png",
    contentType: "image/png",
    size: image.length,
  });
  const form = new FormData();
  for (const [name, value] of Object.entries<string>(body.fields)) form.append(name, value);
  form.append("file", imageFile(), "a.png");
  expect((await fetch(body.uploadUrl, { method: "POST", body: form })).status).toBe(204);
  return body.mediaId;
}

/** A photo, a deleted one, and one that was sent alone. */
async function plantPhotos(tenant: Caller, owner: string): Promise<[photo: string, deleted: string, sent: string]> {
  const [photo, deleted, sent] = await Promise.all([1, 2, 3].map(() => sendPhoto(tenant, owner)));
  for (const mediaId of [photo, deleted]) expect((await tenant.rest("POST", `${owner}/photos`, { mediaId })).status).toBe(201);
  expect((await tenant.rest("DELETE", `${owner}/photos/${deleted}`)).status).toBe(200);
  return [photo!, deleted!, sent!];
}

/** Parts, one with stock that was moved and adjusted by another key, and templates. */
async function plantStock(tenant: Caller, asset: string, component: string) {
  const create = async (path: string, body: Record<string, unknown>) => {
    const answer = await tenant.rest("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const { partId: otherPart } = await create("/parts", { partNumber: "B-2", name: "Belt", site: "North", stockLevel: 3 });
  const { partId: part } = await create("/parts", {
    ...{ partNumber: "B-1", name: "Bearing", barcode: "BC-1", qrCode: "QR-1", site: "North", stockLevel: 10, unitCost: 2 },
    ...{ compatibleAssets: [{ id: asset }], componentIds: [component], alternativeParts: [{ id: otherPart }] },
  });
  const { partId: inactivePart } = await create("/parts", { partNumber: "B-3", name: "Bolt" });
  await tenant.rest("DELETE", `/parts/${inactivePart}`);
  const technician = await tenant.as("technician");
  const adjust = async () =>
    (await technician.rest("POST", `/inventory/${part}/adjustments`, { adjustmentType: "damage", quantity: -1 })).body.adjustmentId;
  const adjustment = await adjust();
  await adjust();
  await tenant.ask("mutation ($part: ID!) { reserveStock(partId: $part, input: { quantity: 1 }) { id } }", { part });
  const items = [{ name: "Motor", type: "motor", components: [{ name: "Fan", type: "fan" }] }];
  const { id: template } = await create("/components/templates", { name: "Set", type: "set", components: items });
  const { id: deletedTemplate } = await create("/components/templates", { name: "Old", type: "set" });
  await create(`/components/templates/${template}/apply-hierarchical`, { assetId: asset });
  await tenant.rest("DELETE", `/components/templates/${deletedTemplate}`);
  return { part, otherPart, inactivePart, adjustment, template, deletedTemplate };
}

/** Procedures, work orders that stand differently, and the rest of the work; a webhook that nothing is on its way to. */
async function plantWork(tenant: Caller, asset: string, component: string): Promise<WorkNames> {
  const procedure = (name: string) => `${name}: createProcedure(input: { name: "${name}", assetId: $asset, frequency: MONTHLY }) { id }`;
  const alert = (name: string) =>
    `${name}: raiseNotification(input: { type: TREND, severity: INFO, title: "${name}", message: "m", assetId: $asset }) { id }`;
  const made = await tenant.ask(
    `mutation ($asset: ID!) {
      ${["procedure", "deletedProcedure", "a", "b", "c"].map(procedure).join(" ")} ${["notification", "other"].map(alert).join(" ")}
      strategy: createStrategy(input: { name: "S", type: PREVENTIVE }) { id } deletedStrategy: createStrategy(input: { name: "Old", type: PREVENTIVE }) { id }
      recordReadings(readings: [{ assetId: $asset, parameter: "heat", value: 1 }]) { recorded }
      createWebhook(input: { url: "http://127.0.0.1:9/", events: [WORK_ORDER_CREATED] }) { webhook { id } }
    }`,
    { asset },
  );
  const id = (name: string): string => made[name].id;
  const orders = await tenant.ask(
    `mutation ($input: CreateWorkOrderInput!) {
      scheduled: createWorkOrder(procedureId: "${id("a")}", input: $input) { id } started: createWorkOrder(procedureId: "${id("b")}", input: $input) { id }
      completed: createWorkOrder(procedureId: "${id("c")}", input: $input) { id }
      deleteProcedure(id: "${id("deletedProcedure")}") { id } deleteStrategy(id: "${id("deletedStrategy")}") { id }
    }`,
    { input: { componentId: component, customSteps: [{ description: "Look" }] } },
  );
  await tenant.ask(
    `mutation { a: startWorkOrder(id: "${orders.started.id}") { id } b: startWorkOrder(id: "${orders.completed.id}") { id } completeWorkOrder(id: "${orders.completed.id}") { id } }`,
  );
  const [delivery] = await gateway.database.query(
    `update "WebhookDelivery" set status = 'delivered', "settledAt" = now() where "tenantId" = $1 returning id::text as id`,
    [tenant.tenantId],
  );
  const page = "(first: 1) { pageInfo { endCursor } }";
  const lists = await tenant.ask(
    `query ($asset: ID!) {
      procedures${page} workOrders${page} strategies${page} notifications${page} webhooks(first: 1) { pageInfo { endCursor } nodes { deliveries${page} } }
      asset(id: $asset) { workOrders${page} notifications${page} readings${page} } procedure(id: "${id("c")}") { workOrders${page} }
    }`,
    { asset },
  );
  const end = ({ pageInfo }: any) => pageInfo.endCursor;
  return {
    procedure: id("procedure"),
    deletedProcedure: id("deletedProcedure"),
    doneProcedure: id("c"),
    scheduledOrder: orders.scheduled.id,
    startedOrder: orders.started.id,
    completedOrder: orders.completed.id,
    strategy: id("strategy"),
    deletedStrategy: id("deletedStrategy"),
    notification: id("notification"),
    webhook: made.createWebhook.webhook.id,
    delivery: delivery!.id,
    procedureCursor: end(lists.procedures),
    workOrderCursor: end(lists.workOrders),
    strategyCursor: end(lists.strategies),
    notificationCursor: end(lists.notifications),
    webhookCursor: end(lists.webhooks),
    workOrdersOfProcedure: end(lists.procedure.workOrders),
    workOrdersOfAsset: end(lists.asset.workOrders),
    notificationsOfAsset: end(lists.asset.notifications),
    readingsOfAsset: end(lists.asset.readings),
    deliveriesOfWebhook: end(lists.webhooks.nodes[0].deliveries),
  };
}

/** A tenant with two of everything; every plant names its places alike. Photos and work take a while to make. */
async function plant(withPhotos = true, withWork = withPhotos): Promise<Plant> {
  const tenant = await gateway.newTenant();
  const place = { site: "North", area: "Hall" };
  const { id: asset } = await tenant.createAsset({ ...place, serialNumber: "SN-1" });
  await tenant.createAsset(place);
  await tenant.createAsset({ site: "South" });
  const { id: component } = await tenant.createComponent({ assetId: asset });
  await tenant.createComponent({ assetId: asset });
  for (let i = 0; i < 2; i++) await tenant.createComponent({ parentId: component });
  const { id: deletedAsset } = await tenant.createAsset();
  const { id: deletedComponent } = await tenant.createComponent({ assetId: asset });
  await tenant.rest("DELETE", `/assets/${deletedAsset}`);
  await tenant.rest("DELETE", `/components/${deletedComponent}`);
  const page = "(first: 1) { pageInfo { endCursor } }";
  const { createApiKey } = await tenant.ask('mutation { createApiKey(input: { name: "spare", role: VIEWER }) { apiKey { id } } }');
  const lists = await tenant.ask(
    `query ($asset: ID!, $component: ID!) {
      groupedAssets(limit: 1, filter: { search: "p" }) { nextToken items { nextToken areas { nextToken } } }
      assets${page} components${page} site(name: "North") { assets${page} areas { assets${page} } }
      asset(id: $asset) { components${page} } component(id: $component) { children${page} }
    }`,
    { asset, component },
  );
  const end = ({ pageInfo }: any) => pageInfo.endCursor;
  const stock = await plantStock(tenant, asset, component);
  const photosOf = (owner: string) => (withPhotos ? plantPhotos(tenant, owner) : (["", "", ""] as const));
  const [photo, deletedPhoto, sentPhoto] = await photosOf(`/assets/${asset}`);
  const [partPhoto, deletedPartPhoto, sentPartPhoto] = await photosOf(`/parts/${stock.part}`);
  const work = withWork ? await plantWork(tenant, asset, component) : ({} as WorkNames);
  const stores = await tenant.ask(
    `query ($part: ID!) {
      parts${page} inventory${page} stockMovements${page} stockAdjustments${page} site(name: "North") { stock${page} }
      part(id: $part) { movements${page} stockAt(site: "North") { movements${page} } }
    }`,
    { part: stock.part },
  );
  return {
    tenant,
    asset,
    component,
    deletedAsset,
    deletedComponent,
    key: createApiKey.apiKey.id,
    listToken: lists.groupedAssets.nextToken,
    siteToken: lists.groupedAssets.items[0].nextToken,
    areaToken: lists.groupedAssets.items[0].areas[0].nextToken,
    assetCursor: end(lists.assets),
    componentCursor: end(lists.components),
    assetsOfSite: end(lists.site.assets),
    assetsOfArea: end(lists.site.areas[0].assets),
    componentsOfAsset: end(lists.asset.components),
    children: end(lists.component.children),
    ...stock,
    ...work,
    photo,
    deletedPhoto,
    sentPhoto,
    partPhoto,
    deletedPartPhoto,
    sentPartPhoto,
    partCursor: end(stores.parts),
    stockCursor: end(stores.inventory),
    stockOfSite: end(stores.site.stock),
    movementCursor: end(stores.stockMovements),
    movementsOfPart: end(stores.part.movements),
    movementsOfLevel: end(stores.part.stockAt.movements),
    adjustmentCursor: end(stores.stockAdjustments),
  };
}

const tables = [
  ...["Asset", "Component", "AssetStatusChange", "ApiKey", "ComponentTemplate", "ComponentTemplateVersion", "Photo"],
  ...["Part", "PartAlternative", "PartAsset", "PartComponent", "StockLevel", "StockMovement", "StockAdjustment", "IdempotencyKey"],
  ...["SiteSetting", "Procedure", "ProcedurePart", "WorkOrder", "WorkOrderStep", "WorkOrderPart", "WorkOrderStatusChange"],
  ...["Strategy", "TriggerCondition", "TriggerState", "StrategyProcedure", "StrategyAsset", "Reading"],
  ...["Notification", "NotificationStatusChange", "NotificationFeedback", "Webhook", "WebhookEvent", "WebhookDelivery"],
];
const everyRow = tables
  .map((table) => `select '${table}' as "table", to_jsonb(t) - 'lastUsedAt' as row from "${table}" t where "tenantId" = $1`)
  .join(" union all ");

/** All of a tenant's rows by table, in an order that needs no id; of keys all but their last use, which is noted a moment after it. */
async function stateOf({ tenant }: Plant): Promise<Record<string, string[]>> {
  const state: Record<string, string[]> = Object.fromEntries(tables.map((table) => [table, []]));
  for (const { table, row } of await gateway.database.query(everyRow, [tenant.tenantId])) state[table]!.push(JSON.stringify(row));
  for (const rows of Object.values(state)) rows.sort();
  return state;
}

type Kind = keyof Names | keyof WorkNames;

/** Comparable: without the request, the name asked for, and what is new with every answer. */
const comparable = (answer: unknown, name: string) =>
  JSON.parse(
    JSON.stringify(answer)
      .replaceAll(/,?"requestId":"[^"]+"/g, "")
      .replaceAll(name, "<name>")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(/"position":\d+/g, '"position":0'),
  );

/** `ask` answers the same for another tenant's name as for an unknown one, and changes nothing on either side. */
async function answersAsUnknown(mine: Plant, theirs: Plant, kind: Kind, ask: (name: string) => Promise<unknown>, mayChangeMine = false) {
  const unknown = randomUUID();
  const before = [await stateOf(mine), await stateOf(theirs)];
  const reference = comparable(await ask(unknown), unknown);
  const answer = await ask(theirs[kind]);
  expect(comparable(answer, theirs[kind])).toEqual(reference);
  expect(JSON.stringify(answer)).not.toContain(theirs.tenant.tenantId);
  const after = [await stateOf(mine), await stateOf(theirs)];
  expect(after[1]).toEqual(before[1]);
  if (!mayChangeMine) expect(after[0]).toEqual(before[0]);
  return reference;
}

/** Two plants that every test leaves as they are; one that changes its own takes a fresh one. */
let theirs: Plant;
let shared: Plant;
beforeAll(async () => {
  [theirs, shared] = [await plant(), await plant()];
});

describe("REST", () => {
  const component = { name: "Motor", type: "motor" };
  type Send = (name: string, mine: Plant) => [path: string, body?: unknown];
  type Row = [kind: Kind, outcome: 400 | 404 | "nothing" | "ignored", send: Send];
  const ofAsset = (send: Send): Row => ["asset", 404, send];
  const ofComponent = (send: Send): Row => ["component", 404, send];

  const ofPart = (send: Send): Row => ["part", 404, send];
  const ofTemplate = (send: Send): Row => ["template", 404, send];
  const ofProcedure = (send: Send): Row => ["procedure", 404, send];
  const ofStrategy = (send: Send): Row => ["strategy", 404, send];
  const procedure = { name: "P", frequency: "monthly" };
  const stepWith = (partId: string) => ({ steps: [{ description: "Change it", parts: [{ partId, quantity: 1 }] }] });
  const upload = { filename: "a.png", contentType: "image/png", size: image.length };
  const part = () => ({ partNumber: randomUUID(), name: "P" });

  /** By method, path and the parameter or body field that names something. */
  const routes: Record<string, Row | "names nothing"> = {
    "GET /assets nextToken": ["listToken", 400, (token) => [`/assets?search=p&nextToken=${token}`]],
    "POST /assets": "names nothing",
    "GET /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`]),
    "PUT /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`, { name: "Taken" }]),
    "DELETE /assets/{assetId} assetId": ofAsset((id) => [`/assets/${id}`]),
    "GET /components assetId": ["asset", "nothing", (id) => [`/components?assetId=${id}`]],
    "GET /components parentId": ["component", "nothing", (id) => [`/components?parentId=${id}`]],
    "POST /components assetId": ["asset", 400, (id) => ["/components", { ...component, assetId: id }]],
    "POST /components parentId": ["component", 400, (id) => ["/components", { ...component, parentId: id }]],
    "POST /components parentComponentId": ["component", 400, (id) => ["/components", { ...component, parentComponentId: id }]],
    "POST /components/bulk componentIds": [
      "component",
      "nothing",
      (id) => ["/components/bulk", { operation: "delete", componentIds: [id] }],
    ],
    "POST /components/bulk data.assetId": [
      "asset",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { assetId: id } }],
    ],
    "POST /components/bulk data.parentId": [
      "component",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { parentId: id } }],
    ],
    "POST /components/bulk data.parentComponentId": [
      "component",
      400,
      (id, mine) => ["/components/bulk", { operation: "update", componentIds: [mine.component], data: { parentComponentId: id } }],
    ],
    "GET /components/tree/{rootId} rootId": ofComponent((id) => [`/components/tree/${id}`]),
    "GET /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`]),
    "PUT /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`, { status: "failed" }]),
    "PUT /components/{componentId} assetId": ["asset", 400, (id, mine) => [`/components/${mine.component}`, { assetId: id }]],
    "PUT /components/{componentId} parentId": ["component", 400, (id, mine) => [`/components/${mine.component}`, { parentId: id }]],
    "PUT /components/{componentId} parentComponentId": [
      "component",
      400,
      (id, mine) => [`/components/${mine.component}`, { parentComponentId: id }],
    ],
    "DELETE /components/{componentId} componentId": ofComponent((id) => [`/components/${id}`]),
    "GET /components/{componentId}/children componentId": ofComponent((id) => [`/components/${id}/children`]),
    "POST /components/{componentId}/children componentId": ofComponent((id) => [`/components/${id}/children`, component]),
    "POST /components/{componentId}/children assetId": [
      "asset",
      400,
      (id, mine) => [`/components/${mine.component}/children`, { ...component, assetId: id }],
    ],
    "GET /components/{componentId}/descendants componentId": ofComponent((id) => [`/components/${id}/descendants`]),
    "GET /components/{componentId}/ancestors componentId": ofComponent((id) => [`/components/${id}/ancestors`]),
    "PUT /components/{componentId}/move componentId": ofComponent((id) => [`/components/${id}/move`, { position: 0 }]),
    "PUT /components/{componentId}/move newParentId": [
      "component",
      400,
      (id, mine) => [`/components/${mine.component}/move`, { newParentId: id }],
    ],
    "POST /assets/import": "names nothing",
    "GET /assets/{assetId}/photos assetId": ofAsset((id) => [`/assets/${id}/photos`]),
    "POST /assets/{assetId}/photos/presigned-url assetId": ofAsset((id) => [`/assets/${id}/photos/presigned-url`, upload]),
    "POST /assets/{assetId}/photos assetId": ofAsset((id, mine) => [`/assets/${id}/photos`, { mediaId: mine.sentPhoto }]),
    "POST /assets/{assetId}/photos mediaId": ["sentPhoto", 400, (id, mine) => [`/assets/${mine.asset}/photos`, { mediaId: id }]],
    "DELETE /assets/{assetId}/photos/{mediaId} assetId": ofAsset((id, mine) => [`/assets/${id}/photos/${mine.photo}`]),
    "DELETE /assets/{assetId}/photos/{mediaId} mediaId": ["photo", 404, (id, mine) => [`/assets/${mine.asset}/photos/${id}`]],
    "GET /parts/{partId}/photos partId": ofPart((id) => [`/parts/${id}/photos`]),
    "POST /parts/{partId}/photos/presigned-url partId": ofPart((id) => [`/parts/${id}/photos/presigned-url`, upload]),
    "POST /parts/{partId}/photos partId": ofPart((id, mine) => [`/parts/${id}/photos`, { mediaId: mine.sentPartPhoto }]),
    "POST /parts/{partId}/photos mediaId": ["sentPartPhoto", 400, (id, mine) => [`/parts/${mine.part}/photos`, { mediaId: id }]],
    "DELETE /parts/{partId}/photos/{mediaId} partId": ofPart((id, mine) => [`/parts/${id}/photos/${mine.partPhoto}`]),
    "DELETE /parts/{partId}/photos/{mediaId} mediaId": ["partPhoto", 404, (id, mine) => [`/parts/${mine.part}/photos/${id}`]],
    "GET /components/templates": "names nothing",
    "POST /components/templates": "names nothing",
    "GET /components/templates/{templateId} templateId": ofTemplate((id) => [`/components/templates/${id}`]),
    "PUT /components/templates/{templateId} templateId": ofTemplate((id) => [`/components/templates/${id}`, { name: "Taken" }]),
    "DELETE /components/templates/{templateId} templateId": ofTemplate((id) => [`/components/templates/${id}`]),
    "GET /components/templates/{templateId}/versions templateId": ofTemplate((id) => [`/components/templates/${id}/versions`]),
    "POST /components/templates/{templateId}/usage templateId": ofTemplate((id) => [`/components/templates/${id}/usage`, {}]),
    "POST /components/templates/{templateId}/apply-hierarchical templateId": ofTemplate((id, mine) => [
      `/components/templates/${id}/apply-hierarchical`,
      { assetId: mine.asset },
    ]),
    "POST /components/templates/{templateId}/apply-hierarchical assetId": [
      "asset",
      400,
      (id, mine) => [`/components/templates/${mine.template}/apply-hierarchical`, { assetId: id }],
    ],
    "POST /components/templates/{templateId}/apply-hierarchical parentId": [
      "component",
      400,
      (id, mine) => [`/components/templates/${mine.template}/apply-hierarchical`, { parentId: id }],
    ],
    "GET /parts": "names nothing",
    "POST /parts alternativeParts.id": ["part", 400, (id) => ["/parts", { ...part(), alternativeParts: [{ id }] }]],
    "POST /parts compatibleAssets.id": ["asset", 400, (id) => ["/parts", { ...part(), compatibleAssets: [{ id }] }]],
    "POST /parts componentIds": ["component", 400, (id) => ["/parts", { ...part(), componentIds: [id] }]],
    // The supplier's own number, kept as the text it is: there are no suppliers to refer to.
    "POST /parts supplier.id": "names nothing",
    "GET /parts/{partId} partId": ofPart((id) => [`/parts/${id}`]),
    "PUT /parts/{partId} partId": ofPart((id) => [`/parts/${id}`, { name: "Taken" }]),
    "PUT /parts/{partId} alternativeParts.id": [
      "otherPart",
      400,
      (id, mine) => [`/parts/${mine.part}`, { name: "Q", alternativeParts: [{ id }] }],
    ],
    "PUT /parts/{partId} compatibleAssets.id": [
      "asset",
      400,
      (id, mine) => [`/parts/${mine.part}`, { name: "Q", compatibleAssets: [{ id }] }],
    ],
    "PUT /parts/{partId} componentIds": ["component", 400, (id, mine) => [`/parts/${mine.part}`, { name: "Q", componentIds: [id] }]],
    "PUT /parts/{partId} supplier.id": "names nothing",
    "DELETE /parts/{partId} partId": ofPart((id) => [`/parts/${id}`]),
    "GET /inventory": "names nothing",
    "GET /inventory/reports": "names nothing",
    "GET /inventory/{partId} partId": ofPart((id) => [`/inventory/${id}?site=North`]),
    "PUT /inventory/{partId} partId": ofPart((id) => [`/inventory/${id}`, { currentStock: 5, location: "A1" }]),
    "DELETE /inventory/{partId} partId": ofPart((id) => [`/inventory/${id}`]),
    "GET /inventory/{partId}/history partId": ofPart((id) => [`/inventory/${id}/history`]),
    "POST /inventory/{partId}/adjustments partId": ofPart((id) => [
      `/inventory/${id}/adjustments`,
      { adjustmentType: "correction", quantity: 1, site: "North" },
    ]),
    "GET /pms assetId": ["asset", "nothing", (id) => [`/pms?assetId=${id}`]],
    "POST /pms assetId": ["asset", 400, (id) => ["/pms", { ...procedure, assetId: id }]],
    "POST /pms parts.partId": [
      "part",
      400,
      (id, mine) => ["/pms", { ...procedure, assetId: mine.asset, parts: [{ partId: id, quantity: 1 }] }],
    ],
    "POST /pms steps.parts.partId": ["part", 400, (id, mine) => ["/pms", { ...procedure, assetId: mine.asset, ...stepWith(id) }]],
    "GET /pms/{pmId} pmId": ofProcedure((id) => [`/pms/${id}`]),
    "PUT /pms/{pmId} pmId": ofProcedure((id) => [`/pms/${id}`, { name: "Taken" }]),
    "PUT /pms/{pmId} assetId": ["asset", 400, (id, mine) => [`/pms/${mine.procedure}`, { name: "Q", assetId: id }]],
    "PUT /pms/{pmId} parts.partId": [
      "part",
      400,
      (id, mine) => [`/pms/${mine.procedure}`, { name: "Q", parts: [{ partId: id, quantity: 1 }] }],
    ],
    "PUT /pms/{pmId} steps.parts.partId": ["part", 400, (id, mine) => [`/pms/${mine.procedure}`, { name: "Q", ...stepWith(id) }]],
    "DELETE /pms/{pmId} pmId": ofProcedure((id) => [`/pms/${id}`]),
    "POST /pms/{pmId}/createworkorder pmId": ofProcedure((id) => [`/pms/${id}/createworkorder`, {}]),
    "POST /pms/{pmId}/createworkorder componentId": [
      "component",
      400,
      (id, mine) => [`/pms/${mine.procedure}/createworkorder`, { componentId: id }],
    ],
    "GET /strategies": "names nothing",
    "POST /strategies": "names nothing",
    "GET /strategies/{strategyId} strategyId": ofStrategy((id) => [`/strategies/${id}`]),
    "PUT /strategies/{strategyId} strategyId": ofStrategy((id) => [`/strategies/${id}`, { name: "Taken" }]),
    "DELETE /strategies/{strategyId} strategyId": ofStrategy((id) => [`/strategies/${id}`]),
    "GET /notifications nextToken": ["notificationCursor", 400, (token) => [`/notifications?nextToken=${token}`]],
    // The sensor's own number, kept as the text it is.
    "GET /notifications sensorID": "names nothing",
    "GET /notifications/{id} id": ["notification", 404, (id) => [`/notifications/${id}`]],
  };
  /** Not named as an id in /openapi.json, or read-only there and so not described: the parent is the one of the path. */
  const undescribed: Record<string, Row> = {
    "POST /strategies procedures": ["procedure", 400, (id) => ["/strategies", { name: "T", type: "preventive", procedures: [id] }]],
    "PUT /strategies/{strategyId} procedures": [
      "procedure",
      400,
      (id, mine) => [`/strategies/${mine.strategy}`, { name: "T", procedures: [id] }],
    ],
    "POST /components/{componentId}/children parentId": [
      "component",
      "ignored",
      (id, mine) => [`/components/${mine.component}/children`, { ...component, parentId: id }],
    ],
    "POST /components/{componentId}/children parentComponentId": [
      "component",
      "ignored",
      (id, mine) => [`/components/${mine.component}/children`, { ...component, parentComponentId: id }],
    ],
  };
  const named = Object.entries({ ...routes, ...undescribed }).filter((entry): entry is [string, Row] => typeof entry[1] !== "string");
  const methodOf = (name: string) => name.split(" ")[0]!;

  test("the table above has every route of /openapi.json with everything in it that names something", async () => {
    const isName = (name: string) => /(^|[a-z])ids?$|token$|cursor$/i.test(name);
    const { paths, components } = (await gateway.rest("GET", "/openapi.json")).body;
    const inBody = (schema: any, prefix = "", above: string[] = []): string[] => {
      if (!schema || above.includes(schema.$ref)) return [];
      const path = schema.$ref ? [...above, schema.$ref] : above;
      const same = [schema.$ref && components.schemas[schema.$ref.split("/").at(-1)], schema.items, ...(schema.anyOf ?? [])];
      return [
        ...same.flatMap((one) => inBody(one, prefix, path)),
        ...Object.entries<any>(schema.properties ?? {}).flatMap(([name, property]) => [
          ...(isName(name) ? [prefix + name] : []),
          ...inBody(property, `${prefix}${name}.`, path),
        ]),
      ];
    };
    const found = Object.entries<any>(paths).flatMap(([path, operations]) =>
      Object.entries<any>(operations).flatMap(([method, { parameters = [], requestBody }]) => {
        const route = `${method.toUpperCase()} ${path}`;
        const names = [
          ...parameters.map(({ name }: any) => name).filter(isName),
          ...Object.values<any>(requestBody?.content ?? {}).flatMap(({ schema }) => inBody(schema)),
        ];
        return names.length ? names.map((name) => `${route} ${name}`) : [route];
      }),
    );
    expect(found.sort()).toEqual(Object.keys(routes).sort());
  });

  test.each(named)("%s: another tenant's is answered as unknown", async (name, [kind, outcome, send]) => {
    const mine = methodOf(name) === "GET" ? shared : await plant(name.includes("photos"), /pms|strategies/.test(name));
    const call = async (value: string) => {
      const { status, headers, body } = await mine.tenant.rest(methodOf(name), ...send(value, mine));
      return { status, warning: headers.get("warning"), body };
    };
    const unknown = await answersAsUnknown(mine, theirs, kind, call, outcome === "ignored");
    if (typeof outcome === "number") expect(unknown.status).toBe(outcome);
    if (outcome === "nothing") {
      const nothing = name.includes("bulk")
        ? { processed: 0, failed: 1, results: [{ id: "<name>", status: "failed", error: expect.any(String) }] }
        : name.includes("/pms")
          ? { pmProcedures: [], pagination: { total: 0, limit: 100, offset: 0, hasMore: false } }
          : [];
      expect(unknown).toEqual({ status: 200, warning: null, body: nothing });
    }
    if (outcome === "ignored") expect(unknown.status).toBe(201);
    // The request is a right one: with the tenant's own it is not answered so.
    if (outcome !== "ignored" && !name.includes(" data.")) {
      const own = await call(mine[kind]);
      if (outcome === 404) expect(own.status).toBeLessThan(300);
      else expect(comparable(own, mine[kind])).not.toEqual(unknown);
    }
  });

  test.each(["listToken", "siteToken", "areaToken"] as const)("a nextToken of another tenant is refused: %s", async (kind) => {
    const mine = shared;
    const path = (token: string) => `/assets?search=p&nextToken=${token}`;
    const { status, body } = await mine.tenant.rest("GET", path(theirs[kind]));
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "Invalid input", details: { nextToken: expect.any(String) }, code: "BAD_USER_INPUT", requestId: expect.any(String) },
    });
    expect((await mine.tenant.rest("GET", path(mine[kind]))).status).toBe(200);
  });

  test("the tenant comes from the key alone: not from body, query or header", async () => {
    const mine = await plant();
    const other = theirs.tenant.tenantId;
    const before = await stateOf(theirs);
    const headers = { "x-tenant-id": other, "x-tenant": other, tenant: other, tenantid: other };
    const created = await mine.tenant.rest("POST", `/assets?tenantId=${other}`, { name: "P", type: "pump", tenantId: other }, headers);
    expect(created.body.tenantId).toBe(mine.tenant.tenantId);
    const updated = await mine.tenant.rest("PUT", `/assets/${mine.asset}?tenantId=${other}`, { tenantId: other, name: "Q" }, headers);
    expect(updated.body).toMatchObject({ tenantId: mine.tenant.tenantId, name: "Q" });
    const component = await mine.tenant.rest("POST", "/components", { name: "M", type: "motor", tenantId: other }, headers);
    expect(component.body.tenantId).toBe(mine.tenant.tenantId);
    const list = await mine.tenant.rest("GET", `/assets?tenantId=${other}`, undefined, headers);
    expect(new Set(JSON.stringify(list.body).match(/t-[0-9a-f]{12}/g))).toEqual(new Set([mine.tenant.tenantId]));
    expect(await stateOf(theirs)).toEqual(before);
  });

  test("lists hold the tenant's own records alone", async () => {
    const mine = shared;
    const { body: assets } = await mine.tenant.rest("GET", "/assets?limit=1000");
    const { body: components } = await mine.tenant.rest("GET", "/components?limit=1000");
    const { body: parts } = await mine.tenant.rest("GET", "/parts?limit=1000");
    const { body: stock } = await mine.tenant.rest("GET", "/inventory?limit=1000");
    const listed = [
      ...assets.items.flatMap(({ areas }: any) => areas.flatMap((area: any) => area.assets)),
      ...components,
      ...parts,
      ...stock,
    ];
    expect(listed.map(({ tenantId }: any) => tenantId)).toEqual(Array(3 + 6 + 2 + 2).fill(mine.tenant.tenantId));
    const { body } = await mine.tenant.rest("GET", "/components/templates");
    expect(body.templates.map(({ id }: any) => id)).toEqual([mine.template]);
    const { movementsOfAll, ledger } = await mine.tenant.ask(
      "{ movementsOfAll: stockMovements { nodes { partId } } ledger: verifyLedger { stockLevels totalQuantity } }",
    );
    expect(new Set(movementsOfAll.nodes.map(({ partId }: any) => partId))).toEqual(new Set([mine.part, mine.otherPart]));
    expect(ledger).toEqual({ stockLevels: 2, totalQuantity: 8 + 3 });
  });

  test("numbers and keys that are free text are each tenant's own: part numbers, serial numbers, Idempotency-Key", async () => {
    const [mine, other] = [await gateway.newTenant(), theirs.tenant];
    const before = await stateOf(theirs);
    const csv = "name,type,serialNumber\nP,pump,SN-1\n";
    const imported = await mine.rest("POST", "/assets/import?mode=upsert", csv, { "content-type": "text/csv" });
    expect(imported.body).toMatchObject({ imported: 1, failed: 0, assets: [{ name: "P" }] });
    expect(await stateOf(theirs)).toEqual(before);
    const headers = { "idempotency-key": "the-same" };
    const make = (tenant: Caller, partNumber: string) => tenant.rest("POST", "/parts", { partNumber, name: "B" }, headers);
    const [first, second] = [await make(other, "B-9"), await make(mine, "B-1")];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect([first.body.tenantId, second.body.tenantId]).toEqual([other.tenantId, mine.tenantId]);
    expect((await make(other, "B-9")).body).toEqual(first.body);
  });
});

describe("GraphQL", () => {
  /** `$v` is the name in question, other variables are the caller's own; with `$file` it is sent as a form. */
  type Row = [kind: Kind, outcome: "NOT_FOUND" | "BAD_USER_INPUT" | "nothing", operation: string];
  const component = 'name: "M", type: "motor"';
  const page = "{ nodes { id tenantId } totalCount }";
  const fields: Record<string, Row> = {
    "Query.asset id": ["asset", "NOT_FOUND", "query ($v: ID!) { asset(id: $v) { id tenantId } }"],
    "Query.assets after": ["assetCursor", "BAD_USER_INPUT", `query ($v: String!) { assets(after: $v) ${page} }`],
    "Query.component id": [
      "component",
      "NOT_FOUND",
      "query ($v: ID!) { component(id: $v) { id tenantId asset { id } parent { id } ancestors { id } descendants { id } } }",
    ],
    "Query.components after": ["componentCursor", "BAD_USER_INPUT", `query ($v: String!) { components(after: $v) ${page} }`],
    "Query.components filter.assetId": ["asset", "nothing", `query ($v: ID!) { components(filter: { assetId: $v }) ${page} }`],
    "Query.components filter.parentId": ["component", "nothing", `query ($v: ID!) { components(filter: { parentId: $v }) ${page} }`],
    "Query.groupedAssets nextToken": [
      "areaToken",
      "BAD_USER_INPUT",
      'query ($v: String!) { groupedAssets(filter: { search: "p" }, nextToken: $v) { items { site } } }',
    ],
    "Asset.components after": [
      "componentsOfAsset",
      "BAD_USER_INPUT",
      `query ($v: String!, $asset: ID!) { asset(id: $asset) { components(after: $v) ${page} } }`,
    ],
    "Component.children after": [
      "children",
      "BAD_USER_INPUT",
      `query ($v: String!, $component: ID!) { component(id: $component) { children(after: $v) ${page} } }`,
    ],
    "Site.assets after": ["assetsOfSite", "BAD_USER_INPUT", `query ($v: String!) { site(name: "North") { assets(after: $v) ${page} } }`],
    "Area.assets after": [
      "assetsOfArea",
      "BAD_USER_INPUT",
      `query ($v: String!) { site(name: "North") { areas { assets(after: $v) ${page} } } }`,
    ],
    "Mutation.updateAsset id": [
      "asset",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateAsset(id: $v, input: { name: "Taken" }) { id tenantId } }',
    ],
    "Mutation.deleteAsset id": ["asset", "NOT_FOUND", "mutation ($v: ID!) { deleteAsset(id: $v) { id componentCount } }"],
    "Mutation.restoreAsset id": ["deletedAsset", "NOT_FOUND", "mutation ($v: ID!) { restoreAsset(id: $v) { id tenantId } }"],
    "Mutation.createComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      `mutation ($v: ID!) { createComponent(input: { ${component}, assetId: $v }) { id } }`,
    ],
    "Mutation.createComponent input.parentId": [
      "component",
      "BAD_USER_INPUT",
      `mutation ($v: ID!) { createComponent(input: { ${component}, parentId: $v }) { id } }`,
    ],
    "Mutation.createChildComponent parentId": [
      "component",
      "NOT_FOUND",
      `mutation ($v: ID!) { createChildComponent(parentId: $v, input: { ${component} }) { id } }`,
    ],
    "Mutation.createChildComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      `mutation ($v: ID!, $component: ID!) { createChildComponent(parentId: $component, input: { ${component}, assetId: $v }) { id } }`,
    ],
    "Mutation.createChildComponent input.parentId": [
      "component",
      "NOT_FOUND",
      `mutation ($v: ID!) { createChildComponent(parentId: $v, input: { ${component}, parentId: $v }) { id } }`,
    ],
    "Mutation.updateComponent id": [
      "component",
      "NOT_FOUND",
      "mutation ($v: ID!) { updateComponent(id: $v, input: { status: FAILED }) { id } }",
    ],
    "Mutation.updateComponent input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $component: ID!) { updateComponent(id: $component, input: { assetId: $v, notes: "x" }) { id } }',
    ],
    "Mutation.updateComponent input.parentId": [
      "component",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $component: ID!) { updateComponent(id: $component, input: { parentId: $v, notes: "x" }) { id } }',
    ],
    "Mutation.moveComponent id": ["component", "NOT_FOUND", "mutation ($v: ID!) { moveComponent(id: $v, position: 0) { id } }"],
    "Mutation.moveComponent newParentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { moveComponent(id: $component, newParentId: $v) { id } }",
    ],
    "Mutation.moveComponent assetId": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { moveComponent(id: $component, assetId: $v) { id } }",
    ],
    "Mutation.deleteComponent id": ["component", "NOT_FOUND", "mutation ($v: ID!) { deleteComponent(id: $v) { id componentCount } }"],
    "Mutation.restoreComponent id": ["deletedComponent", "NOT_FOUND", "mutation ($v: ID!) { restoreComponent(id: $v) { id } }"],
    "Mutation.bulkComponents componentIds": [
      "component",
      "nothing",
      "mutation ($v: ID!) { bulkComponents(operation: UPDATE, componentIds: [$v], data: { status: FAILED }) { processed failed results { id status error } } }",
    ],
    "Mutation.bulkComponents data.assetId": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { bulkComponents(operation: UPDATE, componentIds: [$component], data: { assetId: $v }) { processed } }",
    ],
    "Mutation.bulkComponents data.parentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $component: ID!) { bulkComponents(operation: UPDATE, componentIds: [$component], data: { parentId: $v }) { processed } }",
    ],
    "Query.part id": ["part", "NOT_FOUND", "query ($v: ID!) { part(id: $v) { id tenantId photos { id } stockLevels { quantity } } }"],
    "Query.parts after": ["partCursor", "BAD_USER_INPUT", "query ($v: String!) { parts(after: $v) { nodes { id tenantId } totalCount } }"],
    "Query.inventory after": ["stockCursor", "BAD_USER_INPUT", "query ($v: String!) { inventory(after: $v) { nodes { partId } } }"],
    "Query.stockMovements after": [
      "movementCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { stockMovements(after: $v) { nodes { id } } }",
    ],
    "Query.stockAdjustments after": [
      "adjustmentCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { stockAdjustments(after: $v) { nodes { id } } }",
    ],
    "Query.stockAdjustments filter.partId": [
      "part",
      "nothing",
      "query ($v: ID!) { stockAdjustments(filter: { partId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.template id": ["template", "NOT_FOUND", "query ($v: ID!) { template(id: $v) { id versions { version } drift { builtFrom } } }"],
    "Site.stock after": [
      "stockOfSite",
      "BAD_USER_INPUT",
      'query ($v: String!) { site(name: "North") { stock(after: $v) { nodes { partId } } } }',
    ],
    "Part.movements after": [
      "movementsOfPart",
      "BAD_USER_INPUT",
      "query ($v: String!, $part: ID!) { part(id: $part) { movements(after: $v) { nodes { id } } } }",
    ],
    "StockLevel.movements after": [
      "movementsOfLevel",
      "BAD_USER_INPUT",
      'query ($v: String!, $part: ID!) { part(id: $part) { stockAt(site: "North") { movements(after: $v) { nodes { id } } } } }',
    ],
    "Mutation.createPhotoUpload owner.assetId": [
      "asset",
      "NOT_FOUND",
      'mutation ($v: ID!) { createPhotoUpload(owner: { assetId: $v }, input: { filename: "a.png", contentType: "image/png", size: 9 }) { mediaId } }',
    ],
    "Mutation.registerPhoto owner.assetId": [
      "asset",
      "NOT_FOUND",
      "mutation ($v: ID!, $sentPhoto: ID!) { registerPhoto(owner: { assetId: $v }, input: { mediaId: $sentPhoto }) { id } }",
    ],
    "Mutation.deletePhoto owner.assetId": [
      "asset",
      "NOT_FOUND",
      "mutation ($v: ID!, $photo: ID!) { deletePhoto(owner: { assetId: $v }, id: $photo) { id } }",
    ],
    "Mutation.restorePhoto owner.assetId": [
      "asset",
      "NOT_FOUND",
      "mutation ($v: ID!, $deletedPhoto: ID!) { restorePhoto(owner: { assetId: $v }, id: $deletedPhoto) { id } }",
    ],
    "Mutation.uploadAssetPhoto assetId": [
      "asset",
      "NOT_FOUND",
      "mutation ($v: ID!, $file: Upload!) { uploadAssetPhoto(assetId: $v, file: $file) { id } }",
    ],
    "Mutation.createPhotoUpload owner.partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { createPhotoUpload(owner: { partId: $v }, input: { filename: "a.png", contentType: "image/png", size: 9 }) { mediaId } }',
    ],
    "Mutation.registerPhoto owner.partId": [
      "part",
      "NOT_FOUND",
      "mutation ($v: ID!, $sentPartPhoto: ID!) { registerPhoto(owner: { partId: $v }, input: { mediaId: $sentPartPhoto }) { id } }",
    ],
    "Mutation.deletePhoto owner.partId": [
      "part",
      "NOT_FOUND",
      "mutation ($v: ID!, $partPhoto: ID!) { deletePhoto(owner: { partId: $v }, id: $partPhoto) { id } }",
    ],
    "Mutation.restorePhoto owner.partId": [
      "part",
      "NOT_FOUND",
      "mutation ($v: ID!, $deletedPartPhoto: ID!) { restorePhoto(owner: { partId: $v }, id: $deletedPartPhoto) { id } }",
    ],
    "Mutation.uploadPartPhoto partId": [
      "part",
      "NOT_FOUND",
      "mutation ($v: ID!, $file: Upload!) { uploadPartPhoto(partId: $v, file: $file) { id } }",
    ],
    "Mutation.registerPhoto input.mediaId": [
      "sentPhoto",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $asset: ID!) { registerPhoto(owner: { assetId: $asset }, input: { mediaId: $v }) { id } }",
    ],
    "Mutation.deletePhoto id": [
      "photo",
      "NOT_FOUND",
      "mutation ($v: ID!, $asset: ID!) { deletePhoto(owner: { assetId: $asset }, id: $v) { id } }",
    ],
    "Mutation.restorePhoto id": [
      "deletedPhoto",
      "NOT_FOUND",
      "mutation ($v: ID!, $asset: ID!) { restorePhoto(owner: { assetId: $asset }, id: $v) { id } }",
    ],
    "Mutation.updateTemplate id": [
      "template",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateTemplate(id: $v, input: { name: "Taken" }) { id version } }',
    ],
    "Mutation.deleteTemplate id": ["template", "NOT_FOUND", "mutation ($v: ID!) { deleteTemplate(id: $v) { id message } }"],
    "Mutation.restoreTemplate id": ["deletedTemplate", "NOT_FOUND", "mutation ($v: ID!) { restoreTemplate(id: $v) { id } }"],
    "Mutation.recordTemplateUsage id": ["template", "NOT_FOUND", "mutation ($v: ID!) { recordTemplateUsage(id: $v) { usageCount } }"],
    "Mutation.applyTemplate id": [
      "template",
      "NOT_FOUND",
      "mutation ($v: ID!, $asset: ID!) { applyTemplate(id: $v, input: { assetId: $asset }) { version } }",
    ],
    "Mutation.applyTemplate input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $template: ID!) { applyTemplate(id: $template, input: { assetId: $v }) { version } }",
    ],
    "Mutation.applyTemplate input.parentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $template: ID!) { applyTemplate(id: $template, input: { parentId: $v }) { version } }",
    ],
    "Mutation.createPart input.alternativeParts.id": [
      "otherPart",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { createPart(input: { partNumber: "N", name: "N", alternativeParts: [{ id: $v }] }) { id } }',
    ],
    "Mutation.updatePart input.alternativeParts.id": [
      "otherPart",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $part: ID!) { updatePart(id: $part, input: { name: "N", alternativeParts: [{ id: $v }] }) { id } }',
    ],
    "Mutation.createPart input.compatibleAssets.id": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { createPart(input: { partNumber: "N", name: "N", compatibleAssets: [{ id: $v }] }) { id } }',
    ],
    "Mutation.updatePart input.compatibleAssets.id": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $part: ID!) { updatePart(id: $part, input: { name: "N", compatibleAssets: [{ id: $v }] }) { id } }',
    ],
    "Mutation.createPart input.componentIds": [
      "component",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { createPart(input: { partNumber: "N", name: "N", componentIds: [$v] }) { id } }',
    ],
    "Mutation.updatePart input.componentIds": [
      "component",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $part: ID!) { updatePart(id: $part, input: { name: "N", componentIds: [$v] }) { id } }',
    ],
    "Mutation.updatePart id": ["part", "NOT_FOUND", 'mutation ($v: ID!) { updatePart(id: $v, input: { name: "Taken" }) { id } }'],
    "Mutation.deactivatePart id": ["part", "NOT_FOUND", "mutation ($v: ID!) { deactivatePart(id: $v) { id } }"],
    "Mutation.reactivatePart id": ["inactivePart", "NOT_FOUND", "mutation ($v: ID!) { reactivatePart(id: $v) { id } }"],
    "Mutation.updateInventory partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateInventory(partId: $v, input: { currentStock: 5, site: "North" }) { quantity } }',
    ],
    "Mutation.deleteInventory partId": ["part", "NOT_FOUND", "mutation ($v: ID!) { deleteInventory(partId: $v) { finalStock } }"],
    "Mutation.adjustStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { adjustStock(partId: $v, input: { adjustmentType: CORRECTION, quantity: 1, site: "North" }) { id } }',
    ],
    "Mutation.approveAdjustment id": ["adjustment", "NOT_FOUND", "mutation ($v: ID!) { approveAdjustment(id: $v) { id approved } }"],
    "Mutation.rejectAdjustment id": ["adjustment", "NOT_FOUND", "mutation ($v: ID!) { rejectAdjustment(id: $v) { id rejectedAt } }"],
    "Mutation.receiveStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { receiveStock(partId: $v, input: { quantity: 1, site: "North" }) { id newBalance } }',
    ],
    "Mutation.returnStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { returnStock(partId: $v, input: { quantity: 1, site: "North" }) { id newBalance } }',
    ],
    "Mutation.issueStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { issueStock(partId: $v, input: { quantity: 1, site: "North" }) { id newBalance } }',
    ],
    "Mutation.reserveStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { reserveStock(partId: $v, input: { quantity: 1, site: "North" }) { id newBalance } }',
    ],
    "Mutation.unreserveStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { unreserveStock(partId: $v, input: { quantity: 1, site: "North" }) { id newBalance } }',
    ],
    "Mutation.transferStock partId": [
      "part",
      "NOT_FOUND",
      'mutation ($v: ID!) { transferStock(partId: $v, input: { quantity: 1, fromSite: "North", toSite: "South" }) { id } }',
    ],
    "Query.procedure id": [
      "procedure",
      "NOT_FOUND",
      "query ($v: ID!) { procedure(id: $v) { id tenantId history { workOrderId } performance { completionRate } } }",
    ],
    "Query.procedures after": [
      "procedureCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { procedures(after: $v) { nodes { id } totalCount } }",
    ],
    "Query.procedures filter.assetId": [
      "asset",
      "nothing",
      "query ($v: ID!) { procedures(filter: { assetId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.upcoming assetId": ["asset", "nothing", "query ($v: ID!) { upcoming(days: 60, assetId: $v) { dueDate procedure { id } } }"],
    "Query.workOrder id": [
      "scheduledOrder",
      "NOT_FOUND",
      "query ($v: ID!) { workOrder(id: $v) { id tenantId steps { order } requiredParts { partId } statusHistory { toStatus } } }",
    ],
    "Query.workOrders after": [
      "workOrderCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { workOrders(after: $v) { nodes { id } totalCount } }",
    ],
    "Query.workOrders filter.assetId": [
      "asset",
      "nothing",
      "query ($v: ID!) { workOrders(filter: { assetId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.workOrders filter.componentId": [
      "component",
      "nothing",
      "query ($v: ID!) { workOrders(filter: { componentId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.workOrders filter.notificationId": [
      "notification",
      "nothing",
      "query ($v: ID!) { workOrders(filter: { notificationId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.workOrders filter.procedureId": [
      "procedure",
      "nothing",
      "query ($v: ID!) { workOrders(filter: { procedureId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.strategy id": [
      "strategy",
      "NOT_FOUND",
      "query ($v: ID!) { strategy(id: $v) { id tenantId assignedAssetIds performance { mtbf } } }",
    ],
    "Query.strategies after": [
      "strategyCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { strategies(after: $v) { nodes { id } totalCount } }",
    ],
    "Query.notification id": [
      "notification",
      "NOT_FOUND",
      "query ($v: ID!) { notification(id: $v) { id tenantId statusHistory { toStatus } workOrders { id } } }",
    ],
    "Query.notifications after": [
      "notificationCursor",
      "BAD_USER_INPUT",
      "query ($v: String!) { notifications(after: $v) { nodes { id } totalCount } }",
    ],
    "Query.notifications filter.assetId": [
      "asset",
      "nothing",
      "query ($v: ID!) { notifications(filter: { assetId: $v }) { nodes { id } totalCount } }",
    ],
    "Query.webhooks after": ["webhookCursor", "BAD_USER_INPUT", "query ($v: String!) { webhooks(after: $v) { nodes { id } totalCount } }"],
    "Webhook.deliveries after": [
      "deliveriesOfWebhook",
      "BAD_USER_INPUT",
      "query ($v: String!) { webhooks { nodes { deliveries(after: $v) { nodes { id } } } } }",
    ],
    "Asset.workOrders after": [
      "workOrdersOfAsset",
      "BAD_USER_INPUT",
      "query ($v: String!, $asset: ID!) { asset(id: $asset) { workOrders(after: $v) { nodes { id } } } }",
    ],
    "Asset.notifications after": [
      "notificationsOfAsset",
      "BAD_USER_INPUT",
      "query ($v: String!, $asset: ID!) { asset(id: $asset) { notifications(after: $v) { nodes { id } } } }",
    ],
    "Asset.readings after": [
      "readingsOfAsset",
      "BAD_USER_INPUT",
      "query ($v: String!, $asset: ID!) { asset(id: $asset) { readings(after: $v) { nodes { id } } } }",
    ],
    "Procedure.workOrders after": [
      "workOrdersOfProcedure",
      "BAD_USER_INPUT",
      "query ($v: String!, $doneProcedure: ID!) { procedure(id: $doneProcedure) { workOrders(after: $v) { nodes { id } } } }",
    ],
    "Mutation.createProcedure input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { createProcedure(input: { name: "N", frequency: DAILY, assetId: $v }) { id } }',
    ],
    "Mutation.createProcedure input.parts.partId": [
      "part",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $asset: ID!) { createProcedure(input: { name: "N", frequency: DAILY, assetId: $asset, parts: [{ partId: $v, quantity: 1 }] }) { id } }',
    ],
    "Mutation.createProcedure input.steps.parts.partId": [
      "part",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $asset: ID!) { createProcedure(input: { name: "N", frequency: DAILY, assetId: $asset, steps: [{ description: "D", parts: [{ partId: $v, quantity: 1 }] }] }) { id } }',
    ],
    "Mutation.updateProcedure id": [
      "procedure",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateProcedure(id: $v, input: { name: "Taken" }) { id } }',
    ],
    "Mutation.updateProcedure input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $procedure: ID!) { updateProcedure(id: $procedure, input: { name: "N", assetId: $v }) { id } }',
    ],
    "Mutation.updateProcedure input.parts.partId": [
      "part",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $procedure: ID!) { updateProcedure(id: $procedure, input: { name: "N", parts: [{ partId: $v, quantity: 1 }] }) { id } }',
    ],
    "Mutation.updateProcedure input.steps.parts.partId": [
      "part",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $procedure: ID!) { updateProcedure(id: $procedure, input: { name: "N", steps: [{ description: "D", parts: [{ partId: $v, quantity: 1 }] }] }) { id } }',
    ],
    "Mutation.deleteProcedure id": ["procedure", "NOT_FOUND", "mutation ($v: ID!) { deleteProcedure(id: $v) { id } }"],
    "Mutation.restoreProcedure id": ["deletedProcedure", "NOT_FOUND", "mutation ($v: ID!) { restoreProcedure(id: $v) { id } }"],
    "Mutation.createWorkOrder procedureId": ["procedure", "NOT_FOUND", "mutation ($v: ID!) { createWorkOrder(procedureId: $v) { id } }"],
    "Mutation.createWorkOrder input.componentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $procedure: ID!) { createWorkOrder(procedureId: $procedure, input: { componentId: $v }) { id } }",
    ],
    "Mutation.createWorkOrderFromNotification notificationId": [
      "notification",
      "NOT_FOUND",
      "mutation ($v: ID!) { createWorkOrderFromNotification(notificationId: $v) { id } }",
    ],
    "Mutation.createWorkOrderFromNotification input.componentId": [
      "component",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $notification: ID!) { createWorkOrderFromNotification(notificationId: $notification, input: { componentId: $v }) { id } }",
    ],
    "Mutation.createWorkOrderFromNotification input.procedureId": [
      "procedure",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $notification: ID!) { createWorkOrderFromNotification(notificationId: $notification, input: { procedureId: $v }) { id } }",
    ],
    "Mutation.createWorkOrderFromNotification input.parts.partId": [
      "part",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $notification: ID!) { createWorkOrderFromNotification(notificationId: $notification, input: { parts: [{ partId: $v, quantity: 1 }] }) { id } }",
    ],
    "Mutation.startWorkOrder id": ["scheduledOrder", "NOT_FOUND", "mutation ($v: ID!) { startWorkOrder(id: $v) { id status } }"],
    "Mutation.holdWorkOrder id": ["startedOrder", "NOT_FOUND", "mutation ($v: ID!) { holdWorkOrder(id: $v) { id status } }"],
    "Mutation.completeWorkOrder id": ["startedOrder", "NOT_FOUND", "mutation ($v: ID!) { completeWorkOrder(id: $v) { id status } }"],
    "Mutation.closeWorkOrder id": ["completedOrder", "NOT_FOUND", "mutation ($v: ID!) { closeWorkOrder(id: $v) { id status } }"],
    "Mutation.cancelWorkOrder id": ["scheduledOrder", "NOT_FOUND", "mutation ($v: ID!) { cancelWorkOrder(id: $v) { id status } }"],
    "Mutation.completeWorkOrder input.usedParts.partId": [
      "part",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $startedOrder: ID!) { completeWorkOrder(id: $startedOrder, input: { usedParts: [{ partId: $v, quantity: 1 }] }) { id } }",
    ],
    "Mutation.updateWorkOrder id": [
      "scheduledOrder",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateWorkOrder(id: $v, input: { notes: "n" }) { id } }',
    ],
    "Mutation.updateWorkOrderStep id": [
      "startedOrder",
      "NOT_FOUND",
      "mutation ($v: ID!) { updateWorkOrderStep(id: $v, order: 1, input: { status: COMPLETED }) { id } }",
    ],
    "Mutation.createStrategy input.procedures": [
      "procedure",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { createStrategy(input: { name: "N", type: REACTIVE, procedures: [$v] }) { id } }',
    ],
    "Mutation.updateStrategy id": [
      "strategy",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateStrategy(id: $v, input: { name: "Taken" }) { id } }',
    ],
    "Mutation.updateStrategy input.procedures": [
      "procedure",
      "BAD_USER_INPUT",
      'mutation ($v: ID!, $strategy: ID!) { updateStrategy(id: $strategy, input: { name: "N", procedures: [$v] }) { id } }',
    ],
    "Mutation.deleteStrategy id": ["strategy", "NOT_FOUND", "mutation ($v: ID!) { deleteStrategy(id: $v) { id } }"],
    "Mutation.restoreStrategy id": ["deletedStrategy", "NOT_FOUND", "mutation ($v: ID!) { restoreStrategy(id: $v) { id } }"],
    "Mutation.assignAssets strategyId": [
      "strategy",
      "NOT_FOUND",
      "mutation ($v: ID!, $asset: ID!) { assignAssets(strategyId: $v, assetIds: [$asset]) { id } }",
    ],
    "Mutation.assignAssets assetIds": [
      "asset",
      "BAD_USER_INPUT",
      "mutation ($v: ID!, $strategy: ID!) { assignAssets(strategyId: $strategy, assetIds: [$v]) { id } }",
    ],
    "Mutation.unassignAssets strategyId": [
      "strategy",
      "NOT_FOUND",
      "mutation ($v: ID!, $asset: ID!) { unassignAssets(strategyId: $v, assetIds: [$asset]) { id } }",
    ],
    "Mutation.unassignAssets assetIds": [
      "asset",
      "nothing",
      "mutation ($v: ID!, $strategy: ID!) { unassignAssets(strategyId: $strategy, assetIds: [$v]) { id } }",
    ],
    "Mutation.recordReadings readings.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { recordReadings(readings: [{ assetId: $v, parameter: "heat", value: 2 }]) { recorded } }',
    ],
    "Mutation.raiseNotification input.assetId": [
      "asset",
      "BAD_USER_INPUT",
      'mutation ($v: ID!) { raiseNotification(input: { type: TREND, severity: INFO, title: "t", message: "m", assetId: $v }) { id } }',
    ],
    "Mutation.changeNotificationStatus id": [
      "notification",
      "NOT_FOUND",
      "mutation ($v: ID!) { changeNotificationStatus(id: $v, status: RESOLVED) { id } }",
    ],
    "Mutation.addNotificationFeedback id": [
      "notification",
      "NOT_FOUND",
      "mutation ($v: ID!) { addNotificationFeedback(id: $v, input: { rating: 5 }) { id } }",
    ],
    "Mutation.updateWebhook id": [
      "webhook",
      "NOT_FOUND",
      'mutation ($v: ID!) { updateWebhook(id: $v, input: { description: "d" }) { id } }',
    ],
    "Mutation.deleteWebhook id": ["webhook", "NOT_FOUND", "mutation ($v: ID!) { deleteWebhook(id: $v) { id } }"],
    "Mutation.replayWebhookDelivery id": ["delivery", "NOT_FOUND", "mutation ($v: ID!) { replayWebhookDelivery(id: $v) { id } }"],
    "Mutation.rotateApiKey id": ["key", "NOT_FOUND", "mutation ($v: ID!) { rotateApiKey(id: $v) { apiKey { id } } }"],
    "Mutation.revokeApiKey id": ["key", "NOT_FOUND", "mutation ($v: ID!) { revokeApiKey(id: $v) { id revokedAt } }"],
  };
  /** Answered over a socket; see "subscriptions" below. */
  const subscriptions = [
    "Subscription.stockChanged partId",
    "Subscription.stockBelowReorderPoint partId",
    "Subscription.notificationRaised assetId",
  ];
  /** Refused with the caller's own, too: a rule of another kind. */
  const refusedAnyway = new Set([
    "Mutation.updateComponent input.parentId",
    "Mutation.moveComponent newParentId",
    "Mutation.bulkComponents data.assetId",
    "Mutation.bulkComponents data.parentId",
    // Answers alike where there is nothing to take off.
    "Mutation.unassignAssets assetIds",
    // Nothing was made of either yet.
    "Query.workOrders filter.notificationId",
    "Query.workOrders filter.procedureId",
  ]);

  test("the table above has every argument of the schema that names something", async () => {
    const schema = buildClientSchema(await theirs.tenant.ask(getIntrospectionQuery()));
    const named = (name: string, type: GraphQLInputType, above: string[] = []): string[] => {
      const inner = getNamedType(type);
      if (!isInputObjectType(inner)) return inner.name === "ID" || /after|before|token|cursor/i.test(name) ? [name] : [];
      if (above.includes(inner.name)) return [];
      return Object.values(inner.getFields()).flatMap((field) => named(`${name}.${field.name}`, field.type, [...above, inner.name]));
    };
    const found = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith("__"))
      .flatMap((type: any) =>
        Object.values<any>(type.getFields()).flatMap((field) =>
          field.args.flatMap((arg: any) => named(arg.name, arg.type).map((name) => `${type.name}.${field.name} ${name}`)),
        ),
      );
    expect(found.sort()).toEqual([...Object.keys(fields), ...subscriptions].sort());
  });

  test.each(Object.entries(fields))("%s: another tenant's is answered as unknown", async (name, [kind, outcome, operation]) => {
    const work = /Procedure|WorkOrder|Strategy|Assets a|Assets s|Notification|Webhook/.test(name);
    const mine = operation.startsWith("query") ? shared : await plant(name.includes("Photo"), work);
    const call = async (v: string) => {
      const declared = Object.entries({ ...mine, v }).filter(([variable]) => operation.includes(`$${variable}:`));
      const variables = Object.fromEntries(declared);
      return operation.includes("$file:") ? sendForm(mine.tenant, operation, variables) : mine.tenant.graphql(operation, variables);
    };
    const unknown = await answersAsUnknown(mine, theirs, kind, call);
    if (outcome === "nothing") expect(unknown.errors).toBeUndefined();
    else expect(unknown.errors.map(({ extensions }: any) => extensions.code)).toEqual([outcome]);
    // The operation is a right one: with the tenant's own it is not answered so.
    if (refusedAnyway.has(name)) return;
    const own = await call(mine[kind]);
    expect(own.errors).toBeUndefined();
    expect(comparable(own, mine[kind])).not.toEqual(unknown);
  });

  test("sites, areas and keys of another tenant are not there", async () => {
    const mine = shared;
    await theirs.tenant.createAsset({ site: "Theirs alone" });
    const { sites, apiKeys } = await mine.tenant.ask("{ sites { name assetCount areas { name assetCount } } apiKeys { id } }");
    expect(sites).toEqual([
      { name: "North", assetCount: 2, areas: [{ name: "Hall", assetCount: 2 }] },
      { name: "South", assetCount: 1, areas: [{ name: "", assetCount: 1 }] },
    ]);
    expect(apiKeys).toHaveLength(3);
    const unknown = (site: string) => mine.tenant.graphql("query ($site: String!) { site(name: $site) { assetCount } }", { site });
    expect(comparable(await unknown("Theirs alone"), "Theirs alone")).toEqual(
      comparable(await unknown("Nowhere at all"), "Nowhere at all"),
    );
  });

  test.each(["partNumber", "barcode", "qrCode"])("partByNumber: another tenant's %s is answered as unknown", async (field) => {
    const { body } = await theirs.tenant.rest("POST", "/parts", {
      partNumber: randomUUID(),
      name: "Theirs alone",
      barcode: randomUUID(),
      qrCode: randomUUID(),
    });
    const find = async (caller: Caller, value: string) =>
      comparable(await caller.graphql(`query ($value: String!) { partByNumber(by: { ${field}: $value }) { id } }`, { value }), value);
    const unknown = await find(shared.tenant, randomUUID());
    expect(unknown.errors.map(({ extensions }: any) => extensions.code)).toEqual(["NOT_FOUND"]);
    expect(comparable(await find(shared.tenant, body[field]), body[field])).toEqual(unknown);
    expect((await find(theirs.tenant, body[field])).errors).toBeUndefined();
  });

  test("subscriptions: another tenant's part is never heard of", async () => {
    const [mine, other] = [await plant(false), await plant(false)];
    const threshold = (who: Plant) => who.tenant.rest("PUT", `/inventory/${who.part}`, { site: "North", reorderPoint: 5 });
    for (const who of [mine, other]) expect((await threshold(who)).status).toBe(200);
    const follow = ({ tenant }: Plant, query: string) => {
      const heard: any[] = [];
      const client = createClient({
        url: `${gateway.url.replace("http", "ws")}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { Authorization: `Bearer ${tenant.key}` },
        retryAttempts: 0,
      });
      client.subscribe({ query }, { next: (result) => heard.push(result), error: (error) => heard.push(error), complete: () => {} });
      afterAll(() => client.dispose());
      return heard;
    };
    const both = (who: Plant, args: string) => [
      follow(who, `subscription { stockBelowReorderPoint${args} { partId } }`),
      follow(who, `subscription { stockChanged${args} { partId } }`),
    ];
    const foreign = both(mine, `(partId: "${other.part}")`);
    const [all, own, theirOwn] = [both(mine, ""), both(mine, `(partId: "${mine.part}")`), both(other, `(partId: "${other.part}")`)];
    // Up and down past the reorder point, until those that may hear it do: they were opened after those that may not.
    const count = ({ tenant, part }: Plant, currentStock: number) =>
      tenant.rest("PUT", `/inventory/${part}`, { site: "North", currentStock });
    await expect
      .poll(
        async () => {
          for (const who of [other, mine]) for (const quantity of [9, 2]) await count(who, quantity);
          return [...all, ...own, ...theirOwn].every((heard) => heard.length > 0);
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBe(true);
    // Once more, now that all of them listen.
    const soFar = theirOwn[0]!.length;
    for (const quantity of [9, 2]) await count(other, quantity);
    await expect.poll(() => theirOwn[0]!.length, { timeout: 10_000 }).toBeGreaterThan(soFar);
    expect(foreign).toEqual([[], []]);
    for (const heard of [...all, ...own])
      expect(new Set(heard.map(({ data }) => Object.values<any>(data)[0].partId))).toEqual(new Set([mine.part]));
  });
});

describe("the database", () => {
  const ours = `n.nspname = 'public' and t.relkind in ('r', 'p') and t.relname <> '_prisma_migrations'`;

  test("every table's primary key and every unique index begin with tenantId", async () => {
    const tablesFound = await gateway.database.query(
      `select t.relname as name from pg_class t join pg_namespace n on n.oid = t.relnamespace where ${ours} order by 1`,
    );
    const indexes = await gateway.database.query(
      `select t.relname as table, i.relname as index, x.indisprimary as primary, a.attname as first from pg_index x
       join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid join pg_namespace n on n.oid = t.relnamespace
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0] where ${ours} and x.indisunique`,
    );
    const names = tablesFound.map(({ name }) => name);
    expect(names.sort()).toEqual([...tables, "Tenant"].sort());
    expect(indexes.filter(({ first }) => first !== "tenantId")).toEqual([]);
    expect(
      indexes
        .filter(({ primary }) => primary)
        .map(({ table }) => table)
        .sort(),
    ).toEqual([...names].sort());
  });

  test("every foreign key begins with tenantId on both sides", async () => {
    const keys = await gateway.database.query(
      `select c.conname as name, a.attname as here, b.attname as there from pg_constraint c
       join pg_class t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid join pg_namespace n on n.oid = t.relnamespace
       join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1] join pg_attribute b on b.attrelid = f.oid and b.attnum = c.confkey[1]
       where ${ours} and c.contype = 'f'`,
    );
    expect(keys.filter(({ here, there }) => here !== "tenantId" || there !== "tenantId")).toEqual([]);
    expect(keys.length).toBeGreaterThan(0);
  });

  test("it refuses a reference into another tenant", async () => {
    const mine = shared;
    for (const [table, column, id] of [
      ["Component", "assetId", theirs.asset],
      ["Component", "parentId", theirs.component],
      ["Component", "templateId", theirs.template],
      ["ComponentTemplateVersion", "templateId", theirs.template],
      ["Photo", "assetId", theirs.asset],
      ["Photo", "partId", theirs.part],
      ["PartAlternative", "partId", theirs.part],
      ["PartAlternative", "alternativeId", theirs.part],
      ["PartAsset", "partId", theirs.part],
      ["PartAsset", "assetId", theirs.asset],
      ["PartComponent", "partId", theirs.part],
      ["PartComponent", "componentId", theirs.component],
      ["StockLevel", "partId", theirs.part],
      ["StockMovement", "partId", theirs.part],
      ["Procedure", "assetId", theirs.asset],
      ["WorkOrder", "assetId", theirs.asset],
      ["WorkOrder", "componentId", theirs.component],
      ["WorkOrder", "procedureId", theirs.procedure],
      ["WorkOrderStep", "workOrderId", theirs.scheduledOrder],
      ["Reading", "assetId", theirs.asset],
      ["Notification", "assetId", theirs.asset],
      ["WebhookDelivery", "webhookId", theirs.webhook],
    ]) {
      const change = gateway.database.query(
        `update "${table}" set "${column}" = $2 where ctid = (select ctid from "${table}" where "tenantId" = $1 and "${column}" is not null limit 1)`,
        [mine.tenant.tenantId, id],
      );
      await expect(change, `${table}.${column}`).rejects.toThrow(/foreign key|rows are never changed/);
    }
  });
});
