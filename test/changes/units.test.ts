/** Units and their periods in the change log (docs/changes.md, "Units"): content, sites and readers. */
import { expect, test } from "vitest";
import { queued, receiver, settled, subscribe } from "../alerts/receivers.js";
import { type Caller, startGateway } from "../world.js";
import { copyQuery } from "./followers.js";

const gateway = await startGateway({ WEBHOOK_ALLOW_PRIVATE: "true", WEBHOOK_POLL_MS: "200" });

const unitsOf = (caller: Caller) =>
  gateway.database.query<{ id: string; serialNumber: string }>(
    `select id, "serialNumber" from "Unit" where "tenantId" = $1 order by "serialNumber"`,
    [caller.tenantId],
  );

const periodIds = async (caller: Caller, unitId: string) =>
  (
    await gateway.database.query<{ id: string }>(
      `select id from "UnitPeriod" where "tenantId" = $1 and "unitId" = $2 order by "startedAt"`,
      [caller.tenantId, unitId],
    )
  ).map(({ id }) => id);

const changesOf = async (caller: Caller, id: string): Promise<any[]> =>
  (
    await caller.ask(
      `query ($id: ID!) { unit(id: $id) { changes { nodes { kind version siteBefore site operation fields { field before after } } } } }`,
      { id },
    )
  ).unit.changes.nodes.reverse();

/** A pump at North whose position Bearing has unit 4711, installed on 1 March 2026. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const bearing = await tenant.createComponent({
    name: "Bearing",
    type: "bearing",
    assetId: asset.id,
    serialNumber: "4711",
    manufacturer: "SKF",
    installDate: "2026-03-01T08:00:00Z",
  });
  const [unit] = await unitsOf(tenant);
  return { tenant, asset: asset.id as string, bearing: bearing.id as string, unit: unit!.id };
}

const exchange = (caller: Caller, input: object) =>
  caller.ask(`mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }`, { input });
const moveUnit = (caller: Caller, input: object) =>
  caller.ask(`mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }`, { input });

/** The first pages of all units, then those that changed since: ids of the readable ones, and of those that are gone. */
class Copy {
  private token: string | null = null;

  constructor(private readonly reader: Caller) {}

  async read(): Promise<{ has: string[]; gone: string[] }> {
    await gateway.logIsComplete();
    const [has, gone]: [Set<string>, Set<string>] = [new Set(), new Set()];
    for (let hasMore = true; hasMore; ) {
      const { changesSince } = await this.reader.ask(copyQuery, { token: this.token, recordTypes: ["UNIT"], first: 500 });
      for (const { recordId, record } of changesSince.records) (record ? has : gone).add(recordId);
      this.token = changesSince.nextToken;
      hasMore = changesSince.hasMore;
    }
    return { has: [...has].sort(), gone: [...gone].sort() };
  }
}

test("a unit has an entry for each period, with the end of the previous one", async () => {
  const { tenant, bearing, unit } = await plant();
  await exchange(tenant, { componentId: bearing, unit: { serialNumber: "4712" }, reason: "FAILURE", at: "2026-04-01T08:00:00Z" });
  await moveUnit(tenant, { unitId: unit, state: "IN_REPAIR", at: "2026-04-02T08:00:00Z", notes: "To the supplier" });
  const other = (await unitsOf(tenant))[1]!.id;
  const [installed, removed, inRepair] = await periodIds(tenant, unit);
  const [installedOther] = await periodIds(tenant, other);
  expect(await changesOf(tenant, unit)).toEqual([
    {
      kind: "CREATED",
      version: null,
      siteBefore: null,
      site: "North",
      operation: "createComponent",
      fields: [
        { field: "manufacturer", before: null, after: "SKF" },
        {
          field: `periods.${installed}`,
          before: null,
          after: { state: "installed", condition: "serviceable", componentId: bearing, startedAt: "2026-03-01T08:00:00+00:00" },
        },
        { field: "serialNumber", before: null, after: "4711" },
      ],
    },
    {
      kind: "UPDATED",
      version: null,
      siteBefore: "North",
      site: "North",
      operation: "exchangeUnit",
      fields: [
        { field: `periods.${installed}`, before: null, after: { endedAt: "2026-04-01T08:00:00+00:00", removalReason: "failure" } },
        {
          field: `periods.${removed}`,
          before: null,
          after: { state: "removed", condition: "unserviceable", site: "North", startedAt: "2026-04-01T08:00:00+00:00" },
        },
      ].sort((a, b) => (a.field < b.field ? -1 : 1)),
    },
    {
      kind: "UPDATED",
      version: null,
      siteBefore: "North",
      site: "North",
      operation: "moveUnit",
      fields: [
        { field: `periods.${removed}`, before: null, after: { endedAt: "2026-04-02T08:00:00+00:00" } },
        {
          field: `periods.${inRepair}`,
          before: null,
          after: {
            state: "in_repair",
            condition: "unserviceable",
            site: "North",
            startedAt: "2026-04-02T08:00:00+00:00",
            notes: "To the supplier",
          },
        },
      ].sort((a, b) => (a.field < b.field ? -1 : 1)),
    },
  ]);
  expect(await changesOf(tenant, other)).toEqual([
    expect.objectContaining({
      kind: "CREATED",
      fields: [
        { field: "manufacturer", before: null, after: "SKF" },
        {
          field: `periods.${installedOther}`,
          before: null,
          after: { state: "installed", condition: "serviceable", componentId: bearing, startedAt: "2026-04-01T08:00:00+00:00" },
        },
        { field: "serialNumber", before: null, after: "4712" },
      ],
    }),
  ]);
});

test("corrections of a unit and of a period are entries, and writes that change neither create none", async () => {
  const { tenant, bearing, unit } = await plant();
  const [period] = await periodIds(tenant, unit);
  const put = (fields: object) => tenant.rest("PUT", `/components/${bearing}`, fields);
  await put({ manufacturer: "FAG" });
  await put({ installDate: "2026-02-01T08:00:00Z" });
  await put({ manufacturer: "FAG", serialNumber: "4711", criticality: "low" });
  const site = { kind: "UPDATED", version: null, siteBefore: "North", site: "North", operation: "updateComponent" };
  const period4711 = { state: "installed", condition: "serviceable", componentId: bearing };
  expect((await changesOf(tenant, unit)).slice(1)).toEqual([
    { ...site, fields: [{ field: "manufacturer", before: "SKF", after: "FAG" }] },
    {
      ...site,
      fields: [
        {
          field: `periods.${period}`,
          before: { ...period4711, startedAt: "2026-03-01T08:00:00+00:00" },
          after: { ...period4711, startedAt: "2026-02-01T08:00:00+00:00" },
        },
      ],
    },
  ]);
});

test("a receipt, an issue and an installation of a unit of a part are its entries, and movements that leave it where it is create none", async () => {
  const { tenant, asset, bearing } = await plant();
  const { createPart: part } = await tenant.ask(
    `mutation { createPart(input: { partNumber: "B7", name: "Bearing", tracksSerials: true, tracksBatches: true, unitCost: 40, site: "North" }) { id } }`,
  );
  const { createWorkOrder: order } = await tenant.ask(
    `mutation ($assetId: ID!) { createWorkOrder(input: { title: "Exchange", assetId: $assetId, type: CORRECTIVE }) { id } }`,
    { assetId: asset },
  );
  await tenant.ask(
    `mutation ($part: ID!, $order: ID!) {
       receiveStock(partId: $part, input: { site: "North", quantity: 1, unitCost: 40, serialNumbers: ["S1"], batchNumber: "L1" }) { id }
       issueToWorkOrder(id: $order, input: { partId: $part, site: "North", quantity: 1, serialNumbers: ["S1"], batchNumber: "L1" }) { id }
     }`,
    { part: part.id, order: order.id },
  );
  const unit = (await unitsOf(tenant)).find(({ serialNumber }) => serialNumber === "S1")!.id;
  await exchange(tenant, { componentId: bearing, unit: { id: unit }, reason: "PREVENTIVE", workOrderId: order.id });
  const states = (await changesOf(tenant, unit)).map(({ kind, operation, fields }) => [
    kind,
    operation,
    fields.map(({ after }: any) => after?.state ?? after?.endedAt?.length ?? after),
  ]);
  expect(states.map(([kind, operation]) => [kind, operation])).toEqual([
    ["CREATED", "receiveStock"],
    ["UPDATED", "issueToWorkOrder"],
    ["UPDATED", "exchangeUnit"],
  ]);
  expect(states[0]![2]).toEqual(expect.arrayContaining(["L1", "S1", part.id, "in_stock"]));
  expect(states[1]![2]).toContain("with_work_order");
  expect(states[2]![2]).toContain("installed");
});

test("readers of a site gain and lose a unit with its periods, its component and its asset", async () => {
  const { tenant, asset, bearing, unit } = await plant();
  const south = (await tenant.createAsset({ name: "P-2", site: "South" })).id;
  const spare = (await tenant.createComponent({ name: "Spare", assetId: south })).id;
  const [ofNorth, ofSouth] = [new Copy(await tenant.as("viewer", ["North"], false)), new Copy(await tenant.as("viewer", ["South"], false))];
  expect(await ofNorth.read()).toEqual({ has: [unit], gone: [] });
  expect(await ofSouth.read()).toEqual({ has: [], gone: [] });
  // The position goes to the asset of the other site.
  await tenant.ask(`mutation ($id: ID!, $asset: ID!) { moveComponent(id: $id, assetId: $asset) { id } }`, { id: bearing, asset: south });
  expect(await ofNorth.read()).toEqual({ has: [], gone: [unit] });
  expect(await ofSouth.read()).toEqual({ has: [unit], gone: [] });
  // The asset comes to the other site, with a unit that was in its position and is in repair now.
  await exchange(tenant, { componentId: bearing, reason: "FAILURE" });
  expect(await ofSouth.read()).toEqual({ has: [unit], gone: [] });
  await tenant.rest("PUT", `/assets/${south}`, { site: "North" });
  expect(await ofNorth.read()).toEqual({ has: [unit], gone: [] });
  // It was removed at South, so it stays readable there.
  expect(await ofSouth.read()).toEqual({ has: [unit], gone: [] });
  // Changes at a former site are seen there too, because the unit is.
  await moveUnit(tenant, { unitId: unit, state: "REMOVED", condition: "SERVICEABLE" });
  await exchange(tenant, { componentId: spare, unit: { id: unit } });
  await tenant.rest("PUT", `/components/${spare}`, { manufacturer: "FAG" });
  expect(await ofSouth.read()).toEqual({ has: [unit], gone: [] });
  expect(await ofNorth.read()).toEqual({ has: [unit], gone: [] });
  expect(asset).not.toBe(south);
});

test("the purge of a component takes its periods out of the copies of their readers", async () => {
  const { tenant, bearing, unit } = await plant();
  const ofNorth = new Copy(await tenant.as("viewer", ["North"], false));
  expect(await ofNorth.read()).toEqual({ has: [unit], gone: [] });
  const [period] = await periodIds(tenant, unit);
  await gateway.database.query(`delete from "Component" where "tenantId" = $1 and id = $2`, [tenant.tenantId, bearing]);
  expect(await ofNorth.read()).toEqual({ has: [], gone: [unit] });
  expect((await changesOf(tenant, unit)).at(-1)).toMatchObject({
    kind: "UPDATED",
    siteBefore: "North",
    fields: [{ field: `periods.${period}`, before: { state: "installed", componentId: bearing }, after: null }],
  });
  await gateway.database.query(`delete from "Unit" where "tenantId" = $1 and id = $2`, [tenant.tenantId, unit]);
  const ofAll = await gateway.database.query(`select kind from "Change" where "tenantId" = $1 and "recordId" = $2 order by "logSequence"`, [
    tenant.tenantId,
    unit,
  ]);
  expect(ofAll).toEqual([{ kind: "created" }, { kind: "updated" }, { kind: "deleted" }]);
});

test("the deletion of a unit is an entry at each of its sites", async () => {
  const { tenant, bearing, unit } = await plant();
  await exchange(tenant, { componentId: bearing, reason: "FAILURE" });
  await gateway.database.query(`update "UnitPeriod" set site = 'South' where "tenantId" = $1 and "unitId" = $2 and "endedAt" is null`, [
    tenant.tenantId,
    unit,
  ]);
  await gateway.database.query(`delete from "Unit" where "tenantId" = $1 and id = $2`, [tenant.tenantId, unit]);
  const entries = await gateway.database.query(
    `select kind, site, before from "Change" where "tenantId" = $1 and "recordId" = $2 and kind = 'deleted' order by site`,
    [tenant.tenantId, unit],
  );
  expect(entries).toEqual([
    { kind: "deleted", site: "North", before: { serialNumber: "4711", manufacturer: "SKF" } },
    { kind: "deleted", site: "South", before: { serialNumber: "4711", manufacturer: "SKF" } },
  ]);
});

test("webhooks of the sites of a unit are sent its changes", async () => {
  const { tenant, bearing, unit } = await plant();
  const receivers = [await receiver(), await receiver()];
  for (const [i, sites] of [["North"], ["South"]].entries())
    await subscribe(tenant, receivers[i]!.url, [], { recordTypes: ["UNIT"], sites, selection: "... on Unit { serialNumber }" });
  await exchange(tenant, { componentId: bearing, reason: "FAILURE" });
  await queued(tenant);
  await settled(tenant);
  const [installed, removed] = await periodIds(tenant, unit);
  expect(receivers.map(({ accepted }) => accepted.map(({ event }) => event.data))).toEqual([
    [
      {
        recordType: "Unit",
        recordId: unit,
        kind: "updated",
        version: null,
        siteBefore: "North",
        site: "North",
        changedAt: expect.any(String),
        changedFields: [`periods.${installed}`, `periods.${removed}`].sort(),
        record: { serialNumber: "4711" },
      },
    ],
    [],
  ]);
});
