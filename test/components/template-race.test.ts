/** Concurrent upgrades of the same instances, with other writers. PostgreSQL only: the embedded database has a single connection. */
import { expect, test } from "vitest";
import { type Caller, onPostgresql, sharedGateway } from "../world.js";
import { verifyTree } from "./trees.js";

const gateway = await sharedGateway();
const race = test.runIf(onPostgresql);

const seal = { name: "Seal", type: "seal" };
const fan = { name: "Fan", type: "fan" };

async function built(tenant: Caller) {
  const template = await tenant.rest("POST", "/components/templates", { name: "Pump", type: "pump", components: [seal] });
  const { id } = template.body as { id: string };
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const applied = await tenant.rest("POST", `/components/templates/${id}/apply-hierarchical`, {});
    ids.push((applied.body as any).rootIds[0]);
  }
  return { id, ids };
}
const put = (tenant: Caller, id: string, components: object[]) => tenant.rest("PUT", `/components/templates/${id}`, { components });
const upgrading = `mutation ($input: UpgradeInstancesInput!, $expected: String) {
  upgradeInstances(input: $input, expectedVersion: $expected) { version results { status differences { kind name } } }
}`;
const upgrade = (tenant: Caller, templateId: string, expected?: string) =>
  tenant.graphql(upgrading, { input: { templateId, dryRun: false }, expected });
const names = async ({ tenantId }: Caller) =>
  (
    await gateway.database.query<any>(`select name from "Component" where "tenantId" = $1 and "deletedAt" is null order by name`, [
      tenantId,
    ])
  ).map(({ name }) => name);

/**
 * Runs `start` while another transaction holds a component, until at least `waiting` statements wait for locks and `also` is done. Returns
 * the outcome.
 */
async function whileHeld<T>(
  tenant: Caller,
  componentId: string,
  start: () => Promise<T>[],
  waiting: number,
  also?: () => Promise<unknown>,
) {
  let all: Promise<T>[] = [];
  await gateway.database.transaction(async (tx) => {
    await tx.query(`select id from "Component" where "tenantId" = $1 and id = $2 for update`, [tenant.tenantId, componentId]);
    all = start();
    const waits = () =>
      gateway.database
        // A transaction caches pg_stat_activity, so the snapshot is cleared first.
        .query<any>(
          `select count(*)::int as count from (select pg_stat_clear_snapshot() offset 0) f, lateral (select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') a`,
        )
        .then(([{ count }]: any) => count);
    await expect.poll(waits).toBeGreaterThanOrEqual(waiting);
    await also?.();
  });
  return Promise.all(all);
}

race("of two upgrades at once one does all and the other nothing, and what others change meanwhile stays", async () => {
  const tenant = await gateway.newTenant();
  const { id, ids } = await built(tenant);
  await put(tenant, id, [{ ...seal, maintenanceInterval: "P1Y" }, fan]);
  const [first, second] = await whileHeld(
    tenant,
    ids[1]!,
    () => [upgrade(tenant, id), upgrade(tenant, id), tenant.rest("PUT", `/components/${ids[1]}`, { name: "Mine" }) as Promise<any>],
    2,
  );
  const kinds = [first, second].map(({ data }) =>
    data.upgradeInstances.results.map(({ differences }: any) => differences.map(({ kind, name }: any) => `${kind} ${name}`).join()),
  );
  const changes = kinds.flat().filter((text) => text.includes("ADDED"));
  expect(changes).toHaveLength(3);
  expect(kinds.some((texts) => texts.every((text: string) => !text.includes("ADDED")))).toBe(true);
  expect(await names(tenant)).toEqual(["Fan", "Fan", "Fan", "Mine", "Seal", "Seal"]);
  expect(await verifyTree(gateway, tenant.tenantId)).toEqual([]);
  const again = await upgrade(tenant, id);
  expect(again.data.upgradeInstances.results.flatMap(({ differences }: any) => differences)).toEqual([{ kind: "CHANGED", name: "Mine" }]);
});

race("an upgrade to the version that was expected is none to a later one", async () => {
  const tenant = await gateway.newTenant();
  const { id, ids } = await built(tenant);
  await put(tenant, id, [seal, fan]);
  let later: Promise<unknown> | undefined;
  const [upgraded] = await whileHeld(
    tenant,
    ids[0]!,
    () => [upgrade(tenant, id, "1.1.0")],
    1,
    () => {
      later = put(tenant, id, [seal, { ...fan, name: "Later" }]);
      return Promise.race([later, new Promise((resolve) => setTimeout(resolve, 500))]);
    },
  );
  expect((await later) as object).toMatchObject({ status: 200, body: { version: "1.2.0" } });
  expect(upgraded?.data?.upgradeInstances.version).toBe("1.1.0");
  expect(await names(tenant)).toEqual(["Fan", "Fan", "Fan", "Seal", "Seal", "Seal"]);
});
