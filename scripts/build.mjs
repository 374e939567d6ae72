// Generates the Prisma client, then builds the service and the explorer into dist/. With --if-stale, only what changed.
// With package.json and the production dependencies, dist/ is all that the service needs.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generate, run } from "./generate.mjs";
import { buildIfStale, root } from "./stale.mjs";

const dist = join(root, "dist");
const always = !process.argv.includes("--if-stale");

try {
  await generate({ always });
  await buildIfStale({
    name: "service",
    stamp: join(dist, ".service"),
    sources: ["src", "prisma/schema.prisma", "scripts", "package-lock.json", "tsconfig.json"],
    always,
    async build() {
      try {
        for (const name of readdirSync(dist)) if (!name.includes("explorer")) rmSync(join(dist, name), { recursive: true });
      } catch (error) {
        if (error.code !== "ENOENT") throw error;
      }
      await run("node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
      await run("scripts/bundle-prisma.mjs");
    },
  });
  await buildIfStale({
    name: "migrations",
    stamp: join(dist, ".prisma"),
    sources: ["prisma", "scripts"],
    always,
    async build() {
      rmSync(join(dist, "prisma"), { recursive: true, force: true });
      cpSync(join(root, "prisma"), join(dist, "prisma"), { recursive: true });
    },
  });
  await buildIfStale({
    name: "explorer",
    stamp: join(dist, ".explorer"),
    sources: ["explorer", "scripts", "src/schema/schema.graphql", "package-lock.json"],
    always,
    build: () => run("scripts/build-explorer.mjs"),
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
