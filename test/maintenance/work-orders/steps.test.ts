/** Step types over GraphQL: required steps, measurements, isolation. REST does not expose them. */
import pg from "pg";
import { expect, test } from "vitest";
import { type Caller, onPostgresql, sharedGateway } from "../../world.js";
import { act, attempt, failed, procedure, rows } from "./orders.js";

const gateway = await sharedGateway();

const fields = `id status isolatedBy steps { order status kind required parameter unit minimum maximum value result reason skipAllowedBy changedBy }
  followUps { id title priority assetId followUpOfStep followUpOf { id } }`;
const setStep = (caller: Caller, id: string, order: number, input: object) =>
  caller.graphql(
    `mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { ${fields} } }`,
    { id, order, input },
  );
async function stepped(caller: Caller, id: string, order: number, input: object): Promise<any> {
  const { data, errors } = await setStep(caller, id, order, input);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.updateWorkOrderStep;
}
const done = { status: "COMPLETED" };
const allow = (caller: Caller, id: string, order: number) =>
  caller.graphql(
    `mutation ($id: ID!, $order: Int!) { allowWorkOrderStepSkip(id: $id, order: $order, reason: "No energy") { steps { reason skipAllowedBy } } }`,
    { id, order },
  );

/** A started work order with these steps, on an asset in maintenance. */
async function started(tenant: Caller, steps: object[]) {
  const asset = await tenant.createAsset({ status: "maintenance", serialNumber: "S-1" });
  const { createProcedure } = await tenant.ask(
    "mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id steps { kind required } } }",
    { input: { name: "P", assetId: asset.id, frequency: "MONTHLY", steps } },
  );
  const { createWorkOrder } = await tenant.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", {
    id: createProcedure.id,
  });
  await act(tenant, "start", createWorkOrder.id);
  return { asset, id: createWorkOrder.id as string, procedureId: createProcedure.id as string };
}

test("a required step keeps a work order from being completed, unless a manager skips it with a reason", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const { id } = await started(tenant, [{ description: "Grease", required: true }, { description: "Wipe" }]);
  await failed(tenant, () => attempt(tenant, "complete", id), { code: "CONFLICT", step: 1, status: "PENDING" });
  // An outdated version is reported first, because the caller may have seen other steps.
  const outdated = "mutation ($id: ID!) { completeWorkOrder(id: $id, expectedVersion: 1) { id } }";
  await failed(tenant, () => tenant.graphql(outdated, { id }), { code: "CONFLICT", version: 2, expectedVersion: 1 });
  await failed(tenant, () => setStep(technician, id, 1, { status: "SKIPPED", reason: "x" }), { code: "FORBIDDEN" });
  await failed(tenant, () => setStep(tenant, id, 1, { status: "SKIPPED" }), {
    code: "BAD_USER_INPUT",
    details: { reason: "is required to skip a required step" },
  });
  const { steps } = await stepped(tenant, id, 1, { status: "SKIPPED", reason: "Greased yesterday" });
  expect(steps[0]).toMatchObject({ status: "SKIPPED", reason: "Greased yesterday", required: true });
  const completed = await act(tenant, "complete", id);
  expect(completed.steps.map(({ status }: any) => status)).toEqual(["SKIPPED", "SKIPPED"]);
});

test("work after the fact has its required steps and gates too", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const scheduled = async (step: object): Promise<string> => {
    const input = { assetId, title: "Done on Friday", customSteps: [{ description: "Grease", ...step }] };
    const query = "mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }";
    return (await tenant.ask(query, { input })).createWorkOrder.id;
  };
  const times = { startedAt: "2026-01-02T08:00:00Z", completedAt: "2026-01-02T09:00:00Z" };
  for (const step of [{ required: true }, { kind: "VERIFY" }, { kind: "MEASUREMENT", parameter: "v", required: true }]) {
    const id = await scheduled(step);
    await failed(tenant, () => attempt(tenant, "complete", id, times), { code: "CONFLICT", step: 1, status: "PENDING" });
    await act(tenant, "start", id);
    await failed(tenant, () => attempt(tenant, "complete", id, times), { code: "CONFLICT", step: 1, status: "PENDING" });
  }
  expect((await act(tenant, "complete", await scheduled({}), times)).steps).toMatchObject([{ status: "SKIPPED" }]);
});

test("a technician may skip a step that a manager allowed to skip", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const { id } = await started(tenant, [{ description: "Grease", required: true }]);
  await failed(tenant, () => allow(technician, id, 1), { code: "FORBIDDEN" });
  expect((await allow(tenant, id, 1)).errors).toBeUndefined();
  expect((await stepped(technician, id, 1, { status: "SKIPPED" })).steps[0]).toMatchObject({ status: "SKIPPED", reason: "No energy" });
  await failed(tenant, () => allow(tenant, id, 1), { code: "CONFLICT", status: "SKIPPED" });
  expect((await act(technician, "complete", id)).status).toBe("COMPLETED");
});

test("nothing is allowed of a cancelled work order", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await started(tenant, [{ description: "Grease", required: true }]);
  await act(tenant, "cancel", id);
  await failed(tenant, () => allow(tenant, id, 1), { code: "CONFLICT", status: "CANCELLED" });
});

test("a measurement passes or fails, becomes a reading, trips triggers and raises one follow-up at a time", async () => {
  const tenant = await gateway.newTenant();
  const { asset, id } = await started(tenant, [
    { description: "Measure", kind: "MEASUREMENT", required: true, parameter: "vibration", unit: "mm/s", minimum: 1, maximum: 4.5 },
    { description: "Look" },
  ]);
  await tenant.ask("mutation ($input: CreateStrategyInput!) { createStrategy(input: $input) { id } }", {
    input: {
      name: "S",
      type: "CONDITION_BASED",
      criticality: "HIGH",
      frequency: "CONTINUOUS",
      applicableAssetTypes: [asset.type],
      triggerConditions: [{ parameter: "vibration", operator: "GREATER_THAN", threshold: 7, unit: "mm/s" }],
    },
  });
  const followUp = (order = 1) =>
    tenant.graphql("mutation ($id: ID!, $order: Int!) { createFollowUpWorkOrder(id: $id, order: $order) { id } }", { id, order });
  await failed(tenant, () => setStep(tenant, id, 1, done), {
    code: "BAD_USER_INPUT",
    details: { value: "is required: what was measured" },
  });
  await failed(tenant, () => setStep(tenant, id, 2, { ...done, value: 1, reason: "x", followUp: {} }), {
    code: "BAD_USER_INPUT",
    details: { value: expect.any(String), reason: expect.any(String), followUp: expect.any(String) },
  });
  expect(await stepped(tenant, id, 1, { ...done, value: 4.5, followUp: {} })).toMatchObject({
    steps: { 0: { value: 4.5, result: "PASS" } },
    followUps: [],
  });
  await failed(tenant, () => followUp(), { code: "CONFLICT", step: 1 });
  const failing = await stepped(tenant, id, 1, { ...done, value: 9, followUp: { title: "Align" } });
  expect(failing).toMatchObject({
    steps: { 0: { value: 9, result: "FAIL" } },
    followUps: [{ title: "Align", priority: "HIGH", assetId: asset.id, followUpOfStep: 1, followUpOf: { id } }],
  });
  const [{ id: follower }] = failing.followUps;
  await failed(tenant, () => followUp(), { code: "CONFLICT", workOrderId: follower });
  await failed(tenant, () => setStep(tenant, id, 1, { ...done, value: 0, followUp: {} }), { code: "CONFLICT", workOrderId: follower });
  await act(tenant, "cancel", follower);
  expect((await stepped(tenant, id, 1, { ...done, value: 0.5, followUp: {} })).followUps[1]).toMatchObject({
    title: "vibration is 0.5 mm/s: out of limits",
  });
  expect((await stepped(tenant, id, 1, { ...done, value: 1 })).steps[0]).toMatchObject({ value: 1, result: "PASS" });
  const { asset: read } = await tenant.ask(
    `query ($id: ID!) { asset(id: $id) { readings { nodes { parameter value unit } } notifications { nodes { title } } } }`,
    { id: asset.id },
  );
  expect(read.readings.nodes.map(({ value }: any) => value).sort((a: number, b: number) => a - b)).toEqual([0.5, 1, 4.5, 9]);
  expect(read.notifications.nodes).toEqual([{ title: "vibration beyond its threshold" }]);
  expect((await act(tenant, "complete", id)).status).toBe("COMPLETED");
});

test.runIf(onPostgresql)("a step locks the asset before the work order, as completion does", async () => {
  const tenant = await gateway.newTenant();
  const { asset, id } = await started(tenant, [{ description: "Measure", kind: "MEASUREMENT", parameter: "v" }]);
  const other = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
  await other.connect();
  await other.query("begin");
  await other.query(`select 1 from "Asset" where "tenantId" = $1 and id = $2 for no key update`, [tenant.tenantId, asset.id]);
  const measured = setStep(tenant, id, 1, { ...done, value: 1 });
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%"Asset"%'`;
  await expect.poll(() => gateway.database.query(waiting)).toHaveLength(1);
  await other.query(`select 1 from "WorkOrder" where "tenantId" = $1 and id = $2 for update nowait`, [tenant.tenantId, id]);
  await other.query("commit");
  await other.end();
  expect((await measured).errors).toBeUndefined();
});

const isolated = [
  { description: "Lock", kind: "ISOLATE" },
  { description: "Test for voltage", kind: "VERIFY" },
  { description: "Change the belt" },
  { description: "Unlock", kind: "RELEASE" },
];

test("isolation gates the steps after it, and until its release the order cannot end and the asset does not become operational", async () => {
  const tenant = await gateway.newTenant();
  const [fitter, other] = [await tenant.as("technician"), await tenant.as("technician")];
  const { id, asset } = await started(tenant, isolated);
  await failed(tenant, () => setStep(fitter, id, 3, done), { code: "CONFLICT", step: 1, status: "PENDING" });
  await failed(tenant, () => setStep(fitter, id, 3, { status: "IN_PROGRESS" }), { code: "CONFLICT", step: 1 });
  await failed(tenant, () => attempt(fitter, "complete", id), { code: "CONFLICT", step: 1 });
  const { isolatedBy } = await stepped(fitter, id, 1, done);
  expect(isolatedBy).toEqual(expect.any(String));
  await failed(tenant, () => setStep(fitter, id, 3, done), { code: "CONFLICT", step: 2 });
  await stepped(fitter, id, 2, done);
  await stepped(fitter, id, 3, done);
  await failed(tenant, () => attempt(fitter, "complete", id), { code: "CONFLICT", step: 4 });
  await failed(tenant, () => attempt(tenant, "cancel", id), { code: "CONFLICT", step: 4 });
  await failed(tenant, () => setStep(tenant, id, 4, { status: "SKIPPED", reason: "x" }), { code: "CONFLICT", step: 4 });
  // The database rejects the write from any client.
  await expect(
    gateway.database.query(`update "WorkOrder" set "endedAt" = now() where "tenantId" = $1 and id = $2`, [tenant.tenantId, id]),
  ).rejects.toThrow();

  const conflict = {
    error: "The asset is isolated and cannot become operational",
    code: "CONFLICT",
    workOrderId: id,
    requestId: expect.any(String),
    reason: `Work order ${id} isolates it; complete its RELEASE step first`,
  };
  const put = await tenant.rest("PUT", `/assets/${asset.id}`, { status: "operational" });
  expect({ status: put.status, body: put.body }).toEqual({ status: 409, body: conflict });
  const graph = await tenant.graphql(`mutation ($id: ID!) { updateAsset(id: $id, input: { status: OPERATIONAL }) { id } }`, {
    id: asset.id,
  });
  expect(graph.errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", workOrderId: id });
  const csv = "name,type,serialNumber,status\nA,pump,S-1,operational\nB,pump,S-2,operational\n";
  const imported = await tenant.rest("POST", "/assets/import?mode=upsert", csv, { "content-type": "text/csv" });
  expect(imported.body).toMatchObject({ imported: 1, failed: 1, errors: [{ row: 2, field: "status", value: "operational" }] });
  expect((await tenant.rest("GET", `/assets/${asset.id}`)).body.status).toBe("maintenance");
  expect((await tenant.rest("PUT", `/assets/${asset.id}`, { status: "offline" })).status).toBe(200);

  await failed(tenant, () => setStep(other, id, 4, done), { code: "FORBIDDEN" });
  await failed(tenant, () => setStep(tenant, id, 4, done), { code: "BAD_USER_INPUT", details: { reason: expect.any(String) } });
  const released = await stepped(fitter, id, 4, done);
  expect(released).toMatchObject({ isolatedBy: null, steps: { 3: { status: "COMPLETED", reason: null } } });
  expect((await tenant.rest("PUT", `/assets/${asset.id}`, { status: "operational" })).status).toBe(200);
  expect((await act(fitter, "complete", id)).status).toBe("COMPLETED");
});

test("a release takes back only what was isolated before it", async () => {
  const tenant = await gateway.newTenant();
  const [fitter, other] = [await tenant.as("technician"), await tenant.as("technician")];
  const { id } = await started(tenant, [
    { description: "Lock", kind: "ISOLATE" },
    { description: "Unlock for the test run", kind: "RELEASE" },
    { description: "Lock again", kind: "ISOLATE" },
    { description: "Unlock", kind: "RELEASE" },
  ]);
  for (const order of [1, 2, 3]) await stepped(fitter, id, order, done);
  await failed(tenant, () => setStep(tenant, id, 4, { status: "SKIPPED", reason: "x" }), { code: "CONFLICT", step: 4, status: "PENDING" });
  await failed(tenant, () => setStep(other, id, 4, done), { code: "FORBIDDEN" });
  await failed(tenant, () => attempt(tenant, "cancel", id), { code: "CONFLICT", step: 4, status: "PENDING" });
  expect(await stepped(fitter, id, 4, done)).toMatchObject({ isolatedBy: null });
  expect((await act(tenant, "cancel", id)).status).toBe("CANCELLED");
});

test("an isolation holds until the release behind it, regardless of earlier releases", async () => {
  const tenant = await gateway.newTenant();
  const kinds = ["ISOLATE", "RELEASE", "ISOLATE", "RELEASE"];
  const { id, asset } = await started(
    tenant,
    kinds.map((kind) => ({ kind, description: kind })),
  );
  const isolations: (string | null)[] = [];
  for (const order of [1, 2, 3]) isolations.push((await stepped(tenant, id, order, done)).isolatedBy);
  expect(isolations).toEqual([expect.any(String), null, expect.any(String)]);
  await failed(tenant, () => attempt(tenant, "cancel", id), { code: "CONFLICT", step: 4 });
  expect((await tenant.rest("PUT", `/assets/${asset.id}`, { status: "operational" })).status).toBe(409);
  expect(await stepped(tenant, id, 4, done)).toMatchObject({ isolatedBy: null });
  expect((await act(tenant, "cancel", id)).status).toBe("CANCELLED");
});

test("a manager releases instead, with a stored reason", async () => {
  const tenant = await gateway.newTenant();
  const fitter = await tenant.as("technician");
  const { id } = await started(tenant, isolated);
  await stepped(fitter, id, 1, done);
  await stepped(fitter, id, 2, done);
  const { steps, isolatedBy } = await stepped(tenant, id, 4, { ...done, reason: "Left the site" });
  expect({ isolatedBy, step: steps[3] }).toMatchObject({ isolatedBy: null, step: { status: "COMPLETED", reason: "Left the site" } });
  expect(steps[3].changedBy).not.toBe(steps[0].changedBy);
  expect((await act(tenant, "cancel", id)).status).toBe("CANCELLED");
});

test("isolating is skipped only after another person allowed it", async () => {
  const tenant = await gateway.newTenant();
  const [manager, fitter] = [await tenant.as("manager"), await tenant.as("technician")];
  const { id } = await started(tenant, isolated);
  const skip = { status: "SKIPPED" };
  await failed(tenant, () => setStep(manager, id, 1, { ...skip, reason: "x" }), { code: "CONFLICT", step: 1 });
  expect((await allow(manager, id, 1)).errors).toBeUndefined();
  await failed(tenant, () => setStep(manager, id, 1, skip), { code: "CONFLICT", step: 1 });
  await stepped(fitter, id, 1, skip);
  await failed(tenant, () => setStep(fitter, id, 2, skip), { code: "CONFLICT", step: 2 });
  await failed(tenant, () => allow(manager, id, 4), { code: "CONFLICT", step: 4 });
  await allow(manager, id, 2);
  await stepped(fitter, id, 2, skip);
  expect(await stepped(fitter, id, 3, done)).toMatchObject({ isolatedBy: null });
  expect((await act(fitter, "complete", id)).steps[3].status).toBe("SKIPPED");
});

test("steps that contradict themselves or each other are rejected, naming each", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const steps = [
    { description: "a", kind: "MEASUREMENT", minimum: 2, maximum: 1 },
    { description: "b", parameter: "x", unit: "m" },
    { description: "c", kind: "RELEASE" },
    { description: "d", kind: "ISOLATE" },
  ];
  const input = { name: "P", assetId, frequency: "MONTHLY" };
  const create = "mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }";
  const names = ["0.parameter", "0.maximum", "1.parameter", "1.unit", "2.kind", "3.kind"];
  const details = (list: string) => Object.fromEntries(names.map((name) => [`${list}.${name}`, expect.any(String)]));
  await failed(tenant, () => tenant.graphql(create, { input: { ...input, steps } }), { code: "BAD_USER_INPUT", details: details("steps") });
  const { createProcedure } = await tenant.ask(create, { input });
  const order = "mutation ($id: ID!, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $id, input: $input) { id } }";
  await failed(tenant, () => tenant.graphql(order, { id: createProcedure.id, input: { customSteps: steps } }), {
    code: "BAD_USER_INPUT",
    details: details("customSteps"),
  });
});

test("REST neither accepts nor shows any of it", async () => {
  const tenant = await gateway.newTenant();
  const steps = [{ order: 1, description: "a", kind: "isolate", required: true, parameter: "x", minimum: 1 }];
  const { id, steps: shown } = await procedure(tenant, { steps });
  expect(shown).toEqual([{ order: 1, description: "a", tools: [] }]);
  const { body } = await tenant.rest("POST", `/pms/${id}/createworkorder`, { customSteps: [{ description: "b", kind: "release" }] });
  expect(body.steps).toEqual([1, 2].map((order) => ({ order, description: order === 1 ? "a" : "b", status: "pending" })));
  const { workOrder } = await tenant.ask(`{ workOrder(id: "${body.workOrderId}") { steps { kind required } } }`);
  expect(workOrder.steps).toEqual([1, 2].map(() => ({ kind: "TASK", required: false })));
  expect((await rows(tenant))[3]!.map(({ parameter }: any) => parameter)).toEqual([null, null]);
});
