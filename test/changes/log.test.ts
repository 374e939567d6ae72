/** Content and authors of the change log (docs/changes.md) for every way of writing a record. */
import { beforeEach, expect, it } from "vitest";
import { type Table, tables } from "../../src/database/rows/catalogue.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

let caller: Caller;

beforeEach(async () => {
  caller = await gateway.newTenant();
});

const changesOf = (recordId: string): Promise<any[]> =>
  gateway.database.query(
    `select kind, version, "siteBefore", site, before, after, "changedBy" is not null as "isAuthored", source, operation, reason
     from "Change" where "tenantId" = $1 and "recordId" = $2 order by "logTransaction", "logSequence"`,
    [caller.tenantId, recordId],
  );

/** Tables that are not logged, with the reason. */
const notLogged: Partial<Record<Table, string>> = {
  Tenant: "the tenant itself",
  Change: "the log",
  IdempotencyKey: "answers of requests",
  TriggerState: "derived from readings",
  ComponentTemplateVersion: "the history of templates",
  Stock: "a view",
  OpenOrder: "a view",
  AssetCount: "counts of assets",
  StockBalance: "sums of a ledger",
  Budget: "no record: what is left of a limit",
  SchedulerLease: "no record: whose scheduler works for a tenant",
  WebhookCursor: "how far the log was read",
  WebhookEvent: "tells of the log",
  WebhookDelivery: "tells of the log",
  Mail: "tells of the log",
  PurchaseOrderMail: "tells of an order that the log has as sent",
  Session: "no record: which browsers are signed in",
  CalendarFeed: "made and deleted whole, with who made it and when",
  ComponentHold: "the history of moves that the log has",
  InstallationCorrection: "the history of installations",
  Invitation: "its own history: who made, accepted and revoked it, and when",
  Recall: "its own history: who opened and closed it, and when",
  SupplierInvoiceMatch: "known by its receipt and its invoice line",
  PurchaseOrderNumber: "no record: the last number of a year",
  RecallUnit: "known by its recall and its work order",
  ReportLink: "its own history: who made and revoked it, and when",
  ReadingAggregate: "sums of a ledger",
  StockTransfer: "its movements are a ledger",
  StockPeriod: "its own history",
  Occurrence: "its own history",
  ProcedureConditionState: "derived from readings",
  StockCountLine: "written once a round, with who counted and when",
  StockSerial: "a view",
  StockBatch: "sums of a ledger",
  StockMovement: "a ledger",
  StockHold: "made and ended by movements",
  StockReallocation: "a log by itself",
  StockReservation: "a view",
  Reading: "a ledger",
  AssetStatusChange: "a ledger",
  WorkOrderStatusChange: "a ledger",
  NotificationStatusChange: "a ledger",
};

it("every table of records is logged, and every ledger has a position in the log", async () => {
  const triggers = await gateway.database.query<{ table: string; name: string }>(
    `select c.relname as table, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname like '%\\_log\\_%'`,
  );
  const expected = (Object.keys(tables) as Table[]).flatMap((table) => {
    if (notLogged[table]) return [];
    if (table === "StockAdjustment") return [`${table}_log_update`];
    // Created by its first period.
    if (table === "Unit") return [`${table}_log_update`, `${table}_log_delete`];
    return ["insert", "update", "delete"].map((event) => `${table}_log_${event}`);
  });
  expect(triggers.map(({ name }) => name).sort()).toEqual(expected.sort());
  const ledgers = (Object.keys(tables) as Table[]).filter(
    (table) => !/^(Change|WebhookCursor)$/.test(table) && "logTransaction" in tables[table].columns,
  );
  expect(ledgers.sort()).toEqual(
    [...Object.keys(notLogged).filter((table) => notLogged[table as Table] === "a ledger"), "StockAdjustment"].sort(),
  );
});

it("logs creation, change, deletion and restoration of a record, with their author", async () => {
  const { id } = await caller.createAsset({ name: "Pump", site: "North", customFields: { kW: "5" } });
  await caller.rest("PUT", `/assets/${id}`, { name: "Pump 2", site: "South", customFields: { kW: "6" } });
  await caller.ask(`mutation { deleteAsset(id: "${id}") { id } restoreAsset(id: "${id}") { id } }`);
  const authored = { isAuthored: true, reason: null };
  expect(await changesOf(id)).toEqual([
    {
      ...authored,
      kind: "created",
      version: 1,
      siteBefore: null,
      site: "North",
      before: null,
      after: { name: "Pump", type: "pump", site: "North", area: "", status: "operational", customFields: { kW: "5" } },
      source: "rest",
      operation: "createAsset",
    },
    {
      ...authored,
      kind: "updated",
      version: 2,
      siteBefore: "North",
      site: "South",
      before: { name: "Pump", site: "North", customFields: { kW: "5" } },
      after: { name: "Pump 2", site: "South", customFields: { kW: "6" } },
      source: "rest",
      operation: "updateAsset",
    },
    {
      ...authored,
      kind: "deleted",
      version: 3,
      siteBefore: "South",
      site: "South",
      before: null,
      after: null,
      source: "graphql",
      operation: "deleteAsset",
    },
    {
      ...authored,
      kind: "restored",
      version: 4,
      siteBefore: "South",
      site: "South",
      before: null,
      after: null,
      source: "graphql",
      operation: "restoreAsset",
    },
  ]);
});

it("logs writes outside the gateway, without an author", async () => {
  const { id } = await caller.createAsset();
  await gateway.database.query(`update "Asset" set status = 'offline' where "tenantId" = $1 and id = $2`, [caller.tenantId, id]);
  expect((await changesOf(id)).at(-1)).toMatchObject({
    kind: "updated",
    before: { status: "operational" },
    after: { status: "offline" },
    isAuthored: false,
    source: "database",
    operation: null,
  });
});

it("logs neither refused writes nor rolled-back ones", async () => {
  const { id } = await caller.createAsset();
  expect((await caller.rest("PUT", `/assets/${id}`, { status: "broken" })).status).toBe(400);
  await expect(
    gateway.database.transaction(async (tx) => {
      await tx.query(`update "Asset" set name = 'x' where "tenantId" = $1 and id = $2`, [caller.tenantId, id]);
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  expect(await changesOf(id)).toHaveLength(1);
});

it("stores long values and secrets by their digest", async () => {
  const { id } = await caller.createAsset();
  await caller.rest("PUT", `/assets/${id}`, { description: "x".repeat(2_000) });
  expect((await changesOf(id)).at(-1).after).toEqual({ description: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: 2_002 } });
  const { createWebhook } = await caller.ask(
    `mutation { createWebhook(input: { url: "https://example.com/hook", events: [ASSET_STATUS_CHANGED] }) { secret webhook { id } } }`,
  );
  const [created] = await changesOf(createWebhook.webhook.id);
  expect(created.after.secret).toEqual({ sha256: expect.any(String), length: expect.any(Number) });
  expect(JSON.stringify(created)).not.toContain(createWebhook.secret);
});

it("names the mutation and its reason, and logs the parts of a record as changes of it", async () => {
  const { id: assetId } = await caller.createAsset({ site: "North" });
  const { body: procedure } = await caller.rest("POST", "/pms", {
    name: "Check",
    assetId,
    frequency: "monthly",
    steps: [{ order: 1, description: "Look" }],
  });
  const { createWorkOrder } = await caller.ask(`mutation { createWorkOrder(procedureId: "${procedure.id}", input: {}) { id } }`);
  await caller.ask(`mutation { cancelWorkOrder(id: "${createWorkOrder.id}", reason: "not needed") { id } }`);
  const found = await changesOf(createWorkOrder.id);
  expect(found.map(({ kind, operation, site }) => [kind, operation, site])).toEqual([
    ["created", "createWorkOrder", "North"],
    ["updated", "createWorkOrder", "North"],
    ["updated", "cancelWorkOrder", "North"],
  ]);
  expect(found[1].after).toEqual({ "steps.1": expect.objectContaining({ description: "Look", status: "pending" }) });
  expect(found[2]).toMatchObject({ reason: "not needed", before: { status: "scheduled" }, after: { status: "cancelled" } });
});

it("columns of a part that say nothing on their own create no entry", async () => {
  const { id: asset } = await caller.createAsset();
  const { createMeter } = await caller.ask(
    'mutation ($asset: ID!) { createMeter(input: { assetId: $asset, name: "Engine", kind: RUN_HOURS }) { id } }',
    { asset },
  );
  const { createProcedure } = await caller.ask(
    `mutation ($asset: ID!, $meter: ID!) {
      createProcedure(input: { name: "Oil", assetId: $asset, frequency: CUSTOM, meters: [{ meterId: $meter, interval: 10 }] }) { id }
      recordMeterReadings(readings: [{ meterId: $meter, value: 20 }]) { recorded }
    }`,
    { asset, meter: createMeter.id },
  );
  const { procedure } = await caller.ask("query ($id: ID!) { procedure(id: $id) { meters { dueSince } } }", createProcedure);
  expect(procedure.meters).toEqual([{ dueSince: expect.any(String) }]);
  const changes = await changesOf(createProcedure.id);
  expect(changes.map(({ kind, operation }) => [kind, operation])).toEqual([
    ["created", "createProcedure"],
    ["updated", "createProcedure"],
  ]);
});

it("stock movements have a place in the log and create no entries of their level; its settings do", async () => {
  const { createPart: part } = await caller.ask(`mutation { createPart(input: { partNumber: "P-1", name: "Seal" }) { id } }`);
  await caller.ask(`mutation { receiveStock(partId: "${part.id}", input: { site: "main", quantity: 5 }) { id } }`);
  await caller.ask(`mutation { receiveStock(partId: "${part.id}", input: { site: "main", quantity: 5 }) { id } }`);
  const movements = await gateway.database.query(
    `select count(*)::int as count from "StockMovement" where "tenantId" = $1 and "logTransaction" is not null`,
    [caller.tenantId],
  );
  expect(movements).toEqual([{ count: 2 }]);
  const level = `StockLevel:${part.id}:main`;
  expect((await changesOf(level)).map(({ kind }) => kind)).toEqual(["created"]);
  await caller.rest("PUT", `/inventory/${part.id}`, { site: "main", minimumStock: 3 });
  expect((await changesOf(level)).at(-1)).toMatchObject({
    kind: "updated",
    before: { minimumStock: null },
    after: { minimumStock: 3 },
    site: "main",
  });
});

it("each setting of a stock level creates an entry, and its derived columns create none", async () => {
  const { createPart: part } = await caller.ask(`mutation { createPart(input: { partNumber: "P-1", name: "Seal" }) { id } }`);
  await caller.ask(`mutation { receiveStock(partId: "${part.id}", input: { site: "main", quantity: 5 }) { id } }`);
  const level = `StockLevel:${part.id}:main`;
  const entriesOf = async (set: string) => {
    const before = (await changesOf(level)).length;
    await gateway.database.query(`update "StockLevel" set ${set} where "tenantId" = $1 and "partId" = $2`, [caller.tenantId, part.id]);
    return (await changesOf(level)).slice(before).map(({ kind, after }) => ({ kind, after }));
  };
  for (const [column, value] of Object.entries({ minimumStock: 1, maximumStock: 9, reorderPoint: 2, location: "Shelf 1" }))
    expect(await entriesOf(`"${column}" = '${value}', "deletedAt" = null`)).toEqual([{ kind: "updated", after: { [column]: value } }]);
  expect(await entriesOf(`"deletedAt" = null, blocked = 1`)).toEqual([]);
  expect(await entriesOf(`"deletedAt" = null, "recountRequestedAt" = now()`)).toEqual([]);
  // A new version is an entry even if no value differs.
  expect(await entriesOf(`"deletedAt" = null, "updatedBy" = 'x'`)).toEqual([{ kind: "updated", after: null }]);
  expect(await entriesOf(`"deletedAt" = now()`)).toEqual([{ kind: "deleted", after: null }]);
  expect(await entriesOf(`"deletedAt" = now() - interval '1 day'`)).toEqual([]);
  expect(await entriesOf(`"deletedAt" = now(), location = null`)).toEqual([{ kind: "updated", after: { location: null } }]);
  await caller.ask(`mutation { receiveStock(partId: "${part.id}", input: { site: "main", quantity: 1 }) { id } }`);
  expect((await changesOf(level)).at(-1)).toMatchObject({ kind: "restored" });
});

it("rejects changes to the log", async () => {
  await caller.createAsset();
  await expect(gateway.database.query(`update "Change" set kind = 'updated' where "tenantId" = $1`, [caller.tenantId])).rejects.toThrow();
  await expect(gateway.database.query(`delete from "Change" where "tenantId" = $1`, [caller.tenantId])).rejects.toThrow();
});
