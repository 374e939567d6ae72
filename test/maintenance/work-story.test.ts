/** An end-to-end scenario over HTTP: from a reading over its threshold to detector precision and MTBF. */
import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();

test("reading over threshold → notification → work order → parts issued → completed → feedback → precision and MTBF", async () => {
  const admin = await gateway.newTenant();
  const technician = await admin.as("technician");
  const sensor = await admin.as("ingest");
  const pump = await admin.createAsset({ name: "Feed pump", type: "pump", site: "North" });
  const { body: bearing } = await admin.rest("POST", "/parts", {
    partNumber: "BRG-6205",
    name: "Bearing",
    unitCost: 12.5,
    stockLevel: 10,
    site: "North",
  });
  const { body: strategy } = await admin.rest("POST", "/strategies", {
    name: "Pumps by vibration",
    type: "condition-based",
    applicableAssetTypes: ["Pump"],
    triggerConditions: [{ parameter: "vibration", threshold: 7.1, unit: "mm/s", operator: "greater_than" }],
  });
  const statistics = async () => {
    const { strategy: shown, detectorPrecision } = await admin.ask(
      `query ($id: ID!) { strategy(id: $id) { performance { mtbf availability costPerMonth } assignedAssetIds } detectorPrecision { type modelVersion notifications confirmed falsePositives precision } }`,
      { id: strategy.id },
    );
    return { ...shown, detectorPrecision };
  };
  expect(await statistics()).toEqual({
    performance: { mtbf: null, availability: 100, costPerMonth: 0 },
    assignedAssetIds: [pump.id],
    detectorPrecision: [],
  });

  const record = `mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded raised } }`;
  const read = async (value: number) =>
    (await sensor.ask(record, { readings: [{ assetId: pump.id, parameter: "vibration", value, unit: "mm/s", sensorID: "VIB-1" }] }))
      .recordReadings;
  expect(await read(4.2)).toEqual({ recorded: 1, raised: [] });
  const { raised } = await read(9.8);
  expect(raised).toHaveLength(1);
  expect(await read(9.9)).toEqual({ recorded: 1, raised: [] });

  const [notificationId] = raised;
  const { body: alert } = await technician.rest("GET", `/notifications/${notificationId}`);
  expect(alert).toMatchObject({
    companyName: admin.tenantId,
    siteName: "North",
    sensorID: "VIB-1",
    assetName: "Feed pump",
    type: "threshold",
    severity: "warning",
    status: "open",
    message: "vibration is 9.9 mm/s, > 7.1",
  });

  await admin.rest("PUT", `/assets/${pump.id}`, { status: "offline" });
  const make = `mutation ($id: ID!, $input: CreateWorkOrderFromNotificationInput) { createWorkOrderFromNotification(notificationId: $id, input: $input) {
    id title priority status origin requiredParts { partId site quantity status } steps { order description status } notification { id } } }`;
  const { createWorkOrderFromNotification: order } = await technician.ask(make, {
    id: notificationId,
    input: { parts: [{ partId: bearing.partId, quantity: 2 }], customSteps: [{ description: "Change the bearings", estimatedTime: 90 }] },
  });
  expect(order).toMatchObject({
    title: "vibration beyond its threshold",
    priority: "HIGH",
    status: "SCHEDULED",
    origin: "NOTIFICATION",
    requiredParts: [{ partId: bearing.partId, site: "North", quantity: 2, status: "RESERVED" }],
    steps: [{ order: 1, description: "Change the bearings", status: "PENDING" }],
    notification: { id: notificationId },
  });

  await technician.ask(
    `mutation ($id: ID!) { changeNotificationStatus(id: $id, status: IN_PROGRESS) { id } startWorkOrder(id: "${order.id}") { id } }`,
    {
      id: notificationId,
    },
  );
  await technician.ask(`mutation ($id: ID!) { updateWorkOrderStep(id: $id, order: 1, input: { status: COMPLETED }) { id } }`, {
    id: order.id,
  });
  const { completeWorkOrder } = await technician.ask(
    `mutation ($id: ID!) { completeWorkOrder(id: $id, input: { duration: 80, laborCost: 120, technician: "Ada" }) {
      status duration technician partsCost laborCost requiredParts { status usedQuantity } steps { status } } }`,
    { id: order.id },
  );
  expect(completeWorkOrder).toEqual({
    status: "COMPLETED",
    duration: 80,
    technician: "Ada",
    partsCost: 25,
    laborCost: 120,
    requiredParts: [{ status: "ISSUED", usedQuantity: 2 }],
    steps: [{ status: "COMPLETED" }],
  });
  const { body: stock } = await admin.rest("GET", `/inventory/${bearing.partId}?site=North`);
  expect(stock).toMatchObject({ quantity: 8 });
  await admin.rest("PUT", `/assets/${pump.id}`, { status: "operational" });

  await technician.ask(
    `mutation ($id: ID!) {
      changeNotificationStatus(id: $id, status: RESOLVED) { id }
      addNotificationFeedback(id: $id, input: { rating: 5, failureMode: "Bearing wear", actionTaken: "Bearings changed" }) { id }
    }`,
    { id: notificationId },
  );
  const { body: list } = await admin.rest("GET", `/notifications?includeFeedback=true`);
  expect(list).toMatchObject({
    count: 1,
    items: [{ status: "resolved", feedback: { rating: 5, failureMode: "Bearing wear", actionTaken: "Bearings changed" } }],
  });
  const after = await statistics();
  expect(after.detectorPrecision).toEqual([
    { type: "THRESHOLD", modelVersion: null, notifications: 1, confirmed: 1, falsePositives: 0, precision: 100 },
  ]);
  expect(after.performance.mtbf).toBeGreaterThanOrEqual(0);
  expect(after.performance.mtbf).toBeLessThan(1);
  expect(after.performance.costPerMonth).toBe(145);
  expect(after.performance.availability).toBeLessThan(100);
  expect((await admin.ask(`{ verifyLedger { balanced } }`)).verifyLedger.balanced).toBe(true);
});
