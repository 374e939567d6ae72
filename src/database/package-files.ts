/** Files of the package that the service reads while it runs. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const prismaFolder = join(root, "prisma");
export const migrationsFolder = join(prismaFolder, "migrations");

/** The version of this service. */
export const version = (): string => (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
