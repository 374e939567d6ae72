/** An end-to-end scenario over HTTP: from a reading over its threshold to detector precision and reliability (docs/work.md). */
import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();

test("reading over threshold → notification → work order → measurement out of limits → parts issued → completed with feedback → reliability", async () => {
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
    input: {
      type: "CORRECTIVE",
      productionStopped: true,
      parts: [{ partId: bearing.partId, quantity: 2 }],
      customSteps: [
        { description: "Isolate and lock out", kind: "ISOLATE", required: true },
        { description: "Verify zero energy", kind: "VERIFY", required: true },
        { description: "Change the bearings", estimatedTime: 90 },
        { description: "Remove the locks", kind: "RELEASE", required: true },
        { description: "Measure", kind: "MEASUREMENT", required: true, parameter: "vibration", unit: "mm/s", maximum: 4.5 },
      ],
    },
  });
  expect(order).toMatchObject({
    title: "vibration beyond its threshold",
    priority: "HIGH",
    status: "SCHEDULED",
    origin: "NOTIFICATION",
    requiredParts: [{ partId: bearing.partId, site: "North", quantity: 2, status: "RESERVED" }],
    steps: [1, 2, 3, 4, 5].map((order) => ({ order, status: "PENDING" })),
    notification: { id: notificationId },
  });

  await technician.ask(`mutation ($id: ID!) { startWorkOrder(id: $id) { notification { status } } }`, { id: order.id });
  const step = async (at: number, input: object) =>
    (
      await technician.graphql(
        `mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { isolatedBy steps { order result value } } }`,
        { id: order.id, order: at, input },
      )
    ).data?.updateWorkOrderStep;
  const done = { status: "COMPLETED" };
  expect(await step(3, done)).toBeNull();
  for (const at of [1, 2, 3]) await step(at, done);
  // While isolated, the pump does not run.
  expect((await admin.rest("PUT", `/assets/${pump.id}`, { status: "operational" })).status).toBe(409);
  await step(4, done);
  const measured = async (value: number) => (await step(5, { ...done, value })).steps.at(-1);
  expect(await measured(7.3)).toEqual({ order: 5, result: "FAIL", value: 7.3 });
  expect(await measured(1.8)).toEqual({ order: 5, result: "PASS", value: 1.8 });

  await technician.ask(`mutation ($id: ID!) { addLaborEntry(id: $id, input: { name: "Ada", minutes: 80, rate: 90 }) { laborCost } }`, {
    id: order.id,
  });
  const { completeWorkOrder } = await technician.ask(
    `mutation ($id: ID!) { completeWorkOrder(id: $id, input: { duration: 80, technician: "Ada", asFound: "Outer race pitted", asLeft: "1.8 mm/s",
        failureMode: "vibration", failureCause: "bearing-wear", remedy: "bearing-replaced",
        feedback: { verdict: CONFIRMED, rating: 5, failureMode: "Bearing wear", actionTaken: "Bearings changed" } }) {
      status duration technician partsCost laborCost totalCost alertOutcome notification { status } requiredParts { status usedQuantity } steps { status } } }`,
    { id: order.id },
  );
  expect(completeWorkOrder).toEqual({
    status: "COMPLETED",
    duration: 80,
    technician: "Ada",
    partsCost: 25,
    laborCost: 120,
    totalCost: 145,
    alertOutcome: "RESOLVED",
    notification: { status: "RESOLVED" },
    requiredParts: [{ status: "ISSUED", usedQuantity: 2 }],
    steps: Array.from({ length: 5 }, () => ({ status: "COMPLETED" })),
  });
  const { body: stock } = await admin.rest("GET", `/inventory/${bearing.partId}?site=North`);
  expect(stock).toMatchObject({ quantity: 8 });
  await admin.rest("PUT", `/assets/${pump.id}`, { status: "operational" });

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
  const { reliability } = await admin.ask(
    `query ($id: ID!) { reliability(assetId: $id) { failures mttr causes { cause downtimes }
      evidence(figure: FAILURES) { downtimes { cause planned endedAt workOrder { id } } workOrders { id totalCost } } } }`,
    { id: pump.id },
  );
  expect(reliability).toEqual({
    failures: 1,
    mttr: expect.any(Number),
    causes: [{ cause: "FAILURE", downtimes: 1 }],
    evidence: {
      downtimes: [{ cause: "FAILURE", planned: false, endedAt: expect.any(String), workOrder: { id: order.id } }],
      workOrders: [{ id: order.id, totalCost: 145 }],
    },
  });
  await admin.ask("mutation ($id: ID!) { closeWorkOrder(id: $id) { status } }", { id: order.id });
  expect((await admin.ask(`{ verifyLedger { balanced } }`)).verifyLedger.balanced).toBe(true);
});
