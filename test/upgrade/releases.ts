/** Earlier releases, checked out from the repository's history and built, with their services as processes. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { releasesOf } from "../../scripts/release-texts.mjs";
import { cache } from "../../scripts/stale.mjs";
import { readMigrations } from "../../src/database/migrations/files.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Environment variables that a service and its commands inherit. All others are set explicitly. */
const inherited = () => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
});

const git = (...values: string[]): string => execFileSync("git", ["-C", root, ...values], { encoding: "utf8" }).trim();

interface Release {
  version: string;
  commit: string;
}

/**
 * The releases of CHANGELOG.md, newest first. A release's commit is that of its tag, or the first commit whose package.json has the version,
 * because 0.2.0 has no tag.
 */
function* releases(): Generator<Release> {
  for (const version of releasesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"))) {
    const tag = `v${version}`;
    const commit = git("tag", "--list", tag)
      ? git("rev-list", "--max-count=1", tag)
      : git("log", "--reverse", "--format=%H", `-S"version": "${version}"`, "--", "package.json").split("\n")[0];
    if (!commit) throw new Error(`the repository's history has neither a tag ${tag} nor a commit of release ${version}`);
    yield { version, commit };
  }
}

function newest(fits: (release: Release) => boolean): Release {
  for (const release of releases()) if (fits(release)) return release;
  throw new Error("CHANGELOG.md lists no such release");
}

/** The newest release. */
export const releaseBefore = (): Release => newest(() => true);

/** The newest release that lacks migrations of this tree, so that an upgrade from it changes the database. */
export function releaseWithOlderSchema(): Release {
  const present = readMigrations().length;
  return newest(({ commit }) => git("ls-tree", "-d", "--name-only", commit, "prisma/migrations/").split("\n").length < present);
}

/** The folder of a built release with its own packages. Kept between runs. */
export function checkedOut(commit: string): string {
  const folder = join(cache, "releases", commit);
  if (existsSync(folder)) return folder;
  mkdirSync(join(cache, "releases"), { recursive: true });
  const made = mkdtempSync(`${folder}.`);
  execFileSync("tar", ["-x", "-C", made], { input: execFileSync("git", ["-C", root, "archive", commit], { maxBuffer: 1e9 }) });
  const run = (program: string, ...values: string[]) =>
    execFileSync(program, values, { cwd: made, env: inherited(), stdio: ["ignore", "ignore", "inherit"] });
  run("npm", "ci", "--no-audit", "--no-fund");
  run(process.execPath, "scripts/build.mjs");
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another test file has made it in the meantime.
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true });
  }
  return folder;
}

export const command = (main: string, environment: Record<string, string>, ...values: string[]): string =>
  execFileSync(process.execPath, [main, ...values], { env: { ...inherited(), ...environment }, stdio: ["ignore", "pipe", "pipe"] })
    .toString()
    .trim();

export class Service {
  /** Its output lines with their times. */
  readonly said: { line: string; at: number }[] = [];
  /** Its log lines about requests with internal errors. */
  readonly failures: string[] = [];

  private constructor(
    private readonly process: ChildProcess,
    public url: string,
  ) {}

  /** Resolves once the service responds. */
  static async start(main: string, environment: Record<string, string>): Promise<Service> {
    const child = spawn(process.execPath, [main, "serve"], {
      env: { ...inherited(), PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const service = new Service(child, "");
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (line.includes(`"level":50`)) service.failures.push(line);
    });
    service.url = await new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${service.said.map(({ line }) => line).join("\n")}`)));
      createInterface({ input: child.stderr! }).on("line", (line) => {
        service.said.push({ line, at: Date.now() });
        const [, url] = /answers at (http:\S+)/.exec(line) ?? [];
        if (url) resolve(url);
      });
    });
    return service;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode) return;
    this.process.kill();
    await once(this.process, "exit");
  }
}
