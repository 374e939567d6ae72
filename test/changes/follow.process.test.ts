/**
 * Every follower of the change log ends with the content of the database and sees every change in order. This holds during imports in long
 * transactions, late commits, deletions, restorations, disconnects, and the kill of a gateway. `CHANGES_SECONDS=60` runs it longer.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "graphql-ws";
import { afterAll, beforeAll, expect, it } from "vitest";
import WebSocket from "ws";
import { build } from "../generate.js";
import { type Caller, Gateway, startGateway } from "../world.js";
import { copyQuery, followedTypes, readableRecords } from "./followers.js";

const seconds = Number(process.env.CHANGES_SECONDS ?? 4);
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const onPostgresql = gateway.database.kind === "postgresql";
const root = fileURLToPath(new URL("../..", import.meta.url));

/** A second process on the same database, where possible. */
let child: ChildProcess | undefined;
let childUrl = gateway.url;

async function startChild(): Promise<void> {
  const started = spawn(process.execPath, ["dist/cli/main.js", "serve"], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: "silent",
      PORT: "0",
      DATABASE_URL: gateway.config.DATABASE_URL,
      ROW_SECURITY: gateway.config.ROW_SECURITY,
      DATA_DIR: gateway.config.DATA_DIR,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child = started;
  childUrl = await new Promise((resolve, reject) => {
    let printed = "";
    started.once("exit", (code) => reject(new Error(`the process ended with ${code}: ${printed}`)));
    started.stderr!.on("data", (text) => {
      printed += text;
      const [url] = /http:\/\/[\d.]+:\d+/.exec(printed) ?? [];
      if (url) resolve(url);
    });
  });
}

async function killChild(): Promise<void> {
  const ended = once(child!, "close");
  child!.kill("SIGKILL");
  await ended;
}

beforeAll(async () => {
  await build();
  if (onPostgresql) await startChild();
});
afterAll(() => onPostgresql && killChild());

/** The same caller at one of the processes. A killed process does not respond. */
const somewhere = ({ tenantId, key }: Caller) =>
  new (class extends Gateway {
    call(query: string, variables: object): Promise<any> {
      return fetch(`${this.url}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, variables }),
      })
        .then((response) => response.json())
        .catch(() => undefined);
    }
    readonly tenantId = tenantId;
  })(Math.random() < 0.5 ? gateway.url : childUrl, gateway.app, gateway.database, gateway.config);

const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];

class Subscriber {
  readonly events: { recordId: string; kind: string; version: number }[] = [];
  token: string | undefined;
  /** Error codes. A subscriber that lagged reconnects with its token. */
  readonly refusals: unknown[] = [];
  private client: Client | undefined;

  constructor(private readonly key: string) {}

  connect(): void {
    this.client = createClient({
      url: `${(Math.random() < 0.5 ? gateway.url : childUrl).replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${this.key}` },
      retryAttempts: 0,
    });
    const query = "subscription ($after: String) { changes(recordTypes: [ASSET], after: $after) { recordId kind version } }";
    const client = this.client;
    client.subscribe(
      { query, variables: { after: this.token } },
      {
        next: ({ data, errors, extensions }) => {
          if (this.client !== client) return;
          this.token = (extensions as { token: string }).token;
          if (!errors) return this.events.push((data as any).changes);
          this.refusals.push(...errors.map((error) => error.extensions?.code));
          void this.cut().then(() => this.connect());
        },
        error: () => {},
        complete: () => {},
      },
    );
  }

  async cut(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    // A client of a killed process cannot close its connection properly.
    await Promise.resolve(client?.dispose()).catch(() => {});
  }
}

it(
  "readers and subscribers miss nothing, repeat nothing and end with the content of the database",
  async () => {
    const caller = await gateway.newTenant();
    const { tenantId } = caller;
    const known: string[] = [];
    let isOver = false;
    let count = 0;

    const write = async () => {
      const at = somewhere(caller);
      const chance = Math.random();
      const name = `n${++count}`;
      const id = pick(known);
      if (chance < 0.3 || !id) {
        const answer = await at.call('mutation ($name: Name!) { createAsset(input: { name: $name, type: "pump" }) { id } }', { name });
        if (answer?.data?.createAsset) known.push(answer.data.createAsset.id);
      } else if (chance < 0.75)
        await at.call("mutation ($id: ID!, $name: Name!) { updateAsset(id: $id, input: { name: $name }) { id } }", { id, name });
      else if (chance < 0.85) await at.call("mutation ($id: ID!) { deleteAsset(id: $id) { id } }", { id });
      else if (chance < 0.95) await at.call("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id });
      else {
        const rows = Array.from({ length: 300 }, (_, i) => `${name}-${i},pump,${name}-${i}`);
        await fetch(`${at.url}/assets/import?mode=upsert`, {
          method: "POST",
          headers: { "content-type": "text/csv", authorization: `Bearer ${caller.key}` },
          body: ["name,type,serialNumber", ...rows].join("\n"),
        }).catch(() => undefined);
      }
    };
    const writer = async () => {
      while (!isOver) await write();
    };
    /** Writes early and commits late. The embedded database has a single connection, which this would block. */
    const lateWriter = async () => {
      while (!isOver && onPostgresql) {
        await gateway.database.transaction(async (tx) => {
          await tx.query(`insert into "Asset" ("tenantId", id, name, type) values ($1, gen_random_uuid()::text, 'late', 'pump')`, [
            tenantId,
          ]);
          await sleep(300);
        });
        await sleep(50);
      }
    };

    const read = async (copy: Map<string, { name: string; version: number }>, token?: string): Promise<string> => {
      const answer = await somewhere(caller).call(
        `query ($token: String, $first: Int!) { changesSince(token: $token, recordTypes: [ASSET], first: $first) {
        nextToken hasMore records { recordId record { ... on Asset { name } } } } }`,
        // Mostly full pages, so that the reader keeps up with eight writers, and some small ones.
        { token, first: Math.random() < 0.2 ? 20 : 500 },
      );
      if (!answer) return read(copy, token);
      expect(answer.errors).toBeUndefined();
      const { nextToken, hasMore, records } = answer.data.changesSince;
      for (const { recordId, record } of records) record ? copy.set(recordId, record) : copy.delete(recordId);
      return hasMore ? read(copy, nextToken) : nextToken;
    };
    const copies = Array.from({ length: 4 }, () => ({
      copy: new Map<string, { name: string; version: number }>(),
      token: undefined as string | undefined,
    }));
    const reader = async (one: (typeof copies)[number]) => {
      await sleep(Math.random() * seconds * 500);
      while (!isOver) {
        one.token = await read(one.copy, one.token);
        await sleep(Math.random() * 500);
      }
    };

    const subscribers = Array.from({ length: 4 }, () => new Subscriber(caller.key));
    for (const subscriber of subscribers) subscriber.connect();
    // Waits for a first event, so that every subscriber has a token before its connection is cut.
    await expect
      .poll(
        async () => {
          await write();
          return subscribers.every(({ token }) => token);
        },
        { interval: 50 },
      )
      .toBe(true);
    const cutter = async (subscriber: Subscriber) => {
      while (!isOver) {
        await sleep(100 + Math.random() * 600);
        await subscriber.cut();
        await sleep(Math.random() * 300);
        subscriber.connect();
      }
    };
    const killer = async () => {
      while (!isOver && onPostgresql) {
        await sleep(seconds * 350);
        await killChild();
        await startChild();
      }
    };
    const all = [
      ...Array.from({ length: onPostgresql ? 8 : 3 }, writer),
      lateWriter(),
      killer(),
      ...copies.map(reader),
      ...subscribers.map(cutter),
    ];
    const logOfAssets = () =>
      gateway.database.query<any>(
        `select "recordId", upper(kind) as kind, version from "Change" where "tenantId" = $1 and "recordType" = 'Asset' order by "logTransaction", "logSequence"`,
        [tenantId],
      );
    await sleep(seconds * 1000);
    // A slow machine needs longer for the same number of changes.
    await expect.poll(async () => (await logOfAssets()).length, { timeout: 120_000, interval: 500 }).toBeGreaterThan(50);
    isOver = true;
    await Promise.all(all);

    const logged = await logOfAssets();
    for (const subscriber of subscribers) {
      // A subscriber of the killed process has not noticed the loss of its connection.
      await subscriber.cut();
      subscriber.connect();
      await expect.poll(() => subscriber.events.length).toBeGreaterThanOrEqual(1);
      const first = logged.findIndex(
        ({ recordId, version }) => recordId === subscriber.events[0]!.recordId && version === subscriber.events[0]!.version,
      );
      await expect.poll(() => subscriber.events.length).toBe(logged.length - first);
      expect(subscriber.events).toEqual(logged.slice(first));
      expect(subscriber.refusals.filter((code) => code !== "LAGGED")).toEqual([]);
      await subscriber.cut();
    }
    const stored = await gateway.database.query<any>(`select id, name from "Asset" where "tenantId" = $1 and "deletedAt" is null`, [
      tenantId,
    ]);
    const expected = new Map(stored.map(({ id, name }) => [id, { name }]));
    for (const { copy, token } of copies) {
      await read(copy, token);
      expect(copy).toEqual(expected);
    }
  },
  120_000 + seconds * 3_000,
);

it(
  "followers of one site and of all end with what they may read, while assets move and a process is killed",
  async () => {
    const caller = await gateway.newTenant();
    const sites = ["North", "South"];
    const assets: string[] = [];
    for (const site of [...sites, ...sites]) assets.push((await caller.createAsset({ site })).id);
    const components: string[] = [];
    let isOver = false;
    let kills = 0;
    let moves = 0;
    const writer = async () => {
      while (!isOver) {
        const at = somewhere(caller);
        const chance = Math.random();
        const component = pick(components);
        const variables = { asset: pick(assets), component, site: pick(sites), name: `n${Math.random()}` };
        if (chance < 0.3 || !component) {
          const made = await at.call(
            'mutation ($asset: ID!, $name: Name!) { createComponent(input: { assetId: $asset, name: $name, type: "motor" }) { id } }',
            variables,
          );
          if (made?.data?.createComponent) components.push(made.data.createComponent.id);
        } else if (chance < 0.55) {
          const moved = await at.call(
            "mutation ($asset: ID!, $site: Place!) { updateAsset(id: $asset, input: { site: $site }) { id } }",
            variables,
          );
          if (moved?.data?.updateAsset) moves++;
        } else if (chance < 0.7)
          await at.call(
            'mutation ($asset: ID!, $name: Name!) { raiseNotification(input: { type: TREND, severity: INFO, title: $name, message: "m", assetId: $asset }) { id } }',
            variables,
          );
        else if (chance < 0.8) await at.call("mutation ($component: ID!) { deleteComponent(id: $component) { id } }", variables);
        else
          await at.call(
            "mutation ($component: ID!, $name: Name!) { updateComponent(id: $component, input: { name: $name }) { id } }",
            variables,
          );
      }
    };
    const killer = async () => {
      while (!isOver && onPostgresql) {
        await sleep(100);
        if (moves < (kills + 1) * seconds) continue;
        kills++;
        await killChild();
        await startChild();
      }
    };
    const followers = await Promise.all(
      [[], ["North"], ["South"]].map(async (rights) => ({
        rights,
        who: rights.length ? await caller.as("viewer", rights, false) : caller,
        copy: new Map<string, number | null>(),
        token: undefined as string | undefined,
      })),
    );
    /** Reads a page. Returns whether there may be more. */
    const readOn = async (follower: (typeof followers)[number]): Promise<boolean> => {
      const variables = { token: follower.token, recordTypes: followedTypes, first: Math.random() < 0.3 ? 5 : 500 };
      const answer = await somewhere(follower.who).call(copyQuery, variables);
      if (!answer) return true;
      expect(answer.errors).toBeUndefined();
      const { nextToken, hasMore, records } = answer.data.changesSince;
      for (const { recordType, recordId, record } of records)
        if (record) follower.copy.set(`${recordType} ${recordId}`, record.version ?? null);
        else follower.copy.delete(`${recordType} ${recordId}`);
      follower.token = nextToken;
      return hasMore;
    };
    const reader = async (follower: (typeof followers)[number]) => {
      while (!isOver) await readOn(follower);
    };
    const all = [...Array.from({ length: 4 }, writer), killer(), ...followers.map(reader)];
    const hasEnough = () => moves >= seconds * 3 && components.length >= seconds && (kills >= 2 || !onPostgresql);
    await expect
      .poll(hasEnough, { timeout: 150_000 + seconds * 3_000, interval: 100 })
      .toBe(true)
      .finally(() => (isOver = true));
    await Promise.all(all);
    await gateway.logIsComplete();
    for (const follower of followers) {
      while (await readOn(follower));
      expect(Object.fromEntries(follower.copy)).toEqual(await readableRecords(caller, follower.rights));
    }
    if (process.env.FEED_FIGURES) process.stderr.write(`${JSON.stringify({ kills, moves, components: components.length })}\n`);
  },
  240_000 + seconds * 6_000,
);
