/**
 * PostgreSQL enforces the tenant of every row (docs/fairness.md, "Second wall"): a statement without a tenant condition finds no rows of
 * other tenants.
 */
import { describe, expect, inject, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { type Database, forTenant } from "../../src/database/database.js";
import { ensureTenant } from "../../src/database/records/directory.js";
import { maintainPartitions } from "../../src/domain/changes/partitions.js";
import { dropReadingMonth, makeReadingMonths } from "../../src/domain/maintenance/meters/reading-months.js";
import { deleteTenants } from "../../src/domain/tenants/deletion.js";
import { changeState } from "../../src/domain/tenants/states.js";
import { localStorage } from "../../src/storage/local.js";
import { makeRole, onServer, serviceRole, urlOf } from "../prepare.js";
import { type Caller, freshDatabase, onPostgresql, startGateway } from "../world.js";

const gateway = await startGateway(onPostgresql ? { ROW_SECURITY: "on" } : {});
const { database } = gateway;
const one = await gateway.newTenant();
const other = await gateway.newTenant();

test("every table with a tenant has the policy", async () => {
  const missing = await database.query(
    `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenantId'
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not exists (select 1 from pg_policy where polrelid = c.oid and polname = 'tenant')`,
  );
  expect(missing).toEqual([]);
});

test("every function that runs as the owner looks names up only in its own schema, and is not public", async () => {
  const functions = await database.query<{ name: string; isClosed: boolean }>(
    `select proname as name, coalesce(concat('search_path=', current_schema(), ', pg_temp') = any(proconfig), false)
       and not coalesce((select bool_or(grantee = 0) from aclexplode(proacl)), true) as "isClosed"
     from pg_proc where prosecdef and pronamespace = current_schema()::regnamespace`,
  );
  expect(functions.length).toBeGreaterThan(5);
  expect(functions.filter(({ isClosed }) => !isClosed)).toEqual([]);
});

describe.runIf(onPostgresql)("a service that owns nothing", () => {
  const pumps = async (caller: Caller) => {
    const asset = await caller.createAsset({ name: "Feed pump", serialNumber: "S1" });
    await caller.createComponent({ assetId: asset.id });
    return asset.id as string;
  };

  test("serves each tenant its own data", async () => {
    const ids = [await pumps(one), await pumps(other)];
    for (const [i, caller] of [one, other].entries()) {
      const { assets, search } = await caller.ask(
        `{ assets { nodes { id } totalCount } search: assets(filter: { search: "feed" }) { nodes { id changes { totalCount } } } }`,
      );
      expect(assets).toEqual({ nodes: [{ id: ids[i] }], totalCount: 1 });
      expect(search).toEqual({ nodes: [{ id: ids[i], changes: { totalCount: 1 } }] });
      expect((await caller.rest("PUT", `/assets/${ids[i]}`, { name: "Renamed" })).body).toMatchObject({ id: ids[i], name: "Renamed" });
      expect((await caller.rest("GET", `/assets/${ids[1 - i]}`)).status).toBe(404);
    }
  });

  test("a statement that forgets the tenant reads and writes only rows of its own", async () => {
    for (const caller of [one, other]) {
      const asset = await caller.createAsset({ name: "Spare pump" });
      await caller.createComponent({ assetId: asset.id });
      const part = { partNumber: "P-1", name: "Seal", stockLevel: 3, lastOrderDate: "2040-01-01T00:00:00Z" };
      const { status, body } = await caller.rest("POST", "/parts", part);
      expect(status).toBe(201);
      await caller.ask("mutation ($id: ID!) { reserveStock(partId: $id, input: { quantity: 1 }) { reservation { id } } }", {
        id: body.partId,
      });
    }
    const tables = await database.query<{ name: string }>(
      `select target::text as name from tables_held_by_tenant()
       union select oid::regclass::text from pg_class where relkind = 'v' and relnamespace = current_schema()::regnamespace order by 1`,
    );
    expect(tables.length).toBeGreaterThan(30);
    const found = async (db: { query: Database["query"] }, name: string) =>
      (await db.query<any>(`select distinct "tenantId" as id from ${name} where $1 <> ''`, [one.tenantId])).map(({ id }) => id);
    const inScope = forTenant(database, one.tenantId);
    const seen = [];
    for (const { name } of tables) {
      const all = await found(database, name);
      const own = await found({ query: (text) => inScope.query(text) }, name);
      expect(own, name).toEqual(all.filter((id) => id === one.tenantId));
      if (all.length > 1) seen.push(name);
    }
    expect(seen).toEqual(
      expect.arrayContaining([
        `"Asset"`,
        `"Change"`,
        `"Component"`,
        `"ApiKey"`,
        `"Tenant"`,
        `"Stock"`,
        `"StockReservation"`,
        `"OpenOrder"`,
      ]),
    );
    const before = await other.snapshot();
    await inScope.query(`update "Asset" set name = 'Taken over', "updatedBy" = 'x' where $1 <> ''`);
    expect(await other.snapshot()).toEqual(before);
    expect(new Set((await one.snapshot("Asset")).Asset!.map(({ name }) => name))).toEqual(new Set(["Taken over"]));
    const insert = `insert into "Budget" ("tenantId", scope, points, granted, "countedAt") select $2, 'x', 1, 1, now() where $1 <> ''`;
    await expect(inScope.query(insert, other.tenantId)).rejects.toThrow(/row-level security/);
    await inScope.query(insert, one.tenantId);
  });

  test("within a transaction each statement has its own scope", async () => {
    const count = `select count(distinct "tenantId")::int as count from "Tenant" where $1 <> ''`;
    const counts = await database.transaction(async (tx) => {
      const all = () => tx.query<{ count: number }>(count, ["x"]);
      const own = () => forTenant(database, one.tenantId).query<{ count: number }>(count);
      const found = [await all(), await own()];
      await database
        .transaction(async () => {
          found.push(await all());
          throw new Error("undone");
        })
        .catch(() => {});
      return [...found, await own(), await all()].map(([row]) => row!.count > 1);
    });
    expect(counts).toEqual([true, false, true, false, true]);
  });

  test("creates and drops months of the log, and changes no entry of it", async () => {
    const [{ name: last }] = await onDatabase(
      `select max(c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'change_partitions' and c.relkind = 'r' and c.relname like 'month%'`,
    );
    await onDatabase(`drop table change_partitions."${last}"`);
    await onDatabase(
      `create table change_partitions.month_2020_01 partition of "Change" for values from ('2020-01-01T00:00:00Z') to ('2020-02-01T00:00:00Z')`,
    );
    expect(await maintainPartitions(database, 400)).toEqual(["month_2020_01"]);
    expect(await onDatabase(`select 1 as there from pg_class where oid = 'change_partitions."${last}"'::regclass`)).toEqual([{ there: 1 }]);
    await expect(database.query(`update "Change" set "recordId" = 'x'`)).rejects.toThrow("permission denied");
    await expect(database.query(`drop table "Asset"`)).rejects.toThrow("must be owner");
  });

  test("creates and drops months of readings, whose partitions it cannot reach", async () => {
    const { id } = await one.createAsset();
    await onDatabase(`do $$ begin
      alter table "Reading" detach partition reading_partitions.before;
      alter table "Reading" attach partition reading_partitions.before for values from ('2020-02-01T00:00:00Z') to ('2026-01-01T00:00:00Z');
      create table reading_partitions.month_2020_01 partition of "Reading" for values from ('2020-01-01T00:00:00Z') to ('2020-02-01T00:00:00Z');
    end $$`);
    const readings = Array.from({ length: 103 }, (_, i) => ({
      assetId: id,
      parameter: "heat",
      value: i,
      recordedAt: new Date(Date.parse("2020-01-05T00:00:00Z") + i * 60_000).toISOString(),
    }));
    await one.ask("mutation ($r: [ReadingInput!]!) { recordReadings(readings: $r) { recorded } }", { r: readings });
    await expect(database.query(`select count(*) from reading_partitions.month_2020_01`)).rejects.toThrow("permission denied");
    await gateway.logIsComplete();
    expect(await dropReadingMonth(database, new Date("2021-01-01"), () => false)).toEqual(new Map([[one.tenantId, 3]]));
    expect((await one.snapshot("Reading")).Reading!.length).toBe(100);
    const [sums] = await onDatabase(
      `select sum(count)::int as count, sum(sum)::int as sum from "ReadingAggregate" where "assetId" = '${id}' and period = 'hour'`,
    );
    expect(sums).toEqual({ count: 3, sum: 0 + 1 + 2 });
    expect(await dropReadingMonth(database, new Date("2021-01-01"), () => false)).toBeUndefined();
    const [{ name: last }] = await onDatabase(`select max(name) as name from reading_months()`);
    await onDatabase(`drop table reading_partitions."${last}"`);
    await makeReadingMonths(database);
    expect(await onDatabase(`select max(name) as name from reading_months()`)).toEqual([{ name: last }]);
  });

  test("deletes a tenant with its ledgers by the functions for it, and in no other way", async () => {
    const tenant = await gateway.newTenant();
    const part = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", stockLevel: 3, site: "main" });
    expect(part.status).toBe(201);
    const passingFor = (statement: string) =>
      database.transaction(async (tx) => {
        await tx.query(`select set_config('gateway.moving', 'on', true)`);
        return tx.query(statement, [tenant.tenantId]);
      });
    await expect(passingFor(`delete from "StockMovement" where "tenantId" = $1`)).rejects.toThrow("never changed");
    await expect(passingFor(`delete from "Change" where "tenantId" = $1`)).rejects.toThrow("permission denied");
    const logged = async () =>
      (await database.query<any>(`select count(*)::int as n from "Change" where "tenantId" = $1`, [tenant.tenantId]))[0].n;
    const before = await logged();
    await passingFor(`insert into "Asset" ("tenantId", id, name, type) select $1, 'x', 'x', 'x'`);
    expect(await logged()).toBe(before + 1);
    await changeState(database, tenant.tenantId, "deleting");
    const storage = localStorage(gateway.config.DATA_DIR);
    await expect.poll(() => deleteTenants(database, storage, { tenantId: tenant.tenantId, graceSeconds: 0 })).toEqual([tenant.tenantId]);
    expect(await logged()).toBe(0);
  });

  const onDatabase = (sql: string) => onServer(sql, new URL(gateway.config.DATABASE_URL!).pathname.slice(1));
});

test.runIf(onPostgresql)("an owner without superuser rights can apply all migrations, and move rows", async () => {
  const [name, role] = [`${inject("run")}_owned`, "gateway_test_owner"];
  await makeRole(role);
  await onServer(`create database ${name} owner ${role}`);
  const url = new URL(urlOf(name));
  url.username = url.password = role;
  const owned = await openDatabase(readConfig({ DATABASE_URL: url.href, DATA_DIR: gateway.config.DATA_DIR }), () => {});
  try {
    await ensureTenant(owned, "plant");
    await owned.query(`insert into "Asset" ("tenantId", id, name, type) values ($1, 'a', 'Pump', 'pump')`, ["plant"]);
    await changeState(owned, "plant", "deleting");
    const storage = localStorage(gateway.config.DATA_DIR);
    await expect.poll(() => deleteTenants(owned, storage, { tenantId: "plant", graceSeconds: 0 })).toEqual(["plant"]);
    expect(await owned.query(`select "recordId" from "Change" where $1 <> ''`, ["plant"])).toEqual([]);
  } finally {
    await owned.close();
    await onServer(`drop database ${name} with (force)`);
  }
});

describe("a start is refused", () => {
  test.runIf(onPostgresql)(
    "for a role that bypasses it, for a database without it, and for a database with it unless configured",
    async () => {
      const { environment, remove } = await freshDatabase(false);
      const name = new URL(environment.DATABASE_URL!).pathname.slice(1);
      const service = await serviceRole(name);
      const start = async (settings: Record<string, string | undefined>) => {
        await (await openDatabase(readConfig({ ...environment, ...settings }), () => {})).close();
      };
      await expect(start({ ROW_SECURITY: "on" })).rejects.toThrow(
        /^ROW_SECURITY=on: the role "\w+" in DATABASE_URL is a superuser or bypasses row-level security\. Name one there that does not, and the owner's URL in DATABASE_MIGRATE_URL$/,
      );
      await start({ ...service, ROW_SECURITY: "off" });
      await expect(start({ ...service, DATABASE_MIGRATE_URL: undefined })).rejects.toThrow(
        "ROW_SECURITY=on: row-level security is off in the database. Name its owner's URL in DATABASE_MIGRATE_URL, which turns it on",
      );
      await start(service);
      await start({ ...service, DATABASE_MIGRATE_URL: undefined });
      // Replaces the view as a migration does.
      const open = `select count(*)::int from pg_class where relname = 'Stock' and reloptions is null`;
      await onServer(`do $$ begin execute 'create or replace view "Stock" as ' || pg_get_viewdef('"Stock"'); end $$`, name);
      expect(await onServer(open, name)).toEqual([{ count: 1 }]);
      await expect(start({ ...service, DATABASE_MIGRATE_URL: undefined })).rejects.toThrow("ROW_SECURITY=on: row-level security is off");
      await start(service);
      expect(await onServer(open, name)).toEqual([{ count: 0 }]);
      await expect(start({ ...service, ROW_SECURITY: "off" })).rejects.toThrow(
        "row-level security is on in the database: set ROW_SECURITY=on, or turn it off as the owner by: select set_row_security(false)",
      );
      await onServer("select set_row_security(false)", name);
      await start({ ...service, DATABASE_MIGRATE_URL: undefined, ROW_SECURITY: "off" });
      await onServer(`delete from _prisma_migrations where migration_name > '20261122'`, name);
      await expect(start({ ...service, DATABASE_MIGRATE_URL: undefined })).rejects.toThrow(
        "the database lacks migrations that the role in DATABASE_URL may not apply: name its owner's URL in DATABASE_MIGRATE_URL",
      );
      await remove();
    },
  );

  test("without a PostgreSQL to enforce it", () => {
    expect(() => readConfig({ ROW_SECURITY: "on" })).toThrow("ROW_SECURITY: needs DATABASE_URL: the embedded database has one role");
    expect(() => readConfig({ DATABASE_MIGRATE_URL: "postgresql://x" })).toThrow("DATABASE_MIGRATE_URL: needs DATABASE_URL beside it");
  });
});
