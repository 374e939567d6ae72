/** The numbers of assets that `sites` shows: kept by triggers, compared with the assets themselves. */
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { forTenant, type TenantDatabase, type TenantQueryable } from "../../src/database/database.js";
import { readMigrations } from "../../src/database/migrations/files.js";
import { deleteTenantRows, insertTenantRows } from "../../src/database/rows/tenant-rows.js";
import { randomOf } from "../execution/documents.js";
import { makeRole, onServer } from "../prepare.js";
import { type Caller, type Gateway, onPostgresql, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();

const shown = async (caller: Caller) => (await caller.ask("{ sites { name assetCount areas { name assetCount } } }")).sites;

/** The same, counted from the assets. */
async function counted({ gateway: { database }, tenantId }: Caller, sites?: string[]) {
  const rows = await database.query<{ site: string; area: string; count: number }>(
    `select site, area, count(*)::int as count from "Asset" where "tenantId" = $1 and "deletedAt" is null and ($2::text[] is null or site = any($2))
     group by site, area order by site, area`,
    [tenantId, sites ?? null],
  );
  return [...new Set(rows.map(({ site }) => site))].map((name) => {
    const areas = rows.filter(({ site }) => site === name).map(({ area, count }) => ({ name: area, assetCount: count }));
    return { name, assetCount: areas.reduce((sum, { assetCount }) => sum + assetCount, 0), areas };
  });
}

const site = (name: string, assetCount: number, area = "") => ({ name, assetCount, areas: [{ name: area, assetCount }] });

/** Connections to the gateway's database that pass by the gateway, with a transaction open on each. */
async function transactions({ config }: Gateway, count: number): Promise<pg.Client[]> {
  const clients = Array.from(
    { length: count },
    () => new pg.Client({ connectionString: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL! }),
  );
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))));
  for (const client of clients) {
    await client.connect();
    await client.query("begin; set local gateway.tenant = '*'; set local lock_timeout = '20s'");
  }
  return clients;
}

const insertAt = (client: Pick<pg.Client, "query">, tenantId: string, name: string) =>
  client.query(`insert into "Asset" ("tenantId", id, name, type, site) values ($1, gen_random_uuid()::text, 'Pump', 'pump', $2)`, [
    tenantId,
    name,
  ]);

class Abort extends Error {}

/** Runs the work in a transaction that is rolled back. */
const aborted = (db: TenantDatabase, work: (tx: TenantQueryable) => Promise<unknown>) =>
  db
    .transaction(async (tx) => {
      await work(tx);
      throw new Abort();
    })
    .catch((error) => {
      if (!(error instanceof Abort)) throw error;
    });

test.each([1, 2, 3])("equal the assets after parallel writes of all kinds (seed %i)", async (seed) => {
  const tenant = await gateway.newTenant();
  const limited = await tenant.as("manager", ["North", "South"], false);
  const db = forTenant(gateway.database, tenant.tenantId);
  const next = randomOf(seed);
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!;
  const live: string[] = [];
  const deleted: string[] = [];
  const take = (from: string[]) => from.splice(Math.floor(next() * from.length), 1)[0];
  const place = () => ({ site: one(["North", "South", "East", ""]), area: one(["", "Hall", "Yard"]) });
  const importRows = async (count: number) => {
    const rows = Array.from({ length: count }, () => {
      const { site, area } = place();
      return `Pump,pump,S${Math.floor(next() * 40)},${site},${area}`;
    });
    const file = [`name,type,serialNumber,site,area`, ...new Map(rows.map((row) => [row.split(",")[2], row])).values()].join("\n");
    const { status } = await tenant.rest("POST", "/assets/import?mode=upsert", file, { "content-type": "text/csv" });
    expect(status).toBeLessThan(300);
  };
  const create = (tx: TenantQueryable) => tx.records.Asset.create("test", { name: "Pump", type: "pump", ...place() });
  const steps: (() => Promise<unknown>)[] = [
    async () => live.push((await tenant.createAsset(place())).id),
    async () => live.push((await limited.createAsset({ ...place(), site: one(["North", "South"]) })).id),
    async () => {
      const id = take(live);
      if (id) await tenant.rest("PUT", `/assets/${id}`, one([place(), { area: null }, { name: "Renamed" }]));
      if (id) live.push(id);
    },
    async () => {
      const id = take(live);
      if (!id) return;
      await tenant.rest("DELETE", `/assets/${id}`);
      deleted.push(id);
    },
    async () => {
      const id = take(deleted);
      if (!id) return;
      await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id });
      live.push(id);
    },
    () => importRows(12),
    // A move that is rejected at another version, and one that is rolled back.
    async () => {
      const id = take(live);
      if (!id) return;
      const answer = await tenant.rest("PUT", `/assets/${id}`, place(), { "if-match": '"999"' });
      expect(answer.status).toBe(412);
      await aborted(db, (tx) => tx.records.Asset.update("test", { id }, place()));
      live.push(id);
    },
    () => aborted(db, create),
    () =>
      db.transaction(async (tx) => {
        await create(tx);
        await aborted(db, create);
        await create(tx);
      }),
    // Several rows at once, in several areas. Those of imports are left out, which lock theirs in another order.
    () =>
      db.query(
        `insert into "Asset" ("tenantId", id, name, type, site, area, "deletedAt")
         select $1, gen_random_uuid()::text, 'Pump', 'pump', (array['North','West'])[1 + n % 2], (array['Hall',''])[1 + n % 2], case when n % 5 = 0 then now() end
         from generate_series(1, $2::int) n`,
        Math.ceil(next() * 20),
      ),
    () =>
      db.query(
        `update "Asset" set site = case site when 'West' then 'North' else 'West' end, "updatedBy" = 'test'
         where "tenantId" = $1 and site in ('West', 'North') and id < $2 and "serialNumber" is null and "deletedAt" is null`,
        one("369c".split("")),
      ),
  ];
  const writer = async () => {
    for (let i = 0; i < 25; i++) await one(steps)();
  };
  await Promise.all(Array.from({ length: 6 }, writer));
  const expected = await counted(tenant);
  expect(expected.length).toBeGreaterThan(3);
  expect(await shown(tenant)).toEqual(expected);
  expect(await shown(limited)).toEqual(await counted(tenant, ["North", "South"]));
});

test("follow an asset that is moved, deleted and restored, and leave out empty sites and areas", async () => {
  const tenant = await gateway.newTenant();
  const other = await gateway.newTenant();
  const { id } = await tenant.createAsset({ site: "North", area: "Hall" });
  await other.createAsset({ site: "North", area: "Hall" });
  expect(await shown(tenant)).toEqual([site("North", 1, "Hall")]);
  await tenant.rest("PUT", `/assets/${id}`, { area: "Yard" });
  expect(await shown(tenant)).toEqual([site("North", 1, "Yard")]);
  await tenant.rest("PUT", `/assets/${id}`, { site: "South", name: "Moved" });
  expect(await shown(tenant)).toEqual([site("South", 1, "Yard")]);
  await tenant.rest("DELETE", `/assets/${id}`);
  expect(await shown(tenant)).toEqual([]);
  await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id });
  expect(await shown(tenant)).toEqual([site("South", 1, "Yard")]);
  expect(await shown(other)).toEqual([site("North", 1, "Hall")]);
});

test("count the assets of an import, and are deleted with their tenant", async () => {
  const { database } = gateway;
  const tenant = await gateway.newTenant();
  const { tenantId } = tenant;
  const rows = async () =>
    database.query<any>(`select site, sum(count)::int as count from "AssetCount" where "tenantId" = $1 group by site`, [tenantId]);
  await database.query(`delete from "ApiKey" where "tenantId" = $1`, [tenantId]);
  await database.query(`delete from "Principal" where "tenantId" = $1`, [tenantId]);
  await database.query(`delete from "Tenant" where "tenantId" = $1`, [tenantId]);
  await database.query(`insert into "Tenant" ("tenantId", state) values ($1, 'importing')`, [tenantId]);
  const columns = ["tenantId", "id", "name", "type", "status", "site", "area", "customFields", "createdAt", "updatedAt", "version"];
  const rest = {
    type: "pump",
    status: "operational",
    area: "",
    customFields: {},
    createdAt: "2026-01-01",
    updatedAt: "2026-01-01",
    version: 1,
  };
  const assets = ["a", "b", "c"].map((id) => JSON.stringify({ ...rest, id, name: id, site: "North" }));
  await insertTenantRows(database, { name: "Asset", columns }, tenantId, assets, "1");
  // The previous version's archives contain counts.
  const count = { site: "North", area: "", slot: 3, count: 3 };
  await insertTenantRows(
    database,
    { name: "AssetCount", columns: ["tenantId", ...Object.keys(count)] },
    tenantId,
    [JSON.stringify(count)],
    "1",
  );
  await database.query(`select end_tenant_import($1)`, [tenantId]);
  expect(await rows()).toEqual([{ site: "North", count: 3 }]);
  // Without a status log, which the archive lacks here, an operator can delete an asset.
  await database.query(`delete from "Asset" where "tenantId" = $1 and id = 'a'`, [tenantId]);
  expect(await rows()).toEqual([{ site: "North", count: 2 }]);
  await database.query(`update "Tenant" set state = 'deleting' where "tenantId" = $1`, [tenantId]);
  expect(await deleteTenantRows(database, "AssetCount", tenantId, 100)).toBe(1);
  expect(await deleteTenantRows(database, "Asset", tenantId, 100)).toBe(2);
  expect(await rows()).toEqual([]);
});

test.runIf(onPostgresql)("make no transaction wait for another, in whatever order they write to sites", async () => {
  const tenant = await gateway.newTenant();
  const { tenantId } = tenant;
  // More than a table of 32 slots could hold, and all of them at the same two sites.
  const open = await transactions(gateway, 40);
  for (const [i, client] of open.entries()) await insertAt(client, tenantId, i % 2 ? "South" : "North");
  // If one waited for another, PostgreSQL would end it as a deadlock.
  await Promise.all(open.map((client, i) => insertAt(client, tenantId, i % 2 ? "North" : "South")));
  // Nor does a request wait for them.
  await tenant.createAsset({ site: "North" });
  expect(await shown(tenant)).toEqual([site("North", 1)]);
  await Promise.all(open.map((client, i) => client.query(i % 4 ? "commit" : "rollback")));
  expect(await shown(tenant)).toEqual([site("North", 31), site("South", 30)]);
});

test.runIf(onPostgresql)("add up where an asset is counted in one slot and leaves in another", async () => {
  const tenant = await gateway.newTenant();
  const [open] = await transactions(gateway, 1);
  await insertAt(open!, tenant.tenantId, "East");
  // Its slot is taken, so that this asset is counted in the next one.
  const { id } = await tenant.createAsset({ site: "North" });
  await open!.query("rollback");
  await tenant.rest("DELETE", `/assets/${id}`);
  const slots = `select slot, count from "AssetCount" where "tenantId" = $1 and site = 'North' order by slot`;
  expect(await gateway.database.query(slots, [tenant.tenantId])).toEqual([
    { slot: 0, count: -1 },
    { slot: 1, count: 1 },
  ]);
  expect(await shown(tenant)).toEqual([]);
});

test("of other sites are out of reach for a key limited to sites, by any statement", async () => {
  const tenant = await gateway.newTenant();
  for (const at of ["North", "South"]) await tenant.createAsset({ site: at });
  const limited = (at: string) =>
    gateway.database.transaction(async (tx) => {
      await tx.query(`select set_config('gateway.author', '{"sites":["North"]}', true)`);
      await tx.query(`update "AssetCount" set count = 7 where "tenantId" = $1 and site = $2`, [tenant.tenantId, at]);
    });
  await expect(limited("South")).rejects.toThrow("Forbidden");
  await limited("North");
  expect(await shown(tenant)).toEqual([site("North", 7), site("South", 1)]);
});

const script = (name: string) => readMigrations().find((migration) => migration.name.endsWith(name))!.sql;

test.runIf(onPostgresql)("begin with each asset once, while assets are written", async () => {
  const own = await startGateway();
  const tenant = await own.newTenant();
  const name = new URL(own.config.DATABASE_URL!).pathname.slice(1);
  // As before the migration.
  for (const kind of ["insert", "update", "delete"]) await onServer(`drop trigger "Asset_count_${kind}" on "Asset"`, name);
  for (const at of ["North", "North", "South"]) await tenant.createAsset({ site: at });
  await tenant.rest("DELETE", `/assets/${(await tenant.createAsset({ site: "South" })).id}`);
  expect(await shown(tenant)).toEqual([]);
  const [early] = await transactions(own, 1);
  await insertAt(early!, tenant.tenantId, "North");
  const waiting = async (mode: string) =>
    (await onServer(`select from pg_locks where relation = '"Asset"'::regclass and mode = '${mode}' and not granted`, name)).length;
  const counting = onServer(script("_asset_counts_online"), name);
  await expect.poll(() => waiting("ShareRowExclusiveLock")).toBe(1);
  // A writer that comes while the migration waits is counted by the triggers.
  const late = tenant.createAsset({ site: "North" });
  await expect.poll(() => waiting("RowExclusiveLock")).toBe(1);
  await early!.query("commit");
  await Promise.all([counting, late]);
  expect(await shown(tenant)).toEqual([site("North", 4), site("South", 1)]);
  // An interrupted migration is repeated.
  await onServer(script("_asset_counts_online"), name);
  await tenant.createAsset({ site: "South" });
  expect(await shown(tenant)).toEqual([site("North", 4), site("South", 2)]);
});

test.runIf(onPostgresql)("are kept for a role that the previous version granted the tables", async () => {
  const own = await startGateway();
  const tenant = await own.newTenant();
  const name = new URL(own.config.DATABASE_URL!).pathname.slice(1);
  const role = "gateway_test_service";
  await makeRole(role);
  await onServer(
    `drop table "AssetCount"; drop function own_asset_slot, count_assets, recount_assets cascade; select grant_to_service('${role}')`,
    name,
  );
  await onServer(script("_asset_counts"), name);
  await onServer(script("_asset_counts_online"), name);
  const client = new pg.Client({ connectionString: own.config.DATABASE_URL! });
  onTestFinished(() => client.end());
  await client.connect();
  await client.query(`set role ${role}`);
  await insertAt(client, tenant.tenantId, "North");
  expect(await shown(tenant)).toEqual([site("North", 1)]);
});
