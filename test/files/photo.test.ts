/** Photos of assets and parts over REST (docs/interface.md 2.2, 4.1, 7, 8) and GraphQL, and their stored files. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import exifr from "exifr";
import sharp from "sharp";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { now, stopClock } from "../../src/database/clock.js";
import { tenantSecret } from "../../src/database/records/directory.js";
import { fileLink } from "../../src/domain/files/file-links.js";
import { openStorage } from "../../src/storage/open.js";
import { type Caller, type RestResponse, startGateway } from "../world.js";
import {
  addPhoto,
  formOf,
  grantFor,
  image,
  photoRows,
  register,
  send,
  storedFiles,
  unfinished,
  uploaded,
  uploadInOneStep,
} from "./photos.js";

const gateway = await startGateway();
const storage = await openStorage(gateway.config);

const anId = expect.any(String);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const types = "must be one of image/jpeg, image/png, image/gif, image/webp";
const noUpload = "names no open upload of this resource; request a new one";
const codes: Record<number, string> = { 400: "BAD_USER_INPUT", 403: "FORBIDDEN", 404: "NOT_FOUND", 413: "PAYLOAD_TOO_LARGE" };

function expectRefusal({ status, body }: RestResponse, wanted: number, fields: object): void {
  expect({ status, body }).toEqual({ status: wanted, body: { ...fields, code: codes[wanted], requestId: anId } });
}

/** Expects this status and body, and no change of rows or files. */
async function expectRejected(tenant: Caller, status: number, fields: object, call: () => Promise<RestResponse>): Promise<void> {
  const before = [await tenant.snapshot("Photo"), storedFiles(tenant)];
  expectRefusal(await call(), status, fields);
  expect([await tenant.snapshot("Photo"), storedFiles(tenant)]).toEqual(before);
}

async function tenantWithAsset(fields: Record<string, unknown> = {}) {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset(fields);
  return { tenant, id: id as string };
}

afterEach(() => stopClock());

/** Moves only the clock. Timers and the network keep running. */
const advanceClock = (ms: number) => stopClock(new Date(now() + ms));

const keyIdOf = async ({ tenantId, key }: Caller): Promise<string> => {
  const [row] = await gateway.database.query<{ id: string }>(`select id from "ApiKey" where "tenantId" = $1 and prefix = $2`, [
    tenantId,
    key.split("_")[1],
  ]);
  return row!.id;
};

test("the steps of a photo: grant, upload, registration, list, read, delete, restore", async () => {
  const { tenant, id } = await tenantWithAsset();
  const file = await image("jpeg", 800, 600);
  const asked = Date.now();
  const grant = await tenant.rest("POST", `/assets/${id}/photos/presigned-url`, {
    filename: "front.jpg",
    contentType: "image/jpeg",
    size: file.length,
  });
  const { mediaId, expiresAt } = grant.body;
  expect({ status: grant.status, body: grant.body }).toEqual({
    status: 200,
    body: {
      uploadUrl: `${gateway.url}/uploads`,
      mediaId: anId,
      fields: {
        key: `incoming/${tenant.tenantId}/${mediaId}`,
        "Content-Type": "image/jpeg",
        StorageAccessKeyId: "local",
        policy: anId,
        signature: anId,
      },
      expiresAt: aTime,
    },
  });
  expect(Date.parse(expiresAt) - asked).toBeGreaterThanOrEqual(900_000);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(900_000);

  expect(await send(grant.body.uploadUrl, formOf(grant.body.fields, file))).toEqual({ status: 204, text: "" });

  const response = await register(tenant, id, mediaId, { filename: "a b.jpg", type: "image", size: file.length, description: "front" });
  const link = (variant: string) =>
    expect.stringMatching(
      new RegExp(`^${gateway.url}/files/${tenant.tenantId}/${mediaId}\\?variant=${variant}&expires=\\d{13}&signature=[\\w-]{43}$`),
    );
  const photo = {
    id: mediaId,
    filename: "a b.jpg",
    type: "image",
    size: file.length,
    description: "front",
    uploadedBy: await keyIdOf(tenant),
    uploadedAt: aTime,
    thumbnailUrl: link("thumbnail"),
    url: link("original"),
  };
  expect({ status: response.status, body: response.body }).toEqual({ status: 201, body: photo });
  expect(storedFiles(tenant)).toEqual([`photos/${tenant.tenantId}/${mediaId}`, `thumbnails/${tenant.tenantId}/${mediaId}`]);

  const list = await tenant.rest("GET", `/assets/${id}/photos`);
  expect({ status: list.status, body: list.body }).toEqual({ status: 200, body: { photos: [response.body] } });

  const read = await fetch(response.body.url);
  expect(read.status).toBe(200);
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true);

  const gone = await tenant.rest("DELETE", `/assets/${id}/photos/${mediaId}`);
  expect({ status: gone.status, body: gone.body }).toEqual({ status: 200, body: { message: "Photo deleted", deletedAt: aTime } });
  expect((await tenant.rest("GET", `/assets/${id}/photos`)).body).toEqual({ photos: [] });
  expect((await fetch(response.body.url)).status).toBe(404);
  expect((await fetch(response.body.thumbnailUrl)).status).toBe(404);
  await expectRejected(tenant, 404, { error: "Photo not found", mediaId }, () => tenant.rest("DELETE", `/assets/${id}/photos/${mediaId}`));

  const restore = "mutation ($a: ID!, $p: ID!) { restorePhoto(owner: { assetId: $a }, id: $p) { id description } }";
  expect(await tenant.ask(restore, { a: id, p: mediaId })).toEqual({ restorePhoto: { id: mediaId, description: "front" } });
  expect((await tenant.rest("GET", `/assets/${id}/photos`)).body).toEqual({ photos: [response.body] });
  expect((await fetch(response.body.url)).status).toBe(200);
  const { errors } = await tenant.graphql(restore, { a: id, p: mediaId });
  expect(errors?.[0]).toMatchObject({ message: "Deleted photo not found", extensions: { code: "NOT_FOUND", mediaId } });
});

test("photos are listed oldest first, over REST and GraphQL", async () => {
  const { tenant, id } = await tenantWithAsset();
  const other = (await tenant.createAsset()).id;
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await addPhoto(tenant, id)).id);
  expect((await tenant.rest("GET", `/assets/${id}/photos`)).body.photos.map((photo: any) => photo.id)).toEqual(ids);
  expect((await tenant.rest("GET", `/assets/${other}/photos`)).body).toEqual({ photos: [] });
  const { assets } = await tenant.ask("{ assets { nodes { id photos { id type contentType } } } }");
  expect(new Map(assets.nodes.map((node: any) => [node.id, node.photos]))).toEqual(
    new Map([
      [id, ids.map((photo) => ({ id: photo, type: "image", contentType: "image/jpeg" }))],
      [other, []],
    ]),
  );
});

test("filename and description come from the registration, or from the grant if left out", async () => {
  const { tenant, id } = await tenantWithAsset();
  const { mediaId } = await uploaded(tenant, id, await image());
  const { status, body } = await register(tenant, id, mediaId);
  expect(status).toBe(201);
  expect(body.filename).toBe("a b.jpg");
  expect(body).not.toHaveProperty("description");
});

describe("upload grants", () => {
  const good = { filename: "a.jpg", contentType: "image/jpeg", size: 100 };
  const invalid = "Invalid file type or size";

  test.each<[string, object, string, Record<string, string>]>([
    ["an empty object", {}, "Invalid input", { filename: "is required", contentType: "is required", size: "is required" }],
    ["no filename", { ...good, filename: undefined }, "Invalid input", { filename: "is required" }],
    ["a null filename", { ...good, filename: null }, "Invalid input", { filename: "is required" }],
    ["a blank filename", { ...good, filename: " " }, "Invalid input", { filename: "must not be empty" }],
    [
      "a filename that is too long",
      { ...good, filename: "x".repeat(256) },
      "Invalid input",
      { filename: "must have at most 255 characters" },
    ],
    ["no contentType", { ...good, contentType: undefined }, "Invalid input", { contentType: "is required" }],
    ["a contentType that is not a string", { ...good, contentType: 7 }, "Invalid input", { contentType: "must be a string" }],
    ["SVG", { ...good, contentType: "image/svg+xml" }, invalid, { contentType: types }],
    ["TIFF", { ...good, contentType: "image/tiff" }, invalid, { contentType: types }],
    ["HTML", { ...good, contentType: "text/html" }, invalid, { contentType: types }],
    ["a contentType with a parameter", { ...good, contentType: "image/png; charset=utf-8" }, invalid, { contentType: types }],
    ["size 0", { ...good, size: 0 }, invalid, { size: "must be a positive number of bytes" }],
    ["a negative size", { ...good, size: -5 }, invalid, { size: "must be a positive number of bytes" }],
    ["a fractional size", { ...good, size: 1.5 }, "Invalid input", { size: "must be an integer" }],
    ["a size that is not a number", { ...good, size: "much" }, "Invalid input", { size: "must be an integer" }],
    [
      "wrong type and size",
      { ...good, contentType: "x", size: 0 },
      invalid,
      { contentType: types, size: "must be a positive number of bytes" },
    ],
  ])("are rejected for %s", async (_, body, error, details) => {
    const { tenant, id } = await tenantWithAsset();
    await expectRejected(tenant, 400, { error, details }, () => tenant.rest("POST", `/assets/${id}/photos/presigned-url`, body));
  });

  test("are rejected over 25 MB, with the maximum and the received size", async () => {
    const { tenant, id } = await tenantWithAsset();
    const ask = (size: number) => tenant.rest("POST", `/assets/${id}/photos/presigned-url`, { ...good, size });
    const error = "File too large";
    await expectRejected(tenant, 413, { error, maxSize: "25 MB", receivedSize: "26 MB" }, () => ask(26 * 1_048_576));
    await expectRejected(tenant, 413, { error, maxSize: "25 MB", receivedSize: "25.01 MB" }, () => ask(25 * 1_048_576 + 1));
    await expectRejected(tenant, 413, { error, maxSize: "25 MB", receivedSize: "2048 MB" }, () => ask(2 ** 31 - 1));
    expect((await ask(25 * 1_048_576)).status).toBe(200);
  });

  test("ignore unknown fields and name them in a Warning header", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { status, headers } = await tenant.rest("POST", `/assets/${id}/photos/presigned-url`, { ...good, colour: "red" });
    expect(status).toBe(200);
    expect(headers.get("warning")).toBe('299 - "Unknown fields ignored: colour"');
  });
});

describe("registration", () => {
  const invalid = { error: "Invalid input" };

  test("is rejected without a mediaId, or with an unknown one, another asset's or another tenant's", async () => {
    const { tenant, id } = await tenantWithAsset();
    const other = (await tenant.createAsset()).id;
    const stranger = await tenantWithAsset();
    const mine = await uploaded(tenant, id, await image());
    const foreign = await uploaded(stranger.tenant, stranger.id, await image());
    const unknown = { ...invalid, details: { mediaId: noUpload } };
    await expectRejected(tenant, 400, { ...invalid, details: { mediaId: "is required", filename: "is required" } }, () =>
      tenant.rest("POST", `/assets/${id}/photos`, {}),
    );
    await expectRejected(tenant, 400, unknown, () => register(tenant, id, "nothing"));
    await expectRejected(tenant, 400, unknown, () => register(tenant, id, foreign.mediaId));
    await expectRejected(tenant, 400, unknown, () => register(tenant, other, mine.mediaId));
    expect((await register(tenant, id, mine.mediaId)).status).toBe(201);
    expect((await register(stranger.tenant, stranger.id, foreign.mediaId)).status).toBe(201);
  });

  test("is rejected before the file is uploaded, and succeeds afterwards", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const { mediaId, uploadUrl, fields } = await grantFor(tenant, id, file.length);
    const details = { mediaId: "has no uploaded file; send the file to uploadUrl first" };
    await expectRejected(tenant, 400, { ...invalid, details }, () => register(tenant, id, mediaId));
    expect((await send(uploadUrl, formOf(fields, file))).status).toBe(204);
    expect((await register(tenant, id, mediaId)).status).toBe(201);
  });

  test("is rejected the second time, even after the photo is deleted", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { id: mediaId } = await addPhoto(tenant, id);
    await expectRejected(tenant, 400, { ...invalid, details: { mediaId: noUpload } }, () => register(tenant, id, mediaId));
    await tenant.rest("DELETE", `/assets/${id}/photos/${mediaId}`);
    await expectRejected(tenant, 400, { ...invalid, details: { mediaId: noUpload } }, () => register(tenant, id, mediaId));
  });

  test("is rejected if size or type differ from the file, and can be corrected", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const { mediaId } = await uploaded(tenant, id, file);
    const size = { size: `must be the ${file.length} bytes that arrived` };
    await expectRejected(tenant, 400, { ...invalid, details: size }, () => register(tenant, id, mediaId, { size: file.length + 1 }));
    await expectRejected(tenant, 400, { ...invalid, details: { size: "must be an integer" } }, () =>
      register(tenant, id, mediaId, { size: "x" }),
    );
    await expectRejected(tenant, 400, { ...invalid, details: { type: "must be image" } }, () =>
      register(tenant, id, mediaId, { type: "video" }),
    );
    const blank = { filename: "must not be empty" };
    await expectRejected(tenant, 400, { ...invalid, details: blank }, () => register(tenant, id, mediaId, { filename: "" }));
    expect((await register(tenant, id, mediaId, { size: file.length, type: "image" })).status).toBe(201);
  });

  test("of a file that does not match the grant deletes the file and the grant", async () => {
    const { tenant, id } = await tenantWithAsset();
    const exe = Buffer.concat([Buffer.from("MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0", "latin1"), Buffer.alloc(500)]);
    const { mediaId } = await uploaded(tenant, id, exe);
    const details = { file: "is not a JPG, PNG, GIF or WebP image; request a new upload" };
    expectRefusal(await register(tenant, id, mediaId), 400, { error: "Invalid file type or size", details });
    expect(await photoRows(tenant)).toEqual([]);
    expect(storedFiles(tenant)).toEqual([]);
    expectRefusal(await register(tenant, id, mediaId), 400, { ...invalid, details: { mediaId: noUpload } });
  });

  test("20 concurrent registrations of one grant: exactly one creates the photo", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image("jpeg", 1200, 900);
    for (let round = 0; round < 3; round++) {
      const { mediaId } = await uploaded(tenant, id, file);
      const responses = await Promise.all(Array.from({ length: 20 }, () => register(tenant, id, mediaId)));
      const [won, lost] = [responses.filter(({ status }) => status === 201), responses.filter(({ status }) => status !== 201)];
      expect([won.length, lost.length]).toEqual([1, 19]);
      for (const response of lost) expectRefusal(response, 400, { ...invalid, details: { mediaId: anId } });
      expect(Buffer.from(await (await fetch(won[0]!.body.url)).arrayBuffer()).equals(file)).toBe(true);
      expect((await fetch(won[0]!.body.thumbnailUrl)).status).toBe(200);
      expect((await tenant.rest("GET", `/assets/${id}/photos`)).body.photos).toHaveLength(round + 1);
      expect(storedFiles(tenant)).toHaveLength(2 * (round + 1));
    }
  });

  test("that was interrupted needs a new upload, and its file is swept", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { mediaId } = await uploaded(tenant, id, await image());
    await storage.withFile(`incoming/${tenant.tenantId}/${mediaId}`, ({ moveTo }) => moveTo(`photos/${tenant.tenantId}/${mediaId}`, ""));
    expect((await register(tenant, id, mediaId)).status).toBe(400);
    await gateway.database.query<any>(`update "Photo" set "expiresAt" = now() - interval '1 day' where "tenantId" = $1`, [tenant.tenantId]);
    await sweepUploads(gateway.database, storage);
    expect(storedFiles(tenant)).toEqual([]);
  });
});

test("a stored file that is shorter than granted, from an interrupted upload, creates no photo", async () => {
  const { tenant, id } = await tenantWithAsset();
  const [file, shorter] = [await image("jpeg", 600, 400), await image("jpeg", 60, 40)];
  const { mediaId } = await uploaded(tenant, id, file);
  writeFileSync(join(gateway.config.DATA_DIR, "files/incoming", tenant.tenantId, mediaId), shorter);
  const reason = `has ${shorter.length} bytes, not the ${file.length} granted; request a new upload`;
  expectRefusal(await register(tenant, id, mediaId), 400, { error: "Invalid file type or size", details: { file: reason } });
  expect((await tenant.rest("GET", `/assets/${id}/photos`)).body.photos).toEqual([]);
  expect(storedFiles(tenant)).toEqual([]);
});

describe("uploads to the gateway", () => {
  test("20 concurrent uploads for one grant: exactly one is stored", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image("jpeg", 600, 400);
    for (let round = 0; round < 3; round++) {
      const { mediaId, uploadUrl, fields } = await grantFor(tenant, id, file.length);
      const sent = await Promise.all(Array.from({ length: 20 }, () => send(uploadUrl, formOf(fields, file))));
      expect(sent.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(403)]);
      expect(storedFiles(tenant).filter((path) => path.startsWith("incoming/"))).toEqual([`incoming/${tenant.tenantId}/${mediaId}`]);
      const { status, body } = await register(tenant, id, mediaId);
      expect(status).toBe(201);
      expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(file)).toBe(true);
    }
  });

  test("a grant cannot be used again, before or after registration", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const { mediaId, uploadUrl, fields } = await uploaded(tenant, id, file);
    const again = async () => {
      const { status, text } = await send(uploadUrl, formOf(fields, file));
      return { status, body: JSON.parse(text) } as RestResponse;
    };
    const used = { error: "Forbidden", message: "The upload grant was already used; request a new one" };
    await expectRejected(tenant, 403, used, again);
    expect((await register(tenant, id, mediaId)).status).toBe(201);
    await expectRejected(tenant, 403, used, again);
  });

  test("a rejected upload gets a JSON error with the reason", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const { uploadUrl, fields } = await grantFor(tenant, id, file.length);
    const sent = async (given: Record<string, string>, bytes: Uint8Array) => {
      const { status, text } = await send(uploadUrl, formOf(given, bytes));
      return { status, body: JSON.parse(text) } as RestResponse;
    };
    const forbidden = (message: string) => ({ error: "Forbidden", message });
    await expectRejected(tenant, 403, forbidden("The signature does not fit the policy"), () => sent({ ...fields, signature: "x" }, file));
    await expectRejected(tenant, 403, forbidden("The key is not that of the grant"), () =>
      sent({ ...fields, key: `incoming/${tenant.tenantId}/x` }, file),
    );
    const type = { error: "Invalid file type or size", details: { contentType: "must be image/jpeg, as granted" } };
    await expectRejected(tenant, 400, type, () => sent({ ...fields, "Content-Type": "image/png" }, file));
    const short = {
      error: "Invalid file type or size",
      details: { size: `must be the ${file.length} bytes granted, not ${file.length - 1}` },
    };
    await expectRejected(tenant, 400, short, () => sent(fields, file.subarray(1)));
    const long = { error: "File too large", maxSize: `${file.length} bytes`, receivedSize: expect.stringMatching(/^\d+ bytes$/) };
    await expectRejected(tenant, 413, long, () => sent(fields, Buffer.concat([file, Buffer.alloc(1)])));
    advanceClock(15 * 60_000);
    await expectRejected(tenant, 403, forbidden("The upload grant has expired; request a new one"), () => sent(fields, file));
    stopClock();
    expect((await send(uploadUrl, formOf(fields, file))).status).toBe(204);
  });

  test("a body that is not a multipart form is rejected", async () => {
    const boundary = "application/x-www-form-urlencoded";
    for (const contentType of ["multipart/form-data", "multipart/form-data; boundary=", "application/json", "text/plain", boundary]) {
      const response = await fetch(`${gateway.url}/uploads`, { method: "POST", headers: { "content-type": contentType }, body: '{"a":1}' });
      const body = await response.json();
      expect([contentType, response.status]).toEqual([
        contentType,
        contentType.startsWith("application/x-www") || contentType === "text/plain" ? 415 : 400,
      ]);
      expect(body.error, contentType).toEqual(anId);
    }
  });

  test("an interrupted upload stores nothing, and its grant can still be used", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await sharp({
      create: { width: 900, height: 900, channels: 3, background: "teal", noise: { type: "gaussian", mean: 128, sigma: 60 } },
    })
      .jpeg({ quality: 95 })
      .toBuffer();
    const { mediaId, uploadUrl, fields } = await grantFor(tenant, id, file.length);
    const whole = new Response(formOf(fields, file));
    const bytes = Buffer.from(await whole.arrayBuffer());
    const request = http.request(uploadUrl, {
      method: "POST",
      headers: { "content-type": whole.headers.get("content-type")!, "content-length": bytes.length },
    });
    request.on("error", () => {});
    request.write(bytes.subarray(0, bytes.length - 1000));
    // A busy disk may take seconds.
    await vi.waitUntil(() => unfinished(gateway).length, 60_000);
    request.destroy();
    await vi.waitFor(() => expect(unfinished(gateway)).toEqual([]), 60_000);
    expect(storedFiles(tenant)).toEqual([]);
    expect((await send(uploadUrl, formOf(fields, file))).status).toBe(204);
    expect((await register(tenant, id, mediaId)).status).toBe(201);
  });
});

describe("permissions", () => {
  test("a viewer can read photos but not change them; a technician can do both", async () => {
    const { tenant, id } = await tenantWithAsset();
    const photo = await addPhoto(tenant, id);
    const file = await image();
    const open = await uploaded(tenant, id, file);
    const viewer = await tenant.as("viewer");
    expect((await viewer.rest("GET", `/assets/${id}/photos`)).body.photos).toHaveLength(1);
    const forbidden = { error: "Forbidden", message: anId };
    const ask = { filename: "a.jpg", contentType: "image/jpeg", size: 9 };
    await expectRejected(tenant, 403, forbidden, () => viewer.rest("POST", `/assets/${id}/photos/presigned-url`, ask));
    await expectRejected(tenant, 403, forbidden, () => register(viewer, id, open.mediaId));
    await expectRejected(tenant, 403, forbidden, () => viewer.rest("DELETE", `/assets/${id}/photos/${photo.id}`));
    const technician = await tenant.as("technician");
    expect((await register(technician, id, open.mediaId)).status).toBe(201);
    expect((await technician.rest("DELETE", `/assets/${id}/photos/${photo.id}`)).status).toBe(200);
  });

  test("a key limited to other sites can read photos but not change them", async () => {
    const { tenant, id } = await tenantWithAsset({ site: "North" });
    const photo = await addPhoto(tenant, id);
    const open = await uploaded(tenant, id, await image());
    const south = await tenant.as("technician", ["South"]);
    const north = await tenant.as("technician", ["North"]);
    expect((await south.rest("GET", `/assets/${id}/photos`)).body.photos).toHaveLength(1);
    const forbidden = { error: "Forbidden", message: "This key may change only records of its own sites" };
    const ask = { filename: "a.jpg", contentType: "image/jpeg", size: 9 };
    await expectRejected(tenant, 403, forbidden, () => south.rest("POST", `/assets/${id}/photos/presigned-url`, ask));
    await expectRejected(tenant, 403, forbidden, () => register(south, id, open.mediaId));
    await expectRejected(tenant, 403, forbidden, () => south.rest("DELETE", `/assets/${id}/photos/${photo.id}`));
    const { errors } = await uploadInOneStep(south, id, await image("png"));
    expect(errors?.[0]?.extensions).toEqual({ code: "FORBIDDEN", message: forbidden.message });
    expect((await register(north, id, open.mediaId)).status).toBe(201);
    expect((await north.rest("DELETE", `/assets/${id}/photos/${photo.id}`)).status).toBe(200);
  });

  test("another tenant's asset and a deleted asset are 404", async () => {
    const { tenant, id } = await tenantWithAsset();
    const photo = await addPhoto(tenant, id);
    const open = await uploaded(tenant, id, await image());
    const ask = { filename: "a.jpg", contentType: "image/jpeg", size: 9 };
    const unknown = async (caller: Caller, assetId: string) => {
      const missing = { error: "Asset not found", assetId };
      await expectRejected(tenant, 404, missing, () => caller.rest("GET", `/assets/${assetId}/photos`));
      await expectRejected(tenant, 404, missing, () => caller.rest("POST", `/assets/${assetId}/photos/presigned-url`, ask));
      await expectRejected(tenant, 404, missing, () => register(caller, assetId, open.mediaId));
      await expectRejected(tenant, 404, missing, () => caller.rest("DELETE", `/assets/${assetId}/photos/${photo.id}`));
    };
    await unknown(tenant, "nothing");
    await unknown(await gateway.newTenant(), id);
    await tenant.rest("DELETE", `/assets/${id}`);
    await unknown(tenant, id);
    expect((await fetch(photo.url)).status).toBe(404);
  });

  test("a photo can be deleted only through its own asset", async () => {
    const { tenant, id } = await tenantWithAsset();
    const other = (await tenant.createAsset()).id;
    const photo = await addPhoto(tenant, id);
    const open = await uploaded(tenant, id, await image());
    for (const [asset, mediaId] of [
      [other, photo.id],
      [id, "nothing"],
      [id, open.mediaId],
    ])
      await expectRejected(tenant, 404, { error: "Photo not found", mediaId }, () =>
        tenant.rest("DELETE", `/assets/${asset}/photos/${mediaId}`),
      );
  });

  test("requests without a key are 401", async () => {
    const { tenant, id } = await tenantWithAsset();
    for (const [method, path] of [
      ["GET", "photos"],
      ["POST", "photos"],
      ["POST", "photos/presigned-url"],
      ["DELETE", "photos/x"],
    ] as const) {
      const { status, body } = await gateway.rest(method, `/assets/${id}/${path}`, method === "POST" ? {} : undefined);
      expect({ status, body }).toMatchObject({ status: 401, body: { error: "Unauthorized" } });
    }
    expect(await photoRows(tenant)).toEqual([]);
  });
});

describe("file links", () => {
  const expectForbidden = async (url: string) => {
    const response = await fetch(url);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 403,
      body: {
        error: "Forbidden",
        message: "The link is not valid or has expired; ask for the photo again",
        code: "FORBIDDEN",
        requestId: anId,
      },
    });
  };

  test("a modified link is rejected", async () => {
    const { tenant, id } = await tenantWithAsset();
    const [photo, second] = [await addPhoto(tenant, id), await addPhoto(tenant, id)];
    const stranger = await tenantWithAsset();
    const foreign = await addPhoto(stranger.tenant, stranger.id);
    const changed = (change: (url: URL) => void) => {
      const url = new URL(photo.url);
      change(url);
      return url.href;
    };
    const signature = new URL(photo.url).searchParams.get("signature")!;
    const links = [
      changed((url) => url.searchParams.set("variant", "thumbnail")),
      changed((url) => url.searchParams.set("variant", "other")),
      changed((url) => url.searchParams.delete("variant")),
      changed((url) => url.searchParams.set("expires", String(Number(url.searchParams.get("expires")) + 3_600_000))),
      changed((url) => url.searchParams.set("expires", "1e99")),
      changed((url) => url.searchParams.delete("expires")),
      changed((url) => url.searchParams.set("signature", `${signature.slice(1)}A`)),
      changed((url) => url.searchParams.set("signature", "")),
      changed((url) => url.searchParams.delete("signature")),
      changed((url) => url.searchParams.append("signature", signature)),
      changed((url) => (url.pathname = new URL(second.url).pathname)),
      changed((url) => (url.pathname = new URL(foreign.url).pathname)),
      changed((url) => (url.pathname = `/files/nobody/${photo.id}`)),
      `${gateway.url}/files/${tenant.tenantId}/${photo.id}`,
      fileLink(
        { tenantId: tenant.tenantId, id: photo.id, variant: "original" },
        gateway.url,
        await tenantSecret(gateway.database, stranger.tenant.tenantId),
      ),
    ];
    for (const link of links) await expectForbidden(link);
    expect((await fetch(photo.url)).status).toBe(200);
  });

  test("a link is valid for one to two hours", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { url, thumbnailUrl } = await addPhoto(tenant, id);
    const validMs = Number(new URL(url).searchParams.get("expires")) - Date.now();
    expect(validMs).toBeGreaterThan(3_590_000);
    expect(validMs).toBeLessThanOrEqual(7_200_000);
    advanceClock(validMs - 60_000);
    expect((await fetch(url)).status).toBe(200);
    stopClock();
    advanceClock(validMs + 1000);
    await expectForbidden(url);
    await expectForbidden(thumbnailUrl);
  });

  test("a valid link to a missing photo is 404", async () => {
    const { tenant, id } = await tenantWithAsset();
    const secret = await tenantSecret(gateway.database, tenant.tenantId);
    const open = await uploaded(tenant, id, await image());
    for (const mediaId of ["nothing", open.mediaId]) {
      const response = await fetch(fileLink({ tenantId: tenant.tenantId, id: mediaId, variant: "original" }, gateway.url, secret));
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: "Photo not found", mediaId, code: "NOT_FOUND", requestId: anId },
      ]);
    }
  });
});

describe("photo files", () => {
  test("have headers that only let a browser display them", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image("png");
    const { mediaId } = await uploaded(tenant, id, file, "image/png");
    const filename = "A \"b\"\\c/d;\r\nSet-Cookie: x=1 Größe 漢字 '(*)'.png";
    const { status, body } = await register(tenant, id, mediaId, { filename });
    expect([status, body.filename]).toEqual([201, filename]);
    for (const [url, type] of [
      [body.url, "image/png"],
      [body.thumbnailUrl, "image/webp"],
    ]) {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        "content-type": type,
        "content-length": String(bytes.length),
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "content-disposition": `inline; filename="A _b__c_d;__Set-Cookie: x=1 Gr__e __ '(*)'.png"; filename*=UTF-8''A%20%22b%22%5Cc%2Fd%3B%0D%0ASet-Cookie%3A%20x%3D1%20Gr%C3%B6%C3%9Fe%20%E6%BC%A2%E5%AD%97%20%27%28%2a%29%27.png`,
        "cache-control": expect.stringMatching(/^private, max-age=\d{4}, immutable$/),
      });
      expect(headers).not.toHaveProperty("set-cookie");
      const head = await fetch(url, { method: "HEAD" });
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(bytes.length), ""]);
    }
  });

  test("thumbnails are upright WebP images of at most 320 pixels a side, without EXIF", async () => {
    const { tenant, id } = await tenantWithAsset();
    const turned = await sharp({ create: { width: 800, height: 400, channels: 3, background: "teal" } })
      .composite([{ input: { create: { width: 400, height: 400, channels: 3, background: "red" } }, left: 0, top: 0 }])
      .jpeg()
      .withExif({
        IFD0: { Copyright: "Somebody", Orientation: "6" },
        IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 3230/100", GPSLongitudeRef: "W", GPSLongitude: "0/1 7/1 4366/100" },
      })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const original = await sharp(turned).metadata();
    expect([original.orientation, original.exif!.includes("Somebody")]).toEqual([6, true]);
    const { url, thumbnailUrl } = await addPhoto(tenant, id, turned);
    const stored = Buffer.from(await (await fetch(url)).arrayBuffer());
    const { latitude, Copyright } = await exifr.parse(stored);
    expect([stored.length, latitude, Copyright]).toEqual([turned.length, undefined, "Somebody"]);
    expect((await sharp(stored).raw().toBuffer()).equals(await sharp(turned).raw().toBuffer())).toBe(true);
    const bytes = Buffer.from(await (await fetch(thumbnailUrl)).arrayBuffer());
    const { format, width, height, exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
    expect({ format, width, height, exif, xmp, iptc, orientation }).toEqual({ format: "webp", width: 160, height: 320 });
    const { data } = await sharp(bytes).extract({ left: 70, top: 40, width: 1, height: 1 }).raw().toBuffer({ resolveWithObject: true });
    expect(data[0], "the left side is now at the top").toBeGreaterThan(200);
  });

  test("small photos are not enlarged", async () => {
    const { tenant, id } = await tenantWithAsset();
    const { thumbnailUrl } = await addPhoto(tenant, id, await image("gif", 20, 10), "image/gif");
    const { width, height } = await sharp(Buffer.from(await (await fetch(thumbnailUrl)).arrayBuffer())).metadata();
    expect([width, height]).toEqual([20, 10]);
  });
});

test("a file that arrived in time can be registered after the grant's end, until it is swept", async () => {
  const { tenant, id } = await tenantWithAsset();
  const { mediaId } = await uploaded(tenant, id, await image());
  await gateway.database.query(`update "Photo" set "expiresAt" = now() - interval '30 minutes' where "tenantId" = $1`, [tenant.tenantId]);
  await sweepUploads(gateway.database, storage);
  expect((await register(tenant, id, mediaId)).status).toBe(201);
  expect((await tenant.rest("GET", `/assets/${id}/photos`)).body.photos.map((photo: any) => photo.id)).toEqual([mediaId]);
});

test("the sweep removes unregistered uploads an hour after they expire, and nothing else", async () => {
  const { tenant, id } = await tenantWithAsset();
  const photo = await addPhoto(tenant, id);
  const gone = await addPhoto(tenant, id);
  await tenant.rest("DELETE", `/assets/${id}/photos/${gone.id}`);
  const asked = await grantFor(tenant, id, 9);
  const sent = await uploaded(tenant, id, await image());
  const recent = await uploaded(tenant, id, await image());
  const fresh = await uploaded(tenant, id, await image());
  const end = (minutes: number, ...ids: string[]) =>
    gateway.database.query<any>(
      `update "Photo" set "expiresAt" = now() - make_interval(mins => $2) where "tenantId" = $1 and id = any($3)`,
      [tenant.tenantId, minutes, ids],
    );
  await end(61, asked.mediaId, sent.mediaId, photo.id, gone.id);
  await end(59, recent.mediaId);
  const [before, files] = [await photoRows(tenant), storedFiles(tenant)];
  await sweepUploads(gateway.database, storage);
  const swept = [asked.mediaId, sent.mediaId];
  expect(await photoRows(tenant)).toEqual(before.filter((row) => !swept.includes(row.id)));
  expect(storedFiles(tenant)).toEqual(files.filter((path) => !swept.some((mediaId) => path.includes(mediaId))));
  expect(await sweepUploads(gateway.database, storage, 0)).toBe(1);
  expect(await sweepUploads(gateway.database, storage, 0)).toBe(0);
  expect((await register(tenant, id, recent.mediaId)).status).toBe(400);
  expect((await register(tenant, id, fresh.mediaId)).status).toBe(201);
  expect((await fetch(photo.url)).status).toBe(200);
  expect(storedFiles(tenant)).toHaveLength(6);
});

test("the sweep removes files whose upload started an hour ago and never finished", async () => {
  const folder = join(gateway.config.DATA_DIR, "files", "unfinished");
  mkdirSync(folder, { recursive: true });
  for (const [name, minutes] of [
    ["old", 61],
    ["young", 59],
  ] as const) {
    writeFileSync(join(folder, name), "x");
    utimesSync(join(folder, name), new Date(), new Date(Date.now() - minutes * 60_000));
  }
  await sweepUploads(gateway.database, storage);
  expect(readdirSync(folder)).toEqual(["young"]);
  await sweepUploads(gateway.database, storage, -1);
  expect(readdirSync(folder)).toEqual([]);
});

test("concurrent sweeps remove each upload once", async () => {
  const { tenant, id } = await tenantWithAsset();
  const grants = await Promise.all(Array.from({ length: 12 }, () => grantFor(tenant, id, 9)));
  await gateway.database.query<any>(`update "Photo" set "expiresAt" = now() - interval '2 hours' where "tenantId" = $1`, [tenant.tenantId]);
  const swept = await Promise.all(Array.from({ length: 4 }, () => sweepUploads(gateway.database, storage)));
  expect(swept.reduce((sum, count) => sum + count)).toBe(grants.length);
  expect(await photoRows(tenant)).toEqual([]);
});

describe("over GraphQL", () => {
  test("grant, upload and registration return the same as over REST", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image();
    const asking = `mutation ($a: ID!, $i: PhotoUploadInput!) { createPhotoUpload(owner: { assetId: $a }, input: $i) { uploadUrl mediaId fields expiresAt } }`;
    const i = { filename: "a.jpg", contentType: "image/jpeg", size: file.length };
    const { createPhotoUpload } = await tenant.ask(asking, { a: id, i });
    expect((await send(createPhotoUpload.uploadUrl, formOf(createPhotoUpload.fields, file))).status).toBe(204);
    const registering = `mutation ($a: ID!, $i: RegisterPhotoInput!) { registerPhoto(owner: { assetId: $a }, input: $i) { id filename contentType size } }`;
    const { registerPhoto } = await tenant.ask(registering, { a: id, i: { mediaId: createPhotoUpload.mediaId } });
    expect(registerPhoto).toEqual({ id: createPhotoUpload.mediaId, filename: "a.jpg", contentType: "image/jpeg", size: file.length });
    const deleting = "mutation ($a: ID!, $p: ID!) { deletePhoto(owner: { assetId: $a }, id: $p) { id message deletedAt } }";
    const { deletePhoto } = await tenant.ask(deleting, { a: id, p: registerPhoto.id });
    expect(deletePhoto).toEqual({ id: registerPhoto.id, message: "Photo deleted", deletedAt: aTime });

    const codeOf = async (query: string, variables: object) => (await tenant.graphql(query, variables as never)).errors?.[0]?.extensions;
    expect(await codeOf(asking, { a: id, i: { ...i, size: 26 * 1_048_576 } })).toEqual({
      code: "PAYLOAD_TOO_LARGE",
      maxSize: "25 MB",
      receivedSize: "26 MB",
    });
    expect(await codeOf(asking, { a: id, i: { ...i, contentType: "text/html" } })).toEqual({
      code: "BAD_USER_INPUT",
      details: { contentType: types },
    });
    expect(await codeOf(asking, { a: "x", i })).toEqual({ code: "NOT_FOUND", assetId: "x" });
    expect(await codeOf(registering, { a: id, i: { mediaId: "x" } })).toEqual({ code: "BAD_USER_INPUT", details: { mediaId: noUpload } });
    expect(await codeOf(deleting, { a: id, p: registerPhoto.id })).toEqual({ code: "NOT_FOUND", mediaId: registerPhoto.id });
  });

  test("uploadAssetPhoto uploads a photo in one step", async () => {
    const { tenant, id } = await tenantWithAsset();
    const file = await image("png");
    const { data, errors } = await uploadInOneStep(tenant, id, file, { filename: "größe.png", description: "front" });
    expect(errors).toBeUndefined();
    expect(data.uploadAssetPhoto).toEqual({
      id: anId,
      filename: "größe.png",
      type: "image",
      contentType: "image/png",
      size: file.length,
      description: "front",
      uploadedBy: await keyIdOf(tenant),
      url: anId,
      thumbnailUrl: anId,
    });
    expect(Buffer.from(await (await fetch(data.uploadAssetPhoto.url)).arrayBuffer()).equals(file)).toBe(true);
  });

  test.each<[string, () => Promise<Uint8Array>, object, object]>([
    ["an unsupported content type", () => image("png"), { contentType: "text/html" }, { details: { contentType: types } }],
    ["an empty file", async () => new Uint8Array(), {}, { details: { file: "is empty" } }],
    ["a file of another type", () => image("jpeg"), {}, { details: { file: "is image/jpeg, not image/png; request a new upload" } }],
    ["a blank name", () => image("png"), { filename: " " }, { details: { filename: "must not be empty" } }],
  ])("uploadAssetPhoto rejects %s and stores nothing", async (_, file, options, extensions) => {
    const { tenant, id } = await tenantWithAsset();
    const { errors } = await uploadInOneStep(tenant, id, await file(), options);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", ...extensions });
    expect(await photoRows(tenant)).toEqual([]);
    expect(storedFiles(tenant)).toEqual([]);
  });

  test("uploadAssetPhoto for an unknown asset stores nothing", async () => {
    const tenant = await gateway.newTenant();
    const { errors } = await uploadInOneStep(tenant, "nothing", await image("png"));
    expect(errors?.[0]?.extensions).toEqual({ code: "NOT_FOUND", assetId: "nothing" });
    expect(storedFiles(tenant)).toEqual([]);
  });

  test("an interrupted uploadAssetPhoto stores nothing", async () => {
    const { tenant, id } = await tenantWithAsset();
    const query = "mutation ($a: ID!, $f: Upload!) { uploadAssetPhoto(assetId: $a, file: $f) { id } }";
    const form = new FormData();
    form.append("operations", JSON.stringify({ query, variables: { a: id, f: null } }));
    form.append("map", JSON.stringify({ 0: ["variables.f"] }));
    form.append("0", new Blob([Buffer.alloc(500_000, "x")], { type: "image/png" }), "x.png");
    const whole = new Response(form);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      "content-type": whole.headers.get("content-type")!,
      "content-length": bytes.length,
    };
    const request = http.request(`${gateway.url}/graphql`, { method: "POST", headers });
    request.on("error", () => {});
    request.write(bytes.subarray(0, 400_000));
    await vi.waitUntil(async () => unfinished(gateway).length && (await photoRows(tenant)).length, 60_000);
    request.destroy();
    await vi.waitFor(async () => expect([await photoRows(tenant), unfinished(gateway)]).toEqual([[], []]), 60_000);
    expect(storedFiles(tenant)).toEqual([]);
  });

  test("a rejected upload does not block its connection", async () => {
    const { tenant, id } = await tenantWithAsset();
    const viewer = await tenant.as("viewer");
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const query = "mutation ($a: ID!, $f: Upload!) { uploadAssetPhoto(assetId: $a, file: $f) { id } }";
    const post = async (caller: Caller, file: Uint8Array) => {
      const form = new FormData();
      form.append("operations", JSON.stringify({ query, variables: { a: id, f: null } }));
      form.append("map", JSON.stringify({ 0: ["variables.f"] }));
      form.append("0", new Blob([new Uint8Array(file)], { type: "image/png" }), "x.png");
      const whole = new Response(form);
      const body = Buffer.from(await whole.arrayBuffer());
      return new Promise<any>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${caller.key}`,
          "content-type": whole.headers.get("content-type")!,
          "content-length": body.length,
        };
        const request = http.request(`${gateway.url}/graphql`, { method: "POST", agent, headers }, (response) => {
          let text = "";
          response.on("data", (chunk) => (text += chunk)).on("end", () => resolve(JSON.parse(text)));
        });
        request.on("socket", (socket) => sockets.add(socket)).on("error", reject);
        request.end(body);
      });
    };
    for (let i = 0; i < 3; i++) {
      expect((await post(viewer, Buffer.alloc(5_000_000))).errors[0].extensions.code).toBe("FORBIDDEN");
      expect((await post(tenant, await image("png"))).errors).toBeUndefined();
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
    expect(storedFiles(tenant)).toHaveLength(6);
  });
});

describe("with a limit of 100,000 bytes", async () => {
  const small = await startGateway({ MAX_PHOTO_BYTES: "100000" });

  test("uploadAssetPhoto stops reading a larger file and stores nothing", async () => {
    const tenant = await small.newTenant();
    const { id } = await tenant.createAsset();
    for (const size of [100_001, 3_000_000]) {
      const { errors } = await uploadInOneStep(tenant, id, Buffer.alloc(size));
      expect(errors?.[0]).toMatchObject({ message: "File too large", extensions: { code: "PAYLOAD_TOO_LARGE", maxSize: "100000 bytes" } });
      expect(await photoRows(tenant)).toEqual([]);
      expect(storedFiles(tenant)).toEqual([]);
    }
    const file = await image("png");
    const whole = Buffer.concat([file, Buffer.alloc(100_000 - file.length)]);
    expect((await uploadInOneStep(tenant, id, whole)).errors?.[0]?.extensions.code).not.toBe("PAYLOAD_TOO_LARGE");
  });

  test("a grant for a larger file is rejected", async () => {
    const tenant = await small.newTenant();
    const { id } = await tenant.createAsset();
    const body = { filename: "a.jpg", contentType: "image/jpeg", size: 3_000_000 };
    expectRefusal(await tenant.rest("POST", `/assets/${id}/photos/presigned-url`, body), 413, {
      error: "File too large",
      maxSize: "100000 bytes",
      receivedSize: "2.87 MB",
    });
  });
});

describe("photos of parts", () => {
  async function tenantWithPart() {
    const tenant = await gateway.newTenant();
    const { status, body } = await tenant.rest("POST", "/parts", { partNumber: "P-1", name: "Bearing", site: "North" });
    expect(status, JSON.stringify(body)).toBe(201);
    return { tenant, photos: `/parts/${body.partId}/photos`, id: body.partId as string };
  }
  const ask = (size: number) => ({ filename: "a.jpg", contentType: "image/jpeg", size });

  test("the same steps: grant, upload, registration, list, read, delete, restore", async () => {
    const { tenant, photos, id } = await tenantWithPart();
    const file = await image();
    const grant = await tenant.rest("POST", `${photos}/presigned-url`, ask(file.length));
    const { mediaId, fields, uploadUrl } = grant.body;
    expect({ status: grant.status, body: grant.body }).toEqual({
      status: 200,
      body: { uploadUrl: `${gateway.url}/uploads`, mediaId: anId, fields: expect.any(Object), expiresAt: aTime },
    });
    expect((await send(uploadUrl, formOf(fields, file))).status).toBe(204);
    const created = await tenant.rest("POST", photos, { mediaId, filename: "b.jpg", type: "image", size: file.length, description: "d" });
    const photo = { id: mediaId, filename: "b.jpg", type: "image", size: file.length, description: "d", uploadedBy: await keyIdOf(tenant) };
    const links = { thumbnailUrl: expect.stringContaining(mediaId), url: expect.stringContaining(mediaId) };
    expect({ status: created.status, body: created.body }).toEqual({ status: 201, body: { ...photo, ...links, uploadedAt: aTime } });
    expect((await tenant.rest("GET", photos)).body).toEqual({ photos: [created.body] });
    expect(Buffer.from(await (await fetch(created.body.url)).arrayBuffer()).equals(file)).toBe(true);
    const { part } = await tenant.ask("query ($id: ID!) { part(id: $id) { photos { id type } } }", { id });
    expect(part.photos).toEqual([{ id: mediaId, type: "image" }]);
    const gone = await tenant.rest("DELETE", `${photos}/${mediaId}`);
    expect({ status: gone.status, body: gone.body }).toEqual({ status: 200, body: { message: "Photo deleted", deletedAt: aTime } });
    expect((await tenant.rest("GET", photos)).body).toEqual({ photos: [] });
    await expectRejected(tenant, 404, { error: "Photo not found", mediaId }, () => tenant.rest("DELETE", `${photos}/${mediaId}`));
    await tenant.ask("mutation ($a: ID!, $p: ID!) { restorePhoto(owner: { partId: $a }, id: $p) { id } }", { a: id, p: mediaId });
    expect((await tenant.rest("GET", photos)).body).toEqual({ photos: [created.body] });
  });

  test("the same errors for type, size, name and mediaId", async () => {
    const { tenant, photos } = await tenantWithPart();
    const grant = (fields: object) => tenant.rest("POST", `${photos}/presigned-url`, fields);
    const invalid = "Invalid file type or size";
    await expectRejected(tenant, 400, { error: "Invalid input", details: { filename: "is required" } }, () =>
      grant({ ...ask(9), filename: undefined }),
    );
    await expectRejected(tenant, 400, { error: invalid, details: { contentType: types } }, () =>
      grant({ ...ask(9), contentType: "image/tiff" }),
    );
    await expectRejected(tenant, 400, { error: invalid, details: { size: "must be a positive number of bytes" } }, () => grant(ask(0)));
    await expectRejected(tenant, 413, { error: "File too large", maxSize: "25 MB", receivedSize: "26 MB" }, () =>
      grant(ask(26 * 1_048_576)),
    );
    const asset = (await tenant.createAsset()).id;
    const ofAsset = await uploaded(tenant, asset, await image());
    for (const mediaId of ["nothing", ofAsset.mediaId])
      await expectRejected(tenant, 400, { error: "Invalid input", details: { mediaId: noUpload } }, () =>
        tenant.rest("POST", photos, { mediaId, filename: "a.jpg" }),
      );
    const photo = await addPhoto(tenant, asset);
    await expectRejected(tenant, 404, { error: "Photo not found", mediaId: photo.id }, () =>
      tenant.rest("DELETE", `${photos}/${photo.id}`),
    );
  });

  test("404 for another tenant, 403 for changes by a viewer, 401 without a key", async () => {
    const { tenant, photos, id } = await tenantWithPart();
    const stranger = await gateway.newTenant();
    const viewer = await tenant.as("viewer");
    const calls: [string, string, object | undefined][] = [
      ["GET", "", undefined],
      ["POST", "/presigned-url", ask(9)],
      ["POST", "", { mediaId: "x", filename: "a.jpg" }],
      ["DELETE", "/x", undefined],
    ];
    for (const [method, path, body] of calls) {
      await expectRejected(tenant, 404, { error: "Part not found", partId: id }, () => stranger.rest(method, photos + path, body));
      await expectRejected(tenant, 404, { error: "Part not found", partId: "nothing" }, () =>
        tenant.rest(method, `/parts/nothing/photos${path}`, body),
      );
      if (method !== "GET")
        await expectRejected(tenant, 403, { error: "Forbidden", message: anId }, () => viewer.rest(method, photos + path, body));
      expect((await gateway.rest(method, photos + path, body)).status).toBe(401);
    }
    expect((await viewer.rest("GET", photos)).body).toEqual({ photos: [] });
  });
});
