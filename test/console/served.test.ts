/** Serving of the console: at / to browsers only, under a strict policy, compressed, and not at all if disabled. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/stale.mjs";
import { build } from "../generate.js";
import { type Gateway, startGateway } from "../world.js";

let gateway: Gateway;
let off: Gateway;
beforeAll(async () => {
  // Builds before the gateway starts, because the gateway looks for the built files only once.
  build();
  gateway = await startGateway();
  off = await startGateway({ CONSOLE: "off" });
});

const get = (path: string, headers: Record<string, string> = {}, from = gateway) => fetch(from.url + path, { headers, redirect: "manual" });
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const assets = join(root, "dist/console/assets");

it("redirects browsers, and no other clients, from / to the console", async () => {
  const led = await get("/", browser);
  expect([led.status, led.headers.get("location"), led.headers.get("vary")]).toEqual([302, "/console/", "accept"]);
  expect((await get("/?from=mail", browser)).status).toBe(302);
  const asked = await fetch(gateway.url, { method: "HEAD", headers: browser, redirect: "manual" });
  expect([asked.status, asked.headers.get("location")]).toEqual([302, "/console/"]);
  for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }]) {
    const response = await get("/", headers as Record<string, string>);
    expect([response.status, ((await response.json()) as any).code]).toEqual([404, "NOT_FOUND"]);
  }
  // Documented paths are unchanged, for browsers too.
  expect((await get("/assets", browser)).status).toBe(401);
});

it("serves the page at every page URL, under a policy without inline scripts and other origins", async () => {
  for (const path of ["/console/", "/console/asset/1", "/console/work?who=x"]) {
    const response = await get(path, browser);
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toMatch(/<script type="module"[^>]* src="\/console\/assets\/index-[\w-]+\.js">/);
    expect(html).not.toMatch(/<script(?![^>]* src=)|style=|https?:/);
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
    expect(response.headers.get("cache-control")).toBe("no-cache");
  }
});

it("serves its files compressed and cacheable forever, and reports missing files", async () => {
  const name = readdirSync(assets).find((file) => /^index-.*\.js$/.test(file))!;
  const response = await get(`/console/assets/${name}`, { "accept-encoding": "gzip" });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(await response.text()).toBe(readFileSync(join(assets, name), "utf8"));
  expect(gunzipSync(readFileSync(join(assets, `${name}.gz`))).toString()).toBe(readFileSync(join(assets, name), "utf8"));
  expect((await get("/console/assets/none.js")).status).toBe(404);
});

it("offers no key without a demo plant, and nothing to pages of other origins", async () => {
  const response = await get("/console/settings.json", { origin: "https://elsewhere.example" });
  expect(await response.json()).toEqual({ demoKey: null, provider: null, session: null });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(response.headers.get("cache-control")).toBe("no-store");
});

/** A file and those that it imports before it runs. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of readFileSync(join(assets, file), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    withImports(name!, found);
  return found;
}
/** File of the app, a page or a language. Files of the same name may exist, but only the app exports `start`, and only a page a component `…Page`. */
const chunk = (name: string) => {
  const named = readdirSync(assets).filter((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file));
  return named.find((file) => named.length === 1 || /as (?:\w+Page|start)\b/.test(readFileSync(join(assets, file), "utf8")))!;
};

it("loads at most 120 KB compressed with each page, and the charts only with pages that draw them", () => {
  const first = withImports(chunk("app"));
  const pages = ["admin", "alerts", "asset", "calendar", "count", "home", "labels", "new-order", "order", "part", "plant", "printed-order"];
  pages.push("procedure", "procedures", "purchase", "purchases", "report", "reports", "stock", "template", "templates", "work");
  pages.push("approval", "edit-purchase", "new-purchase", "printed-purchase", "supplier", "suppliers");
  pages.push("invoices", "invoice", "new-invoice", "edit-invoice");
  const ofPage = (name: string) => [...withImports(chunk(name))].filter((file) => !first.has(file));
  const size = (files: string[]) => files.reduce((sum, file) => sum + readFileSync(join(assets, `${file}.gz`)).length, 0);
  for (const name of pages) expect(size(ofPage(name)), name).toBeLessThanOrEqual(120 * 1024);
  const hasCharts = (file: string) => readFileSync(join(assets, file), "utf8").includes("visx-axis");
  expect([[...first].some(hasCharts), ofPage("reports").some(hasCharts)]).toEqual([false, true]);
});

it("preloads the app's files with the page, so that the phone does not wait for one after the other", async () => {
  const html = await (await get("/console/", browser)).text();
  const linked = new Set([...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, file]) => file));
  expect([...withImports(chunk("app"))].filter((file) => !linked.has(file))).toEqual([]);
});

it("is not served when disabled", async () => {
  for (const path of ["/", "/console", "/console/", "/console/settings.json", "/console/assets/index.js"])
    expect((await get(path, browser, off)).status, path).toBe(404);
});

it("preloads the settings, and the files of the address and of the browser's language", async () => {
  const preloads = async (path: string, language = "en-GB,en;q=0.9") => {
    const response = await get(path, { ...browser, "accept-language": language });
    expect(response.headers.get("vary")).toContain("accept-language");
    return [...(await response.text()).matchAll(/<link rel="(?:module)?preload"[^>]* href="\/console\/(?:assets\/)?([^"]+)">/g)].map(
      ([, file]) => file!,
    );
  };
  const app = new Set([...withImports(chunk("app")), chunk("start")]);
  const common = new Set(["settings.json", ...app]);
  const ofPage = (name: string) => [...withImports(chunk(name))].filter((file) => !app.has(file)).sort();
  const own = async (path: string, language?: string) => (await preloads(path, language)).filter((file) => !common.has(file)).sort();

  expect((await preloads("/console/")).filter((file) => common.has(file)).sort()).toEqual([...common].sort());
  expect(await own("/console/")).toEqual([chunk("en"), ...ofPage("home")].sort());
  expect(await own("/console/work?who=all", "de-AT,de;q=0.9,en;q=0.5")).toEqual([chunk("de"), ...ofPage("work")].sort());
  expect(await own("/console/work/7", "ja,fr;q=0.5")).toEqual([chunk("fr"), ...ofPage("order")].sort());
  // Fixed names come before ids.
  expect(await own("/console/work/new")).toEqual([chunk("en"), ...ofPage("new-order")].sort());
  expect(await own("/console/nowhere", "ja")).toEqual([chunk("en")]);
  for (const file of await preloads("/console/reports")) expect((await get(`/console/${file}`)).status, file).not.toBe(404);
});
