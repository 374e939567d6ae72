/** Reporting and triage of faults, the requester role, work without a procedure, and completing and closing work. */
import { expect, it } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const report = `mutation ($input: ReportFaultInput!) { reportFault(input: $input) {
  id assetId componentId description urgency productionStopped status workOrderId decisionReason } }`;
const reported = async (caller: Caller, input: object) => (await caller.ask(report, { input })).reportFault;
const create = `mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id type title status priority origin procedureId productionStopped } }`;
const created = async (caller: Caller, input: object) => (await caller.ask(create, { input })).createWorkOrder;
const complete = `mutation ($id: ID!, $input: CompleteWorkOrderInput) { completeWorkOrder(id: $id, input: $input) {
  status startedAt completedAt duration laborCost totalCost failureMode failureCause remedy downtimeFrom downtimeTo asFound asLeft } }`;
const close = `mutation ($id: ID!, $input: CloseWorkOrderInput) { closeWorkOrder(id: $id, input: $input) { status failureMode failureCause remedy asLeft } }`;
const tables = ["WorkRequest", "WorkOrder", "WorkOrderStatusChange", "LaborEntry", "WorkOrderComment"];

/** Expects this first error, and no change. */
async function refused(tenant: Caller, caller: Caller, query: string, variables: object, extensions: object) {
  const before = await tenant.snapshot(...tables);
  const { errors } = await caller.graphql(query, variables as Record<string, unknown>);
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await tenant.snapshot(...tables)).toEqual(before);
}

it("a fault becomes a corrective work order", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const asset = await tenant.createAsset();
  const component = await tenant.createComponent({ assetId: asset.id });
  const fault = await reported(technician, {
    componentId: component.id,
    description: "Drips.\nBadly.",
    urgency: "HIGH",
    productionStopped: true,
  });
  expect(fault).toEqual({
    id: expect.any(String),
    assetId: asset.id,
    componentId: component.id,
    description: "Drips.\nBadly.",
    urgency: "HIGH",
    productionStopped: true,
    status: "OPEN",
    workOrderId: null,
    decisionReason: null,
  });
  const accept = `mutation ($id: ID!) { acceptWorkRequest(id: $id) { status workOrderId
    workOrder { type title description priority productionStopped status assetId componentId origin request { id } } } }`;
  const { acceptWorkRequest } = await technician.ask(accept, { id: fault.id });
  expect(acceptWorkRequest).toEqual({
    status: "ACCEPTED",
    workOrderId: expect.any(String),
    workOrder: {
      type: "CORRECTIVE",
      title: "Drips.",
      description: "Drips.\nBadly.",
      priority: "HIGH",
      productionStopped: true,
      status: "SCHEDULED",
      assetId: asset.id,
      componentId: component.id,
      origin: "MANUAL",
      request: { id: fault.id },
    },
  });
  await refused(tenant, technician, accept, { id: fault.id }, { code: "CONFLICT", status: "ACCEPTED" });
});

it("a title is cut between characters", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const accept = `mutation ($id: ID!) { acceptWorkRequest(id: $id) { workOrder { title } } }`;
  const titleOf = async (description: string) =>
    (await tenant.ask(accept, { id: (await reported(tenant, { assetId, description })).id })).acceptWorkRequest.workOrder.title;
  expect(await titleOf("x".repeat(120))).toBe("x".repeat(120));
  expect(await titleOf("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
  expect(await titleOf("😀".repeat(100))).toBe(`${"😀".repeat(59)}…`);
});

it("a fault of a record deleted meanwhile is not accepted, but declined", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const { id: componentId } = await tenant.createComponent({ assetId });
  const [ofComponent, ofAsset] = [
    await reported(tenant, { componentId, description: "Hums" }),
    await reported(tenant, { assetId, description: "Hums" }),
  ];
  const accept = `mutation ($id: ID!) { acceptWorkRequest(id: $id) { id } }`;
  const attempt = async (id: string, message: string) => {
    await refused(tenant, tenant, accept, { id }, { code: "CONFLICT" });
    expect((await tenant.graphql(accept, { id })).errors![0]!.message).toBe(message);
  };
  await tenant.rest("DELETE", `/components/${componentId}`);
  await attempt(ofComponent.id, "The component is no longer one of the asset; restore it first, or decline the work request");
  await tenant.rest("DELETE", `/assets/${assetId}`);
  await attempt(ofAsset.id, "The asset is deleted; restore it first, or decline the work request");
  const decline = `mutation ($id: ID!) { declineWorkRequest(id: $id, reason: "Scrapped") { status } }`;
  expect((await tenant.ask(decline, { id: ofAsset.id })).declineWorkRequest).toEqual({ status: "DECLINED" });
});

it("a fault is declined with a reason, or withdrawn by its reporter", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const { id: assetId } = await tenant.createAsset();
  const [first, second] = [
    await reported(technician, { assetId, description: "Hums" }),
    await reported(technician, { assetId, description: "Hums" }),
  ];
  const decline = `mutation ($id: ID!, $reason: RequiredText!) { declineWorkRequest(id: $id, reason: $reason) { status decisionReason decidedBy } }`;
  await refused(tenant, technician, decline, { id: first.id, reason: " " }, { code: "BAD_USER_INPUT" });
  expect((await technician.ask(decline, { id: first.id, reason: "It always does" })).declineWorkRequest).toEqual({
    status: "DECLINED",
    decisionReason: "It always does",
    decidedBy: expect.any(String),
  });
  const withdraw = `mutation ($id: ID!) { withdrawWorkRequest(id: $id) { status } }`;
  await refused(tenant, tenant, withdraw, { id: second.id }, { code: "NOT_FOUND" });
  expect((await technician.ask(withdraw, { id: second.id })).withdrawWorkRequest).toEqual({ status: "WITHDRAWN" });
});

it.each([
  [{ description: "x" }, { assetId: "or componentId is required" }],
  [{ description: "x", assetId: "none" }, { assetId: "names no asset; use the id of an existing one" }],
  [{ description: "x", componentId: "none" }, { componentId: "names no component of the asset" }],
  [{ description: "x", assetId: "ASSET", componentId: "none" }, { componentId: "names no component of the asset" }],
  [{ description: "x", assetId: "ASSET", occurredAt: "2999-01-01" }, { occurredAt: "must not be in the future" }],
])("an invalid report is rejected: %j", async (input, details) => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const own = { ...input, ...("assetId" in input && input.assetId === "ASSET" && { assetId: id }) };
  await refused(tenant, tenant, report, { input: own }, { code: "BAD_USER_INPUT", details });
});

it("a requester reports faults and reads only its own", async () => {
  const tenant = await gateway.newTenant();
  const [requester, other] = [await tenant.as("requester"), await tenant.as("requester")];
  const { id: assetId } = await tenant.createAsset();
  const own = await reported(requester, { assetId, description: "Smells" });
  const foreign = await reported(other, { assetId, description: "Smells" });
  expect(await requester.ask("{ workRequests { nodes { id status } totalCount } viewer { role principal { name } } }")).toEqual({
    workRequests: { nodes: [{ id: own.id, status: "OPEN" }], totalCount: 1 },
    viewer: { role: "REQUESTER", principal: { name: "requester" } },
  });
  await refused(tenant, requester, "query ($id: ID!) { workRequest(id: $id) { id } }", { id: foreign.id }, { code: "NOT_FOUND" });
  await refused(
    tenant,
    requester,
    "mutation ($id: ID!) { withdrawWorkRequest(id: $id) { id } }",
    { id: foreign.id },
    { code: "NOT_FOUND" },
  );
  await refused(tenant, requester, "{ workRequests { nodes { asset { name } } } }", {}, { code: "FORBIDDEN" });
  await refused(tenant, requester, "mutation ($id: ID!) { acceptWorkRequest(id: $id) { id } }", { id: own.id }, { code: "FORBIDDEN" });
  for (const query of [
    "{ assets { totalCount } }",
    "{ workOrders { nodes { id } } }",
    "{ sites { name } }",
    `{ node(id: "${assetId}") { id } }`,
    `{ search(query: "pump") { totalCount } }`,
    "{ failureCodes { code } }",
    `{ asset(id: "${assetId}") { id } }`,
  ]) {
    const { errors } = await requester.graphql(query);
    if (errors?.[0]?.extensions.code !== "GRAPHQL_VALIDATION_FAILED") expect(errors?.[0]?.extensions.code, query).toBe("FORBIDDEN");
  }
  for (const path of ["/assets", `/assets/${assetId}`, "/parts", "/pms", "/notifications", "/components"])
    expect((await requester.rest("GET", path)).status, path).toBe(403);
  expect((await requester.rest("POST", "/assets", { name: "x", type: "y" })).status).toBe(403);
});

it("a requester follows the progress of an accepted report, but cannot read its work order", async () => {
  const tenant = await gateway.newTenant();
  const requester = await tenant.as("requester");
  const { id: assetId } = await tenant.createAsset();
  const { id } = await reported(requester, { assetId, description: "Smells" });
  const progress = async () =>
    (
      await requester.ask(
        "query ($id: ID!) { workRequest(id: $id) { status decisionReason progress { status scheduledDate completedAt } } }",
        { id },
      )
    ).workRequest;
  expect(await progress()).toEqual({ status: "OPEN", decisionReason: null, progress: null });
  const { acceptWorkRequest } = await tenant.ask(
    'mutation ($id: ID!) { acceptWorkRequest(id: $id, input: { scheduledDate: "2031-01-06T08:00:00Z" }) { workOrderId } }',
    { id },
  );
  const scheduledDate = "2031-01-06T08:00:00.000Z";
  expect(await progress()).toMatchObject({ status: "ACCEPTED", progress: { status: "SCHEDULED", scheduledDate, completedAt: null } });
  const { completeWorkOrder } = await tenant.ask(
    "mutation ($id: ID!) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id) { completedAt } }",
    { id: acceptWorkRequest.workOrderId },
  );
  const { completedAt } = completeWorkOrder;
  expect((await progress()).progress).toEqual({ status: "COMPLETED", scheduledDate, completedAt });
  await refused(tenant, requester, "query ($id: ID!) { workRequest(id: $id) { workOrder { id } } }", { id }, { code: "FORBIDDEN" });
});

it("a requester finds the machine by its name or code at the sites of the key, and sees it on the report", async () => {
  const tenant = await gateway.newTenant();
  const pump = await tenant.createAsset({ name: "Blend Pump P-102", site: "North", area: "Hall 1" });
  await tenant.createAsset({ name: "Compressor K-801", description: "Feeds P-102", site: "North", area: "Hall 2" });
  const away = await tenant.createAsset({ name: "Feed Pump P-102", site: "South", area: "Hall 1" });
  const [north, everywhere] = [await tenant.as("requester", ["North"]), await tenant.as("requester")];
  const find = `query ($search: ShortText) { assetSummaries(search: $search) { id name site area } }`;
  const names = async (caller: Caller, search?: string) =>
    (await caller.ask(find, { search })).assetSummaries.map(({ name }: { name: string }) => name);
  expect(await names(north, "p-102")).toEqual(["Blend Pump P-102", "Compressor K-801"]);
  expect(await names(everywhere, "P102")).toEqual(["Blend Pump P-102", "Feed Pump P-102", "Compressor K-801"]);
  expect(await names(north)).toEqual(["Blend Pump P-102", "Compressor K-801"]);
  expect(await names(await (await gateway.newTenant()).as("requester"), "p-102")).toEqual([]);
  const one = "query ($id: ID!) { assetSummary(id: $id) { name site area } }";
  await refused(tenant, north, one, { id: away.id }, { code: "NOT_FOUND" });
  const summary = { name: "Blend Pump P-102", site: "North", area: "Hall 1" };
  expect(await north.ask(one, { id: pump.id })).toEqual({ assetSummary: summary });
  await reported(north, { assetId: pump.id, description: "Smells" });
  expect(await north.ask("{ workRequests { nodes { assetSummary { name site area } } } }")).toEqual({
    workRequests: { nodes: [{ assetSummary: summary }] },
  });
  await refused(tenant, north, "query ($id: ID!) { asset(id: $id) { name } }", { id: pump.id }, { code: "FORBIDDEN" });
  await refused(tenant, north, find.replace("(search", "(first: 21, search"), {}, { code: "BAD_USER_INPUT" });
});

it("every root field except those of requests is closed to requesters", async () => {
  const requester = await (await gateway.newTenant()).as("requester");
  const { viewer } = await requester.ask("{ viewer { permissions { field isAllowed } } }");
  expect(viewer.permissions.flatMap((one: any) => (one.isAllowed ? [one.field] : []))).toEqual([
    "assetSummaries",
    "assetSummary",
    "reportFault",
    "uploadAttachment",
    "viewer",
    "withdrawWorkRequest",
    "workRequest",
    "workRequests",
  ]);
});

it("work needs no procedure", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  expect(await created(tenant, { assetId, title: "Paint it" })).toEqual({
    id: expect.any(String),
    type: "CORRECTIVE",
    title: "Paint it",
    status: "SCHEDULED",
    priority: "MEDIUM",
    origin: "MANUAL",
    procedureId: null,
    productionStopped: false,
  });
  expect(await created(tenant, { assetId, title: "Move it", type: "PROJECT" })).toMatchObject({ type: "PROJECT" });
  const missing = "is required without a procedure";
  await refused(tenant, tenant, create, { input: {} }, { details: { assetId: missing, title: missing } });
  await refused(tenant, tenant, create, { input: { assetId: "none", title: "x" } }, { details: { assetId: expect.any(String) } });
});

it("is recorded after the fact with its actual times, and closed with the codes of the failure", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ type: "Centrifugal pump" });
  const { id } = await created(tenant, { assetId, title: "Leak" });
  const times = { startedAt: "2026-01-02T08:00:00Z", completedAt: "2026-01-02T09:30:00Z" };
  const codes = { failureMode: "seal-leak", failureCause: "dry-running", remedy: "seal-replaced" };
  const attempt = (input: object, extensions: object) => refused(tenant, tenant, complete, { id, input }, extensions);
  await attempt({ completedAt: times.completedAt }, { code: "CONFLICT" });
  await attempt(
    { startedAt: times.completedAt, completedAt: times.startedAt },
    { details: { startedAt: "must not be after the work was done" } },
  );
  await attempt({ startedAt: "2999-01-01" }, { details: { startedAt: "must not be in the future" } });
  await attempt({ ...times, failureMode: "belt-torn" }, { details: { failureMode: expect.stringContaining("code lists") } });
  await attempt(
    { ...times, downtime: { from: times.completedAt, to: times.startedAt } },
    { details: { "downtime.to": "must be after from" } },
  );
  const done = await tenant.ask(complete, {
    id,
    input: { ...times, failureMode: "seal-leak", downtime: { from: "2026-01-02T07:00:00Z" }, asFound: "Wet" },
  });
  expect(done.completeWorkOrder).toMatchObject({
    status: "COMPLETED",
    startedAt: "2026-01-02T08:00:00.000Z",
    completedAt: "2026-01-02T09:30:00.000Z",
    duration: 90,
    failureMode: "seal-leak",
    failureCause: null,
    downtimeFrom: "2026-01-02T07:00:00.000Z",
    downtimeTo: null,
    asFound: "Wet",
    asLeft: null,
  });
  const required = "is required to close corrective work; failureCodes lists them";
  await refused(tenant, tenant, close, { id }, { details: { failureCause: required, remedy: required } });
  expect((await tenant.ask(close, { id, input: { ...codes, asLeft: "Dry" } })).closeWorkOrder).toEqual({
    status: "CLOSED",
    ...codes,
    asLeft: "Dry",
  });
});

it("corrective work that stopped production leaves a failure: with the reported times, otherwise those of the work", async () => {
  const tenant = await gateway.newTenant();
  const work = { startedAt: "2026-01-02T08:00:00.000Z", completedAt: "2026-01-02T09:30:00.000Z" };
  const told = { from: "2026-01-02T07:00:00.000Z", to: "2026-01-02T10:00:00.000Z" };
  const downtimes = async (order: object, input: object): Promise<[string, object[]]> => {
    const { id: assetId } = await tenant.createAsset();
    const { id } = await created(tenant, { assetId, title: "Repair", ...order });
    await tenant.ask(complete, { id, input: { ...work, ...input } });
    const query = "query ($id: ID!) { asset(id: $id) { downtimes { nodes { startedAt endedAt cause planned source workOrderId } } } }";
    return [id, (await tenant.ask(query, { id: assetId })).asset.downtimes.nodes];
  };
  const failure = { startedAt: work.startedAt, endedAt: work.completedAt, cause: "FAILURE", planned: false, source: "ORDER" };
  const [first, ofWork] = await downtimes({ productionStopped: true }, {});
  expect(ofWork).toEqual([{ ...failure, workOrderId: first }]);
  const [second, ofTold] = await downtimes({ productionStopped: true }, { downtime: told });
  expect(ofTold).toEqual([{ ...failure, startedAt: told.from, endedAt: told.to, workOrderId: second }]);
  const [third, ran] = await downtimes({}, { downtime: told });
  expect(ran).toEqual([{ ...failure, startedAt: told.from, endedAt: told.to, cause: "PLANNED", planned: true, workOrderId: third }]);
  expect((await downtimes({}, {}))[1]).toEqual([]);
  expect((await downtimes({ productionStopped: true, type: "PROJECT" }, {}))[1]).toEqual([]);
});

it("codes are only for corrective work", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const { id } = await created(tenant, { assetId, title: "Look", type: "INSPECTION" });
  const input = { startedAt: "2026-01-02", remedy: "repaired" };
  await refused(tenant, tenant, complete, { id, input }, { details: { remedy: expect.stringContaining("corrective work alone") } });
  const other = await created(tenant, { assetId, title: "Fix" });
  await tenant.ask(complete, { id: other.id, input });
  await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Nothing broke") { id } }`, { id: other.id });
  const change = `mutation ($id: ID!, $type: WorkOrderType) { updateWorkOrder(id: $id, input: { type: $type }) { type remedy } }`;
  const changed = async (type: string) => (await tenant.ask(change, { id: other.id, type })).updateWorkOrder;
  expect(await changed("CORRECTIVE")).toEqual({ type: "CORRECTIVE", remedy: "repaired" });
  expect(await changed("INSPECTION")).toEqual({ type: "INSPECTION", remedy: null });
  expect((await tenant.ask(complete, { id: other.id })).completeWorkOrder).toMatchObject({ status: "COMPLETED", remedy: null });
});

it("tenants add codes and disable built-in ones", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ type: "Pump" });
  const set = `mutation ($input: FailureCodeInput!) { setFailureCode(input: $input) { id equipmentClass code kind name description isActive isShipped } }`;
  const own = { equipmentClass: "pump", code: "hums", kind: "MODE", name: "Hums" };
  expect((await tenant.ask(set, { input: own })).setFailureCode).toEqual({
    ...own,
    id: "FailureCode:pump:hums",
    description: null,
    isActive: true,
    isShipped: false,
  });
  await tenant.ask(set, { input: { equipmentClass: "pump", code: "seal-leak", kind: "MODE", name: "Seal leaks", isActive: false } });
  const modes = `query ($assetId: ID) { failureCodes(assetId: $assetId, kind: MODE, isActive: true) { code equipmentClass } }`;
  const { failureCodes } = await tenant.ask(modes, { assetId });
  const ofPump = failureCodes.filter((one: any) => one.equipmentClass === "pump").map((one: any) => one.code);
  expect(ofPump).toEqual(["no-delivery", "low-head", "seized", "hums"]);
  expect(new Set(failureCodes.map((one: any) => one.equipmentClass))).toEqual(new Set(["general", "pump"]));
  const { id } = await created(tenant, { assetId, title: "Listen" });
  await tenant.ask(complete, { id, input: { startedAt: "2026-01-02", failureMode: "hums" } });
  await tenant.ask(set, { input: { ...own, isActive: false } });
  const other = await created(tenant, { assetId, title: "Listen" });
  const hums = { startedAt: "2026-01-02", failureMode: "hums" };
  await refused(tenant, tenant, complete, { id: other.id, input: hums }, { details: { failureMode: expect.any(String) } });
  const all = { failureMode: "hums", failureCause: "dry-running", remedy: "repaired" };
  expect((await tenant.ask(close, { id, input: all })).closeWorkOrder).toMatchObject({ status: "CLOSED", ...all });
  await tenant.ask(set, { input: own });
  await refused(tenant, tenant, set, { input: { ...own, kind: "CAUSE" } }, { details: { kind: expect.stringContaining("must be MODE") } });
  await refused(tenant, await tenant.as("technician"), set, { input: own }, { code: "FORBIDDEN" });
  expect((await tenant.ask(`{ node(id: "FailureCode:pump:hums") { id ... on FailureCode { name } } }`)).node).toEqual({
    id: "FailureCode:pump:hums",
    name: "Hums",
  });
});

it("labor adds up to the cost, and comments stay", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const { id } = await created(tenant, { assetId, title: "Fix" });
  const me = (await tenant.ask("{ viewer { principal { id } } }")).viewer.principal.id;
  const add = `mutation ($id: ID!, $input: LaborEntryInput!) { addLaborEntry(id: $id, input: $input) { laborCost totalCost labor { id minutes rate cost name person { id } } } }`;
  await tenant.ask(add, { id, input: { personId: me, minutes: 20, rate: 50 } });
  const { addLaborEntry } = await tenant.ask(add, { id, input: { name: "Fitter", minutes: 90, rate: 40 } });
  expect(addLaborEntry).toEqual({
    laborCost: 76.6667,
    totalCost: 76.6667,
    labor: [
      { id: expect.any(String), minutes: 20, rate: 50, cost: 16.6667, name: null, person: { id: me } },
      { id: expect.any(String), minutes: 90, rate: 40, cost: 60, name: "Fitter", person: null },
    ],
  });
  await refused(
    tenant,
    tenant,
    add,
    { id, input: { minutes: 1, rate: 1 } },
    { details: { personId: "or name is required, and not both" } },
  );
  await refused(
    tenant,
    tenant,
    add,
    { id, input: { personId: "none", minutes: 1, rate: 1 } },
    { details: { personId: expect.any(String) } },
  );
  await refused(
    tenant,
    tenant,
    complete,
    { id, input: { startedAt: "2026-01-02", laborCost: 5 } },
    { details: { laborCost: expect.any(String) } },
  );
  const remove = `mutation ($id: ID!) { removeLaborEntry(id: $id) { laborCost } }`;
  expect((await tenant.ask(remove, { id: addLaborEntry.labor[0].id })).removeLaborEntry).toEqual({ laborCost: 60 });
  const comment = `mutation ($id: ID!) { addWorkOrderComment(id: $id, text: "Odd") { comments { text createdBy } } }`;
  expect((await tenant.ask(comment, { id })).addWorkOrderComment.comments).toEqual([{ text: "Odd", createdBy: expect.any(String) }]);
  expect((await tenant.ask(complete, { id, input: { startedAt: "2026-01-02" } })).completeWorkOrder).toMatchObject({
    laborCost: 60,
    totalCost: 60,
  });
});

it("the reason of a hold is shown while it lasts, and a manager reopens work that is not closed", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const { id: assetId } = await tenant.createAsset();
  const { id } = await created(tenant, { assetId, title: "Fix", type: "PROJECT" });
  await tenant.ask(`mutation ($id: ID!) { startWorkOrder(id: $id) { id } }`, { id });
  const hold = `mutation ($id: ID!) { holdWorkOrder(id: $id, reason: "No part") { holdReason } }`;
  expect((await tenant.ask(hold, { id })).holdWorkOrder).toEqual({ holdReason: "No part" });
  expect((await tenant.ask(complete.replace("status", "status holdReason"), { id })).completeWorkOrder.holdReason).toBeNull();
  const reopen = `mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Leaks again") { status completedAt duration statusChanges(last: 1) { nodes { fromStatus toStatus reason } } } }`;
  await refused(tenant, technician, reopen, { id }, { code: "FORBIDDEN" });
  expect((await tenant.ask(reopen, { id })).reopenWorkOrder).toEqual({
    status: "IN_PROGRESS",
    completedAt: null,
    duration: null,
    statusChanges: { nodes: [{ fromStatus: "COMPLETED", toStatus: "IN_PROGRESS", reason: "Leaks again" }] },
  });
  await tenant.ask(complete, { id });
  await tenant.ask(close, { id });
  await refused(tenant, tenant, reopen, { id }, { code: "CONFLICT", status: "CLOSED" });
});
