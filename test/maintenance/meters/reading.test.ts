/** Readings and trigger conditions: stored readings, raised notifications, and the reset of a trigger. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../../src/domain/maintenance/strategies/trigger-rules.js";
import { type Caller, type GraphqlAnswer, startGateway } from "../../world.js";

const gateway = await startGateway();

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const send = (caller: Caller, readings: object[]): Promise<GraphqlAnswer> =>
  caller.graphql(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded raised } }`, { readings });

const batchMutation = `mutation ($readings: [ReadingInput!]!) {
  recordReadings(readings: $readings) { recorded duplicates failed raised results { status field error } } }`;

/** Sends a batch that may contain rejected readings. Returns the whole outcome. */
const sendMixed = async (caller: Caller, readings: object[], idempotencyKey?: string) => {
  const { body } = await caller.rest(
    "POST",
    "/graphql",
    { query: batchMutation, variables: { readings } },
    idempotencyKey ? { "idempotency-key": idempotencyKey } : {},
  );
  expect(body.errors).toBeUndefined();
  return body.data.recordReadings;
};
const success = { status: "SUCCESS", field: null, error: null };
const failure = (field: string, reason: string) => ({ status: "FAILED", field, error: `${field} ${reason}` });
const noAsset = failure("assetId", "names no asset; use the id of an existing one");

async function record(caller: Caller, readings: object[]): Promise<{ recorded: number; raised: string[] }> {
  const { data, errors } = await send(caller, readings);
  expect(errors).toBeUndefined();
  expect(data.recordReadings.recorded).toBe(readings.length);
  return data.recordReadings;
}

async function rows(tenant: Caller) {
  const found = ["Reading", "TriggerState", "Notification"].map((table) =>
    gateway.database.query<{ row: any }>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

async function expectRejected(owner: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await rows(owner);
  const { errors } = await call();
  expect(errors?.map((error) => error.extensions)).toEqual([extensions]);
  expect(await rows(owner)).toEqual(before);
}
const naming = (...fields: string[]) => ({
  code: "BAD_USER_INPUT",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
});

interface Monitored {
  tenant: Caller;
  assetId: string;
  strategyId: string;
  /** Records a batch of values. Returns how many notifications it raised. */
  read(...values: number[]): Promise<number>;
}

/** Creates a tenant with a pump and a strategy for pumps that monitors `heat` > 10, unless overridden. */
async function monitored(condition: object = {}, strategy: object = {}): Promise<Monitored> {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ name: "Pump 1", site: "North" });
  const { status, body } = await tenant.rest("POST", "/strategies", {
    name: "Heat",
    type: "condition-based",
    applicableAssetTypes: ["pump"],
    triggerConditions: [{ parameter: "heat", threshold: 10, operator: "greater_than", ...condition }],
    ...strategy,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const read = async (...values: number[]) =>
    (
      await record(
        tenant,
        values.map((value) => ({ assetId, parameter: "heat", value })),
      )
    ).raised.length;
  return { tenant, assetId, strategyId: body.id, read };
}

const alerts = async (tenant: Caller): Promise<any[]> =>
  (
    await tenant.ask(
      `{ notifications { nodes { id type severity status title message sensorID siteName assetId assetName timestamp occurrences metadata isConditionMet } } }`,
    )
  ).notifications.nodes;
const counts = async (tenant: Caller) => (await alerts(tenant)).map(({ occurrences }) => occurrences);
const resolve = (tenant: Caller, id: string) =>
  tenant.ask(`mutation ($id: ID!) { changeNotificationStatus(id: $id, status: RESOLVED) { id } }`, { id });

describe("recordReadings", () => {
  test.each(["technician", "ingest", "manager", "admin"] as const)("the role %s can record", async (role) => {
    const { tenant, assetId } = await monitored();
    expect(await record(await tenant.as(role), [{ assetId, parameter: "heat", value: 1 }])).toEqual({ recorded: 1, raised: [] });
  });

  test("a viewer cannot record", async () => {
    const { tenant, assetId } = await monitored();
    const viewer = await tenant.as("viewer");
    await expectRejected(tenant, () => send(viewer, [{ assetId, parameter: "heat", value: 99 }]), {
      code: "FORBIDDEN",
      message: expect.any(String),
    });
  });

  test("a key for another site cannot record", async () => {
    const { tenant, assetId } = await monitored();
    const elsewhere = await tenant.createAsset({ name: "Pump 2", site: "South" });
    const heat = (id: string) => ({ assetId: id, parameter: "heat", value: 99 });
    const before = await rows(tenant);
    const foreign = failure("assetId", "names an asset outside the key's sites");
    const south = await tenant.as("ingest", ["South"]);
    expect(await sendMixed(south, [heat(assetId)])).toEqual({ recorded: 0, duplicates: 0, failed: 1, raised: [], results: [foreign] });
    expect(await rows(tenant)).toEqual(before);
    const north = await tenant.as("ingest", ["North"]);
    const outcome = await sendMixed(north, [heat(elsewhere.id), heat(assetId)]);
    expect(outcome).toEqual({ recorded: 1, duplicates: 0, failed: 1, raised: [expect.any(String)], results: [foreign, success] });
    expect((await rows(tenant))[0]).toMatchObject([{ assetId }]);
  });

  test("readings of unknown, deleted and other tenants' assets are refused; the others are recorded and raise", async () => {
    const { tenant, assetId } = await monitored();
    const theirs = await monitored();
    const gone = await tenant.createAsset();
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    const batch = (value: number, ids: string[]) => ids.map((id) => ({ assetId: id, parameter: "heat", value }));
    const before = await rows(theirs.tenant);
    const empty = await rows(tenant);
    expect(await sendMixed(tenant, batch(99, ["nope", gone.id, theirs.assetId]))).toEqual({
      recorded: 0,
      duplicates: 0,
      failed: 3,
      raised: [],
      results: [noAsset, noAsset, noAsset],
    });
    expect(await rows(tenant)).toEqual(empty);
    expect(await sendMixed(tenant, batch(99, [assetId, "nope", assetId, gone.id, theirs.assetId]))).toEqual({
      recorded: 2,
      duplicates: 0,
      failed: 3,
      raised: [expect.any(String)],
      results: [success, noAsset, success, noAsset, noAsset],
    });
    expect(await counts(tenant)).toEqual([1]);
    expect(await rows(theirs.tenant)).toEqual(before);
  });

  test("a reading in the future is refused, because it would make all readings before it late", async () => {
    const { tenant, assetId, read } = await monitored();
    const ahead = (minutes: number) => ({
      assetId,
      parameter: "heat",
      value: 1,
      recordedAt: new Date(Date.now() + minutes * 60_000).toISOString(),
    });
    expect((await sendMixed(tenant, [ahead(-1), ahead(10)])).results).toEqual([
      success,
      failure("recordedAt", "must be at most 5 minutes ahead of now"),
    ]);
    expect(await read(11)).toBe(1);
  });

  test("a refused reading trips no trigger and interrupts none", async () => {
    const { tenant, assetId } = await monitored({ unit: "°C", violations: 2 });
    const heat = (value: number, minute: number, unit = "°C") => ({
      assetId,
      parameter: "heat",
      value,
      unit,
      recordedAt: `2026-03-01T10:0${minute}:00.000Z`,
    });
    const misfit = failure("unit", "cannot be converted to °C, the unit of the threshold");
    const first = await sendMixed(tenant, [heat(11, 0), heat(11, 1, "bar")]);
    expect(first).toEqual({ recorded: 1, duplicates: 0, failed: 1, raised: [], results: [success, misfit] });
    // 10:00 already has 11, so 12 is rejected twice. 5 bar would have been below the threshold.
    const stored = failure("value", "is 11 °C already; a reading is not changed");
    const second = await sendMixed(tenant, [heat(12, 0), heat(5, 2, "bar"), heat(11, 0), heat(13, 3), heat(14, 3)]);
    expect(second).toEqual({
      recorded: 1,
      duplicates: 1,
      failed: 3,
      raised: [expect.any(String)],
      results: [stored, misfit, success, success, failure("value", "is 13 °C already; a reading is not changed")],
    });
    expect((await alerts(tenant)).map(({ message, occurrences }) => [message, occurrences])).toEqual([
      ["heat is 13 °C, > 10 (2 of the last 2 readings)", 1],
    ]);
    expect((await rows(tenant))[0]!.map(({ value }) => value).sort()).toEqual([11, 13]);
  });

  test("a repeated Idempotency-Key returns the results of the first request and records nothing", async () => {
    const { tenant, assetId } = await monitored({ unit: "°C" });
    const batch = ["nope", assetId, assetId].map((id, at) => ({
      assetId: id,
      parameter: "heat",
      value: 11 + at,
      unit: at < 2 ? "°C" : "bar",
    }));
    const key = "batch-1";
    const first = await sendMixed(tenant, batch, key);
    expect(first).toEqual({
      recorded: 1,
      duplicates: 0,
      failed: 2,
      raised: [expect.any(String)],
      results: [noAsset, success, failure("unit", "cannot be converted to °C, the unit of the threshold")],
    });
    const after = await rows(tenant);
    expect(await sendMixed(tenant, batch, key)).toEqual(first);
    expect(await rows(tenant)).toEqual(after);
  });

  test.each([
    ["value", "NaN"],
    ["value", null],
    ["parameter", ""],
    ["recordedAt", "yesterday"],
    ["unit", "u".repeat(256)],
  ])("%s %j is rejected", async (field, value) => {
    const { tenant, assetId } = await monitored();
    await expectRejected(
      tenant,
      () => send(tenant, [{ assetId, parameter: "heat", value: 99, [field]: value }]),
      expect.objectContaining({ code: "BAD_USER_INPUT" }),
    );
  });

  test("1000 readings are accepted, 1001 are not, and an empty list records nothing", async () => {
    const { tenant, assetId } = await monitored();
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ assetId, parameter: "flow", value: n / 8 }));
    await record(tenant, many(1000));
    await expectRejected(tenant, () => send(tenant, many(1001)), { code: "BAD_USER_INPUT", limit: "input list", value: 1000 });
    expect(await record(tenant, [])).toEqual({ recorded: 0, raised: [] });
  });

  test.each([1, 500])("%i readings take the same number of statements, with and without notifications", async (count) => {
    const tenant = await gateway.newTenant();
    await gateway.database.query<any>(
      `insert into "Asset" ("tenantId", id, name, type, site, area) select $1, 'a' || n, 'P', 'pump', 'S', 'A' from generate_series(1, $2::int) n`,
      [tenant.tenantId, count],
    );
    const triggerConditions = [{ parameter: "heat", threshold: 1, operator: "greater_than" }];
    await tenant.rest("POST", "/strategies", { name: "S", type: "predictive", applicableAssetTypes: ["pump"], triggerConditions });
    const batch = (value: number) => Array.from({ length: count }, (_, n) => ({ assetId: `a${n + 1}`, parameter: "heat", value }));
    /** The minimum of up to 8 runs: looking up the key and recording its use adds statements to some. */
    const fewest = async (value: number, raised: number, expected: number) => {
      let statements = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 8 && statements > expected; run++) {
        if (run) await record(tenant, batch(0));
        await tenant.ask("{ viewer { role } }");
        const before = gateway.database.statements();
        expect((await record(tenant, batch(value))).raised).toHaveLength(raised);
        statements = Math.min(statements, gateway.database.statements() - before);
      }
      return statements;
    };
    // Assets, readings, strategies, trigger states, and on PostgreSQL begin and commit.
    const quiet = gateway.database.kind === "postgresql" ? 6 : 4;
    expect(await fewest(0.5, 0, quiet)).toBe(quiet);
    // In addition the notifications' assets, the notifications, and the new trigger states.
    expect(await fewest(3, count, quiet + 3)).toBe(quiet + 3);
    expect((await tenant.ask("{ notifications { totalCount } }")).notifications.totalCount).toBe(count);
  });
});

describe("triggers", () => {
  test("the notification has the value, asset, time and sensor", async () => {
    const { tenant, assetId } = await monitored({ unit: "°C", severity: "critical" });
    const at = (seconds: number) => `2026-03-01T10:00:0${seconds}.000Z`;
    const readings = [
      { value: 12.5, recordedAt: at(2), sensorID: "T-2" },
      { value: 9, recordedAt: at(1), sensorID: "T-1" },
      { value: 11, recordedAt: at(3), sensorID: "T-3" },
    ];
    const { raised } = await record(
      tenant,
      readings.map((reading) => ({ assetId, parameter: "heat", unit: "°C", ...reading })),
    );
    expect(await alerts(tenant)).toEqual([
      {
        id: raised[0],
        type: "THRESHOLD",
        severity: "CRITICAL",
        status: "OPEN",
        title: "heat beyond its threshold",
        message: "heat is 12.5 °C, > 10",
        sensorID: "T-2",
        siteName: "North",
        assetId,
        assetName: "Pump 1",
        timestamp: at(2),
        occurrences: 1,
        isConditionMet: true,
        metadata: { strategy: "Heat", parameter: "heat", value: 12.5, threshold: 10, operator: "greater_than" },
      },
    ]);
    await record(tenant, [{ assetId, parameter: "heat", value: 13, recordedAt: at(4) }]);
    expect(await alerts(tenant)).toMatchObject([
      { id: raised[0], message: "heat is 13 °C, > 10", timestamp: at(4), occurrences: 2, metadata: { value: 13 } },
    ]);
    expect(await tenant.snapshot("Notification")).toMatchObject({ Notification: [{ version: 2, updatedBy: expect.any(String) }] });
  });

  /** Batches of values, each with the number of notifications it raises. */
  const sequences: [string, object, [values: number[], raised: number][]][] = [
    [
      "greater_than: only above the threshold",
      {},
      [
        [[10], 0],
        [[9, 10], 0],
        [[10.01], 1],
      ],
    ],
    [
      "less_than: only below the threshold",
      { operator: "less_than" },
      [
        [[10], 0],
        [[11], 0],
        [[9.99], 1],
      ],
    ],
    [
      "equal: only the exact value",
      { operator: "equal" },
      [
        [[9.99], 0],
        [[10.01], 0],
        [[10], 1],
      ],
    ],
    [
      "a threshold below 0",
      { threshold: -5, operator: "less_than" },
      [
        [[-5], 0],
        [[-5.5], 1],
      ],
    ],
    [
      "2 of 3: older readings no longer count",
      { violations: 2, samples: 3 },
      [
        [[11], 0],
        [[1], 0],
        [[1], 0],
        [[11], 0],
        [[1], 0],
        [[11], 1],
      ],
    ],
    [
      "2 of 3 across batches",
      { violations: 2, samples: 3 },
      [
        [[11, 1], 0],
        [[11], 1],
      ],
    ],
    ["2 of 3 in one batch", { violations: 2, samples: 3 }, [[[1, 11, 1, 11, 11], 1]]],
    [
      "3 of 3: interrupted by a normal value",
      { violations: 3 },
      [
        [[11, 11, 1, 11, 11], 0],
        [[11], 1],
      ],
    ],
    [
      "once until the value is normal again",
      {},
      [
        [[11], 1],
        [[12, 13], 0],
        [[10], 0],
        [[11], 1],
      ],
    ],
    [
      "hysteresis: normal only beyond the band",
      { hysteresis: 2 },
      [
        [[11], 1],
        [[9], 0],
        [[11], 0],
        [[8], 0],
        [[11], 0],
        [[7.9], 0],
        [[11], 1],
      ],
    ],
    [
      "hysteresis with less_than",
      { operator: "less_than", hysteresis: 2 },
      [
        [[9], 1],
        [[12], 0],
        [[9], 0],
        [[12.1], 0],
        [[9], 1],
      ],
    ],
    [
      "hysteresis with equal",
      { operator: "equal", hysteresis: 2 },
      [
        [[10], 1],
        [[12], 0],
        [[10], 0],
        [[7.9], 0],
        [[10], 1],
      ],
    ],
    [
      "trips and resets in one batch",
      {},
      [
        [[11, 9], 1],
        [[9], 0],
        [[11], 1],
      ],
    ],
    [
      "trips, resets and trips again in one batch",
      {},
      [
        [[11, 9, 12], 1],
        [[12], 0],
        [[9], 0],
        [[11], 1],
      ],
    ],
    [
      "resets and trips again in one batch",
      {},
      [
        [[11], 1],
        [[9, 12], 1],
        [[12], 0],
      ],
    ],
  ];

  test.each(sequences)("%s", async (_, condition, batches) => {
    const { tenant, read } = await monitored(condition);
    for (const [values, expected] of batches) {
      // Resolves cleared alerts, so that each trip raises a new notification.
      for (const { id, status, isConditionMet } of await alerts(tenant))
        if (status === "OPEN" && !isConditionMet) await resolve(tenant, id);
      expect(await read(...values), `${values}`).toBe(expected);
    }
  });

  test("a trigger raises no second notification while one is open", async () => {
    const { tenant, read } = await monitored({ hysteresis: 1 });
    for (const value of [11, 12, 5, 13, 5]) await read(value);
    // Raised, updated while tripped, updated after the second trip.
    expect(await alerts(tenant)).toMatchObject([{ occurrences: 3, message: "heat is 13, > 10", status: "OPEN" }]);
    await resolve(tenant, (await alerts(tenant))[0].id);
    await read(14);
    expect(await alerts(tenant)).toMatchObject([
      { occurrences: 3, status: "RESOLVED" },
      { occurrences: 1, status: "OPEN" },
    ]);
  });

  describe("an alarm that a user ends", () => {
    const change = `mutation ($id: ID!, $status: NotificationStatus!, $reason: String, $shelvedUntil: DateTime) {
      changeNotificationStatus(id: $id, status: $status, reason: $reason, shelvedUntil: $shelvedUntil) { status shelvedUntil isConditionMet } }`;
    const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const states = async (tenant: Caller) => (await alerts(tenant)).map(({ status, message }) => `${status} ${message}`);

    test("is not resolved while its condition is met; then the next reading beyond the limit raises it again", async () => {
      const { tenant, read } = await monitored();
      expect(await read(11)).toBe(1);
      const [{ id }] = await alerts(tenant);
      const refusal = { code: "CONFLICT", status: "OPEN", allowed: ["ACKNOWLEDGED", "IN_PROGRESS", "DISMISSED"] };
      const error = "The condition of the notification is still met; repair it, or dismiss it with a reason and shelvedUntil";
      await expectRejected(tenant, () => tenant.graphql(change, { id, status: "RESOLVED" }), refusal);
      const response = await tenant.rest("PUT", `/notifications/${id}/status`, { status: "resolved" });
      expect({ status: response.status, body: response.body }).toEqual({
        status: 409,
        body: { error, ...refusal, status: "open", allowed: ["acknowledged", "in_progress", "dismissed"], requestId: expect.any(String) },
      });
      for (const value of [12, 20, 35]) expect(await read(value)).toBe(0);
      expect(await states(tenant)).toEqual(["OPEN heat is 35, > 10"]);

      await read(9);
      await resolve(tenant, id);
      expect(await read(12)).toBe(1);
      expect(await states(tenant)).toEqual(["RESOLVED heat is 35, > 10", "OPEN heat is 12, > 10"]);
    });

    test("is dismissed while its condition is met with a reason and for at most 7 days, during which it raises nothing", async () => {
      const { tenant, read } = await monitored();
      await read(11);
      const [{ id }] = await alerts(tenant);
      const dismiss = (input: object) => () => tenant.graphql(change, { id, status: "DISMISSED", ...input });
      await expectRejected(tenant, dismiss({}), naming("reason", "shelvedUntil"));
      await expectRejected(tenant, dismiss({ reason: " ", shelvedUntil: ahead(1) }), naming("reason"));
      await expectRejected(tenant, dismiss({ reason: "new bearing on Monday" }), naming("shelvedUntil"));
      await expectRejected(tenant, dismiss({ reason: "later", shelvedUntil: ahead(7.01) }), naming("shelvedUntil"));
      await expectRejected(tenant, dismiss({ reason: "later", shelvedUntil: ahead(-1) }), naming("shelvedUntil"));
      const other = { id, status: "ACKNOWLEDGED", shelvedUntil: ahead(1) };
      await expectRejected(tenant, () => tenant.graphql(change, other), naming("shelvedUntil"));

      const shelvedUntil = ahead(6.9);
      const { data } = await dismiss({ reason: "new bearing on Monday", shelvedUntil })();
      expect(data).toEqual({ changeNotificationStatus: { status: "DISMISSED", shelvedUntil, isConditionMet: true } });
      // The value returns to normal and exceeds the limit again, but the alert stays shelved.
      for (const value of [12, 20, 9, 13, 35]) expect(await read(value)).toBe(0);
      expect(await states(tenant)).toEqual(["DISMISSED heat is 11, > 10"]);

      // After the shelving ends, the next reading raises the alert again.
      await gateway.database.query(`update "Notification" set "shelvedUntil" = now() - interval '1 second' where "tenantId" = $1`, [
        tenant.tenantId,
      ]);
      expect(await read(8)).toBe(0);
      expect(await read(36)).toBe(1);
      expect(await states(tenant)).toEqual(["DISMISSED heat is 11, > 10", "OPEN heat is 36, > 10"]);
    });

    test.each(["resolved", "dismissed"])(
      "and was %s by an earlier release is raised again by the next reading beyond the limit",
      async (status) => {
        const { tenant, read } = await monitored({ hysteresis: 2 });
        await read(11);
        await gateway.database.query(`update "Notification" set status = $2, "endedAt" = now() where "tenantId" = $1`, [
          tenant.tenantId,
          status,
        ]);
        // Within the hysteresis: neither above the limit nor back to normal.
        expect(await read(9)).toBe(0);
        expect(await read(12)).toBe(1);
        expect(await states(tenant)).toEqual([`${status.toUpperCase()} heat is 11, > 10`, "OPEN heat is 12, > 10"]);
        expect(await read(20)).toBe(0);
      },
    );
  });

  test("20 concurrent batches raise one notification for each trigger and asset", async () => {
    const { tenant, assetId } = await monitored();
    const other = await tenant.createAsset();
    const batches = Array.from({ length: 20 }, (_, n) => {
      const both = [assetId, other.id].map((id) => ({ assetId: id, parameter: "heat", value: 11 + n }));
      return record(tenant, n % 2 ? both : both.reverse());
    });
    const raised = (await Promise.all(batches)).flatMap((batch) => batch.raised);
    expect(new Set(raised).size).toBe(2);
    expect(raised).toHaveLength(2);
    expect(await counts(tenant)).toEqual([20, 20]);
  });

  test("each condition and each strategy raises its own notification", async () => {
    const two = [5, 10].map((threshold) => ({ parameter: "heat", threshold, operator: "greater_than" }));
    const { tenant, read } = await monitored(
      {},
      { triggerConditions: [...two, { parameter: "flow", threshold: 0, operator: "greater_than" }] },
    );
    await tenant.rest("POST", "/strategies", {
      name: "T",
      type: "predictive",
      applicableAssetTypes: ["PUMP"],
      triggerConditions: [two[0]],
    });
    expect(await read(7)).toBe(2);
    expect(await read(12)).toBe(1);
    expect(await counts(tenant)).toEqual([2, 2, 1]);
  });

  const silent: [string, (setup: Monitored) => Promise<unknown>][] = [
    ["an inactive strategy", ({ tenant, strategyId }) => tenant.rest("PUT", `/strategies/${strategyId}`, { isActive: false })],
    ["a deleted strategy", ({ tenant, strategyId }) => tenant.rest("DELETE", `/strategies/${strategyId}`)],
    [
      "an asset that is not assigned",
      ({ tenant, strategyId }) => tenant.rest("PUT", `/strategies/${strategyId}`, { applicableAssetTypes: ["fan"] }),
    ],
    ["a removed condition", ({ tenant, strategyId }) => tenant.rest("PUT", `/strategies/${strategyId}`, { triggerConditions: [] })],
    [
      "a condition on another parameter",
      ({ tenant, strategyId }) =>
        tenant.rest("PUT", `/strategies/${strategyId}`, {
          triggerConditions: [{ parameter: "Heat", threshold: 0, operator: "greater_than" }],
        }),
    ],
  ];

  test.each(silent)("%s raises nothing, and can trip again once it is active again", async (_, change) => {
    const setup = await monitored();
    const { tenant, strategyId, read } = setup;
    const { body: shown } = await tenant.rest("GET", `/strategies/${strategyId}`);
    expect(await read(11)).toBe(1);
    await change(setup);
    await resolve(tenant, (await alerts(tenant))[0].id);
    const before = await alerts(tenant);
    expect(await read(11)).toBe(0);
    expect(await alerts(tenant)).toEqual(before);
    await tenant.graphql(`mutation ($id: ID!) { restoreStrategy(id: $id) { id } }`, { id: strategyId });
    expect((await tenant.rest("PUT", `/strategies/${strategyId}`, shown)).status).toBe(200);
    // The latest reading exceeds the threshold, so the trigger trips without a new reading.
    expect(await alerts(tenant)).toMatchObject([{ status: "RESOLVED" }, { status: "OPEN", occurrences: 1, message: "heat is 11, > 10" }]);
    expect(await read(12)).toBe(0);
  });

  test("an asset assigned manually is monitored until it is unassigned", async () => {
    const { tenant, assetId, strategyId, read } = await monitored({}, { applicableAssetTypes: [] });
    expect(await read(11)).toBe(0);
    const callMutation = (verb: string) =>
      tenant.ask(`mutation ($id: ID!, $assets: [ID!]!) { ${verb}(strategyId: $id, assetIds: $assets) { id } }`, {
        id: strategyId,
        assets: [assetId],
      });
    await callMutation("assignAssets");
    expect(await counts(tenant)).toEqual([1]);
    expect(await read(11)).toBe(0);
    await callMutation("unassignAssets");
    await resolve(tenant, (await alerts(tenant))[0].id);
    expect(await read(12)).toBe(0);
    await callMutation("assignAssets");
    expect(await alerts(tenant)).toMatchObject([{ status: "RESOLVED" }, { status: "OPEN", message: "heat is 12, > 10" }]);
  });

  test("an update that keeps a condition keeps its open notification", async () => {
    const { tenant, strategyId, read } = await monitored();
    expect(await read(11)).toBe(1);
    const { body: shown } = await tenant.rest("GET", `/strategies/${strategyId}`);
    await tenant.rest("PUT", `/strategies/${strategyId}`, { ...shown, description: "new" });
    expect(await read(12)).toBe(0);
    // A condition on another parameter raises its own notification.
    const [condition] = shown.triggerConditions;
    await tenant.rest("PUT", `/strategies/${strategyId}`, { triggerConditions: [{ ...condition, parameter: "flow" }] });
    await record(tenant, [{ assetId: shown.assignedAssets[0], parameter: "flow", value: 11 }]);
    expect(await alerts(tenant)).toMatchObject([{ message: "heat is 12, > 10" }, { message: "flow is 11, > 10" }]);
  });

  test("a late reading can trip a trigger, which later known readings reset, but does not reset one itself", async () => {
    const { tenant, assetId } = await monitored({ violations: 2, samples: 3 });
    const at = async (...readings: [minute: number, value: number][]) =>
      (
        await record(
          tenant,
          readings.map(([minute, value]) => ({ assetId, parameter: "heat", value, recordedAt: `2026-03-01T10:${10 + minute}:00Z` })),
        )
      ).raised.length;
    expect(await at([1, 11], [6, 1])).toBe(0);
    expect(await at([2, 12])).toBe(1);
    expect(await at([3, 1], [4, 1])).toBe(0);
    // The known normal reading of minute 6 has reset the trigger, so counting starts over.
    expect([await at([7, 13]), await counts(tenant)]).toEqual([0, [1]]);
    expect([await at([8, 14]), await counts(tenant)]).toEqual([1, [2]]);
    expect([await at([5, 1]), await at([9, 15]), await counts(tenant)]).toEqual([0, 0, [3]]);
  });

  test("a sensor whose readings always arrive late can trip a trigger too", async () => {
    const { tenant, assetId } = await monitored();
    const at = (sensorID: string, minute: number, value: number) => ({
      assetId,
      parameter: "heat",
      sensorID,
      value,
      recordedAt: `2026-03-01T10:${10 + minute}:00Z`,
    });
    await record(tenant, [at("quick", 5, 1), at("slow", 1, 1)]);
    await record(tenant, [at("quick", 6, 1)]);
    expect((await record(tenant, [at("slow", 2, 11)])).raised).toHaveLength(1);
    expect(await alerts(tenant)).toMatchObject([{ sensorID: "slow", timestamp: "2026-03-01T10:12:00.000Z" }]);
  });

  test("another tenant's strategy does not monitor the asset", async () => {
    const { read } = await monitored({ threshold: 100 });
    await monitored();
    expect(await read(50)).toBe(0);
  });
});

describe("readings of an asset", () => {
  const page = async (tenant: Caller, assetId: string, args = "") =>
    (
      await tenant.ask(
        `query ($id: ID!) { asset(id: $id) { readings${args} { totalCount pageInfo { hasNextPage endCursor } nodes { id assetId parameter value unit sensorID recordedAt } } } }`,
        { id: assetId },
      )
    ).asset.readings;

  test("are listed newest first, with pages and a filter", async () => {
    const { tenant, assetId } = await monitored();
    const at = (minute: number) => `2026-03-01T10:0${minute}:00.000Z`;
    await record(tenant, [
      { assetId, parameter: "heat", value: 1.25, unit: "°C", sensorID: "T", recordedAt: at(2) },
      { assetId, parameter: "flow", value: -2, recordedAt: at(1) },
      { assetId, parameter: "heat", value: 3, recordedAt: at(4) },
      // Readings with the same time: the one recorded later is newer.
      { assetId, parameter: "heat", value: 4, sensorID: "A", recordedAt: at(3) },
      { assetId, parameter: "heat", value: 5, sensorID: "B", recordedAt: at(3) },
    ]);
    const { nodes } = await page(tenant, assetId);
    expect(nodes.map(({ value }: any) => value)).toEqual([3, 5, 4, 1.25, -2]);
    expect(nodes[3]).toEqual({
      id: expect.any(String),
      assetId,
      parameter: "heat",
      value: 1.25,
      unit: "°C",
      sensorID: "T",
      recordedAt: at(2),
    });
    expect(nodes[4]).toMatchObject({ unit: null, sensorID: null });
    const seen: number[] = [];
    let after = "";
    do {
      const { nodes, pageInfo, totalCount } = await page(tenant, assetId, `(first: 2${after})`);
      expect(totalCount).toBe(5);
      seen.push(...nodes.map(({ value }: any) => value));
      after = pageInfo.hasNextPage ? `, after: ${JSON.stringify(pageInfo.endCursor)}` : "";
    } while (after);
    expect(seen).toEqual([3, 5, 4, 1.25, -2]);
    const some = async (filter: string) => (await page(tenant, assetId, `(filter: {${filter}})`)).nodes.map(({ value }: any) => value);
    expect(await some(`parameter: "flow"`)).toEqual([-2]);
    expect(await some(`from: "${at(3)}"`)).toEqual([3, 5, 4]);
    expect(await some(`until: "${at(2)}"`)).toEqual([1.25, -2]);
    expect(await some(`parameter: "heat", from: "${at(2)}", until: "${at(3)}"`)).toEqual([5, 4, 1.25]);
  });

  test("get the current time by default", async () => {
    const { tenant, assetId, read } = await monitored();
    const before = Date.now();
    await read(1);
    const [{ recordedAt }] = (await page(tenant, assetId)).nodes;
    expect(recordedAt).toEqual(time);
    expect(Date.parse(recordedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(recordedAt)).toBeLessThanOrEqual(Date.now());
  });
});

describe("outcomeOf", () => {
  type Operator = "greater_than" | "less_than" | "equal";

  type Rule = { operator: Operator; threshold: number; violations: number; samples: number; hysteresis: number };
  type Timed = { value: number; fresh: boolean };

  /** The model: a simple state machine that processes one reading after the other. */
  function model({ operator, threshold, violations, samples, hysteresis }: Rule, readings: Timed[], tripped: boolean) {
    const beyond = {
      greater_than: (v: number) => v > threshold,
      less_than: (v: number) => v < threshold,
      equal: (v: number) => v === threshold,
    }[operator];
    const distance = {
      greater_than: (v: number) => threshold - v,
      less_than: (v: number) => v - threshold,
      equal: (v: number) => Math.abs(v - threshold),
    }[operator];
    const seen: boolean[] = [];
    const seenKnown: boolean[] = [];
    const met = (all: boolean[]) => all.at(-1)! && all.slice(-samples).filter(Boolean).length >= violations;
    const isReset = (value: number) => (hysteresis > 0 ? distance(value) > hysteresis : !beyond(value));
    let hadFresh = false;
    const left = [...readings];
    let trips = false;
    let repeats = false;
    let state: "ready" | "tripped" = tripped ? "tripped" : "ready";
    for (let next = left.shift(); next; next = left.shift()) {
      const { value, fresh } = next;
      seen.push(beyond(value));
      if (!fresh) {
        seenKnown.push(beyond(value));
        if (state === "tripped") {
          if (trips && isReset(value)) state = "ready";
        } else if (hadFresh && met(seen) && !met(seenKnown)) {
          state = "tripped";
          trips = true;
        }
        continue;
      }
      hadFresh = true;
      const late = left.some((later) => !later.fresh);
      if (state === "tripped") {
        if (!late && (hysteresis > 0 ? distance(value) > hysteresis : !beyond(value))) state = "ready";
        else if (beyond(value) && !trips) repeats = true;
      } else if (beyond(value) && seen.slice(-samples).filter(Boolean).length >= violations) {
        state = "tripped";
        trips = true;
      }
    }
    return { trips, repeats, tripped: state === "tripped" };
  }

  // Small integers, so that many values are at the edges.
  const anyRule: fc.Arbitrary<Rule> = fc
    .record({
      operator: fc.constantFrom<Operator>("greater_than", "less_than", "equal"),
      threshold: fc.integer({ min: -2, max: 2 }),
      violations: fc.integer({ min: 1, max: 3 }),
      more: fc.integer({ min: 0, max: 2 }),
      hysteresis: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ more, ...rule }) => ({ ...rule, samples: rule.violations + more }));
  const anyReadings = fc.array(fc.record({ value: fc.integer({ min: -4, max: 4 }), fresh: fc.boolean() }), { minLength: 1, maxLength: 14 });
  const outcome = (rule: Rule, readings: Timed[], tripped: boolean) =>
    outcomeOf({
      ...rule,
      values: readings.map(({ value }) => value),
      fresh: readings.map(({ fresh }) => fresh),
      notificationId: tripped ? "n" : null,
    });

  test("returns the same as the model", () => {
    fc.assert(
      fc.property(anyRule, anyReadings, fc.boolean(), (rule, readings, tripped) => {
        const { at, ...actual } = outcome(rule, readings, tripped);
        expect(actual).toEqual(model(rule, readings, tripped));
        // Refers to a reading of this batch, or to the position after it.
        if (actual.trips || actual.repeats) expect(at).toBeGreaterThanOrEqual(readings.findIndex(({ fresh }) => fresh));
      }),
      { numRuns: 2000 },
    );
  });

  test("splitting a batch in two ends in the same state", () => {
    fc.assert(
      fc.property(anyRule, anyReadings, fc.integer({ min: 0, max: 14 }), (rule, readings, cut) => {
        const all = (from: number) => readings.map(({ value }, at) => ({ value, fresh: at >= from }));
        const whole = outcome(rule, all(0), false);
        const first = outcome(rule, all(0).slice(0, cut), false);
        const second = outcome(rule, all(cut), first.tripped);
        expect([second.tripped, first.trips || second.trips]).toEqual([whole.tripped, whole.trips]);
      }),
    );
  });
});
