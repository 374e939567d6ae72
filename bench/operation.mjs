// Measures the gateway in operation: mixed load at half of capacity, and goodput with more and more clients of one tenant.
import { number, rounded, withinAim } from "./report.mjs";
import { load, median, quantile, steadyLoad } from "./requests.mjs";

/** Percent of the requests, by case. */
const mix = {
  "asset by id": 30,
  "GET /assets/{id}": 25,
  "list of 100, 8 fields": 10,
  "nested, 550 objects": 5,
  "GET /assets?search=": 10,
  "GET /inventory/{id}/history": 5,
  "stock adjustment, 64 parts": 10,
  "PUT /components/{id}": 3,
  "POST /assets": 2,
};
/** The cases of 100 requests, spread evenly: the positions of each case follow a multiple of 37. */
const order = Object.entries(mix).flatMap(([name, percent]) => Array(percent).fill(name));
const caseAt = (i) => order[(i * 37) % 100];

/** Requests of the mix for a peer. */
export function mixOf(all, peer) {
  const requests = Object.fromEntries(all.map((one) => [one.name, one.requests[peer]]));
  return (i) => requests[caseAt(i)](i);
}

/** Capacity with `clients` clients, and the durations at half of it, in an open loop. */
export async function mixed(peers, all, { clients, seconds }) {
  const results = {};
  for (const name of ["gateway", "limit"].filter((name) => peers[name])) {
    const { address } = peers[name];
    const requestOf = mixOf(all, name);
    const run = () => load(address, requestOf, { clients, seconds: seconds / 8 });
    await run();
    const capacity = median([(await run()).rate, (await run()).rate, (await run()).rate]);
    const took = await steadyLoad(address, requestOf, { rate: capacity / 2, seconds });
    const [p50, p99, p999] = [0.5, 0.99, 0.999].map((part) => quantile(took, part));
    results[name] = { capacity, p50, p99, p999, most: Math.max(...took) };
  }
  return { seconds, clients, results };
}

const names = { gateway: "gateway", limit: "the limit" };
const tailAim = 8;

export function mixedReport({ seconds, clients, results }) {
  const rows = Object.entries(results).map(
    ([name, { capacity, p50, p99, p999, most }]) =>
      `| ${names[name]} | ${Math.round(capacity)} | ${[p50, p99, p999, most].map(rounded).join(" | ")} | ${name === "gateway" ? withinAim(p99 / p50, tailAim) : rounded(p99 / p50)} |`,
  );
  return `## Mixed load

Requests start at a fixed rate, half of capacity, for ${seconds} s, whether or not earlier ones have completed.
Capacity is the rate of ${clients} clients with the same mix, in percent:

| request | share |
|---|---|
${Object.entries(mix)
  .map(([name, percent]) => `| ${name} | ${percent} |`)
  .join("\n")}

| | capacity, req/s | p50, ms | p99 | p99.9 | maximum | p99 ÷ p50 |
|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

const steps = [1, 4, 16, 64, 128, 256, 512];
const [base, most] = [64, 512];
const goodputAim = 0.9;

/** Rates of good responses and refusals, and the durations of good ones, by number of clients. Fails if any other response arrives. */
export async function goodput({ address }, all, { seconds }) {
  const requestOf = mixOf(all, "gateway");
  await load(address, requestOf, { clients: 16, seconds });
  const results = [];
  for (const clients of steps) {
    const { rate, refused, took } = await load(address, requestOf, { clients, seconds, refusals: true });
    results.push({ clients, rate, refused, p50: quantile(took, 0.5), p99: quantile(took, 0.99) });
  }
  return results;
}

export function goodputReport(results) {
  const rateOf = (clients) => results.find((one) => one.clients === clients).rate;
  const ratio = rateOf(most) / rateOf(base);
  const rows = results.map(
    ({ clients, rate, refused, p50, p99 }) =>
      `| ${clients} | ${Math.round(rate)} | ${Math.round(refused)} | ${rounded(p50)} | ${rounded(p99)} |`,
  );
  return `## Goodput

Clients of one tenant send the mix of [mixed load](#mixed-load). A client whose request was refused sends the next one immediately.
With ${number(most)} clients, the rate of good responses is ${rounded(ratio)} of that with ${base} (${ratio >= goodputAim ? `≥ ${goodputAim}` : `**missed** ${goodputAim}`}).

| clients | good/s | refused/s | p50 of good, ms | p99 |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
