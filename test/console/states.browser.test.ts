/** Every page of the console without data, with a refusal, while loading and without a connection, and every dialog: accessible, nothing cut off. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/stale.mjs";
import { build } from "../generate.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "../server/browser.js";
import { type Caller, startGateway } from "../world.js";
import { ConsolePage, findings, widthOf } from "./console.js";
import { addressesOf, cutTexts, fullPlant } from "./routes.js";

if (hasBrowser) build();
const gateway = await startGateway();

const refusal = { data: null, errors: [{ message: "Forbidden", extensions: { code: "FORBIDDEN", message: "Not on Sundays" } }] };
const sent = (route: Route): string => route.request().postData() ?? "";
const isMutation = (route: Route): boolean => sent(route).includes('"query":"mutation');

/** Titles of dialogs without inserted values, in the sources. */
const sources = join(root, "console/src");
const titles = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".tsx"))
  .flatMap((file) => [...readFileSync(join(sources, file), "utf8").matchAll(/<(?:Dialog|Confirm)\s+title=\{t`([^`$]+)`\}/g)])
  .map(([, title]) => title!);

describe.runIf(hasBrowser)(`states of every page in ${CHROMIUM}`, () => {
  let admin: Caller;
  let browser: Browser;
  let all: string[];

  beforeAll(async () => {
    admin = await gateway.newTenant();
    all = Object.values(addressesOf(await fullPlant(admin))).flat();
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const open = async (caller = admin, isKept = false): Promise<ConsolePage> => {
    const opened = await ConsolePage.open(browser, gateway, { viewport: { width: 390, height: 844 } });
    await opened.signIn(caller.key, "/report", isKept);
    await opened.page.locator(".app h1").waitFor();
    await opened.isQuiet();
    return opened;
  };
  /** Elements, classes and attribute names of the pages whose accessibility was checked. Pages often share a refusal or a skeleton. */
  const known = new Set<string>();
  /** Collects the faults of all pages, so that one run reports all. */
  const faultsOf = async ({ page }: ConsolePage, path: string): Promise<string[]> => {
    const width = await widthOf(page);
    const structure = await page.evaluate(() =>
      document.body.innerHTML.replace(/(?<! class)="[^"]*"/g, "").replace(/>([^<]*)</g, (_, text) => (text.trim() ? ">text<" : "><")),
    );
    const isKnown = known.has(structure);
    known.add(structure);
    const found = [...(isKnown ? [] : await findings(page)), ...(await cutTexts(page)), ...(width > 390 ? [`${width} px wide`] : [])];
    return found.map((one) => `${path} ${one}`);
  };

  it("without data", async () => {
    const opened = await open(await gateway.newTenant());
    const faults: string[] = [];
    for (const path of all) {
      if (/[0-9a-f-]{30}/.test(path)) continue;
      await opened.go(path);
      faults.push(...(await faultsOf(opened, path)));
    }
    expect(faults).toEqual([]);
    expect(opened.problems).toEqual([]);
    await opened.close();
  });

  it("with an unknown record, and an unknown page", async () => {
    const opened = await open();
    const faults: string[] = [];
    for (const path of [
      "/nowhere",
      ...all.filter((one) => /[0-9a-f-]{30}/.test(one)).map((one) => one.replace(/[0-9a-f-]{30,}/, "unknown")),
    ]) {
      await opened.go(path);
      faults.push(...(await faultsOf(opened, path)));
    }
    expect(faults).toEqual([]);
    await opened.close();
  });

  it.each(["refused", "loading", "offline"] as const)("%s", async (state) => {
    const opened = await open();
    const { page } = opened;
    // Pages load after the first one.
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForLoadState("networkidle");
    const held: Route[] = [];
    if (state === "offline") await page.context().setOffline(true);
    else await page.route("**/graphql", (route) => (state === "loading" ? void held.push(route) : route.fulfill({ json: refusal })));
    const faults: string[] = [];
    for (const path of all) {
      await page.evaluate((to) => {
        history.pushState({}, "", `/console${to}`);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
      if (state === "loading") await page.locator(".bone, [aria-busy=true], .app h1").first().waitFor();
      else await page.locator(".app :is(h1, .state):visible").first().waitFor();
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
      faults.push(...(await faultsOf(opened, path)));
    }
    expect(faults).toEqual([]);
    await opened.close();
  });

  it("every dialog", async () => {
    const opened = await open();
    const { page } = opened;
    // No press changes the plant, so that the next page still has all its buttons.
    await page.route("**/graphql", (route) => (isMutation(route) ? route.fulfill({ json: refusal }) : route.fallback()));
    const seen = new Set<string>();
    const pressed = new Set<string>();
    const faults: string[] = [];
    const check = async (path: string) => {
      const title = (await page.locator("dialog[open] h2").first().textContent()) ?? "";
      if (seen.has(title)) return;
      seen.add(title);
      await opened.isQuiet();
      faults.push(...(await faultsOf(opened, `${path} "${title}"`)));
    };
    // A dialog whose code loads late appears only when the next button is pressed.
    await page.addLocatorHandler(page.locator("dialog[open]"), async () => {
      await check(opened.address);
      await page.keyboard.press("Escape");
    });
    for (const path of all) {
      await opened.go(path);
      const buttons = page.locator("main button:visible:enabled, .rail button:visible:enabled");
      for (let at = 0; at < (await buttons.count()); at++) {
        const name = (await buttons.nth(at).innerText()).trim() || (await buttons.nth(at).getAttribute("aria-label")) || "";
        const kind = `${path.replace(/[0-9a-f-]{30,}/, "").replace(/\?.*/, "")} ${name.replace(/\d+/g, "")}`;
        if (pressed.has(kind) || /^(Sign out|Light|Dark|Automatic)/.test(name)) continue;
        pressed.add(kind);
        const before = opened.address;
        await buttons.nth(at).click();
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200))));
        if (await page.locator("dialog[open]").count()) await check(path);
        for (let tries = 0; tries < 3 && (await page.locator("dialog[open]").count()); tries++) await page.keyboard.press("Escape");
        if (opened.address !== before || (await page.locator("dialog[open]").count())) await opened.go(path);
      }
    }
    await page.removeLocatorHandler(page.locator("dialog[open]"));
    // Dialogs behind the choice of a file, an unfinished form, and a change that waits for a connection.
    const asset = all.find((path) => path.startsWith("/asset/"))!;
    await opened.go(asset);
    const chosen = { name: "manual.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") };
    await page.getByLabel("Add document").first().setInputFiles(chosen);
    await page.locator("dialog[open]").waitFor();
    await check("document");
    await page.keyboard.press("Escape");
    await page.unroute("**/graphql");
    await opened.go(asset.replace("/asset/", "/report?asset="));
    await page.getByLabel("What is wrong?").fill("It drips");
    await page.locator("nav.rail a").first().click();
    await page.getByRole("dialog", { name: "Discard the changes?" }).waitFor();
    await check("discard");
    await page.keyboard.press("Escape");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Report the fault" }).click();
    await page.getByText("1 change is waiting to be sent").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog", { name: "Sign out?" }).waitFor();
    await check("sign-out");
    expect(faults).toEqual([]);
    expect(titles.filter((title) => !seen.has(title)).sort()).toEqual([]);
    await opened.close();
  });
});
