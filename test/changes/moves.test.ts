/**
 * An asset that moves to another site takes its dependent records along, for every reader of the change log. Also tests the binding of
 * tokens.
 */
import { createClient as createEventStream } from "graphql-sse";
import { createClient as createSocket } from "graphql-ws";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import WebSocket from "ws";
import { queued, receiver, settled, subscribe } from "../alerts/receivers.js";
import { type Caller, onPostgresql, startGateway } from "../world.js";
import { copyQuery, followedTypes, readableRecords } from "./followers.js";

const gateway = await startGateway({ WEBHOOK_ALLOW_PRIVATE: "true", WEBHOOK_POLL_MS: "200" });
const { database } = gateway;

const page = async (who: Caller, variables: object) => (await who.ask(copyQuery, variables as Record<string, unknown>)).changesSince;

async function read(who: Caller, token?: string, recordTypes: string[] | undefined = followedTypes, first = 500) {
  await gateway.logIsComplete();
  const records: any[] = [];
  for (let pages = 1; ; pages++) {
    const { nextToken, hasMore, records: some } = await page(who, { token, first, recordTypes });
    records.push(...some);
    token = nextToken;
    if (!hasMore) return { records, token: token as string, pages };
  }
}

const versions = (records: any[]) =>
  Object.fromEntries(
    records.filter(({ record }) => record).map((one) => [`${one.recordType} ${one.recordId}`, one.record.version ?? null]),
  );
const gone = (records: any[]) => records.filter(({ record }) => !record).map(({ recordType, recordId }) => `${recordType} ${recordId}`);

/** An asset at North with one record of each dependent type. Returns the records that move with it, by type. */
async function furnished(caller: Caller): Promise<{ id: string; dependents: Record<string, string> }> {
  const { id } = await caller.createAsset({ site: "North" });
  const component = await caller.createComponent({ assetId: id, serialNumber: `4711 of ${id}` });
  const [unit] = await database.query<{ id: string }>(`select id from "Unit" where "tenantId" = $1 and "serialNumber" = $2`, [
    caller.tenantId,
    `4711 of ${id}`,
  ]);
  const made = await caller.ask(
    `mutation ($asset: ID!) {
      procedure: createProcedure(input: { name: "P", assetId: $asset, frequency: MONTHLY }) { id }
      alert: raiseNotification(input: { type: TREND, severity: INFO, title: "T", message: "m", assetId: $asset }) { id }
      meter: createMeter(input: { assetId: $asset, name: "Starts", kind: CYCLES }) { id }
      downtime: recordDowntime(input: { assetId: $asset, cause: FAILURE, startedAt: "2026-01-01", endedAt: "2026-01-02" }) { id }
      request: reportFault(input: { assetId: $asset, description: "Leaks" }) { id }
    }`,
    { asset: id },
  );
  const { createWorkOrder: order } = await caller.ask("mutation ($id: ID!) { createWorkOrder(procedureId: $id, input: {}) { id } }", {
    id: made.procedure.id,
  });
  for (const [table, columns, values] of [
    ["Photo", `"grantedBy"`, "'x'"],
    ["Attachment", `"startedBy", kind, title, sha256`, "'x', 'manual', 'M', 'x'"],
  ])
    await database.query(
      `insert into "${table}" ("tenantId", id, "assetId", filename, "contentType", size, "storageKey", "expiresAt", "uploadedBy", "uploadedAt", ${columns})
       values ($1, $2, $3, 'a.png', 'image/png', 1, $2, now(), 'x', now(), ${values})`,
      [caller.tenantId, `${table}-of-${id}`, id],
    );
  const ledger = async (table: string, column: string, of: string) =>
    `${table}:${(await database.query<any>(`select id::text from "${table}" where "tenantId" = $1 and "${column}" = $2`, [caller.tenantId, of]))[0].id}`;
  return {
    id,
    dependents: {
      COMPONENT: component.id,
      UNIT: unit!.id,
      PHOTO: `Photo-of-${id}`,
      ATTACHMENT: `Attachment-of-${id}`,
      METER: made.meter.id,
      DOWNTIME: made.downtime.id,
      WORK_REQUEST: made.request.id,
      PROCEDURE: made.procedure.id,
      WORK_ORDER: order.id,
      WORK_ORDER_STATUS_CHANGE: await ledger("WorkOrderStatusChange", "workOrderId", order.id),
      NOTIFICATION: made.alert.id,
      NOTIFICATION_STATUS_CHANGE: await ledger("NotificationStatusChange", "notificationId", made.alert.id),
      ASSET_STATUS_CHANGE: await ledger("AssetStatusChange", "assetId", id),
    },
  };
}

const move = async (caller: Caller, id: string, site: string) =>
  expect((await caller.rest("PUT", `/assets/${id}`, { site })).status).toBe(200);

const all = ["ASSET", ...Object.keys((await furnished(await gateway.newTenant())).dependents)];

describe("the records that move with an asset", () => {
  it("disappear for the old site and appear for the new one, whatever its type", async () => {
    const caller = await gateway.newTenant();
    const [north, south] = [await caller.as("viewer", ["North"], false), await caller.as("viewer", ["South"], false)];
    const { id, dependents } = await furnished(caller);
    const other = await furnished(caller);
    const [ofNorth, ofSouth, ofAll] = [
      await read(north, undefined, all),
      await read(south, undefined, all),
      await read(caller, undefined, all),
    ];
    expect(ofSouth.records).toEqual([]);
    const moved = [`ASSET ${id}`, ...Object.entries(dependents).map(([type, record]) => `${type} ${record}`)].sort();
    await move(caller, id, "South");
    const left = await read(north, ofNorth.token, all);
    expect(gone(left.records).sort()).toEqual(moved);
    expect(versions(left.records)).toEqual({});
    for (const reader of [await read(south, ofSouth.token, all), await read(caller, ofAll.token, all)]) {
      expect(reader.records.map(({ recordType, recordId }) => `${recordType} ${recordId}`).sort()).toEqual(moved);
      expect(gone(reader.records)).toEqual([]);
    }
    // The asset's entry comes first, and every entry names the author of the move.
    const log = await database.query<any>(
      `select "recordId", kind, "siteBefore", site, before, after, operation from "Change" where "tenantId" = $1 and "siteBefore" = 'North' and site = 'South'
       order by "logTransaction", "logSequence"`,
      [caller.tenantId],
    );
    expect(log.map(({ recordId }) => recordId).sort()).toEqual([id, ...Object.values(dependents)].sort());
    expect(log[0]).toMatchObject({ recordId: id, after: { site: "South" } });
    for (const entry of log.slice(1)) expect(entry).toMatchObject({ kind: "updated", before: null, after: null, operation: "updateAsset" });
    expect(log.map(({ recordId }) => recordId)).not.toContain(other.id);
    // An ordinary change writes a single entry.
    const entries = async () =>
      (await database.query<any>(`select count(*)::int as n from "Change" where "tenantId" = $1`, [caller.tenantId]))[0].n;
    const before = await entries();
    await caller.rest("PUT", `/assets/${id}`, { name: "Renamed", site: "South" });
    expect(await entries()).toBe(before + 1);
  });

  it("arrive page by page, in any number", async () => {
    const caller = await gateway.newTenant();
    const [north, south] = [await caller.as("viewer", ["North"], false), await caller.as("viewer", ["South"], false)];
    const { id } = await caller.createAsset({ site: "North" });
    await database.query(
      `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type) select $1, $2 || '-' || n, $2, n, 0, n::text, 'M', 'motor' from generate_series(1, 1200) n`,
      [caller.tenantId, id],
    );
    const types = ["ASSET", "COMPONENT"];
    const [left, gained] = [await read(north, undefined, types), await read(south, undefined, types)];
    expect(left.records).toHaveLength(1201);
    await move(caller, id, "South");
    const [atNorth, atSouth] = [await read(north, left.token, types), await read(south, gained.token, types)];
    expect([gone(atNorth.records).length, Object.keys(versions(atSouth.records)).length]).toEqual([1201, 1201]);
    expect([atNorth.pages, atSouth.pages]).toEqual([3, 3]);
  });

  it("are reported to each site of a procedure: one that it covers, one that it covers no more, one where a covered asset moves", async () => {
    const caller = await gateway.newTenant();
    const assets: string[] = [];
    for (const site of ["North", "South", "West"]) assets.push((await caller.createAsset({ site })).id);
    const readers = [await caller.as("viewer", ["South"], false), await caller.as("viewer", ["West"], false)];
    let tokens = await Promise.all(readers.map(async (reader) => (await read(reader)).token));
    const told = async () => {
      const pages = await Promise.all(readers.map((reader, i) => read(reader, tokens[i])));
      tokens = pages.map(({ token }) => token);
      return pages.map(({ records }) =>
        records.filter(({ recordType }) => recordType === "PROCEDURE").map(({ record }) => record?.version ?? null),
      );
    };
    const { createProcedure: procedure } = await caller.ask(
      `mutation ($asset: ID!) { createProcedure(input: { name: "P", assetId: $asset, frequency: MONTHLY }) { id } }`,
      { asset: assets[0] },
    );
    expect(await told()).toEqual([[], []]);
    const cover = () =>
      caller.ask("mutation ($id: ID!, $assets: [ProcedureAssetInput!]!) { addProcedureAssets(procedureId: $id, assets: $assets) { id } }", {
        id: procedure.id,
        assets: assets.slice(1).map((assetId) => ({ assetId })),
      });
    await cover();
    expect((await told()).map((versions) => versions.length)).toEqual([1, 1]);
    await caller.ask(`mutation ($id: ID!) { updateProcedure(id: $id, input: { name: "Q" }) { id } }`, { id: procedure.id });
    expect((await told()).map((versions) => versions.length)).toEqual([1, 1]);
    await move(caller, assets[1]!, "West");
    expect((await told()).map((versions) => versions.map((version) => version === null))).toEqual([[true], [false]]);
    await move(caller, assets[1]!, "South");
    await told();
    const remove = (...removed: string[]) =>
      caller.ask("mutation ($id: ID!, $assets: [ID!]!) { removeProcedureAssets(procedureId: $id, assetIds: $assets) { id } }", {
        id: procedure.id,
        assets: removed,
      });
    await remove(assets[2]!);
    expect(await told()).toEqual([[2], [null]]);
    // The asset is at another site by the time its former site reads.
    await remove(assets[1]!);
    await move(caller, assets[1]!, "East");
    expect(await told()).toEqual([[null], []]);
    // One statement takes out assets of both sites.
    await move(caller, assets[1]!, "South");
    await cover();
    await told();
    await remove(assets[1]!, assets[2]!);
    expect(await told()).toEqual([[null], [null]]);
  });

  it.skipIf(!onPostgresql)(
    "are exact beside a transaction that adds a component and one that changes another, whichever commits first",
    async () => {
      const caller = await gateway.newTenant();
      const { id } = await caller.createAsset({ site: "North" });
      const component = await caller.createComponent({ assetId: id });
      const readers = await Promise.all(
        [[], ["North"], ["South"]].map(async (sites) => ({
          sites,
          who: sites.length ? await caller.as("viewer", sites, false) : caller,
          token: "",
        })),
      );
      const copies = readers.map(() => ({}) as Record<string, number | null>);
      const readOn = async () => {
        for (const [i, reader] of readers.entries()) {
          const { nextToken, records } = await page(reader.who, {
            token: reader.token || undefined,
            recordTypes: followedTypes,
            first: 500,
          });
          for (const one of records) delete copies[i]![`${one.recordType} ${one.recordId}`];
          Object.assign(copies[i]!, versions(records));
          reader.token = nextToken;
        }
      };
      await gateway.logIsComplete();
      await readOn();
      const [adding, changing] = [1, 2].map(() => new pg.Client({ connectionString: gateway.config.DATABASE_URL }));
      await Promise.all([adding!.connect(), changing!.connect()]);
      try {
        // This open transaction holds back all later entries, but not those of earlier transactions.
        await adding!.query("begin");
        await adding!.query(
          `insert into "Component" ("tenantId", id, "assetId", position, level, path, name, type) values ($1, $2, $3, 1, 0, 'x', 'N', 'motor')`,
          [caller.tenantId, `late-${id}`, id],
        );
        const moving = move(caller, id, "South");
        // Waits for the component, whose entry would say North otherwise.
        const waits = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%"Asset"%'`;
        await expect.poll(async () => (await database.query<any>(waits))[0].n).toBe(1);
        await changing!.query("begin");
        await changing!.query(`update "Component" set name = 'Changed', "updatedBy" = 'x' where "tenantId" = $1 and id = $2`, [
          caller.tenantId,
          component.id,
        ]);
        await adding!.query("commit");
        await moving;
        await readOn();
        await changing!.query("commit");
        await gateway.logIsComplete();
        await readOn();
        for (const [i, { sites }] of readers.entries()) expect(copies[i]).toEqual(await readableRecords(caller, sites));
        expect(copies[2]).toMatchObject({ [`COMPONENT late-${id}`]: 1, [`COMPONENT ${component.id}`]: 2 });
      } finally {
        await Promise.all([adding!.end(), changing!.end()]);
      }
    },
  );

  /** Two writers, and readers of each site that keep copies. */
  async function race(
    work: (race: { moving: pg.Client; other: pg.Client; values: string[]; assets: string[]; readOn: () => Promise<void> }) => Promise<void>,
  ) {
    const caller = await gateway.newTenant();
    const { id, dependents } = await furnished(caller);
    const assets = [id, (await caller.createAsset({ site: "West" })).id];
    const readers = await Promise.all(
      ["North", "South", "West"].map(async (site) => ({
        site,
        who: await caller.as("viewer", [site], false),
        token: undefined as string | undefined,
        copy: new Map<string, number | null>(),
      })),
    );
    const readOn = async () => {
      for (const reader of readers) {
        const { nextToken, records } = await page(reader.who, { token: reader.token, recordTypes: followedTypes, first: 500 });
        for (const one of records) reader.copy.delete(`${one.recordType} ${one.recordId}`);
        for (const [key, version] of Object.entries(versions(records))) reader.copy.set(key, version);
        reader.token = nextToken;
      }
    };
    await gateway.logIsComplete();
    await readOn();
    const [moving, other] = [1, 2].map(() => new pg.Client({ connectionString: gateway.config.DATABASE_URL })) as [pg.Client, pg.Client];
    await Promise.all([moving.connect(), other.connect()]);
    try {
      await Promise.all([moving.query("begin"), other.query("begin")]);
      const values = [caller.tenantId, id, dependents.WORK_ORDER!, dependents.NOTIFICATION!, dependents.PHOTO!, dependents.COMPONENT!];
      await work({ moving, other, values, assets, readOn });
      await gateway.logIsComplete();
      await readOn();
      for (const { site, copy } of readers) expect([site, Object.fromEntries(copy)]).toEqual([site, await readableRecords(caller, [site])]);
    } finally {
      await Promise.all([moving.end(), other.end()]);
    }
  }
  const moveAsset = `update "Asset" set site = 'South', "updatedBy" = 'x' where "tenantId" = $1 and id = $2`;

  it.skipIf(!onPostgresql).each([
    ["an order", "WorkOrder", "workOrderId", 2],
    ["an alert", "Notification", "notificationId", 3],
  ] as const)("are exact beside a transaction that changes the status of %s, and commits before the move does", (_, table, column, at) =>
    race(async ({ moving, other, values, readOn }) => {
      const [tenantId, asset] = values;
      await other.query(`update "${table}" set "updatedBy" = 'x' where "tenantId" = $1 and id = $2`, [tenantId, values[at]]);
      await other.query(
        `insert into "${table}StatusChange" ("tenantId", "${column}", "toStatus", "changedBy", "changedByName") values ($1, $2, 'x', 'x', 'x')`,
        [tenantId, values[at]],
      );
      let isDone = false;
      const moved = moving.query(moveAsset, [tenantId, asset]).then(() => (isDone = true));
      // Waits for the other transaction, whose entry would stay at North otherwise.
      const waits = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like 'update "Asset"%'`;
      await expect.poll(async () => isDone || (await database.query<any>(waits))[0].n).toBeTruthy();
      await other.query("commit");
      await moved;
      await readOn();
      await moving.query("commit");
    }),
  );

  it.skipIf(!onPostgresql).each([
    ["deletes a photo for good", `delete from "Photo" where "tenantId" = $1 and id = $2`, 4],
    [
      "takes a component to another asset",
      `update "Component" set "assetId" = (select id from "Asset" where "tenantId" = $1 and site = 'West'), "updatedBy" = 'x' where "tenantId" = $1 and id = $2`,
      5,
    ],
  ] as const)("are exact beside a transaction that %s, and commits after the move", (_, sql, at) =>
    race(async ({ moving, other, values, readOn }) => {
      await moving.query(moveAsset, values.slice(0, 2));
      await other.query(sql, [values[0], values[at]]);
      await moving.query("commit");
      // The asset arrives at South, which cannot yet see the later move.
      await readOn();
      await other.query("commit");
    }),
  );

  it.skipIf(!onPostgresql)("are exact beside a transaction that takes the asset out of a procedure, and commits after the move", () =>
    race(async ({ moving, other, values, assets, readOn }) => {
      const [tenantId, asset] = values;
      const [procedure] = await database.query<any>(
        `insert into "Procedure" ("tenantId", id, "assetId", name, frequency, anchor, "anchorSteps") values ($1, $3, $2, 'Q', 'monthly', now(), 0) returning id`,
        [tenantId, assets[1], `q-${asset}`],
      );
      await database.query(
        `insert into "ProcedureAsset" ("tenantId", "procedureId", "assetId", anchor, "anchorSteps") values ($1, $3, $2, now(), 0)`,
        [tenantId, asset, procedure.id],
      );
      await moving.query(moveAsset, [tenantId, asset]);
      await other.query(`delete from "ProcedureAsset" where "tenantId" = $1 and "assetId" = $2`, [tenantId, asset]);
      await moving.query("commit");
      await readOn();
      await other.query("commit");
    }),
  );

  it("are reported live, over WebSockets and server-sent events", async () => {
    const caller = await gateway.newTenant();
    const { id } = await caller.createAsset({ site: "North" });
    const component = await caller.createComponent({ assetId: id });
    await gateway.logIsComplete();
    const query = "subscription { changes(recordTypes: [ASSET, COMPONENT]) { recordId kind site changedFields record { id } } }";
    const ends: (() => unknown)[] = [];
    onTestFinished(() => ends.forEach((end) => void end()));
    const follow = async (sites: string[], transport: "socket" | "stream") => {
      const { key } = await caller.as("viewer", sites, false);
      const events: any[] = [];
      const sink = { next: ({ data }: any) => events.push(data.changes), error: () => {}, complete: () => {} };
      const client =
        transport === "socket"
          ? createSocket({
              url: `${gateway.url.replace("http", "ws")}/graphql`,
              webSocketImpl: WebSocket,
              connectionParams: { Authorization: `Bearer ${key}` },
            })
          : createEventStream({ url: `${gateway.url}/graphql/stream`, headers: { authorization: `Bearer ${key}` } });
      ends.push(() => client.dispose());
      client.subscribe({ query }, sink as never);
      return events;
    };
    const followers = [
      await follow(["North"], "socket"),
      await follow(["North"], "stream"),
      await follow(["South"], "socket"),
      await follow(["South"], "stream"),
    ];
    // Each follower is subscribed once it has received an asset of its own site.
    const heard = await Promise.all(["North", "South"].map(async (site) => caller.createAsset({ site })));
    await expect
      .poll(
        async () => {
          for (const { id: one } of heard) await caller.rest("PUT", `/assets/${one}`, { description: `${Math.random()}` });
          return followers.every((events) => events.length);
        },
        { interval: 200 },
      )
      .toBe(true);
    await move(caller, id, "South");
    const ofAsset = (events: any[]) => events.filter(({ recordId }) => [id, component.id].includes(recordId));
    await expect.poll(() => followers.map((events) => ofAsset(events).length)).toEqual([2, 2, 2, 2]);
    const event = (recordId: string, changedFields: string[], isSeen: boolean) => ({
      recordId,
      kind: "UPDATED",
      site: "South",
      changedFields,
      record: isSeen ? { id: recordId } : null,
    });
    for (const [i, events] of followers.entries())
      expect(ofAsset(events)).toEqual([event(id, ["site"], i > 1), event(component.id, [], i > 1)]);
  });

  it("are sent to webhooks of both sites, and the record only to the one that it came to", async () => {
    const caller = await gateway.newTenant();
    const { id } = await caller.createAsset({ site: "North" });
    const component = await caller.createComponent({ assetId: id });
    const receivers = [await receiver(), await receiver(), await receiver()];
    for (const [i, sites] of [["North"], ["South"], ["West"]].entries())
      await subscribe(caller, receivers[i]!.url, [], { recordTypes: ["COMPONENT"], sites, selection: "... on Component { id }" });
    await move(caller, id, "South");
    await queued(caller);
    await settled(caller);
    const data = receivers.map(({ accepted }) => accepted.map(({ event }) => event.data));
    const told = {
      recordType: "Component",
      recordId: component.id,
      kind: "updated",
      version: 1,
      siteBefore: "North",
      site: "South",
      changedFields: [],
    };
    expect(data).toEqual([
      [{ ...told, changedAt: expect.any(String), record: null }],
      [{ ...told, changedAt: expect.any(String), record: { id: component.id } }],
      [],
    ]);
  });

  it("do not create an entry for each reading: followers of readings at only one of the sites start over", async () => {
    const caller = await gateway.newTenant();
    const { id } = await caller.createAsset({ site: "North" });
    await caller.ask(`mutation ($id: ID!) { recordReadings(readings: [{ assetId: $id, parameter: "heat", value: 1 }]) { recorded } }`, {
      id,
    });
    const readers = [
      await caller.as("viewer", ["North"], false),
      await caller.as("viewer", ["South"], false),
      await caller.as("viewer", ["West"], false),
      caller,
    ];
    const tokens = await Promise.all(readers.map(async (reader) => (await read(reader, undefined, ["READING"])).token));
    await move(caller, id, "South");
    await gateway.logIsComplete();
    const answers = await Promise.all(
      readers.map((reader, i) => reader.graphql(copyQuery, { token: tokens[i], recordTypes: ["READING"] })),
    );
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(["RESYNC_REQUIRED", "RESYNC_REQUIRED", undefined, undefined]);
    expect(answers.slice(2).map(({ data }) => data.changesSince.records)).toEqual([[], []]);
    expect((await read(readers[1]!, undefined, ["READING"])).records).toHaveLength(1);
  });
});

describe("a token", () => {
  const codeOf = async (who: Caller, token: string, recordTypes?: string[]) =>
    (await who.graphql(copyQuery, { token, recordTypes })).errors?.[0]?.extensions.code;
  const resync = "RESYNC_REQUIRED";

  it("is bound to the sites of its reader, first page or later: another key of the same goes on, others start over", async () => {
    const caller = await gateway.newTenant();
    for (const site of ["North", "North", "South"]) await caller.createAsset({ site });
    const keys: Record<string, Caller> = {
      all: caller,
      viewer: await caller.as("viewer"),
      reader: await caller.as("viewer", ["North"], true),
      north: await caller.as("viewer", ["North"], false),
      same: await caller.as("technician", ["North"], false),
      both: await caller.as("viewer", ["South", "North"], false),
      order: await caller.as("viewer", ["North", "South"], false),
    };
    const groups = [
      ["all", "viewer", "reader"],
      ["north", "same"],
      ["both", "order"],
    ];
    await gateway.logIsComplete();
    for (const group of groups) {
      const owner = keys[group[0]!]!;
      const first = (await page(owner, { first: 1, recordTypes: ["ASSET"] })).nextToken;
      const { token } = await read(owner, undefined, ["ASSET"]);
      for (const [name, key] of Object.entries(keys))
        for (const one of [first, token])
          expect([name, await codeOf(key, one, ["ASSET"])]).toEqual([name, group.includes(name) ? undefined : resync]);
    }
  });

  it("is that of an admin where it covers what only admins read", async () => {
    const caller = await gateway.newTenant();
    const types = ["ASSET", "API_KEY"];
    const { token } = await read(caller, undefined, types);
    const { token: ofAssets } = await read(caller, undefined, ["ASSET"]);
    const viewer = await caller.as("viewer");
    expect(await codeOf(viewer, token, types)).toBe(resync);
    expect(await codeOf(viewer, token, ["ASSET"])).toBe(resync);
    expect(await codeOf(viewer, ofAssets, ["ASSET"])).toBeUndefined();
    expect(await codeOf(await caller.as("admin"), token, types)).toBeUndefined();
    const limited = await caller.as("admin", ["North"], false);
    expect(await codeOf(limited, token, types)).toBe(resync);
    // The key's own first read omits them, as do later reads.
    const all = await read(limited, undefined, types);
    expect(all.records.filter(({ recordType }) => recordType === "API_KEY")).toEqual([]);
    await caller.as("viewer");
    expect((await read(limited, all.token, types)).records).toEqual([]);
  });

  it("is bound to the types that were followed: fewer go on, others start over, and a token for fewer types covers only those", async () => {
    const caller = await gateway.newTenant();
    const types = ["ASSET", "COMPONENT"];
    const { token } = await read(caller, undefined, types);
    expect(await codeOf(caller, token)).toBe(resync);
    expect(await codeOf(caller, token, ["PART"])).toBe(resync);
    expect(await codeOf(caller, token, [...types, "PART"])).toBe(resync);
    expect(await codeOf(caller, token, ["COMPONENT", "ASSET"])).toBeUndefined();
    const fewer = await read(caller, token, ["ASSET"]);
    expect(await codeOf(caller, fewer.token, types)).toBe(resync);
    const { id } = await caller.createAsset();
    const first = (await page(caller, { first: 1, recordTypes: types })).nextToken;
    expect(await codeOf(caller, first, [...types, "PART"])).toBe(resync);
    expect((await read(caller, fewer.token, ["ASSET"])).records.map(({ recordId }) => recordId)).toEqual([id]);
  });

  it("of an older release has no known permissions, and starts over", async () => {
    const caller = await gateway.newTenant();
    const { token } = await read(caller);
    const parts = JSON.parse(Buffer.from(token, "base64url").toString());
    expect(parts).toHaveLength(7);
    const older = Buffer.from(JSON.stringify(parts.slice(0, 5))).toString("base64url");
    expect(await codeOf(caller, older, followedTypes)).toBe(resync);
  });

  it("binds subscriptions too, and each event has the token of its subscription", async () => {
    const caller = await gateway.newTenant();
    const north = await caller.as("viewer", ["North"], false);
    const { token } = await read(north, undefined, ["ASSET", "COMPONENT"]);
    const follow = (who: Caller, after: string, types: string) =>
      new Promise<any>((resolve, reject) => {
        const client = createEventStream({ url: `${gateway.url}/graphql/stream`, headers: { authorization: `Bearer ${who.key}` } });
        onTestFinished(() => client.dispose());
        client.subscribe(
          { query: `subscription ($after: String) { changes(recordTypes: ${types}, after: $after) { recordId } }`, variables: { after } },
          { next: resolve, error: reject, complete: () => {} },
        );
      });
    const code = async (who: Caller, types: string) => (await follow(who, token, types)).errors?.[0].extensions.code;
    expect(await code(caller, "[ASSET]")).toBe(resync);
    expect(await code(north, "[ASSET, PHOTO]")).toBe(resync);
    const { id } = await caller.createAsset({ site: "North" });
    const event = await follow(north, token, "[ASSET]");
    expect(event.data).toEqual({ changes: { recordId: id } });
    expect(await codeOf(north, event.extensions.token, ["ASSET"])).toBeUndefined();
    expect(await codeOf(north, event.extensions.token, ["ASSET", "COMPONENT"])).toBe(resync);
    expect(await codeOf(caller, event.extensions.token, ["ASSET"])).toBe(resync);
  });

  it("of a webhook's event is bound to the sites and types of the webhook", async () => {
    const caller = await gateway.newTenant();
    const north = await caller.as("viewer", ["North"], false);
    const receivers = [await receiver(), await receiver()];
    await subscribe(caller, receivers[0]!.url, [], { recordTypes: ["ASSET"], sites: ["North"] });
    await subscribe(caller, receivers[1]!.url, [], { recordTypes: ["ASSET", "PART"] });
    await caller.createAsset({ site: "North" });
    await queued(caller);
    await settled(caller);
    const [limited, whole] = receivers.map(({ accepted }) => accepted[0]!.event.token);
    const { id } = await caller.createAsset({ site: "North" });
    expect((await read(north, limited, ["ASSET"])).records.map(({ recordId }) => recordId)).toEqual([id]);
    expect((await read(caller, whole, ["ASSET"])).records.map(({ recordId }) => recordId)).toEqual([id]);
    for (const [who, token, types] of [
      [caller, limited, ["ASSET"]],
      [north, whole, ["ASSET"]],
      [north, limited, ["ASSET", "PART"]],
    ] as const)
      expect(await codeOf(who, token, [...types])).toBe(resync);
  });
});
