import { Command, Option } from "commander";
import { ensureTenant, insertKey } from "../database/directory.js";
import type { Role } from "../schema/access/enums.js";
import { withDatabase } from "./common.js";

interface KeyOptions {
  tenant: string;
  role: Role;
  site?: string[];
  readAll?: boolean;
  name: string;
}

export const keyCommand = new Command("key")
  .description("print one new API key, creating the tenant where missing")
  .requiredOption("--tenant <name>", "the tenant")
  .addOption(
    new Option("--role <role>", "what the key may do")
      .choices(["requester", "viewer", "ingest", "technician", "manager", "admin"] satisfies Role[])
      .makeOptionMandatory(),
  )
  .option("--site <site...>", "sites whose records it may read and change; all where left out")
  .option("--read-all", "with --site: it may read the records of all sites")
  .option("--name <name>", "a name for the key", "command line")
  .action(({ tenant, role, site = [], readAll = !site.length, name }: KeyOptions) =>
    withDatabase(async (database) => {
      await ensureTenant(database, tenant);
      console.log(await insertKey(database, tenant, { name, role, sites: site, readAll }));
      return 0;
    }),
  );
