// Measures the gateway beside its peers, and how it behaves in operation. `node run.mjs [WORD…]`; see README.md.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases } from "./cases.mjs";
import { sizes } from "./data.mjs";
import { flame } from "./flame.mjs";
import { growth, growthReport } from "./growth.mjs";
import { footprint, footprintReport, starts, startsReport } from "./lifecycle.mjs";
import { mechanisms, mechanismsReport } from "./mechanisms.mjs";
import { goodput, goodputReport, mixed, mixedReport } from "./operation.mjs";
import { report } from "./report.mjs";
import { load, median, send } from "./requests.mjs";
import { withSections } from "./sections.mjs";
import { compareResponses, openBench } from "./setup.mjs";
import { tenants, tenantsReport } from "./tenants.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 1);
const clients = Number(process.env.CLIENTS ?? 16);
const size = sizes[process.env.SIZE ?? "full"];
const words = process.argv.slice(2);
const isWanted = (name) => !words.length || words.some((word) => name.includes(word));

/** Half of the difference between the largest and the smallest value ÷ the median. */
const spread = (values) => (Math.max(...values) - Math.min(...values)) / median(values) / 2;

async function measureCase(one, peers) {
  const names = Object.keys(peers).filter((name) => one.requests[name]);
  const { parallel, least } = one;
  const manner = { clients: one.clients ?? clients, seconds, least, parallel };
  await compareResponses(one, peers, send);
  for (const name of names) await load(peers[name].address, one.requests[name], { ...manner, seconds: seconds / 2, least: 1 });
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) results[name].push(await peers[name].measure(one.requests[name], manner));
  return Object.fromEntries(
    names.map((name) => {
      const of = results[name];
      const medianOf = (figure) => median(of.map((result) => result[figure]));
      const ratios = of.map(({ rate }, i) => results.gateway[i].rate / rate);
      const byCpu = of.map(({ cpu }, i) => cpu / results.gateway[i].cpu);
      const [rate, cpu, node, postgres] = ["rate", "cpu", "node", "postgres"].map(medianOf);
      return [name, { rate, cpu, node, postgres, ratio: median(ratios), spread: spread(ratios), byCpu: median(byCpu) }];
    }),
  );
}

const printed = (results) =>
  Object.fromEntries(
    Object.entries(results).map(([name, { rate, node, postgres, ratio, spread, byCpu }]) => [
      name,
      {
        "req/s": +rate.toFixed(rate < 10 ? 2 : 0),
        "Node µs": Math.round(node),
        "PostgreSQL µs": Math.round(postgres),
        "gateway ÷, clock": +ratio.toFixed(2),
        "± %": Math.round(spread * 100),
        "gateway ÷, CPU": +byCpu.toFixed(2),
      },
    ]),
  );

/** Draws the CPU profile of the gateway, and of `BASE`, while they serve a case. */
async function profileCase(one, peers, folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, peer] of Object.entries(peers).filter(([name]) => name.startsWith("gateway"))) {
    const work = () => load(peer.address, one.requests[name], { clients: one.clients ?? clients, seconds: 5 });
    const file = join(folder, `${one.name.replaceAll(/\W+/g, "-").replaceAll(/^-|-$/g, "")}-${name === "gateway" ? "now" : "before"}.svg`);
    writeFileSync(file, flame(await peer.profile(work)));
    console.log(file);
  }
}

const { PROFILE, BASE, REPORT, PEERS = "limit,postgraphile,naive" } = process.env;
const began = performance.now();
/** Prints the minutes since the start, so that a long run can be watched. */
const note = (text) => console.log(`${((performance.now() - began) / 60_000).toFixed(1)} min: ${text}`);
const isGrowthWanted = isWanted("growth");
const copy = `gateway_bench_${process.pid}_many`;
const sections = [];
const measured = {};
const pictures = {};
const bench = await openBench({ size, copies: isGrowthWanted ? [copy] : [] });
try {
  const all = cases({ key: bench.key, ...size });
  if (BASE) for (const one of all) [one.requests.gatewayBefore, one.answer.gatewayBefore] = [one.requests.gateway, one.answer.gateway];
  const wanted = all.filter(({ name }) => isWanted(name) || words.includes("cases"));
  const options = PROFILE ? { preload: "profile.mjs" } : {};
  const peers = { gateway: await bench.start("gateway", options) };
  if (BASE) peers.gatewayBefore = await bench.start("gatewayBefore", { root: BASE, ...options });
  for (const name of PEERS.split(",").filter(Boolean)) peers[name] = await bench.start(name);
  note("started");
  for (const one of wanted) {
    if (PROFILE) await profileCase(one, peers, PROFILE);
    else {
      measured[one.name] = await measureCase(one, peers);
      note(one.name);
      console.table(printed(measured[one.name]));
    }
  }
  const section = async (name, measure) => {
    if (PROFILE || !isWanted(name)) return;
    sections.push(await measure());
    note(name);
    console.log(sections.at(-1));
  };
  await section("mixed load", async () => mixedReport(await mixed(peers, all, { clients, seconds: 20 * seconds })));
  await section("goodput", async () => {
    pictures.goodput = await goodput(peers.gateway, all, { seconds: 3 * seconds });
    return goodputReport(pictures.goodput);
  });
  await section("memory", async () => footprintReport(await footprint(bench, all, { clients, seconds: 10 * seconds })));
  await section("mechanisms", async () => {
    const gateways = { gateway: await bench.start("gateway", { preload: "profile.mjs" }) };
    if (BASE) gateways.before = await bench.start("gatewayBefore", { root: BASE, preload: "profile.mjs" });
    const passed = all.filter(({ name }) => ["asset by id", "GET /assets/{id}", "POST /assets", "PUT /components/{id}"].includes(name));
    return mechanismsReport(await mechanisms(gateways, passed, { clients, seconds: 3 * seconds }));
  });
  for (const peer of Object.values(peers)) await peer.stop();
  await section("starts", async () => startsReport(await starts()));
  await section("growth", async () => {
    pictures.grown = await growth({ size, many: copy, key: bench.key, rounds: 2 * rounds, seconds: seconds / 4 });
    return growthReport(pictures.grown);
  });
  await section("tenants", async () => tenantsReport(await tenants({ rounds: 2 * rounds, seconds: seconds / 4 })));
} finally {
  await bench.close();
}

if (REPORT) {
  const pathOf = (name) => join(here, "../docs", name);
  const write = (name, text) => writeFileSync(pathOf(name), text);
  // Imported here because the chart library is installed with the peers, and other runs need neither.
  const { growthPicture, peersPicture } = await import("./pictures.mjs");
  const isWhole = !words.length || words.includes("cases");
  const generated = [...(isWhole ? [await report(measured, { rounds, seconds, clients, size })] : []), ...sections].join("\n");
  write("performance.md", withSections(readFileSync(pathOf("performance.md"), "utf8"), generated));
  if (isWhole) write("performance-peers.svg", peersPicture(measured));
  if (pictures.grown && pictures.goodput) write("performance-growth.svg", growthPicture(pictures.grown, pictures.goodput));
}
note("finished");
