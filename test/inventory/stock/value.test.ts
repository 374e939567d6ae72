/** The value of stock (docs/stock.md, "The ledger"), also while release 0.2.0 writes to the same database. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { createLevelsBy02, postBy02 } from "../release-0-2.js";
import { discrepancies, level, move, movements, newPart } from "./stock.js";

const gateway = await sharedGateway();
let tenant: Caller;

afterEach(async () => {
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

const values = async (partId: string) =>
  (await movements(tenant, partId)).map(({ valueExact, valueBalanceExact }) => [valueExact, valueBalanceExact]);

test("issues take their share of the value, the last takes the rest; an empty shelf is worth 0", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 3.3333 });
  await move(tenant, "receiveStock", partId, { quantity: 4, unitCost: 1.2345 });
  for (const quantity of [2, 2.5, 2.5]) await move(tenant, "issueStock", partId, { quantity });
  expect(await values(partId)).toEqual([
    ["9.9999", "9.9999"],
    ["4.938", "14.9379"],
    ["-4.268", "10.6699"],
    ["-5.335", "5.3349"],
    ["-5.3349", "0"],
  ]);
  // The last cost is kept, and applies to receipts without a cost.
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "0", totalValueExact: "0", unitCostExact: "2.134" });
  expect((await move(tenant, "receiveStock", partId, { quantity: 2 })).valueExact).toBe("4.268");
});

test("halves are rounded away from zero", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 0.5, unitCost: 0.0001 });
  await move(tenant, "receiveStock", partId, { quantity: 1.5, unitCost: 0.0002 });
  await move(tenant, "issueStock", partId, { quantity: 0.25 });
  expect(await values(partId)).toEqual([
    ["0.0001", "0.0001"],
    ["0.0003", "0.0004"],
    ["-0.0001", "0.0003"],
  ]);
});

test("a cost of 0 is a cost; an unknown cost is flagged", async () => {
  tenant = await gateway.newTenant();
  const [free, unknown, priced] = [await newPart(tenant), await newPart(tenant), await newPart(tenant, { unitCost: 1.5 })];
  expect(await move(tenant, "receiveStock", free, { quantity: 2, unitCost: 0 })).toMatchObject({ valueExact: "0", costMissing: false });
  expect(await level(tenant, free)).toMatchObject({ totalValueExact: "0", unitCostExact: "0" });
  expect(await move(tenant, "receiveStock", unknown, { quantity: 2 })).toMatchObject({ valueExact: "0", costMissing: true });
  expect(await level(tenant, unknown)).toMatchObject({ totalValueExact: "0", unitCostExact: null });
  expect(await move(tenant, "receiveStock", priced, { quantity: 2 })).toMatchObject({ valueExact: "3", costMissing: false });
});

test("a cost that is set is the level's, whatever rounding makes of the value; the part's cost posts nothing", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { unitCost: 4 });
  await move(tenant, "receiveStock", partId, { quantity: 0.137 });
  const set = (unitCost: number | null) => tenant.rest("PUT", `/inventory/${partId}`, { site: "N", unitCost });
  expect((await set(136.58)).body).toMatchObject({ unitCost: 136.58, totalValue: 18.7115 });
  // A reservation changes neither quantity nor value.
  await move(tenant, "reserveStock", partId, { quantity: 0.1 });
  expect(await level(tenant, partId)).toMatchObject({ unitCostExact: "136.58" });
  await move(tenant, "unreserveStock", partId, { quantity: 0.1 });
  await tenant.ask("mutation ($id: ID!) { updatePart(id: $id, input: { unitCost: 5 }) { id } }", { id: partId });
  expect(await level(tenant, partId)).toMatchObject({ totalValueExact: "18.7115", unitCostExact: "136.58" });
  expect(await values(partId)).toEqual([
    ["0.548", "0.548"],
    ["18.1635", "18.7115"],
    ["0", "18.7115"],
    ["0", "18.7115"],
  ]);
});

test("setting the part's cost gives it to receipts without a cost, although it is shown already", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 5 });
  await tenant.ask("mutation ($id: ID!) { updatePart(id: $id, input: { unitCost: 4 }) { id } }", { id: partId });
  expect(await level(tenant, partId)).toMatchObject({ totalValueExact: "0", unitCostExact: "4" });
  const set = (fields: object) => tenant.rest("PUT", `/inventory/${partId}`, { site: "N", ...fields });
  expect((await set({ location: "B-1" })).body).toMatchObject({ totalValue: 0 });
  expect((await set({ unitCost: 4 })).body).toMatchObject({ unitCost: 4, totalValue: 20 });
  expect((await set({ unitCost: 4 })).body).toMatchObject({ unitCost: 4, totalValue: 20 });
  expect(await values(partId)).toEqual([
    ["0", "0"],
    ["20", "20"],
  ]);
});

test("a part's price in another currency than the ledger's values nothing", async () => {
  tenant = await gateway.newTenant();
  await tenant.ask('mutation { updateStockSettings(input: { currency: "EUR" }) { currency } }');
  const receivedOf = async (currency: string | null) => {
    const partId = await newPart(tenant, { unitCost: 4, currency });
    return move(tenant, "receiveStock", partId, { quantity: 2 });
  };
  expect(await receivedOf("USD")).toMatchObject({ valueExact: "0", costMissing: true });
  // The text is free. Unknown codes are treated as the ledger's currency.
  for (const currency of [null, "EUR", "eur", "€"])
    expect(await receivedOf(currency), String(currency)).toMatchObject({ valueExact: "8", costMissing: false });
  const other = await newPart(tenant, { unitCost: 4, currency: "USD" });
  await move(tenant, "receiveStock", other, { quantity: 2, unitCost: 3 });
  expect((await tenant.rest("PUT", `/inventory/${other}`, { site: "N", unitCost: null })).body).toMatchObject({
    unitCost: 3,
    totalValue: 6,
  });
});

/** Posts like release 0.2.0, without the author. Returns the number of movements. */
async function post02(entry: { partId: string; type: string; [field: string]: unknown }): Promise<number> {
  const rows = JSON.stringify([{ site: "N", ...entry, id: randomUUID() }]);
  const attempt = () => gateway.database.query(postBy02, [tenant.tenantId, rows, "key", "Key"]);
  const posted = await attempt();
  if (posted.length) return posted.length;
  await gateway.database.query(createLevelsBy02, [tenant.tenantId, rows]);
  return (await attempt()).length;
}

test("release 0.2.0 beside: what it posts has a value, and a cost that it sets is a revaluation", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { unitCost: 2 });
  expect(await post02({ partId, type: "receipt", quantity: 3, unitCost: 3.3333 })).toBe(1);
  await post02({ partId, type: "receipt", quantity: 4, unitCost: 1.2345, location: "A1" });
  await move(tenant, "issueStock", partId, { quantity: 2 });
  await post02({ partId, type: "issue", quantity: -2.5, limit: "available" });
  await post02({ partId, type: "reserve", reserve: 1, limit: "available" });
  await gateway.database.query(
    `update "StockLevel" set "unitCost" = 4, "updatedAt" = greatest("updatedAt", now()) where "tenantId" = $1 and "partId" = $2`,
    [tenant.tenantId, partId],
  );
  await post02({ partId, type: "cycle_count", target: 0 });
  const all = await movements(tenant, partId);
  expect(all.map(({ type, valueExact, valueBalanceExact }) => [type, valueExact, valueBalanceExact])).toEqual([
    ["RECEIPT", "9.9999", "9.9999"],
    // Release 0.2.0 rounds the average first.
    ["RECEIPT", "4.9381", "14.938"],
    ["ISSUE", "-4.268", "10.67"],
    ["ISSUE", "-5.335", "5.335"],
    ["RESERVE", "0", "5.335"],
    ["REVALUATION", "4.665", "10"],
    ["CYCLE_COUNT", "-10", "0"],
  ]);
  const before = await level(tenant, partId);
  expect(await post02({ partId, type: "issue", quantity: -1, limit: "available" })).toBe(0);
  expect(await level(tenant, partId)).toEqual(before);
  const changes = await gateway.database.query<any>(
    `select kind, after from "Change" where "tenantId" = $1 and "recordType" = 'StockLevel' order by "logSequence"`,
    [tenant.tenantId],
  );
  // Movements change no setting except the location.
  expect(changes.map(({ kind, after }) => [kind, after.value, after.location])).toEqual([
    ["created", undefined, undefined],
    ["updated", undefined, "A1"],
  ]);
});

test("release 0.2.0 beside: a gain that it approves is no longer blocked", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  const { adjustStock } = await tenant.ask(
    `mutation ($partId: ID!) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: CORRECTION, quantity: 2, unitCost: 1 }) { id } }`,
    { partId },
  );
  const available = async () =>
    (await tenant.ask(`query ($partId: ID!) { part(id: $partId) { stockAt(site: "N") { blockedStock availableStock } } }`, { partId })).part
      .stockAt;
  expect(await available()).toEqual({ blockedStock: 2, availableStock: 0 });
  await gateway.database.query(
    `update "StockAdjustment" set "approvedBy" = 'key', "approvedAt" = now() where "tenantId" = $1 and id = $2`,
    [...[tenant.tenantId, adjustStock.id]],
  );
  expect(await available()).toEqual({ blockedStock: 0, availableStock: 2 });
});
