/** Files of the package that the service reads while it runs. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

/** The build has a copy. Of the sources it is beside src. */
export const prismaFolder = [join(here, "../prisma"), join(root, "prisma")].find(existsSync)!;
export const migrationsFolder = join(prismaFolder, "migrations");

const ofPackage = (): { version: string; engines: { node: string } } => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The version of this service. */
export const version = (): string => ofPackage().version;

/** The versions of Node.js that it runs on, such as `>=20.19`. */
export const engines = (): string => ofPackage().engines.node;
