// Compares the CPU time of each case with its budget in budgets.json, and fails if a case exceeds it. `--write` rewrites the
// budgets, `--responses` compares only the responses. Words select cases by name. `MARGIN` replaces the margin of budgets.json.
// The unit is the limit's CPU time in the same run, so that budgets hold on any machine. The limit's writes run without triggers, so that
// triggers count as the gateway's cost.
import { readFileSync, writeFileSync } from "node:fs";
import { cases } from "./cases.mjs";
import { sizes } from "./data.mjs";
import { load, median, send } from "./requests.mjs";
import { compareResponses, openBench } from "./setup.mjs";

const file = new URL("budgets.json", import.meta.url);
const parts = ["node", "postgres"];
const rounds = Number(process.env.ROUNDS ?? 5);
/** Approximate CPU time of the gateway per round, and before the first, until V8 has compiled what is frequent. */
const roundUs = 200_000;
const warmUpUs = 600_000;

/** The gateway's CPU time ÷ the limit's for Node.js and for PostgreSQL: medians of the rounds. */
async function ratiosOf({ requests }, { gateway, limit }, rounds) {
  const first = { clients: 4, seconds: 0, least: 20 };
  for (const [peer, requestOf] of [
    [gateway, requests.gateway],
    [limit, requests.limit],
  ])
    await load(peer.address, requestOf, first);
  const { cpu } = await gateway.measure(requests.gateway, first);
  const requestsIn = (us) => Math.max(2, Math.min(2_000, Math.round(us / cpu)));
  const mannerOf = (least) => ({ clients: Math.min(4, least), seconds: 0, least });
  await load(gateway.address, requests.gateway, mannerOf(requestsIn(warmUpUs)));
  await load(limit.address, requests.limit, mannerOf(requestsIn(warmUpUs)));
  const manner = mannerOf(requestsIn(roundUs));
  const results = [];
  for (let round = 0; round < rounds; round++)
    results.push({ gateway: await gateway.measure(requests.gateway, manner), limit: await limit.measure(requests.limit, manner) });
  const ratioOf = (part) => median(results.map(({ gateway, limit }) => gateway[part] / limit[part]));
  return Object.fromEntries(parts.map((part) => [part, +ratioOf(part).toFixed(2)]));
}

const isWriting = process.argv.includes("--write");
const onlyResponses = process.argv.includes("--responses");
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const kept = JSON.parse(readFileSync(file, "utf8"));
const { budgets } = kept;
const margin = Number(process.env.MARGIN ?? kept.margin);
const isExceeded = (name, ratios) => parts.some((part) => ratios[part] > budgets[name]?.[part] * margin || !budgets[name]);
const measured = {};
let exceeded = [];
const bench = await openBench({ size: sizes.small });
try {
  const peers = {
    // Jobs run per second and not per request, so they would count more on a loaded machine.
    gateway: await bench.start("gateway", { settings: { SCHEDULER: "false", WEBHOOK_POLL_MS: "3600000" } }),
    limit: await bench.start("limit", { settings: { LIMIT_TRIGGERS: "off" } }),
  };
  for (const one of cases({ key: bench.key, ...sizes.small })) {
    if (words.length && !words.some((word) => one.name.includes(word))) continue;
    await compareResponses(one, peers, send);
    if (onlyResponses) {
      console.log(`equal responses: ${one.name}`);
      continue;
    }
    measured[one.name] = await ratiosOf(one, peers, rounds);
    // A second, longer measurement tells noise from a slower case.
    if (!isWriting && isExceeded(one.name, measured[one.name])) measured[one.name] = await ratiosOf(one, peers, 2 * rounds);
  }
} finally {
  await bench.close();
}
if (!onlyResponses)
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([name, { node, postgres }]) => [
        name,
        { Node: node, budget: budgets[name]?.node, PostgreSQL: postgres, "its budget": budgets[name]?.postgres },
      ]),
    ),
  );
if (isWriting) writeFileSync(file, `${JSON.stringify({ ...kept, budgets: { ...budgets, ...measured } }, null, 2)}\n`);
else exceeded = Object.keys(measured).filter((name) => isExceeded(name, measured[name]));
if (exceeded.length) {
  console.error(`CPU time exceeds the budget by more than ${Math.round((margin - 1) * 100)} %: ${exceeded.join("; ")}.`);
  console.error("Profile the case (bench/README.md), or rewrite the budgets with `npm run bench:budgets -- --write`.");
  process.exitCode = 1;
}
