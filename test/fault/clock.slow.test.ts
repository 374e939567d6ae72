/**
 * Processes whose clocks are two hours off still decide by the database's clock. Run by `npm run test:fault`. Skipped without server
 * programs.
 */
import { afterAll, expect, test } from "vitest";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { startGateway } from "../world.js";
import { GatewayProcess } from "./process.js";

const hour = 3_600_000;

/** A module that shifts the clock of a process. */
const moved = (hours: number) =>
  `data:text/javascript,${encodeURIComponent(`const Real = Date, now = () => Real.now() + ${hours * hour};
   globalThis.Date = new Proxy(Real, {
     construct: (of, values, target) => Reflect.construct(of, values.length ? values : [now()], target === globalThis.Date ? of : target),
     get: (of, name) => (name === "now" ? now : of[name]),
   });`)}`;

const processes: GatewayProcess[] = [];
let server: Server | undefined;

afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  // The server is removed first, so the gateway of this process closes without a connection.
  server?.remove();
});

const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
/** True for times within a minute of now. */
const isNow = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 60_000;

test.runIf(binaries)("keys, grants, readings, times of actions and the scheduler", async () => {
  await build();
  server = await Server.start();
  const DATABASE_URL = server.url;
  const gateway = await startGateway({ DATABASE_URL, WEBHOOK_POLL_MS: "3600000" });
  const caller = await gateway.newTenant();
  for (const hours of [2, -2])
    processes.push(
      new GatewayProcess({
        DATABASE_URL,
        NODE_OPTIONS: `--import=${moved(hours)}`,
        SCHEDULER: "true",
        SCHEDULER_SECONDS: "1",
        DATABASE_CONNECTIONS: "3",
      }),
    );
  const keyUntil = async (hours: number) => {
    const { createApiKey: made } = await caller.ask(
      `mutation ($end: DateTime) { createApiKey(input: { name: "k", role: VIEWER, expiresAt: $end }) { key apiKey { id } } }`,
      { end: at(1) },
    );
    await gateway.database.query(`update "ApiKey" set "expiresAt" = $2 where "tenantId" = $1 and id = $3`, [
      caller.tenantId,
      at(hours),
      made.apiKey.id,
    ]);
    return made.key as string;
  };
  const [valid, expired] = [await keyUntil(1), await keyUntil(-1)];
  const { id } = await caller.createAsset();
  const procedure = async (anchor: string) =>
    (
      await caller.ask(
        `mutation ($a: ID!, $at: DateTime) { createProcedure(input: { name: "P", assetId: $a, frequency: DAILY, anchor: $at, steps: [{ description: "S" }] }) { id } }`,
        { a: id, at: anchor },
      )
    ).createProcedure.id as string;
  const later = await procedure(at(1));
  const due = await procedure(at(-0.01));

  await Promise.all(processes.map((one) => one.start(caller.key)));
  for (const one of processes) {
    const status = async (key: string) => (await fetch(`${one.url}/assets`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await status(valid), await status(expired)]).toEqual([200, 401]);
    const ask = async (query: string, variables: object) => (await one.call("POST", "/graphql", { query, variables })).body;
    const create = `mutation ($end: DateTime) { createApiKey(input: { name: "k", role: VIEWER, expiresAt: $end }) { apiKey { id } } }`;
    expect((await ask(create, { end: at(1) })).errors).toBeUndefined();
    expect((await ask(create, { end: at(-1) })).errors[0].extensions.details).toEqual({ expiresAt: "must be in the future" });
    const read = `mutation ($a: ID!, $at: DateTime) { recordReadings(readings: [{ assetId: $a, parameter: "t", value: 1, recordedAt: $at }]) { recorded results { field } } }`;
    const stored = async (hours: number) => (await ask(read, { a: id, at: at(hours) })).data.recordReadings;
    expect(await stored(0)).toEqual({ recorded: 1, results: [{ field: null }] });
    expect(await stored(1)).toEqual({ recorded: 0, results: [{ field: "recordedAt" }] });
    const grant = await one.call("POST", `/assets/${id}/photos/presigned-url`, { filename: "a.jpg", contentType: "image/jpeg", size: 3 });
    expect(isNow(new Date(Date.parse(grant.body.expiresAt) - 15 * 60_000).toISOString())).toBe(true);
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(grant.body.fields)) form.append(name, value);
    form.append("file", new Blob(["abc"]), "a.jpg");
    expect((await fetch(grant.body.uploadUrl, { method: "POST", body: form })).status).toBe(204);
    const { body: asset } = await one.write();
    const { body: deleted } = await one.call("DELETE", `/assets/${asset.id}`);
    expect(isNow(deleted.deletedAt), deleted.deletedAt).toBe(true);
  }
  const made = async () =>
    (
      await gateway.database.query<{ procedureId: string }>(`select "procedureId" from "WorkOrder" where "tenantId" = $1`, [
        caller.tenantId,
      ])
    ).map(({ procedureId }) => procedureId);
  await expect.poll(made).toEqual([due]);
  // Waits for two more runs of both.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await made()).toEqual([due]);
  expect(later).not.toBe(due);
});
