/** Memory attacks on a process with a heap of 512 MB: the process survives and releases the memory. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { uploadInOneStep } from "../files/photos.js";
import { type Caller, freshDatabase, type Gateway, onPostgresql, startGateway } from "../world.js";
import { times } from "./plant.js";
import { type Service, startProcess } from "./process.js";

/** Takes minutes, so only npm run test:hostile runs it, on PostgreSQL. */
const runs = process.env.HOSTILE_MEMORY !== undefined && onPostgresql;
let service: Service;
let key: string;

/** On PostgreSQL a gateway in this process fills the database that the tested process serves. */
const { environment, remove } = await freshDatabase();
const filling: Gateway | undefined = runs
  ? await startGateway({ DATABASE_URL: environment.DATABASE_URL!, WEBHOOK_POLL_MS: "3600000" })
  : undefined;

beforeAll(async () => {
  if (!filling) return;
  const tenant = await filling.newTenant();
  key = tenant.key;
  // An export of 24 MB.
  await filling.database.query(
    `insert into "Asset" ("tenantId", id, name, type, "customFields")
     select $1, gen_random_uuid(), 'Pump', 'pump', jsonb_build_object('wide', repeat('x', 12000)) from generate_series(1, 2000)`,
    [tenant.tenantId],
  );
  service = await startProcess(environment);
});

afterAll(async () => {
  await service?.stop();
  await remove();
});

const ask = async (query: string, extensions?: object) => {
  const reply = await fetch(`${service.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, extensions }),
  });
  return { status: reply.status, body: await reply.text() };
};

/** Sends a query and never reads the response. */
function neverReads(query: string): Socket {
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

async function slowReaders(count: number, pauseMs: number): Promise<void> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    sockets.push(neverReads("{ exportAssets }"));
    await delay(pauseMs);
  }
  // Other requests succeed while these connections hang.
  for (let i = 0; i < 20; i++) {
    expect(service.isAlive(), service.said()).toBe(true);
    expect((await ask("{ viewer { role } }")).status).toBe(200);
    await delay(1_000);
  }
  for (const socket of sockets) socket.destroy();
}

/** 24 concurrent photos of 49 million pixels, in files of a few KB. */
async function photoBombs(format: "webp" | "png"): Promise<void> {
  const plain = sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: "teal" } });
  const file = await (format === "png" ? plain.png({ progressive: true }) : plain.webp()).toBuffer();
  const caller = { gateway: { url: service.url }, key } as Caller;
  const { data } = JSON.parse((await ask('mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }')).body);
  const send = () => uploadInOneStep(caller, data.createAsset.id, file, { contentType: `image/${format}` });
  for (const { errors } of await Promise.all(Array.from({ length: 24 }, send))) expect(errors).toBeUndefined();
}

const fragments = (seed: number) =>
  `{ assets(first: 1) { nodes { ...F0 } } } ${times(200, (i) => `fragment F${i} on Asset { a${seed}_${i % 20}: name ...F${i + 1} }`)} fragment F200 on Asset { id }`;

const attacks: [name: string, run: () => Promise<unknown>][] = [
  ["20 clients that do not read an export, one after the other", () => slowReaders(20, 700)],
  ["20 clients that do not read an export, at once", () => slowReaders(20, 0)],
  [
    "20 exports by aliases",
    () =>
      Promise.all(
        times(10, () => "x")
          .split(" ")
          .map(() => ask(`{ ${times(2, (i) => `a${i}: exportAssets`)} }`)),
      ),
  ],
  ["24 photos of 7,000 × 7,000 pixels, WebP", () => photoBombs("webp")],
  ["24 photos of 7,000 × 7,000 pixels, interlaced PNG", () => photoBombs("png")],
  ["21 documents of fragments", () => Promise.all(Array.from({ length: 21 }, (_, seed) => ask(fragments(seed))))],
  [
    "42 documents of 100 KB",
    async () => {
      for (let i = 0; i < 42; i++) await ask(`# ${String(i).padEnd(100_000, "x")}\n{ viewer { role } }`);
    },
  ],
  [
    "300 different selections",
    async () => {
      for (let i = 0; i < 300; i++) await ask(`{ assets(first: 1) { nodes { a${i}: name b${i}: type id createdAt } } }`);
    },
  ],
  [
    "1,500 subscriptions",
    () =>
      new Promise<void>((resolve) => {
        const socket = new WebSocket(`${service.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
        const payload = { query: "subscription { changes(recordTypes: [ASSET]) { kind } }" };
        let received = 0;
        socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } })));
        socket.on("message", () => {
          if (++received === 1) for (let i = 0; i < 1_500; i++) socket.send(JSON.stringify({ id: String(i), type: "subscribe", payload }));
          if (received === 1_481) socket.close();
        });
        socket.on("error", () => {});
        socket.on("close", () => resolve());
      }),
  ],
];

describe.runIf(runs)("a process with a heap of 512 MB", () => {
  test.each(attacks)("survives %s", async (name, run) => {
    for (let i = 0; i < 50; i++) await ask("{ viewer { role } }");
    const before = service.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, service.isAlive() ? service.rss() : 0)), 100);
    await run().finally(() => clearInterval(timer));
    expect(service.isAlive(), service.said()).toBe(true);
    await delay(10_000);
    expect((await ask("{ viewer { role } }")).status).toBe(200);
    console.log(`${name}: ${before} MB before, ${peak} at most, ${service.rss()} afterwards`);
    expect(service.rss() - before).toBeLessThan(150);
    if (/export/.test(name)) expect(peak - before, "while clients do not read").toBeLessThanOrEqual(150);
    if (/photos/.test(name)) expect(peak - before, "while photos are decoded").toBeLessThanOrEqual(300);
  });
});
