// What the parts of the gateway that every request passes cost: self time of a CPU profile by part, per request.
import { load } from "./requests.mjs";

/** A part, and where its functions are. The first match counts. */
const parts = [
  ["log line", /node_modules\/(pino|sonic-boom|thread-stream|quick-format-unescaped)|dist\/log\.js/],
  ["driver", /node_modules\/(pg|postgres)[-/]|dist\/database\/connection\//],
  ["cancellation, context, activity", /dist\/database\/(cancellation|async-context|background|watch\/)/],
  ["statements and rows", /dist\/database\//],
  ["admission and budgets", /dist\/execution\/admission\//],
  ["key", /dist\/(domain\/access|server\/(session-cookie|key-watch))/],
  ["metrics and traces", /dist\/server\/(metrics\/|tracing)|node_modules\/(@opentelemetry|prom-client)/],
  ["REST mapping and entity tag", /dist\/rest-compat\//],
  [
    "GraphQL: document, variables, execution",
    /dist\/(execution|resolvers|schema|domain)\/|node_modules\/(graphql|type-graphql|dataloader|@graphql-tools|@apollo)/,
  ],
  [
    "HTTP framework and its hooks",
    /node_modules\/(fastify|@fastify|find-my-way|secure-json-parse|fast-json-stringify|fastq)|dist\/server\//,
  ],
];
const socketWrites = /^(writev|writeBuffer|writeUtf8String|writeLatin1String)$/;
const garbage = "garbage collection";
const rest = "Node.js: parsing, events, promises";
const outside = "outside JavaScript: reading sockets, waiting";

const partOf = ({ functionName, url }) => {
  if (functionName === "(garbage collector)") return garbage;
  if (functionName === "(program)") return outside;
  return parts.find(([, places]) => places.test(url))?.[0];
};

/** Microseconds of self time by part. A function outside of all parts belongs to that of its nearest caller within one. */
export function timeByPart({ nodes, samples, timeDeltas }) {
  const self = new Map(nodes.map(({ id }) => [id, 0]));
  for (const [i, id] of samples.entries()) self.set(id, self.get(id) + Math.max(0, timeDeltas[i]));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sums = new Map();
  const add = (id, above) => {
    const { callFrame, children = [] } = byId.get(id);
    const part = partOf(callFrame) ?? above;
    const isWrite = socketWrites.test(callFrame.functionName) && part !== "log line";
    const name = isWrite ? (part === "driver" ? "writing to the database's socket" : "writing to the client's socket") : part;
    if (callFrame.functionName !== "(idle)") sums.set(name, (sums.get(name) ?? 0) + self.get(id));
    for (const child of children) add(child, part);
  };
  add(nodes[0].id, rest);
  return sums;
}

const sumOf = (times) => [...times.values()].reduce((sum, time) => sum + time, 0);

/**
 * Gateways that were started with `profile.mjs`. Returns, by case and gateway, the CPU microseconds per request by part: those of the
 * process without a profile, in the shares of a profile.
 */
export async function mechanisms(gateways, all, { clients, seconds }) {
  const measured = {};
  for (const one of all) {
    measured[one.name] = {};
    for (const [name, gateway] of Object.entries(gateways)) {
      const request = one.requests.gateway;
      const { node } = await gateway.measure(request, { clients, seconds });
      const times = timeByPart(await gateway.profile(() => load(gateway.address, request, { clients, seconds })));
      const sum = sumOf(times);
      measured[one.name][name] = new Map([...times].map(([part, time]) => [part, (node * time) / sum]));
    }
  }
  return measured;
}

export function mechanismsReport(measured) {
  const columns = Object.entries(measured).flatMap(([name, of]) =>
    Object.keys(of).map((gateway) => ({ heading: gateway === "gateway" ? name : `${name}, before`, times: of[gateway] })),
  );
  const names = [...new Set(columns.flatMap(({ times }) => [...times.keys()]))];
  const [{ times: first }] = columns;
  names.sort((a, b) => (first.get(b) ?? 0) - (first.get(a) ?? 0));
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return `## Where the time of a request goes

CPU time of Node in µs per request with 16 clients, in the shares of a CPU profile.
Functions outside of all parts count for their nearest caller within one.

${row(["part", ...columns.map(({ heading }) => heading)])}
|${"---|".repeat(columns.length + 1)}
${names.map((name) => row([name, ...columns.map(({ times }) => Math.round(times.get(name) ?? 0))])).join("\n")}
${row(["sum", ...columns.map((column) => Math.round(sumOf(column.times)))])}
`;
}
