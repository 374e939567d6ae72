/** Visits without a connection: pages open from the files and the data of earlier visits of the same session. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** Everything that the browser keeps of the service's data. */
const keptOn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const opened = indexedDB.open("console-data", 1);
    await new Promise((resolve) => opened.addEventListener("success", resolve));
    const all = opened.result.transaction("writes").objectStore("writes").getAll();
    await new Promise((resolve) => all.addEventListener("success", resolve));
    opened.result.close();
    return JSON.stringify(Object.assign({}, ...all.result.map(({ entries }) => entries)));
  });

describe.runIf(hasBrowser)(`visits without a connection, in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let id: string;
  const stored = async () => (await admin.ask("query ($id: ID!) { workOrder(id: $id) { status comments { text } } }", { id })).workOrder;
  /** Signs in, reads the order, and waits for what a later visit needs. */
  const visit = async (key: string): Promise<ConsolePage> => {
    const own = await ConsolePage.open(browser, gateway);
    await own.signIn(key, `/work/${id}`);
    await own.page.getByRole("heading", { name: "Seal the cellar pump" }).waitFor();
    await own.page.evaluate(() => navigator.serviceWorker.ready);
    await expect.poll(() => keptOn(own.page)).toContain("Seal the cellar pump");
    return own;
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    admin = await gateway.newTenant();
    const asset = await admin.createAsset({ name: "Cellar pump" });
    ({ id } = (
      await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input: { assetId: asset.id, title: "Seal the cellar pump" },
      })
    ).createWorkOrder);
  });
  afterAll(() => browser?.close());

  it("opens pages after a reload and in a new tab, takes changes, and sends them when the connection is back", async () => {
    const own = await visit(admin.key);
    const context = own.page.context();
    await context.setOffline(true);
    // A new tab is emulated as offline only some time after it opened.
    await context.route("**/graphql", (route) => route.abort("internetdisconnected"));
    await own.page.reload();
    await own.page.getByRole("heading", { name: "Seal the cellar pump" }).waitFor();
    await own.page.getByRole("button", { name: "Start work" }).click();
    await own.page.getByText("1 change is waiting to be sent").waitFor();
    expect(await seriousFindings(own.page)).toEqual([]);
    await own.page.close();

    const later = await context.newPage();
    await later.goto(`${gateway.url}/console/work/${id}`);
    await later.getByText("1 change is waiting to be sent").waitFor();
    await later.locator("main .status.filled").getByText("In progress").waitFor();
    await later.getByRole("textbox", { name: "Comment" }).fill("In the cellar");
    await later.getByRole("button", { name: "Send the comment" }).click();
    await later.getByText("2 changes are waiting to be sent").waitFor();
    expect(await stored()).toEqual({ status: "SCHEDULED", comments: [] });

    await context.unroute("**/graphql");
    await context.setOffline(false);
    await expect.poll(stored).toEqual({ status: "IN_PROGRESS", comments: [{ text: "In the cellar" }] });
    await expect.poll(() => later.locator(".banner").count()).toBe(0);
    await own.close();
  });

  it("holds the order of an isolation, warns of a value outside its limits, and shows a rejected value again", async () => {
    const asset = await admin.createAsset({ name: "Press" });
    const { createWorkOrder } = await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
      input: {
        assetId: asset.id,
        title: "Measure the isolated press",
        customSteps: [
          { description: "Lock out", kind: "ISOLATE" },
          { description: "Measure", kind: "MEASUREMENT", parameter: "pressure", unit: "bar", minimum: 4.25, maximum: 6 },
          { description: "Unlock", kind: "RELEASE" },
        ],
      },
    });
    const order = createWorkOrder.id;
    const steps = async () =>
      (await admin.ask("query ($id: ID!) { workOrder(id: $id) { steps { status value } } }", { id: order })).workOrder.steps;
    await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: order });
    const own = await visit(admin.key);
    const { page } = own;
    await own.go(`/work/${order}`, "Measure the isolated press");
    await expect.poll(() => keptOn(page)).toContain("Measure the isolated press");
    await page.context().setOffline(true);
    const field = page.getByLabel("Measured value of step 2 in bar");
    expect(await field.isDisabled()).toBe(true);
    expect(await page.getByLabel("Step 3: Unlock").isDisabled()).toBe(true);
    expect(await page.getByText("Step 1 must be done first.").count()).toBe(2);
    await page.getByLabel("Step 1: Lock out").check();
    await field.fill("7.5");
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await page.getByText("2 changes are waiting to be sent").waitFor();
    await page.getByText("Outside limits").waitFor();
    await page.reload();
    await page.getByText("Outside limits").waitFor();
    await page.getByRole("button", { name: "Create a follow-up work order" }).click();
    await page.getByText("Follow-up work order: waiting to be sent").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().setOffline(false);
    await expect.poll(steps).toEqual([
      { status: "COMPLETED", value: null },
      { status: "COMPLETED", value: 7.5 },
      { status: "PENDING", value: null },
    ]);
    await page.getByRole("link", { name: /^Follow-up: pressure is 7\.5 bar/i }).waitFor();

    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Measure again" }).click();
    await field.fill("5.5");
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await page.getByText("1 change is waiting to be sent").waitFor();
    await admin.ask("mutation ($id: ID!) { holdWorkOrder(id: $id) { id } }", { id: order });
    await page.context().setOffline(false);
    await page.getByText("5.5 bar was not stored: Steps are worked on while the work order is in progress").waitFor();
    await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: order });
    await page.getByRole("button", { name: "Measure again" }).click();
    expect(await field.inputValue()).toBe("5.5");
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await expect.poll(async () => (await steps())[1]).toEqual({ status: "COMPLETED", value: 5.5 });
    expect(await page.getByText("was not stored").count()).toBe(0);
    await own.close();
  });

  it("shows the page while a proxy reports that the service is away", async () => {
    const own = await visit(admin.key);
    await own.page.context().route("**/*", (route) => route.fulfill({ status: 502, body: "Bad gateway" }));
    await own.page.reload();
    await own.page.getByRole("heading", { name: "Seal the cellar pump" }).waitFor();
    await own.close();
  });

  it("deletes the data when its user signs out, is revoked, or another session follows", async () => {
    const { createApiKey } = await admin.ask('mutation { createApiKey(input: { name: "phone", role: TECHNICIAN }) { key apiKey { id } } }');
    const own = await visit(createApiKey.key);
    const { page } = own;
    await admin.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id: createApiKey.apiKey.id });
    // The page is left without a click.
    await page.getByText("The key is no longer valid. Sign in again.").waitFor();
    expect(await page.getByText("Seal the cellar pump").count()).toBe(0);
    await expect.poll(() => keptOn(page)).toBe("{}");
    await page.reload();
    await page.getByText("Your session has ended").waitFor();
    await expect.poll(() => keptOn(page)).toBe("{}");

    await page.getByLabel("Key", { exact: true }).fill(admin.key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Seal the cellar pump" }).waitFor();
    await expect.poll(() => keptOn(page)).toContain("Seal the cellar pump");
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByLabel("Key", { exact: true }).waitFor();
    await expect.poll(() => keptOn(page)).toBe("{}");
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.context().setOffline(false);

    // A session that replaces another one without a sign-out, as in a second tab.
    const second = await visit(admin.key);
    const stranger = await gateway.newTenant();
    await second.page.context().clearCookies();
    await second.page.reload();
    await second.page.getByLabel("Key", { exact: true }).fill(stranger.key);
    await second.page.getByRole("button", { name: "Sign in" }).click();
    await second.page.getByRole("button", { name: "Sign out" }).first().waitFor();
    await expect.poll(() => keptOn(second.page)).toContain(stranger.tenantId);
    expect(await keptOn(second.page)).not.toContain("cellar");
    await second.close();
    await own.close();
  });

  it("keeps nothing of a user who does not stay signed in", async () => {
    const own = await ConsolePage.open(browser, gateway);
    await own.signIn(admin.key, `/work/${id}`, false);
    await own.page.getByRole("heading", { name: "Seal the cellar pump" }).waitFor();
    await own.isQuiet();
    expect(await own.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual(["console-data"]);
    expect(await keptOn(own.page)).toBe("{}");
    await own.close();
  });
});
