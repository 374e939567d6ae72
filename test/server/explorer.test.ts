import { fileURLToPath } from "node:url";
import { buildClientSchema, parse, validate } from "graphql";
import type { Browser, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { startGateway } from "../world.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "./browser.js";

const project = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

// Before the gateway starts, because it looks for the built files only once.
if (hasBrowser) build();
const gateway = await startGateway();

const READ_ONLY_EXAMPLES = ["Plant", "AssetTree", "FindAssets", "Work", "Viewer"];

describe.runIf(hasBrowser)(`the explorer in ${CHROMIUM}`, () => {
  let browser: Browser;
  let page: Page;
  let introspection: Promise<Response>;
  const hosts = new Set<string>();
  const workers: string[] = [];
  const browserErrors: string[] = [];

  beforeAll(async () => {
    const tenant = await gateway.newTenant();
    for (const name of ["Feed pump A", "Feed pump B", "Steam boiler"]) {
      const { id } = await tenant.createAsset({ name, site: "North", area: "Boiler house", status: "maintenance" });
      await tenant.createComponent({ name: "Drive motor", assetId: id });
    }

    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    context.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:") hosts.add(host);
    });
    page = await context.newPage();
    page.on("worker", (worker) => workers.push(worker.url()));
    page.on("pageerror", (error) => browserErrors.push(`page error: ${error.message}`));
    // Violations of the Content-Security-Policy are reported as errors too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) browserErrors.push(`${message.type()}: ${message.text()}`);
    });
    await page.addInitScript((headers) => localStorage.setItem("graphiql:headers", headers), authorization(tenant.key));

    introspection = responseTo("IntrospectionQuery");
    introspection.catch(() => {}); // The failure is reported where the promise is awaited.
    const response = await page.goto(`${gateway.url}/graphql`);
    expect(response?.headers()["content-security-policy"]).toContain("script-src 'self'");
    await page.locator(".graphiql-query-editor .view-line").first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  const authorization = (key: string) => JSON.stringify({ Authorization: `Bearer ${key}` });

  const responseTo = (operationName: string) =>
    page.waitForResponse(
      (response) => response.request().method() === "POST" && response.request().postDataJSON()?.operationName === operationName,
    );

  async function openTab(title: string): Promise<void> {
    await page.locator(".graphiql-tab-button", { hasText: title }).click();
    // GraphiQL updates the operation name 100 ms after the switch, together with this entry.
    await page.waitForFunction((name) => localStorage.getItem("graphiql:query")?.match(/^(?:query|mutation) (\w+)/m)?.[1] === name, title);
  }

  const shownResult = () => page.locator(".result-window .view-lines").textContent();

  it("has examples that are valid in the schema", async () => {
    const schema = buildClientSchema((await (await introspection).json()).data);
    await eventually(() => page.evaluate(() => localStorage.getItem("graphiql:tabState"))).not.toBeNull();
    const { tabs } = await page.evaluate(() => JSON.parse(localStorage.getItem("graphiql:tabState") ?? ""));
    expect(tabs.map((tab: { title: string }) => tab.title)).toEqual([
      "Plant",
      "AssetTree",
      "FindAssets",
      "Work",
      "MoveComponent",
      "Viewer",
    ]);
    for (const { title, query } of tabs) {
      expect(validate(schema, parse(query)), title).toEqual([]);
    }
  });

  it.each(READ_ONLY_EXAMPLES)("runs %s and shows the result", async (title) => {
    if (title !== "Plant") await openTab(title);
    const response = responseTo(title);
    await page.locator(".graphiql-execute-button").click();
    const result = await (await response).json();
    expect(result.errors).toBeUndefined();
    await eventually(shownResult).toContain(`"${Object.keys(result.data)[0]}"`);
  });

  it("shows the schema's documentation", async () => {
    await page.getByLabel("Show Documentation Explorer").click();
    await page.locator(".graphiql-plugin").getByText("Query", { exact: true }).click();
    await eventually(() => page.locator(".graphiql-plugin").textContent()).toContain("sites");
  });

  it("restores the user's own tabs", async () => {
    await openTab("Viewer");
    await page.locator(".graphiql-tab-active").getByLabel("Close Tab").click();
    await eventually(() => page.evaluate(() => localStorage.getItem("graphiql:tabState"))).not.toContain('"Viewer"');
    await page.reload();
    await page.locator(".graphiql-query-editor .view-line").first().waitFor();
    expect(await page.locator(".graphiql-tab-button").allTextContents()).toEqual([
      "Plant",
      "AssetTree",
      "FindAssets",
      "Work",
      "MoveComponent",
    ]);
  });

  it.runIf(process.env.UPDATE_SCREENSHOT)("takes the screenshot docs/explorer.png", async () => {
    await page.setViewportSize({ width: 1680, height: 900 });
    await openTab("Plant");
    const response = responseTo("Plant");
    await page.locator(".graphiql-execute-button").click();
    await response;
    await eventually(shownResult).toContain('"sites"');
    await page.screenshot({ path: project("docs/explorer.png") });
  });

  it("does not store a key that the user types in the browser", async () => {
    const secret = "typed-and-not-to-be-stored";
    await openTab("FindAssets");
    await page.locator('section[aria-label="Headers"] .graphiql-editor:not(.hidden) .view-line').first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(authorization(secret));
    // The editor may have added closing brackets.
    await page.keyboard.press("Control+Shift+End");
    await page.keyboard.press("Delete");
    const sent = page.waitForRequest((request) => request.headers().authorization === `Bearer ${secret}`);
    await page.route("**/graphql", (route) => route.fulfill({ json: { data: {} } }), { times: 1 });
    await page.locator(".graphiql-execute-button").click();
    await sent;
    const history = () => page.evaluate(() => JSON.parse(localStorage.getItem("graphiql:queries") ?? "").queries);
    await eventually(async () => (await history()).at(-1).operationName).toBe("FindAssets");
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);
  });

  it("requests no other host, starts its workers, and logs no errors in the browser", async () => {
    expect([...hosts]).toEqual([new URL(gateway.url).host]);
    expect(workers.filter((url) => url.includes("/graphql.worker-"))).not.toEqual([]);
    expect(browserErrors).toEqual([]);
  });
});
