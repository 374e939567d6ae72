/** Forms of the console: unsaved changes, refused files, and work that cannot be completed yet. */
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { image } from "../files/photos.js";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`forms of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let assetId: string;
  let orderId: string;
  const question = (): Locator => open.page.getByRole("dialog", { name: "Discard the changes?" });
  const answer = async (name: "Cancel" | "Discard") => {
    await question().getByRole("button", { name, exact: true }).click();
    await expect.poll(() => question().count()).toBe(0);
  };
  const follow = (name: string) => open.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
  const home = () => follow("Home");
  const titleIs = (name: string) => open.page.getByRole("heading", { level: 1, name }).waitFor();

  beforeAll(async () => {
    admin = await gateway.newTenant();
    ({ id: assetId } = await admin.createAsset({ name: "Cellar pump" }));
    const create = "mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }";
    ({ id: orderId } = (await admin.ask(create, { input: { assetId, title: "Seal the pump" } })).createWorkOrder);
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn(admin.key);
    await titleIs("Home");
  });
  afterAll(() => browser?.close());

  it("a page with unsaved changes asks at a link, at the back button and at a reload, and not after saving", async () => {
    const { page } = open;
    await follow("Work");
    await titleIs("Work");
    await page.getByRole("link", { name: "New work order" }).click();
    await titleIs("New work order");
    await page.getByRole("button", { name: "Cellar pump" }).click();
    const title = page.getByLabel("Title");
    await title.fill("Replace the seal");

    await home();
    await question().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await answer("Cancel");
    expect(await title.inputValue()).toBe("Replace the seal");
    await page.goBack();
    await answer("Cancel");
    await titleIs("New work order");
    await expect.poll(() => open.address).toContain("/console/work/new");
    expect(await title.inputValue()).toBe("Replace the seal");

    let asked = "";
    page.once("dialog", (dialog) => {
      asked = dialog.type();
      void dialog.dismiss();
    });
    await page.evaluate(() => setTimeout(() => location.reload()));
    await expect.poll(() => asked).toBe("beforeunload");
    expect(await title.inputValue()).toBe("Replace the seal");

    await title.fill("");
    await home();
    await answer("Discard");
    await titleIs("Home");

    await open.go(`/work/new?asset=${assetId}`, "New work order");
    await title.fill("Replace the seal");
    await page.getByRole("button", { name: "Create work order" }).click();
    await titleIs("Replace the seal");
    await home();
    await titleIs("Home");
    expect(await question().count()).toBe(0);
  });

  it("a dialog with unsaved changes asks at Escape, also the second time, and closes without a question otherwise", async () => {
    const { page } = open;
    await open.go(`/work/${orderId}`, "Seal the pump");
    const edit = page.getByRole("dialog", { name: "Edit the work order" });
    const title = edit.getByLabel("Title");
    const start = () => page.getByRole("button", { name: "Edit", exact: true }).click();
    await start();
    await page.keyboard.press("Escape");
    await expect.poll(() => edit.count()).toBe(0);

    await start();
    await title.fill("Seal the pump again");
    await title.fill("Seal the pump");
    await page.keyboard.press("Escape");
    await expect.poll(() => edit.count()).toBe(0);

    await start();
    await title.fill("Seal the pump again");
    for (const _ of [1, 2]) {
      await page.keyboard.press("Escape");
      await question().waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => question().count()).toBe(0);
      expect(await title.inputValue()).toBe("Seal the pump again");
    }
    await edit.getByRole("button", { name: "Close" }).click();
    await answer("Discard");
    await expect.poll(() => edit.count()).toBe(0);

    await start();
    await title.fill("Seal the pump again");
    await edit.getByRole("button", { name: "Save" }).click();
    await titleIs("Seal the pump again");
    expect(await question().count()).toBe(0);

    const comment = page.getByLabel("Comment", { exact: true });
    await comment.fill("Half a");
    await comment.fill("");
    await home();
    await titleIs("Home");
  });

  it("refuses files of other kinds when they are chosen, and reads the kind from the content", async () => {
    const { page } = open;
    const png = await image("png", 60, 40);
    const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });
    const text = file("note.jpg", "image/jpeg", Buffer.from("No picture"));
    const renamed = file("floor.jpg", "image/jpeg", png);
    await open.go(`/report?asset=${assetId}`, "Report a fault");
    await page.getByLabel("Add photos").setInputFiles([text, renamed]);
    await page.getByRole("alert").getByText("Choose a JPEG, PNG, GIF or WebP image instead of note.jpg.").waitFor();
    expect(await page.locator(".photos img").evaluateAll((all) => all.map((one) => (one as HTMLImageElement).alt))).toEqual(["floor.jpg"]);
    await page.getByLabel("What is wrong?").fill("It drips");
    await page.getByRole("button", { name: "Report the fault" }).click();
    await page.getByText("Thank you. The fault is reported").waitFor();
    const { workRequests } = await admin.ask("{ workRequests { nodes { attachments { filename contentType } } } }");
    expect(workRequests.nodes).toEqual([{ attachments: [{ filename: "floor.jpg", contentType: "image/png" }] }]);

    await open.go(`/work/${orderId}`, "Seal the pump again");
    open.operations.length = 0;
    await page.getByLabel("Add photo").setInputFiles(file("sheet.xlsx", "application/zip", Buffer.from("PK\x03\x04")));
    await page.getByText("Choose a JPEG, PNG, GIF or WebP image, a PDF, a plain text or a CSV file instead of sheet.xlsx.").waitFor();
    expect(open.operations).toEqual([]);
    await page.getByLabel("Add photo").setInputFiles(file("note.txt", "text/plain", Buffer.from("Steel")));
    await page.getByText("note.txt").waitFor();
  });

  it("offers no completion before the required steps are done and the asset is released, also without a connection", async () => {
    const { page } = open;
    const input = {
      assetId,
      title: "Clean the pump",
      customSteps: [
        { order: 1, description: "Lock the valve", kind: "ISOLATE" },
        { order: 2, description: "Unlock the valve", kind: "RELEASE", required: false },
      ],
    };
    const create = "mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }";
    const { id } = (await admin.ask(create, { input })).createWorkOrder;
    await admin.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id });
    await open.go(`/work/${id}`, "Clean the pump");
    await page.context().setOffline(true);
    const complete = page.getByRole("dialog", { name: "Complete the work" });
    const expectBlocked = async (reason: string) => {
      await page.getByRole("button", { name: "Complete", exact: true }).click();
      await complete.getByText(reason).waitFor();
      expect(await complete.getByRole("button", { name: "Complete", exact: true }).isDisabled()).toBe(true);
      await complete.getByRole("button", { name: "Cancel" }).click();
    };
    await expectBlocked("One required step is open. Do it or skip it first.");
    const tick = page.getByLabel("Step 1: Lock the valve");
    await tick.check();
    // The service does not take a completed step back.
    await expect.poll(() => tick.isDisabled()).toBe(true);
    await expectBlocked("The asset is isolated. Do step 2, Unlock the valve, first.");
    await page.getByLabel("Step 2: Unlock the valve").check();
    await page.getByRole("button", { name: "Complete", exact: true }).click();
    await complete.getByRole("button", { name: "Complete", exact: true }).click();
    await page.context().setOffline(false);
    const stored = "query ($id: ID!) { workOrder(id: $id) { status steps { status } } }";
    await expect
      .poll(async () => (await admin.ask(stored, { id })).workOrder)
      .toEqual({ status: "COMPLETED", steps: [{ status: "COMPLETED" }, { status: "COMPLETED" }] });
  });
});
