/** Files declared by a GraphQL multipart form: each must arrive, and is used once. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { image, register, storedFiles, uploaded } from "./photos.js";

const gateway = await sharedGateway();
const upload = `mutation ($a: ID!, $f: Upload!) { uploadAssetPhoto(assetId: $a, file: $f) { id } }`;

async function post(tenant: Caller, operations: object, map: object, files: Record<string, Buffer>) {
  const form = new FormData();
  form.append("operations", JSON.stringify(operations));
  form.append("map", JSON.stringify(map));
  for (const [name, file] of Object.entries(files)) form.append(name, new Blob([new Uint8Array(file)], { type: "image/jpeg" }), "a.jpg");
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  return { status: response.status, ...((await response.json()) as any) };
}

const usedTwice = "is a file that is used twice; send it once for each place";
const twice = `mutation ($a: ID!, $f: Upload!) { x: uploadAssetPhoto(assetId: $a, file: $f) { id } y: uploadAssetPhoto(assetId: $a, file: $f) { id } }`;
const two = `mutation ($a: ID!, $f: Upload!, $g: Upload!) { x: uploadAssetPhoto(assetId: $a, file: $f) { id } y: uploadAssetPhoto(assetId: $a, file: $g) { id } }`;

test.each<[string, number, string, string[], boolean, object]>([
  ["never comes", 200, upload, ["variables.f"], false, { file: "is named in map and does not follow; send it as a part of the form" }],
  ["is used by two fields", 400, twice, ["variables.f"], true, { "variables.f": usedTwice }],
  ["is mapped to two variables", 400, two, ["variables.f", "variables.g"], true, { "variables.g": usedTwice }],
])("a declared file that %s is rejected, and nothing is stored", async (_, status, query, paths, comes, details) => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const before = await tenant.snapshot("Photo");
  const operations = { query, variables: { a: id, f: null, g: null } };
  const answer = await post(tenant, operations, { 0: paths }, comes ? { 0: await image() } : {});
  expect([answer.status, answer.errors.length, answer.errors[0].message]).toEqual([status, 1, "Invalid input"]);
  expect(answer.errors[0].extensions).toMatchObject({ code: "BAD_USER_INPUT", details });
  expect([await tenant.snapshot("Photo"), storedFiles(tenant)]).toEqual([before, []]);
});

/** Sends a form with the given file part. */
async function postRaw(tenant: Caller, query: string, variables: object, part: string) {
  const field = (name: string, value: object) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}\r\n`;
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    body: `${field("operations", { query, variables })}${field("map", { 0: ["variables.f"] })}--x\r\nContent-Disposition: form-data; name="0"; filename=${part}`,
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "multipart/form-data; boundary=x" },
  });
  return { status: response.status, ...((await response.json()) as any) };
}

const attachment = `mutation ($a: ID!, $f: Upload!) { uploadAttachment(owner: { assetId: $a }, file: $f, input: { kind: MANUAL, title: "x" }) { id filename } }`;
const textPart = (filename: string) => `"${filename}"\r\nContent-Type: text/plain\r\n\r\nhello`;

test.each<[string, string, string]>([
  ["photo with a control character in its name", upload, `${textPart("a\u0001.txt")}\r\n--x--\r\n`],
  ["document with a null in its name", attachment, `${textPart("a\0.txt")}\r\n--x--\r\n`],
  ["photo that breaks off", upload, textPart("a.jpg").replace("text/plain", "image/jpeg")],
  ["document that breaks off", attachment, textPart("a.txt")],
])("a %s is rejected, and nothing is stored", async (_, query, part) => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const before = await tenant.snapshot("Photo", "Attachment");
  const { errors } = await postRaw(tenant, query, { a: id, f: null }, part);
  const details = { file: "was not sent to its end, or its part of the form is malformed" };
  expect(errors).toMatchObject([{ message: "Invalid input", extensions: { code: "BAD_USER_INPUT", details } }]);
  expect([await tenant.snapshot("Photo", "Attachment"), storedFiles(tenant)]).toEqual([before, []]);
});

test("a long name is cut to its last 255 characters, none of them half", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const part = `${textPart(`${"😀".repeat(200)}a.txt`)}\r\n--x--\r\n`;
  const { data } = await postRaw(tenant, attachment, { a: id, f: null }, part);
  expect(data.uploadAttachment.filename).toBe(`${"😀".repeat(125)}a.txt`);
});

test("two files for two fields are two photos", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const operations = { query: two, variables: { a: id, f: null, g: null } };
  const { data, errors } = await post(
    tenant,
    operations,
    { 0: ["variables.f"], 1: ["variables.g"] },
    { 0: await image(), 1: await image() },
  );
  expect([errors, typeof data.x.id, typeof data.y.id]).toEqual([undefined, "string", "string"]);
});

test.each([undefined, null])("a registration with the filename %s is rejected, and can be repeated", async (filename) => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const { mediaId } = await uploaded(tenant, id, await image());
  const before = [await tenant.snapshot("Photo"), storedFiles(tenant)];
  const { status, body } = await register(tenant, id, mediaId, { filename });
  expect([status, body.details]).toEqual([400, { filename: "is required" }]);
  expect([await tenant.snapshot("Photo"), storedFiles(tenant)]).toEqual(before);
  expect((await register(tenant, id, mediaId)).status).toBe(201);
});
