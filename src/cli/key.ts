import { Command, Option } from "commander";
import { ensureTenant, insertKey } from "../database/records/directory.js";
import type { Role } from "../schema/access/enums.js";
import { Name, PlaceName } from "../schema/scalars.js";
import { jsonOption, print, WrongUsage, withDatabase } from "./common.js";

interface KeyOptions {
  tenant: string;
  role: Role;
  site?: string[];
  readAll?: boolean;
  name: string;
}

export const keyCommand = new Command("key")
  .description("create an API key and print it; also creates the tenant if missing")
  .requiredOption("--tenant <name>", "the tenant")
  .addOption(
    new Option("--role <role>", "what the key may do")
      .choices(["requester", "viewer", "ingest", "technician", "manager", "admin"] satisfies Role[])
      .makeOptionMandatory(),
  )
  .option("--site <site...>", "sites whose records the key may read and change; default: all sites")
  .option("--read-all", "with --site: the key may read the records of all sites")
  .option("--name <name>", "a name for the key", "command line")
  .addOption(jsonOption())
  .action(({ tenant, role, site = [], readAll = !site.length, name }: KeyOptions) => {
    checkValue("--name", () => Name.parseValue(name));
    for (const place of site) checkValue("--site", () => PlaceName.parseValue(place));
    return withDatabase(async (database) => {
      await ensureTenant(database, tenant);
      const key = await insertKey(database, tenant, { name, role, sites: site, readAll });
      print({ key, tenant, role, sites: site, readAll, name }, key);
      return 0;
    });
  });

/** Throws a usage error that names the option. */
function checkValue(option: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new WrongUsage(`${option} ${(error as Error).message}`);
  }
}
