/** /ready: whether requests would be answered, and if not, why. */
import { Agent, get } from "node:http";
import Fastify from "fastify";
import { afterAll, expect, test } from "vitest";
import { version } from "../../src/database/package-files.js";
import { openPostgresql } from "../../src/database/postgresql.js";
import { drain } from "../../src/server/drain.js";
import { registerHealth } from "../../src/server/health.js";
import { startGateway } from "../world.js";

const gateway = await startGateway();
const { database, config } = gateway;
const { kind } = database;

const ready = async (url = gateway.url) => {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: (await response.json()) as any };
};

/** The answer for these reasons. */
const unready = (of: string, ...reasons: { code: string; message: string }[]) => ({
  status: 503,
  retryAfter: "2",
  body: { status: "unavailable", error: reasons[0]!.message, database: of, reasons },
});

const isReady = { status: 200, retryAfter: null, body: { status: "ready", database: kind } };

/** The address of a server with these paths alone, on a database that is opened by `url`. */
async function serviceOn(url: string): Promise<string> {
  const opened = openPostgresql({ url, connections: 1, statementTimeout: 5_000 });
  const app = Fastify();
  registerHealth(app, opened);
  afterAll(async () => {
    await app.close();
    await opened.close();
  });
  return app.listen({ host: "127.0.0.1", port: 0 });
}

test("a service that answers is ready", async () => {
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

test("a database that is away", async () => {
  const url = await serviceOn("postgresql://postgres@127.0.0.1:1/none");
  expect(await ready(url)).toEqual(unready("postgresql", { code: "DATABASE_UNREACHABLE", message: "The database cannot be reached" }));
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test("a service that is ending, on a connection that is still open", async () => {
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
  const { status, body } = unready(kind, { code: "STOPPING", message: "The service is ending" });
  expect(await ask()).toEqual({ status, body });
  await drained;
  agent.destroy();
});
