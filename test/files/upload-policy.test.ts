/**
 * Uploads allowed by a grant, checked by both storages: the gateway's own and a real S3 server. The results must be identical
 * (docs/interface.md 2.2; docs/decisions.md, "grant"). Also tests photos on S3.
 */
import { createReadStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { readArchive } from "../../src/archive/archive.js";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { exportToFile } from "../../src/cli/tenant.js";
import { tenantSecret } from "../../src/database/records/directory.js";
import { deleteTenants } from "../../src/domain/tenants/deletion.js";
import { importTenants } from "../../src/domain/tenants/import.js";
import { changeState } from "../../src/domain/tenants/states.js";
import { openStorage } from "../../src/storage/open.js";
import { type Caller, type Gateway, startGateway } from "../world.js";
import { addPhoto, formOf, grantFor, image, photoRows, register, send, uploaded, uploadInOneStep } from "./photos.js";
import { hasS3, startS3 } from "./s3.js";

if (!hasS3) console.log("No S3 server on this machine (radosgw, ceph-mon, ceph-osd, ceph-common): its half of the upload tests is skipped");
const s3 = hasS3 ? await startS3() : undefined;
const gateways = { local: await startGateway(), s3: s3 && (await startGateway(s3.settings)) };

type Fields = Record<string, string>;
type Part = [name: string, value: string | Uint8Array];

interface Setting {
  fields: Fields;
  file: Buffer;
  /** Fields of another grant of the same tenant. */
  other: Fields;
  /** Fields of another tenant's grant. */
  foreign: Fields;
  /** Like `fields`, but expired. */
  expired: Fields;
}

const change = (fields: Fields, changes: Record<string, string | undefined>): Part[] =>
  Object.entries(fields).flatMap(([name, value]): Part[] => {
    const changed = name in changes ? changes[name] : value;
    return changed === undefined ? [] : [[name, changed]];
  });

const pick = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]!]] : [])));
const signatureOf = (fields: Fields) => pick(fields, "signature", "X-Amz-Signature");
const policyOf = (fields: Fields) => pick(fields, "policy");
const each = (fields: Fields, value: (text: string) => string | undefined) =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, value(text)]));

/** The same policy with a later expiry, in the same encoding. */
function forged(policy: string): string {
  const encoding = /[+/=]/.test(policy) ? "base64" : "base64url";
  const text = Buffer.from(policy, "base64")
    .toString()
    .replace(/"expiration":"[^"]+"/, '"expiration":"2099-01-01T00:00:00.000Z"');
  return Buffer.from(text).toString(encoding);
}

const form = (fields: Part[], file: Uint8Array): Part[] => [...fields, ["file", file]];

const cases: [name: string, verdict: "accepted" | "refused", parts: (setting: Setting) => Part[]][] = [
  ["an unchanged grant", "accepted", ({ fields, file }) => form(change(fields, {}), file)],
  ["fields in another order", "accepted", ({ fields, file }) => form(change(fields, {}).reverse(), file)],
  ["an expired grant", "refused", ({ expired, file }) => form(change(expired, {}), file)],
  ["another key", "refused", ({ fields, file }) => form(change(fields, { key: `${fields.key}x` }), file)],
  ["a key outside the uploads folder", "refused", ({ fields, file }) => form(change(fields, { key: "photos/x" }), file)],
  ["a key with ..", "refused", ({ fields, file }) => form(change(fields, { key: `${fields.key}/../x` }), file)],
  // S3 replaces ${filename} with the name of the file.
  ["a key with a ${filename} variable", "refused", ({ fields, file }) => form(change(fields, { key: "incoming/${filename}" }), file)],
  ["no key", "refused", ({ fields, file }) => form(change(fields, { key: undefined }), file)],
  ["another content type", "refused", ({ fields, file }) => form(change(fields, { "Content-Type": "text/html" }), file)],
  ["no content type", "refused", ({ fields, file }) => form(change(fields, { "Content-Type": undefined }), file)],
  ["one byte too many", "refused", ({ fields, file }) => form(change(fields, {}), Buffer.concat([file, Buffer.alloc(1)]))],
  ["a million bytes too many", "refused", ({ fields, file }) => form(change(fields, {}), Buffer.concat([file, Buffer.alloc(1_000_000)]))],
  ["one byte too few", "refused", ({ fields, file }) => form(change(fields, {}), file.subarray(1))],
  ["an empty file", "refused", ({ fields }) => form(change(fields, {}), Buffer.alloc(0))],
  [
    "no signature",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(signatureOf(fields), () => undefined),
        ),
        file,
      ),
  ],
  [
    "an empty signature",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(signatureOf(fields), () => ""),
        ),
        file,
      ),
  ],
  [
    "a made-up signature",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(signatureOf(fields), (text) => "0".repeat(text.length)),
        ),
        file,
      ),
  ],
  [
    "a truncated signature",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(signatureOf(fields), (text) => text.slice(0, -1)),
        ),
        file,
      ),
  ],
  ["the signature of another grant", "refused", ({ fields, other, file }) => form(change(fields, signatureOf(other)), file)],
  [
    "the policy of another grant with its signature",
    "refused",
    ({ fields, other, file }) => form(change(other, { key: fields.key }), file),
  ],
  ["a policy with a later end", "refused", ({ expired, file }) => form(change(expired, each(policyOf(expired), forged)), file)],
  [
    "no policy",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(policyOf(fields), () => undefined),
        ),
        file,
      ),
  ],
  [
    "an empty policy",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(policyOf(fields), () => ""),
        ),
        file,
      ),
  ],
  [
    "an invalid policy",
    "refused",
    ({ fields, file }) =>
      form(
        change(
          fields,
          each(policyOf(fields), () => "e30="),
        ),
        file,
      ),
  ],
  ["another tenant's grant for the own key", "refused", ({ fields, foreign, file }) => form(change(foreign, { key: fields.key }), file)],
  ["the own policy for another tenant's key", "refused", ({ fields, foreign, file }) => form(change(fields, { key: foreign.key }), file)],
  ["a repeated key", "refused", ({ fields, file }) => form([...change(fields, {}), ["key", `${fields.key}x`]], file)],
  ["a repeated content type", "refused", ({ fields, file }) => form([...change(fields, {}), ["Content-Type", "text/html"]], file)],
  ["a field that was not granted", "refused", ({ fields, file }) => form([...change(fields, {}), ["acl", "public-read"]], file)],
  ["the file before the fields", "refused", ({ fields, file }) => [["file", file], ...change(fields, {})]],
  ["no file", "refused", ({ fields }) => change(fields, {})],
  ["only a file", "refused", ({ file }) => [["file", file]]],
  ["nothing", "refused", () => []],
];

function formData(parts: Part[]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, new Blob([new Uint8Array(value)]), "photo.jpg");
  }
  return data;
}

describe.each(["local", "s3"] as const)("uploads to %s storage", (home) => {
  const gateway = gateways[home] as Gateway;

  test.skipIf(!gateway).concurrent.each(cases)("%s: %s", async (name, verdict, parts) => {
    const storage = await openStorage(gateway.config);
    const file = await image();
    const of = async (caller: Caller) => ({ caller, asset: (await caller.createAsset()).id as string });
    const [mine, theirs] = [await of(await gateway.newTenant()), await of(await gateway.newTenant())];
    const grant = await grantFor(mine.caller, mine.asset, file.length);
    const [key, contentType, size] = [grant.fields.key!, "image/jpeg", file.length];
    const secret = await tenantSecret(gateway.database, mine.caller.tenantId);
    const { fields: expired } = await storage.grant({
      key,
      contentType,
      size,
      expiresAt: new Date(),
      seconds: 1,
      secret,
      baseUrl: gateway.url,
    });
    const setting: Setting = {
      fields: grant.fields,
      file,
      other: (await grantFor(mine.caller, mine.asset, file.length)).fields,
      foreign: (await grantFor(theirs.caller, theirs.asset, file.length)).fields,
      expired,
    };
    // S3 grants are valid for at least one second.
    if (/expired|later end/.test(name)) await sleep(2200);

    const { status, text } = await send(grant.uploadUrl, formData(parts(setting)));
    const isThere = Boolean(await storage.withFile(key, async ({ size }) => size === file.length));
    expect([status < 300 ? "accepted" : "refused", isThere], `${status} ${text}`).toEqual([verdict, verdict === "accepted"]);
    if (verdict === "refused") expect(Math.floor(status / 100), `${status} ${text}`).toBe(4);
    for (const { caller } of [mine, theirs]) {
      const rows = await photoRows(caller);
      expect(rows.every(({ uploadedAt }) => uploadedAt === null)).toBe(true);
    }
    expect((await register(mine.caller, mine.asset, grant.mediaId)).status).toBe(verdict === "accepted" ? 201 : 400);
  });
});

test("the gateway rejects any repeated field, even with equal values", async () => {
  const tenant = await gateways.local.newTenant();
  const { id } = await tenant.createAsset();
  const file = await image();
  const { uploadUrl, fields } = await grantFor(tenant, id, file.length);
  for (const name of Object.keys(fields)) {
    const { status, text } = await send(uploadUrl, formData(form([...change(fields, {}), [name, fields[name]!]], file)));
    expect([status, JSON.parse(text).details]).toEqual([400, { [name]: "must be given once" }]);
  }
  expect((await send(uploadUrl, formOf(fields, file))).status).toBe(204);
});

describe.skipIf(!s3)("photos on S3", () => {
  const gateway = gateways.s3 as Gateway;
  const stored = ({ tenantId }: Caller) => s3!.storedFiles(tenantId);

  async function tenantWithAsset() {
    const tenant = await gateway.newTenant();
    return { tenant, id: (await tenant.createAsset()).id as string };
  }

  test("a tenant's files leave with it, arrive with a copy of it, and are deleted with it", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { id: photo } = await addPhoto(tenant, id);
    await uploaded(tenant, id, await image());
    const storage = await openStorage(gateway.config);
    const file = join(gateway.config.DATA_DIR, "tenant.tar.gz");
    mkdirSync(gateway.config.DATA_DIR, { recursive: true });
    expect(await exportToFile(gateway.database, storage, file, [tenant.tenantId])).toMatchObject({ files: 2, missing: [] });
    const copy = `copy-${tenant.tenantId.slice(2)}`;
    await importTenants(gateway.database, storage, readArchive(createReadStream(file)), { as: copy });
    const files = (name: string) => [`photos/${name}/${photo}`, `thumbnails/${name}/${photo}`];
    expect(await s3!.storedFiles(`/${copy}/`)).toEqual(files(copy));
    expect((await stored(tenant)).length).toBe(3);
    await changeState(gateway.database, tenant.tenantId, "deleting");
    await expect
      .poll(() => deleteTenants(gateway.database, storage, { tenantId: tenant.tenantId, graceSeconds: 0 }))
      .toEqual([tenant.tenantId]);
    expect(await stored(tenant)).toEqual([]);
    expect(await s3!.storedFiles(`/${copy}/`)).toEqual(files(copy));
  });

  test("the steps of a photo: grant, upload to S3, registration, list, read, delete, restore", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image("jpeg", 800, 600);
    const grant = await grantFor(tenant, id, file.length);
    expect(new URL(grant.uploadUrl).origin).toBe(new URL(s3!.settings.S3_ENDPOINT).origin);
    expect(grant.fields).toMatchObject({
      key: `incoming/${tenant.tenantId}/${grant.mediaId}`,
      StorageAccessKeyId: "AKTEST",
      policy: expect.any(String),
      signature: expect.any(String),
    });
    expect(JSON.stringify(grant)).not.toContain("SKTEST");
    expect((await send(grant.uploadUrl, formOf(grant.fields, file))).status).toBe(204);
    const { status, body } = await register(tenant, id, grant.mediaId, { filename: "a b.jpg", size: file.length, description: "front" });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(await stored(tenant)).toEqual([`photos/${tenant.tenantId}/${grant.mediaId}`, `thumbnails/${tenant.tenantId}/${grant.mediaId}`]);
    expect((await tenant.rest("GET", `/assets/${id}/photos`)).body).toEqual({ photos: [body] });

    const read = await fetch(body.url);
    expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "content-length": String(file.length),
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": expect.stringMatching(/^private/),
    });
    const thumbnail = await sharp(Buffer.from(await (await fetch(body.thumbnailUrl)).arrayBuffer())).metadata();
    expect([thumbnail.format, thumbnail.width, thumbnail.height]).toEqual(["webp", 320, 240]);

    expect((await tenant.rest("DELETE", `/assets/${id}/photos/${grant.mediaId}`)).status).toBe(200);
    expect((await fetch(body.url)).status).toBe(404);
    await tenant.ask("mutation ($a: ID!, $p: ID!) { restorePhoto(owner: { assetId: $a }, id: $p) { id } }", { a: id, p: grant.mediaId });
    expect((await fetch(body.url)).status).toBe(200);
  });

  test("the gateway itself accepts no uploads", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { fields } = await grantFor(tenant, id, 9);
    expect((await send(`${gateway.url}/uploads`, formOf(fields, Buffer.alloc(9)))).status).toBe(404);
  });

  test("rejected uploads get the documented errors and store nothing", async () => {
    const { tenant, id } = await tenantWithAsset();
    const ask = { filename: "a.jpg", contentType: "image/jpeg", size: 26 * 1_048_576 };
    const large = await tenant.rest("POST", `/assets/${id}/photos/presigned-url`, ask);
    expect([large.status, large.body]).toMatchObject([413, { error: "File too large", maxSize: "25 MB", receivedSize: "26 MB" }]);

    const early = await grantFor(tenant, id, 9);
    const nothing = await register(tenant, id, early.mediaId);
    expect([nothing.status, nothing.body.details]).toEqual([400, { mediaId: "has no uploaded file; send the file to uploadUrl first" }]);

    const exe = Buffer.concat([Buffer.from("MZ\x90\0", "latin1"), Buffer.alloc(500)]);
    const { mediaId } = await uploaded(tenant, id, exe);
    const { status, body } = await register(tenant, id, mediaId);
    expect([status, body.details]).toEqual([400, { file: "is not a JPG, PNG, GIF or WebP image; request a new upload" }]);
    expect(await stored(tenant)).toEqual([]);
    expect((await photoRows(tenant)).map((row) => row.id)).toEqual([early.mediaId]);
  });

  test("a second registration is rejected; a file uploaded again never becomes a photo and is swept", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const grant = await uploaded(tenant, id, file);
    const { body } = await register(tenant, id, grant.mediaId);
    const other = await sharp(file).negate().jpeg().toBuffer();
    const padded = Buffer.concat([other, Buffer.alloc(Math.max(0, file.length - other.length))]).subarray(0, file.length);
    expect((await send(grant.uploadUrl, formOf(grant.fields, padded))).status).toBe(204);
    expect((await register(tenant, id, grant.mediaId)).status).toBe(400);
    expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(file)).toBe(true);
    expect(await stored(tenant)).toHaveLength(3);
    await gateway.database.query<any>(`update "Photo" set "expiresAt" = now() - interval '1 minute' where "tenantId" = $1`, [
      tenant.tenantId,
    ]);
    await sweepUploads(gateway.database, await openStorage(gateway.config));
    expect(await stored(tenant)).toEqual([`photos/${tenant.tenantId}/${grant.mediaId}`, `thumbnails/${tenant.tenantId}/${grant.mediaId}`]);
  });

  test("a file uploaded while the first is checked does not replace it", async () => {
    const { tenant } = await tenantWithAsset();
    const storage = await openStorage(gateway.config);
    const [from, to] = [`incoming/${tenant.tenantId}/x`, `photos/${tenant.tenantId}/x`];
    const text = async (key: string) =>
      storage.open(key).then(async (found) => found && (await new Response(found.stream as never).text()));
    await storage.put(from, (await import("node:stream")).Readable.from([Buffer.from("good")]), "image/jpeg");
    await storage.withFile(from, async ({ moveTo }) => {
      await storage.put(from, (await import("node:stream")).Readable.from([Buffer.from("evil")]), "image/jpeg");
      await moveTo(to, "image/jpeg");
    });
    expect([await text(from), await text(to)]).toEqual([undefined, "good"]);
  });

  test("20 concurrent registrations of one grant: exactly one creates the photo", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { mediaId } = await uploaded(tenant, id, await image("jpeg", 800, 600));
    const responses = await Promise.all(Array.from({ length: 20 }, () => register(tenant, id, mediaId)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(400)]);
    expect((await tenant.rest("GET", `/assets/${id}/photos`)).body.photos).toHaveLength(1);
    expect(await stored(tenant)).toHaveLength(2);
  });

  test("the sweep removes unregistered uploads", async () => {
    const { tenant, id } = await tenantWithAsset();
    const photo = await addPhoto(tenant, id);
    await uploaded(tenant, id, await image());
    await gateway.database.query<any>(`update "Photo" set "expiresAt" = now() - interval '3 hours' where "tenantId" = $1`, [
      tenant.tenantId,
    ]);
    expect(await stored(tenant)).toHaveLength(3);
    await sweepUploads(gateway.database, await openStorage(gateway.config));
    expect((await photoRows(tenant)).map((row) => row.id)).toEqual([photo.id]);
    expect(await stored(tenant)).toHaveLength(2);
    expect((await fetch(photo.url)).status).toBe(200);
  });

  test("uploadAssetPhoto works, also for a multipart S3 upload", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { data, errors } = await uploadInOneStep(tenant, id, await image("png"));
    expect(errors).toBeUndefined();
    expect((await fetch(data.uploadAssetPhoto.thumbnailUrl)).status).toBe(200);
    const large = await sharp({
      create: { width: 2000, height: 1500, channels: 3, background: "teal", noise: { type: "gaussian", mean: 128, sigma: 60 } },
    })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const second = await uploadInOneStep(tenant, id, large);
    expect(second.errors).toBeUndefined();
    expect(Buffer.from(await (await fetch(second.data.uploadAssetPhoto.url)).arrayBuffer()).equals(large)).toBe(true);
    const bad = await uploadInOneStep(tenant, id, Buffer.alloc(9_000_000));
    expect(bad.errors?.[0]?.extensions.code).toBe("BAD_USER_INPUT");
    expect(await stored(tenant)).toHaveLength(4);
  });
});
