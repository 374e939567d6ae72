/** Uploads over GraphQL with an Idempotency-Key: files are stored once, and before the transaction of the key. */
import { expect, test } from "vitest";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { openStorage } from "../../src/storage/open.js";
import { type Caller, startGateway } from "../world.js";
import { type FileToSend, sendForm } from "./attachments.js";
import { image } from "./photos.js";

const gateway = await startGateway();
const storage = await openStorage(gateway.config);

const upload = "mutation ($owner: AttachmentOwnerInput!, $file: Upload!) { uploadAttachment(owner: $owner, file: $file) { id filename } }";
const report = "mutation ($input: ReportFaultInput!) { reportFault(input: $input) { id attachments { id filename } } }";
const assetPhoto = "mutation ($id: ID!, $file: Upload!) { uploadAssetPhoto(assetId: $id, file: $file) { id filename } }";

const filesOf = async (tenant: Caller) =>
  (
    await gateway.database.query<{ table: string; rows: number; attached: number }>(
      `select 'Attachment' as "table", count(*)::int as rows, count("uploadedAt")::int as attached from "Attachment" where "tenantId" = $1
       union all select 'Photo', count(*)::int, count("uploadedAt")::int from "Photo" where "tenantId" = $1 order by 1`,
      [tenant.tenantId],
    )
  ).map(({ table, rows, attached }) => [table, rows, attached]);

const place = async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const { createWorkOrder } = await tenant.ask(
    'mutation ($asset: ID!) { createWorkOrder(input: { assetId: $asset, title: "T" }) { id } }',
    { asset: assetId },
  );
  return { tenant, assetId, orderId: createWorkOrder.id as string };
};

test("a repeated upload stores nothing twice and gets the same response", async () => {
  const { tenant, assetId, orderId } = await place();
  const file: FileToSend = { content: await image("png"), filename: "a.png" };
  const owner = { workOrderId: orderId };
  const first = await sendForm(tenant, upload, { owner, file: null }, { file }, "k1");
  expect(first).toEqual({ data: { uploadAttachment: { id: expect.any(String), filename: "a.png" } } });
  expect(await sendForm(tenant, upload, { owner, file: null }, { file }, "k1")).toEqual(first);
  const input = { assetId, description: "Leaks", photos: [null, null] };
  const photos = { "input.photos.0": file, "input.photos.1": { ...file, filename: "b.png" } };
  const reported = await sendForm(tenant, report, { input }, photos, "k2");
  expect(reported.data.reportFault.attachments.map(({ filename }: any) => filename).sort()).toEqual(["a.png", "b.png"]);
  expect(await sendForm(tenant, report, { input }, photos, "k2")).toEqual(reported);
  const shown = await sendForm(tenant, assetPhoto, { id: assetId, file: null }, { file }, "k3");
  expect(shown).toEqual({ data: { uploadAssetPhoto: { id: expect.any(String), filename: "a.png" } } });
  expect(await sendForm(tenant, assetPhoto, { id: assetId, file: null }, { file }, "k3")).toEqual(shown);
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 3, 3],
    ["Photo", 1, 1],
  ]);
  const { workOrder, asset } = await tenant.ask(
    "query ($order: ID!, $asset: ID!) { workOrder(id: $order) { attachments { url } } asset(id: $asset) { photos { url thumbnailUrl } } }",
    { order: orderId, asset: assetId },
  );
  for (const url of [workOrder.attachments[0].url, asset.photos[0].url, asset.photos[0].thumbnailUrl])
    expect((await fetch(url)).status).toBe(200);
  // Another request with the key is refused, and its file is not stored.
  const { errors } = await sendForm(tenant, upload, { owner: { assetId }, file: null }, { file }, "k1");
  expect(errors![0]!.extensions.code).toBe("UNPROCESSABLE");
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 3, 3],
    ["Photo", 1, 1],
  ]);
});

test("requests at the same time with one key store one file", async () => {
  const { tenant, orderId } = await place();
  const file: FileToSend = { content: await image("png") };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => sendForm(tenant, upload, { owner: { workOrderId: orderId }, file: null }, { file }, "k")),
  );
  const ids = new Set(answers.flatMap(({ data }) => data?.uploadAttachment?.id ?? []));
  expect(ids.size).toBe(1);
  for (const { errors } of answers) expect(["CONFLICT", undefined]).toContain(errors?.[0]?.extensions.code);
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 1, 1],
    ["Photo", 0, 0],
  ]);
});

test("a refused file, owner or later field leaves no file, and the refusal is repeated", async () => {
  const { tenant, assetId, orderId } = await place();
  const good: FileToSend = { content: await image("png") };
  const bad: FileToSend = { content: "no image" };
  const refused = async (query: string, variables: object, files: Record<string, FileToSend>, key: string) => {
    const first = await sendForm(tenant, query, variables, files, key);
    expect(await sendForm(tenant, query, variables, files, key)).toEqual(first);
    return first.errors![0]!.extensions.code;
  };
  const owner = { workOrderId: orderId };
  expect(await refused(upload, { owner, file: null }, { file: bad }, "a")).toBe("BAD_USER_INPUT");
  expect(await refused(upload, { owner: { workOrderId: "none" }, file: null }, { file: good }, "b")).toBe("NOT_FOUND");
  expect(await refused(assetPhoto, { id: assetId, file: null }, { file: bad }, "c")).toBe("BAD_USER_INPUT");
  const input = { assetId, description: "x", photos: [null, null] };
  expect(await refused(report, { input }, { "input.photos.0": good, "input.photos.1": bad }, "d")).toBe("BAD_USER_INPUT");
  const later = `mutation ($owner: AttachmentOwnerInput!, $asset: ID!, $file: Upload!, $photo: Upload!) {
    uploadAttachment(owner: $owner, file: $file) { id } uploadAssetPhoto(assetId: $asset, file: $photo) { id } deleteAsset(id: "none") { id } }`;
  expect(await refused(later, { owner, asset: assetId, file: null, photo: null }, { file: good, photo: good }, "e")).toBe("NOT_FOUND");
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 0, 0],
    ["Photo", 0, 0],
  ]);
});

test("a file that a stopped process stored and never attached is swept; the repeated request stores it again", async () => {
  const { tenant, orderId } = await place();
  const file: FileToSend = { content: await image("png") };
  const send = () => sendForm(tenant, upload, { owner: { workOrderId: orderId }, file: null }, { file }, "k");
  await send();
  // The state that a process leaves if it stores the file and stops before the transaction.
  await gateway.database.query(
    `update "Attachment" set "uploadedAt" = null, "workOrderId" = null, "assetId" = null, "expiresAt" = now() - interval '2 hours' where "tenantId" = $1`,
    [tenant.tenantId],
  );
  await gateway.database.query(
    `update "IdempotencyKey" set status = 409, lease = 'of a stopped process', "leaseEndsAt" = now() - interval '1 second' where "tenantId" = $1`,
    [tenant.tenantId],
  );
  const again = await send();
  expect(again.data.uploadAttachment.filename).toBe("x.png");
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 2, 1],
    ["Photo", 0, 0],
  ]);
  await sweepUploads(gateway.database, storage);
  expect(await filesOf(tenant)).toEqual([
    ["Attachment", 1, 1],
    ["Photo", 0, 0],
  ]);
  const { workOrder } = await tenant.ask("query ($id: ID!) { workOrder(id: $id) { attachments { id url } } }", { id: orderId });
  expect(workOrder.attachments.map(({ id }: any) => id)).toEqual([again.data.uploadAttachment.id]);
  expect((await fetch(workOrder.attachments[0].url)).status).toBe(200);
});
