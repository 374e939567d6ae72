/** Files of work orders and work requests, and documents of assets: accepted files, permissions, serving, and removal. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { forTenant } from "../../src/database/database.js";
import { discard } from "../../src/domain/files/attachments.js";
import { purge } from "../../src/domain/tenants/purge.js";
import { openStorage } from "../../src/storage/open.js";
import { type Caller, startGateway } from "../world.js";
import { attach, attached, sendForm } from "./attachments.js";
import { image, storedFiles, unfinished } from "./photos.js";

const gateway = await startGateway({ MAX_ATTACHMENT_BYTES: "8192" });

const pdf = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");
const pdfFile = { content: pdf, filename: "pump ü.pdf", contentType: "application/pdf" };
const report = `mutation ($input: ReportFaultInput!) { reportFault(input: $input) { id attachments { id filename contentType workRequestId url thumbnailUrl } } }`;
const rows = ({ tenantId }: Caller) =>
  gateway.database.query<any>(`select * from "Attachment" where "tenantId" = $1 order by id`, [tenantId]);
const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

/** Expects this first error, and no change of rows or files. */
async function refused(caller: Caller, answer: () => Promise<{ errors?: any[] }>, extensions: object) {
  const before = [await caller.snapshot("Attachment", "WorkRequest"), storedFiles(caller)];
  const { errors } = await answer();
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect([await caller.snapshot("Attachment", "WorkRequest"), storedFiles(caller)]).toEqual(before);
  expect(unfinished(gateway)).toEqual([]);
}

async function order(tenant: Caller, site = "") {
  const asset = await tenant.createAsset(site ? { site } : {});
  const { createWorkOrder } = await tenant.ask(`mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }`, {
    input: { assetId: asset.id, title: "Look" },
  });
  return { assetId: asset.id as string, workOrderId: createWorkOrder.id as string };
}

it("a photo of a work order has a thumbnail, a PDF is downloaded", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const { assetId, workOrderId } = await order(tenant);
  const photo = await image("png");
  const one = await attached(technician, { workOrderId }, { content: photo }, { description: "Crack" });
  expect(one).toEqual({
    id: expect.any(String),
    assetId,
    workOrderId,
    workRequestId: null,
    kind: null,
    title: null,
    revision: null,
    description: "Crack",
    filename: "x.png",
    contentType: "image/png",
    size: photo.length,
    sha256: sha256(photo),
    uploadedBy: expect.any(String),
    url: expect.any(String),
    thumbnailUrl: expect.any(String),
  });
  const two = await attached(technician, { workOrderId }, pdfFile);
  expect(two).toMatchObject({ contentType: "application/pdf", size: pdf.length, sha256: sha256(pdf), thumbnailUrl: null });
  const read = `query ($id: ID!) { workOrder(id: $id) { attachments { id workOrder { id } uploadedByPrincipal { name } } } }`;
  expect((await tenant.ask(read, { id: workOrderId })).workOrder.attachments).toEqual(
    [one, two].map(({ id }) => ({ id, workOrder: { id: workOrderId }, uploadedByPrincipal: { name: "technician" } })),
  );
  const served = await fetch(two.url);
  expect([served.status, Buffer.from(await served.arrayBuffer())]).toEqual([200, pdf]);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": `attachment; filename="pump _.pdf"; filename*=UTF-8''pump%20%C3%BC.pdf`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  const shown = await fetch(one.url);
  expect(shown.headers.get("content-disposition")).toBe(`inline; filename="x.png"; filename*=UTF-8''x.png`);
  expect((await fetch(one.thumbnailUrl)).headers.get("content-type")).toBe("image/webp");
  expect((await fetch(two.url.replace("original", "thumbnail"))).status).toBe(403);
  expect((await fetch(two.url.replace(two.id, one.id))).status).toBe(403);
});

it("documents belong to assets and have a kind and a title", async () => {
  const tenant = await gateway.newTenant();
  const { assetId, workOrderId } = await order(tenant);
  const document = { kind: "DRAWING", title: "Hydraulics", revision: "C" };
  const drawn = await attached(tenant, { assetId }, pdfFile, document);
  expect(drawn).toMatchObject({ assetId, workOrderId: null, ...document });
  await attached(tenant, { workOrderId }, pdfFile);
  const read = `query ($id: ID!) { asset(id: $id) { documents { id title } photos { id } } }`;
  expect((await tenant.ask(read, { id: assetId })).asset).toEqual({ documents: [{ id: drawn.id, title: "Hydraulics" }], photos: [] });
  expect((await tenant.rest("GET", `/assets/${assetId}/photos`)).body).toEqual({ photos: [] });
  const code = "BAD_USER_INPUT";
  await refused(tenant, () => attach(tenant, { assetId }, pdfFile), {
    code,
    details: { kind: "is required for a document", title: "is required for a document" },
  });
  await refused(tenant, () => attach(tenant, { workOrderId }, pdfFile, document), {
    code,
    details: Object.fromEntries(Object.keys(document).map((name) => [name, "is for documents of assets alone"])),
  });
  await tenant.rest("DELETE", `/assets/${assetId}`);
  expect((await fetch(drawn.url)).status).toBe(404);
});

it.each([
  ["HTML as text", { content: "<html><script>1</script>", filename: "a.html", contentType: "text/html" }, /must be one of image\/jpeg/],
  ["SVG", { content: "<svg xmlns='http://www.w3.org/2000/svg'/>", filename: "a.svg", contentType: "image/svg+xml" }, /must be one of/],
  ["a PDF that is an image", { content: "PNG", filename: "a.pdf", contentType: "application/pdf" }, /is image\/png, not application\/pdf/],
  ["an image that is text", { content: "text", contentType: "image/png" }, /is not a JPG, PNG, GIF or WebP image/],
  ["text that is a PDF", { ...pdfFile, contentType: "text/plain" }, /is application\/pdf, not text\/plain/],
  ["text that is none", { content: new Uint8Array([65, 0, 66]), filename: "a.csv", contentType: "text/csv" }, /is not text/],
  [
    "text of another encoding",
    { content: new Uint8Array([65, 0xe9, 66]), filename: "a.txt", contentType: "text/plain" },
    /is not text in UTF-8/,
  ],
  ["nothing", { content: "", filename: "a.txt", contentType: "text/plain" }, /is empty/],
])("%s is rejected", async (_, file, message) => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const sent = file.content === "PNG" ? { ...file, content: await image("png") } : file;
  await refused(tenant, () => attach(tenant, { workOrderId }, sent), {
    code: "BAD_USER_INPUT",
    details: { file: expect.stringMatching(message) },
  });
});

it("text and CSV are accepted unchanged", async () => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const content = Buffer.from("Zeit;Wert\n1;grün\n");
  const { url, sha256: sum } = await attached(tenant, { workOrderId }, { content, filename: "a.csv", contentType: "text/csv" });
  expect([sum, Buffer.from(await (await fetch(url)).arrayBuffer())]).toEqual([sha256(content), content]);
});

it("a file that is too large is rejected", async () => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const { errors } = await attach(tenant, { workOrderId }, { ...pdfFile, content: Buffer.concat([pdf, Buffer.alloc(9000, 32)]) });
  expect(errors![0]!.extensions).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  expect(await rows(tenant)).toEqual([]);
  expect(storedFiles(tenant)).toEqual([]);
});

it("a fault is reported with photos, which its work order shows", async () => {
  const tenant = await gateway.newTenant();
  const requester = await tenant.as("requester");
  const { id: assetId } = await tenant.createAsset();
  const photo = { content: await image("jpeg"), filename: "leak.jpg", contentType: "image/jpeg" };
  const input = { assetId, description: "Leaks", photos: [null, null] };
  const { data, errors } = await sendForm(requester, report, { input }, { "input.photos.0": photo, "input.photos.1": photo });
  expect(errors).toBeUndefined();
  const { id, attachments } = data.reportFault;
  const seen = { id: expect.any(String), filename: "leak.jpg", contentType: "image/jpeg", workRequestId: id };
  expect(attachments).toEqual([1, 2].map(() => ({ ...seen, url: expect.any(String), thumbnailUrl: expect.any(String) })));
  expect((await fetch(attachments[0].url)).status).toBe(200);
  await attached(requester, { workRequestId: id }, pdfFile);
  const own = await requester.ask("query ($id: ID!) { workRequest(id: $id) { attachments { filename } } }", { id });
  expect(own.workRequest.attachments.map(({ filename }: any) => filename)).toEqual(["leak.jpg", "leak.jpg", "pump ü.pdf"]);
  const accept = "mutation ($id: ID!) { acceptWorkRequest(id: $id) { workOrder { request { attachments { filename } } } } }";
  expect((await tenant.ask(accept, { id })).acceptWorkRequest.workOrder.request).toEqual(own.workRequest);
  await refused(tenant, () => attach(requester, { workRequestId: id }, pdfFile), { code: "CONFLICT", status: "ACCEPTED" });
  await attached(tenant, { workRequestId: id }, pdfFile);
});

it("a report with a bad photo, or without content, stores neither report nor photos", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const good = { content: await image("png") };
  const files = (second: object) => ({ "input.photos.0": good, "input.photos.1": { ...good, ...second } });
  const send = (input: object, second: object) => sendForm(tenant, report, { input: { ...input, photos: [null, null] } }, files(second));
  const code = "BAD_USER_INPUT";
  await refused(tenant, () => send({ assetId, description: "x" }, { content: "none" }), { code });
  await refused(tenant, () => send({ assetId, description: "x" }, pdfFile), {
    code,
    details: { file: expect.stringMatching(/^must be one of image/) },
  });
  await refused(tenant, () => send({ assetId: "none", description: "x" }, {}), { code, details: { assetId: expect.any(String) } });
});

it("a requester attaches only to its own open requests", async () => {
  const tenant = await gateway.newTenant();
  const [requester, other] = [await tenant.as("requester"), await tenant.as("requester")];
  const { assetId, workOrderId } = await order(tenant);
  const { reportFault } = await other.ask(report, { input: { assetId, description: "x" } });
  const foreign = await attached(other, { workRequestId: reportFault.id }, pdfFile);
  for (const workRequestId of [reportFault.id, "none"])
    await refused(tenant, () => attach(requester, { workRequestId }, pdfFile), { code: "NOT_FOUND", workRequestId });
  await refused(tenant, () => attach(requester, { workOrderId }, pdfFile), { code: "FORBIDDEN" });
  await refused(tenant, () => attach(requester, { assetId }, pdfFile, { kind: "MANUAL", title: "x" }), { code: "FORBIDDEN" });
  await refused(tenant, () => requester.graphql(`mutation { deleteAttachment(id: "${foreign.id}") { id } }`), { code: "FORBIDDEN" });
  await refused(tenant, () => requester.graphql(`{ node(id: "${foreign.id}") { id } }`), { code: "FORBIDDEN" });
  expect((await requester.ask("{ workRequests { nodes { attachments { id } } } }")).workRequests.nodes).toEqual([]);
  const viewer = await tenant.as("viewer");
  await refused(tenant, () => attach(viewer, { workOrderId }, pdfFile), { code: "FORBIDDEN" });
});

it("the uploader and managers delete and restore it", async () => {
  const tenant = await gateway.newTenant();
  const [technician, other, manager] = [await tenant.as("technician"), await tenant.as("technician"), await tenant.as("manager")];
  const { workOrderId } = await order(tenant);
  const { id, url } = await attached(technician, { workOrderId }, pdfFile);
  const remove = (caller: Caller) =>
    caller.graphql(`mutation ($id: ID!) { deleteAttachment(id: $id) { id message belongedTo { id } } }`, { id });
  const restore = (caller: Caller) => caller.graphql(`mutation ($id: ID!) { restoreAttachment(id: $id) { id } }`, { id });
  await refused(tenant, () => remove(other), { code: "FORBIDDEN" });
  await refused(tenant, () => restore(technician), { code: "NOT_FOUND" });
  expect((await remove(technician)).data).toEqual({
    deleteAttachment: { id, message: "Attachment deleted", belongedTo: { id: workOrderId } },
  });
  expect((await fetch(url)).status).toBe(404);
  await refused(tenant, () => remove(technician), { code: "NOT_FOUND" });
  await refused(tenant, () => restore(other), { code: "FORBIDDEN" });
  expect((await restore(manager)).data).toEqual({ restoreAttachment: { id } });
  expect((await fetch(url)).status).toBe(200);
  const { changes } = await tenant.ask(`query ($id: ID!) { changes(filter: { recordId: $id }) { nodes { kind recordType } } }`, { id });
  expect(changes.nodes.map(({ kind }: any) => kind)).toEqual(["RESTORED", "DELETED", "CREATED"]);
});

it("a key of other sites neither attaches, nor sees, nor deletes", async () => {
  const tenant = await gateway.newTenant();
  const { assetId, workOrderId } = await order(tenant, "North");
  const { id } = await attached(tenant, { workOrderId }, pdfFile);
  const south = await tenant.as("manager", ["South"], false);
  await refused(tenant, () => attach(south, { workOrderId }, pdfFile), { code: "FORBIDDEN" });
  await refused(tenant, () => attach(south, { assetId }, pdfFile, { kind: "OTHER", title: "x" }), { code: "FORBIDDEN" });
  await refused(tenant, () => south.graphql(`mutation { deleteAttachment(id: "${id}") { id } }`), { code: "FORBIDDEN" });
  expect(await south.ask(`{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  expect(await tenant.ask(`{ node(id: "${id}") { id } }`)).toEqual({ node: { id } });
});

it("an owner has at most 100, even with concurrent uploads", async () => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const { id } = await attached(tenant, { workOrderId }, pdfFile);
  const columns = Object.keys((await rows(tenant))[0])
    .filter((name) => name !== "id")
    .map((name) => `"${name}"`)
    .join(", ");
  await gateway.database.query(
    `insert into "Attachment" (id, ${columns}) select 'copy' || n, ${columns} from "Attachment" cross join generate_series(1, 97) n where "tenantId" = $1 and id = $2`,
    [tenant.tenantId, id],
  );
  const text = { content: "x", filename: "a.txt", contentType: "text/plain" };
  const answers = await Promise.all([1, 2, 3, 4].map(() => attach(tenant, { workOrderId }, text)));
  expect(answers.filter(({ data }) => data?.uploadAttachment)).toHaveLength(2);
  expect(answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code)).toEqual(["CONFLICT", "CONFLICT"]);
  expect((await rows(tenant)).length).toBe(100);
});

it("a file without an owner is swept, a deleted one is purged with its files", async () => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const [kept, gone, late] = [
    await attached(tenant, { workOrderId }, { content: await image("png") }),
    await attached(tenant, { workOrderId }, { content: await image("png") }),
    await attached(tenant, { workOrderId }, { content: await image("png") }),
  ];
  const storage = await openStorage(gateway.config);
  await gateway.database.query(
    `update "Attachment" set "uploadedAt" = null, "workOrderId" = null, "expiresAt" = now() - interval '2 hours' where "tenantId" = $1 and id = $2`,
    [tenant.tenantId, late.id],
  );
  await gateway.database.query(`update "Attachment" set "deletedAt" = now() - interval '40 days' where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    gone.id,
  ]);
  await sweepUploads(gateway.database, storage);
  expect((await rows(tenant)).map(({ id }) => id)).toEqual([kept.id, gone.id]);
  const purged = await purge(gateway.database, storage, { readings: 0, notifications: 0, deleted: 30, deliveries: 30, changes: 400 });
  expect(JSON.stringify(purged)).toContain("deleted attachments");
  expect((await rows(tenant)).map(({ id }) => id)).toEqual([kept.id]);
  expect(storedFiles(tenant).map((path) => path.split("/").at(-1))).toEqual([kept.id, kept.id]);
});

it("a file whose commit succeeded although the response to it was lost is not discarded", async () => {
  const tenant = await gateway.newTenant();
  const { workOrderId } = await order(tenant);
  const kept = await attached(tenant, { workOrderId }, pdfFile);
  const before = [await rows(tenant), storedFiles(tenant)];
  await discard({ db: forTenant(gateway.database, tenant.tenantId), storage: await openStorage(gateway.config) }, [kept.id]);
  expect([await rows(tenant), storedFiles(tenant)]).toEqual(before);
  expect(Buffer.from(await (await fetch(kept.url)).arrayBuffer())).toEqual(pdf);
});
