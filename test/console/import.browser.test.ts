/** Bulk CSV in the console: format, column mapping, preview, import and result. */
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, expectContrastInDark, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`CSV import of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;

  const button = (name: string | RegExp) => open.page.getByRole("button", { name });
  const choose = async (sheet: string, file: Buffer) => {
    await open.page.getByLabel("Records in the file").selectOption({ label: sheet });
    await open.page.getByLabel("CSV file").setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: file });
    await open.page.getByRole("group", { name: "Columns of the file" }).waitFor();
  };
  const rows = () => open.page.getByRole("region", { name: "Rows of the file" }).locator("tbody tr:not([aria-hidden])");
  const assets = async () =>
    (await admin.ask("{ assets(orderBy: { field: NAME }) { nodes { name type serialNumber installationDate } } }")).assets.nodes;

  beforeAll(async () => {
    admin = await gateway.newTenant();
    await admin.rest("POST", "/import/assets", "name,type,serialNumber,installDate\nPresse,press,S1,2019-05-01\nMühle,mill,S2,\n", {
      "content-type": "text/csv",
    });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn(admin.key, "/admin?tab=import");
    await open.page.getByRole("heading", { name: "Import and export" }).waitFor();
  });

  afterAll(async () => {
    // The browser reports the refused file too.
    expect(open?.problems.filter((problem) => !problem.includes("status of 400"))).toEqual([]);
    await browser?.close();
  });

  const excel = Buffer.from(
    "Bezeichnung;Klasse;Serien-Nr.;Inbetriebnahme\r\nPresse;press;S1;31.12.2020\r\nMühle;mill;S2;\r\nSäge;saw;S3;01.02.2021\r\nOfen;;S4;03/04/2020\r\n",
    "latin1",
  );

  it("detects the format of an Excel file and suggests columns, which can be changed", async () => {
    await choose("Assets", excel);
    const shown = async (label: string) => open.page.getByLabel(label, { exact: true }).inputValue();
    expect([await shown("Encoding"), await shown("Separator")]).toEqual(["windows-1252", "semicolon"]);
    expect([await shown("Bezeichnung"), await shown("Klasse"), await shown("Serien-Nr."), await shown("Inbetriebnahme")]).toEqual([
      "name",
      "",
      "serialNumber",
      "installDate",
    ]);
    await open.page.getByText("Presse · Mühle · Säge").waitFor();
    await open.page.getByText("Choose a column of the file for: type").waitFor();
    expect(await button("Check without storing").isDisabled()).toBe(true);
    expect(await seriousFindings(open.page)).toEqual([]);

    await open.page.getByLabel("Separator").selectOption("Comma");
    await open.page.getByLabel("Bezeichnung;Klasse;Serien-Nr.;Inbetriebnahme").waitFor();
    await open.page.getByLabel("Separator").selectOption("Semicolon");
    await open.page.getByLabel("Klasse", { exact: true }).selectOption("type");
    expect(await open.page.getByLabel("Bezeichnung", { exact: true }).locator("option[value=type]").isDisabled()).toBe(true);
  });

  it("previews old and new values and the reason of each wrong cell, and stores nothing", async () => {
    const before = await admin.snapshot();
    await button("Check without storing").click();
    await open.page.getByText("Would be imported: 1 new, 1 changed, 1 unchanged, 1 with errors").waitFor();
    expect((await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      "2 Changed Presse press S1 2019-05-01 → 2020-12-31",
      "3 Unchanged Mühle mill S2",
      "4 New Säge saw S3 01.02.2021",
      "5 Wrong Ofen is required S4 03/04/2020 can be read as two dates; write the date as 2020-12-31 or 31.12.2020",
    ]);
    await button(/^Changed 1/).click();
    expect(await rows().count()).toBe(1);
    await button("All 4").click();
    expect(await admin.snapshot()).toEqual(before);
    expect(await seriousFindings(open.page)).toEqual([]);
    await expectContrastInDark(open.page);

    const saved = open.page.waitForEvent("download");
    await button("Save failed rows as CSV").click();
    const lines = readFileSync((await (await saved).path())!, "utf8")
      .trim()
      .split("\n");
    expect(lines[0]).toBe("Bezeichnung;Klasse;Serien-Nr.;Inbetriebnahme;error");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Ofen;;S4;03\/04\/2020;"?Klasse is required; Inbetriebnahme can be read as two dates/);
  });

  it("imports, and links to the records", async () => {
    await button("Import 2 rows").click();
    await open.page.getByText(/^Imported: 1 new, 1 changed, 1 unchanged, 1 with errors/).waitFor();
    expect(await assets()).toEqual([
      { name: "Mühle", type: "mill", serialNumber: "S2", installationDate: null },
      { name: "Presse", type: "press", serialNumber: "S1", installationDate: "2020-12-31T00:00:00.000Z" },
      { name: "Säge", type: "saw", serialNumber: "S3", installationDate: "2021-02-01T00:00:00.000Z" },
    ]);
    expect(await button(/^Import/).isDisabled()).toBe(true);
    await rows().filter({ hasText: "Säge" }).getByRole("link", { name: "Open" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Säge" }).waitFor();
    await open.go("/admin?tab=import", "Administration");
  });

  it("imports parts, then their stock levels with decimal commas", async () => {
    await choose("Parts", Buffer.from("Teilenummer;Name;Preis\nP1;Seal;2,5\n"));
    await button("Check without storing").click();
    await button("Import 1 row").click();
    await open.page.getByText(/^Imported: 1 new, 0 changed, 0 unchanged, 0 with errors/).waitFor();
    await choose("Stock", Buffer.from("\ufeffTeilenummer\tWerk\tMenge\nP1\tNorth\t12,5\nP2\tNorth\t1\n", "utf16le"));
    expect(await open.page.getByLabel("Encoding").inputValue()).toBe("utf-16le");
    await button("Check without storing").click();
    await rows().filter({ hasText: "names no part; import the parts first" }).waitFor();
    await button("Import 1 row").click();
    await open.page.getByText(/^Imported: 1 new, 0 changed, 0 unchanged, 1 with errors/).waitFor();
    const { inventory } = await admin.ask("{ inventory { nodes { quantity unitCost part { name } } } }");
    expect(inventory.nodes).toEqual([{ quantity: 12.5, unitCost: 2.5, part: { name: "Seal" } }]);
  });

  it("shows why a file cannot be read", async () => {
    await open.page.getByLabel("CSV file").setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("\n") });
    await open.page.getByRole("alert").filter({ hasText: "is empty; send a header row" }).waitFor();
    expect(await button("Check without storing").isDisabled()).toBe(true);
  });

  it("renders few of 5,000 rows, and reaches the last one by keyboard", async () => {
    const file = `name,type\n${Array.from({ length: 5000 }, (_, i) => `Asset ${i + 1},pump\n`).join("")}`;
    await choose("Assets", Buffer.from(file));
    await button("Check without storing").click();
    await open.page.getByText("Would be imported: 5,000 new").waitFor();
    expect(await rows().count()).toBeLessThan(60);
    await open.page.getByRole("region", { name: "Rows of the file" }).focus();
    await open.page.keyboard.press("End");
    await rows().filter({ hasText: "Asset 5000" }).waitFor();
    expect(await rows().count()).toBeLessThan(60);
  });

  it("fits a phone", async () => {
    await open.page.setViewportSize({ width: 320, height: 640 });
    await choose("Assets", excel);
    expect(await widthOf(open.page)).toBe(320);
    await open.page.getByLabel("Klasse", { exact: true }).selectOption("type");
    await button("Check without storing").click();
    await open.page.getByText("Would be imported:").waitFor();
    expect(await widthOf(open.page)).toBe(320);
    expect(await seriousFindings(open.page)).toEqual([]);
  });
});
