/**
 * Closing alerts: the single pending order of a notification, its completion, units and repeated readings, triggers after changes of
 * assets.
 */
import { describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../../world.js";

const gateway = await startGateway();

/** Reasons for rejected readings of a batch, by index. */
const refusals = async (caller: Caller, readings: object[]) =>
  (
    await caller.ask(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { results { error } } }`, { readings })
  ).recordReadings.results.map(({ error }: { error: string | null }) => error);

const record = (caller: Caller, readings: object[]) =>
  caller.graphql(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded duplicates raised } }`, {
    readings,
  });
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 10) + minute * 60_000).toISOString();

async function plant(condition: object = {}) {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ name: "Pump 1" });
  const { body } = await tenant.rest("POST", "/strategies", {
    name: "Vibration",
    type: "condition-based",
    applicableAssetTypes: ["pump"],
    triggerConditions: [{ parameter: "v", threshold: 7, unit: "mm/s", operator: "greater_than", ...condition }],
  });
  const read = async (minute: number, value: number, more: object = {}) =>
    (await record(tenant, [{ assetId, parameter: "v", value, recordedAt: at(minute), ...more }])).data.recordReadings;
  return { tenant, assetId, strategyId: body.id as string, read };
}

const alerts = async (tenant: Caller): Promise<any[]> =>
  (await tenant.ask(`{ notifications { nodes { id status isConditionMet message feedback { verdict } workOrders { id } } } }`))
    .notifications.nodes;
const order = (tenant: Caller, id: string) =>
  tenant.graphql(`mutation ($id: ID!) { createWorkOrderFromNotification(notificationId: $id) { id } }`, { id });
const start = (tenant: Caller, id: string) => tenant.ask(`mutation ($id: ID!) { startWorkOrder(id: $id) { id } }`, { id });
const complete = async (tenant: Caller, id: string, input: object) =>
  tenant.graphql(
    `mutation ($id: ID!, $input: CompleteWorkOrderInput) { completeWorkOrder(id: $id, input: $input) { status alertOutcome notification { status } } }`,
    { id, input },
  );

test("of ten orders at once one is created, and the other requests name it", async () => {
  const { tenant, read } = await plant();
  const [id] = (await read(0, 9)).raised;
  const answers = await Promise.all(Array.from({ length: 10 }, () => order(tenant, id)));
  const made = answers.flatMap(({ data }) => data?.createWorkOrderFromNotification?.id ?? []);
  expect(made).toHaveLength(1);
  for (const { errors } of answers.filter(({ errors }) => errors))
    expect(errors![0]!.extensions).toEqual({ code: "CONFLICT", reason: expect.stringContaining(made[0]), workOrderId: made[0] });
  expect(await alerts(tenant)).toMatchObject([{ status: "ACKNOWLEDGED", workOrders: [{ id: made[0] }] }]);
});

test("completion resolves the alert if the condition is over, otherwise once readings are back to normal", async () => {
  const { tenant, read } = await plant();
  const [id] = (await read(0, 9)).raised;
  const { id: first } = (await order(tenant, id)).data.createWorkOrderFromNotification;
  await start(tenant, first);
  expect((await complete(tenant, first, { feedback: { verdict: "CONFIRMED" } })).data.completeWorkOrder).toEqual({
    status: "COMPLETED",
    alertOutcome: "STILL_MET",
    notification: { status: "IN_PROGRESS" },
  });
  await read(1, 3);
  expect(await alerts(tenant)).toMatchObject([{ status: "RESOLVED", isConditionMet: false, feedback: { verdict: "CONFIRMED" } }]);

  const [again] = (await read(2, 9)).raised;
  const { id: second } = (await order(tenant, again)).data.createWorkOrderFromNotification;
  await start(tenant, second);
  await read(3, 3);
  expect((await complete(tenant, second, { feedback: { verdict: "FALSE_ALARM" } })).data.completeWorkOrder).toMatchObject({
    alertOutcome: "RESOLVED",
    notification: { status: "RESOLVED" },
  });
  expect((await tenant.ask(`{ detectorPrecision { notifications confirmed falsePositives precision } }`)).detectorPrecision).toEqual([
    { notifications: 2, confirmed: 1, falsePositives: 1, precision: 50 },
  ]);
});

test("a reopened order shows the results of its last completion", async () => {
  const { tenant, read } = await plant();
  const [id] = (await read(0, 9)).raised;
  const { id: made } = (await order(tenant, id)).data.createWorkOrderFromNotification;
  await start(tenant, made);
  await read(1, 3);
  expect((await complete(tenant, made, {})).data.completeWorkOrder).toMatchObject({ alertOutcome: "RESOLVED" });
  const reopen = `mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Loose") { alertOutcome notification { status } } }`;
  expect((await tenant.ask(reopen, { id: made })).reopenWorkOrder).toEqual({ alertOutcome: null, notification: { status: "RESOLVED" } });
  expect((await complete(tenant, made, {})).data.completeWorkOrder).toEqual({
    status: "COMPLETED",
    alertOutcome: null,
    notification: { status: "RESOLVED" },
  });
  expect((await tenant.ask(`query ($id: ID!) { workOrder(id: $id) { alertOutcome } }`, { id: made })).workOrder.alertOutcome).toBeNull();
});

test("an order from before, which is reopened, is its notification's only pending one too", async () => {
  const { tenant, read } = await plant();
  const [id] = (await read(0, 9)).raised;
  const { id: first } = (await order(tenant, id)).data.createWorkOrderFromNotification;
  await start(tenant, first);
  await complete(tenant, first, {});
  // The state that migrations left for orders completed before notifications had a single pending order.
  await gateway.database.query(`update "WorkOrder" set "alertId" = null where "tenantId" = $1`, [tenant.tenantId]);
  const { id: second } = (await order(tenant, id)).data.createWorkOrderFromNotification;
  const { errors } = await tenant.graphql(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Loose") { id } }`, { id: first });
  expect(errors?.[0]?.extensions.code).toBe("CONFLICT");
  expect(
    (await tenant.ask("{ workOrders { nodes { id status } } }")).workOrders.nodes.sort((a: any, b: any) =>
      a.status.localeCompare(b.status),
    ),
  ).toEqual([
    { id: first, status: "COMPLETED" },
    { id: second, status: "SCHEDULED" },
  ]);
});

describe("readings", () => {
  test("are converted to the unit of the threshold; another dimension is rejected, and nothing is stored", async () => {
    const { tenant, read, assetId } = await plant();
    const before = await tenant.snapshot("Reading", "Notification");
    expect(await refusals(tenant, [{ assetId, parameter: "v", value: 300, unit: "µm" }])).toEqual([
      "unit cannot be converted to mm/s, the unit of the threshold",
    ]);
    expect(await tenant.snapshot("Reading", "Notification")).toEqual(before);
    expect((await read(0, 0.27, { unit: "in/s" })).raised).toEqual([]);
    expect((await read(1, 0.3, { unit: "in/s" })).raised).toHaveLength(1);
    expect(await alerts(tenant)).toMatchObject([{ message: "v is 7.62 mm/s (0.3 in/s), > 7" }]);
  });

  test("in a blank unit equal those without a unit, and a blank unit of a threshold accepts any", async () => {
    const { read } = await plant();
    expect((await read(0, 9, { unit: "" })).raised).toHaveLength(1);
    expect(await read(0, 9, { unit: " " })).toEqual({ recorded: 0, duplicates: 1, raised: [] });
    expect(await read(0, 9)).toEqual({ recorded: 0, duplicates: 1, raised: [] });
    const any = await plant({ unit: "" });
    expect((await any.read(0, 9, { unit: "mm/s" })).raised).toHaveLength(1);
  });

  test("beyond all numbers in the unit of the threshold count as the largest", async () => {
    const { tenant, read } = await plant();
    expect((await read(0, 1e308, { unit: "km/s" })).raised).toHaveLength(1);
    const { notifications } = await tenant.ask("{ notifications { nodes { id metadata } } }");
    expect(notifications.nodes[0].metadata.value).toBe(Number.MAX_VALUE);
    expect((await tenant.rest("GET", `/notifications/${notifications.nodes[0].id}`)).body.metadata.value).toBe(Number.MAX_VALUE);
  });

  test("are stored once, in one batch too, and count once", async () => {
    const { tenant, read, assetId } = await plant({ violations: 3 });
    const one = { assetId, parameter: "v", value: 9, recordedAt: at(0) };
    expect((await record(tenant, [one, one])).data.recordReadings).toEqual({ recorded: 1, duplicates: 1, raised: [] });
    expect(await read(0, 9)).toEqual({ recorded: 0, duplicates: 1, raised: [] });
    expect((await read(1, 9)).raised).toEqual([]);
    const other = "value is 9 already; a reading is not changed";
    expect(await refusals(tenant, [{ ...one, value: 8 }])).toEqual([other]);
    expect(await refusals(tenant, [{ ...one, value: 8 }, one])).toEqual([other, null]);
    expect((await read(2, 9)).raised).toHaveLength(1);
    const same = await Promise.all(Array.from({ length: 8 }, () => read(7, 9)));
    expect(same.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(1);
  });

  test("that come late complete a run of known ones", async () => {
    const { read } = await plant({ violations: 3 });
    for (const minute of [0, 2]) expect((await read(minute, 9)).raised).toEqual([]);
    expect((await read(1, 9)).raised).toHaveLength(1);
  });

  test("trip after the minimum duration without interruption", async () => {
    const { read } = await plant({ minimumDuration: 10 });
    for (const [minute, value] of [
      [0, 9],
      [9, 9],
      [9.5, 1],
      [10, 9],
      [19, 9],
    ] as const)
      expect((await read(minute, value)).raised).toEqual([]);
    expect((await read(20, 9)).raised).toHaveLength(1);
  });
});

describe("a change of an asset's type", () => {
  const transports: [string, (tenant: Caller, assetId: string, type: string) => Promise<unknown>][] = [
    ["PUT", (tenant, assetId, type) => tenant.rest("PUT", `/assets/${assetId}`, { type })],
    [
      "import",
      (tenant, _, type) =>
        tenant.rest("POST", "/assets/import?mode=upsert", `name,type,serialNumber\nPump 1,${type},S1\n`, { "content-type": "text/csv" }),
    ],
  ];
  test.each(transports)("by %s reviews triggers", async (_, change) => {
    const { tenant, assetId, read } = await plant();
    await tenant.rest("PUT", `/assets/${assetId}`, { serialNumber: "S1" });
    await change(tenant, assetId, "fan");
    expect((await tenant.rest("GET", `/assets/${assetId}`)).body.type).toBe("fan");
    expect((await read(0, 9)).raised).toEqual([]);
    await change(tenant, assetId, "pump");
    expect(await alerts(tenant)).toMatchObject([{ status: "OPEN", isConditionMet: true }]);
    await change(tenant, assetId, "fan");
    expect(await alerts(tenant)).toMatchObject([{ status: "OPEN", isConditionMet: false }]);
  });
});
