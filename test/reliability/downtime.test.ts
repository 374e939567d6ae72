/**
 * Downtimes: recorded by asset status, recorded and corrected by persons, and reported by work orders (docs/work.md, "Downtime and
 * reliability").
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { forTenant } from "../../src/database/database.js";
import { updateAsset } from "../../src/domain/assets/assets.js";
import { recordDowntime, recordDowntimeOfOrder } from "../../src/domain/reliability/downtimes.js";
import { type Caller, sharedGateway } from "../world.js";
import { orderOf, record, reliability } from "./history.js";

const gateway = await sharedGateway();

const fields = "id assetId startedAt endedAt cause planned description workOrderId source version";

const downtimesOf = async (tenant: Caller, assetId: string): Promise<any[]> => {
  const query = `query ($id: ID!) { asset(id: $id) { downtimes(first: 50) { nodes { ${fields} } } } }`;
  return (await tenant.ask(query, { id: assetId })).asset.downtimes.nodes.toReversed();
};

const moveTo = async (tenant: Caller, assetId: string, ...statuses: string[]) => {
  for (const status of statuses) expect((await tenant.rest("PUT", `/assets/${assetId}`, { status })).status).toBe(200);
};

const changeTimes = async (tenant: Caller, id: string): Promise<string[]> =>
  (await tenant.ask(`query ($id: ID!) { asset(id: $id) { statusChanges { nodes { changedAt } } } }`, { id })).asset.statusChanges.nodes.map(
    ({ changedAt }: any) => changedAt,
  );

/** Expects a refusal that changes nothing. */
async function refused(tenant: Caller, query: string, variables: object, error: object): Promise<void> {
  const before = await tenant.snapshot("Downtime");
  const { errors } = await tenant.graphql(query, variables as Record<string, unknown>);
  expect(errors).toHaveLength(1);
  expect(errors![0]).toMatchObject(error);
  expect(await tenant.snapshot("Downtime")).toEqual(before);
}

describe("by status", () => {
  test("offline after operational is a failure, and maintenance continues it", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    expect(await downtimesOf(tenant, id)).toEqual([]);
    await moveTo(tenant, id, "offline");
    expect(await downtimesOf(tenant, id)).toMatchObject([
      { cause: "FAILURE", planned: false, endedAt: null, source: "STATUS", version: 1 },
    ]);
    await moveTo(tenant, id, "maintenance");
    expect(await downtimesOf(tenant, id)).toMatchObject([{ cause: "FAILURE", endedAt: null, version: 1 }]);
    await moveTo(tenant, id, "operational");
    const [, offline, , operational] = await changeTimes(tenant, id);
    expect(await downtimesOf(tenant, id)).toMatchObject([{ startedAt: offline, endedAt: operational, version: 2 }]);
  });

  test("changes of the status follow one another in time, also after one of a transaction that began later", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const later = `update "Asset" set "updatedAt" = now() + interval '2 seconds' where "tenantId" = $1 returning "updatedAt"`;
    const [asset] = await gateway.database.query<{ updatedAt: Date }>(later, [tenant.tenantId]);
    await moveTo(tenant, id, "offline", "operational", "offline");
    expect((await changeTimes(tenant, id)).slice(1)).toEqual(Array(3).fill(asset!.updatedAt.toISOString()));
    expect(await downtimesOf(tenant, id)).toMatchObject([{ startedAt: asset!.updatedAt.toISOString(), endedAt: null }]);
  });

  test("a change of the status keeps what a person recorded of a later time", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset({ status: "pending" });
    const db = forTenant(gateway.database, tenant.tenantId);
    // Simulates a concurrent change during this transaction, which began earlier.
    await db.transaction(async (tx) => {
      await tx.query(`select 1 from "Asset" where "tenantId" = $1`);
      await delay(20);
      await recordDowntime(db, tenant.actor(), { assetId, cause: "standby", startedAt: new Date() });
      await updateAsset(db, tenant.actor(), assetId, { status: "operational" });
    });
    expect(await downtimesOf(tenant, assetId)).toMatchObject([{ cause: "STANDBY", source: "PERSON", endedAt: null, version: 1 }]);
    await moveTo(tenant, assetId, "maintenance", "operational");
    expect(await downtimesOf(tenant, assetId)).toMatchObject([{ cause: "STANDBY", endedAt: expect.any(String) }]);
  });

  test("maintenance is planned; offline after it continues it; decommissioning ends it; from there offline is no failure", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    await moveTo(tenant, id, "maintenance", "offline", "decommissioned", "offline", "pending");
    const [, maintenance, , decommissioned, offline, pending] = await changeTimes(tenant, id);
    expect(await downtimesOf(tenant, id)).toMatchObject([
      { cause: "PLANNED", planned: true, startedAt: maintenance, endedAt: decommissioned },
      { cause: "OTHER", planned: false, startedAt: offline, endedAt: pending },
    ]);
  });

  test("begins for an asset created in such a status, by import too", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset({ status: "offline" });
    expect(await downtimesOf(tenant, id)).toMatchObject([{ cause: "OTHER", endedAt: null }]);
    const { body } = await tenant.rest("POST", "/assets/import", "name,type,status\nP,pump,maintenance\nQ,pump,operational\n", {
      "content-type": "text/csv",
    });
    expect(body).toMatchObject({ imported: 2 });
    expect((await tenant.snapshot("Downtime")).Downtime!.map(({ cause }) => cause).sort()).toEqual(["other", "planned"]);
  });

  test("is not recorded if the status returns within a transaction", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const db = forTenant(gateway.database, tenant.tenantId);
    await db.transaction(async (tx) => {
      for (const status of ["offline", "operational"] as const) await tx.records.Asset.update("test", { id }, { status });
    });
    expect(await downtimesOf(tenant, id)).toEqual([]);
    expect(await changeTimes(tenant, id)).toHaveLength(3);
  });

  test("earlier log entries can be converted into downtimes again, and none is created twice", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    await moveTo(tenant, id, "offline", "maintenance", "operational", "maintenance", "operational", "offline");
    const before = await downtimesOf(tenant, id);
    expect(before).toHaveLength(3);
    const facts = (one: any) => ({ ...one, version: 0 });
    const file = new URL("../../prisma/migrations/20261124200100_downtime_online/migration.sql", import.meta.url);
    const [fromLog] = readFileSync(file, "utf8")
      .replace(/^--.*$/gm, "")
      .split(";");
    const ofTenant = fromLog!.replace('FROM "AssetStatusChange" c', `$& WHERE c."tenantId" = '${tenant.tenantId}'`);
    await gateway.database.query(ofTenant);
    expect(await downtimesOf(tenant, id)).toEqual(before);
    await gateway.database.query(`delete from "Downtime" where "tenantId" = $1`, [tenant.tenantId]);
    await gateway.database.query(ofTenant);
    expect((await downtimesOf(tenant, id)).map(facts)).toEqual(before.map(facts));
  });
});

/** Observed since then, so that failures before the asset's creation count. */
const installed = { installationDate: "2025-01-01T00:00:00Z" };

const past = { startedAt: "2026-03-01T10:00:00.000Z", endedAt: "2026-03-01T12:00:00.000Z" };
const recording = `mutation ($input: RecordDowntimeInput!) { recordDowntime(input: $input) { ${fields} } }`;
const correcting = `mutation ($id: ID!, $input: CorrectDowntimeInput!, $version: Int) {
  correctDowntime(id: $id, input: $input, reason: "was wrong", expectedVersion: $version) { ${fields} } }`;

describe("by persons", () => {
  test("are recorded, corrected with a reason that the log keeps, deleted and restored", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset(installed);
    const { recordDowntime: made } = await tenant.ask(recording, { input: { assetId, cause: "OTHER", ...past, description: "Stood" } });
    const expected = {
      assetId,
      ...past,
      cause: "OTHER",
      planned: false,
      description: "Stood",
      workOrderId: null,
      source: "PERSON",
      version: 1,
    };
    expect(made).toEqual({ id: made.id, ...expected });
    const { correctDowntime } = await tenant.ask(correcting, { id: made.id, input: { cause: "PLANNED", endedAt: "2026-03-01T13:00:00Z" } });
    expect(correctDowntime).toEqual({
      ...made,
      cause: "PLANNED",
      planned: true,
      endedAt: "2026-03-01T13:00:00.000Z",
      version: 2,
    });
    expect((await tenant.ask(correcting, { id: made.id, input: { cause: "FAILURE" } })).correctDowntime).toMatchObject({ planned: false });
    const log = await tenant.ask(
      `query ($id: ID!) { downtime(id: $id) { changes { nodes { kind reason fields { field before after } } } } }`,
      made,
    );
    expect(log.downtime.changes.nodes[0]).toEqual({
      kind: "UPDATED",
      reason: "was wrong",
      fields: expect.arrayContaining([{ field: "cause", before: "planned", after: "failure" }]),
    });
    const failures = async () => await reliability(tenant, { assetId, from: "2026-01-01", to: "2026-06-01" }, "failures downtime");
    expect(await failures()).toEqual({ failures: 1, downtime: 3 });
    await tenant.ask(`mutation ($id: ID!) { deleteDowntime(id: $id, reason: "another asset") { id } }`, made);
    expect(await downtimesOf(tenant, assetId)).toEqual([]);
    expect(await failures()).toEqual({ failures: 0, downtime: 0 });
    await tenant.ask(`mutation ($id: ID!) { restoreDowntime(id: $id) { id } }`, made);
    expect(await failures()).toEqual({ failures: 1, downtime: 3 });
  });

  test("are refused where they contradict themselves", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const other = await tenant.createAsset();
    const order = await orderOf(tenant, other.id, past.startedAt, past.endedAt);
    const input = { assetId, cause: "FAILURE", ...past };
    const wrong: [object, string, string][] = [
      [{ endedAt: past.startedAt }, "endedAt", "must be after startedAt"],
      [{ startedAt: "2999-01-01", endedAt: null }, "startedAt", "must not be in the future"],
      [{ endedAt: "2999-01-01" }, "endedAt", "must not be in the future; leave it out while the downtime lasts"],
      [{ planned: true }, "planned", "must not be true for a failure"],
      [{ cause: "PLANNED", planned: false }, "planned", "must not be false where the cause is PLANNED"],
      [{ workOrderId: order }, "workOrderId", "names no work order of the asset"],
      [{ assetId: "nope" }, "assetId", "names no asset; use the id of an existing one"],
    ];
    for (const [change, field, message] of wrong)
      await refused(
        tenant,
        recording,
        { input: { ...input, ...change } },
        { extensions: { code: "BAD_USER_INPUT", details: { [field]: message } } },
      );
    const id = await record(tenant, input);
    for (const [change, field, message] of [...wrong.slice(0, 4), wrong[5]!])
      await refused(tenant, correcting, { id, input: change }, { extensions: { code: "BAD_USER_INPUT", details: { [field]: message } } });
    await refused(tenant, correcting, { id, input: { cause: "OTHER" }, version: 7 }, { extensions: { code: "CONFLICT", version: 1 } });
  });

  test("one open downtime per asset: a second request names it", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    await moveTo(tenant, assetId, "offline");
    const [{ id: lasting }] = (await downtimesOf(tenant, assetId)) as [{ id: string }];
    const conflict = { extensions: { code: "CONFLICT", downtimeId: lasting } };
    await refused(tenant, recording, { input: { assetId, cause: "OTHER", startedAt: past.startedAt } }, conflict);
    const id = await record(tenant, { assetId, cause: "OTHER", ...past });
    await refused(tenant, correcting, { id, input: { endedAt: null } }, conflict);
    await tenant.ask(`mutation ($id: ID!) { deleteDowntime(id: $id, reason: "none") { id } }`, { id: lasting });
    await tenant.ask(correcting, { id, input: { endedAt: null } });
    await refused(
      tenant,
      `mutation ($id: ID!) { restoreDowntime(id: $id) { id } }`,
      { id: lasting },
      { extensions: { code: "CONFLICT", downtimeId: id } },
    );
    // The status ends the open downtime, however it began.
    await moveTo(tenant, assetId, "operational");
    expect((await downtimesOf(tenant, assetId)).map((one) => one.endedAt === null)).toEqual([false]);
  });

  test("of assets of other sites are rejected", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset({ site: "North" });
    const id = await record(tenant, { assetId, cause: "OTHER", ...past });
    const south = await tenant.as("manager", ["South"], false);
    const forbidden = { extensions: { code: "FORBIDDEN" } };
    await refused(south, recording, { input: { assetId, cause: "OTHER", ...past } }, forbidden);
    await refused(south, correcting, { id, input: { cause: "FAILURE" } }, forbidden);
    await refused(south, `mutation ($id: ID!) { deleteDowntime(id: $id, reason: "none") { id } }`, { id }, forbidden);
    expect(await reliability(south, {}, "assets downtime evidence(figure: AVAILABILITY) { downtimeCount }")).toEqual({
      assets: 0,
      downtime: 0,
      evidence: { downtimeCount: 0 },
    });
  });
});

describe("by orders", () => {
  const at = (time: string) => new Date(`2026-03-01T${time}Z`);
  const finish = async (tenant: Caller, assetId: string, from: string, to: string | null, failure = true) => {
    const workOrderId = await orderOf(tenant, assetId, at(from).toISOString(), at(to ?? from).toISOString());
    const times = { startedAt: at(from), endedAt: to === null ? null : at(to), isEndGiven: true };
    const db = forTenant(gateway.database, tenant.tenantId);
    await db.transaction((tx) => recordDowntimeOfOrder(tx, tenant.actor(), { workOrderId, assetId, ...times, failure }));
    return workOrderId;
  };

  test("create a downtime if there is none: a failure if production stopped, otherwise planned", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const [first, second] = [await finish(tenant, id, "08:00", "09:00"), await finish(tenant, id, "10:00", "11:00", false)];
    expect(await downtimesOf(tenant, id)).toMatchObject([
      {
        cause: "FAILURE",
        planned: false,
        source: "ORDER",
        workOrderId: first,
        startedAt: at("08:00").toISOString(),
        endedAt: at("09:00").toISOString(),
      },
      { cause: "PLANNED", planned: true, source: "ORDER", workOrderId: second },
    ]);
  });

  test("turn the downtimes they overlap into one failure, for any status, and never shorten it", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset(installed);
    const span = (from: string, to: string) => ({ assetId, startedAt: at(from), endedAt: at(to) });
    await record(tenant, { ...span("06:00", "08:30"), cause: "PLANNED" });
    await record(tenant, { ...span("10:00", "10:10"), cause: "OTHER" });
    await record(tenant, { ...span("12:00", "13:00"), cause: "STANDBY" });
    const order = await finish(tenant, assetId, "08:00", "10:05");
    const found = await downtimesOf(tenant, assetId);
    expect(found).toMatchObject([
      { cause: "FAILURE", planned: false, workOrderId: order, startedAt: at("06:00").toISOString(), endedAt: at("10:05").toISOString() },
      { cause: "FAILURE", workOrderId: order, startedAt: at("10:00").toISOString(), endedAt: at("10:10").toISOString() },
      { cause: "STANDBY", workOrderId: null },
    ]);
    expect(await reliability(tenant, { assetId, from: "2026-03-01", to: "2026-03-02" }, "failures mttr activeRepairTime")).toEqual({
      failures: 1,
      mttr: expect.closeTo(4 + 10 / 60, 5),
      activeRepairTime: expect.closeTo(2 + 5 / 60, 5),
    });
  });

  describe("that report when production ran again", () => {
    const start = Math.floor(Date.now() / 1000) * 1000 - 6 * 3_600_000;
    const hour = (n: number) => new Date(start + n * 3_600_000).toISOString();
    const order = async (tenant: Caller, assetId: string): Promise<string> => {
      const input = { type: "CORRECTIVE", assetId, title: "Repair", productionStopped: true };
      const { createWorkOrder } = await tenant.ask("mutation ($input: CreateWorkOrderInput) { createWorkOrder(input: $input) { id } }", {
        input,
      });
      await tenant.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: createWorkOrder.id });
      return createWorkOrder.id;
    };
    const complete = (tenant: Caller, id: string, downtime: object | null) =>
      tenant.ask("mutation ($id: ID!, $input: CompleteWorkOrderInput) { completeWorkOrder(id: $id, input: $input) { id } }", {
        id,
        input: { startedAt: hour(2), downtime },
      });

    test("end a downtime that a person recorded and left open", async () => {
      const tenant = await gateway.newTenant();
      const { id: assetId } = await tenant.createAsset(installed);
      await record(tenant, { assetId, cause: "OTHER", startedAt: hour(1) });
      const id = await order(tenant, assetId);
      await complete(tenant, id, { from: hour(1), to: hour(4) });
      expect(await downtimesOf(tenant, assetId)).toMatchObject([
        { cause: "FAILURE", workOrderId: id, source: "PERSON", startedAt: hour(1), endedAt: hour(4) },
      ]);
      // Three hours down of the five observed.
      expect(await reliability(tenant, { assetId, from: hour(0), to: hour(5) }, "failures downtime mttr")).toEqual({
        failures: 1,
        downtime: 3,
        mttr: 3,
      });
    });

    test("leave it open without an end, and if the end follows only from the work", async () => {
      const tenant = await gateway.newTenant();
      for (const downtime of [{ from: hour(0) }, null]) {
        const { id: assetId } = await tenant.createAsset();
        await record(tenant, { assetId, cause: "OTHER", startedAt: hour(1) });
        const id = await order(tenant, assetId);
        await complete(tenant, id, downtime);
        expect(await downtimesOf(tenant, assetId)).toMatchObject([
          { cause: "FAILURE", workOrderId: id, startedAt: hour(downtime ? 0 : 1), endedAt: null },
        ]);
      }
    });

    test("leave another order's open, and one that the asset's status opened", async () => {
      const tenant = await gateway.newTenant();
      const { id: assetId } = await tenant.createAsset();
      const first = await order(tenant, assetId);
      await record(tenant, { assetId, cause: "OTHER", startedAt: hour(1), workOrderId: first });
      const second = await order(tenant, assetId);
      await complete(tenant, second, { from: hour(1), to: hour(4) });
      expect(await downtimesOf(tenant, assetId)).toMatchObject([{ workOrderId: first, startedAt: hour(1), endedAt: null }]);

      const { id: stopped } = await tenant.createAsset();
      await moveTo(tenant, stopped, "offline");
      await gateway.database.query(`update "Downtime" set "startedAt" = $3 where "tenantId" = $1 and "assetId" = $2`, [
        tenant.tenantId,
        stopped,
        hour(1),
      ]);
      const id = await order(tenant, stopped);
      await complete(tenant, id, { from: hour(1), to: hour(4) });
      expect(await downtimesOf(tenant, stopped)).toMatchObject([{ workOrderId: id, source: "STATUS", endedAt: null }]);
    });
  });
});

test("a purged asset takes its downtimes with it", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  await record(tenant, { assetId, cause: "OTHER", ...past });
  await tenant.rest("DELETE", `/assets/${assetId}`);
  await gateway.database.query(`update "Asset" set "deletedAt" = now() - interval '9 days' where "tenantId" = $1`, [tenant.tenantId]);
  const [purged] = await gateway.database.query(`select purged from purge_rows('Asset', $1, now() - interval '2 days', '', 10, false)`, [
    tenant.tenantId,
  ]);
  expect(purged).toEqual({ purged: 1 });
  expect(await tenant.snapshot("Downtime")).toEqual({ Downtime: [] });
});
