/** Tables that grow with the history are vacuumed and analyzed after 2 % of new rows. Each partition has its own settings. */
import { expect, test } from "vitest";
import { gatherStatistics } from "../../src/database/connection/statistics.js";
import { maintainPartitions } from "../../src/domain/changes/partitions.js";
import { startGateway } from "../world.js";

const { database } = await startGateway();

const settings = async (name: string) =>
  (
    await database.query<{ table: string; settings: string[] | null }>(
      `select c.oid::regclass::text as table, c.reloptions as settings from pg_class c
       where c.oid = to_regclass($1) or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass($1)) and c.relkind = 'r' order by 1`,
      [name],
    )
  ).filter(({ settings, table }) => settings || table !== name);

const often = ["autovacuum_vacuum_scale_factor=0.02", "autovacuum_vacuum_insert_scale_factor=0.02", "autovacuum_analyze_scale_factor=0.02"];

test.each(['"StockMovement"', '"StockBalance"', '"MeterReading"', '"WorkOrder"', '"WebhookDelivery"'])("%s", async (table) => {
  expect(await settings(table)).toEqual([{ table, settings: often }]);
});

test.each(['"Change"', '"Reading"'])("each month of %s, those made later too", async (table) => {
  const before = await settings(table);
  expect(before.length).toBeGreaterThan(3);
  const last = before.at(-1)!.table === `${table.slice(1, -1).toLowerCase()}_partitions.other` ? before.at(-2)! : before.at(-1)!;
  await database.query(`drop table ${last.table}`);
  expect(await settings(table)).not.toContainEqual(last);
  await database.query("select make_reading_months(3)");
  await maintainPartitions(database, 36_500);
  expect(await settings(table)).toEqual(before);
  expect(before.map(({ settings }) => settings)).toEqual(before.map(() => often));
});

/** Does the work while another transaction holds the table's lock. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holder: Promise<void> | undefined;
  await new Promise<void>((isHeld) => {
    holder = database.transaction(async (tx) => {
      await tx.query(`lock table ${table} in share update exclusive mode`);
      isHeld();
      await isReleased;
    });
  });
  await work().finally(release);
  await holder;
}

test("a locked table gets the settings in a later run", async () => {
  const table = '"StockMovement"';
  const reset = "reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor)";
  await database.query(`alter table ${table} ${reset}`);
  await whileLocked(table, async () => {
    await maintainPartitions(database, 36_500);
    expect(await settings(table)).toEqual([]);
  });
  await maintainPartitions(database, 36_500);
  expect(await settings(table)).toEqual([{ table, settings: often }]);
});

test("statistics of each table are gathered, without waiting for a locked one", async () => {
  const known = async () =>
    (
      await database.query<{ name: string }>(
        `select relname as name from pg_class where reltuples >= 0 and oid in ('"Asset"'::regclass, '"Part"'::regclass) order by 1`,
      )
    ).map(({ name }) => name);
  // Makes the tables look newly created, because autovacuum may have run.
  await database.query(`update pg_class set reltuples = -1 where oid in ('"Asset"'::regclass, '"Part"'::regclass)`);
  await whileLocked('"Part"', async () => {
    await gatherStatistics(database);
    expect(await known()).toEqual(["Asset"]);
  });
  await gatherStatistics(database);
  expect(await known()).toEqual(["Asset", "Part"]);
});
