// A mixed load on the demo plant: screens, integrations, sensors, faulty requests, subscribers, and a webhook receiver that is temporarily
// down.
import { once, setMaxListeners } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { EXAMPLES, ID_QUERY, idsOf, nameOf } from "../../explorer/examples.js";

const pick = (list) => list[Math.floor(Math.random() * list.length)];

class Plant {
  constructor(url, key) {
    this.url = url;
    this.headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    this.key = key;
  }

  /** Sends a request and ignores its outcome. */
  async send(method, path, body, headers = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...this.headers, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    return response?.json().catch(() => undefined);
  }

  ask(query, variables) {
    return this.send("POST", "/graphql", { query, variables });
  }
}

/** Repeats `work` until `signal` fires, `perSecond()` times a second on average. */
async function repeat(signal, perSecond, work) {
  while (!signal.aborted) {
    await work();
    await sleep((1000 / Math.max(0.05, perSecond())) * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
  }
}

/** A webhook receiver. Returns its address and a function that makes it fail. */
async function startReceiver(signal) {
  let isDown = false;
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(isDown ? 503 : 204).end(), 20 + Math.random() * 80);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  signal.addEventListener("abort", () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/hook`, fail: (down) => (isDown = down) };
}

/** Reads server-sent events until the signal fires. */
async function followStream({ url, headers }, query, signal) {
  const response = await fetch(`${url}/graphql/stream`, {
    method: "POST",
    headers: { ...headers, accept: "text/event-stream" },
    body: JSON.stringify({ query }),
    signal,
  }).catch(() => undefined);
  await response?.text().catch(() => {});
}

function follow({ url, key }, query, signal) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  const send = (message) => socket.send(JSON.stringify(message));
  socket.on("open", () => send({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } }));
  socket.on("message", (data) => {
    if (JSON.parse(String(data)).type === "connection_ack") send({ id: "1", type: "subscribe", payload: { query } });
  });
  socket.on("error", () => {});
  signal.addEventListener("abort", () => socket.terminate());
}

/** Runs until the signal fires. `keys` are tenants' keys; the first tenant has the demo plant. `seconds` is the planned duration. */
export async function runLoad(url, keys, seconds, signal) {
  const [plant, ...others] = keys.map((key) => new Plant(url, key));
  setMaxListeners(0, signal);
  const began = performance.now();
  /** Between 0 and 1. */
  const progress = () => (performance.now() - began) / 1000 / seconds;
  const within = (from, to) => progress() >= from && progress() < to;
  // The load of a working day rises to a peak and falls.
  const busy = () => 0.4 + 0.6 * Math.sin(Math.PI * Math.min(1, progress()));

  const ids = idsOf((await plant.ask(ID_QUERY)).data);
  const screens = EXAMPLES.filter(({ query }) => /^query /m.test(query)).filter((one) => !/^export/i.test(nameOf(one)));
  const assetIds = (await plant.ask("{ assets(first: 100) { nodes { id } } }")).data.assets.nodes.map(({ id }) => id);
  const hook = await startReceiver(signal);
  await plant.ask(`mutation ($url: URL!) { createWebhook(input: { url: $url, events: [], recordTypes: [ASSET] }) { webhook { id } } }`, {
    url: hook.url,
  });

  const screen = ({ ask }, example) => ask.call(plant, example.query, example.variables?.(ids));
  const people = Array.from({ length: 6 }, () =>
    repeat(
      signal,
      () => 6 * busy(),
      () => screen(plant, pick(screens)),
    ),
  );
  const integration = repeat(
    signal,
    () => 12 * busy(),
    () => plant.send("GET", pick(["/assets?limit=50", `/assets/${pick(assetIds)}`, "/components?limit=50", "/parts?limit=20"])),
  );
  const editor = repeat(
    signal,
    () => 6 * busy(),
    () => plant.send("PUT", `/assets/${pick(assetIds)}`, { status: pick(["operational", "maintenance"]) }),
  );
  const sensors = repeat(
    signal,
    () => 8 * busy(),
    () =>
      plant.ask("mutation Record($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }", {
        readings: Array.from({ length: 10 }, () => ({ assetId: pick(assetIds), parameter: "vibration", value: Math.random() * 4 })),
      }),
  );
  const mistakes = repeat(
    signal,
    () => 2,
    () =>
      pick([
        () => plant.send("GET", "/assets/none"),
        () => plant.ask("{ nothing }"),
        () => plant.send("POST", "/assets", { name: "" }),
        () => plant.send("GET", "/assets", undefined, { authorization: "Bearer none" }),
      ])(),
  );
  const small = others.map((other, i) =>
    repeat(
      signal,
      () => (5 - i) * busy(),
      () => other.ask("{ assets(first: 100) { nodes { id name } } parts(first: 50) { totalCount } }"),
    ),
  );
  // An integration that exceeds its share of the budget in the middle of the day.
  const greedy = Array.from({ length: 24 }, () =>
    repeat(
      signal,
      () => (within(0.45, 0.65) ? 30 : 0.2),
      async () => {
        if (within(0.45, 0.65))
          await plant.ask("query Everything { assets(first: 200) { nodes { name components(first: 20) { nodes { name } } } } }");
      },
    ),
  );
  const followers = repeat(
    signal,
    () => 2,
    async () => {
      if (progress() > 0.6) return;
      const start = Math.random() < 0.8 ? follow : followStream;
      void start(pick([plant, ...others]), "subscription { changes(recordTypes: [ASSET]) { kind } }", signal);
    },
  );
  const outage = repeat(
    signal,
    () => 4,
    async () => hook.fail(within(0.3, 0.6)),
  );
  await Promise.all([...people, integration, editor, sensors, mistakes, ...small, ...greedy, followers, outage]);
}
