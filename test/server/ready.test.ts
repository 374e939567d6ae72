/** /ready: whether the service can handle requests, and the reasons if not. */
import { Agent, get } from "node:http";
import Fastify from "fastify";
import { afterAll, expect, test } from "vitest";
import { noteSchedulerRun } from "../../src/background/scheduler-state.js";
import { openPostgresql } from "../../src/database/connection/postgresql.js";
import { drain } from "../../src/server/drain.js";
import { DiskWatch, registerHealth } from "../../src/server/health.js";
import { version } from "../../src/version.js";
import { type Caller, startGateway } from "../world.js";

// The scheduler does not run before the tests end.
const gateway = await startGateway({ SCHEDULER: "true", SCHEDULER_SECONDS: "86400" });
const { database, config } = gateway;
const { kind } = database;

const ready = async (url = gateway.url) => {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: (await response.json()) as any };
};

/** The expected response for these reasons. */
const unready = (of: string, ...reasons: { code: string; message: string }[]) => ({
  status: 503,
  retryAfter: "2",
  body: { status: "unavailable", error: reasons[0]!.message, database: of, reasons },
});

const isReady = { status: 200, retryAfter: null, body: { status: "ready", database: kind } };

/** The address of a server with only these paths, on a database opened by `url`. */
async function serviceOn(url: string): Promise<string> {
  const opened = openPostgresql({ url, connections: 1, statementTimeout: 5_000 });
  const app = Fastify();
  registerHealth(app, opened, config, new DiskWatch());
  afterAll(async () => {
    await app.close();
    await opened.close();
  });
  return app.listen({ host: "127.0.0.1", port: 0 });
}

test("a service that responds is ready", async () => {
  expect(await ready()).toEqual(isReady);
});

test("a database without the release's migrations", async () => {
  const [{ count }] = (await database.query<{ count: number }>("select count(*)::int as count from _prisma_migrations")) as [
    { count: number },
  ];
  const lacking = (number: number) =>
    unready(kind, {
      code: "MIGRATIONS_MISSING",
      message: `The database lacks ${number} ${number === 1 ? "migration" : "migrations"} of this release; a start of the service applies them`,
    });
  const mark = (text: string) =>
    database.query(
      `update _prisma_migrations set ${text} where migration_name = (select migration_name from _prisma_migrations order by migration_name desc limit 1)`,
    );
  await mark("rolled_back_at = now()");
  expect(await ready()).toEqual(lacking(1));
  await mark("rolled_back_at = null");
  expect(await ready()).toEqual(isReady);
  await database.query("alter table _prisma_migrations rename to elsewhere");
  expect(await ready()).toEqual(lacking(count));
  await database.query("alter table elsewhere rename to _prisma_migrations");
  expect(await ready()).toEqual(isReady);
});

test("a database that needs a later version, since a migration under the running process", async () => {
  const [{ least }] = (await database.query<{ least: string }>("select least_service_version() as least")) as [{ least: string }];
  await database.query("select require_service_version('97.10.0')");
  const message = `This is version ${version()}, and the database needs 97.10.0 or later since its last migration`;
  expect(await ready()).toEqual(unready(kind, { code: "VERSION_TOO_OLD", message }));
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  await database.query(`create or replace function "least_service_version"() returns text language sql stable as $$ select '${least}' $$`);
  expect(await ready()).toEqual(isReady);
});

test("a database that takes no writes", async () => {
  const reason = { code: "DATABASE_READ_ONLY", message: "The database takes no writes: it is a standby, or read-only" };
  if (kind === "embedded") {
    await database.query("set default_transaction_read_only = on");
    expect(await ready()).toEqual(unready(kind, reason));
    await database.query("set default_transaction_read_only = off");
    expect(await ready()).toEqual(isReady);
    return;
  }
  const readOnly = new URL(config.DATABASE_URL!);
  readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
  expect(await ready(await serviceOn(String(readOnly)))).toEqual(unready(kind, reason));
});

test("an unavailable database", async () => {
  const url = await serviceOn("postgresql://postgres@127.0.0.1:1/none");
  expect(await ready(url)).toEqual(unready("postgresql", { code: "DATABASE_UNREACHABLE", message: "The database cannot be reached" }));
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test("a service that is shutting down, on a connection that is still open", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<{ status: number; body: any }>((resolve, reject) => {
      const request = get(`${gateway.url}/ready`, { agent }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode!, body: JSON.parse(text) });
      });
      request.on("error", reject);
    });
  expect(await ask()).toEqual({ status: 200, body: isReady.body });
  const drained = drain(gateway.app.server);
  const { status, body } = unready(kind, { code: "STOPPING", message: "The service is shutting down" });
  expect(await ask()).toEqual({ status, body });
  await drained;
  agent.destroy();
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const off = { code: "SCHEDULER_OFF", message: "No process makes the work orders of due procedures: SCHEDULER is false" };

test("reports that no process creates the work orders of due procedures, until one does", async () => {
  const without = await startGateway({ SCHEDULER: "false" });
  const answer = (...warnings: object[]) => ({ ...isReady, body: { ...isReady.body, ...(warnings.length && { warnings }) } });
  expect(await ready(without.url)).toEqual(answer(off));
  await noteSchedulerRun(without.database);
  expect(await ready(without.url)).toEqual(answer());
  // The scheduler's last run was long ago.
  await without.database.query(`update "SchedulerLease" set "servedAt" = $1`, [minutesAgo(16)]);
  expect(await ready(without.url)).toEqual(answer(off));
});

test("reports due work without a work order after 15 minutes, by /ready to all and in GraphQL to its readers", async () => {
  const late = await startGateway({ SCHEDULER: "true", SCHEDULER_SECONDS: "86400" });
  const [tenant, other] = [await late.newTenant(), await late.newTenant()];
  const { id: assetId } = await tenant.createAsset({ site: "North" });
  const { id } = (await tenant.rest("POST", "/pms", { name: "x", assetId, frequency: "daily", anchor: minutesAgo(14).toISOString() })).body;
  const status = async (caller: Caller) => (await caller.ask("{ schedulerStatus { isBehind dueSince } }")).schedulerStatus;
  const none = { isBehind: false, dueSince: null };
  expect((await ready(late.url)).body).toEqual(isReady.body);
  expect(await status(tenant)).toEqual(none);

  const dueSince = minutesAgo(16);
  await late.database.query(`update "Procedure" set "nextDue" = $1`, [dueSince]);
  const behind = { code: "SCHEDULER_BEHIND", message: `Work that is due since ${dueSince.toISOString()} has no work order yet` };
  expect(await ready(late.url)).toEqual({ ...isReady, body: { ...isReady.body, warnings: [behind] } });
  expect(await status(tenant)).toEqual({ isBehind: true, dueSince: dueSince.toISOString() });
  expect(await status(other)).toEqual(none);
  expect(await status(await tenant.as("manager", ["South"], false))).toEqual(none);
  expect(await status(await tenant.as("manager", ["North"], false))).toEqual({ isBehind: true, dueSince: dueSince.toISOString() });

  // Work that cannot get an order does not count as waiting: an asset out of service, a suspended tenant, a pending order.
  const expectNone = async (change: string, back: string) => {
    await late.database.query(change, [tenant.tenantId]);
    expect((await ready(late.url)).body).toEqual(isReady.body);
    await late.database.query(back, [tenant.tenantId]);
    expect((await ready(late.url)).body.warnings).toEqual([behind]);
  };
  await expectNone(
    `update "Asset" set status = 'decommissioned' where "tenantId" = $1`,
    `update "Asset" set status = 'operational' where "tenantId" = $1`,
  );
  await expectNone(
    `update "Tenant" set state = 'suspended' where "tenantId" = $1`,
    `update "Tenant" set state = 'active' where "tenantId" = $1`,
  );
  await tenant.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id) { id } }", { id });
  expect(await ready(late.url)).toEqual(isReady);
});

test("work due by a meter waits since the reading", async () => {
  const late = await startGateway({ SCHEDULER: "true", SCHEDULER_SECONDS: "86400" });
  const tenant = await late.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const meter = await tenant.ask("mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }", {
    input: { assetId, name: "Hours", kind: "RUN_HOURS" },
  });
  const meterId = meter.createMeter.id;
  const read = (value: number, takenAt: Date) =>
    tenant.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
      readings: [{ meterId, value, takenAt: takenAt.toISOString() }],
    });
  await read(0, minutesAgo(60));
  await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
    input: { name: "Oil", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 100 }] },
  });
  const takenAt = minutesAgo(20);
  await read(150, takenAt);
  expect((await tenant.ask("{ schedulerStatus { isBehind dueSince } }")).schedulerStatus).toEqual({
    isBehind: true,
    dueSince: takenAt.toISOString(),
  });
});
