/** Append-only tables: the database rejects updates and deletions. The API has no such operation, hence the SQL. */
import { expect, test } from "vitest";
import type { Table } from "../../src/database/rows/catalogue.js";
import { move, raise } from "../alerts/receivers.js";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

/** For each ledger, a column that could be forged without violating a check. */
const ledgers: Partial<Record<Table, string>> = {
  Change: `operation = 'forged'`,
  ComponentTemplateVersion: `name = 'forged'`,
  NotificationStatusChange: `"changedByName" = 'forged'`,
  StockMovement: `"performedByName" = 'forged'`,
  StockPeriod: `quantity = quantity + 1`,
  WorkOrderStatusChange: `"changedByName" = 'forged'`,
};

async function filled(): Promise<Caller> {
  const tenant = await gateway.newTenant();
  const part = await tenant.rest("POST", "/parts", { partNumber: "P", name: "Seal", stockLevel: 3 });
  expect(part.status).toBe(201);
  const { id: asset } = await tenant.createAsset();
  const { body: procedure } = await tenant.rest("POST", "/pms", { name: "Oil", assetId: asset, frequency: "monthly" });
  await tenant.ask(
    `mutation ($id: ID!) {
      createWorkOrder(procedureId: $id) { id }
      createTemplate(input: { name: "Drive", type: "drive", components: [{ name: "Motor", type: "motor" }] }) { id }
      closeStockPeriod(month: "2020-01") { id }
    }`,
    { id: procedure.id },
  );
  await move(tenant, await raise(tenant), "ACKNOWLEDGED");
  return tenant;
}

const tenant = await filled();
const rows = async (table: string) =>
  (
    await gateway.database.query<any>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ])
  ).map(({ row }) => row);

for (const [table, change] of Object.entries(ledgers))
  test(`${table} is neither changed nor deleted`, async () => {
    const before = await rows(table);
    expect(before.length).toBeGreaterThan(0);
    for (const statement of [`update "${table}" set ${change}`, `delete from "${table}"`])
      await expect(gateway.database.query(`${statement} where "tenantId" = $1`, [tenant.tenantId]), statement).rejects.toThrow(
        // With row-level security, the service's role lacks the permission.
        /rows are never changed|append-only|permission denied/,
      );
    expect(await rows(table)).toEqual(before);
  });

test("the name of an erased person is all that is replaced in a ledger", async () => {
  const before = await rows("StockMovement");
  const forge = (set: string) => gateway.database.query(`update "StockMovement" set ${set} where "tenantId" = $1`, [tenant.tenantId]);
  await expect(forge(`"performedByName" = 'Erased person', notes = 'forged'`)).rejects.toThrow("rows are never changed");
  expect(await rows("StockMovement")).toEqual(before);
  await forge(`"performedByName" = 'Erased person'`);
  expect(await rows("StockMovement")).toEqual(before.map((row) => ({ ...row, performedByName: "Erased person" })));
});

test("a period is reopened once, and nothing else of it changes", async () => {
  const write = (set: string) => gateway.database.query(`update "StockPeriod" set ${set} where "tenantId" = $1`, [tenant.tenantId]);
  const before = await rows("StockPeriod");
  await expect(write(`"reopenedAt" = now(), "reopenedBy" = 'x', reason = 'late', value = 1`)).rejects.toThrow("rows are never changed");
  expect(await rows("StockPeriod")).toEqual(before);
  await (await tenant.as("admin")).ask('mutation { reopenStockPeriod(month: "2020-01", reason: "late invoice") { month } }');
  const reopened = await rows("StockPeriod");
  await expect(write(`reason = 'forged'`)).rejects.toThrow("rows are never changed");
  await expect(write(`"reopenedAt" = null, "reopenedBy" = null, reason = null`)).rejects.toThrow("rows are never changed");
  expect(await rows("StockPeriod")).toEqual(reopened);
});
