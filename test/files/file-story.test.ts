/** Photos through both APIs: uploaded, listed, read, deleted. */
import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";
import { addPhoto, image, photoRows, uploadInOneStep } from "./photos.js";

const gateway = await sharedGateway();

test("a photo of either API is shown by both, until it is deleted", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const file = await image("png", 40, 30);
  const { id: first } = await addPhoto(tenant, id, file, "image/png");
  const { data } = await uploadInOneStep(tenant, id, file, { description: "front" });
  const second = data.uploadAssetPhoto.id;

  const graph = async () =>
    (await tenant.ask(`query ($id: ID!) { asset(id: $id) { photos { id description url } } }`, { id })).asset.photos;
  const shown = await graph();
  expect(shown.map((photo: any) => [photo.id, photo.description])).toEqual([
    [first, null],
    [second, "front"],
  ]);
  const { body: listed } = await tenant.rest("GET", `/assets/${id}/photos`);
  expect(listed.photos.map((photo: any) => photo.id)).toEqual([first, second]);
  const read = await fetch(shown[1].url);
  expect([read.status, read.headers.get("content-type")]).toEqual([200, "image/png"]);

  expect((await tenant.rest("DELETE", `/assets/${id}/photos/${first}`)).status).toBe(200);
  expect((await graph()).map((photo: any) => photo.id)).toEqual([second]);
  expect(await photoRows(tenant)).toHaveLength(2);
});
