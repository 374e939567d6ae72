/**
 * The tarball of a release, installed into an empty folder, and a release that fails halfway. A single real installation, because it takes
 * most of the time.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pack } from "../../scripts/pack.mjs";
import { filesOfRelease } from "../../scripts/release-texts.mjs";
import { root } from "../../scripts/stale.mjs";
import { build } from "../generate.js";
import { killLeft, launch, type Settings } from "./service.js";

/** Network settings for the registry: a custom certificate authority, a proxy. */
const network = Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY)$/i.test(name));
/** Excludes the settings that `npm test` passes on. npm runs on the Node.js of the tests. */
const environment: Settings = {
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: process.env.HOME!,
  ...Object.fromEntries(network as [string, string][]),
};
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const newFolder = () => mkdtempSync(join(tmpdir(), "gateway-release-test-"));

describe("the tarball", () => {
  const folder = newFolder();
  const run = (program: string, ...values: string[]) => promisify(execFile)(program, values, { cwd: folder, env: environment });
  let tarball: string;

  beforeAll(async () => {
    await build();
    tarball = await pack(folder);
  });
  afterEach(killLeft);
  afterAll(() => rmSync(folder, { recursive: true }));

  it("starts in an empty folder, responds with a key, and stops on SIGTERM, with and without npx", async () => {
    const installed = join(folder, "installed");
    // A retry starts from scratch.
    rmSync(installed, { recursive: true, force: true });
    mkdirSync(installed);
    const { stdout, stderr } = await run("npm", "install", tarball, "--prefix", installed, "--prefer-offline", "--no-audit", "--no-fund");
    expect(stdout + stderr).not.toMatch(/EBADENGINE/);
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    const modules = join(installed, "node_modules/maintenance-gateway/node_modules");
    const versionOf = (path: string) => JSON.parse(readFileSync(join(modules, path, "package.json"), "utf8")).version;
    for (const path of ["fastify", "graphql-scalars", "light-my-request/node_modules/cookie"])
      expect(versionOf(path), path).toBe(lock[`node_modules/${path}`].version);
    expect(readdirSync(modules)).not.toContain("typescript");

    const command = (...values: string[]) =>
      promisify(execFile)("npx", ["maintenance", ...values], { cwd: installed, env: environment }).then((printed) => printed.stdout.trim());
    // The version includes the commit of the build.
    expect((await command("--version")).split("+")[0]).toBe(version);
    const key = await command("key", "--tenant", "plant", "--role", "admin");

    const service = launch(["npx", "maintenance", "serve"], { ...environment, LOG_LEVEL: "silent", PORT: "0" }, installed);
    const url = await service.url();
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    const answer = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "{ viewer { role } assets { totalCount } }" }),
    });
    expect(await answer.json()).toEqual({ data: { viewer: { role: "ADMIN" }, assets: { totalCount: 0 } } });
    for (const path of ["/console/", "/explorer", "/docs/"]) expect((await fetch(url + path)).status, path).toBe(200);
    await service.stop();
    // npx does not wait for its child process, which closes its database only after it stops listening.
    const group = () => {
      try {
        return process.kill(-service.child.pid!, 0) && "runs";
      } catch {
        return "ended";
      }
    };
    await expect.poll(group).toBe("ended");
    const again = launch(
      [join(installed, "node_modules/.bin/maintenance"), "serve"],
      { ...environment, LOG_LEVEL: "silent", PORT: "0" },
      installed,
    );
    await again.url();
    expect(await again.stop()).toBe(0);
  });
});

describe("npm run release", () => {
  /** A copy of the tree without the files that the build needs, so that a release fails after changing files. */
  function newTree() {
    const folder = newFolder();
    cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
    for (const name of filesOfRelease) cpSync(join(root, name), join(folder, name), { recursive: true });
    const git = (...values: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...values], { cwd: folder }).toString();
    git("init", "--quiet", "--initial-branch", "main");
    writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n### Before you upgrade\n\n- Stop.\n\n## 0.1.0\n\nAll.\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "All");
    const release = (...values: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/release.mjs", ...values], { cwd: folder, encoding: "utf8" });
      return { status, stdout, stderr };
    };
    return { folder, git, release, remove: () => rmSync(folder, { recursive: true }) };
  }
  let tree: ReturnType<typeof newTree>;
  beforeAll(() => {
    tree = newTree();
  });
  afterAll(() => tree.remove());

  it("leaves the tree as it was if the build fails", () => {
    const { status, stdout, stderr } = tree.release("99.0.0");
    expect(stderr).toMatch(/^release: node scripts\/build\.mjs failed\nAll changes are undone\.$/m);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: `${version} → 99.0.0. If this process is killed, git restore . undoes its changes.\n`,
    });
    expect(tree.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  });

  it("shows what would change with --dry-run", () => {
    const { status, stdout, stderr } = tree.release("99.0.0", "--dry-run");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^\+## 99\.0\.0 - \d{4}-\d\d-\d\d$/m);
    expect(stdout).toMatch(/Nothing was changed\.\n$/);
    expect(tree.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  });

  it("rejects another branch, a tree with changes and an existing tag, and changes nothing", () => {
    tree.git("tag", "v99.0.0");
    tree.git("switch", "--quiet", "--create", "side");
    writeFileSync(join(tree.folder, "new.txt"), "");
    const before = tree.git("status", "--porcelain");
    expect(tree.release("99.0.0")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "release: The branch is side: releases are made on main.\nThe tree has changes that are not committed: commit or undo them.\nThere is a tag v99.0.0 already.\n",
    });
    expect(tree.git("status", "--porcelain")).toBe(before);
  });
});
