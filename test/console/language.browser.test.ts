/** Languages of the console: chosen by the browser's languages or the user, with dates, numbers, enum values and rejected fields to match. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { supplied } from "../inventory/supply/purchases.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings, widthOf } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** Texts by hand, apart from the catalogues. */
const expected = {
  "de-AT": { key: "Schlüssel", stay: "Auf diesem Gerät angemeldet bleiben", signIn: "Anmelden", work: "Aufträge", due: "5. Apr. 2031" },
  "fr-FR": { key: "Clé", stay: "Rester connecté sur cet appareil", signIn: "Se connecter", work: "Travaux", due: "5 avr. 2031" },
  "nl-NL": { key: "Sleutel", stay: "Aangemeld blijven op dit apparaat", signIn: "Aanmelden", work: "Werk", due: "5 apr 2031" },
  "es-ES": {
    key: "Clave",
    stay: "Mantener la sesión iniciada en este dispositivo",
    signIn: "Iniciar sesión",
    work: "Trabajo",
    due: "5 abr 2031",
  },
} as const;

describe.runIf(hasBrowser)(`languages in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let order: string;

  beforeAll(async () => {
    admin = await gateway.newTenant();
    browser = await launchBrowser();
    const asset = (await admin.createAsset({ name: "Blend Pump", site: "North", criticality: "CRITICAL" })).id;
    const input = { assetId: asset, title: "Bearing", priority: "HIGH", scheduledDate: "2031-04-05T12:00:00Z" };
    order = (await admin.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", { input }))
      .createWorkOrder.id;
  });
  afterAll(() => browser?.close());

  const open = async (locale: keyof typeof expected, isPhone = false) => {
    const viewport = isPhone ? { width: 320, height: 700 } : { width: 1366, height: 860 };
    const opened = await ConsolePage.open(browser, gateway, { locale, viewport });
    const { key, stay, signIn } = expected[locale];
    await opened.page.goto(`${gateway.url}/console/work`);
    await opened.page.getByLabel(stay).setChecked(true);
    await opened.page.getByLabel(key, { exact: true }).fill(admin.key);
    await opened.page.getByRole("button", { name: signIn }).click();
    return opened;
  };

  it.each(Object.keys(expected) as (keyof typeof expected)[])("%s by the browser's languages, on a desktop and a phone", async (locale) => {
    const { work, due } = expected[locale];
    for (const isPhone of [false, true]) {
      const opened = await open(locale, isPhone);
      const { page } = opened;
      await page.getByRole("heading", { level: 1, name: work, exact: true }).waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe(locale);
      await opened.go(`/work/${order}`, "Bearing");
      await page.getByText(due).first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      for (const path of ["/plant", "/calendar", "/alerts", "/stock", "/reports", "/admin"]) {
        await opened.go(path);
        expect(await widthOf(page), path).toBeLessThanOrEqual(isPhone ? 320 : 1366);
      }
      expect(opened.problems).toEqual([]);
      await opened.close();
    }
  });

  it("by the user's choice, which stays after a reload; English has no catalogue of another language", async () => {
    const opened = await open("de-AT");
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: "Aufträge" }).waitFor();
    await page.getByLabel("Sprache").first().selectOption({ label: "English" });
    await page.getByRole("heading", { level: 1, name: "Work", exact: true }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Work", exact: true }).waitFor();
    await page.getByLabel("Language").first().selectOption({ label: "Nederlands" });
    await page.getByRole("heading", { level: 1, name: "Werk", exact: true }).waitFor();
    await opened.close();
  });

  it("falls back to English for other languages", async () => {
    const opened = await ConsolePage.open(browser, gateway, { locale: "pl-PL" });
    await opened.signIn(admin.key, "/work");
    await opened.page.getByRole("heading", { level: 1, name: "Work", exact: true }).waitFor();
    await opened.close();
  });

  it("says in the user's language what is wrong with a field", async () => {
    const opened = await open("de-AT");
    const { page } = opened;
    await opened.go("/stock", "Lager");
    await page.getByRole("button", { name: "Neues Ersatzteil" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Teilenummer").first().fill("P-1");
    await dialog.getByLabel("Name", { exact: true }).fill("Dichtung");
    await dialog.getByLabel("Mindestbestand").first().fill("-1");
    await dialog.getByRole("button", { name: "Anlegen" }).click();
    await dialog.getByText("mindestens 0").waitFor();
    await opened.close();
  });

  it("says in the user's language which quantities a supplier sells", async () => {
    const { supplierId, partId } = await supplied(admin);
    await admin.ask("mutation ($input: SetSupplierPartInput!) { setSupplierPart(input: $input) { id } }", {
      input: { supplierId, partId, packSize: 2.5, minimumQuantity: 5 },
    });
    const opened = await open("de-AT");
    const { page } = opened;
    await opened.go(`/purchases/new?part=${partId}`, "Neue Bestellung");
    for (const [quantity, wrong] of [
      ["2,5", "mindestens 5"],
      ["6", "ein Vielfaches von 2,5"],
    ] as const) {
      await page.getByLabel("Menge").fill(quantity);
      await page.getByRole("button", { name: "Entwurf speichern" }).click();
      await page.getByRole("alert").filter({ hasText: wrong }).waitFor();
    }
    expect((await admin.ask("{ purchaseOrders { nodes { id } } }")).purchaseOrders.nodes).toEqual([]);
    await opened.close();
  });

  it("says in the user's language why the service refuses a change", async () => {
    const input = { name: "Fett", partNumber: "GR-1", site: "North", stockLevel: 2 };
    const { id } = (await admin.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", { input })).createPart;
    const opened = await open("de-AT");
    const { page } = opened;
    await opened.go("/stock", "Lager");
    await page.getByRole("button", { name: "Neues Ersatzteil" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Teilenummer").first().fill("GR-1");
    await dialog.getByLabel("Name", { exact: true }).fill("Fett");
    await dialog.getByRole("button", { name: "Anlegen" }).click();
    await page.getByText("„GR-1“ wird bereits verwendet.").waitFor();
    await dialog.getByText("wird bereits verwendet", { exact: true }).waitFor();

    await opened.go(`/stock/${id}`, "Fett");
    await page.getByRole("button", { name: "Entnahme" }).click();
    await dialog.getByLabel("Entnommene Menge").fill("3,5");
    await dialog.getByRole("button", { name: "Speichern" }).click();
    await dialog.getByText("Zu wenig: 3,5 angefordert, 2 verfügbar.").waitFor();
    expect((await admin.ask("query ($id: ID!) { part(id: $id) { stockLevel } }", { id })).part.stockLevel).toBe(2);
    await opened.close();
  });
});
