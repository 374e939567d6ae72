/** Production packages and the versions of Node.js that package.json promises. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { satisfies } from "semver";
import { expect, it } from "vitest";

interface Package {
  engines?: { node?: string };
  dev?: boolean;
  cpu?: string[];
}
const read = (name: string) => JSON.parse(readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), "utf8"));
const packages: Record<string, Package> = read("package-lock.json").packages;

/** Includes the service, whose folder is empty. Neither Node.js 24 nor sharp's library is built for 32-bit Windows. */
const production = Object.entries(packages)
  .filter(([, { dev, cpu }]) => !dev && !cpu?.includes("ia32"))
  .map(([folder, { engines }]) => ({ folder, node: engines?.node ?? "*" }));

it.each(["20.19.0", "24.0.0"])("every production package runs on Node.js %s", (version) => {
  expect(production.length).toBeGreaterThan(200);
  expect(production.filter(({ node }) => !satisfies(version, node)).map(({ folder, node }) => `${folder}: ${node}`)).toEqual([]);
});

it("the lock file and package.json promise the same versions of Node.js", () => {
  expect(read("package.json").engines.node).toBe(">=20.19");
  expect(packages[""]!.engines!.node).toBe(">=20.19");
});
