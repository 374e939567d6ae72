import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { gatherStatistics } from "../database/connection/statistics.js";
import { type Database, forTenant } from "../database/database.js";
import { ensureTenant, insertKey } from "../database/records/directory.js";
import { KeyRing } from "../domain/access/keys.js";
import { commandLineActor, jsonOption, log, report, WrongUsage, withDatabase } from "./common.js";
import { currentRun } from "./run.js";

const assetsPerPlant = 400;
/** Smaller plants lack the assets that the demo procedures need. */
const leastAssets = 4;

export const demoCommand = new Command("demo")
  .description("load the demo plant into the tenant demo")
  .option("--scale <n>", `size of the plant, in multiples of ${assetsPerPlant} assets`, Number, 1)
  .option("--tenant <name>", "the tenant", "demo")
  .addOption(jsonOption())
  .action(({ scale, tenant }: { scale: number; tenant: string }) => {
    if (!(scale * assetsPerPlant >= leastAssets))
      throw new WrongUsage(`--scale must be a number of at least ${leastAssets / assetsPerPlant} (${leastAssets} assets)`);
    return withDatabase(async (database) => {
      await ensureTenant(database, tenant);
      if (await hasAssets(database, tenant))
        throw new Error(`the tenant ${tenant} already has assets; choose an empty tenant with --tenant`);
      report({ tenant, ...(await loadPlant(database, tenant, scale)) }, []);
      return 0;
    });
  });

async function hasAssets(database: Database, tenant: string): Promise<boolean> {
  return (await forTenant(database, tenant).query(`select 1 from "Asset" where "tenantId" = $1 limit 1`)).length > 0;
}

/**
 * Loads the demo plant if the demo tenant has no assets. `days` is the length of its history, by default two years. Returns a valid key of
 * the tenant.
 */
export async function prepareDemo(database: Database, folder: string, days?: number): Promise<string> {
  await ensureTenant(database, "demo");
  if (!(await hasAssets(database, "demo"))) await loadPlant(database, "demo", 1, days);
  else {
    const { setCurrency } = await import("../demo/currency.js");
    await setCurrency(forTenant(database, "demo"), commandLineActor("demo"));
  }
  const stored = readDemoKey(folder);
  const keys = new KeyRing(database, { onError() {}, sessionIdleMs: 0 });
  if (stored && (await keys.authenticate(`Bearer ${stored}`).finally(() => keys.close()))) return stored;
  const key = await insertKey(database, "demo", { name: "demo", role: "admin", sites: [], readAll: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(demoKeyFile(folder), `${key}\n`, { mode: 0o600 });
  return key;
}

/** Stores the demo key for the next start, because the database has only its hash. */
const demoKeyFile = (folder: string) => join(folder, "demo-key");

/** Returns the stored demo key, or undefined if there is none. */
export function readDemoKey(folder: string): string | undefined {
  try {
    return readFileSync(demoKeyFile(folder), "utf8").trim();
  } catch {
    return undefined;
  }
}

async function loadPlant(database: Database, tenant: string, scale: number, days?: number): Promise<Record<string, number>> {
  const { loadDemo } = await import("../demo/load.js");
  const total = Math.round(assetsPerPlant * scale);
  const { stderr } = currentRun();
  const onTerminal = stderr.isTTY;
  let isPlanned = false;
  const showProgress = async (assets: number) => {
    // Triggers keep the plans that they made for empty tables until there are statistics.
    if (!isPlanned) await gatherStatistics(database);
    isPlanned = true;
    if (onTerminal) stderr.write(`\rloading the demo plant: ${assets} of ${total} assets`);
  };
  if (!onTerminal) log(`loading the demo plant: ${total} assets …`);
  const db = forTenant(database, tenant);
  const actor = commandLineActor(tenant);
  const { assets, components } = await loadDemo(db, actor, scale, showProgress);
  const { loadDemoWork } = await import("../demo/work.js");
  const { parts, procedures } = await loadDemoWork(db, actor, days);
  // A failure affects only the speed.
  await gatherStatistics(database).catch(() => {});
  log(
    `${onTerminal ? "\r" : ""}loaded the demo plant: ${assets} assets, ${components} components, ${parts} parts, ${procedures} procedures`,
  );
  return { assets, components, parts, procedures };
}
