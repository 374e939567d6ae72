/** Long lists of the console: only the rows near the visible part of the page are in the document. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, seriousFindings } from "./console.js";

if (hasBrowser) build();
const gateway = await startGateway();
const size = 600;

describe.runIf(hasBrowser)(`long lists of the console in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let open: ConsolePage;
  const inList = () => open.page.locator(".asset-row").count();
  /** The places of the rows in the document, from 1. */
  const places = () => open.page.locator(".asset-row").evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("aria-posinset"))));

  beforeAll(async () => {
    admin = await gateway.newTenant();
    const rows = Array.from({ length: size }, (_, n) => `Tank ${String(n + 1).padStart(3, "0")},tank,North`);
    await admin.rest("POST", "/import/assets", `name,type,site\n${rows.join("\n")}\n`, { "content-type": "text/csv" });
    browser = await launchBrowser();
    open = await ConsolePage.open(browser, gateway);
    await open.signIn(admin.key, "/plant");
    await open.page.getByText("600 assets").waitFor();
  });
  afterAll(() => browser?.close());

  it("keeps a short list complete, and of a long one the rows near the visible part", async () => {
    expect(await inList()).toBe(50);
    expect(await open.page.locator(".asset-row[aria-posinset]").count()).toBe(0);
    const { page } = open;
    await expect
      .poll(
        async () => {
          await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
          return (await places()).at(-1);
        },
        { timeout: 60_000 },
      )
      .toBe(size);
    await page.getByRole("link", { name: "Tank 600", exact: true }).waitFor();
    expect(await inList()).toBeLessThan(60);
    expect(await page.locator(`.asset-row[aria-setsize="${size}"]`).count()).toBe(await inList());
    const found = await places();
    expect(found).toEqual(Array.from({ length: found.length }, (_, n) => size - found.length + 1 + n));
  });

  it("shows the rows of every position without a gap, in the place of their number", async () => {
    const { page } = open;
    for (const share of [0.5, 0.1, 0.9, 0]) {
      await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), share);
      // The rows in the document cover the window.
      await expect
        .poll(() =>
          page.locator(".asset-row").evaluateAll((rows) => {
            const [first, last] = [rows[0]!.getBoundingClientRect(), rows.at(-1)!.getBoundingClientRect()];
            const list = rows[0]!.parentElement!.getBoundingClientRect();
            return first.top <= Math.max(0, list.top + 1) && last.bottom >= Math.min(innerHeight, list.bottom - 1);
          }),
        )
        .toBe(true);
      const texts = await page.locator(".asset-row .title").allTextContents();
      expect(texts).toEqual((await places()).map((place) => `Tank ${String(place).padStart(3, "0")}`));
    }
    expect((await places())[0]).toBe(1);
  });

  it("moves on with the keyboard, and keeps the focused row", async () => {
    const { page } = open;
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.evaluate(() => scrollTo(0, 0));
    await expect.poll(async () => (await places())[0]).toBe(1);
    await page.getByRole("link", { name: "Tank 001", exact: true }).focus();
    // The page changes while the focus moves, as when a slow device shows further rows.
    await page.evaluate(() => addEventListener("focusout", () => document.body.append(document.createElement("i"))));
    for (let n = 2; n <= 60; n++) {
      await page.keyboard.press("Tab");
      await expect.poll(focused).toBe(`Tank ${String(n).padStart(3, "0")}`);
    }
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await expect.poll(async () => (await places()).at(-1)).toBe(size);
    expect(await focused()).toBe("Tank 060");
    await page.keyboard.press("Tab");
    await expect.poll(focused).not.toBe("Tank 060");
    expect(await seriousFindings(page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});
