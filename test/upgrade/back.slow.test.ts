/**
 * Upgrade from a release with an older schema and back, on the embedded database: that release cannot open the upgraded data, but opens the
 * copy kept by the upgrade. Run by `npm run test:upgrade`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { build } from "../generate.js";
import { checkedOut, command, releaseWithOlderSchema, Service } from "./releases.js";
import { thisMain } from "./server.js";

const folder = mkdtempSync(join(tmpdir(), "gateway-back-"));
const environment = { DATA_DIR: folder };
const services: Service[] = [];

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function during<T>(main: string, work: (url: string) => Promise<T>): Promise<T> {
  const service = await Service.start(main, environment);
  services.push(service);
  return work(service.url).finally(() => service.stop());
}

test("data from before the upgrade is restored, in the earlier release", async () => {
  await build();
  const oldMain = join(checkedOut(releaseWithOlderSchema().commit), "dist/cli/main.js");
  const key = command(oldMain, environment, "key", "--tenant", "acme", "--role", "admin");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const pump = { type: "pump", location: "Hall", manufacturer: "KSB", model: "E", healthScore: 90 };
  const create = async (url: string, name: string) => {
    const body = JSON.stringify({ ...pump, name, serialNumber: name });
    const response = await fetch(`${url}/assets`, { method: "POST", headers, body });
    expect(response.status).toBe(201);
  };
  const read = async (url: string) => (await fetch(`${url}/assets?limit=10`, { headers })).text();

  const before = await during(oldMain, async (url) => {
    await create(url, "first");
    return read(url);
  });
  expect(before).toContain("first");
  const after = await during(thisMain, async (url) => {
    await create(url, "second");
    return read(url);
  });
  expect(after).toContain("first");
  expect(after).toContain("second");
  command(thisMain, environment, "restore", "--before-upgrade");
  expect(await during(oldMain, read)).toBe(before);
}, 900_000);
