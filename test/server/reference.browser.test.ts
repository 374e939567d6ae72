/** /docs: Swagger UI on /openapi.json in a browser, under its security policy and without external resources. */
import type { FastifyInstance } from "fastify";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildGateway } from "../../src/server/http.js";
import { build } from "../generate.js";
import { type Caller, startGateway } from "../world.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "./browser.js";
import { raw } from "./raw.js";

// Before the gateway starts, because it looks for the built files only once; one shared with earlier files may have looked too early.
build();
const gateway = await startGateway();
let tenant: Caller;
let demo: FastifyInstance;
let url: string;

beforeAll(async () => {
  tenant = await gateway.newTenant();
  // The same service as a demo, with a known key.
  demo = await buildGateway({ config: gateway.config, database: gateway.database, demoKey: tenant.key });
  url = await demo.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => demo.close());

describe("the page", () => {
  it.each(["/docs", "/docs/"])("%s needs no key and allows nothing from elsewhere", async (path) => {
    const { status, headers, body } = await raw(url + path);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "text/html; charset=utf-8", "no-cache"]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    const files = [...String(body).matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.map((file) => /-[A-Z0-9]{8}\.(js|css)$/.test(file))).toEqual([true, true]);
    for (const file of files) {
      const got = await raw(url + file, { headers: { "accept-encoding": "gzip" } });
      expect([got.status, got.headers["content-encoding"], got.headers["cache-control"]]).toEqual([
        200,
        "gzip",
        "public, max-age=31536000, immutable",
      ]);
    }
  });

  it("gives the demo's key only to this machine", async () => {
    const settings = async (at: string, host?: string) =>
      JSON.parse(String((await raw(`${at}/docs/settings.json`, host ? { headers: { host } } : {})).body));
    expect(await settings(url)).toEqual({ demoKey: tenant.key });
    expect(await settings(url, "gateway.example.com")).toEqual({ demoKey: null });
    expect(await settings(gateway.url)).toEqual({ demoKey: null });
    expect((await raw(`${url}/docs/settings.json`)).headers["cache-control"]).toBe("no-store");
  });
});

describe.runIf(hasBrowser)(`in ${CHROMIUM}`, () => {
  let browser: Browser;
  const hosts = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(base: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:") hosts.add(host);
    });
    page.on("pageerror", ({ message }) => complaints.push(message));
    // Violations of the policy are reported as errors too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !message.text().includes("status of 401")) complaints.push(message.text());
    });
    await page.goto(`${base}/docs`);
    await page.locator("[data-tag]").first().waitFor();
    return page;
  }

  async function answerOf(operation: Locator) {
    const status = operation.locator(".live-responses-table td.response-col_status:not(.col_header)");
    await status.waitFor();
    return {
      status: (await status.textContent())!.trim().slice(0, 3),
      answer: await operation.locator(".live-responses-table .highlight-code code").first().textContent(),
    };
  }

  async function tryOut(page: Page, tag: string, id: string, fill: (operation: Locator) => Promise<unknown>) {
    await page.locator(`[data-tag="${tag}"]`).first().click();
    const operation = page.locator(`#operations-${tag}-${id}`);
    await operation.locator(".opblock-summary-control").click();
    await fill(operation);
    await operation.locator("button.execute").click();
    return answerOf(operation);
  }

  it("try-it works with the demo's key filled in, in dark mode too", async () => {
    const page = await open(url, { colorScheme: "dark" });
    expect(await page.locator("html").getAttribute("class")).toBe("dark-mode");
    expect(await page.locator("#demo").isVisible()).toBe(true);
    const { id } = await tenant.createAsset({ name: "Tried pump" });
    const { status, answer } = await tryOut(page, "Assets", "getAsset", (operation) => operation.getByPlaceholder("assetId").fill(id));
    expect([status, answer?.includes("Tried pump")]).toEqual(["200", true]);
  });

  it("and with an entered key; without a key it shows the refusal", async () => {
    const page = await open(gateway.url);
    expect(await page.locator("#demo").isVisible()).toBe(false);
    const refused = await tryOut(page, "Parts", "listParts", async () => {});
    expect([refused.status, refused.answer?.includes("UNAUTHENTICATED")]).toEqual(["401", true]);
    await page.locator(".auth-wrapper .authorize").click();
    await page.locator("#auth-bearer-value, .auth-container input").first().fill(tenant.key);
    await page.locator(".auth-btn-wrapper .authorize").click();
    await page.locator(".auth-btn-wrapper .btn-done").click();
    const operation = page.locator("#operations-Parts-listParts");
    await operation.locator("button.execute").click();
    await expect.poll(async () => (await answerOf(operation)).status).toBe("200");
  });

  it("contacts no other host, and does not violate its policy", () => {
    expect([...hosts].sort()).toEqual([new URL(gateway.url).host, new URL(url).host].sort());
    expect(complaints).toEqual([]);
  });
});
