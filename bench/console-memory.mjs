// Memory of the console while it receives an hour's live events, in Chromium (CHROMIUM): EVENTS (3,600) in MINUTES (15), a quarter of them
// new alerts, which the next event resolves. Samples follow a forced garbage collection. Expected: no slope in the second half.
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { signedIn } from "./console-page.mjs";
import { onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";

const { CHROMIUM = "/usr/bin/chromium", EVENTS = "3600", MINUTES = "15", PAGES = "/ /alerts /plant" } = process.env;
const milliseconds = Number(MINUTES) * 60_000;

async function send(address, key, query, variables) {
  const response = await fetch(`${address}/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const raise = "mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }";
const resolve = "mutation ($id: ID!) { changeNotificationStatus(id: $id, status: RESOLVED) { id } }";
const rename = "mutation ($id: ID!, $input: UpdateAssetInput!) { updateAsset(id: $id, input: $input) { id } }";

async function sendEvents(address, key) {
  const { assets } = await send(address, key, "{ assets(first: 50) { nodes { id } } }");
  const ids = assets.nodes.map(({ id }) => id);
  let raised;
  const began = performance.now();
  for (let n = 0; n < Number(EVENTS); n++) {
    await sleep(Math.max(0, began + (n * milliseconds) / Number(EVENTS) - performance.now()));
    const id = ids[n % ids.length];
    if (n % 4 === 0) {
      const input = { type: "ANOMALY", severity: "WARNING", title: `Vibration ${n}`, message: "Above its threshold", assetId: id };
      raised = (await send(address, key, raise, { input })).raiseNotification.id;
    } else if (n % 4 === 1) await send(address, key, resolve, { id: raised });
    else await send(address, key, rename, { id, input: { model: `Model ${n}` } });
  }
  return (performance.now() - began) / 60_000;
}

async function sampleOf(session) {
  // Twice, because finalizers free more objects.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name) => metrics.find((one) => one.name === name).value;
  return { heap: of("JSHeapUsedSize") / 2 ** 20, nodes: of("Nodes"), listeners: of("JSEventListeners") };
}

/** Least squares, per minute. */
function slopeOf(points) {
  const mean = (of) => points.reduce((sum, one) => sum + of(one), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  return points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}

const database = `console_memory_${process.pid}`;
await onServer(`create database ${database}`);
const gateway = await spawnGateway(urlOf(database), {}, { script: "start", preload: null });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
try {
  const { demoKey } = await (await fetch(`${gateway.address}/console/settings.json`)).json();
  const pages = [];
  for (const path of PAGES.split(" ")) {
    const { page } = await signedIn(browser, gateway.address, demoKey);
    await page.goto(`${gateway.address}/console${path}`);
    await page.locator(".app h1").waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    pages.push({ path, session, samples: [] });
  }
  let isRunning = true;
  const events = sendEvents(gateway.address, demoKey).finally(() => {
    isRunning = false;
  });
  const began = performance.now();
  while (isRunning) {
    for (const { path, session, samples } of pages) {
      const minutes = (performance.now() - began) / 60_000;
      const sample = await sampleOf(session);
      samples.push([minutes, sample.heap]);
      console.log(`${minutes.toFixed(1)} min ${path}: ${sample.heap.toFixed(2)} MiB, ${sample.nodes} nodes, ${sample.listeners} listeners`);
    }
    await sleep(milliseconds / 30);
  }
  console.log(`${EVENTS} events in ${(await events).toFixed(1)} min`);
  for (const { path, samples } of pages) {
    const later = samples.slice(Math.floor(samples.length / 2));
    console.log(
      `${path}: ${slopeOf(later).toFixed(4)} MiB per minute in the second half, ${(later.at(-1)[1] - samples[0][1]).toFixed(2)} MiB in all`,
    );
  }
} finally {
  await browser.close();
  await gateway.stop();
  await onServer(`drop database if exists ${database} with (force)`);
}
