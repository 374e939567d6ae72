/**
 * Random operations on units compared with a notebook that knows where each unit is at every instant (unit-notebook.ts): exchanges, also
 * recorded afterwards, inspections, corrections, stock, transfers, documented writes, deletions and moves of positions. Contents stay in
 * place; unit-contents.test.ts moves them. `npm run test:units` does 10,000. This test does few. The service chooses times, so a seed
 * repeats the choices, but not every run.
 */
import { expect, test } from "vitest";
import { startGateway } from "../world.js";
import { Run } from "./unit-run.js";
import { readsAll } from "./unit-service.js";

const runs = Number(process.env.UNIT_RUNS ?? 1);
const operations = Number(process.env.UNIT_OPERATIONS ?? 200);
const firstSeed = Number(process.env.UNIT_SEED ?? Date.now() % 1_000_000);

const gateway = await startGateway(readsAll);

const tables = [
  "Component",
  "Unit",
  "UnitPeriod",
  "InstallationCorrection",
  "StockLevel",
  "StockMovement",
  "StockBatch",
  "StockAdjustment",
];
const otherTables = ["StockTransfer", "WorkOrder", "WorkOrderPart", "WorkOrderStep"];
const rows = [...tables, ...otherTables]
  .map(
    (table) =>
      `select '${table}' as name, count(*)::int as count, md5(string_agg(t::text, ',' order by t::text)) as hash from "${table}" t where "tenantId" = $1`,
  )
  .join(" union all ");

for (let run = 0; run < runs; run++)
  test(`${operations} operations on units have the effects that the model says, seed ${firstSeed + run}`, {
    timeout: 300_000 + operations * 1_000,
  }, async () => {
    const begun = performance.now();
    const tenant = await gateway.newTenant();
    const plant = await Run.begin(tenant, await tenant.as("manager"), firstSeed + run);
    const unchanged = () => gateway.database.query(rows, [tenant.tenantId]);
    for (let done = 0; done < operations; done++) {
      if (done % 10 === 9) await plant.several(2 + (done % 3));
      else await plant.one(unchanged);
      if (done % 50 === 49) await plant.compare();
    }
    await plant.compare();
    const accepted = Object.keys(plant.done).filter((key) => key.endsWith("accepted"));
    expect(accepted.length, JSON.stringify(plant.done)).toBeGreaterThan(12);
    if (process.env.UNIT_RUNS) console.info(JSON.stringify({ seed: plant.seed, ms: Math.round(performance.now() - begun), ...plant.done }));
  });
