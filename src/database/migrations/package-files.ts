/** Files of the package that the service reads at run time. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The build has a copy. In the sources, the folder is next to src. */
export const prismaFolder = [join(here, "../../prisma"), join(here, "../../../prisma")].find(existsSync)!;
export const migrationsFolder = join(prismaFolder, "migrations");
