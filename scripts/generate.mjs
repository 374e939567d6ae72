// Generates src/database/generated from prisma/schema.prisma, and console/src/generated from the console's documents, if these changed,
// and the lists of resolvers and routes.
// Type checks, tests and the build depend on them.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateLists } from "./generate-lists.mjs";
import { buildIfStale, root } from "./stale.mjs";

/** Runs a script of the project or of a package. Shows its output only if it fails. */
export async function run(script, ...args) {
  try {
    await promisify(execFile)(process.execPath, [join(root, script), ...args], {
      cwd: root,
      maxBuffer: 2 ** 26,
      // `prisma generate` would download a schema engine that it does not use. Any existing file prevents that.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" },
    });
  } catch (error) {
    throw new Error(`${script} failed:\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}

const folder = join(root, "src/database/generated");

export async function generate({ always = false } = {}) {
  generateLists();
  await buildIfStale({
    name: "Prisma client",
    stamp: join(folder, ".checksum"),
    sources: ["prisma/schema.prisma", "prisma.config.ts", "scripts", "package-lock.json"],
    always,
    async build() {
      rmSync(folder, { recursive: true, force: true });
      await run("node_modules/prisma/build/index.js", "generate");
    },
  });
  await buildIfStale({
    name: "console documents",
    stamp: join(root, "console/src/generated/.checksum"),
    sources: [
      "console/src",
      "src/schema/schema.graphql",
      "packages/client/scalars.json",
      "scripts/generate-console.mjs",
      "package-lock.json",
    ],
    always,
    build: () => run("scripts/generate-console.mjs"),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generate();
