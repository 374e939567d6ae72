// docs/performance.md: results of the last run next to their targets.
import { cpus } from "node:os";
import { codeChecksum, measuredFolders } from "./code.mjs";
import { logLevel } from "./gateway.mjs";

/** Targets by case: the limit's CPU time ÷ the gateway's, and the gateway's rate ÷ the other peers'. */
export const aims = {
  "nested, 550 objects": { limit: 0.75, postgraphile: 3, naive: 8 },
  "asset by id": { limit: 0.5, postgraphile: 2 },
  "list of 100, 8 fields": { limit: 0.85, postgraphile: 3 },
  "parts → levels → movements": { limit: 0.75, postgraphile: 2.5, naive: 8 },
  "GET /assets/{id}": { limit: 0.5 },
  "GET /assets?limit=100": { limit: 1.1 },
  "GET /assets, in the middle of 10,000": { limit: 0.6 },
  "GET /assets?search=": { limit: 0.6 },
  "GET /inventory/{id}/history": { limit: 0.9 },
  "tree of 10,000, GraphQL": { limit: 0.65 },
  "tree of 10,000, REST": { limit: 0.65 },
  ...Object.fromEntries(["summary", "movements", "abc_analysis", "turnover", "aging"].map((type) => [`report ${type}`, { limit: 0.5 }])),
  "stock adjustment, 64 parts": { limit: 0.5 },
  "stock adjustment, one part": { limit: 0.5 },
  "POST /assets": { limit: 0.45 },
  "PUT /components/{id}": { limit: 0.45 },
};

/** Maximum ratio to the time with a tenth of the rows, and to the time without neighbours. */
export const growthAim = 1.2;

export const names = { limit: "the limit", postgraphile: "PostGraphile 5", naive: "the naive build" };
export const rounded = (value) => (value === undefined ? "" : value >= 10 ? value.toFixed(0) : value.toFixed(2));
export const number = (value) => value.toLocaleString("en");
/** A figure with its target: at most `aim`. */
export const withinAim = (value, aim) => `${rounded(value)} (${value <= aim ? `≤ ${aim}` : `**missed** ${aim}`})`;
const beyondAim = (value, aim) =>
  aim === undefined ? rounded(value) : `${rounded(value)} (${value >= aim ? `≥ ${aim}` : `**missed** ${aim}`})`;

/** What a case is compared by: CPU time with the limit, and the rate with the others. */
export const comparedWith = (peer, { byCpu, ratio }) => (peer === "limit" ? byCpu : ratio);

const byClock = ({ ratio, spread }) => `${rounded(ratio)} ± ${Math.round(spread * 100)} %`;
const byParts = ({ node, postgres }) => `${number(Math.round(node))} + ${number(Math.round(postgres))}`;
const apart = (gateway, limit) => `${rounded(gateway.node / limit.node)}, ${rounded(gateway.postgres / limit.postgres)}`;

/** Rows of the tree that `loadTenant` adds to an asset. */
const treeNodes = 11_232;

export async function report(measured, { rounds, seconds, clients, size }) {
  const others = ["postgraphile", "naive"].filter((peer) => Object.values(measured).some((results) => results[peer]));
  const rows = Object.entries(measured).map(([name, { gateway, limit, ...peers }]) => {
    const cells = [
      name,
      rounded(gateway.rate),
      byClock(limit),
      beyondAim(limit.byCpu, aims[name].limit),
      byParts(gateway),
      byParts(limit),
      apart(gateway, limit),
      ...others.map((peer) => (peers[peer] ? beyondAim(peers[peer].ratio, aims[name][peer]) : "")),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const heads = [
    "case",
    "req/s",
    "÷ limit, clock",
    "÷ limit, CPU",
    "µs: Node + PostgreSQL",
    "µs of the limit",
    "gateway's µs ÷ limit's: Node, PostgreSQL",
    ...others.map((peer) => `÷ ${names[peer]}`),
  ];
  const components = size.assets * size.components + treeNodes;
  const levels = size.parts * size.sites;
  const folders = measuredFolders.map((folder) => `\`${folder}\``).join(", ");
  return `# Performance

\`npm run bench\` writes this page, except the section "Stock ledger".

- Machine: ${cpus().length} cores, Node ${process.versions.node}, ${clients} clients on the same machine.
- Gateway: as \`npm run serve\` starts it, in one process, with \`LOG_LEVEL=${logLevel}\` and budgets. Log lines go to \`/dev/null\`.
- Method: ${rounds} rounds of ${seconds} s. Each case alternates with its peers, after their responses were compared.
  A single client requests reports, at least three times per round.
- Data: one tenant with ${number(size.assets)} assets, ${number(components)} components, ${number(size.parts)} parts, ${number(levels)} stock levels and ${number(levels * size.movements)} movements.
- Code: ${folders} have the checksum \`${await codeChecksum()}\`.

The peers are:

- **The limit**: a bare HTTP server with keys in memory and one prepared statement per path, whose JSON PostgreSQL builds.
  It has no schema, limits, logs, metrics or cancellation. Its writes run the same triggers.
- **PostGraphile 5** with its Amber preset, on Node 22, without keys.
- **The naive build**: Apollo with its defaults, Prisma's \`findMany\` and DataLoader, without keys.

![The gateway beside its peers](performance-peers.svg)

Ratios are medians of the rounds, with the target in parentheses. More than 1 means that the gateway is faster, or needs less CPU time.

- By clock: the gateway's rate ÷ the peer's, ± half the spread. The clients use the same cores.
- By CPU: the limit's CPU time per request ÷ the gateway's, for Node and PostgreSQL together.
- µs: CPU time per request. Here less is better.

| ${heads.join(" | ")} |
|${heads.map(() => "---|").join("")}
${rows.join("\n")}
`;
}
