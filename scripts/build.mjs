// Builds dist/: the Prisma client, the service, the explorer. With --if-stale only when a source is newer than the build.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "dist/.built");
const sources = ["src", "prisma", "explorer", "scripts", "package-lock.json", "tsconfig.json"].map((name) => join(root, name));

const newest = (path) => {
  if (!existsSync(path) || path.endsWith("generated")) return 0;
  const { mtimeMs } = statSync(path);
  return statSync(path).isDirectory() ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name)))) : mtimeMs;
};

if (process.argv.includes("--if-stale") && existsSync(stamp) && Math.max(...sources.map(newest)) <= statSync(stamp).mtimeMs)
  process.exit(0);

const run = (what, script, ...args) => {
  process.stderr.write(`building: ${what}\n`);
  try {
    // `prisma generate` looks for a schema engine that it does not use, and would download it: any existing file will do.
    execFileSync(process.execPath, [join(root, script), ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" },
    });
  } catch (error) {
    process.stderr.write(`${error.stdout}${error.stderr}\n`);
    process.exit(1);
  }
};

rmSync(join(root, "dist"), { recursive: true, force: true });
run("Prisma client", "node_modules/prisma/build/index.js", "generate");
run("service", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
run("explorer", "scripts/build-explorer.mjs");
writeFileSync(stamp, "");
