/** The photo settings KEEP_PHOTO_LOCATION and MAX_PHOTO_PIXELS. */
import exifr from "exifr";
import sharp from "sharp";
import { expect, test } from "vitest";
import { startGateway } from "../world.js";
import { addPhoto, image, photoRows, register, storedFiles, uploaded } from "./photos.js";

const gateway = await startGateway({ KEEP_PHOTO_LOCATION: "true", MAX_PHOTO_PIXELS: "10000", MAX_DECODING: "1" });

test("photos keep their position if the setting says so", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const file = await sharp(await image("jpeg", 100, 100))
    .withExif({ IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 12/1", GPSLongitudeRef: "E", GPSLongitude: "13/1 24/1 36/1" } })
    .toBuffer();
  const { url, size } = await addPhoto(tenant, id, file);
  const stored = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect([size, stored.equals(file)]).toEqual([file.length, true]);
  expect((await exifr.gps(stored)).latitude).toBeCloseTo(52.52);
});

test("an image of more pixels is rejected, and nothing of it is kept", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const { mediaId } = await uploaded(tenant, id, await image("jpeg", 101, 100));
  const { status, body } = await register(tenant, id, mediaId, { filename: "a.jpg" });
  expect([status, body.details]).toEqual([400, { file: "has more than 10000 pixels; request a new upload" }]);
  expect([await photoRows(tenant), storedFiles(tenant)]).toEqual([[], []]);
});

test("concurrent photos are decoded one after the other, and all are registered", async () => {
  const tenants = await Promise.all([gateway.newTenant(), gateway.newTenant()]);
  const file = await image("jpeg", 100, 100);
  const photos = tenants.flatMap((tenant) =>
    Array.from({ length: 5 }, async () => addPhoto(tenant, (await tenant.createAsset()).id, file)),
  );
  expect(new Set((await Promise.all(photos)).map(({ id }) => id)).size).toBe(10);
});
