/** Steps that exchange the unit of a component, over GraphQL and REST (docs/units.md, "Exchange as a step"). */
import { expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, type RestResponse, sharedGateway } from "../../world.js";
import { act, attempt, rows } from "./orders.js";

const gateway = await sharedGateway();

const tables = ["WorkOrder", "WorkOrderStep", "Component", "Unit", "UnitPeriod"];
const shownStep = `order kind status required notes componentId component { name } removedUnit { serialNumber } installedUnit { serialNumber manufacturer }`;

const setStep = (caller: Caller, id: string, input: object, order = 1) =>
  caller.graphql(
    `mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { status steps { ${shownStep} } } }`,
    { id, order, input },
  );
const exchange = (caller: Caller, id: string, exchange: object | null, more: object = {}, order = 1) =>
  setStep(caller, id, { status: "COMPLETED", exchange, ...more }, order);
const exchanged = async (caller: Caller, id: string, input: object, more: object = {}, order = 1): Promise<any> => {
  const { data, errors } = await exchange(caller, id, input, more, order);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.updateWorkOrderStep.steps[order - 1];
};

interface Refusal {
  extensions: object;
  /** The refused fields. */
  paths: string[];
}

async function refused(caller: Caller, call: () => Promise<GraphqlAnswer>, expected: Refusal) {
  const before = await rows(caller, tables);
  const { errors = [] } = await call();
  const paths = errors.flatMap(({ fieldErrors = [] }) => fieldErrors.map(({ path }) => path.slice(1).join(".")));
  expect({ extensions: errors.map(({ extensions: { requestId: _, ...extensions } }: any) => extensions), paths }).toEqual({
    ...expected,
    extensions: [expected.extensions],
  });
  expect(await rows(caller, tables)).toEqual(before);
}
const bad = (details: Record<string, string>): Refusal => ({
  extensions: { code: "BAD_USER_INPUT", details },
  paths: Object.keys(details),
});
const clash = (context: object, ...paths: string[]): Refusal => ({ extensions: { code: "CONFLICT", ...context }, paths });

const unitOf = async (caller: Caller, id: string) =>
  (await caller.ask(`query ($id: ID!) { component(id: $id) { unitAt { id serialNumber } } }`, { id })).component.unitAt;
const periodsOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { unit(id: $id) { periods { nodes { state condition componentId site startedAt endedAt removalReason workOrderId notes } } } }`,
      { id },
    )
  ).unit.periods.nodes;

const orderWith = async (caller: Caller, assetId: string, customSteps: object[]): Promise<string> => {
  const input = { assetId, title: "New bearing", customSteps };
  return (await caller.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", { input })).createWorkOrder
    .id;
};
const started = async (caller: Caller, assetId: string, ...steps: object[]): Promise<string> => {
  const id = await orderWith(
    caller,
    assetId,
    steps.map((step) => ({ description: "Exchange the bearing", kind: "EXCHANGE", ...step })),
  );
  await act(caller, "start", id);
  return id;
};

/** P-1 at North has the position Bearing with 4711 of SKF, installed on 1 March 2026, and an empty one. P-2 at South has one with 9001. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const southern = await tenant.createAsset({ name: "P-2", site: "South" });
  const installDate = "2026-03-01T08:00:00Z";
  const bearing = await tenant.createComponent({
    name: "Bearing",
    assetId: asset.id,
    serialNumber: "4711",
    manufacturer: "SKF",
    installDate,
  });
  const empty = await tenant.createComponent({ name: "Seal", assetId: asset.id });
  const other = await tenant.createComponent({ name: "Bearing S", assetId: southern.id, serialNumber: "9001", installDate });
  const technician = await tenant.as("technician");
  const first = (await unitOf(tenant, bearing.id)).id as string;
  const ids = { bearing: bearing.id as string, empty: empty.id as string, other: other.id as string };
  return { tenant, technician, assetId: asset.id as string, southern: southern.id as string, first, ...ids };
}

test("completes the step and exchanges the unit for the order, in one transaction", async () => {
  const { tenant, technician, assetId, bearing, first } = await plant();
  const id = await started(technician, assetId, { componentId: bearing, required: true });
  const at = "2026-05-03T10:00:00.000Z";
  const input = { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1", manufacturer: "FAG" }, reason: "FAILURE", at };
  expect(await exchanged(technician, id, input, { notes: "Outer race" })).toEqual({
    order: 1,
    kind: "EXCHANGE",
    status: "COMPLETED",
    required: true,
    notes: "Outer race",
    componentId: bearing,
    component: { name: "Bearing" },
    removedUnit: { serialNumber: "4711" },
    installedUnit: { serialNumber: "B7-1", manufacturer: "FAG" },
  });
  expect((await tenant.rest("GET", `/components/${bearing}`)).body).toMatchObject({
    serialNumber: "B7-1",
    manufacturer: "FAG",
    installDate: at,
  });
  expect(await periodsOf(tenant, first)).toEqual([
    {
      state: "REMOVED",
      condition: "UNSERVICEABLE",
      componentId: null,
      site: "North",
      startedAt: at,
      endedAt: null,
      removalReason: null,
      workOrderId: id,
      notes: "Outer race",
    },
    {
      state: "INSTALLED",
      condition: "SERVICEABLE",
      componentId: bearing,
      site: null,
      startedAt: "2026-03-01T08:00:00.000Z",
      endedAt: at,
      removalReason: "FAILURE",
      workOrderId: null,
      notes: null,
    },
  ]);
  expect(await periodsOf(tenant, (await unitOf(tenant, bearing)).id)).toMatchObject([
    { state: "INSTALLED", componentId: bearing, startedAt: at, endedAt: null, workOrderId: id, notes: "Outer race" },
  ]);
  expect(await act(technician, "complete", id)).toMatchObject({ status: "COMPLETED", steps: [{ order: 1, status: "COMPLETED" }] });
});

test("installs the first unit, removes one, and names each by its id", async () => {
  const { tenant, technician, assetId, bearing, empty, first } = await plant();
  const id = await started(technician, assetId, { componentId: bearing }, { componentId: empty });
  expect(await exchanged(technician, id, { removed: { unitId: first }, reason: "CANNIBALISED" })).toMatchObject({
    removedUnit: { serialNumber: "4711" },
    installedUnit: null,
  });
  expect(await unitOf(tenant, bearing)).toBeNull();
  await tenant.ask(`mutation ($unit: ID!) { moveUnit(input: { unitId: $unit, state: REMOVED, condition: SERVICEABLE }) { id } }`, {
    unit: first,
  });
  expect(await exchanged(technician, id, { installed: { id: first } }, {}, 2)).toMatchObject({
    removedUnit: null,
    installedUnit: { serialNumber: "4711" },
  });
  expect(await unitOf(tenant, empty)).toEqual({ id: first, serialNumber: "4711" });
});

test("refuses a unit that is not the installed one, naming that one, and what exchangeUnit refuses", async () => {
  const { tenant, technician, assetId, bearing, empty, other, first } = await plant();
  const id = await started(technician, assetId, { componentId: bearing }, { componentId: empty }, { kind: "TASK" });
  const theirs = (await unitOf(tenant, other)).id as string;
  const present = { componentId: bearing, unitId: first, serialNumber: "4711" };
  const installed = { serialNumber: "B7-1" };
  const reason = "FAILURE";
  const no = (input: object | null, expected: Refusal, order = 1, more = {}) =>
    refused(technician, () => exchange(technician, id, input, more, order), expected);
  await no({ removed: { serialNumber: "4712" }, installed, reason }, clash(present, "exchange.removed"));
  await no({ removed: { unitId: theirs }, installed, reason }, clash(present, "exchange.removed"));
  await no({ installed, reason }, clash(present, "exchange.removed"));
  await no({ removed: { serialNumber: "4711" }, installed, reason }, clash({ componentId: empty }, "exchange.removed"), 2);
  await no(null, bad({ exchange: "is required: the units that come out and go in" }));
  await no({ reason }, bad({ exchange: "must name the unit that comes out, the unit that goes in, or both" }));
  await no({ removed: {}, installed, reason }, bad({ "exchange.removed": "must hold either unitId or serialNumber" }));
  await no({ removed: { unitId: first, serialNumber: "4711" } }, bad({ "exchange.removed": "must hold either unitId or serialNumber" }));
  await no({ removed: { unitId: first }, installed }, bad({ "exchange.reason": "is required, because a unit comes out" }));
  await no({ removed: { unitId: first }, installed: {}, reason }, bad({ "exchange.installed": "must hold either id or serialNumber" }));
  await no({ removed: { unitId: first }, installed: { id: "x" }, reason }, bad({ "exchange.installed.id": "names no unit" }));
  await no(
    { removed: { unitId: first }, installed, reason, at: new Date(Date.now() + 3_600_000).toISOString() },
    bad({ "exchange.at": "must not be in the future" }),
  );
  await no(
    { removed: { unitId: first }, installed, reason, at: "2026-02-01T08:00:00Z" },
    clash({ since: "2026-03-01T08:00:00.000Z" }, "exchange.at"),
  );
  await no({ removed: { unitId: first }, installed: { id: theirs }, reason }, clash({ componentId: other }, "exchange.installed.id"));
  await no(
    { componentId: empty, removed: { unitId: first }, installed, reason },
    bad({ "exchange.componentId": "must be the component of the step, or left out" }),
  );
  await no({ installed }, bad({ exchange: "is for a step of the kind EXCHANGE that is completed" }), 3);
  await no({ installed }, bad({ exchange: "is for a step of the kind EXCHANGE that is completed" }), 1, { status: "SKIPPED" });
  await no({ installed }, bad({ value: "is for a measurement that is completed" }), 2, { value: 1 });
});

test("a step without a position has one named on completion, of the order's asset", async () => {
  const { tenant, technician, assetId, bearing, empty, other } = await plant();
  const id = await started(technician, assetId, {}, { componentId: empty });
  const input = { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1" }, reason: "PREVENTIVE" };
  const position = (message: string) => bad({ "exchange.componentId": message });
  const required = position("is required: the step names no component of the asset");
  await refused(technician, () => exchange(technician, id, input), required);
  for (const componentId of [other, "x"])
    await refused(
      technician,
      () => exchange(technician, id, { ...input, componentId }),
      position("names no component of the work order's asset"),
    );
  expect(await exchanged(technician, id, { ...input, componentId: bearing })).toMatchObject({
    componentId: bearing,
    component: { name: "Bearing" },
  });
  // The component that a step names may be deleted by then.
  await tenant.rest("DELETE", `/components/${empty}`);
  await refused(technician, () => exchange(technician, id, { installed: { serialNumber: "S-1" } }, {}, 2), required);
  const again = { componentId: bearing, removed: { serialNumber: "B7-1" }, installed: { serialNumber: "B7-2" }, reason: "WRONG_ITEM" };
  expect(await exchanged(technician, id, again, {}, 2)).toMatchObject({ componentId: bearing, removedUnit: { serialNumber: "B7-1" } });
});

test("a recorded exchange stays, and is undone by another one", async () => {
  const { technician, assetId, bearing } = await plant();
  const id = await started(technician, assetId, { componentId: bearing });
  await exchanged(technician, id, { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1" }, reason: "FAILURE" });
  const input = { removed: { serialNumber: "B7-1" }, installed: { serialNumber: "B7-2" }, reason: "FAILURE" };
  for (const [status, more] of [["PENDING"], ["IN_PROGRESS"], ["SKIPPED"], ["COMPLETED", { exchange: input }]] as const) {
    const before = await rows(technician, tables);
    const { errors } = await setStep(technician, id, { status, ...more });
    expect(errors).toMatchObject([
      {
        message: "The exchange is recorded and stays; record another one with exchangeUnit",
        extensions: { code: "CONFLICT", status: "COMPLETED", allowed: [] },
      },
    ]);
    expect(await rows(technician, tables)).toEqual(before);
  }
});

test("an open exchange follows the rules of other steps, and a completion without it changes no component", async () => {
  const { tenant, technician, assetId, bearing } = await plant();
  const id = await started(technician, assetId, { componentId: bearing, required: true }, { componentId: bearing });
  const blocked = clash({ step: 1, status: "PENDING" });
  await refused(technician, () => attempt(technician, "complete", id), blocked);
  const before = await rows(tenant, tables);
  expect(await technician.rest("POST", `/workorders/${id}/complete`, {})).toMatchObject({
    status: 409,
    body: { step: 1, status: "pending" },
  });
  // The documented path of a step needs the units too, as a measurement needs its value.
  const put = (order: number, body: object): Promise<RestResponse> => technician.rest("PUT", `/workorders/${id}/steps/${order}`, body);
  const missing = await put(1, { status: "completed" });
  expect({ status: missing.status, body: missing.body }).toEqual({
    status: 400,
    body: {
      error: "Invalid input",
      code: "BAD_USER_INPUT",
      details: { exchange: "is required: the units that come out and go in" },
      requestId: expect.any(String),
    },
  });
  expect(await rows(tenant, tables)).toEqual(before);
  const { status, body } = await put(1, {
    status: "completed",
    exchange: { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1" }, reason: "wrong_item" },
  });
  expect({ status, step: body.steps[0] }).toMatchObject({ status: 200, step: { order: 1, kind: "exchange", status: "completed" } });
  const component = (await tenant.rest("GET", `/components/${bearing}`)).body;
  const completed = await technician.rest("POST", `/workorders/${id}/complete`, {});
  expect(completed.body.steps.map((step: any) => step.status)).toEqual(["completed", "skipped"]);
  expect((await tenant.rest("GET", `/components/${bearing}`)).body).toEqual(component);
  expect(component.serialNumber).toBe("B7-1");
});

test("viewers exchange nothing, technicians no unserviceable unit, and managers with notes", async () => {
  const { tenant, technician, assetId, bearing, empty, first } = await plant();
  const id = await started(technician, assetId, { componentId: bearing }, { componentId: empty });
  await exchanged(technician, id, { removed: { unitId: first }, reason: "FAILURE" });
  const viewer = await tenant.as("viewer");
  const back = { installed: { id: first } };
  const before = await rows(tenant, tables);
  expect((await exchange(viewer, id, back, {}, 2)).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
  expect(await rows(tenant, tables)).toEqual(before);
  const unfit = clash({ state: "removed", condition: "unserviceable" }, "exchange.installed.id");
  await refused(technician, () => exchange(technician, id, back, { notes: "No other one" }, 2), unfit);
  const manager = await tenant.as("manager");
  await refused(manager, () => exchange(manager, id, back, {}, 2), unfit);
  expect(await exchanged(manager, id, back, { notes: "Until Friday" }, 2)).toMatchObject({ notes: "Until Friday" });
  expect((await periodsOf(tenant, first))[0]).toMatchObject({ state: "INSTALLED", condition: "UNSERVICEABLE", notes: "Until Friday" });
});

test("ids of other tenants are unknown", async () => {
  const { technician, assetId, bearing, first } = await plant();
  const others = await plant();
  const id = await started(technician, assetId, {});
  const input = { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1" }, reason: "FAILURE" };
  const theirs = await rows(others.technician, tables);
  const no = (value: object, expected: Refusal) => refused(technician, () => exchange(technician, id, value), expected);
  await no({ ...input, componentId: others.bearing }, bad({ "exchange.componentId": "names no component of the work order's asset" }));
  await no(
    { ...input, componentId: bearing, removed: { unitId: others.first } },
    clash({ componentId: bearing, unitId: first, serialNumber: "4711" }, "exchange.removed"),
  );
  await no({ ...input, componentId: bearing, installed: { id: others.first } }, bad({ "exchange.installed.id": "names no unit" }));
  await refused(others.technician, () => exchange(others.technician, id, input), {
    extensions: { code: "NOT_FOUND", workOrderId: id },
    paths: [],
  });
  expect(await rows(others.technician, tables)).toEqual(theirs);
});

test("keys limited to sites exchange units at their sites, of their sites", async () => {
  const { tenant, assetId, southern, bearing, other } = await plant();
  const [north, south] = [await tenant.as("technician", ["North"]), await tenant.as("technician", ["South"], false)];
  const theirs = (await unitOf(tenant, other)).id;
  const id = await started(tenant, assetId, { componentId: bearing });
  const input = { removed: { serialNumber: "4711" }, installed: { serialNumber: "B7-1" }, reason: "FAILURE" };
  const before = await rows(tenant, tables);
  for (const [caller, value] of [
    [south, input],
    [north, { ...input, installed: { id: theirs } }],
  ] as const)
    expect((await exchange(caller, id, value)).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
  expect(await rows(tenant, tables)).toEqual(before);
  expect(await exchanged(north, id, input)).toMatchObject({ installedUnit: { serialNumber: "B7-1" } });
  expect((await exchange(south, await started(tenant, southern, {}), { ...input, componentId: bearing })).errors).toMatchObject([
    { extensions: { code: "BAD_USER_INPUT" } },
  ]);
});

test("two technicians who complete the same step at once record one exchange", async () => {
  const { tenant, technician, assetId, bearing } = await plant();
  const second = await tenant.as("technician");
  for (let round = 0; round < 3; round++) {
    const id = await started(tenant, assetId, { componentId: bearing });
    const present = await unitOf(tenant, bearing);
    const input = (serialNumber: string) => ({ removed: { unitId: present.id }, installed: { serialNumber }, reason: "PREVENTIVE" });
    const direct = (serialNumber: string) =>
      second.graphql("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", {
        input: { componentId: bearing, unit: { serialNumber }, reason: "OPPORTUNITY", workOrderId: id },
      });
    const answers = await Promise.all(
      [technician, second, technician, second].map((caller, i) => exchange(caller, id, input(`N-${round}-${i}`))),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers) if (errors) expect(errors).toMatchObject([{ extensions: { code: "CONFLICT", status: "COMPLETED" } }]);
    expect(
      await gateway.database.query(`select 1 from "UnitPeriod" where "tenantId" = $1 and "workOrderId" = $2`, [tenant.tenantId, id]),
    ).toHaveLength(2);
    // Beside an exchange that is no step: either it comes first and the step is refused, or it exchanges the step's unit.
    const next = await started(tenant, assetId, { componentId: bearing });
    const now = await unitOf(tenant, bearing);
    const [step, beside] = await Promise.all([
      exchange(technician, next, { removed: { unitId: now.id }, installed: { serialNumber: `S-${round}` }, reason: "FAILURE" }),
      direct(`D-${round}`),
    ]);
    if (step.errors) expect(step.errors).toMatchObject([{ extensions: { code: "CONFLICT", serialNumber: `D-${round}` } }]);
    if (beside.errors) expect(beside.errors).toMatchObject([{ extensions: { code: "CONFLICT" } }]);
    expect(step.errors && beside.errors).toBeFalsy();
  }
});

const createProcedure = (caller: Caller, assetId: string, steps: object[]) =>
  caller.graphql("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id steps { kind componentId } } }", {
    input: { name: "New bearing", assetId, frequency: "ANNUAL", steps },
  });

test("a procedure's step names a component of its asset, which orders of other assets leave out", async () => {
  const { tenant, assetId, southern, bearing, empty, other } = await plant();
  const step = (componentId?: string, kind = "EXCHANGE") => ({ description: "Exchange", kind, componentId });
  const foreign = bad({ "steps.1.componentId": "names no component of the asset" });
  await refused(tenant, () => createProcedure(tenant, assetId, [step(), step(other)]), foreign);
  await refused(
    tenant,
    () => createProcedure(tenant, assetId, [step(bearing, "TASK")]),
    bad({ "steps.0.componentId": "is for steps of the kind EXCHANGE" }),
  );
  const { data } = await createProcedure(tenant, assetId, [step(bearing), step(), step(empty)]);
  const { id, steps } = data.createProcedure;
  expect(steps.map(({ componentId }: any) => componentId)).toEqual([bearing, null, empty]);
  const update = (steps: object[]) =>
    tenant.graphql("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
      id,
      input: { steps },
    });
  await refused(tenant, () => update([step(bearing), step(other)]), foreign);
  await tenant.ask("mutation ($id: ID!, $asset: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $asset }]) { id } }", {
    id,
    asset: southern,
  });
  await tenant.rest("DELETE", `/components/${empty}`);
  const stepsOf = async (asset?: string) =>
    (
      await tenant.ask(
        "mutation ($id: ID!, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $id, input: $input) { steps { kind componentId } } }",
        { id, input: { assetId: asset } },
      )
    ).createWorkOrder.steps.map(({ kind, componentId }: any) => [kind, componentId]);
  expect(await stepsOf()).toEqual([
    ["EXCHANGE", bearing],
    ["EXCHANGE", null],
    ["EXCHANGE", null],
  ]);
  expect(await stepsOf(southern)).toEqual([
    ["EXCHANGE", null],
    ["EXCHANGE", null],
    ["EXCHANGE", null],
  ]);
});

test("steps of a single order name components of its asset, also when they are added later", async () => {
  const { tenant, assetId, bearing, other } = await plant();
  const steps = (componentId: string) => [{ description: "Look" }, { description: "Exchange", kind: "EXCHANGE", componentId }];
  const order = "mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }";
  const message = "names no component of the asset";
  await refused(
    tenant,
    () => tenant.graphql(order, { input: { assetId, title: "T", customSteps: steps(other) } }),
    bad({ "customSteps.1.componentId": message }),
  );
  const id = await orderWith(tenant, assetId, steps(bearing));
  const change = (input: object) =>
    tenant.graphql(
      "mutation ($id: ID!, $input: WorkOrderPlanInput!) { changeWorkOrderPlan(id: $id, input: $input) { steps { order componentId } } }",
      { id, input },
    );
  await refused(tenant, () => change({ addSteps: steps(other) }), bad({ "addSteps.1.componentId": message }));
  expect((await change({ addSteps: steps(bearing), removeSteps: [2] })).data.changeWorkOrderPlan.steps).toEqual([
    { order: 1, componentId: null },
    { order: 3, componentId: null },
    { order: 4, componentId: bearing },
  ]);
});

test("documented REST neither accepts nor shows any of it", async () => {
  const { tenant, assetId, bearing } = await plant();
  const step = { description: "Exchange", kind: "exchange", required: true, componentId: bearing };
  const { status, body } = await tenant.rest("POST", "/pms", { name: "P", assetId, frequency: "monthly", steps: [step] });
  expect({ status, steps: body.steps }).toEqual({ status: 201, steps: [{ order: 1, description: "Exchange", tools: [] }] });
  const pmId = (await createProcedure(tenant, assetId, [{ ...step, kind: "EXCHANGE" }])).data.createProcedure.id;
  const got = await tenant.rest("GET", `/pms/${pmId}`);
  expect(got.body.steps).toEqual([{ order: 1, description: "Exchange", tools: [], checkpoints: [] }]);
  const order = await tenant.rest("POST", `/pms/${pmId}/createworkorder`, { customSteps: [step] });
  expect(order.body.steps).toEqual([1, 2].map((number) => ({ order: number, description: "Exchange", status: "pending" })));
  const { workOrder } = await tenant.ask(`{ workOrder(id: "${order.body.workOrderId}") { steps { kind componentId } } }`);
  expect(workOrder.steps).toEqual([
    { kind: "EXCHANGE", componentId: bearing },
    { kind: "TASK", componentId: null },
  ]);
});

test("a sheet of procedures keeps the components of steps, and refuses those of other assets", async () => {
  const { tenant, assetId, bearing, other } = await plant();
  await createProcedure(tenant, assetId, [{ description: "Exchange", kind: "EXCHANGE", componentId: bearing }]);
  const exported = await tenant.rest("GET", "/export/procedures");
  const csv = exported.body as string;
  expect(csv).toContain(`""componentId"":""${bearing}""`);
  const send = (text: string) => tenant.rest("POST", "/import/procedures", text, { "content-type": "text/csv" });
  expect((await send(csv)).body).toMatchObject({ unchanged: 1, errors: [] });
  const error = { row: 2, field: "steps", message: "steps.0.componentId names no component of the asset" };
  expect((await send(csv.replaceAll(bearing, other))).body).toMatchObject({ failed: 1, errors: [error] });
  const { procedures } = await tenant.ask("{ procedures { nodes { id } } }");
  const made = csv.replaceAll(procedures.nodes[0].id, "");
  expect((await send(made.replaceAll(bearing, other))).body).toMatchObject({ failed: 1, errors: [error] });
  expect((await send(made)).body).toMatchObject({ created: 1, errors: [] });
});
