/** Story of a recall: a bad batch is located, its installed units are replaced by work orders, and the evidence is saved. */
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange, issue, recalledPlant, unitOf } from "../components/recalled-plant.js";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { startGateway } from "../world.js";
import { expectContrastInDark, widthOf } from "./console.js";
import { Story } from "./story.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`recalls in the console in ${CHROMIUM}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it("locates 14 units, orders the replacement of three, follows it and saves the evidence", async () => {
    const admin = await gateway.newTenant();
    const { part, bearings } = await recalledPlant(admin);
    const manager = await admin.as("manager");
    const story = new Story("recall of a batch", "desktop", browser, gateway, { timezoneId: "Europe/Copenhagen" });
    const own = await story.signIn(manager.key, "/recalls", "Recalls");
    const { page } = own;
    await page.getByText("No recalls").waitFor();
    await story.passes(own);

    await story.press(page.getByRole("button", { name: "Open recall" }));
    await story.fill(own.dialog.getByLabel("Part", { exact: true }), "ball");
    await story.press(own.dialog.getByRole("button", { name: /Ball bearing/ }));
    await story.fill(own.dialog.getByLabel("Batch number"), "B7");
    await story.fill(own.dialog.getByLabel("Reason"), "Cage fractures");
    await story.passes(own);
    await story.press(own.dialog.getByRole("button", { name: "Open recall", exact: true }));
    await page.getByRole("heading", { level: 1, name: "Recall of Ball bearing" }).waitFor();
    await own.isQuiet();
    const units = page.getByRole("region", { name: "Units", exact: true });
    const lines = units.getByRole("listitem");
    const chips = await units.getByRole("group", { name: "State" }).getByRole("button").allInnerTexts();
    expect(chips.map((text) => text.replace(/\s+/g, " "))).toEqual(["All 14", "Installed 3", "In stock 10", "Scrapped 1"]);
    expect(await lines.count()).toBe(14);
    const facts = page.getByRole("region", { name: "Recall", exact: true });
    expect(await facts.innerText()).toMatch(/batch B7.*Cage fractures.*0 of 3 replaced.*North: 2.5/s);
    await story.passes(own);
    await expectContrastInDark(page);

    await story.press(page.getByRole("button", { name: "Create work orders" }));
    await story.passes(own);
    await story.send(own, "Create work orders");
    await story.press(units.getByRole("button", { name: "Installed 3" }));
    await expect.poll(() => lines.count()).toBe(3);
    expect(await lines.nth(0).innerText()).toMatch(/B7-0001.*Bearing DE.*P-1.*Replace Ball bearing: B7-0001.*Scheduled/s);

    // Not while units are installed.
    await story.press(page.getByRole("button", { name: "Close recall" }));
    await story.press(own.dialog.getByRole("button", { name: "Close recall", exact: true }));
    await own.dialog.getByText("Units of the recall are still installed").first().waitFor();
    await story.send(own, "Cancel");

    const { recalls } = await admin.ask(`{ recalls { nodes { units(filter: { state: INSTALLED }) { nodes { workOrderId } } } } }`);
    const orders = recalls.nodes[0].units.nodes.map((one: any) => one.workOrderId);
    await issue(admin, orders[2], { partId: part, quantity: 1, serialNumbers: ["B8-0003"] });
    for (const [i, serialNumber] of ["B8-0001", "B8-0002", "B8-0003"].entries()) {
      const unit = { id: await unitOf(admin, serialNumber) };
      const { errors } = await exchange(manager, { componentId: bearings[i], unit, reason: "PREVENTIVE", workOrderId: orders[i] });
      expect(errors).toBeUndefined();
    }
    await facts.getByText("3 of 3 replaced").waitFor();
    await story.press(units.getByRole("button", { name: /^Removed/ }));
    await expect.poll(() => lines.count()).toBe(3);
    expect(await lines.nth(0).innerText()).toMatch(/B7-0001.*To inspect.*found: North › P-1 › Bearing DE.*replaced by B8-0001.*manager/s);

    const [download] = await Promise.all([page.waitForEvent("download"), story.press(page.getByRole("button", { name: "Save as CSV" }))]);
    const rows = (await readFile((await download.path())!, "utf8")).trim().split("\r\n");
    expect(download.suggestedFilename()).toBe("recall 6309.csv");
    expect(rows).toHaveLength(15);
    expect(rows[0]).toContain("Serial number,Located,State when located,Place when located,State now,Place now,Work order");
    expect(rows[1]).toMatch(
      /^B7-0001,20.*,Installed,North › P-1 › Bearing DE,Removed,North,Replace Ball bearing: B7-0001,Scheduled,20.*,B8-0001,manager$/,
    );

    await story.press(page.getByRole("button", { name: "Close recall" }));
    await story.send(own, "Close recall");
    await expect.poll(() => page.getByRole("button", { name: "Close recall" }).count()).toBe(0);
    await story.press(page.locator("main").getByRole("link", { name: "Recalls" }));
    await page.getByText(/14 units · 3 of 3 replaced/).waitFor();
    await story.end();
  });

  it("fits a phone, and shows viewers no verbs that change a recall", async () => {
    const admin = await gateway.newTenant();
    const { part } = await recalledPlant(admin);
    await admin.ask("mutation ($input: OpenRecallInput!) { openRecall(input: $input) { id } }", {
      input: { partId: part, serialFrom: "B7-0001", serialTo: "B7-0003", reason: "Cage fractures" },
    });
    const viewer = await admin.as("viewer");
    const story = new Story("reading of a recall", "phone", browser, gateway);
    const own = await story.signIn(viewer.key, "/recalls", "Recalls");
    const { page } = own;
    expect(await page.getByRole("button", { name: "Open recall" }).count()).toBe(0);
    expect(await widthOf(page)).toBe(390);
    await story.press(page.getByRole("link", { name: /serial numbers B7-0001 to B7-0003/ }));
    await page.getByRole("heading", { level: 1, name: "Recall of Ball bearing" }).waitFor();
    await own.isQuiet();
    expect(await page.getByRole("region", { name: "Units", exact: true }).getByRole("listitem").count()).toBe(3);
    expect(await page.getByRole("button", { name: /Create work orders|Close recall/ }).count()).toBe(0);
    expect(await widthOf(page)).toBe(390);
    await story.passes(own);
    await story.end();
  });
});
