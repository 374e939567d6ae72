/** Only one process at a time has a data folder open, even after earlier processes crashed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockFolder } from "../../src/database/connection/folder-lock.js";
import { build } from "../generate.js";

const root = mkdtempSync(join(tmpdir(), "gateway-lock-"));
beforeAll(build);
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = () => join(root, String(folders++));

const script = `
  import { lockFolder } from ${JSON.stringify(new URL("../../dist/database/connection/folder-lock.js", import.meta.url).href)};
  try { await lockFolder(process.argv[1]); console.log("locked"); setInterval(() => {}, 1000); } catch (error) { console.log(error.message); }`;

/** A process that locks a folder and keeps the lock. `said` is its first output line. */
function locker(folder: string, ...before: string[]): { child: ChildProcess; said: Promise<string> } {
  const [command, ...args] = [...before, process.execPath, "--input-type=module", "-e", script, folder];
  const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { child, said: once(child.stdout!, "data").then(([line]) => String(line).trim()) };
}

const ended = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
};

test("a second process gets one clear line; after kill -9 of the first the next one gets the folder", async () => {
  const folder = newFolder();
  const first = locker(folder);
  expect(await first.said).toBe("locked");
  const second = locker(folder);
  expect(await second.said).toBe(
    `the data folder ${folder} is in use by process ${first.child.pid}; stop it, set DATA_DIR to another folder, or use DATABASE_URL`,
  );
  await expect(lockFolder(folder)).rejects.toThrow("is in use by process");
  first.child.kill("SIGKILL");
  await ended(first.child);
  const release = await lockFolder(folder);
  expect(await locker(folder).said).toMatch(/is in use by process/);
  await release();
  expect(readdirSync(folder)).toEqual([]);
});

test("of several concurrent starts exactly one gets the folder, despite sockets of killed processes", async () => {
  const folder = newFolder();
  for (let round = 0; round < 12; round++) {
    const lockers = Array.from({ length: 3 }, () => locker(folder));
    const lines = await Promise.all(lockers.map(({ said }) => said));
    expect(lines.filter((line) => line === "locked")).toHaveLength(1);
    for (const { child } of lockers) child.kill("SIGKILL");
    await Promise.all(lockers.map(({ child }) => ended(child)));
  }
});

const hasNamespaces = spawnSync("unshare", ["--user", "--map-root-user", "--pid", "--fork", "true"]).status === 0;

test.runIf(hasNamespaces)("a process of another PID namespace is kept out", async () => {
  const folder = newFolder();
  const release = await lockFolder(folder);
  expect(await locker(folder, "unshare", "--user", "--map-root-user", "--pid", "--fork").said).toMatch(/is in use by process/);
  await release();
});
