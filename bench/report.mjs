// docs/performance.md: results of the last run next to their targets.
import { cpus } from "node:os";

/** Targets by case: the gateway's rate as a fraction of the limit's rate, and as a multiple of the other peers' rates. */
export const aims = {
  "nested, 550 objects": { limit: 0.6, postgraphile: 2, naive: 8 },
  "asset by id": { limit: 0.5, postgraphile: 2 },
  "list of 100, 8 fields": { limit: 0.8, postgraphile: 3 },
  "parts → levels → movements": { limit: 0.7, postgraphile: 2.5, naive: 8 },
  "GET /assets/{id}": { limit: 0.6 },
  "GET /assets?limit=100": { limit: 0.8 },
  "GET /assets, in the middle of 10,000": { limit: 0.6 },
  "GET /assets?search=": { limit: 0.6 },
  "GET /inventory/{id}/history": { limit: 0.7 },
  "tree of 10,000, GraphQL": { limit: 0.6 },
  "tree of 10,000, REST": { limit: 0.6 },
  ...Object.fromEntries(["summary", "movements", "abc_analysis", "turnover", "aging"].map((type) => [`report ${type}`, { limit: 0.5 }])),
  "stock adjustment, 64 parts": { limit: 0.5 },
  "stock adjustment, one part": { limit: 0.6 },
  "POST /assets": { limit: 0.25 },
  "PUT /components/{id}": { limit: 0.25 },
};

export const names = { limit: "the limit", postgraphile: "PostGraphile 5", naive: "the naive build" };
const rounded = (value) => (value === undefined ? "" : value >= 10 ? value.toFixed(0) : value.toFixed(2));

const cell = (measured, name, peer) => {
  const of = measured[name]?.[peer];
  if (!of) return "";
  const aim = aims[name]?.[peer];
  const reached = aim === undefined ? "" : of.ratio >= aim ? ` (≥ ${aim})` : ` (**missed** ${aim})`;
  return `${rounded(of.ratio)} ± ${Math.round(of.spread * 50)} %${reached}`;
};

/** Maximum ratio to the time with a tenth of the rows, and to the time without neighbours. */
export const growthAim = 1.2;
const withAim = (ratio) => `${rounded(ratio)} (${ratio <= growthAim ? `≤ ${growthAim}` : `**missed** ${growthAim}`})`;
const number = (value) => value.toLocaleString("en");

function growthReport({ assets, tenants, rows, depth, connections }) {
  const beside = number(tenants[1] - 1);
  const byConnections = Object.values(connections)[0].map(({ clients }, i) => {
    const figures = Object.values(connections).map((of) => `${Math.round(of[i].rate)} | ${rounded(of[i].p95)}`);
    return `| ${clients} | ${figures.join(" | ")} |`;
  });
  return `## Growth

![How the gateway's times grow](performance-growth.svg)

Only the gateway is measured, alternating between databases of different sizes.
Times are the median of one client's requests, and ratios are the median of the rounds.
The page follows a token, because a page at an offset also reads the rows before it.

| request | ms with ${number(assets[0])} assets | with ${number(assets[1])} | ratio | ms beside ${beside} other tenants | ratio |
|---|---|---|---|---|---|
${Object.entries(rows)
  .map(
    ([name, { few, many, byRows, beside, byTenants }]) =>
      `| ${name} | ${rounded(few)} | ${rounded(many)} | ${withAim(byRows)} | ${rounded(beside)} | ${withAim(byTenants)} |`,
  )
  .join("\n")}

| children of a component, nested; descendants | objects | ms | µs an object |
|---|---|---|---|
${Object.entries(depth)
  .map(([name, { objects, ms, perObject }]) => `| ${name} | ${number(objects)} | ${rounded(ms)} | ${rounded(perObject)} |`)
  .join("\n")}

| clients | ${Object.keys(connections)
    .map((name) => `${name}: req/s | 95 % within ms`)
    .join(" | ")} |
|---|${Object.keys(connections)
    .map(() => "---|---|")
    .join("")}
${byConnections.join("\n")}
`;
}

/** `grown` as from growth(). */
export function report(measured, grown, { rounds, seconds, clients }) {
  const peers = Object.keys(names).filter((peer) => Object.values(measured).some((results) => results[peer]));
  const rows = Object.keys(measured).map(
    (name) =>
      `| ${name} | ${rounded(measured[name].gateway.rate)} | ${peers.map((peer) => cell(measured, name, peer)).join(" | ")} | ${measured[name].gateway.cpu.toFixed(2)} (${measured[name].gateway.node.toFixed(2)}) | ${peers.map((peer) => measured[name][peer]?.cpu.toFixed(2) ?? "").join(" | ")} |`,
  );
  return `# Performance

\`npm run bench\` writes this page, except the section "Stock ledger".

- Machine: ${cpus().length} cores, Node ${process.versions.node}, ${clients} clients on the same machine.
- Method: ${rounds} rounds of ${seconds} s. Each case alternates with its peers, after their responses were compared.
  A single client requests reports, at least three times per round.
- Data: one tenant with 10,000 assets, 111,000 components, 5,000 parts, 20,000 stock levels and 1,000,000 movements.

The peers are:

- **The limit**: a bare HTTP server with one hand-written statement that writes the JSON, without keys, checks and logs.
- **PostGraphile 5** with its Amber preset, on Node 22.
- **The naive build**: Apollo with its defaults, Prisma's \`findMany\` and DataLoader.

![The gateway's rate beside its peers'](performance-peers.svg)

A ratio is the gateway's rate divided by the peer's: the median of the rounds ± half the spread, with the target in parentheses.
CPU is milliseconds per request, for Node and PostgreSQL together. Node's part of the gateway's time is in parentheses.

| case | req/s | ${peers.map((peer) => `÷ ${names[peer]}`).join(" | ")} | CPU of the gateway | ${peers.map((peer) => `of ${names[peer]}`).join(" | ")} |
|---|---|${peers.map(() => "---|").join("")}---|${peers.map(() => "---|").join("")}
${rows.join("\n")}

${growthReport(grown)}`;
}
