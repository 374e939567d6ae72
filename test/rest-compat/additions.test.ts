/**
 * REST counterparts of GraphQL operations (docs/rest.md, "Additions"): work orders, approvals, changing the status of notifications,
 * restoring.
 */
import { beforeEach, expect, it } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();
let admin: Caller;
let technician: Caller;
let viewer: Caller;

beforeEach(async () => {
  admin = await gateway.newTenant();
  [technician, viewer] = await Promise.all([admin.as("technician"), admin.as("viewer")]);
});

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const any = { text: expect.any(String), id: expect.any(String) };
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const body = async (caller: Caller, method: string, path: string, sent?: unknown, status = 200) => {
  const response = await caller.rest(method, path, sent);
  expect(response.status, JSON.stringify(response.body)).toBe(status);
  return response.body;
};
const forbidden = (role: string) => ({
  error: "Forbidden",
  message: `This needs the role ${role}; the key has the role viewer`,
  code: "FORBIDDEN",
  requestId: any.id,
});

async function order() {
  const asset = await admin.createAsset({ name: "Fan" });
  const part = await body(admin, "POST", "/parts", { partNumber: "G-1", name: "Grease", stockLevel: 5, site: "main" }, 201);
  const procedure = await body(
    admin,
    "POST" as const,
    "/pms",
    {
      name: "Grease fan",
      assetId: asset.id,
      frequency: "monthly",
      priority: "high",
      steps: [{ description: "Grease", tools: ["gun"] }],
      parts: [{ partId: part.partId, quantity: 2 }],
    },
    201,
  );
  const { workOrderId } = await body(technician, "POST", `/pms/${procedure.id}/createworkorder`, { notes: "Soon" }, 201);
  return { asset, part, procedure, workOrderId, path: `/workorders/${workOrderId}` };
}

it("a technician finds, starts and completes a work order", async () => {
  const { asset, part, procedure, workOrderId, path } = await order();
  const listed = {
    workOrderId,
    tenantId: admin.tenantId,
    pmId: procedure.id,
    assetId: asset.id,
    title: "Grease fan",
    type: "preventive",
    origin: "manual",
    priority: "high",
    status: "scheduled",
    scheduledDate: iso,
    notes: "Soon",
    createdAt: iso,
    updatedAt: iso,
  };
  const pagination = { total: 1, limit: 100, offset: 0, hasMore: false };
  for (const query of ["", "?pending=true", "?status=scheduled", `?assetId=${asset.id}&pmId=${procedure.id}`, "?search=GREASE"])
    expect(await body(technician, "GET", `/workorders${query}`), query).toEqual({ workOrders: [listed], pagination });
  expect(await body(technician, "GET", "/workorders?status=closed")).toEqual({ workOrders: [], pagination: { ...pagination, total: 0 } });
  expect((await technician.rest("GET", "/workorders?status=CLOSED")).body.details).toEqual({
    status: expect.stringMatching("must be one of"),
  });

  const step = { order: 1, description: "Grease", kind: "task", required: false, status: "pending", tools: ["gun"], checkpoints: [] };
  const whole = {
    ...listed,
    steps: [step],
    requiredParts: [{ partId: part.partId, site: "main", quantity: 2, status: "reserved" }],
  };
  const read = await technician.rest("GET", path);
  expect(read.body).toEqual(whole);
  const started = await technician.rest("POST", `${path}/start`, undefined, { "if-match": read.headers.get("etag")! });
  expect([started.status, started.body]).toEqual([200, { ...whole, status: "in_progress", startedAt: iso, updatedAt: iso }]);

  const changed = { status: "completed", notes: "Done", changedAt: iso, changedBy: any.id };
  const ticked = await body(technician, "PUT", `${path}/steps/1`, { status: "completed", notes: "Done" });
  expect(ticked.steps).toEqual([{ ...step, ...changed }]);

  const stale = await technician.rest("POST", `${path}/complete`, {}, { "if-match": read.headers.get("etag")! });
  expect([stale.status, stale.body.code]).toEqual([412, "PRECONDITION_FAILED"]);
  expect(await body(viewer, "POST", `${path}/complete`, {}, 403)).toEqual(forbidden("technician"));
  expect((await body(technician, "GET", path)).status).toBe("in_progress");

  const completed = await technician.rest("POST", `${path}/complete`, {
    duration: 30,
    technician: "Ann",
    usedParts: [{ partId: part.partId, quantity: 1 }],
  });
  expect([completed.status, completed.headers.get("etag")]).toEqual([200, expect.stringMatching(/^"\d+-/)]);
  expect(completed.body).toEqual({
    ...whole,
    status: "completed",
    startedAt: iso,
    completedAt: iso,
    duration: 30,
    technician: "Ann",
    partsCost: 0,
    steps: [{ ...step, ...changed }],
    requiredParts: [{ ...whole.requiredParts[0], status: "issued", usedQuantity: 1 }],
  });
  expect((await body(admin, "GET", `/inventory/${part.partId}?site=main`)).quantity).toBe(4);
  expect((await body(technician, "GET", "/workorders?pending=true")).workOrders).toEqual([]);
  expect((await body(technician, "POST", `${path}/complete`, undefined, 409)).code).toBe("CONFLICT");
});

it("a missing step, and an unknown work order", async () => {
  const { path } = await order();
  const unknown = { code: "NOT_FOUND", requestId: any.id };
  for (const [method, at, sent] of [
    ["GET", "/workorders/x"],
    ["POST", "/workorders/x/start"],
    ["POST", "/workorders/x/complete"],
    ["PUT", "/workorders/x/steps/1", { status: "completed" }],
  ] as const)
    expect(await body(technician, method, at, sent, 404), at).toEqual({ error: "Work order not found", workOrderId: "x", ...unknown });
  await body(technician, "POST", `${path}/start`);
  expect((await technician.rest("PUT", `${path}/steps/9`, { status: "completed" })).status).toBe(404);
  expect((await body(technician, "PUT", `${path}/steps/one`, { status: "completed" }, 400)).details).toEqual({
    order: "must be an integer",
  });
  expect((await body(technician, "PUT", `${path}/steps/1`, {}, 400)).details).toEqual({ status: "is required" });
});

it("an adjustment is approved or rejected by somebody else", async () => {
  const { partId } = await body(admin, "POST", "/parts", { partNumber: "B-1", name: "Bearing", stockLevel: 9, site: "main" }, 201);
  const adjust = (quantity: number) =>
    body(technician, "POST", `/inventory/${partId}/adjustments`, { adjustmentType: "loss", quantity, reason: "Gone" }, 201);
  const [first, second] = [await adjust(-1), await adjust(-2)];
  const pending = async () => (await body(viewer, "GET", `/inventory/adjustments?pending=true&partId=${partId}`)).adjustments;
  expect(await pending()).toEqual([first, second].map((one) => ({ ...one, site: "main" })));

  const approve = `/inventory/adjustments/${first.adjustmentId}/approve`;
  expect(await body(technician, "POST", approve, undefined, 403)).toEqual({
    ...forbidden("manager"),
    message: expect.stringMatching("manager"),
  });
  const manager = await admin.as("manager");
  expect(await body(manager, "POST", approve, { reason: "Seen" })).toEqual({
    ...first,
    site: "main",
    approved: true,
    approvedBy: any.id,
    approvedAt: iso,
    decisionReason: "Seen",
  });
  const rejected = await body(manager, "POST", `/inventory/adjustments/${second.adjustmentId}/reject`);
  expect(rejected).toEqual({ ...second, site: "main", rejectedBy: any.id, rejectedAt: iso });
  expect((await body(admin, "GET", `/inventory/${partId}?site=main`)).quantity).toBe(8);
  expect(await pending()).toEqual([]);
  expect((await body(manager, "POST", approve, undefined, 409)).code).toBe("CONFLICT");
  const own = await body(admin, "POST", `/inventory/${partId}/adjustments`, { adjustmentType: "loss", quantity: -1 }, 201);
  const { message } = await body(admin, "POST", `/inventory/adjustments/${own.adjustmentId}/approve`, undefined, 403);
  expect(message).toBe("An adjustment must be decided by another person than its creator");
  expect((await pending()).map(({ adjustmentId }: any) => adjustmentId)).toEqual([own.adjustmentId]);
  expect((await body(manager, "POST", "/inventory/adjustments/x/approve", undefined, 404)).error).toBe("Adjustment not found");
});

it("a notification's status moves forward, never back", async () => {
  const { raiseNotification } = await admin.ask(
    'mutation { raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "Hot", message: "80 °C" }) { id } }',
  );
  const path = `/notifications/${raiseNotification.id}`;
  const before = await technician.rest("GET", path);
  expect(await body(viewer, "PUT", `${path}/status`, { status: "resolved" }, 403)).toEqual(forbidden("technician"));
  const ifMatch = { "if-match": before.headers.get("etag")! };
  const moved = await technician.rest("PUT", `${path}/status`, { status: "in_progress", reason: "On it" }, ifMatch);
  expect([moved.status, moved.body]).toEqual([200, { ...before.body, status: "in_progress", updatedAt: iso }]);
  expect((await technician.rest("PUT", `${path}/status`, { status: "resolved" }, ifMatch)).status).toBe(412);
  expect(await body(technician, "PUT", `${path}/status`, { status: "open" }, 409)).toEqual({
    error: "A notification cannot become open from here",
    status: "in_progress",
    allowed: ["resolved", "dismissed"],
    code: "CONFLICT",
    requestId: any.id,
  });
  expect((await body(technician, "PUT", `${path}/status`, { status: "done" }, 400)).details).toEqual({
    status: "must be one of open, acknowledged, in_progress, resolved, dismissed",
  });
  expect(await body(technician, "GET", path)).toEqual(moved.body);
});

it("a deleted record is restored unchanged", async () => {
  const asset = await admin.createAsset({ serialNumber: "S-1" });
  const component = await admin.createComponent({ name: "Motor" });
  const template = await body(admin, "POST", "/components/templates", { name: "Set", type: "pump" }, 201);
  const part = await body(admin, "POST", "/parts", { partNumber: "P-1", name: "Seal" }, 201);
  const procedure = await body(admin, "POST", "/pms", { name: "Look", assetId: asset.id, frequency: "daily" }, 201);
  const strategy = await body(admin, "POST", "/strategies", { name: "Run", type: "reactive" }, 201);
  // The asset comes last, because its deletion includes its components and hides the procedure's asset.
  const paths = [
    `/components/${component.id}`,
    `/components/templates/${template.id}`,
    `/parts/${part.partId}`,
    `/pms/${procedure.id}`,
    `/strategies/${strategy.id}`,
    `/assets/${asset.id}`,
  ];
  for (const path of paths) {
    const before = await body(admin, "GET", path);
    expect((await body(admin, "POST", `${path}/restore`, undefined, 404)).code, path).toBe("NOT_FOUND");
    await body(admin, "DELETE", path);
    expect(await body(viewer, "POST", `${path}/restore`, undefined, 403)).toEqual(
      forbidden(path.includes("/components/") && !path.includes("templates") ? "technician" : "manager"),
    );
    const restored = await body(admin, "POST", `${path}/restore`);
    const after = await body(admin, "GET", path);
    expect(after, path).toEqual({ ...before, ...("updatedAt" in before && { updatedAt: iso }) });
    if (path !== `/assets/${asset.id}`) expect(restored, path).toEqual(after);
    else expect(restored).toMatchObject({ id: asset.id, serialNumber: "S-1", status: "operational" });
  }
});

it("an asset whose serial number is in use meanwhile stays deleted", async () => {
  const { id } = await admin.createAsset({ serialNumber: "S-1" });
  await body(admin, "DELETE", `/assets/${id}`);
  await admin.createAsset({ serialNumber: "S-1" });
  expect(await body(admin, "POST", `/assets/${id}/restore`, undefined, 409)).toEqual({
    error: "An asset with this serial number already exists",
    serialNumber: "S-1",
    code: "CONFLICT",
    requestId: any.id,
  });
  await body(admin, "GET", `/assets/${id}`, undefined, 404);
});

it("a photo is restored only below its own asset", async () => {
  const [asset, other] = [await admin.createAsset(), await admin.createAsset()];
  const path = `/assets/${asset.id}/photos`;
  const size = png.length;
  const grant = await body(technician, "POST", `${path}/presigned-url`, { filename: "a.png", contentType: "image/png", size });
  const form = new FormData();
  for (const [name, value] of Object.entries<string>(grant.fields)) form.append(name, value);
  form.append("file", new Blob([png]), "a.png");
  expect((await fetch(grant.uploadUrl, { method: "POST", body: form })).status).toBe(204);
  const photo = await body(technician, "POST", path, { mediaId: grant.mediaId, filename: "a.png" }, 201);
  await body(technician, "DELETE", `${path}/${photo.id}`);
  await body(technician, "POST", `/assets/${other.id}/photos/${photo.id}/restore`, undefined, 404);
  expect(await body(viewer, "GET", path)).toEqual({ photos: [] });
  const restored = await body(technician, "POST", `${path}/${photo.id}/restore`);
  expect(restored).toEqual({ ...photo, url: any.text, thumbnailUrl: any.text });
  expect((await body(viewer, "GET", path)).photos).toHaveLength(1);
});
