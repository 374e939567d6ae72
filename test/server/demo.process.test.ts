/** `serve --demo` loads the demo plant once, and the plant is usable. */
import { beforeAll, expect, it } from "vitest";
import type { Built } from "../cli/run-command.js";
import { build } from "../generate.js";
import { call, cleanUpProcesses, fresh, type Serving, serve, stop } from "./running.js";

beforeAll(build);
cleanUpProcesses();

/** A technician of each demo site completes, creates and cancels a work order with parts of the site and of main. */
async function workAtEachSite(url: string, admin: string): Promise<void> {
  const ask = async (key: string, query: string) => {
    const { body } = await call(`${url}/graphql`, key, "POST", { query });
    expect(body.errors, query).toBeUndefined();
    return body.data;
  };
  const { sites, workOrders, inventory, short } = await ask(
    admin,
    `{ sites { name } inventory { nodes { site } } short: inventory(filter: { lowStock: true }) { nodes { site } }
       workOrders(filter: { pending: true }) { nodes { id status procedureId asset { site } } } }`,
  );
  const names: string[] = sites.map(({ name }: any) => name);
  expect(new Set(inventory.nodes.map(({ site }: any) => site))).toEqual(new Set(["main", ...names]));
  expect(short.nodes.some(({ site }: any) => names.includes(site))).toBe(true);
  const suppliers = new Set<string>();
  for (const site of names) {
    const { createApiKey } = await ask(
      admin,
      `mutation { createApiKey(input: { name: "t", role: TECHNICIAN, sites: ["${site}"] }) { key } }`,
    );
    const technician: string = createApiKey.key;
    const { id, status, procedureId } = workOrders.nodes.find(({ asset }: any) => asset.site === site);
    if (status === "SCHEDULED") await ask(technician, `mutation { startWorkOrder(id: "${id}") { id } }`);
    const { completeWorkOrder: done } = await ask(
      technician,
      `mutation { completeWorkOrder(id: "${id}") { status requiredParts { site status } } }`,
    );
    expect(done.status).toBe("COMPLETED");
    expect(new Set(done.requiredParts.map(({ status }: any) => status))).toEqual(new Set(["ISSUED"]));
    for (const part of done.requiredParts) suppliers.add(part.site);
    const created = await call(`${url}/pms/${procedureId}/createworkorder`, technician, "POST");
    expect(created.status).toBe(201);
    await ask(technician, `mutation { cancelWorkOrder(id: "${created.body.workOrderId}") { id } }`);
  }
  expect([...suppliers].sort()).toEqual(["Antwerp Chemicals", "Rotterdam Bottling", "main"]);
  expect(await ask(admin, "{ verifyLedger { balanced } }")).toEqual({ verifyLedger: { balanced: true } });
}

it("serve --demo loads the demo plant once, and keeps it and its key on restart", { timeout: 300_000 }, async () => {
  const settings = await fresh();
  const demoKey = ({ err }: Built) => /demo key\s+(mg_\S+)/.exec(err())?.[1];
  const count = async ({ url }: Serving) =>
    (
      await call(`${url}/graphql`, key, "POST", {
        query: "{ assets(first: 1) { totalCount } components(first: 1) { totalCount } sites { areas { name } } }",
      })
    ).body.data;

  const first = await serve(settings, "--demo");
  await expect.poll(() => demoKey(first)).toBeTruthy();
  const key = demoKey(first)!;
  expect(first.err()).toMatch(/loading the demo plant: 400 assets/);
  const loaded = await count(first);
  expect(loaded.assets.totalCount).toBe(400);
  expect(loaded.components.totalCount).toBeGreaterThan(5_000);
  expect(loaded.sites).toHaveLength(3);
  expect((await (await fetch(`${first.url}/explorer/settings.json`)).json()) as unknown).toEqual({ demoKey: key });
  expect((await (await fetch(`${first.url}/console/settings.json`)).json()) as unknown).toEqual({
    demoKey: key,
    provider: null,
    session: null,
  });
  const { body } = await call(`${first.url}/assets?limit=1`, key);
  const [asset] = body.items[0].areas[0].assets;
  expect((await call(`${first.url}/assets/${asset.assetId}`, key, "PUT", { description: "kept" })).status).toBe(200);
  await workAtEachSite(first.url, key);
  expect(await stop(first)).toBe(0);

  const second = await serve(settings, "--demo");
  await expect.poll(() => demoKey(second)).toBe(key);
  expect(second.err()).not.toMatch(/load/);
  expect(await count(second)).toEqual(loaded);
  expect((await call(`${second.url}/assets/${asset.assetId}`, key)).body.description).toBe("kept");
  expect(await stop(second)).toBe(0);
});
