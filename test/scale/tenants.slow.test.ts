/**
 * Database pages read by a request, the scheduler and the outbox, with 10, 100 and 1,000 tenants. Run by `npm run test:scale`. Skipped
 * without server programs.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { queueEvents } from "../../src/domain/alerts/webhook-events.js";
import { binaries, Server } from "../postgresql.js";
import type { Caller } from "../world.js";
import { ask, openGateway } from "./servers.js";

const steps = [10, 100, 1_000];

/** Tenants from $1 to $2: each with assets, components, procedures that are not due, readings, and a webhook. */
const neighbours = [
  `insert into "Tenant" ("tenantId") select 'n' || t from generate_series($1::int, $2::int) t`,
  `insert into "Asset" ("tenantId", id, name, type, site, area) select 'n' || t, 'a' || n, 'Asset ' || n, 'pump', 'Site ' || n % 2, 'Area ' || n % 4
   from generate_series($1::int, $2::int) t, generate_series(1, 20) n`,
  `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type) select 'n' || t, 'c' || n, 'a' || 1 + n % 20, n, 0, n || '.', 'Motor', 'motor'
   from generate_series($1::int, $2::int) t, generate_series(1, 40) n`,
  `insert into "Procedure" ("tenantId", id, name, "assetId", frequency, anchor, "anchorSteps", "nextDue")
   select 'n' || t, 'p' || n, 'Lubricate', 'a' || n, 'monthly', now() - interval '1 year', 0, now() + n * interval '20 days' from generate_series($1::int, $2::int) t, generate_series(1, 5) n`,
  `insert into "Reading" ("tenantId", "assetId", parameter, value, "recordedAt", "recordedBy")
   select 'n' || t, 'a' || 1 + n % 20, 'heat', n, now() - n * interval '1 minute', 'x' from generate_series($1::int, $2::int) t, generate_series(1, 50) n`,
  `insert into "Webhook" ("tenantId", id, url, events, secret, "createdBy")
   select 'n' || t, 'h', 'https://example.org', array['work_order.created'], 'x', 'x' from generate_series($1::int, $2::int) t`,
];

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

/** Number of pages, cached or not, that the statements of the work access. */
async function pagesOf({ url }: Server, work: () => Promise<unknown>): Promise<number> {
  await ask(url, "select statistics.pg_stat_statements_reset()");
  await work();
  const [sum] = await ask<{ pages: number }>(
    url,
    "select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages from statistics.pg_stat_statements",
  );
  return sum!.pages;
}

/** Average number of pages for each of several runs. */
async function pagesEach(server: Server, times: number, work: () => Promise<unknown>): Promise<number> {
  const repeat = async (count: number) => {
    for (let i = 0; i < count; i++) await work();
  };
  // The first runs fill caches.
  await repeat(3);
  return (await pagesOf(server, () => repeat(times))) / times;
}

describe.skipIf(!binaries)("beside 10, 100 and 1,000 tenants", () => {
  let server: Server;
  let opened: Awaited<ReturnType<typeof openGateway>>;
  let tenant: Caller;
  let assetId: string;
  let partId: string;

  beforeAll(async () => {
    server = await Server.start(() => ["shared_preload_libraries = 'pg_stat_statements'"]);
    await ask(server.url, "create schema statistics");
    await ask(server.url, "create extension pg_stat_statements schema statistics");
    opened = await openGateway({ DATABASE_URL: server.url, WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
    tenant = await opened.gateway.newTenant();
    for (let i = 0; i < 120; i++) assetId = (await tenant.createAsset({ name: `Asset ${i}`, site: "North" })).id;
    partId = (await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", stockLevel: 1_000_000 })).body.partId;
  });

  afterAll(async () => {
    await opened?.close();
    server?.remove();
  });

  test("a request, the scheduler and the outbox cost the same", async () => {
    const { database } = opened.gateway;
    const figures: Record<string, Record<string, number>> = {};
    let loaded = 0;
    for (const [step, count] of steps.entries()) {
      for (const sql of neighbours) await ask(server.url, sql, [loaded + 1, count]);
      loaded = count;
      await ask(server.url, "vacuum analyze");
      await queueEvents(database);
      const fail = (error: unknown) => expect.fail(String(error));
      const schedule = () => createDueWorkOrders(database, new Date(), fail);
      const orders: number[] = [];
      for (let round = 0; round < 5; round++) {
        await ask(server.url, `update "Procedure" set "nextDue" = now() - interval '1 hour' where "tenantId" = $1 and id = $2`, [
          `n${1 + round}`,
          `p${1 + step}`,
        ]);
        await ask(
          server.url,
          `update "WorkOrder" set status = 'completed', "endedAt" = now(), "completedAt" = now() where "endedAt" is null`,
        );
        orders.push(await pagesOf(server, async () => expect(await schedule()).toBe(1)));
        await ask(server.url, `update "Procedure" set "nextDue" = now() + interval '30 days' where "nextDue" < now()`);
      }
      const written = ["n1", "n2", "n3"];
      figures[`${count} tenants`] = {
        "asset by id": await pagesEach(server, 100, () => tenant.rest("GET", `/assets/${assetId}`)),
        "list of 100": await pagesEach(server, 40, () => tenant.rest("GET", "/assets?limit=100")),
        "stock adjustment": await pagesEach(server, 60, () =>
          tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "loss", quantity: -1 }),
        ),
        "scheduler, nothing due": await pagesEach(server, 30, schedule),
        "scheduler, one due": median(orders),
        "outbox, three that wrote": await pagesEach(server, 30, () => queueEvents(database, written)),
        "outbox, a tenant of all": (await pagesEach(server, 15, () => queueEvents(database))) / count,
      };
    }
    console.table(
      Object.fromEntries(
        Object.entries(figures).map(([name, row]) => [
          name,
          Object.fromEntries(Object.entries(row).map(([what, pages]) => [what, +pages.toFixed(1)])),
        ]),
      ),
    );
    const [few, , many] = Object.values(figures) as [Record<string, number>, unknown, Record<string, number>];
    // Indexes may grow by a level, and the first page varies. A cost proportional to tenants would grow a hundredfold.
    for (const what of Object.keys(few)) expect(many[what]! / Math.max(few[what]!, 10), what).toBeLessThan(4);
  });
});
