/** Photos without a connection: kept in the browser, sent once when the connection is back, and deleted with the session. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { image } from "../files/photos.js";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** Names of the files that the browser keeps. */
const keptOn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === "console-files")) return [];
    const opened = indexedDB.open("console-files", 1);
    await new Promise((resolve) => opened.addEventListener("success", resolve));
    const all = opened.result.transaction("files").objectStore("files").getAll();
    await new Promise((resolve) => all.addEventListener("success", resolve));
    opened.result.close();
    return all.result.flatMap((files: { file: File }[]) => files.map(({ file }) => file.name));
  });

describe.runIf(hasBrowser)(`photos without a connection, in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let assetId: string;
  let id: string;
  let png: Buffer;
  const photo = (name: string) => ({ name, mimeType: "image/png", buffer: png });
  const reports = async () =>
    (await admin.ask("{ workRequests { nodes { description attachments { filename } } } }")).workRequests.nodes.map(
      ({ description, attachments }: any) => [description, attachments.map(({ filename }: any) => filename).sort()],
    );
  const filesOfOrder = async () =>
    (await admin.ask("query ($id: ID!) { workOrder(id: $id) { attachments { filename } } }", { id })).workOrder.attachments.map(
      ({ filename }: any) => filename,
    );
  const visit = async (path: string, heading: string, options = {}): Promise<ConsolePage> => {
    const own = await ConsolePage.open(browser, gateway, options);
    await own.signIn(admin.key, path);
    await own.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await own.page.evaluate(() => navigator.serviceWorker.ready);
    await own.isQuiet();
    return own;
  };
  const report = async ({ page }: ConsolePage, text: string, ...names: string[]) => {
    await page.getByLabel("What is wrong?").fill(text);
    await page.getByLabel("Add photos").setInputFiles(names.map(photo));
    await page.getByRole("button", { name: "Report the fault" }).click();
    await page.getByText("Thank you. The report is waiting to be sent").waitFor();
  };

  beforeAll(async () => {
    browser = await launchBrowser();
    png = Buffer.from(await image("png", 60, 40));
    admin = await gateway.newTenant();
    ({ id: assetId } = await admin.createAsset({ name: "Cellar pump" }));
    ({ id } = (
      await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input: { assetId, title: "Seal the cellar pump" },
      })
    ).createWorkOrder);
  });
  afterAll(() => browser?.close());

  it("a report with photos and a photo of an order outlast a reload and are sent once", async () => {
    const own = await visit(`/work/${id}`, "Seal the cellar pump", { viewport: { width: 390, height: 800 } });
    const { page } = own;
    await own.go(`/report?asset=${assetId}`, "Report a fault");
    await page.getByText("Cellar pump").first().waitFor();
    const context = page.context();
    await context.setOffline(true);
    await report(own, "It drips", "drip.png", "floor.png");
    expect(await seriousFindings(page)).toEqual([]);
    await own.go(`/work/${id}`);
    await page.getByRole("heading", { level: 1, name: "Seal the cellar pump" }).waitFor();
    await page.getByLabel("Add photo").setInputFiles(photo("seal.png"));
    await page.getByText("2 changes are waiting to be sent").waitFor();
    await expect.poll(async () => (await keptOn(page)).sort()).toEqual(["drip.png", "floor.png", "seal.png"]);

    await page.reload();
    await page.getByText("2 changes are waiting to be sent").waitFor();
    expect([await reports(), await filesOfOrder()]).toEqual([[], []]);
    await context.setOffline(false);
    await expect.poll(filesOfOrder).toEqual(["seal.png"]);
    expect(await reports()).toEqual([["It drips", ["drip.png", "floor.png"]]]);
    await expect.poll(() => keptOn(page)).toEqual([]);
    await expect.poll(() => page.locator(".banner").count()).toBe(0);
    await page.getByRole("img", { name: "seal.png" }).waitFor();
    await own.close();
  });

  it("an upload whose response was lost is stored once", async () => {
    const own = await visit(`/work/${id}`, "Seal the cellar pump");
    let isLost = false;
    await own.page.route("**/graphql", async (route) => {
      if (isLost || !route.request().headers()["content-type"]?.startsWith("multipart/")) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await own.page.getByLabel("Add photo").setInputFiles(photo("twice.png"));
    await own.page.getByText("1 change is waiting to be sent").waitFor();
    await own.page.getByRole("button", { name: "Send now" }).click();
    await expect.poll(() => own.page.locator(".banner").count()).toBe(0);
    expect(isLost).toBe(true);
    expect(await filesOfOrder()).toEqual(["seal.png", "twice.png"]);
    await own.close();
  });

  it("the photos are deleted at sign-out, and the change is listed as rejected later", async () => {
    const own = await visit(`/report?asset=${assetId}`, "Report a fault");
    const { page } = own;
    await page.context().setOffline(true);
    await report(own, "It smells", "smell.png");
    await expect.poll(() => keptOn(page)).toEqual(["smell.png"]);
    await page.getByRole("button", { name: "Sign out" }).first().click();

    await page.getByText("Changes with photos are lost, because photos are deleted at sign-out.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep and sign out" }).click();
    await page.getByLabel("Key", { exact: true }).waitFor();
    await expect.poll(() => keptOn(page)).toEqual([]);
    await page.context().setOffline(false);
    await own.signIn(admin.key, "/work");
    await page.getByText("A fault report “It smells”: Its photos were deleted when the session ended. Enter it again.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await reports()).toHaveLength(1);
    await own.close();
  });
});
