/** Asset page of the console in a browser: meters and the asset form. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`an asset of the console in ${CHROMIUM}`, () => {
  let manager: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let id: string;
  let meterId: string;

  const readings = async (): Promise<number[]> =>
    (
      await manager.ask("query ($id: ID!) { asset(id: $id) { meters { readings(orderBy: { direction: DESC }) { nodes { value } } } } }", {
        id,
      })
    ).asset.meters[0].readings.nodes.map(({ value }: any) => value);
  const stored = async () =>
    (
      await manager.ask(
        "query ($id: ID!) { asset(id: $id) { name type site area location serialNumber criticality installationDate status version } }",
        { id },
      )
    ).asset;
  const update = (input: object) =>
    manager.ask("mutation ($id: ID!, $input: UpdateAssetInput!) { updateAsset(id: $id, input: $input) { id } }", { id, input });

  beforeAll(async () => {
    manager = await gateway.newTenant();
    ({ id } = await manager.createAsset({
      name: "Compressor K-7",
      type: "compressor",
      site: "Aarhus Dairy",
      area: "Hall 1",
      serialNumber: "K7",
    }));
    await manager.createComponent({ assetId: id, name: "Motor" });
    await manager.createAsset({ name: "Compressor K-8", site: "Aarhus Dairy", area: "Hall 2", serialNumber: "K8" });
    meterId = (
      await manager.ask("mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }", {
        input: { assetId: id, name: "Running hours", kind: "RUN_HOURS", rolloverAt: 10000 },
      })
    ).createMeter.id;
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await manager.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
      readings: [
        { meterId, value: 900, takenAt: at(20) },
        { meterId, value: 1000.25, takenAt: at(10) },
      ],
    });
    await manager.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: {
        name: "Change the oil",
        assetId: id,
        frequency: "CUSTOM",
        steps: [{ description: "Drain" }],
        meters: [{ meterId, interval: 500, dueAtTotal: 1400 }],
      },
    });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn(manager.key, `/asset/${id}?tab=meters`);
    await open.page.getByRole("heading", { level: 2, name: "Running hours" }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it("shows a meter with its readings and due plans, in the page's single request", async () => {
    await open.go("/stock", "Stock");
    expect(await open.go(`/asset/${id}?tab=meters`, "Compressor K-7")).toEqual(["AssetPage"]);
    await expect.poll(() => open.page.locator(".big").textContent()).toBe("1,000.25 h");
    await open.page.getByRole("img", { name: /: 1,000\.25 h$/ }).waitFor();
    await open.page.getByRole("list", { name: "Due by Running hours" }).getByText("399.75 h left").waitFor();
    expect(await open.page.getByRole("list", { name: "Readings of Running hours" }).getByRole("listitem").count()).toBe(2);
  });

  it("rejects a decreasing reading at its field, and stores nothing", async () => {
    const value = open.page.getByLabel("New reading, h");
    await value.fill("999");
    await value.press("Enter");
    await open.page.getByRole("alert").getByText("Less than the last reading, 1,000.25 h").waitFor();
    expect(await value.getAttribute("aria-invalid")).toBe("true");
    expect(await value.inputValue()).toBe("999");
    expect(await readings()).toEqual([1000.25, 900]);
  });

  it("stores a reading, shows the plans due by it, and reverses the reading with a reason", async () => {
    const value = open.page.getByLabel("New reading, h");
    await value.fill("1400,5");
    await value.press("Enter");
    await open.page.getByText("Now due: Change the oil.").waitFor();
    await open.page.getByText(/^Due since/).waitFor();
    expect(await value.inputValue()).toBe("");
    await expect.poll(() => open.page.locator(".big").textContent()).toBe("1,400.5 h");
    expect(await readings()).toEqual([1400.5, 1000.25, 900]);

    await open.page.getByRole("button", { name: "Delete reading" }).click();
    const take = open.page.getByRole("dialog").getByRole("button", { name: "Delete reading" });
    expect(await take.isDisabled()).toBe(true);
    await open.page.getByLabel("Why it was wrong").fill("Read the wrong dial");
    await take.click();
    await expect.poll(() => open.page.locator(".big").textContent()).toBe("1,000.25 h");
    expect(await readings()).toEqual([1000.25, 900]);
    await open.page.getByText("399.75 h left").waitFor();
  });

  it("stores a replaced meter, and a meter that rolled over", async () => {
    const store = open.page.getByRole("button", { name: "Save" });
    await open.page.getByLabel("New reading, h").fill("20");
    await open.page.getByLabel("Meter since the last reading").selectOption({ label: "Was replaced" });
    expect(await store.isDisabled()).toBe(true);
    await open.page.getByLabel("Final value of the old meter").fill("900");
    await store.click();
    await open.page.getByRole("alert").getByText("must be at least 1000.25 h").waitFor();
    expect(await readings()).toEqual([1000.25, 900]);
    await open.page.getByLabel("Final value of the old meter").fill("1010");
    await store.click();
    await open.page.getByText("meter replaced").waitFor();
    const usage = async () =>
      (await manager.ask("query ($id: ID!) { asset(id: $id) { meters { usage { total } } } }", { id })).asset.meters[0].usage;
    expect(await usage()).toEqual({ total: 1010 });
    await open.page.getByLabel("New reading, h").fill("5");
    await open.page.getByLabel("Meter since the last reading").selectOption({ label: "Rolled over to 0" });
    await store.click();
    await open.page.getByRole("list", { name: "Readings of Running hours" }).getByText("rolled over to 0").waitFor();
    expect(await usage()).toEqual({ total: 1010 + (10000 - 20) + 5 });
    // The chart goes on counting.
    const chart = open.page.getByRole("figure", { name: "Readings of Running hours, Total use in h" });
    await chart.getByRole("img", { name: /: 10,995 h$/ }).waitFor();
  });

  it("shows the components as of a time, read-only, with what became of them", async () => {
    const { id: asset } = await manager.createAsset({ name: "Fan V-1", site: "Aarhus Dairy" });
    const drive = await manager.createComponent({ assetId: asset, name: "Drive", serialNumber: "4711" });
    const belt = await manager.createComponent({ parentId: drive.id, name: "Belt" });
    // Entries of the log cannot be written in the past.
    await gateway.database.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query(`update "Change" set "changedAt" = "changedAt" - interval '3 days' where "tenantId" = $1 and "recordId" = any($2)`, [
        manager.tenantId,
        [drive.id, belt.id],
      ]);
    });
    await manager.rest("PUT", `/components/${drive.id}`, { name: "New drive", serialNumber: "4712" });
    await manager.rest("DELETE", `/components/${belt.id}`);
    await open.go(`/asset/${asset}?tab=components`, "Fan V-1");
    await open.page.getByRole("tree", { name: "Components of Fan V-1" }).getByText("New drive").waitFor();
    const picker = open.page.getByLabel("As of (default: now)");
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 16);
    await picker.fill(daysAgo(1));
    const former = open.page.getByRole("list", { name: "Components of Fan V-1" });
    await former.getByText("4711").waitFor();
    expect(await former.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/Drive.*1.*Changed since/s)]);
    await former.getByRole("button", { name: "Drive" }).click();
    expect(await former.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Drive"),
      expect.stringMatching(/Belt.*No longer here/s),
    ]);
    await open.page.getByText(/^2 components as of .+\. This tree is read-only\.$/).waitFor();
    expect(await open.page.getByRole("button", { name: "Add" }).count()).toBe(0);
    expect(await seriousFindings(open.page)).toEqual([]);
    await picker.fill(daysAgo(10));
    await open.page.getByText("The asset had no components as of").waitFor();
    await picker.fill(daysAgo(401));
    await open.page.getByRole("alert").getByText("must not be before").waitFor();
    expect(await picker.inputValue()).toBe(daysAgo(401));
    await open.page.getByRole("button", { name: "Show the present tree" }).click();
    await open.page.getByRole("tree", { name: "Components of Fan V-1" }).getByText("New drive").waitFor();
    await manager.rest("DELETE", `/assets/${asset}`);
  });

  it("edits an asset: sends only changes, and shows a rejection at its field", async () => {
    await open.go(`/asset/${id}`, "Compressor K-7");
    const before = await stored();
    await open.page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = open.page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByLabel("Serial number").fill("K8");
    await save.click();
    await dialog.getByRole("alert").first().waitFor();
    expect(await dialog.getByLabel("Serial number").getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => stored()).toEqual(before);
    await dialog.getByLabel("Serial number").fill("K7-B");
    await dialog.getByLabel("Criticality").fill("HIGH");
    await dialog.getByLabel("Area").fill("Hall 2");
    await dialog.getByLabel("Installed").fill("2021-03-04");
    await save.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await open.page.getByText("4 Mar 2021").waitFor();
    const after = await stored();
    expect(after).toEqual({
      ...before,
      serialNumber: "K7-B",
      criticality: "HIGH",
      area: "Hall 2",
      installationDate: new Date("2021-03-04T12:00").toISOString(),
      version: before.version + 1,
    });
  });

  it("reports a concurrent change by somebody else, overwrites nothing, and continues with both", async () => {
    await open.isQuiet();
    await open.page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = open.page.getByRole("dialog");
    await dialog.getByLabel("Location").fill("Row 3");
    await update({ name: "Compressor K-7a" });
    const before = await stored();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("Someone else changed this record while you edited it: Name.").waitFor();
    await expect.poll(() => stored()).toEqual(before);
    await dialog.getByRole("button", { name: "Load their changes" }).click();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Compressor K-7a");
    expect(await dialog.getByLabel("Location").inputValue()).toBe("Row 3");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => stored()).toEqual({ ...before, location: "Row 3", version: before.version + 1 });
  });

  it("satisfies axe, with its dialogs, and fits a phone", async () => {
    await open.page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await seriousFindings(open.page)).toEqual([]);
    await open.page.keyboard.press("Escape");
    await open.go(`/asset/${id}?tab=meters`);
    expect(await seriousFindings(open.page)).toEqual([]);
    await expectContrastInDark(open.page);
    await open.page.setViewportSize({ width: 375, height: 812 });
    expect(await widthOf(open.page)).toBe(375);
    await open.page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await widthOf(open.page)).toBe(375);
    await open.page.keyboard.press("Escape");
    await open.page.setViewportSize({ width: 1366, height: 860 });
  });

  it("offers a technician only readings", async () => {
    const technician = await ConsolePage.open(browser, gateway);
    await technician.signIn((await manager.as("technician")).key, `/asset/${id}?tab=meters`);
    await technician.page.getByLabel("New reading, h").waitFor();
    for (const name of ["Edit", "Delete", "Decommission", "Delete reading"])
      expect(await technician.page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
    await technician.close();
  });

  it("decommissions and deletes only the version that was shown, after a confirmation", async () => {
    await open.go(`/asset/${id}`, "Compressor K-7a");
    await open.page.getByRole("button", { name: "Decommission" }).click();
    await update({ location: "Row 4" });
    const before = await stored();
    await open.page.getByRole("dialog").getByRole("button", { name: "Decommission" }).click();
    await open.page.getByRole("dialog").getByRole("alert").waitFor();
    await expect.poll(() => stored()).toEqual(before);
    await open.page.keyboard.press("Escape");
    await open.page.locator("main").getByText("Row 4").waitFor();
    await open.page.getByRole("button", { name: "Decommission" }).click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Decommission" }).click();
    await open.page.locator("main .status.filled").getByText("Decommissioned").waitFor();
    await expect.poll(async () => (await stored()).status).toBe("DECOMMISSIONED");
    await open.isQuiet();
    await open.page.getByRole("button", { name: "Delete" }).click();
    await open.page.getByRole("dialog").getByText("with its component").waitFor();
    await open.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Aarhus Dairy" }).waitFor();
    expect((await manager.ask("{ assets { nodes { name } } }")).assets.nodes).toEqual([{ name: "Compressor K-8" }]);
    expect(open.problems).toEqual([]);
  });
});
