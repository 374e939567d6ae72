/**
 * Retention: no deletion without a setting, limits by kind and tenant, no deletion of referenced records, and aggregates of deleted
 * readings.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepUploads } from "../../src/background/upload-sweeper.js";
import { readConfig } from "../../src/config.js";
import { type Purged, purge, type Retention, retentionOf } from "../../src/domain/tenants/purge.js";
import { openStorage } from "../../src/storage/open.js";
import { addPhoto, storedFiles } from "../files/photos.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
const { database } = gateway;
const storage = await openStorage(gateway.config);
const forEver = retentionOf(readConfig({}));

const purged = async (retention: Partial<Retention>, { tenantId }: Caller, isDry = false): Promise<Omit<Purged, "tenantId">[]> =>
  (await purge(database, storage, { ...forEver, ...retention }, { isDry }))
    .filter((one) => one.tenantId === tenantId)
    .map(({ kind, count }) => ({ kind, count }));

const daysAgo = (days: number, ms = 0) => new Date(Math.floor(Date.now() / 86_400_000 - days) * 86_400_000 + ms).toISOString();
const hour = 3_600_000;

const record = (caller: Caller, readings: object[]) =>
  caller.ask("mutation ($r: [ReadingInput!]!) { recordReadings(readings: $r) { recorded } }", { r: readings });

const aggregates = async (caller: Caller, id: string, period: string, more = "") =>
  (
    await caller.ask(
      `query ($id: ID!) { asset(id: $id) { readingAggregates(period: ${period}, parameter: "heat", from: "${daysAgo(41)}"${more}) { startsAt unit count minimum maximum average last lastAt } } }`,
      { id },
    )
  ).asset.readingAggregates;

test("by default everything is kept that was kept before", () => {
  expect(forEver).toEqual({ readings: 0, notifications: 0, deliveries: 30, deleted: 0, changes: 400 });
});

test("old readings become aggregates by hour and day, which read the same before and after, and with late ones", async () => {
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset();
  const at = (days: number, minutes: number, value: number, unit: string | null = "C") => ({
    assetId: id,
    parameter: "heat",
    value,
    unit,
    recordedAt: daysAgo(days, minutes * 60_000),
  });
  await record(caller, [at(40, 5, 10), at(40, 30, 4), at(40, 70, 7), at(40, 80, 100, "F"), at(39, 1, -2, null)]);
  await record(
    caller,
    Array.from({ length: 100 }, (_, i) => at(2, i, i)),
  );
  const days = await aggregates(caller, id, "DAY");
  const hours = await aggregates(caller, id, "HOUR", `, until: "${daysAgo(38)}"`);
  expect(days.slice(0, 3)).toEqual([
    { startsAt: daysAgo(40), unit: "C", count: 3, minimum: 4, maximum: 10, average: 7, last: 7, lastAt: daysAgo(40, 70 * 60_000) },
    { startsAt: daysAgo(40), unit: "F", count: 1, minimum: 100, maximum: 100, average: 100, last: 100, lastAt: daysAgo(40, 80 * 60_000) },
    { startsAt: daysAgo(39), unit: null, count: 1, minimum: -2, maximum: -2, average: -2, last: -2, lastAt: daysAgo(39, 60_000) },
  ]);
  expect(hours.map(({ startsAt, count }: any) => [startsAt, count])).toEqual([
    [daysAgo(40), 2],
    [daysAgo(40, hour), 1],
    [daysAgo(40, hour), 1],
    [daysAgo(39), 1],
  ]);
  expect(await purged({ readings: 30 }, caller, true)).toEqual([{ kind: "readings", count: 5 }]);
  expect((await caller.snapshot("Reading")).Reading!.length).toBe(105);
  expect(await purged({ readings: 30 }, caller)).toEqual([{ kind: "readings", count: 5 }]);
  expect((await caller.snapshot("Reading")).Reading!.length).toBe(100);
  expect(await aggregates(caller, id, "DAY")).toEqual(days);
  expect(await aggregates(caller, id, "HOUR", `, until: "${daysAgo(38)}"`)).toEqual(hours);
  // The last hundred stay regardless of their age.
  expect(await purged({ readings: 1 }, caller)).toEqual([]);
  await record(caller, [at(40, 31, 20), at(40, 71, 1)]);
  const [late] = await aggregates(caller, id, "DAY");
  expect(late).toMatchObject({ unit: "C", count: 5, minimum: 1, maximum: 20, average: 8.4, last: 1 });
  // Two concurrent runs delete each reading once.
  expect(
    (await Promise.all([purged({ readings: 30 }, caller), purged({ readings: 30 }, caller)]))
      .flat()
      .reduce((sum, { count }) => sum + count, 0),
  ).toBe(2);
  expect((await aggregates(caller, id, "DAY"))[0]).toEqual(late);
});

// The shortest configurable period is a day, so only a defect or a wrong clock would request less.
test("the database purges nothing that ended today, for any caller", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  await tenant.rest("DELETE", `/assets/${id}`);
  const before = await tenant.snapshot("Asset", "AssetStatusChange");
  for (const call of [
    `purge_rows('Asset', $1, now() - interval '22 hours', '', 10, false)`,
    `purge_photos($1, now() - interval '22 hours', 10)`,
    `purge_attachments($1, now() - interval '22 hours', 10)`,
    `begin_reading_month(now() - interval '22 hours' + 0 * length($1) * interval '1 hour')`,
  ])
    await expect(database.query(`select ${call}`, [tenant.tenantId]), call).rejects.toThrow("What ended today is not purged");
  await expect(
    database.query(`select purge_rows('Part', $1, now() - interval '9 days', '', 10, false)`, [tenant.tenantId]),
  ).rejects.toThrow("Rows of Part are not purged");
  expect(await tenant.snapshot("Asset", "AssetStatusChange")).toEqual(before);
});

test("the period of aggregates is limited", async () => {
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset();
  const ask = (period: string, from: string, until: string) =>
    caller.graphql(
      `query ($id: ID!) { asset(id: $id) { readingAggregates(period: ${period}, parameter: "heat", from: "${from}", until: "${until}") { count } } }`,
      { id },
    );
  const refused = await ask("HOUR", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z");
  expect(refused.errors![0]!.extensions).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { until: "must be at most 1,000 hours after from" },
  });
  expect((await ask("DAY", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")).errors![0]!.extensions.details).toEqual({
    until: "must not be before from",
  });
  expect((await ask("DAY", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")).errors).toBeUndefined();
});

test("resolved notifications go with their history, except referenced ones", async () => {
  const caller = await gateway.newTenant();
  const { id: assetId } = await caller.createAsset();
  const raise = async (title: string) =>
    (
      await caller.ask(
        `mutation { raiseNotification(input: { type: ANOMALY, severity: WARNING, title: "${title}", message: "m", assetId: "${assetId}" }) { id } }`,
      )
    ).raiseNotification.id as string;
  const [old, open, ordered, recent] = [await raise("old"), await raise("open"), await raise("ordered"), await raise("recent")];
  await caller.ask(`mutation { createWorkOrderFromNotification(notificationId: "${ordered}") { id } }`);
  for (const id of [old, ordered, recent]) await caller.ask(`mutation { changeNotificationStatus(id: "${id}", status: RESOLVED) { id } }`);
  await caller.ask(`mutation { addNotificationFeedback(id: "${old}", input: { rating: 4 }) { id } }`);
  await database.query(`update "Notification" set "endedAt" = now() - interval '100 days' where "tenantId" = $1 and id = any($2)`, [
    caller.tenantId,
    [old, ordered],
  ]);
  const before = await caller.snapshot("Notification", "NotificationStatusChange");
  expect(await purged({ deleted: 1, readings: 1 }, caller)).toEqual([]);
  expect(await purged({ notifications: 90 }, caller, true)).toEqual([{ kind: "notifications", count: 1 }]);
  expect(await caller.snapshot("Notification", "NotificationStatusChange")).toEqual(before);
  expect(await purged({ notifications: 90 }, caller)).toEqual([{ kind: "notifications", count: 1 }]);
  const { notifications } = await caller.ask("{ notifications { nodes { id statusChanges { nodes { toStatus } } } } }");
  expect(notifications.nodes.map(({ id }: any) => id).sort()).toEqual([open, ordered, recent].sort());
  expect((await caller.snapshot("NotificationStatusChange")).NotificationStatusChange!.map((row) => row.notificationId)).not.toContain(old);
});

test("deleted records go with their parts and files, and records that work refers to stay", async () => {
  const caller = await gateway.newTenant();
  const gone = await caller.createAsset({ name: "Gone" });
  const worked = await caller.createAsset({ name: "Worked on" });
  const live = await caller.createAsset({ name: "Live" });
  const root = await caller.createComponent({ assetId: gone.id });
  await caller.createComponent({ parentId: root.id });
  await addPhoto(caller, gone.id);
  const kept = await addPhoto(caller, live.id);
  const deleted = await addPhoto(caller, live.id);
  await record(caller, [{ assetId: gone.id, parameter: "heat", value: 1 }]);
  const { createProcedure } = await caller.ask(
    `mutation { createProcedure(input: { name: "p", assetId: "${worked.id}", frequency: DAILY, steps: [{ description: "s" }] }) { id } }`,
  );
  await caller.ask(`mutation { createWorkOrder(procedureId: "${createProcedure.id}") { id } }`);
  expect((await caller.rest("DELETE", `/assets/${live.id}/photos/${deleted.id}`)).status).toBe(200);
  for (const { id } of [gone, worked]) expect((await caller.rest("DELETE", `/assets/${id}`)).status).toBe(200);
  const files = storedFiles(caller).length;
  expect(await purged({ deleted: 1 }, caller)).toEqual([]);
  for (const table of ["Asset", "Component", "Photo"])
    await database.query(
      `update "${table}" set "deletedAt" = now() - interval '10 days' where "tenantId" = $1 and "deletedAt" is not null`,
      [caller.tenantId],
    );
  const changes = async () =>
    (await database.query<any>(`select count(*)::int as n from "Change" where "tenantId" = $1`, [caller.tenantId]))[0].n;
  const logged = await changes();
  expect(await purged({ deleted: 20 }, caller)).toEqual([]);
  expect(await purged({ deleted: 9 }, caller)).toEqual([
    { kind: "deleted photos", count: 2 },
    { kind: "readings of deleted assets", count: 1 },
    { kind: "deleted records: Component", count: 2 },
    { kind: "deleted records: Asset", count: 1 },
  ]);
  const left = await caller.snapshot("Asset", "Component", "Photo", "Reading");
  expect(left.Asset!.map(({ name }) => name).sort()).toEqual(["Live", "Worked on"]);
  expect([left.Component, left.Reading, left.Photo!.map(({ id }) => id)]).toEqual([[], [], [kept.id]]);
  expect(storedFiles(caller).length).toBe(files - 4);
  for (const { storageKey } of left.Photo!) expect(existsSync(join(gateway.config.DATA_DIR, "files", ...storageKey.split("/")))).toBe(true);
  expect(await changes()).toBe(logged);
  expect((await caller.ask("{ workOrders { nodes { title } } }")).workOrders.nodes.length).toBe(1);
});

test("files that the storage failed to remove go later, and nobody sees their photos until then", async () => {
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset();
  const photo = await addPhoto(caller, id);
  expect((await caller.rest("DELETE", `/assets/${id}/photos/${photo.id}`)).status).toBe(200);
  const age = `update "Photo" set "deletedAt" = now() - interval '10 days' where "tenantId" = $1 and "deletedAt" is not null`;
  await database.query(age, [caller.tenantId]);
  const away = async () => Promise.reject(new Error("the storage is away"));
  await expect(purge(database, { ...storage, remove: away }, { ...forEver, deleted: 9 })).rejects.toThrow("the storage is away");
  expect(storedFiles(caller).length).toBe(2);
  const restored = await caller.graphql(`mutation { restorePhoto(id: "${photo.id}", owner: { assetId: "${id}" }) { id } }`);
  expect(restored.errors?.[0]?.extensions.code).toBe("NOT_FOUND");
  await expect(sweepUploads(database, { ...storage, remove: away })).rejects.toThrow("the storage is away");
  expect((await caller.snapshot("Photo")).Photo!.length).toBe(1);
  expect(await sweepUploads(database, storage)).toBe(1);
  expect(storedFiles(caller)).toEqual([]);
  expect((await caller.snapshot("Photo")).Photo).toEqual([]);
});

test("a month goes as a whole, except the last readings of each series and later arrivals", async () => {
  const caller = await gateway.newTenant();
  const { id } = await caller.createAsset();
  // Rows of an aborted import are not aggregated.
  const half = `half-${caller.tenantId}`;
  await database.query(`insert into "Tenant" ("tenantId", "signingSecret", state) values ($1, '', 'importing')`, [half]);
  await database.query(`insert into "Asset" ("tenantId", id, name, type) values ($1, 'a', 'a', 'a')`, [half]);
  await database.query(`do $$ begin
    alter table "Reading" detach partition reading_partitions.before;
    execute format('alter table "Reading" attach partition reading_partitions.before for values from (%L) to (%L)', '2020-03-01T00:00:00Z', (select min(since) from reading_months()));
    create table reading_partitions.month_2020_01 partition of "Reading" for values from ('2020-01-01T00:00:00Z') to ('2020-02-01T00:00:00Z');
    create table reading_partitions.month_2020_02 partition of "Reading" for values from ('2020-02-01T00:00:00Z') to ('2020-03-01T00:00:00Z');
  end $$`);
  const readings = (parameter: string, from: string, count: number) =>
    Array.from({ length: count }, (_, i) => {
      const recordedAt = new Date(Date.parse(from) + i * 25 * 60_000).toISOString();
      return { assetId: id, parameter, value: i % 7, unit: i % 2 ? "C" : null, recordedAt };
    });
  await record(caller, [...readings("heat", "2020-01-10T22:00:00Z", 105), ...readings("heat", daysAgo(9), 100)]);
  await record(caller, [...readings("load", "2020-01-31T00:00:00Z", 50), ...readings("load", "2020-02-01T00:00:00Z", 70)]);
  await record(caller, readings("noise", "2020-01-05T00:00:00Z", 3));
  const insert = `insert into "Reading" ("tenantId", "assetId", parameter, value, "recordedAt", "recordedBy", "logTransaction") select $1, $2, 'heat', 99, '2020-01-11T01:02:00Z', 'x', $3::bigint`;
  await database.query(insert, [half, "a", 1]);
  // Simulates a transaction that commits while the month is aggregated.
  await database.query(insert, [caller.tenantId, id, "9000000000000000"]);
  const sums = async () =>
    (
      await caller.ask(
        `query ($id: ID!) { asset(id: $id) { ${["heat", "load", "noise"].map((name) => ["HOUR", "DAY"].map((period) => `${name}${period}: readingAggregates(period: ${period}, parameter: "${name}", from: "2020-01-05T00:00:00Z", until: "2020-02-10T00:00:00Z") { startsAt unit count minimum maximum average last lastAt }`)).join(" ")} } }`,
        { id },
      )
    ).asset;
  const lastOnes = async (name: string) =>
    (
      await caller.ask(
        `query ($id: ID!) { asset(id: $id) { readings(first: 100, filter: { parameter: "${name}" }) { nodes { id value } } } }`,
        {
          id,
        },
      )
    ).asset.readings.nodes;
  // Readings still being written are not aggregated with their month.
  await gateway.logIsComplete();
  const [before, load, noise] = [await sums(), await lastOnes("load"), await lastOnes("noise")];
  const months = async () => (await database.query<any>(`select name from reading_months() where name < 'month_2021' order by 1`)).length;
  // January is not over until February begins in every time zone.
  const since2020 = Math.floor((Date.now() - Date.parse("2020-01-20T00:00:00Z")) / 86_400_000);
  expect(await purged({ readings: since2020 }, caller)).toEqual([]);
  expect(await months()).toBe(2);
  const gone = [{ kind: "readings", count: 106 + 20 }];
  expect(await purged({ readings: 2_000 }, caller, true)).toEqual(gone);
  expect(await purged({ readings: 2_000 }, caller)).toEqual(gone);
  expect(await months()).toBe(0);
  expect(await sums()).toEqual(before);
  expect([await lastOnes("load"), await lastOnes("noise")]).toEqual([load, noise]);
  expect((await caller.snapshot("Reading")).Reading!.length).toBe(100 + 100 + 3);
  const [left] = await database.query<any>(
    `select count(*)::int as count, min(tableoid::regclass::text) as place from "Reading" where "tenantId" = $1`,
    [half],
  );
  expect(left).toEqual({ count: 1, place: "reading_partitions.other" });
  expect(await purged({ readings: 2_000 }, caller)).toEqual([]);
});
