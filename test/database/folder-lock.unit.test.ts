/** The lock of a data folder within a single process. folder-lock.process.test.ts covers several processes. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lockFolder } from "../../src/database/connection/folder-lock.js";

const root = mkdtempSync(join(tmpdir(), "gateway-lock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = () => join(root, String(folders++));

test("of many in one process exactly one gets the lock", async () => {
  for (let round = 0; round < 5; round++) {
    const folder = newFolder();
    const locks = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    const held = locks.flatMap((lock) => (lock.status === "fulfilled" ? [lock.value] : []));
    expect(held).toHaveLength(1);
    await held[0]!();
  }
});

test("a folder with a long path is locked too, and only its owner may enter it", async () => {
  const folder = join(newFolder(), "x".repeat(120));
  const release = await lockFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await expect(lockFolder(folder)).rejects.toThrow("is in use by process");
  await release();
  expect(readdirSync(folder)).toEqual([]);
});

test("a path that is not a folder is named in the error", async () => {
  const folder = newFolder();
  mkdirSync(folder);
  await expect(lockFolder(join(process.execPath, "data"))).rejects.toThrow(join(process.execPath, "data"));
});
