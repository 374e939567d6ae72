// Draws docs/console-*.png: pages of the console in Chromium (CHROMIUM) on the demo plant, in an embedded database of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { startDemo } from "./demo-service.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "console-"));
const { PATH, HOME, PORT = "0", CHROMIUM = "/usr/bin/chromium" } = process.env;
const env = { PATH, HOME, PORT, DATA_DIR: folder, LOG_LEVEL: "fatal", SCHEDULER_SECONDS: "1" };

async function ask({ url, key }, query) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Returns ids of the records shown, once all due work has its work order. */
async function findRecords(service) {
  while ((await ask(service, "{ schedulerStatus { isBehind } }")).schedulerStatus.isBehind) await sleep(500);
  const query = `{
    assets(first: 1, filter: { nameContains: "Syrup Transfer Pump P-101" }) { nodes { id } }
    partByNumber(by: { partNumber: "GRS-LGHP-2" }) { id }
    workOrders(first: 1, filter: { status: [IN_PROGRESS] }) { nodes { id } }
  }`;
  const data = await ask(service, query);
  return { asset: data.assets.nodes[0].id, part: data.partByNumber.id, order: data.workOrders.nodes[0].id };
}

async function signIn(browser, { url, key }, options) {
  const page = await (await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Amsterdam", ...options })).newPage();
  await page.goto(`${url}/console/`);
  // The only field for a key, in any language.
  const field = page.locator("input[name=key]");
  await field.fill(key);
  await field.press("Enter");
  await page.locator(".app h1").waitFor();
  return page;
}

/** Opens a page like a link, because a reload forgets the key, and returns its picture. */
async function draw(page, path) {
  await page.evaluate((to) => {
    history.pushState({}, "", `/console${to}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await page.waitForTimeout(500);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .bone"), undefined, { timeout: 120_000 });
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(1000);
  return page.screenshot();
}

const gap = 22;
/** Pictures side by side. */
function beside(pictures, { width, height }) {
  const create = { width: pictures.length * (width + gap) - gap, height, channels: 3, background: "white" };
  return sharp({ create })
    .composite(pictures.map((input, i) => ({ input, left: i * (width + gap), top: 0 })))
    .png()
    .toBuffer();
}

const now = new Date();
const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 7);

const save = (name, picture) =>
  sharp(picture)
    .png({ palette: true, quality: 80, compressionLevel: 9 })
    .toFile(join(root, `docs/console-${name}.png`));

let service;
let browser;
try {
  service = await startDemo(env);
  const { asset, part, order } = await findRecords(service);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const viewport = { width: 1280, height: 800 };
  const light = await signIn(browser, service, { viewport });
  await save("plant", await draw(light, "/plant?site=Rotterdam%20Bottling"));
  await save("asset", await draw(light, `/asset/${asset}`));
  await save("calendar", await draw(light, `/calendar?month=${nextMonth}`));
  const dark = await signIn(browser, service, { viewport, colorScheme: "dark" });
  await save("reports", await draw(dark, "/reports"));
  await save("stock", await draw(dark, `/stock/${part}`));

  const size = { width: 390, height: 844 };
  const handheld = { viewport: size, isMobile: true, hasTouch: true };
  const phone = await signIn(browser, service, handheld);
  const pictures = [];
  for (const path of ["/work", `/work/${order}`, "/alerts", "/stock"]) pictures.push(await draw(phone, path));
  await save("phone", await beside(pictures, size));

  const translated = [];
  for (const locale of ["en-GB", "de-DE", "fr-FR", "nl-NL", "es-ES"]) {
    const page = await signIn(browser, service, { ...handheld, locale });
    translated.push(await draw(page, `/work/${order}`));
    await page.context().close();
  }
  await save("languages", await beside(translated, size));
} finally {
  await browser?.close();
  const ended = service && new Promise((resolve) => service.child.once("exit", resolve));
  service?.child.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
