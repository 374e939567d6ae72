/**
 * PostgreSQL crashes after rolling back a transaction whose id was not on disk yet, and assigns the id again. Followers of the change log
 * must still see the records written with it. Run by `npm run test:fault`. Skipped without server programs.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { createSubscriptions } from "../../packages/client/src/subscriptions.js";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { GatewayProcess } from "./process.js";

describe.skipIf(!binaries)("PostgreSQL reuses transaction ids after a crash", () => {
  let server: Server;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    await build();
    // Keeps the rolled-back transaction from reaching the disk by chance.
    server = await Server.start(() => ["wal_writer_delay = 10s", "wal_writer_flush_after = 0", "autovacuum = off"]);
    gateway = await new GatewayProcess({ DATABASE_URL: server.url, DATABASE_CONNECTIONS: "6" }).start();
  });

  afterAll(async () => {
    await gateway?.stop();
    server?.remove();
  });

  /** Runs work with its own connection. */
  async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    return work(client).finally(() => client.end());
  }

  /** Rolls back `count` transactions. Returns the id of the last. */
  const rolledBack = (count: number) =>
    connected(async (client) => {
      let number = 0n;
      for (let i = 0; i < count; i++) {
        await client.query("begin");
        const { rows } = await client.query<{ id: string }>("select pg_current_xact_id()::text as id");
        await client.query("rollback");
        number = BigInt(rows[0]!.id);
      }
      return number;
    });

  /** The id of the transaction that wrote a record. */
  const numberOf = (recordId: string) =>
    connected(async (client) => {
      const { rows } = await client.query<{ number: string }>(`select "logTransaction" as number from "Change" where "recordId" = $1`, [
        recordId,
      ]);
      return BigInt(rows[0]!.number);
    });

  const ask = async (query: string) => (await gateway.call("POST", "/graphql", { query })).body.data;
  const after = async (token?: string) =>
    (await ask(`{ changesSince(recordTypes: [ASSET]${token ? `, token: "${token}"` : ""}) { nextToken hasMore records { recordId } } }`))
      .changesSince;

  it("neither a subscriber nor a token passes them", async () => {
    const first = await gateway.write("Before");
    const seen: string[] = [];
    const client = createSubscriptions({
      url: `${gateway.url}/graphql`,
      key: gateway.key,
      transport: "websocket",
      webSocketImpl: WebSocket,
    });
    const follow = async () => {
      for await (const { changes } of client.subscribe("subscription { changes(recordTypes: [ASSET]) { recordId } }", {}))
        seen.push(changes.recordId);
    };
    const following = follow().catch(() => {});
    await expect
      .poll(async () => {
        await gateway.call("PUT", `/assets/${first.body.id}`, { name: "Seen" });
        return seen.length;
      })
      .toBeGreaterThan(0);

    // Other writes may bring the ids to the disk, such as those of the service itself on a slow machine.
    for (let tries = 1, isReused = false; !isReused; tries++) {
      const last = await rolledBack(200);
      // The subscriber's reader has polled since, and a client polls now.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      let page = await after();
      while (page.hasMore) page = await after(page.nextToken);
      server.stop("immediate");
      server.resume();
      await gateway.until(200, gateway.ready, 60_000);

      const written = await gateway.write(`After ${tries}`);
      expect(written.status).toBe(201);
      await expect.poll(() => seen.at(-1)).toBe(written.body.id);
      expect((await after(page.nextToken)).records).toEqual([{ recordId: written.body.id }]);
      isReused = (await numberOf(written.body.id)) <= last;
      expect(isReused || tries < 10, "the ids were never given out again, so this shows nothing").toBe(true);
    }
    client.close();
    await following;
  });
});
