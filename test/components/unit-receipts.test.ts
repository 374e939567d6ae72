/** Units that must not come into stock, and serial numbers that several units share (docs/units.md). */
import pg from "pg";
import { expect, test } from "vitest";
import { type Caller, onPostgresql, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Component", "Unit", "UnitPeriod", "StockMovement", "StockAdjustment", "StockTransfer"];

async function refused(caller: Caller, query: string, variables: object): Promise<any> {
  const before = await caller.snapshot(...tables);
  const { errors } = await caller.graphql(query, { ...variables });
  expect(errors, "it is refused").toHaveLength(1);
  expect(await caller.snapshot(...tables)).toEqual(before);
  return { message: errors![0]!.message, ...errors![0]!.extensions };
}

const exchange = "mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { serialNumber } }";
const moveStock = (verb: string) => `mutation ($p: ID!, $input: MoveStockInput!) { ${verb}(partId: $p, input: $input) { id } }`;
const pieces = (site: string, ...serialNumbers: string[]) => ({ site, quantity: serialNumbers.length, serialNumbers });

/** Pump P-1 at North with an empty position, and a part with serial number A in the stock of North. */
async function plant() {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ name: "P-1", site: "North" });
  const { id: bearing } = await tenant.createComponent({ name: "Bearing", assetId });
  const { createPart } = await tenant.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
    input: { partNumber: "6309", name: "Bearing", tracksSerials: true },
  });
  await tenant.ask(moveStock("receiveStock"), { p: createPart.id, input: { unitCost: 100, ...pieces("North", "A") } });
  const { units } = await tenant.ask("{ units { nodes { id } } }");
  return { tenant, assetId, bearing: bearing as string, part: createPart.id as string, unit: units.nodes[0].id as string };
}

test("a unit in transit comes into stock only with its transfer", async () => {
  const { tenant, part, unit } = await plant();
  const { startTransfer } = await tenant.ask(
    "mutation ($p: ID!, $input: StartTransferInput!) { startTransfer(partId: $p, input: $input) { id } }",
    { p: part, input: { fromSite: "North", toSite: "South", quantity: 1, serialNumbers: ["A"] } },
  );
  await tenant.ask("mutation ($id: ID!) { shipTransfer(id: $id) { id } }", { id: startTransfer.id });
  const refusal = {
    code: "CONFLICT",
    message: "Serial numbers are in transit; receive or cancel their transfer first",
    serialNumbers: ["A"],
  };
  const input = pieces("South", "A");
  expect(await refused(tenant, moveStock("receiveStock"), { p: part, input })).toMatchObject(refusal);
  const adjust = "mutation ($p: ID!, $input: AdjustStockInput!) { adjustStock(partId: $p, input: $input) { id } }";
  expect(await refused(tenant, adjust, { p: part, input: { adjustmentType: "CORRECTION", reason: "Found", ...input } })).toMatchObject(
    refusal,
  );
  await tenant.ask("mutation ($id: ID!) { receiveTransfer(id: $id) { id } }", { id: startTransfer.id });
  const { unit: found } = await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { state site } } }", { id: unit });
  expect(found.whereabouts).toEqual({ state: "IN_STOCK", site: "South" });
});

test("a serial number that a unit of a part shares with two others is refused, whatever their ids", async () => {
  const { tenant, assetId, bearing, unit } = await plant();
  for (let i = 0; i < 2; i++) {
    const { id } = await tenant.createComponent({ name: `Other ${i}`, assetId, serialNumber: "A" });
    await tenant.ask(exchange, { input: { componentId: id, reason: "FAILURE" } });
  }
  // The unit of the part is the last by its id.
  await gateway.database.query(`update "Unit" set id = 'z-' || id where "tenantId" = $1 and id = $2`, [tenant.tenantId, unit]);
  const { unitIds, ...rest } = await refused(tenant, exchange, { input: { componentId: bearing, unit: { serialNumber: "A" } } });
  expect(rest).toMatchObject({ code: "CONFLICT", message: "Several units at the site have the serial number; name one by unit.id" });
  // Two are named, as a sample, in the order of their ids.
  expect(unitIds).toEqual([expect.any(String), `z-${unit}`]);
});

test.runIf(onPostgresql)("a unit that is installed while it is returned stays in its component", async () => {
  const { tenant, bearing, part, unit } = await plant();
  await tenant.ask(exchange, { input: { componentId: bearing, unit: { id: unit } } });
  await tenant.ask(exchange, { input: { componentId: bearing, reason: "PREVENTIVE" } });
  await tenant.ask("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }", {
    input: { unitId: unit, state: "REMOVED", condition: "SERVICEABLE" },
  });
  const other = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
  await other.connect();
  await other.query("begin");
  const at = new Date().toISOString();
  await other.query(`update "UnitPeriod" set "endedAt" = $3 where "tenantId" = $1 and "unitId" = $2 and "endedAt" is null`, [
    tenant.tenantId,
    unit,
    at,
  ]);
  await other.query(
    `insert into "UnitPeriod" ("tenantId", "unitId", "startedAt", state, condition, "componentId") values ($1, $2, $3, 'installed', 'serviceable', $4)`,
    [tenant.tenantId, unit, at, bearing],
  );
  const returned = tenant.graphql(moveStock("returnStock"), { p: part, input: pieces("North", "A") });
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => gateway.database.query(waiting)).toHaveLength(1);
  await other.query("commit");
  await other.end();
  const { errors } = await returned;
  expect(errors?.map(({ message, extensions }) => ({ message, ...extensions }))).toEqual([
    {
      code: "CONFLICT",
      message: "Serial numbers are installed; remove their units with exchangeUnit first",
      serialNumbers: ["A"],
    },
  ]);
  const { part: found } = await tenant.ask('query ($p: ID!) { part(id: $p) { stockAt(site: "North") { quantity } } }', { p: part });
  expect(found.stockAt.quantity).toBe(0);
});
