/** Every page of the console, with data: accessible on a desktop and a phone, in light and dark, at 400 % zoom, and in every language. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, findings, widthOf } from "./console.js";
import { addressesOf, cutTexts, fullPlant, routes } from "./routes.js";

if (hasBrowser) build();
const gateway = await startGateway();

/** The labels of the sign-in form. */
const languages = {
  de: ["Schlüssel", "Anmelden"],
  fr: ["Clé", "Se connecter"],
  nl: ["Sleutel", "Aanmelden"],
  es: ["Clave", "Iniciar sesión"],
} as const;

describe.runIf(hasBrowser)(`every page in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let addresses: Record<string, string[]>;
  let all: string[];

  const open = async (width: number, locale: keyof typeof languages | "en" = "en") => {
    const opened = await ConsolePage.open(browser, gateway, { locale, viewport: { width, height: 860 } });
    const { page } = opened;
    const [key, signIn] = locale === "en" ? ["Key", "Sign in"] : languages[locale];
    await page.goto(`${gateway.url}/console/report`);
    await page.getByLabel(key, { exact: true }).fill(admin.key);
    await page.getByRole("button", { name: signIn }).click();
    await page.locator(".app h1").waitFor();
    return opened;
  };

  /** Texts that do not fit, on all pages. */
  const tooLong = async (widths: number[], locale: keyof typeof languages | "en"): Promise<string[]> => {
    const opened = await open(widths[0]!, locale);
    const faults: string[] = [];
    for (const path of all) {
      await opened.go(path);
      for (const width of widths) {
        if (widths.length > 1) await opened.resize(width);
        const page = await widthOf(opened.page);
        faults.push(
          ...[...(page > width ? [`${page} px wide`] : []), ...(await cutTexts(opened.page))].map((one) => `${path} ${width} ${one}`),
        );
      }
    }
    await opened.close();
    return faults;
  };

  beforeAll(async () => {
    admin = await gateway.newTenant();
    addresses = addressesOf(await fullPlant(admin));
    all = Object.values(addresses).flat();
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it("has addresses of every route", () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(Object.keys(addresses).sort()).toEqual([...routes].sort());
  });

  it("asks once who is signed in, while the app still loads, and shows no form meanwhile", async () => {
    const opened = await ConsolePage.open(browser, gateway);
    const { page } = opened;
    await opened.signIn(admin.key, "/work");
    await page.getByRole("heading", { level: 1, name: "Work" }).waitFor();
    const isSession = (text: string | null) => !!text?.includes('"operationName":"Session"');
    let asked = 0;
    page.on("request", (request) => void (isSession(request.postData()) && asked++));
    let isApp = false;
    await page.route(/assets\/app-/, async (route) => {
      await page.waitForResponse((response) => isSession(response.request().postData()));
      isApp = true;
      await route.continue();
    });
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.querySelector("form.card")) (window as any).hadForm = true;
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Work" }).waitFor();
    await opened.isQuiet();
    expect([isApp, asked, await page.evaluate(() => "hadForm" in window)]).toEqual([true, 1, false]);
    await opened.close();
  });

  it.each([1366, 390])("satisfies axe at a width of %d, in light and dark", async (width) => {
    const opened = await open(width);
    const faults: string[] = [];
    for (const path of all) {
      await opened.go(path);
      await opened.page.emulateMedia({ colorScheme: "light" });
      faults.push(...(await findings(opened.page)).map((one) => `${path} ${one}`));
      expect(await widthOf(opened.page), path).toBe(width);
      // Dark mode differs only in colors. They do not depend on the width, but a phone has a bar of its own.
      if (width === 390 && path !== all[0]) continue;
      await opened.page.emulateMedia({ colorScheme: "dark" });
      faults.push(...(await findings(opened.page, ["color-contrast"])).map((one) => `${path} dark ${one}`));
    }
    expect(faults).toEqual([]);
    expect(opened.problems).toEqual([]);
    await opened.close();
  });

  it("does not scroll sideways or cut texts off at 400 % zoom", async () => {
    expect(await tooLong([320], "en")).toEqual([]);
  });

  it.each(Object.keys(languages) as (keyof typeof languages)[])("fits the texts of %s", async (locale) => {
    expect(await tooLong([1366, 390], locale)).toEqual([]);
  });
});
