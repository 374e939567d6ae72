/** Numbers typed in the language of the console, in a browser whose interface has another language. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

describe.runIf(hasBrowser)(`numbers in German in an English ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  let page: Page;
  let part: string;
  const dialog = () => page.getByRole("dialog");
  const counted = async () =>
    (await admin.ask("{ stockAdjustments { nodes { quantity } } }")).stockAdjustments.nodes.map(({ quantity }: any) => quantity);

  beforeAll(async () => {
    admin = await gateway.newTenant();
    const { createPart } = await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { name: "Grease", partNumber: "GR-1", site: "North", stockLevel: 15.4, unitCost: 1234.5, currency: "EUR" },
    });
    part = createPart.id;
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    page = open.page;
    await page.addInitScript(() => localStorage.setItem("console:language", "de"));
    await page.goto(`${gateway.url}/console/`);
    await page.getByLabel("Schlüssel", { exact: true }).fill(admin.key);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("button", { name: "Abmelden" }).first().waitFor();
  });
  afterAll(async () => {
    expect(open?.problems).toEqual([]);
    await browser?.close();
  });

  it("reads a typed decimal comma, and refuses a text with two meanings", async () => {
    await open.go(`/stock/${part}`, "Grease");
    await page.getByRole("button", { name: "Zählung" }).click();
    const field = dialog().getByLabel("Gezählte Menge");
    const isSaved = () => dialog().getByRole("button", { name: "Speichern" }).isEnabled();
    await field.pressSequentially("1.000");
    await dialog().getByText("1.000 kann 1 oder 1000 bedeuten; schreiben Sie 1000 oder 1").waitFor();
    expect([await field.getAttribute("aria-invalid"), await isSaved()]).toEqual(["true", false]);
    expect(await seriousFindings(page)).toEqual([]);
    await field.fill("viele");
    await dialog().getByText("Keine Zahl").waitFor();
    expect(await isSaved()).toBe(false);
    await field.fill("-1");
    await dialog().getByText("Mindestens 0").waitFor();
    await field.press("Enter");
    await field.fill("1.234,5");
    await dialog().getByText("+1.219,1").waitFor();
    await field.fill("");
    await field.pressSequentially("15,7");
    await dialog().getByText("+0,3").waitFor();
    await dialog().getByRole("button", { name: "Speichern" }).click();
    await expect.poll(counted).toEqual([0.3]);
    await dialog().waitFor({ state: "hidden" });
  });

  it("shows stored values with the decimal sign of the language, without thousands", async () => {
    await page.getByRole("button", { name: "Bearbeiten", exact: true }).first().click();
    const cost = dialog().getByLabel("Stückpreis");
    expect(await cost.inputValue()).toBe("1234,5");
    await cost.fill("1.234,75");
    await dialog().getByRole("button", { name: "Speichern" }).click();
    const stored = async () => (await admin.ask("query ($id: ID!) { part(id: $id) { unitCost } }", { id: part })).part.unitCost;
    await expect.poll(stored).toBe(1234.75);
  });
});
