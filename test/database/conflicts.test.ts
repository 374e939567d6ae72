/** Conflicts between writers: the server retries deadlocks and serialization failures. */
import { describe, expect, test } from "vitest";
import { type Caller, onPostgresql, startGateway } from "../world.js";

const gateway = await startGateway();
const key = (value: string) => ({ "idempotency-key": value });

const assetsOf = async (tenant: Caller, count: number) => {
  const assets = await Promise.all(Array.from({ length: count }, (_, i) => tenant.createAsset({ name: `A${i}`, serialNumber: `S${i}` })));
  return assets.sort((a, b) => (a.id < b.id ? -1 : 1));
};

/**
 * A trigger on "Asset" that rejects the first `times` updates to the name `refused` with a serialization failure. Returns the number of
 * attempts.
 */
async function failing(times: number): Promise<{ attempts(): Promise<number>; remove(): Promise<void> }> {
  const run = (sql: string) => gateway.database.query<any>(sql);
  await run(`create sequence failing_attempts`);
  await run(`create function failing() returns trigger language plpgsql as $$ begin
    if nextval('failing_attempts') <= ${times} then raise exception 'not now' using errcode = '40001'; end if; return new; end $$`);
  await run(`create trigger failing before update on "Asset" for each row when (new.name = 'refused') execute function failing()`);
  return {
    attempts: async () => Number((await run(`select last_value from failing_attempts`))[0].last_value),
    async remove() {
      await run(`drop trigger failing on "Asset"`);
      await run(`drop function failing`);
      await run(`drop sequence failing_attempts`);
    },
  };
}

describe.runIf(onPostgresql)("writers of the same records in different orders", () => {
  test("an upsert concurrent with readings: neither fails", async () => {
    const tenant = await gateway.newTenant();
    const assets = await assetsOf(tenant, 60);
    const readings = assets.map(({ id }) => ({ assetId: id, parameter: "heat", value: 1 }));
    const record = () =>
      tenant.graphql(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }`, { readings });
    const upsert = (name: string) =>
      tenant.rest(
        "POST",
        "/assets/import?mode=upsert",
        `name,type,serialNumber\n${[...assets]
          .reverse()
          .map(({ serialNumber }) => `${name},pump,${serialNumber}`)
          .join("\n")}\n`,
        { "content-type": "text/csv", ...(name.length % 2 ? {} : key(name)) },
      );
    for (let round = 0; round < 6; round++) {
      const names = [`N${round}`, `NN${round}`];
      const [first, second, ...recorded] = await Promise.all([...names.map(upsert), record(), record(), record()]);
      for (const answer of [first, second] as any[])
        expect([answer.status, answer.body.imported, answer.body.failed, answer.body.assets?.length]).toEqual([200, 60, 0, 60]);
      for (const answer of recorded as any[]) expect(answer).toEqual({ status: 200, data: { recordReadings: { recorded: 60 } } });
    }
    const [found] = await gateway.database.query<any>(
      `select (select count(*)::int from "Reading" where "tenantId" = $1) as readings, (select count(distinct name)::int from "Asset" where "tenantId" = $1) as names`,
      [tenant.tenantId],
    );
    expect(found).toEqual({ readings: 6 * 3 * 60, names: 1 });
  });

  test("documents of several mutations with an Idempotency-Key: each is stored as a whole, once", async () => {
    const tenant = await gateway.newTenant();
    const [one, two] = await assetsOf(tenant, 2);
    const write = async (ids: string[], name: string) => {
      const query = `mutation ($a: ID!, $b: ID!, $name: Name!) {
        a: updateAsset(id: $a, input: { name: $name }) { name } b: updateAsset(id: $b, input: { name: $name }) { name }
        c: createAsset(input: { name: $name, type: "t" }) { name } }`;
      const response = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, ...key(name) },
        body: JSON.stringify({ query, variables: { a: ids[0], b: ids[1], name } }),
      });
      expect([response.status, await response.json()]).toEqual([200, { data: { a: { name }, b: { name }, c: { name } } }]);
    };
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 4 }, (_, i) => write(i % 2 ? [one.id, two.id] : [two.id, one.id], `R${round}-${i}`)));
    const assets = (await tenant.ask(`{ assets(first: 50) { totalCount nodes { name } } }`)).assets;
    expect([assets.totalCount, new Set(assets.nodes.map(({ name }: any) => name)).size]).toEqual([18, 16]);
  });
});

describe.runIf(onPostgresql)("a write that PostgreSQL undoes", () => {
  const refusal = "Others are writing the same records at this moment; nothing was changed, try again shortly";

  test.each([{}, key("k")])("is retried until it succeeds (%j)", async (headers) => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const trigger = await failing(3);
    try {
      const { status, body } = await tenant.rest("PUT", `/assets/${id}`, { name: "refused" }, headers);
      expect([status, body.name, await trigger.attempts()]).toEqual([200, "refused", 4]);
    } finally {
      await trigger.remove();
    }
  });

  test.each([{}, key("k")])("is refused with 503 after five attempts, changes nothing and can be sent again (%j)", async (headers) => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const before = await tenant.snapshot();
    const send = () => tenant.rest("PUT", `/assets/${id}`, { name: "refused" }, headers);
    const trigger = await failing(5);
    try {
      const { status, headers: sent, body } = await send();
      expect([status, sent.get("retry-after"), body]).toEqual([
        503,
        "2",
        { error: refusal, code: "SERVICE_UNAVAILABLE", requestId: sent.get("x-request-id") },
      ]);
      expect(await trigger.attempts()).toBe(5);
      expect(await tenant.snapshot()).toEqual(before);
      const again = await send();
      expect([again.status, again.headers.get("idempotent-replayed"), again.body.name]).toEqual([200, null, "refused"]);
    } finally {
      await trigger.remove();
    }
  });

  test("in GraphQL the error has a code, with and without an Idempotency-Key", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const query = `mutation { updateAsset(id: "${id}", input: { name: "refused" }) { name } }`;
    const trigger = await failing(10);
    try {
      expect(await tenant.graphql(query)).toEqual({
        status: 503,
        data: { updateAsset: null },
        errors: [{ message: refusal, path: ["updateAsset"], extensions: { code: "SERVICE_UNAVAILABLE" } }],
      });
      const response = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, ...key("g") },
        body: JSON.stringify({ query }),
      });
      expect(((await response.json()) as any).errors).toEqual([{ message: refusal, extensions: { code: "SERVICE_UNAVAILABLE" } }]);
    } finally {
      await trigger.remove();
    }
  });
});
