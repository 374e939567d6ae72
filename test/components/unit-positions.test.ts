/** Deletion of positions with installed units, by clients and by template upgrades (docs/units.md, "Decisions"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const remove = `mutation ($id: ID!, $removeUnits: Boolean) { deleteComponent(id: $id, removeUnits: $removeUnits) { componentCount } }`;

/** A part with the units S1 and S2 in stock at North; the id is that of S1. */
async function stocked(tenant: Caller): Promise<{ partId: string; unitId: string }> {
  const { createPart } = await tenant.ask(
    `mutation { createPart(input: { partNumber: "B7", name: "Bearing", tracksSerials: true, unitCost: 40, site: "North" }) { id } }`,
  );
  await tenant.ask(
    `mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "North", quantity: 2, unitCost: 40, serialNumbers: ["S1", "S2"] }) { id } }`,
    createPart,
  );
  const { units } = await tenant.ask('{ units(filter: { serialNumber: "S1" }) { nodes { id } } }');
  return { partId: createPart.id, unitId: units.nodes[0].id };
}

/** Issues S1 to a work order of the asset and installs it. */
async function install(tenant: Caller, assetId: string, componentId: string, partId: string, unitId: string) {
  const { createWorkOrder: order } = await tenant.ask(
    `mutation ($assetId: ID!) { createWorkOrder(input: { title: "Exchange", assetId: $assetId }) { id } }`,
    { assetId },
  );
  await tenant.ask(`mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }`, {
    id: order.id,
    input: { partId, site: "North", quantity: 1, serialNumbers: ["S1"] },
  });
  await tenant.ask(`mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }`, {
    input: { componentId, unit: { id: unitId } },
  });
}

const whereabouts = async (tenant: Caller, id: string) =>
  (await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { state condition componentId } } }", { id })).unit.whereabouts;

test("a position with a unit of a part, or with one below it, is deleted only with removeUnits", async () => {
  const tenant = await gateway.newTenant();
  const asset = (await tenant.createAsset({ site: "North" })).id;
  const drive = (await tenant.createComponent({ name: "Drive", assetId: asset })).id;
  const bearing = (await tenant.createComponent({ name: "Bearing", assetId: asset, parentId: drive })).id;
  const other = (await tenant.createComponent({ name: "Fan", assetId: asset, serialNumber: "4711" })).id;
  const { partId, unitId } = await stocked(tenant);
  await install(tenant, asset, bearing, partId, unitId);

  const before = await tenant.snapshot("Component", "Unit", "UnitPeriod");
  for (const id of [drive, bearing]) {
    const { data, errors } = await tenant.graphql(remove, { id });
    expect(data?.deleteComponent ?? null).toBeNull();
    expect(errors?.map(({ message, extensions }) => [message, extensions.code, extensions.componentIds])).toEqual([
      ["Units of parts are installed; remove them with exchangeUnit first, or set removeUnits", "CONFLICT", [bearing]],
    ]);
  }
  expect(await tenant.snapshot("Component", "Unit", "UnitPeriod")).toEqual(before);

  // A unit that is known only from the component's serial number comes out.
  expect((await tenant.ask(remove, { id: other })).deleteComponent).toEqual({ componentCount: 1 });
  expect((await tenant.ask(remove, { id: drive, removeUnits: true })).deleteComponent).toEqual({ componentCount: 2 });
  expect(await whereabouts(tenant, unitId)).toEqual({ state: "REMOVED", condition: "UNSERVICEABLE", componentId: null });
});

test("the documented deletion takes a unit of a part out", async () => {
  const tenant = await gateway.newTenant();
  const asset = (await tenant.createAsset({ site: "North" })).id;
  const bearing = (await tenant.createComponent({ name: "Bearing", assetId: asset })).id;
  const { partId, unitId } = await stocked(tenant);
  await install(tenant, asset, bearing, partId, unitId);
  expect(await tenant.rest("DELETE", `/components/${bearing}`)).toMatchObject({ status: 200, body: { message: "Component deleted" } });
  expect(await whereabouts(tenant, unitId)).toEqual({ state: "REMOVED", condition: "UNSERVICEABLE", componentId: null });
});

test("an upgrade keeps positions with units of parts, and reports them for each instance", async () => {
  const tenant = await gateway.newTenant();
  const asset = (await tenant.createAsset({ site: "North" })).id;
  const { createTemplate } = await tenant.ask(
    `mutation { createTemplate(input: { name: "Drive", type: "drive", components: [{ key: "m", name: "Motor", type: "motor" }, { key: "b", name: "Bearing", type: "bearing" }] }) { id } }`,
  );
  const id = createTemplate.id as string;
  for (let i = 0; i < 2; i++)
    expect((await tenant.rest("POST", `/components/templates/${id}/apply-hierarchical`, { assetId: asset })).status).toBe(201);
  const bearings = await gateway.database.query<{ id: string }>(
    `select id from "Component" where "tenantId" = $1 and name = 'Bearing' order by "createdAt", id`,
    [tenant.tenantId],
  );
  const { partId, unitId } = await stocked(tenant);
  await install(tenant, asset, bearings[0]!.id, partId, unitId);
  await tenant.rest("PUT", `/components/${bearings[1]!.id}`, { serialNumber: "4711" });
  await tenant.ask(
    `mutation ($id: ID!) { updateTemplate(id: $id, input: { components: [{ key: "m", name: "Motor", type: "motor" }] }) { version } }`,
    { id },
  );
  const upgrade = async (dryRun: boolean) =>
    (
      await tenant.ask(
        `mutation ($id: ID!, $dryRun: Boolean!) { upgradeInstances(input: { templateId: $id, dryRun: $dryRun, removeItems: true }) {
           processed failed results { status differences { kind componentId keptBecause } } } }`,
        { id, dryRun },
      )
    ).upgradeInstances;
  const keptBecause = "has an installed unit of a part; remove the unit with exchangeUnit first";
  const report = await upgrade(false);
  expect(report).toMatchObject({ processed: 2, failed: 0 });
  expect(report.results.flatMap(({ differences }: any) => differences)).toEqual(
    expect.arrayContaining([
      { kind: "REMOVED", componentId: bearings[0]!.id, keptBecause },
      { kind: "REMOVED", componentId: bearings[1]!.id, keptBecause: null },
    ]),
  );
  const left = await gateway.database.query<{ id: string }>(
    `select id from "Component" where "tenantId" = $1 and name = 'Bearing' and "deletedAt" is null`,
    [tenant.tenantId],
  );
  expect(left).toEqual([{ id: bearings[0]!.id }]);
});
