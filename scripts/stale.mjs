// Rebuilds generated files when the checksum of their sources has changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
export const cache = join(root, "node_modules/.cache/maintenance-gateway");

const filesIn = (path) => {
  if (!existsSync(path) || /(database|resolvers|rest-compat|console\/src)\/generated$/.test(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
};

/** Returns the checksum of the names and contents of files and folders, relative to the root. Ignores generated code. */
export function checksum(...names) {
  const hash = createHash("sha256");
  for (const name of names)
    for (const file of filesIn(join(root, name)))
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update("\0");
  return hash.digest("hex").slice(0, 16);
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
};

/** Runs `work` under a lock file, so that only one process builds at a time. Removes the lock of a dead process. */
async function withLock(name, work) {
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `${name}.lock`);
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    try {
      const owner = Number(readFileSync(file, "utf8"));
      if (owner ? !isAlive(owner) : Date.now() - statSync(file).mtimeMs > 10_000) {
        // The rename succeeds in only one of several processes that find the owner dead.
        renameSync(file, `${file}.${process.pid}`);
        rmSync(`${file}.${process.pid}`);
      }
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Runs `build` if the sources differ from the checksum in `stamp`. Writes the stamp last, so that an interrupted build is repeated. */
export async function buildIfStale({ name, stamp, sources, always = false, build }) {
  const sum = checksum(...sources);
  const isFresh = () => existsSync(stamp) && readFileSync(stamp, "utf8") === sum;
  if (!always && isFresh()) return;
  await withLock(name, async () => {
    if (!always && isFresh()) return;
    process.stderr.write(`building: ${name}\n`);
    rmSync(stamp, { force: true });
    await build();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, sum);
  });
}
