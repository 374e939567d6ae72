/** Exports of processes with little memory: whole or refused, and the processes keep serving. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, freshDatabase, onPostgresql, startGateway } from "../world.js";
import { type Service, startProcess } from "./process.js";

/** Assets of the tenant. Both exports have over 15 MB. */
const assets = 20_000;

describe.runIf(onPostgresql)("a process with little memory", async () => {
  const { environment, remove } = await freshDatabase();
  const filling = await startGateway({ DATABASE_URL: environment.DATABASE_URL!, WEBHOOK_POLL_MS: "3600000" });
  let tenant: Caller;
  beforeAll(async () => {
    tenant = await filling.newTenant();
    for (let at = 0; at < assets; at += 1_000)
      await filling.database.query(
        `insert into "Asset" ("tenantId", id, name, type, description)
       select $1, gen_random_uuid(), 'Pump', 'pump', repeat('x', 900) from generate_series(1, 1000)`,
        [tenant.tenantId],
      );
  });
  afterAll(() => remove());

  const ask = async (service: { url: string }, query: string): Promise<{ status: number; body: string }> => {
    const response = await fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}` },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, body: await response.text() };
  };

  test.each([
    [128, 24],
    [256, 24],
  ])("of %i MB survives the exports of %i clients at once", async (heapMb, clients) => {
    const queries = ["{ exportChanges }", "{ exportRecords(sheet: ASSETS) }"] as const;
    const whole = await Promise.all(queries.map(async (query) => (await ask(filling, query)).body));
    expect(whole.map((body) => body.length > 15_000_000)).toEqual([true, true]);
    const service: Service = await startProcess(environment, heapMb);
    try {
      const answers = await Promise.all(Array.from({ length: clients }, (_, i) => ask(service, queries[i % 2]!)));
      for (const [i, { status, body }] of answers.entries()) {
        if (body.includes('"errors":'))
          expect(JSON.parse(body).errors[0].extensions.code).toMatch(/^(BAD_USER_INPUT|RATE_LIMITED|SERVICE_UNAVAILABLE)$/);
        else expect([status, body === whole[i % 2]]).toEqual([200, true]);
      }
      expect(service.isAlive()).toBe(true);
      expect(JSON.parse((await ask(service, "{ assets(first: 1) { totalCount } }")).body)).toEqual({
        data: { assets: { totalCount: assets } },
      });
    } finally {
      await service.stop();
    }
  });
});
