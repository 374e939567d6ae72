// Growth of resident memory while a gateway receives two photos of 25 MB. Expected: below 30 MB each. Small photos are the warm-up.
import sharp from "sharp";
import { spawnGateway } from "../gateway.mjs";

const noise = (size) =>
  sharp({ create: { width: size, height: size, channels: 3, background: "teal", noise: { type: "gaussian", mean: 128, sigma: 60 } } })
    .png({ compressionLevel: 0 })
    .toBuffer();

export default async function upload({ newTenant, databaseUrl }) {
  const { headers } = await newTenant("upload");
  const gateway = await spawnGateway(databaseUrl);
  try {
    const post = async (path, body) => {
      const response = await fetch(gateway.address + path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    };
    const { id } = await post("/assets", { name: "Pump", type: "pump" });
    const grantFor = (file) =>
      post(`/assets/${id}/photos/presigned-url`, { filename: "a.png", contentType: "image/png", size: file.length });
    const send = async ({ uploadUrl, fields }, file) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("file", new Blob([file]), "a.png");
      const response = await fetch(uploadUrl, { method: "POST", body: form });
      if (response.status !== 204) throw new Error(await response.text());
    };
    const small = await noise(300);
    for (let i = 0; i < 10; i++) {
      const grant = await grantFor(small);
      await send(grant, small);
      await post(`/assets/${id}/photos`, { mediaId: grant.mediaId });
    }
    const large = await noise(2950);
    const result = {};
    for (const which of ["first", "second"]) {
      const grant = await grantFor(large);
      result[`${which}: upload`] = await gateway.growth(() => send(grant, large));
      result[`${which}: registration`] = await gateway.growth(() => post(`/assets/${id}/photos`, { mediaId: grant.mediaId }));
    }
    return result;
  } finally {
    await gateway.stop();
  }
}
