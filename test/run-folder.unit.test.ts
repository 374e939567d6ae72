/** Removal of folders of earlier runs: only if their process has ended, regardless of the clock. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRunFolder, removeAbandoned } from "./run-folder.js";

test("a run's folder stays while its process lives, and goes when it has ended", () => {
  const own = createRunFolder();
  const parent = mkdtempSync(join(tmpdir(), "folders-"));
  onTestFinished(() => {
    for (const folder of [own, parent]) rmSync(folder, { recursive: true, force: true });
  });
  const alive = readFileSync(join(own, "owner"), "utf8");
  const [pid] = alive.split(" ");
  const ended = spawnSync(process.execPath, ["--version"]).pid;
  const folders = { alive, ended: `${ended} 1`, reused: `${pid} 1`, other: undefined };
  for (const [name, owner] of Object.entries(folders)) {
    const folder = join(parent, `gateway-test-${name}`);
    mkdirSync(folder);
    if (owner) writeFileSync(join(folder, "owner"), owner);
    utimesSync(folder, new Date("2020-01-01"), new Date("2020-01-01"));
  }
  mkdirSync(join(parent, "foreign"));
  removeAbandoned(parent);
  expect(readdirSync(parent).sort()).toEqual(["foreign", "gateway-test-alive", "gateway-test-other"]);
});
