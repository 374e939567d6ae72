/** Faults without typing an id: labels with QR codes, and reports by those who scan them. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings, widthOf } from "./console.js";
import { pictureOf, scanPhoto } from "./scan.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** The text of the only QR code in a picture. */
async function textIn(picture: Buffer): Promise<string> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8Array(data) });
}

/** A film of one frame, which Chromium's fake camera repeats. */
async function filmOf(text: string): Promise<Buffer> {
  const { data, info } = await sharp(await pictureOf(text, 400))
    .flatten({ background: "#fff" })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const colors = Buffer.alloc((width * height) / 2, 128);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\nFRAME\n`), data, colors]);
}

/** Width and height of each page in millimetres. */
const sizesOf = (pdf: Buffer): number[][] =>
  [...pdf.toString("latin1").matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)].map(([, ...sides]) =>
    sides.map((side) => Math.round((Number(side) / 72) * 25.4)),
  );

describe.runIf(hasBrowser)(`faults in the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let planner: ConsolePage;
  let pump: string;
  let motor: string;
  let part: string;

  const callerAs = async (name: string, role: string): Promise<Caller> => {
    const { createPerson } = await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name });
    const input = { name, role, principalId: createPerson.id };
    const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", { input });
    return new Caller(gateway, admin.tenantId, createApiKey.key);
  };
  const passes = async (page: Page) => expect(await seriousFindings(page)).toEqual([]);
  const choices = ({ page }: ConsolePage) => page.getByRole("list", { name: "Labels" }).getByRole("listitem");

  beforeAll(async () => {
    admin = await gateway.newTenant();
    ({ id: pump } = await admin.createAsset({ name: "Blend Pump P-102", site: "North", area: "Hall 1", serialNumber: "SN-77" }));
    ({ id: motor } = await admin.createComponent({ assetId: pump, name: "Motor" }));
    for (let n = 1; n <= 30; n++) await admin.createAsset({ name: `Tank ${n}`, site: n % 2 ? "North" : "South", area: "Tank farm" });
    for (const [name, partNumber, location] of [
      ["Grease", "GR-1", "A-01"],
      ["Seal", "SE-1", "A-02"],
    ]) {
      const { createPart } = await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
        input: { name, partNumber, location, site: "North", stockLevel: 5, unitCost: 5, currency: "EUR" },
      });
      part ??= createPart.id;
    }
    browser = await launchBrowser();
    planner = await ConsolePage.open(browser, gateway);
    await planner.signIn((await callerAs("Mia Moss", "MANAGER")).key, "/");
    await planner.page.locator("main h1").waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("prints labels whose codes lead to the record, on the chosen sheet", async () => {
    const { page } = planner;
    await planner.go(`/asset/${pump}`, "Blend Pump P-102");
    await page.getByRole("link", { name: "Print labels" }).click();
    await page.getByRole("heading", { level: 1, name: "Labels" }).waitFor();
    await expect.poll(() => choices(planner).count()).toBe(1);
    await choices(planner).getByText("North · Hall 1").waitFor();
    const code = page.getByRole("img", { name: "QR code of Blend Pump P-102" });
    await code.locator("path[d]").waitFor({ state: "attached" });
    expect(await textIn(await code.screenshot())).toBe(`${gateway.url}/console/asset/${pump}`);
    await passes(page);

    // A component's label leads to its asset and names the component.
    await page.getByRole("link", { name: "Components" }).click();
    const inner = page.getByRole("img", { name: "QR code of Motor" });
    await inner.locator("path[d]").waitFor({ state: "attached" });
    expect(await textIn(await inner.screenshot())).toBe(`${gateway.url}/console/asset/${pump}?tab=components&component=${motor}`);

    await page.getByLabel("Sheet").selectOption({ label: "Label printer, 62 × 29 mm" });
    expect(sizesOf(await page.pdf({ preferCSSPageSize: true }))).toEqual([[62, 29]]);
  });

  it("selects labels by place and text, and leaves out those already used", async () => {
    const { page } = planner;
    await planner.go("/plant?site=North&area=Tank+farm", "Tank farm");
    await page.getByRole("link", { name: "Print labels" }).click();
    await expect.poll(() => choices(planner).count()).toBe(15);
    await page.getByLabel("Area").selectOption("");
    await expect.poll(() => choices(planner).count()).toBe(16);
    await page.getByLabel("Site").selectOption("");
    await expect.poll(() => choices(planner).count()).toBe(31);
    expect(sizesOf(await page.pdf({ preferCSSPageSize: true }))).toEqual([
      [210, 297],
      [210, 297],
    ]);
    await page.getByLabel("Sheet").selectOption({ label: "A4, 14 labels of 99 × 38 mm" });
    expect(sizesOf(await page.pdf({ preferCSSPageSize: true }))).toHaveLength(3);
    await page.getByRole("button", { name: "Select none" }).click();
    await page.getByText("0 of 31 selected").waitFor();
    expect(await page.getByRole("button", { name: "Print", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: /^SN-77, Blend Pump/ }).check();
    await page.getByText("1 of 31 selected").waitFor();
    await page.getByLabel("Labels already used").fill("13");
    await page.emulateMedia({ media: "print" });
    const places = page.locator(".label-place");
    expect([await places.count(), await places.last().textContent(), await places.first().textContent()]).toEqual([
      14,
      "SN-77Blend Pump P-102North · Hall 1",
      "",
    ]);
    await page.emulateMedia({ media: null });
    await page.getByLabel("Filter labels").fill("tank 3");
    await expect.poll(() => choices(planner).count()).toBe(2);
  });

  it("labels parts and bins, and opens a bin's stock", async () => {
    const { page } = planner;
    await planner.go("/stock?view=all&site=North", "Stock");
    await page.getByRole("link", { name: "Print labels" }).click();
    const code = page.getByRole("img", { name: "QR code of Grease" });
    await code.locator("path[d]").waitFor({ state: "attached" });
    expect(await textIn(await code.screenshot())).toBe(`${gateway.url}/console/stock/${part}`);
    await page.getByRole("link", { name: "Bins" }).click();
    await page.getByRole("checkbox", { name: "A-02, 1 part, North" }).waitFor();
    expect(await choices(planner).count()).toBe(2);
    const bin = page.getByRole("listitem").filter({ hasText: "A-02" }).getByRole("img");
    await bin.locator("path[d]").waitFor({ state: "attached" });
    const address = await textIn(await bin.screenshot());
    expect(address.startsWith(`${gateway.url}/console/stock?`)).toBe(true);
    await planner.go(address.slice(`${gateway.url}/console`.length), "Stock");
    await page.getByRole("link", { name: "Seal" }).waitFor();
    expect(await page.getByRole("link", { name: "Grease" }).count()).toBe(0);
    await page.getByRole("button", { name: "Bin A-02" }).click();
    await page.getByRole("link", { name: "Grease" }).waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    for (const path of ["/labels", "/labels?kind=bins"]) {
      await planner.go(path, "Labels");
      expect(await widthOf(page)).toBe(320);
      await passes(page);
    }
    await page.setViewportSize({ width: 1366, height: 860 });
  });

  it("lets a requester scan a label with the camera and report, without an id", async () => {
    const folder = mkdtempSync(join(tmpdir(), "camera-"));
    const film = join(folder, "label.y4m");
    writeFileSync(film, await filmOf(`${gateway.url}/console/asset/${pump}?tab=components&component=${motor}`));
    const withCamera = await launchBrowser(
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-video-capture=${film}`,
    );
    try {
      const requester = await ConsolePage.open(withCamera, gateway);
      const { page } = requester;
      await requester.signIn((await callerAs("Rob Reed", "REQUESTER")).key, "/report");
      await page.getByRole("button", { name: "Scan" }).click();
      await page.getByText("Component from the label").waitFor();
      await page.getByLabel("What is wrong?").fill("It hums");
      await passes(page);
      await page.getByRole("button", { name: "Report the fault" }).click();
      await page.getByRole("heading", { name: "Thank you. The fault is reported" }).waitFor();
      const { workRequests } = await admin.ask("{ workRequests { nodes { assetId componentId description } } }");
      expect(workRequests.nodes).toEqual([{ assetId: pump, componentId: motor, description: "It hums" }]);
      // The camera of a phone opens the address itself.
      await requester.go(`/asset/${pump}`, "Report a fault");
      await page.getByText("Blend Pump P-102").waitFor();
      expect(requester.problems).toEqual([]);
      expect([...requester.hosts]).toEqual([new URL(gateway.url).host]);
    } finally {
      await withCamera.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("reads a code from a photo where there is no camera", async () => {
    const { page } = planner;
    const photo = (text: string) => scanPhoto(page, text);
    await planner.go("/report", "Report a fault");
    await page.getByRole("button", { name: "Scan" }).click();
    await page.getByText("The camera cannot be used here.").waitFor();
    await passes(page);
    await page.getByLabel("Choose a photo").setInputFiles({
      name: "wall.png",
      mimeType: "image/png",
      buffer: await sharp({ create: { width: 300, height: 300, channels: 3, background: "#ccc" } })
        .png()
        .toBuffer(),
    });
    await page.getByText("The photo has no readable code.").waitFor();
    await photo("SN-77");
    await page.getByRole("list", { name: "Assets" }).getByRole("button", { name: "Blend Pump P-102" }).waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Assets" }).getByRole("button").count()).toBe(1);
    await page.getByRole("button", { name: "Scan" }).click();
    await photo(`${gateway.url}/console/asset/${pump}`);
    await expect.poll(() => planner.address).toBe(`/console/report?asset=${pump}`);
    await page.getByText("Blend Pump P-102").waitFor();

    const scan = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("button", { name: "Scan a label" }).click();
      await photo(text);
    };
    await scan(`${gateway.url}/console/stock/${part}`);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Grease" }).waitFor();
    // Codes of others are searched as text.
    for (const foreign of ["SN-77", "https://elsewhere.example/console/asset/1"]) {
      await scan(foreign);
      await expect.poll(() => page.getByRole("combobox", { name: "Find" }).inputValue()).toBe(foreign);
      if (foreign === "SN-77") await page.getByRole("option", { name: /Blend Pump P-102/ }).waitFor();
      await passes(page);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator("dialog").count()).toBe(0);
    }
    expect(planner.problems).toEqual([]);
  });

  it("makes a public fault page, by which a phone without a key reports and follows the status", async () => {
    const { page } = planner;
    await planner.go(`/asset/${pump}`, "Blend Pump P-102");
    const card = page.getByRole("region", { name: "Public fault pages" });
    await card.getByText("No link yet.").waitFor();
    await card.getByRole("button", { name: "New link" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Door of hall 1");
    await passes(page);
    await page.getByRole("button", { name: "Create link" }).click();
    const shown = page.getByRole("dialog");
    const code = shown.getByRole("img", { name: "QR code of Blend Pump P-102" });
    await code.locator("path[d]").waitFor({ state: "attached" });
    const url = await textIn(await code.screenshot());
    expect(url).toMatch(new RegExp(`^${gateway.url}/report/[0-9a-f]{64}$`));
    expect(await shown.locator("code").textContent()).toBe(url);
    await passes(page);
    expect(sizesOf(await page.pdf({ preferCSSPageSize: true }))).toEqual([[62, 29]]);
    await shown.getByRole("button", { name: "Done" }).click();
    await card.getByText("Door of hall 1").waitFor();

    const context = await browser.newContext({ locale: "en-GB", viewport: { width: 320, height: 640 }, javaScriptEnabled: false });
    const phone = await context.newPage();
    try {
      await phone.goto(url);
      await phone.getByRole("heading", { name: "Report a fault" }).waitFor();
      await phone.getByText("Blend Pump P-102").waitFor();
      await phone.getByLabel("What is wrong?").fill("Oil on the floor");
      await phone.getByLabel("Your name").fill("Olga");
      await phone.getByLabel("Production has stopped").check();
      await phone.getByRole("button", { name: "Report the fault" }).click();
      await phone.getByText("Received").waitFor();
      const address = phone.url();

      // The planner sees who reported, and plans the work.
      await planner.go("/work?view=requests", "Work");
      const line = page.getByRole("listitem").filter({ hasText: "Oil on the floor" });
      await line.getByText("Olga").waitFor();
      await line.getByRole("button", { name: "Create work order" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Create work order" }).click();
      await page.getByRole("heading", { name: "Reported fault" }).waitFor();
      await page.getByText(/^Olga, /).waitFor();
      await phone.reload();
      await phone.getByText("Accepted").waitFor();
      await phone.getByText(/The work is planned for \d+ \w+ 20\d\d\./).waitFor();

      // Both pages hold for screen readers, narrow screens and dark mode. axe needs scripts, which the pages forbid.
      const reader = await browser.newContext({ viewport: { width: 320, height: 640 }, bypassCSP: true });
      const read = await reader.newPage();
      for (const colorScheme of ["light", "dark"] as const)
        for (const path of [url, address, `${url}0`]) {
          await read.emulateMedia({ colorScheme });
          await read.goto(path);
          await passes(read);
          expect(await widthOf(read)).toBe(320);
        }
      await reader.close();

      await planner.go(`/asset/${pump}`, "Blend Pump P-102");
      await card.getByRole("button", { name: "Revoke Door of hall 1" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await card.getByText("No link yet.").waitFor();
      for (const path of [url, address]) {
        await phone.goto(path);
        await phone.getByRole("heading", { name: "Page not found" }).waitFor();
      }
      expect(planner.problems).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it("makes the page of a site in the settings, where reporters choose the machine", async () => {
    const settings = await ConsolePage.open(browser, gateway);
    const { page } = settings;
    await settings.signIn(admin.key, "/admin?tab=settings");
    const card = page.getByRole("region", { name: "Public fault pages" });
    await card.getByRole("button", { name: "New link" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Canteen");
    await page.getByRole("dialog").getByLabel("Site").selectOption("South");
    await page.getByRole("button", { name: "Create link" }).click();
    const url = (await page.getByRole("dialog").locator("code").textContent())!;
    await page.getByRole("button", { name: "Done" }).click();
    await card.getByText("Canteen").waitFor();
    await passes(page);
    await page.goto(url);
    await page.getByLabel("Machine").selectOption("Tank 2");
    await page.getByLabel("What is wrong?").fill("Drips");
    await page.getByRole("button", { name: "Report the fault" }).click();
    await page.getByText("Received").waitFor();
    const { workRequests } = await admin.ask(
      "{ workRequests(filter: { status: [OPEN] }) { nodes { description reporterName asset { name } } } }",
    );
    expect(workRequests.nodes).toContainEqual({ description: "Drips", reporterName: null, asset: { name: "Tank 2" } });
    await settings.close();
  });
});
