/** The package's client in a page of another origin. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as ClientPackage from "../../packages/client/src/index.js";
import type * as SubscriptionsPackage from "../../packages/client/src/subscriptions.js";
import { buildGateway } from "../../src/server/http.js";
import { image } from "../files/photos.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { bundle } from "./consumer.js";

/** What the page's script makes known, and what it collects. */
declare const front: typeof ClientPackage & typeof SubscriptionsPackage & { balances: number[]; reconnected: number; failed?: string };

const entry = `
  import * as client from "@maintenance-gateway/client";
  import * as subscriptions from "@maintenance-gateway/client/subscriptions";
  globalThis.front = { ...client, ...subscriptions, balances: [], reconnected: 0 };
`;

describe.runIf(hasBrowser)(`a page of another origin in ${CHROMIUM}`, async () => {
  const script = await bundle(entry);
  const site = createServer(({ url }, response) =>
    url === "/front.js"
      ? response.setHeader("content-type", "text/javascript").end(script)
      : response.setHeader("content-type", "text/html").end('<!doctype html><script type="module" src="/front.js"></script>'),
  ).listen(0, "127.0.0.1");
  await once(site, "listening");
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const gateway = await startGateway({ CORS_ORIGINS: origin });

  let browser: Browser;
  let page: Page;
  let tenant: Caller;
  let given: { url: string; key: string; assetId: string; partId: string };
  const problems: string[] = [];
  beforeAll(async () => {
    tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset({ name: "Feed pump" });
    const { body } = await tenant.rest("POST", "/parts", { partNumber: randomUUID(), name: "Bearing", stockLevel: 1 });
    given = { url: `${gateway.url}/graphql`, key: tenant.key, assetId: id, partId: body.partId };
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(origin);
    await page.waitForFunction(() => "front" in globalThis);
  });
  afterAll(async () => {
    await browser?.close();
    site.close();
  });

  it("reads, writes, uploads, and gets errors at fields", async () => {
    const photo = [...(await image("png"))];
    const answers = await page.evaluate(
      async ({ url, key, assetId, photo }) => {
        const client = front.createClient({ url, key });
        const create = "mutation ($input: CreateAssetInput!) { createAsset(input: $input) { name serialNumber } }";
        const input: ClientPackage.CreateAssetInput = { name: "Valve", type: "valve", serialNumber: "V-1" };
        const file = new File([new Uint8Array(photo)], "pump.png", { type: "image/png" });
        const { asset } = await client.request(front.AssetById, { id: assetId });
        const { createAsset } = await client.request(create, { input });
        const refused = await client.request(create, { input }).catch(({ code, fieldErrors }) => ({ code, path: fieldErrors[0].path }));
        const { uploadAssetPhoto } = await client.request(front.UploadAssetPhoto, { assetId, file });
        return { name: asset?.name, createAsset, refused, upload: uploadAssetPhoto?.filename };
      },
      { ...given, photo },
    );
    expect(answers).toEqual({
      name: "Feed pump",
      createAsset: { name: "Valve", serialNumber: "V-1" },
      refused: { code: "CONFLICT", path: ["input", "serialNumber"] },
      upload: "pump.png",
    });
  });

  it("subscribes, and the subscription comes back after the service was restarted", async () => {
    await page.evaluate(({ url, key, partId }) => {
      const subscriptions = front.createSubscriptions({ url, key, retryDelay: 50, onReconnect: () => void front.reconnected++ });
      (async () => {
        for await (const { stockChanged } of subscriptions.subscribe(front.StockChanges, { partId }))
          front.balances.push(stockChanged.newBalance);
      })().catch((error) => (front.failed = String(error)));
    }, given);
    const balances = () => page.evaluate(() => front.balances);
    /** The page receives stock until it is told of it. */
    const delivered = async () => {
      const { length } = await balances();
      await expect
        .poll(
          async () => {
            await page.evaluate(({ url, key, partId }) => {
              return front.createClient({ url, key }).request(front.ReceiveStock, { partId, input: { quantity: 1 } });
            }, given);
            return (await balances()).length;
          },
          { timeout: 10_000, interval: 100 },
        )
        .toBeGreaterThan(length);
    };
    await delivered();
    await gateway.app.close();
    const app = await buildGateway({ config: gateway.config, database: gateway.database });
    try {
      await app.listen({ host: "127.0.0.1", port: Number(new URL(gateway.url).port) });
      await delivered();
      expect(await page.evaluate(() => [front.reconnected, front.failed])).toEqual([1, undefined]);
      expect(problems).toEqual([]);
    } finally {
      // An open page would hold up the service's end.
      await page.close();
      await app.close();
    }
  });
});
