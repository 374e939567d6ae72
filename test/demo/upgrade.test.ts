/** A demo plant that an earlier release loaded. */
import { expect, test } from "vitest";
import { prepareDemo } from "../../src/cli/demo.js";
import { ensureTenant } from "../../src/database/records/directory.js";
import { Caller, startGateway } from "../world.js";

const gateway = await startGateway();
const settings = "{ stockSettings { currency writeOffThreshold version } }";

test("gets a currency at its next start, unless someone stored settings", async () => {
  await ensureTenant(gateway.database, "demo");
  await gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type, site, location, status, category) values ('demo', 'a', 'Pump', 'pump', 'main', '', 'operational', 'mechanical')`,
  );
  const start = async () => new Caller(gateway, "demo", await prepareDemo(gateway.database, gateway.config.DATA_DIR));
  const demo = await start();
  expect(await demo.ask(settings)).toEqual({ stockSettings: { currency: "EUR", writeOffThreshold: null, version: 1 } });
  await demo.ask("mutation { updateStockSettings(input: { currency: null, writeOffThreshold: 50 }) { id } }");
  await start();
  expect(await demo.ask(settings)).toEqual({ stockSettings: { currency: null, writeOffThreshold: 50, version: 2 } });
  expect((await demo.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
});
