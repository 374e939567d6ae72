/** A server that temporarily rejects writes (test/fault covers the failover itself), and errors that a new connection would not fix. */
import { expect, test } from "vitest";
import { DatabaseUnavailable, toServiceError } from "../../src/database/errors.js";
import { onServer } from "../prepare.js";
import { onPostgresql, startGateway } from "../world.js";

test.runIf(onPostgresql)("writes get 503, reads succeed, and the service recovers automatically", async () => {
  const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset();
  const name = new URL(gateway.config.DATABASE_URL!).pathname.slice(1);
  const setReadOnly = async (isReadOnly: boolean) => {
    await onServer(`alter database ${name} set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`);
  };
  await setReadOnly(true);
  await expect.poll(async () => (await caller.rest("GET", "/assets")).status).toBe(200);
  const before = await caller.snapshot();
  for (const [method, path, body] of [
    ["POST", "/assets", { name: "Pump", type: "pump" }],
    ["PUT", `/assets/${id}`, { name: "Other" }],
    ["DELETE", `/assets/${id}`],
  ] as const) {
    const answer = await caller.rest(method, path, body);
    expect([answer.status, answer.headers.get("retry-after"), answer.body]).toEqual([
      503,
      "2",
      {
        error: "The database cannot be reached for the moment; try again shortly",
        code: "SERVICE_UNAVAILABLE",
        requestId: answer.headers.get("x-request-id"),
      },
    ]);
  }
  expect(await caller.graphql(`mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }`)).toEqual({
    status: 503,
    data: { createAsset: null },
    errors: [
      expect.objectContaining({
        message: "The database cannot be reached for the moment; try again shortly",
        extensions: expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
      }),
    ],
  });
  const ready = await gateway.rest("GET", "/ready");
  const message = "The database takes no writes: it is a standby, or read-only";
  expect([ready.status, ready.headers.get("retry-after"), ready.body]).toEqual([
    503,
    "2",
    { status: "unavailable", error: message, database: "postgresql", reasons: [{ code: "DATABASE_READ_ONLY", message }] },
  ]);
  expect(await caller.snapshot()).toEqual(before);
  await setReadOnly(false);
  await expect.poll(async () => (await gateway.rest("GET", "/ready")).status).toBe(200);
  expect((await caller.rest("PUT", `/assets/${id}`, { name: "Other" })).status).toBe(200);
});

test("a protocol violation is not a lost connection", () => {
  const error = (code: string) => Object.assign(new Error("of the server"), { code });
  for (const code of ["08000", "08001", "08003", "08006", "57P01", "25006", "53300"])
    expect(toServiceError(error(code)), code).toBeInstanceOf(DatabaseUnavailable);
  const violation = error("08P01");
  expect(toServiceError(violation)).toBe(violation);
});
