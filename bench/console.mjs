// The console on a slow phone, in Chromium (CHROMIUM): when a page is painted, and how fluent long lists scroll.
// Times are medians of ROUNDS (3). An argument selects a part: `paint` or `lists`.
// CPU (4) is how many times slower the processor is. LISTS (all) selects lists by their addresses, separated by spaces.

import { writeFile } from "node:fs/promises";
import pg from "pg";
import { chromium } from "playwright-core";
import { phone, signedIn } from "./console-page.mjs";
import { loadTenant } from "./data.mjs";
import { newKey, onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";

const { CHROMIUM = "/usr/bin/chromium", ROUNDS = "3", BASE, CPU = "4", LISTS, PROFILE } = process.env;
/** "Slow 4G" of Lighthouse. */
const network = { offline: false, latency: 150, downloadThroughput: (1638 * 1024) / 8, uploadThroughput: (675 * 1024) / 8 };
const rows = 5_000;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function throttle(page, isNetwork) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  if (isNetwork) await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate: Number(CPU) });
  return session;
}

const isQuiet = (page) =>
  page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("[aria-busy=true], .bone"), undefined, {
    timeout: 60_000,
  });

/** Time and element of the largest paint, and the ends of the requests before it. */
async function paintOf(page, url, selector) {
  await page.addInitScript((selector) => {
    new PerformanceObserver((list) => {
      const { startTime, element } = list.getEntries().at(-1);
      window.largest = { startTime, text: (element?.textContent ?? "").trim().slice(0, 40) };
    }).observe({ type: "largest-contentful-paint", buffered: true });
    const look = () => {
      if (document.querySelector(selector) && !document.querySelector("[aria-busy=true], .bone")) window.complete = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, selector);
  await page.goto(url);
  await page.waitForFunction(() => window.complete);
  await page.waitForTimeout(1500);
  return page.evaluate(() => ({
    ...window.largest,
    complete: window.complete,
    requests: performance
      .getEntriesByType("resource")
      .filter(({ startTime }) => startTime < window.complete)
      .map(({ name, startTime, responseEnd, transferSize }) => [
        new URL(name).pathname.replace("/console/assets/", ""),
        Math.round(startTime),
        Math.round(responseEnd),
        transferSize,
      ]),
  }));
}

/**
 * `first` has an empty cache and the session's cookie. Its service worker is blocked, because Chromium does not slow its downloads down.
 * `again` has the files and data of an earlier visit.
 */
async function measurePaint(browser) {
  const database = `console_bench_${process.pid}`;
  await onServer(`create database ${database}`);
  const gateway = await spawnGateway(urlOf(database), {}, { script: "start", preload: null, ...(BASE && { root: BASE }) });
  try {
    const { demoKey } = await (await fetch(`${gateway.address}/console/settings.json`)).json();
    const own = await signedIn(browser, gateway.address, demoKey);
    const storageState = await own.context.storageState();
    // The pages and the service worker's files.
    await own.page.waitForTimeout(15_000);
    const kept = await own.context.newPage();
    await throttle(kept, true);
    for (const [name, path] of Object.entries({ "sign-in": "/", home: "/", work: "/work", reports: "/reports", alerts: "/alerts" })) {
      const url = `${gateway.address}/console${path}`;
      const selector = name === "sign-in" ? "h1" : ".app h1";
      const first = [];
      const again = [];
      for (let round = 0; round < Number(ROUNDS); round++) {
        const context = await browser.newContext({
          ...phone,
          serviceWorkers: "block",
          ...(name !== "sign-in" && { storageState }),
        });
        const page = await context.newPage();
        await throttle(page, true);
        first.push(await paintOf(page, url, selector));
        await context.close();
        if (name === "sign-in") continue;
        await kept.goto(url);
        await isQuiet(kept);
        again.push(await paintOf(kept, url, selector));
      }
      const of = (paints, key) => (paints.length ? Math.round(median(paints.map((one) => one[key]))) : "-");
      const times = (paints) => `LCP ${of(paints, "startTime")} ms, complete ${of(paints, "complete")} ms`;
      console.log(`${name}: first ${times(first)}; again ${times(again)} ("${first[0].text}")`);
      if (process.env.REQUESTS) for (const one of first[0].requests) console.log("   ", one.join(" "));
    }
  } finally {
    await gateway.stop();
    await onServer(`drop database if exists ${database} with (force)`);
  }
}

const orders = `
  insert into "WorkOrder" ("tenantId", id, "assetId", origin, title, status, priority, "scheduledDate", type, "createdBy", "createdAt")
  select $1, 'w' || lpad(n::text, 6, '0'), 'a' || lpad(n::text, 6, '0'), 'manual', 'Inspect the drive of asset ' || n, 'scheduled',
    (array['low', 'medium', 'high'])[1 + n % 3], now() + (n % 60 - 30) * interval '1 day', 'corrective', 'bench', now() - n * interval '1 minute'
  from generate_series(1, $2::int) n`;

/** Scrolls to the end, as with a finger, until nothing more appears. Returns the frames and the size of the page. */
async function scroll(page) {
  return page.evaluate(async () => {
    const frames = [];
    const tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    let last = performance.now();
    let quietFrames = 0;
    let nodes = 0;
    const at = (share) => Math.round([...frames].sort((a, b) => a - b)[Math.floor((frames.length - 1) * share)]);
    let isRunning = true;
    const began = last;
    while (isRunning) {
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      frames.push(now - last);
      last = now;
      const root = document.scrollingElement;
      const before = root.scrollTop;
      root.scrollTop += 900;
      const more = [...document.querySelectorAll("main .state button")].find(
        (one) => /^(Show|Load) .*more/i.test(one.textContent) && !one.disabled,
      );
      if (root.scrollTop === before) {
        more?.click();
        quietFrames++;
      } else quietFrames = 0;
      if (frames.length % 30 === 0) nodes = Math.max(nodes, document.querySelectorAll("*").length);
      isRunning = quietFrames < 240 && now - began < 180_000;
    }
    return {
      seconds: ((last - began) / 1000).toFixed(1),
      frames: frames.length,
      "p50 ms": at(0.5),
      "p95 ms": at(0.95),
      "frames over 50 ms": frames.filter((one) => one > 50).length,
      "tasks over 200 ms": tasks.filter((one) => one > 200).length,
      "longest task": Math.round(Math.max(0, ...tasks)),
      nodes,
      height: document.scrollingElement.scrollHeight,
    };
  });
}

async function measureLists(browser) {
  const database = `console_bench_${process.pid}`;
  await onServer(`create database ${database}`);
  try {
    const key = newKey(urlOf(database), "big");
    await loadTenant(urlOf(database), "big", { assets: rows, components: 4, parts: rows, sites: 1, movements: 2 }, { tree: false });
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    await client.query(orders, ["big", rows]).finally(() => client.end());
    const gateway = await spawnGateway(urlOf(database), {}, { preload: null, ...(BASE && { root: BASE }) });
    try {
      const lists = ["/plant", "/work", "/work?who=all", "/stock?view=all", "/calendar?view=agenda", "/labels", "/procedures"];
      for (const path of LISTS?.split(" ") ?? lists) {
        const { context, page } = await signedIn(browser, gateway.address, key);
        const session = await throttle(page, false);
        const began = performance.now();
        await page.evaluate((to) => {
          history.pushState({}, "", `/console${to}`);
          dispatchEvent(new PopStateEvent("popstate"));
        }, path);
        await page.locator("main :is(tbody tr, li, [role=row], .card a)").first().waitFor({ timeout: 60_000 });
        const first = Math.round(performance.now() - began);
        await isQuiet(page);
        if (PROFILE) {
          await session.send("Profiler.enable");
          await session.send("Profiler.start");
        }
        console.log(path, JSON.stringify({ "first rows": first, ...(await scroll(page)) }));
        if (PROFILE) await writeFile(PROFILE, JSON.stringify((await session.send("Profiler.stop")).profile));
        await context.close();
      }
    } finally {
      await gateway.stop();
    }
  } finally {
    await onServer(`drop database if exists ${database} with (force)`);
  }
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
try {
  const [, , part] = process.argv;
  if (part !== "lists") await measurePaint(browser);
  if (part !== "paint") await measureLists(browser);
} finally {
  await browser.close();
}
