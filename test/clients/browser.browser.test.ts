/** The client package on a page of another origin. */
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
import { Caller, Gateway, startGateway } from "../world.js";
import { bundle } from "./consumer.js";

/** Events that a subscription of the page received. */
interface Live {
  hasBegun: boolean;
  received: string[];
  reconnected: number;
  failed?: string;
}

/** Globals of the page's script, and the events it collects. */
declare const front: typeof ClientPackage & typeof SubscriptionsPackage & { live: Record<string, Live> };

const entry = `
  import * as client from "@maintenance-gateway/client";
  import * as subscriptions from "@maintenance-gateway/client/subscriptions";
  globalThis.front = { ...client, ...subscriptions, live: {} };
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
  let given: { url: string; key: string; assetId: string };
  const problems: string[] = [];
  beforeAll(async () => {
    tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset({ name: "Feed pump" });
    given = { url: `${gateway.url}/graphql`, key: tenant.key, assetId: id };
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

  it("subscribes over WebSocket and server-sent events, and misses nothing while the service restarts", async () => {
    await page.evaluate(({ url, key }) => {
      const names =
        "subscription ($after: String) { changes(recordTypes: [ASSET], after: $after) { version record { ... on Asset { name } } } }";
      for (const transport of ["websocket", "sse"] as const) {
        const live: Live = { hasBegun: false, received: [], reconnected: 0 };
        front.live[transport] = live;
        const subscriptions = front.createSubscriptions({
          url,
          key,
          transport,
          retryDelay: 50,
          onReconnect: () => void live.reconnected++,
        });
        (async () => {
          for await (const { changes } of subscriptions.subscribe(names)) {
            live.hasBegun = true;
            // Changes of earlier tests may still arrive while the database has older transactions.
            if (/^Pump /.test(changes.record.name)) live.received.push(`${changes.record.name} ${changes.version}`);
          }
        })().catch((error) => (live.failed = String(error)));
      }
    }, given);
    const live = () => page.evaluate(() => front.live);
    const made: string[] = [];
    const arrived = (reconnected: number) =>
      expect
        .poll(live, { interval: 100 })
        .toEqual({ websocket: { hasBegun: true, received: made, reconnected }, sse: { hasBegun: true, received: made, reconnected } });
    const make = async (caller: Caller) => {
      const name = `Pump ${made.length + 1}`;
      await caller.createAsset({ name });
      made.push(`${name} 1`);
    };
    // Over either transport, the subscription is active once it receives an event.
    let tries = 0;
    await expect
      .poll(
        async () => {
          await tenant.rest("PUT", `/assets/${given.assetId}`, { name: "Feed pump", location: String(tries++) });
          return Object.values(await live()).every(({ hasBegun }) => hasBegun);
        },
        { interval: 200 },
      )
      .toBe(true);
    for (let i = 0; i < 3; i++) await make(tenant);
    await arrived(0);

    const port = Number(new URL(gateway.url).port);
    await gateway.app.close();
    // Another process keeps writing: a job, or a second service.
    const beside = await buildGateway({ config: gateway.config, database: gateway.database });
    const elsewhere = new Caller(
      new Gateway(await beside.listen({ host: "127.0.0.1", port: 0 }), beside, gateway.database, gateway.config),
      tenant.tenantId,
      tenant.key,
    );
    for (let i = 0; i < 5; i++) await make(elsewhere);
    await beside.close();
    const app = await buildGateway({ config: gateway.config, database: gateway.database });
    try {
      await app.listen({ host: "127.0.0.1", port });
      for (let i = 0; i < 5; i++) await make(tenant);
      await arrived(1);
      expect(problems).toEqual([]);
    } finally {
      // An open page would delay the shutdown of the service.
      await page.close();
      await app.close();
    }
  });
});
