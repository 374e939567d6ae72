// Generates the Prisma client, then builds the service, the explorer, the console and the REST reference into dist/. With --if-stale,
// builds only what changed. At run time the service needs dist/, package.json and the production dependencies only.
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commit } from "./commit.mjs";
import { generate, run } from "./generate.mjs";
import { buildIfStale, root } from "./stale.mjs";

const dist = join(root, "dist");
/** Files that tsc does not copy. */
const examples = "src/rest-compat/openapi/examples.json";
/** Typeface of PDFs: two files of a package that has 12 MB of others. */
const typeface = "node_modules/dejavu-fonts-ttf";
const fonts = ["LICENSE", "ttf/DejaVuSansCondensed.ttf", "ttf/DejaVuSansCondensed-Bold.ttf"];
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
        for (const name of readdirSync(dist)) if (!/explorer|console|reference/.test(name)) rmSync(join(dist, name), { recursive: true });
      } catch (error) {
        if (error.code !== "ENOENT") throw error;
      }
      await run("node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
      cpSync(join(root, examples), join(dist, examples.replace("src/", "")));
      for (const file of fonts) cpSync(join(root, typeface, file), join(dist, "fonts", basename(file)));
      // Input of the bill of materials (scripts/sbom.mjs).
      writeFileSync(join(dist, "fonts/bundled.json"), JSON.stringify([typeface]));
      await run("scripts/bundle-prisma.mjs");
      // The entry point of package.json's `bin`. npm makes it executable on installation; npx runs it as is.
      chmodSync(join(dist, "cli/main.js"), 0o755);
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
  await buildIfStale({
    name: "reference",
    stamp: join(dist, ".reference"),
    sources: ["reference", "scripts", "package-lock.json"],
    always,
    build: () => run("scripts/build-reference.mjs"),
  });
  await buildIfStale({
    name: "console",
    stamp: join(dist, ".console"),
    sources: ["console", "packages/client/src", "scripts", "src/schema/schema.graphql", "package-lock.json"],
    always,
    build: () => run("scripts/build-console.mjs"),
  });
  writeFileSync(join(dist, "commit"), commit());
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
