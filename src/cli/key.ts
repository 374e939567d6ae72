import { Command, Option } from "commander";
import { ensureTenant, insertKey } from "../database/directory.js";
import type { Role } from "../schema/access/enums.js";
import { withDatabase } from "./common.js";

interface KeyOptions {
  tenant: string;
  role: Role;
  site?: string[];
  name: string;
}

export const keyCommand = new Command("key")
  .description("print one new API key, creating the tenant where missing")
  .requiredOption("--tenant <name>", "the tenant")
  .addOption(
    new Option("--role <role>", "what the key may do")
      .choices(["viewer", "ingest", "technician", "manager", "admin"] satisfies Role[])
      .makeOptionMandatory(),
  )
  .option("--site <site...>", "sites whose records it may change; all where left out")
  .option("--name <name>", "a name for the key", "command line")
  .action(({ tenant, role, site = [], name }: KeyOptions) =>
    withDatabase(async (database) => {
      await ensureTenant(database, tenant);
      console.log(await insertKey(database, tenant, { name, role, sites: site }));
      return 0;
    }),
  );
